"""What a batch interface must be able to do, whoever offers it."""

from __future__ import annotations

import enum
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from muffakir_eval.judges.failures import Failure
from muffakir_eval.judges.protocol import Completion

__all__ = [
    "SKEW_S",
    "BatchLimits",
    "BatchState",
    "Carrier",
    "CarrierError",
    "Outcome",
    "Undone",
    "custom_id",
    "place_of",
    "records_in",
]

_log = logging.getLogger("muffakir_eval")

SKEW_S = 172_800.0
"""Most that our clock is taken to be ahead of the provider's: a batch that is not found is sent, and billed, again."""


class Undone(enum.Enum):
    """A request that was not worked on, and is not billed."""

    CANCELLED = "cancelled"
    EXPIRED = "expired"
    UNSENT = "unsent"


Outcome = Completion | Failure | Undone
"""What became of one request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchLimits:
    """How much goes into one batch.

    Attributes:
        requests: Most requests.
        size: Most bytes, all requests with what stands around them.
    """

    requests: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchState:
    """How far a batch is.

    Attributes:
        status: ``refused`` is a batch that the provider would not begin.
        done: Requests that have an outcome, where the provider counts them.
        why: Of a refusal.
        lines: Requests that are to blame for it, from 0; without any it is all of them.
    """

    status: Literal["running", "ended", "cancelled", "expired", "refused"]
    done: int | None = None
    why: Failure | None = None
    lines: tuple[int, ...] = ()

    @property
    def crowded(self) -> bool:
        """It was refused for want of room, and would be taken later, or smaller."""
        return self.why is not None and self.why.fault in {"rate_limited", "overloaded"}


class CarrierError(Exception):
    """The interface could not be reached, or said no.

    Args:
        failure: What went wrong.
    """

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure

    @property
    def retriable(self) -> bool:
        """The same may succeed later."""
        return self.failure.error().retriable


class Carrier(Protocol):
    """Takes batches of requests to a provider and brings back what became of them.

    Every method but ``limits`` and ``line`` raises :class:`CarrierError`.
    """

    @property
    def limits(self) -> BatchLimits:
        """The provider's."""
        ...

    def line(self, name: str, body: bytes) -> bytes:
        """One request of a batch under a name (see :func:`custom_id`)."""
        ...

    async def submit(self, token: str, lines: Sequence[bytes]) -> str:
        """Send a batch; returns the provider's name for it."""
        ...

    async def find(self, token: str, count: int, since: float, known: Collection[str]) -> str | None:
        """The batch that was sent under ``token``, where there is one.

        Args:
            token: Of the batch.
            count: Requests in it.
            since: Seconds since 1970 on our clock, shortly before it was sent.
            known: Batches that are accounted for.
        """
        ...

    async def state(self, batch: str) -> BatchState:
        """How far it is."""
        ...

    def results(self, batch: str) -> AsyncGenerator[tuple[str, Outcome], None]:
        """Names and outcomes, in any order, of a batch that has ended."""
        ...

    async def cancel(self, batch: str) -> None:
        """Ask for its end; what is finished by then is billed and can be collected."""
        ...


async def records_in(parts: AsyncIterable[bytes]) -> AsyncGenerator[Mapping[str, Any], None]:
    """The lines of a file of results: what Unicode takes for the end of a line may stand inside one.

    One that is spoilt says nothing, and keeps the others not back.
    """
    rest = b""
    async for part in parts:
        *whole, rest = (rest + part).split(b"\n")
        for line in whole:
            record = _record(line)
            if record is not None:
                yield record
    record = _record(rest)
    if record is not None:
        yield record


def _record(line: bytes) -> Mapping[str, Any] | None:
    if not line.strip():
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if isinstance(record, dict):
        return record
    _log.warning("judge: a line of the results of a batch cannot be read (%d bytes)", len(line))
    return None


def custom_id(token: str, index: int) -> str:
    """The name of a request in its batch: both interfaces take it.

    >>> custom_id("a0b1c2d3e4f5a6b7", 12)
    'me-a0b1c2d3e4f5a6b7-12'
    """
    return f"me-{token}-{index}"


def place_of(name: object, token: str) -> int | None:
    """The place of a request in the batch of ``token``; ``None`` where the name is none of ours.

    >>> place_of("me-a0b1c2d3e4f5a6b7-12", "a0b1c2d3e4f5a6b7"), place_of("me-a0-1", "b1"), place_of(None, "b1")
    (12, None, None)
    """
    before, _, index = str(name).rpartition("-")
    return int(index) if before == f"me-{token}" and index.isascii() and index.isdigit() else None
