"""OpenAI's Batch interface, and Azure's: a file of requests goes up, two files of outcomes come down."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

import openai

from muffakir_eval.judges.batch.carrier import (
    SKEW_S,
    BatchLimits,
    BatchState,
    CarrierError,
    Outcome,
    Undone,
    records_in,
)
from muffakir_eval.judges.failures import Failure, explain, explain_status
from muffakir_eval.judges.faults import OPENAI
from muffakir_eval.judges.openai_model import OpenAIModel

__all__ = ["OpenAICarrier"]

_TOKEN = "muffakir_eval"  # noqa: S105 - the name of the metadata that hold ours
_SLOW_S = 600.0  # between two bytes: files are large
_PAGE = 100
_FILE_POLL_S = 2.0
_UNFINISHED = frozenset({"validating", "in_progress", "finalizing", "cancelling"})
_ENDINGS: Mapping[str, Literal["ended", "cancelled", "expired"]] = {
    "completed": "ended",
    "cancelled": "cancelled",
    "expired": "expired",
}
_UNDONE = {"batch_expired": Undone.EXPIRED, "batch_cancelled": Undone.CANCELLED}


class OpenAICarrier:
    """Batches of chat completions.

    Args:
        model: Whose requests they are.
    """

    limits = BatchLimits(requests=50_000, size=200_000_000)

    def __init__(self, model: OpenAIModel) -> None:
        self._model = model
        self._secrets = model.endpoint.secrets
        # Azure names the endpoint without the version that stands in every other address.
        self._url = "/chat/completions" if model.azure else "/v1/chat/completions"

    def line(self, name: str, body: bytes) -> bytes:
        """One line of the file."""
        head = json.dumps({"custom_id": name, "method": "POST", "url": self._url}, separators=(",", ":"))
        return head[:-1].encode("ascii") + b',"body":' + body + b"}\n"

    async def submit(self, token: str, lines: Sequence[bytes]) -> str:
        """Upload the file and have it worked on."""
        client = await self._model.client()
        with self._explained():
            content = (f"muffakir-eval-{token}.jsonl", b"".join(lines), "application/jsonl")
            file = await client.files.create(file=content, purpose="batch", timeout=_SLOW_S)
            name = _name(file)
            if self._model.azure:
                await self._processed(client, name)
            endpoint = cast("Literal['/v1/chat/completions']", self._url)
            return _name(
                await client.batches.create(
                    input_file_id=name, endpoint=endpoint, completion_window="24h", metadata={_TOKEN: token}
                )
            )

    async def find(self, token: str, count: int, since: float, known: Collection[str]) -> str | None:  # noqa: ARG002
        """By the metadata; the list comes newest first, or nearly so."""
        client = await self._model.client()
        old = 0
        with self._explained():
            async for batch in client.batches.list(limit=_PAGE):
                if (batch.metadata or {}).get(_TOKEN) == token:
                    return batch.id
                old = old + 1 if batch.created_at < since - SKEW_S else 0
                if old >= _PAGE:
                    break
        return None

    async def state(self, batch: str) -> BatchState:
        """How far it is."""
        client = await self._model.client()
        with self._explained():
            found = await client.batches.retrieve(batch)
        counts = found.request_counts
        done = None if counts is None else (counts.completed or 0) + (counts.failed or 0)
        if found.status in _UNFINISHED:
            return BatchState(status="running", done=done)
        if found.status in _ENDINGS:
            return BatchState(status=_ENDINGS[found.status], done=done)
        if found.status == "failed":
            return self._refused(found)
        failure = Failure(fault="server_error", message=f"the batch {batch} has the unknown status {found.status!r}")
        raise CarrierError(failure)

    async def results(self, batch: str) -> AsyncGenerator[tuple[str, Outcome], None]:
        """From the file of replies and the file of errors, where there are such."""
        client = await self._model.client()
        with self._explained():
            found = await client.batches.retrieve(batch)
        for file in (found.output_file_id, found.error_file_id):
            if file:
                async for record in self._records(client, file):
                    yield str(record.get("custom_id")), self._outcome(record)

    async def cancel(self, batch: str) -> None:
        """Ask for its end."""
        client = await self._model.client()
        with self._explained():
            await client.batches.cancel(batch)

    def _outcome(self, record: Mapping[str, Any]) -> Outcome:
        response, error = record.get("response"), record.get("error")
        if isinstance(response, Mapping):
            status, body = response.get("status_code"), response.get("body")
            if status == 200 and isinstance(body, Mapping):
                return self._model.read(body)
            return self._model.read_error(status if isinstance(status, int) and status >= 400 else 500, body)
        code = error.get("code") if isinstance(error, Mapping) else None
        return _UNDONE.get(str(code)) or self._model.read_error(500, {"error": error})

    def _refused(self, found: Any) -> BatchState:
        errors = list(getattr(found.errors, "data", None) or ())
        first = errors[0] if errors else None
        said = {name: getattr(first, name, None) for name in ("code", "message", "param")}
        why = explain_status(400, {"error": {name: value for name, value in said.items() if value}}, self._secrets)
        if why.code == "token_limit_exceeded":  # so many tokens may wait at the provider; some will be done later
            why = replace(why, fault="rate_limited")
        lines = [error.line - 1 for error in errors if isinstance(error.line, int) and error.line > 0]
        return BatchState(status="refused", why=why, lines=tuple(lines))

    async def _processed(self, client: openai.AsyncOpenAI, name: str) -> None:
        while (await client.files.retrieve(name)).status not in {"processed", "error"}:  # noqa: ASYNC110 - it is theirs
            await asyncio.sleep(_FILE_POLL_S)

    async def _records(self, client: openai.AsyncOpenAI, file: str) -> AsyncGenerator[Mapping[str, Any], None]:
        with self._explained():
            async with client.files.with_streaming_response.content(file, timeout=_SLOW_S) as response:
                async for record in records_in(response.iter_bytes()):
                    yield record

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (CarrierError, GeneratorExit):
            raise
        except Exception as error:  # noqa: BLE001 - the border to the SDK, and to HTTP while a file comes down
            # Whoever catches it takes the failure and lets go: an SDK's exception holds the request with its key.
            raise CarrierError(explain(error, OPENAI, self._secrets)) from None


def _name(made: Any) -> str:
    name = getattr(made, "id", None)
    if not isinstance(name, str) or not name:
        message = "the server gives what it made no id: it does not speak the Batch interface"
        raise CarrierError(Failure(fault="bad_request", message=message))
    return name
