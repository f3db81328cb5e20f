"""A run in batches that is killed on the way: every request is billed once, and the report is that of a live run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import MuffakirEvaluation
from tests.evaluation.judged import KEY, asked_about, comparable, opinion, rows, written
from tests.judges.answers import Says, Seen, fails
from tests.judges.batch.server import BatchServer

REQUESTS = int(os.environ.get("MUFFAKIR_EVAL_BATCH_REQUESTS", "300"))
"""Requests of the run that is killed; a longer test sets the variable to 5000."""

METRICS = ["recall", "faithfulness", "llm_judge_rating"]
SAMPLES = REQUESTS // 2
PATIENCE_S = 60 + REQUESTS / 10
PRICES = {"input": 10.0, "output": 20.0}

PROGRAM = textwrap.dedent(
    """
    import json, sys
    from muffakir_eval import MuffakirEvaluation

    settings, dataset, folder = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]
    try:
        MuffakirEvaluation(settings).evaluate(dataset=dataset, save=True, output_dir=folder)
    except KeyboardInterrupt as interrupt:
        print(*interrupt.__notes__, sep="\\n")
        raise
    """
)


class Answers:
    """One judge in ten fails: always or once, with an error or with a reply of no use."""

    def __init__(self) -> None:
        self.tries: Counter[bytes] = Counter()

    def __call__(self, seen: Seen) -> Any:
        number = asked_about(seen)
        self.tries[seen.raw] += 1
        if number % 10 != 3:
            return opinion(seen)
        kind = number // 10 % 7
        if kind == 0:
            return fails(500, "it broke")
        if kind == 1:
            return fails(400, "the text is too odd")
        if kind == 2:
            return Says("", finish="refusal", refusal="لا أستطيع")
        if kind == 3:
            return "لا رأي لي في هذا."
        if kind == 4:
            return {"score": 85, "verdict": "perhaps"}
        if kind == 5:
            return ""
        return fails(500, "it broke once") if self.tries[seen.raw] == 1 else opinion(seen)


TRIES = {0: 3, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 2}
"""By kind of failure, how often the request itself is submitted; requests to mend a reply are others."""


class Client:
    """The program that is killed."""

    def __init__(self, folder: Path, server: BatchServer, provider: str, **more: Any) -> None:
        self.folder = folder
        self.server = server
        self.program = folder / "program.py"
        self.program.write_text(PROGRAM, encoding="utf-8")
        self.dataset = folder / "questions.jsonl"
        lines = [json.dumps(row, ensure_ascii=False) for row in rows(SAMPLES)]
        self.dataset.write_text("\n".join(lines), encoding="utf-8")
        self.settings = {
            "metrics": METRICS,
            "k": 2,
            "progress": False,
            "pipeline_id": "rag",
            "llm_provider": provider,
            "llm_model": "judge-1",
            "api_key": KEY,
            "base_url": server.url if provider == "anthropic" else server.openai_url,
            "prices": PRICES,
            "judge_mode": "batch",
            "batch_poll_s": 0.1,
            "batch_max_requests": max(1, REQUESTS // 5),
            **more,
        }

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [
                sys.executable,
                "-W",
                "error",
                str(self.program),
                json.dumps(self.settings),
                str(self.dataset),
                str(self.folder / "run"),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"},
        )

    def killed_when(self, reached: Callable[[], bool]) -> None:
        with self.start() as process:
            _wait(process, reached)
            process.kill()
            process.communicate()

    def finish(self) -> None:
        with self.start() as process:
            _, errors = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, errors

    def n_done(self) -> int:
        path = self.folder / "run" / "records.jsonl"
        return path.read_bytes().count(b'{"kind": "result"') if path.exists() else 0


def _wait(process: subprocess.Popen[str], reached: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while not reached():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < give_up
        time.sleep(0.02)


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a live run of the same questions, on a server that says the same."""
    folder = tmp_path_factory.mktemp("live")
    with BatchServer(Answers()) as server:
        settings = {
            "metrics": METRICS,
            "k": 2,
            "progress": False,
            "cache_dir": None,
            "pipeline_id": "rag",
            "llm_provider": "openai",
            "llm_model": "judge-1",
            "api_key": KEY,
            "base_url": server.openai_url,
            "retry_deadline_s": 0.6,
            "prices": PRICES,
        }
        MuffakirEvaluation(settings).evaluate(dataset=rows(SAMPLES), save=True, output_dir=folder)
    return folder


