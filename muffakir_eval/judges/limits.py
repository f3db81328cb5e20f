"""How many calls run at once and per minute, and a pause that holds for all of them."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

__all__ = ["Call", "Limiter", "TokenBucket"]

_SLACK = 1e-6  # of one unit: rounding must not keep a waiter waiting for nothing


class TokenBucket:
    """An allowance per minute that fills steadily and holds one second's worth, at least 1.

    Something larger than the bucket goes when the bucket is full, and leaves it in debt. So within
    any minute no more is taken than ``per_minute`` plus one second's worth plus one request.

    >>> bucket = TokenBucket(60.0)
    >>> bucket.take(1, now=0.0)
    >>> bucket.wait_s(1, now=0.25)
    0.75
    """

    def __init__(self, per_minute: float) -> None:
        self._rate = per_minute / 60.0
        self.capacity = max(1.0, self._rate)
        self._balance = self.capacity
        self._at = -math.inf

    def wait_s(self, amount: float, now: float) -> float:
        """Seconds until ``amount`` may be taken; 0 is now."""
        missing = min(amount, self.capacity) - self._filled(now)
        return missing / self._rate if missing > _SLACK else 0.0

    def take(self, amount: float, now: float) -> None:
        """Take ``amount``; a negative one is given back."""
        self._balance = min(self.capacity, self._filled(now) - amount)
        self._at = max(now, self._at)

    def _filled(self, now: float) -> float:
        if now <= self._at:  # also where another event loop counts from elsewhere
            return self._balance
        return min(self.capacity, self._balance + (now - self._at) * self._rate)


@dataclass(slots=True)
class Call:
    """A call that was let through.

    Attributes:
        tokens: What it was estimated to take; set it to what it took.
        succeeded: Set it where the server answered.
    """

    tokens: float
    succeeded: bool = False


@dataclass(frozen=True, slots=True)
class _Waiting:
    let_through: asyncio.Future[None]
    tokens: float


class Limiter:
    """Lets asks and calls through in the order in which they came.

    An ask has a *place* from its first call to its last; a *call* also waits for the allowances per
    minute and for the end of a pause. After a pause only half as many calls run at once as before;
    every answer lets that number grow again, by about one per round. Whoever is cancelled while
    waiting leaves nothing taken.

    Time is that of the running event loop. One loop at a time may use a limiter.

    Args:
        max_concurrency: Places.
        requests_per_minute: ``None`` is no limit.
        tokens_per_minute: Estimated before a call, corrected after it; ``None`` is no limit.
    """

    def __init__(
        self,
        *,
        max_concurrency: int = 16,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
    ) -> None:
        self.max_concurrency = max_concurrency
        self._requests = None if requests_per_minute is None else TokenBucket(requests_per_minute)
        self._tokens = None if tokens_per_minute is None else TokenBucket(tokens_per_minute)
        self._asks = 0
        self._calls = 0
        self._at_once = float(max_concurrency)
        self._closed_until = -math.inf
        self._waiting_asks: deque[asyncio.Future[None]] = deque()
        self._waiting_calls: deque[_Waiting] = deque()
        self._sleepers: set[asyncio.Future[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._why_stopped: Callable[[], Exception] | None = None

    @contextlib.asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for a place and keep it for the block.

        Raises:
            Exception: What :meth:`stop` was given.
        """
        self.check()
        if self._asks < self.max_concurrency and not self._waiting_asks:
            self._asks += 1
        else:
            future = asyncio.get_running_loop().create_future()
            self._waiting_asks.append(future)
            try:
                await future
            except BaseException:
                if _was_let_through(future):
                    self._leave()
                raise
        try:
            yield
        finally:
            self._leave()

    @contextlib.asynccontextmanager
    async def call(self, tokens: float, deadline: float | None = None) -> AsyncIterator[Call | None]:
        """Wait until a call may be made, and count it as running for the block.

        Args:
            tokens: What it will probably take.
            deadline: Time of the loop until which to wait; after it the block gets ``None``.

        Raises:
            Exception: What :meth:`stop` was given.
        """
        if not await self._admitted(tokens, deadline):
            yield None
            return
        call = Call(tokens)
        try:
            yield call
        finally:
            self._calls -= 1
            if self._tokens is not None:
                self._tokens.take(call.tokens - tokens, _now())
            if call.succeeded:
                self._at_once = min(self.max_concurrency, self._at_once + 1 / self._at_once)
            self._pump()

    def pause(self, seconds: float) -> bool:
        """Let no call through for ``seconds``; calls that are running run on.

        Returns:
            Whether a pause begins; ``False`` where one was on already, which can only grow longer.
        """
        now = _now()
        begins = self._closed_until <= now
        if begins:
            self._at_once = max(1.0, self._at_once / 2)
        self._closed_until = max(self._closed_until, now + seconds)
        return begins

    async def sleep(self, seconds: float) -> None:
        """Wait, unless :meth:`stop` ends it.

        Raises:
            Exception: What :meth:`stop` was given.
        """
        self.check()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        timer = loop.call_later(seconds, _let_through, future)
        self._sleepers.add(future)
        try:
            await future
        finally:
            timer.cancel()
            self._sleepers.discard(future)

    def stop(self, why: Callable[[], Exception]) -> None:
        """Let nothing through any more: whoever waits or comes gets the exception that ``why`` makes."""
        if self._why_stopped is not None:
            return
        self._why_stopped = why
        waiting = [*self._waiting_asks, *(entry.let_through for entry in self._waiting_calls), *self._sleepers]
        self._waiting_asks.clear()
        self._waiting_calls.clear()
        self._pump()
        for future in waiting:
            if not future.done():
                future.set_exception(why())

    def check(self) -> None:
        """Raise what :meth:`stop` was given, if it was called.

        Raises:
            Exception: What :meth:`stop` was given.
        """
        if self._why_stopped is not None:
            raise self._why_stopped()

    def _leave(self) -> None:
        self._asks -= 1
        while self._waiting_asks and self._asks < self.max_concurrency:
            if _let_through(self._waiting_asks.popleft()):
                self._asks += 1

    async def _admitted(self, tokens: float, deadline: float | None) -> bool:
        self.check()
        entry = _Waiting(asyncio.get_running_loop().create_future(), tokens)
        self._waiting_calls.append(entry)
        self._pump()
        if entry.let_through.done():
            return True  # without giving way to other tasks
        try:
            async with asyncio.timeout_at(deadline):
                await entry.let_through
        except BaseException as error:
            if _was_let_through(entry.let_through):
                self._give_back(tokens)
            self._pump()  # whoever stands behind may need less
            if isinstance(error, TimeoutError):
                return False
            raise
        return True

    def _give_back(self, tokens: float) -> None:
        self._calls -= 1
        for bucket, amount in ((self._requests, 1.0), (self._tokens, tokens)):
            if bucket is not None:
                bucket.take(-amount, _now())

    def _pump(self) -> None:
        """Let through whoever may go, and come back when the next one may."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._waiting_calls:
            entry = self._waiting_calls[0]
            if not entry.let_through.done():
                wait = self._wait_s(entry.tokens)
                if wait > 0:
                    if math.isfinite(wait):
                        self._timer = asyncio.get_running_loop().call_later(wait, self._pump)
                    return
                self._take(entry.tokens)
                entry.let_through.set_result(None)
            self._waiting_calls.popleft()

    def _wait_s(self, tokens: float) -> float:
        if self._calls >= int(self._at_once):
            return math.inf  # the end of a call lets the next one through
        now = _now()
        wait = self._closed_until - now
        for bucket, amount in ((self._requests, 1.0), (self._tokens, tokens)):
            if bucket is not None:
                wait = max(wait, bucket.wait_s(amount, now))
        return wait

    def _take(self, tokens: float) -> None:
        self._calls += 1
        for bucket, amount in ((self._requests, 1.0), (self._tokens, tokens)):
            if bucket is not None:
                bucket.take(amount, _now())


def _now() -> float:
    return asyncio.get_running_loop().time()


def _let_through(future: asyncio.Future[None]) -> bool:
    """Wake whoever waits; ``False`` where nobody does any more."""
    if future.done():
        return False
    future.set_result(None)
    return True


def _was_let_through(future: asyncio.Future[None]) -> bool:
    """Whether a waiter that was cancelled had been given what it waited for in the same moment."""
    return future.done() and not future.cancelled() and future.exception() is None
