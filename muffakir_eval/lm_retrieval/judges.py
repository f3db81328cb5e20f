"""The judges of one evaluator: one for every event loop that it is used on at the same time."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from muffakir_eval.judges.judge import ModelJudge
from muffakir_eval.judges.prices import Meter

__all__ = ["JudgePool"]


@dataclass(slots=True)
class _Seat:
    judge: ModelJudge
    loop: asyncio.AbstractEventLoop | None = None
    users: int = 0


class JudgePool:
    """Hands out judges.

    Calls on one event loop share a judge, and with it its limits. A limiter serves one loop at a time, so a
    call from another loop meanwhile gets a judge of its own. Between calls connections are closed: none
    outlives its loop.

    Args:
        make: Makes a judge that counts with this meter.
        meter: Of all of them together.
    """

    def __init__(self, make: Callable[[Meter], ModelJudge], meter: Meter) -> None:
        self._make = make
        self._seats: list[_Seat] = []
        self._lock = threading.Lock()
        self.meter = meter

    @contextlib.asynccontextmanager
    async def judge(self) -> AsyncIterator[ModelJudge]:
        """A judge for the running loop, for the block."""
        seat = self._take(asyncio.get_running_loop())
        try:
            yield seat.judge
        finally:
            try:
                if self._is_last(seat):
                    await seat.judge.aclose()
            finally:
                self._leave(seat)

    def _take(self, loop: asyncio.AbstractEventLoop) -> _Seat:
        with self._lock:
            self._free_dead()
            seat = next((each for each in self._seats if each.loop is loop), None)
            seat = seat or next((each for each in self._seats if each.users == 0), None)
            if seat is None:
                seat = _Seat(self._make(self.meter))
                self._seats.append(seat)
            seat.loop = loop
            seat.users += 1
            return seat

    def _free_dead(self) -> None:
        """A loop that was closed in the midst of a call has left its place behind."""
        self._seats = [seat for seat in self._seats if seat.loop is None or not seat.loop.is_closed()]

    def _is_last(self, seat: _Seat) -> bool:
        with self._lock:
            return seat.users == 1

    def _leave(self, seat: _Seat) -> None:
        with self._lock:
            seat.users -= 1
            if seat.users == 0:
                seat.loop = None

    def usage(self) -> dict[str, Any]:
        """Calls, tokens and cost of all judges so far."""
        return {**self.meter.total(), "budget_usd": self.meter.budget_usd, "by_metric": self.meter.by_metric()}
