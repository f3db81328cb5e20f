"""How much a provider lets wait at a time, found out by trying: it says only that something was too much."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from muffakir_eval.judges.batch.patience import BatchPolicy
from muffakir_eval.judges.batch.queue import BatchQueue

__all__ = ["Room"]

_LONGEST_S = 3600.0  # between two tries to send where there is no room: each takes the whole batch on its way


class Room:
    """When the next batch may go, and how large it may be.

    After a refusal one batch goes at a time, of half the size; after every batch that ends, of twice the size.

    Args:
        queue: Where the requests wait.
        policy: How batches are made and followed.
    """

    def __init__(self, queue: BatchQueue, policy: BatchPolicy) -> None:
        self._queue = queue
        self._policy = policy
        self._moved = asyncio.Event()
        self._crowded = self._scarce = False
        self._wait_s = policy.poll_s
        self._none_since: float | None = None

    async def wait(self, going: Callable[[], bool]) -> None:
        """Wait where the provider has said that it has enough.

        Args:
            going: Whether a batch of ours is worked on.
        """
        while self._crowded or (self._scarce and going()):
            self._crowded = False
            self._moved.clear()
            try:
                async with asyncio.timeout(self._wait_s):
                    await self._moved.wait()
            except TimeoutError:
                self._wait_s = min(2 * self._wait_s, max(_LONGEST_S, self._policy.poll_s))
                return

    def refused(self, count: int, *, others: bool) -> str | None:
        """A batch has found no room; how its requests go on, ``None`` where there is no hope for them.

        Args:
            count: Requests in it.
            others: There are further batches of ours that are worked on, and that take room.
        """
        if not others and count == 1 and not self._may_wait():
            return None
        self._scarce = True
        self._crowded = others or count == 1  # where one request finds no room, something else of the account takes it
        if self._crowded:
            return "is sent again later"
        self._queue.limits = replace(self._queue.limits, requests=(count + 1) // 2)
        return "is sent again in smaller parts"

    def ended(self) -> None:
        """A batch has ended: larger ones may go again."""
        most, limits = self._policy.limits.requests, self._queue.limits
        self._queue.limits = replace(limits, requests=min(2 * limits.requests, most))
        self._scarce = self._queue.limits.requests < most
        self._wait_s, self._none_since = self._policy.poll_s, None

    def moved(self) -> None:
        """It may be known by now whether there is room."""
        self._moved.set()

    def _may_wait(self) -> bool:
        """Whether the first refusal after the last end is not too long ago."""
        now = asyncio.get_running_loop().time()
        if self._none_since is None:
            self._none_since = now
        return now - self._none_since < self._policy.poll_patience_s
