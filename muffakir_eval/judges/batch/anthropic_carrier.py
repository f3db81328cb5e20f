"""Anthropic's Message Batches: the requests go up in one call, the outcomes come down as a stream."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Collection, Iterator, Mapping, Sequence
from typing import Any

from anthropic.types.messages import MessageBatchIndividualResponse

from muffakir_eval.judges.anthropic_model import AnthropicModel
from muffakir_eval.judges.batch.carrier import (
    SKEW_S,
    BatchLimits,
    BatchState,
    CarrierError,
    Outcome,
    Undone,
    place_of,
    records_in,
)
from muffakir_eval.judges.failures import Failure, explain
from muffakir_eval.judges.faults import ANTHROPIC

__all__ = ["AnthropicCarrier"]

_SLOW_S = 600.0
_PAGE = 100
_STATUSES: Mapping[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""Under which status a request of its own would have failed; anything else is an error of the server."""
_UNDONE = {"canceled": Undone.CANCELLED, "expired": Undone.EXPIRED}


class AnthropicCarrier:
    """Batches of messages.

    Args:
        model: Whose requests they are.
        poll_s: Seconds between two looks at a batch of which it is not known whose it is.
    """

    limits = BatchLimits(requests=100_000, size=256_000_000)

    def __init__(self, model: AnthropicModel, *, poll_s: float = 60.0) -> None:
        self._model = model
        self._poll_s = poll_s
        self._secrets = model.endpoint.secrets

    def line(self, name: str, body: bytes) -> bytes:
        """One member of the list of requests."""
        return b'{"custom_id":"' + name.encode("ascii") + b'","params":' + body + b"}"

    async def submit(self, token: str, lines: Sequence[bytes]) -> str:  # noqa: ARG002 - it stands in every line
        """Send all requests at once."""
        client = await self._model.client()
        with self._explained():
            made = await client.messages.batches.create(requests=[json.loads(line) for line in lines], timeout=_SLOW_S)
        if not isinstance(getattr(made, "id", None), str):
            message = "the server gives the batch no id: it does not speak Message Batches"
            raise CarrierError(Failure(fault="bad_request", message=message))
        return made.id

    async def find(self, token: str, count: int, since: float, known: Collection[str]) -> str | None:
        """By the names of its requests, which only the results tell.

        A batch carries no mark of ours. Those of the right age and size are waited for, and their first
        result is looked at; results cost nothing.
        """
        client = await self._model.client()
        likely, old = [], 0
        with self._explained():
            async for batch in client.messages.batches.list(limit=_PAGE):
                if batch.created_at.timestamp() < since - SKEW_S:
                    old += 1
                    if old >= _PAGE:
                        break
                    continue
                old = 0
                counts = batch.request_counts
                total = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
                if total == count and batch.id not in known:
                    likely.append(batch.id)
        for name in likely:
            if await self._is_ours(name, token):
                return name
        return None

    async def state(self, batch: str) -> BatchState:
        """How far it is; single requests say by themselves whether they were cancelled or expired."""
        client = await self._model.client()
        with self._explained():
            found = await client.messages.batches.retrieve(batch)
        counts = found.request_counts  # all of them are in process until the whole batch has ended
        done = counts.succeeded + counts.errored + counts.canceled + counts.expired
        if found.processing_status == "ended":
            return BatchState(status="ended", done=done)
        if found.processing_status in {"in_progress", "canceling"}:
            return BatchState(status="running", done=done)
        said = f"the batch {batch} has the unknown status {found.processing_status!r}"
        raise CarrierError(Failure(fault="server_error", message=said))

    async def results(self, batch: str) -> AsyncGenerator[tuple[str, Outcome], None]:
        """As they come."""
        client = await self._model.client()
        with self._explained():
            found = await client.messages.batches.retrieve(batch)
            if not found.results_url:
                gone = getattr(found, "archived_at", None) is not None
                said = f"the results of the batch {batch} are {'not kept any more' if gone else 'not there yet'}"
                raise CarrierError(Failure(fault="bad_request" if gone else "server_error", message=said))
            interface = client.messages.batches.with_streaming_response
            async with interface.results(batch, timeout=_SLOW_S) as response:
                async for record in records_in(response.iter_bytes()):
                    each = MessageBatchIndividualResponse.construct(**record)
                    yield str(record.get("custom_id")), self._outcome(getattr(each, "result", None))

    async def cancel(self, batch: str) -> None:
        """Ask for its end."""
        client = await self._model.client()
        with self._explained():
            await client.messages.batches.cancel(batch)

    async def _is_ours(self, batch: str, token: str) -> bool:
        while (await self.state(batch)).status == "running":  # noqa: ASYNC110 - it is at the provider
            await asyncio.sleep(self._poll_s)
        async with contextlib.aclosing(self.results(batch)) as results:
            async for name, _ in results:
                return place_of(name, token) is not None
        return False

    def _outcome(self, result: Any) -> Outcome:
        kind = getattr(result, "type", None)
        if kind == "succeeded":
            return self._model.read(result.message)
        if kind in _UNDONE:
            return _UNDONE[kind]
        error = getattr(getattr(result, "error", None), "error", None)
        said = {name: str(getattr(error, name, "") or "") for name in ("type", "message")}
        return self._model.read_error(_STATUSES.get(said["type"], 500), {"type": "error", "error": said})

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (CarrierError, GeneratorExit):
            raise
        except Exception as error:  # noqa: BLE001 - the border to the SDK, and to HTTP while results come down
            # Whoever catches it takes the failure and lets go: an SDK's exception holds the request with its key.
            raise CarrierError(explain(error, ANTHROPIC, self._secrets)) from None
