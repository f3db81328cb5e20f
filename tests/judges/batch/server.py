"""A server that speaks both batch interfaces, and still answers single requests.

What it says to a request is the same in a batch and alone::

    with BatchServer(opinion, takes_s=0.1) as server:
        ...
    assert set(server.billed.values()) == {1}

A batch is worked on when it is looked at after ``takes_s`` seconds. ``server.fates`` decides what becomes of the
next ones, ``server.hiccups`` of single calls of the interface, and ``server.hold(…)`` has one call stand still
after it was carried out, so that its client can be killed there.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from tests.judges.answers import ANTHROPIC_KINDS, Answer, Behaviour, Says, Seen, fails
from tests.judges.server import JudgeServer

__all__ = ["Batch", "BatchServer", "Fate"]

_PLACE = re.compile(r"^(?:/v1|/openai)(?P<rest>/(?:files|batches|messages/batches).*)$")
_CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass(frozen=True, kw_only=True)
class Fate:
    """What becomes of a batch.

    Attributes:
        done: How many of its requests are worked on; ``None`` is all.
        end: How it ends.
        refusal: ``code`` and ``message`` with which it is not even begun; OpenAI only.
        lines: Numbers of the lines that are to blame for that, from 1.
        lost: Requests of which the results say nothing, from 0.
    """

    done: int | None = None
    end: Literal["completed", "expired", "cancelled"] = "completed"
    refusal: tuple[str, str] | None = None
    lines: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()


@dataclass(kw_only=True)
class Batch:
    """A batch as the server knows it."""

    name: str
    kind: Literal["openai", "anthropic"]
    requests: list[dict[str, Any]]
    metadata: dict[str, str]
    fate: Fate
    since: float = field(default_factory=time.monotonic)
    created: float = field(default_factory=time.time)
    end: str | None = None
    cancelled: bool = False
    results: dict[str, Any] = field(default_factory=dict)

    @property
    def custom_ids(self) -> list[str]:
        return [request["custom_id"] for request in self.requests]


class BatchServer(JudgeServer):
    """See the module.

    Args:
        answer: To each request, alone or in a batch.
        takes_s: Seconds until a batch has ended.
        most_requests: Of one batch.
        most_bytes: Likewise.

    Attributes:
        batches: In the order in which they came.
        billed: By content, how often a model has worked on a request.
        submitted: By content, how often a request has come in a batch.
        odd_status: So many times more it is said of a batch that has ended that it is dreaming.
        late_results: So many times more it is said of a batch that has ended that it has no results.
        clock_s: How much the clock of the server is behind, in seconds.
        oldest_first: The list is in an unusual order.
    """

    def __init__(
        self,
        answer: Behaviour | Answer | Says | str | Mapping[str, Any] = "{}",
        *,
        takes_s: float = 0.0,
        latency_s: float = 0.0,
        most_requests: int = 50_000,
        most_bytes: int = 200_000_000,
    ) -> None:
        super().__init__(answer, latency_s=latency_s)
        self.takes_s = takes_s
        self.most_requests = most_requests
        self.most_bytes = most_bytes
        self.batches: list[Batch] = []
        self.billed: Counter[str] = Counter()
        self.submitted: Counter[str] = Counter()
        self.fates: deque[Fate] = deque()
        self.hiccups: deque[tuple[str, Answer, bool]] = deque()
        self.calls: list[str] = []
        self.reached = threading.Event()
        self.odd_status = 0
        self.late_results = 0
        self.clock_s = 0.0
        self.oldest_first = False
        self._files: dict[str, bytes] = {}
        self._hold: str | None = None

    def hold(self, call: str) -> threading.Event:
        """Have the next call that begins so stand still once it is carried out; the event says that it does."""
        self._hold = call
        self.reached = threading.Event()
        return self.reached

    def hiccup(self, call: str, *answers: Answer, after: bool = False) -> None:
        """Answer the next calls that begin so with these instead.

        What is dropped is carried out before, and everything is with ``after``.
        """
        self.hiccups.extend((call, answer, after or answer.drop is not None) for answer in answers)

    # -- the wire ----------------------------------------------------------------------------------

    def _decide(self, seen: Seen) -> Answer:
        try:
            return self._decided(seen)
        except Exception as error:
            return fails(400, f"the test's own server is broken: {error!r}")

    def _decided(self, seen: Seen) -> Answer:
        place = _PLACE.match(seen.path.split("?")[0])
        if place is None:
            self.billed[_content(seen.body)] += 1
            return super()._decide(seen)
        call = f"{seen.method} {place['rest']}"
        self.calls.append(call)
        for number, (start, answer, carried_out) in enumerate(self.hiccups):
            if call.startswith(start):
                del self.hiccups[number]
                if carried_out:
                    self._carried_out(call, seen)
                return answer
        answer = self._carried_out(call, seen)
        if self._hold is not None and call.startswith(self._hold):
            self._hold = None
            self.reached.set()
            return replace(answer, delay_s=60.0)
        return answer

    def _carried_out(self, call: str, seen: Seen) -> Answer:
        method, _, path = call.partition(" ")
        parts = path.strip("/").split("/")
        if parts[0] == "files":
            return self._file(method, parts[1:], seen)
        kind: Literal["openai", "anthropic"] = "openai"
        if parts[0] == "messages":
            kind, parts = "anthropic", parts[1:]
        if len(parts) == 1:
            return self._create(kind, seen) if method == "POST" else self._list(kind, seen)
        batch = next((each for each in self.batches if each.name == parts[1]), None)
        if batch is None:
            return fails(404, f"no batch {parts[1]}")
        if parts[2:] == ["cancel"]:
            if batch.end is not None:
                return fails(400, "it has ended")
            batch.cancelled = True
        self._work(batch)
        if parts[2:] == ["results"]:
            lines = [json.dumps({"custom_id": name, "result": result}) for name, result in batch.results.items()]
            return Answer(body=_lines(lines), content_type="application/x-jsonl")
        return _json(self._shown(batch))

    def _file(self, method: str, parts: list[str], seen: Seen) -> Answer:
        if method == "POST":
            name = f"file-{len(self._files)}"
            self._files[name] = _uploaded(seen)
            if len(self._files[name]) > self.most_bytes:
                return fails(413, "the file is too large")
            return _json(_file_object(name, len(self._files[name])))
        if parts[1:] == ["content"]:
            return Answer(body=self._files[parts[0]], content_type="application/octet-stream")
        return _json(_file_object(parts[0], len(self._files[parts[0]])))

    def _create(self, kind: Literal["openai", "anthropic"], seen: Seen) -> Answer:
        body = seen.body
        if kind == "openai":
            assert body["completion_window"] == "24h"
            requests = [json.loads(line) for line in self._files[body["input_file_id"]].splitlines()]
            assert {request["url"] for request in requests} == {body["endpoint"]}
            requests = [{"custom_id": each["custom_id"], "params": each["body"]} for each in requests]
        else:
            requests = body["requests"]
            if len(seen.raw) > self.most_bytes:
                return fails(413, "the batch is too large")
        if len(requests) > self.most_requests:
            return fails(413 if kind == "anthropic" else 400, "too many requests in the batch")
        names = [request["custom_id"] for request in requests]
        assert len(set(names)) == len(names)
        assert all(_CUSTOM_ID.fullmatch(name) for name in names)
        batch = Batch(
            name=f"{'batch' if kind == 'openai' else 'msgbatch'}_{len(self.batches)}",
            kind=kind,
            requests=requests,
            metadata=body.get("metadata") or {},
            fate=self.fates.popleft() if self.fates else Fate(),
            created=time.time() - self.clock_s,
        )
        self.batches.append(batch)
        self.submitted.update(_content(request["params"]) for request in requests)
        return _json(self._shown(batch))

    def _list(self, kind: str, seen: Seen) -> Answer:
        asked = parse_qs(urlsplit(seen.path).query)
        after = (asked.get("after") or asked.get("after_id") or [""])[0]
        listed = [batch for batch in self.batches if batch.kind == kind]
        listed.sort(key=lambda batch: batch.created, reverse=not self.oldest_first)
        start = next((number for number, batch in enumerate(listed, start=1) if batch.name == after), 0)
        end = start + int(asked["limit"][0])
        shown = [self._shown(batch) for batch in listed[start:end]]
        ends = {"first_id": shown[0]["id"], "last_id": shown[-1]["id"]} if shown else {}
        return _json({"object": "list", "data": shown, "has_more": end < len(listed), **ends})

    # -- the work ----------------------------------------------------------------------------------

    def _work(self, batch: Batch) -> None:
        at_once = batch.cancelled or batch.fate.refusal is not None
        if batch.end is not None or (time.monotonic() - batch.since < self.takes_s and not at_once):
            return
        fate = Fate(done=len(batch.requests) // 2, end="cancelled") if batch.cancelled else batch.fate
        batch.end = "failed" if fate.refusal else fate.end
        if fate.refusal:
            return
        for number, request in enumerate(batch.requests):
            if number in fate.lost:
                continue
            if fate.done is not None and number >= fate.done:
                batch.results[request["custom_id"]] = {"type": "canceled" if fate.end == "cancelled" else "expired"}
                continue
            answer = self._answered(batch.kind, request["params"])
            batch.results[request["custom_id"]] = _result(answer)

    def _answered(self, kind: str, params: dict[str, Any]) -> Answer:
        path = "/v1/chat/completions" if kind == "openai" else "/v1/messages"
        raw = json.dumps(params).encode()
        answer = super()._decide(Seen(number=len(self.billed), path=path, headers={}, raw=raw))
        if answer.status == 200:
            self.billed[_content(params)] += 1
        return answer

    def _shown(self, batch: Batch) -> dict[str, Any]:
        shown = self._openai(batch) if batch.kind == "openai" else self._anthropic(batch)
        if self.odd_status and batch.end is not None:
            self.odd_status -= 1
            shown["status" if batch.kind == "openai" else "processing_status"] = "dreaming"
        if self.late_results and batch.end is not None:
            self.late_results -= 1
            shown.update(dict.fromkeys(("output_file_id", "error_file_id", "results_url")))
        return shown

    def _openai(self, batch: Batch) -> dict[str, Any]:
        good, bad = _files_of(batch)
        files = {}
        if batch.end is not None and not batch.fate.refusal:
            for label, lines in (("output", good), ("error", bad)):
                name = f"{batch.name}-{label}"
                self._files[name] = _lines(lines)
                files[f"{label}_file_id"] = name if lines else None
        shown: dict[str, Any] = {
            "id": batch.name,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "input_file_id": "file-0",
            "status": batch.end or ("cancelling" if batch.cancelled else "in_progress"),
            "created_at": int(batch.created),
            "metadata": batch.metadata,
            "request_counts": {"total": len(batch.requests), "completed": len(good), "failed": len(bad)},
            **files,
        }
        if batch.fate.refusal and batch.end is not None:
            code, message = batch.fate.refusal
            lines_to_blame: list[int | None] = list(batch.fate.lines) or [None]
            data = [{"code": code, "message": message, "line": line, "param": None} for line in lines_to_blame]
            shown["errors"] = {"object": "list", "data": data}
        return shown

    def _anthropic(self, batch: Batch) -> dict[str, Any]:
        counts = Counter(result["type"] for result in batch.results.values())
        stamp = datetime.fromtimestamp(batch.created, UTC).isoformat()
        kinds = ("succeeded", "errored", "canceled", "expired")
        return {
            "id": batch.name,
            "type": "message_batch",
            "processing_status": "ended" if batch.end else ("canceling" if batch.cancelled else "in_progress"),
            "request_counts": {
                "processing": 0 if batch.end else len(batch.requests),
                **{kind: counts[kind] for kind in kinds},
            },
            "created_at": stamp,
            "expires_at": stamp,
            "ended_at": stamp if batch.end else None,
            "results_url": f"{self.url}/v1/messages/batches/{batch.name}/results" if batch.end else None,
        }


def _content(params: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(params, sort_keys=True).encode()).hexdigest()


def _json(body: Any) -> Answer:
    return Answer(body=json.dumps(body).encode())


def _lines(lines: list[str]) -> bytes:
    return b"".join(line.encode() + b"\n" for line in lines)


def _file_object(name: str, size: int) -> dict[str, Any]:
    told = {"object": "file", "created_at": 0, "filename": "in.jsonl", "purpose": "batch", "status": "processed"}
    return {"id": name, "bytes": size, **told}


def _uploaded(seen: Seen) -> bytes:
    """The file in a multipart body."""
    boundary = seen.headers["content-type"].partition("boundary=")[2].strip('"').encode()
    for part in seen.raw.split(b"--" + boundary):
        head, _, content = part.partition(b"\r\n\r\n")
        if b"filename=" in head:
            return content.removesuffix(b"\r\n")
    raise AssertionError("there is no file in the upload")


def _result(answer: Answer) -> dict[str, Any]:
    body = json.loads(answer.body)
    if answer.status == 200:
        return {"type": "succeeded", "message": body}
    if body["error"].get("type") not in ANTHROPIC_KINDS.values():
        body = {"type": "error", "error": {**body["error"], "type": ANTHROPIC_KINDS[answer.status]}}
    return {"type": "errored", "status": answer.status, "error": body}


def _files_of(batch: Batch) -> tuple[list[str], list[str]]:
    """The lines of both files of OpenAI: as there, in another order than the requests."""
    good, bad = [], []
    for name, result in reversed(batch.results.items()):
        line: dict[str, Any] = {"id": f"batch_req_{name}", "custom_id": name, "response": None, "error": None}
        if result["type"] == "succeeded":
            response = {"status_code": 200, "request_id": "r", "body": result["message"]}
            good.append(json.dumps({**line, "response": response}, ensure_ascii=False))
        elif result["type"] == "errored":
            response = {"status_code": result["status"], "request_id": "r", "body": result["error"]}
            bad.append(json.dumps({**line, "response": response}))
        else:
            code = "batch_expired" if result["type"] == "expired" else "batch_cancelled"
            bad.append(json.dumps({**line, "error": {"code": code, "message": "not worked on"}}))
    return good, bad