def check_equal(folder: Path, live: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Everything but how the judge was asked is as in the live run, sample by sample and in the summary."""
    assert verdicts(folder) == verdicts(live)
    report, other = written(folder), written(live)
    assert figures(report) == figures(other)
    assert report["dataset"]["fingerprint"] == other["dataset"]["fingerprint"]
    for name in ("input_tokens", "output_tokens"):
        assert report["usage"][name] == other["usage"][name]
    assert report["usage"]["cost_usd"] == pytest.approx(other["usage"]["cost_usd"] / 2)
    return report, other


def figures(summary: dict[str, Any]) -> dict[str, Any]:
    """What must be equal: everything but how the judge was asked. Of equally frequent errors any may be the example."""
    return comparable(summary, without=("config", "config_given", "judge", "warnings", "dataset", "error_examples"))


def verdicts(folder: Path) -> dict[tuple[str, str], tuple[Any, ...]]:
    """Of every answer and metric: state, value and reason."""
    found = {}
    for line in (folder / "records.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["kind"] == "result":
            for name, score in record["scores"].items():
                found[record["key"], name] = (score["state"], score.get("value"), score.get("reason"))
    return found


def check_bills(server: BatchServer) -> None:
    """Whatever was worked on was so once, and what failed was tried as often as it should be."""
    assert set(server.billed.values()) == {1}
    sent: Counter[str] = Counter()
    wanted: dict[str, int] = {}
    for batch in server.batches:
        for request in batch.requests:
            raw = json.dumps(request["params"], sort_keys=True)
            sent[raw] += 1
            seen = Seen(number=0, path="/v1/chat/completions", headers={}, raw=json.dumps(request["params"]).encode())
            number = asked_about(seen)
            wanted[raw] = TRIES[number // 10 % 7] if number % 10 == 3 else 1
    assert dict(sent) == wanted


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
@pytest.mark.parametrize(("provider", "cache_dir"), [("openai", None), ("anthropic", "cache")])
def test_two_kills_cost_nothing_and_change_nothing(
    tmp_path: Path, live: Path, provider: str, cache_dir: str | None
) -> None:
    begin = "POST /batches" if provider == "openai" else "POST /messages/batches"
    look = "GET /batches/" if provider == "openai" else "GET /messages/batches/"
    with BatchServer(Answers(), takes_s=0.3) as server:
        client = Client(tmp_path, server, provider, cache_dir=cache_dir)
        # Once between a batch that was sent and the note of its name ...
        arrived = server.hold(begin)
        client.killed_when(arrived.is_set)
        assert len(server.batches) == 1
        # ... and once while results come in, on a server that has its moods.
        server.hiccup(look, fails(429, retry_after="0.05"), fails(500), fails(503))
        client.killed_when(lambda: client.n_done() >= SAMPLES // 5)
        done = client.n_done()
        client.finish()
    report, _ = check_equal(tmp_path / "run", live)
    check_bills(server)
    reasons = [report["metrics"][name]["reasons"] for name in METRICS[1:]]
    assert sum(sum(each.values()) for each in reasons) == 2 * sum(
        number % 10 == 3 and number // 10 % 7 != 6 for number in range(SAMPLES)
    )
    print(
        f"{provider}: {len(server.batches)} batches, {sum(server.submitted.values())} requests sent, "
        f"{len(server.billed)} billed, each once; {done} of {SAMPLES} done at the second kill; {reasons[0]}"
    )


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a child on this system")
@pytest.mark.parametrize("cancel", [False, True])
def test_ctrl_c_says_what_becomes_of_the_batches(tmp_path: Path, live: Path, *, cancel: bool) -> None:
    with BatchServer(Answers(), takes_s=2.5) as server:
        client = Client(tmp_path, server, "openai", cache_dir=None, batch_cancel_on_interrupt=cancel)
        with client.start() as process:
            _wait(process, lambda: server.calls.count("GET /batches/batch_4") > 0)
            process.send_signal(signal.SIGINT)
            said, errors = process.communicate(timeout=30)
        assert "KeyboardInterrupt" in errors
        for word in ("Warning", "never awaited", "Exception ignored", "Unclosed", "Task was destroyed"):
            assert word not in errors
        told = "is cancelled; what was done by then is billed" if cancel else "goes on at the provider"
        assert said.count(told) == len(server.batches) == 5
        assert [batch.cancelled for batch in server.batches] == [cancel] * 5
        assert written(tmp_path / "run")["partial"]
        server.takes_s = 0.1
        client.finish()
    check_equal(tmp_path / "run", live)
    assert set(server.billed.values()) == {1}
