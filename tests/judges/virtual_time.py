"""An event loop whose clock jumps to the next timer as soon as nothing else is to do.

Hours of waiting take no time, and every run takes the same course.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Selector(selectors.DefaultSelector):  # type: ignore[misc,valid-type,unused-ignore]
    """Never waits; the loop is told how long it would have waited."""

    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise AssertionError("deadlock: every task waits for something that will not come")
        self.loop.moment += max(timeout, 0.0)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """Starts at 1000 seconds, so that a forgotten zero is found out."""

    moment = 1000.0

    def __init__(self) -> None:
        selector = _Selector()
        selector.loop = self
        super().__init__(selector)
        self._clock_resolution = 1e-9  # finer steps are lost in the numbers of a clock that has run for days

    def time(self) -> float:
        return self.moment


def run_virtual(main: Coroutine[Any, Any, T]) -> T:
    """As ``asyncio.run``, in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)


def now() -> float:
    """Seconds since the loop began."""
    return asyncio.get_running_loop().time() - VirtualLoop.moment
