"""Requests that wait to be sent, and when enough of them do."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from muffakir_eval.judges.batch.carrier import BatchLimits, Outcome

__all__ = ["BatchQueue", "Request"]

_ROUNDS = 5  # of the loop in which nothing new comes: whoever was about to ask has asked by then
_AROUND = 160  # bytes around a request in its batch, more than either interface needs


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A request, and who waits for it.

    Attributes:
        key: What it stands for.
        body: As it goes over the wire.
        outcome: What became of it.
    """

    key: str
    body: bytes
    outcome: asyncio.Future[Outcome]

    @property
    def size(self) -> int:
        """Bytes in its batch."""
        return len(self.body) + _AROUND


class BatchQueue:
    """Requests in the order in which they came.

    They are due when a batch is full, or when nobody is left who might ask for more: no pipeline is being
    asked (:meth:`asking`), and nothing new has come for a while. Waiting too briefly costs a further, smaller
    batch and nothing else.

    Args:
        limits: Of one batch.
        settle_s: Seconds without anything new.
    """

    def __init__(self, limits: BatchLimits, settle_s: float) -> None:
        self.limits = limits
        self._settle_s = settle_s
        self._waiting: deque[Request] = deque()
        self._size = 0
        self._came = 0
        self._asking = 0
        self._changed = asyncio.Event()

    def put(self, request: Request) -> None:
        """Have ``request`` wait."""
        self._waiting.append(request)
        self._size += request.size
        self._came += 1
        self._changed.set()

    def fail(self, why: Callable[[], Exception]) -> None:
        """Whoever waits gets an exception."""
        for request in self._waiting:
            if not request.outcome.done():
                request.outcome.set_exception(why())
        self._waiting.clear()
        self._size = 0

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Something that may lead to further requests is going on."""
        self._asking += 1
        try:
            yield
        finally:
            self._asking -= 1
            self._changed.set()

    async def due(self) -> Sequence[Request]:
        """Wait until a batch should go, and take it out."""
        while True:
            if self._is_full():
                return self._take()
            if not self._waiting or self._asking:
                self._changed.clear()
                await self._changed.wait()
            elif await self._is_quiet() and (batch := self._take()):
                return batch

    async def _is_quiet(self) -> bool:
        came = self._came
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._settle_s):
                while self._came == came and not self._asking:
                    self._changed.clear()
                    await self._changed.wait()
        for _ in range(_ROUNDS):
            await asyncio.sleep(0)
        return self._came == came and not self._asking

    def _is_full(self) -> bool:
        return len(self._waiting) >= self.limits.requests or self._size >= self.limits.size

    def _take(self) -> list[Request]:
        """As many as one batch holds; at least one, whatever its size. Those nobody waits for any more are dropped."""
        batch: list[Request] = []
        size = 0
        while self._waiting and len(batch) < self.limits.requests:
            request = self._waiting[0]
            if batch and size + request.size > self.limits.size:
                break
            self._waiting.popleft()
            self._size -= request.size
            if not request.outcome.done():
                batch.append(request)
                size += request.size
        return batch
