"""The one synchronous door to the asynchronous core.

Coroutines run on a private event loop in a background thread that lives as long as the process. So
the synchronous methods work in a script, in Jupyter and inside a running loop, and an asynchronous
client of the user's that keeps connections open meets the same loop at every call.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

__all__ = ["run_sync"]

T = TypeVar("T")

_GLANCE_S = 1.0
_PATIENCE_S = 30.0
"""For putting things in order after Ctrl-C."""


class _PrivateLoop:
    def __init__(self) -> None:
        self.pid = os.getpid()
        self.loop = asyncio.new_event_loop()
        self._stopping = False
        self._thread = threading.Thread(target=self._serve, name="muffakir-eval-loop", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        asyncio.set_event_loop(self.loop)
        while not self._stopping:
            # A task that raises one of these has handed it on already; it must not end the loop.
            with contextlib.suppress(SystemExit, KeyboardInterrupt):
                self.loop.run_forever()
        self.loop.close()

    def stop(self) -> None:
        self._stopping = True
        self.loop.set_exception_handler(_nothing_to_say)
        if self.pid == os.getpid() and self._thread.is_alive():
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join(timeout=1.0)

    def holds_this_thread(self) -> bool:
        return threading.current_thread() is self._thread


def _nothing_to_say(*_: object) -> None:
    """A job that did not end in time was given up; the user knows, who pressed Ctrl-C twice."""


_lock = threading.Lock()
_private: _PrivateLoop | None = None


def _private_loop() -> _PrivateLoop:
    global _private  # noqa: PLW0603 - one loop for the process, made on first use
    with _lock:
        if _private is None or _private.pid != os.getpid():  # a fork has no threads
            _private = _PrivateLoop()
            atexit.register(_private.stop)
        return _private


class _Job(Generic[T]):
    """One coroutine on the private loop.

    The caller waits on a bare lock: an interruption leaves nothing behind that the loop would wait for,
    as it may inside the waiting of a future or an event.
    """

    def __init__(self, make: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self._make = make
        self._running = threading.Lock()
        self._running.acquire()
        self._task: asyncio.Task[None] | None = None
        self._ended = False
        self._value: T | None = None
        self.error: BaseException | None = None

    def start(self) -> None:
        """Begin; called on the loop."""
        self._task = asyncio.get_running_loop().create_task(self._run())
        self._task.add_done_callback(self._over)  # also where it is cancelled before its first step

    def cancel(self) -> None:
        """Ask the coroutine to end; called on the loop."""
        if self._task is not None:
            self._task.cancel()
        else:  # interrupted before it could be asked to begin
            self._end(asyncio.CancelledError())

    async def _run(self) -> None:
        try:
            self._value = await self._make()
        except BaseException as error:  # noqa: BLE001 - handed to the caller
            self.error = error

    def _over(self, task: asyncio.Task[None]) -> None:
        self._end(asyncio.CancelledError() if task.cancelled() else self.error)

    def _end(self, error: BaseException | None) -> None:
        self.error = error
        self._ended = True
        self._running.release()

    def has_ended(self, within_s: float) -> bool:
        """Wait so long at the most."""
        # An interruption may fall between getting the lock and saying so: then it is never free again.
        return self._ended or self._running.acquire(timeout=within_s)

    def result(self) -> T:
        """What the coroutine returned, or raised."""
        if self.error is not None:
            raise self.error
        return self._value  # type: ignore[return-value]


def run_sync(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run the coroutine that ``make`` returns, and wait for it.

    Ctrl-C cancels the coroutine, waits until it has put things in order, and is raised again with the
    notes of the cancellation; a second Ctrl-C ends the waiting.

    Raises:
        RuntimeError: Called from inside a coroutine that already runs on the private loop.

    >>> async def double(x: int) -> int:
    ...     return 2 * x
    >>> run_sync(lambda: double(21))
    42
    """
    private = _private_loop()
    if private.holds_this_thread():
        raise RuntimeError("the synchronous method was called from inside an evaluation: await the asynchronous one")
    job = _Job(make)
    try:
        private.loop.call_soon_threadsafe(job.start)
        while not job.has_ended(_GLANCE_S):  # some systems deliver no Ctrl-C to a wait without an end
            continue
    except KeyboardInterrupt as interrupt:
        private.loop.call_soon_threadsafe(job.cancel)
        _wait_for_cleanup(private, job)
        for text in getattr(job.error, "__notes__", ()):
            interrupt.add_note(text)
        raise
    return job.result()


def _wait_for_cleanup(private: _PrivateLoop, job: _Job[Any]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not job.has_ended(_GLANCE_S) and time.monotonic() < deadline:
        private.loop.call_soon_threadsafe(lambda: None)  # it may have missed being woken
