"""A batch that is worked on, and who waits for which of its outcomes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from muffakir_eval.judges.batch.carrier import Outcome
from muffakir_eval.judges.batch.journal import Entry

__all__ = ["BatchUnderWay"]


class BatchUnderWay:
    """A batch whose outcomes are not all handed out."""

    def __init__(
        self, entry: Entry, waiting: Mapping[int, asyncio.Future[Outcome]] | None = None, *, earlier: bool = False
    ) -> None:
        self.entry = entry
        self.earlier = earlier
        """It was sent by an earlier part of the run."""
        self.task: asyncio.Task[None] | None = None
        self.left: Outcome | None = None
        """What became of whatever has no outcome of its own; ``None`` until that is known."""
        self._waiting = dict(waiting or {})
        self._outcomes: dict[int, Outcome] = {}
        self._known = bytearray(len(entry.keys))

    def await_outcome(self, place: int, future: asyncio.Future[Outcome]) -> None:
        """Have ``future`` get the outcome of a request that nobody has asked for yet."""
        known = self._outcomes.pop(place, self.left)
        if known is None:
            self._waiting[place] = future
        else:
            future.set_result(known)

    @property
    def n_left(self) -> int:
        """Requests of which it is not known what became of them."""
        return self._known.count(0)

    def put(self, place: int, outcome: Outcome) -> None:
        """Note what became of a request; the first word counts."""
        if self._known[place]:
            return
        self._known[place] = 1
        future = self._waiting.pop(place, None)
        if future is None:
            self._outcomes[place] = outcome
        elif not future.done():
            future.set_result(outcome)

    def settle(self, left: Outcome) -> None:
        """Whatever has no outcome yet has this one."""
        self.left = left
        for place in list(self._waiting):
            self.put(place, left)

    def fail(self, why: Callable[[], Exception]) -> None:
        """Whoever waits gets an exception."""
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(why())
        self._waiting.clear()
