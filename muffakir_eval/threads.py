"""A thread that runs blocking calls for a coroutine, and that may be left behind."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["CallThread"]

T = TypeVar("T")

_MEAN_SOMETHING_ELSE = (StopIteration, GeneratorExit, asyncio.CancelledError)
"""A future cannot carry these, or whoever waits would take them for orders to itself."""


class CallThread:
    """One daemon thread, so that what the user's code keeps per thread lives from call to call.

    A call that never returns cannot be stopped from outside: after a time-out the thread is left
    behind, and the next call starts a new one. It never keeps the process alive.
    """

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Callable[[], None] | None] | None = None

    async def run(self, function: Callable[[], T]) -> T:
        """Call ``function`` in the thread, within the caller's context variables."""
        if self._calls is None:
            self._calls = queue.SimpleQueue()
            threading.Thread(target=_serve, args=(self._calls,), name="muffakir-eval-pipeline", daemon=True).start()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        context = contextvars.copy_context()
        self._calls.put(lambda: _call(loop, future, context, function))
        try:
            return await future
        except asyncio.CancelledError:
            self.close()  # it may be stuck
            raise

    def close(self) -> None:
        """Let the thread end once its call has returned."""
        if self._calls is not None:
            self._calls.put(None)
            self._calls = None


def _serve(calls: queue.SimpleQueue[Callable[[], None] | None]) -> None:
    while (call := calls.get()) is not None:
        call()


def _call(
    loop: asyncio.AbstractEventLoop, future: asyncio.Future[T], context: contextvars.Context, function: Callable[[], T]
) -> None:
    value: Any = None
    raised: BaseException | None = None
    try:
        value = context.run(function)
    except BaseException as error:  # noqa: BLE001 - handed to the coroutine that waits
        raised = error

    def tell() -> None:
        if future.done():  # given up
            if inspect.iscoroutine(value):
                value.close()
        elif raised is None:
            future.set_result(value)
        elif isinstance(raised, _MEAN_SOMETHING_ELSE):
            future.set_exception(RuntimeError(repr(raised)))
        else:
            future.set_exception(raised)

    with contextlib.suppress(RuntimeError):  # the loop is gone: nobody waits
        loop.call_soon_threadsafe(tell)
