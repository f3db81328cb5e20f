"""The one synchronous door to the asynchronous core.

Coroutines run on a private event loop in a background thread that lives as long as the process. So
the synchronous methods work in a script, in Jupyter and inside a running loop, and an asynchronous
client of the user's that keeps connections open meets the same loop at every call.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextlib
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

__all__ = ["run_sync"]

T = TypeVar("T")

_GLANCE_S = 1.0


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
        if self.pid == os.getpid() and self._thread.is_alive():
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join(timeout=1.0)

    def holds_this_thread(self) -> bool:
        return threading.current_thread() is self._thread


_lock = threading.Lock()
_private: _PrivateLoop | None = None


def _private_loop() -> _PrivateLoop:
    global _private  # noqa: PLW0603 - one loop for the process, made on first use
    with _lock:
        if _private is None or _private.pid != os.getpid():  # a fork has no threads
            _private = _PrivateLoop()
            atexit.register(_private.stop)
        return _private


def run_sync(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run the coroutine that ``make`` returns, and wait for it.

    Ctrl-C cancels the coroutine, waits until it has put things in order, and is raised again.

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
    said: list[str] = []
    future = asyncio.run_coroutine_threadsafe(_with_notes(make(), said), private.loop)
    try:
        while not future.done():  # some systems deliver no Ctrl-C to a wait without an end
            concurrent.futures.wait([future], timeout=_GLANCE_S)
        return future.result()
    except KeyboardInterrupt as interrupt:
        future.cancel()
        _wait_for_cleanup(private)
        for text in said:
            interrupt.add_note(text)
        raise


async def _with_notes(work: Coroutine[Any, Any, T], said: list[str]) -> T:
    """Run ``work``; what the exception of an interrupted one has to say is not lost with it."""
    try:
        return await work
    except asyncio.CancelledError as error:
        said.extend(getattr(error, "__notes__", ()))
        raise


def _wait_for_cleanup(private: _PrivateLoop) -> None:
    """Wait until the cancelled coroutine has ended; a second Ctrl-C stops the waiting."""

    async def others() -> None:
        current = asyncio.current_task()
        tasks = [task for task in asyncio.all_tasks() if task is not current and task.cancelling()]
        if tasks:
            await asyncio.wait(tasks, timeout=30.0)

    done: concurrent.futures.Future[None] = asyncio.run_coroutine_threadsafe(others(), private.loop)
    while not done.done():
        concurrent.futures.wait([done], timeout=_GLANCE_S)
