"""Blocking calls in a thread that may be left behind."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
import time
from collections.abc import Coroutine
from typing import Any

import pytest

from muffakir_eval.threads import CallThread


def test_calls_share_one_thread_that_is_not_the_caller() -> None:
    async def main() -> tuple[int, int]:
        thread = CallThread()
        try:
            return await thread.run(threading.get_ident), await thread.run(threading.get_ident)
        finally:
            thread.close()

    first, second = asyncio.run(main())
    assert first == second != threading.get_ident()


def test_an_exception_comes_back_and_the_thread_goes_on() -> None:
    def fail() -> None:
        raise LookupError("nothing")

    async def main() -> str:
        thread = CallThread()
        with pytest.raises(LookupError, match="nothing"):
            await thread.run(fail)
        try:
            return await thread.run(lambda: "next")
        finally:
            thread.close()

    assert asyncio.run(main()) == "next"


@pytest.mark.parametrize("raised", [StopIteration(4), GeneratorExit(), asyncio.CancelledError("mine")])
def test_what_would_mean_something_else_to_the_waiting_coroutine_comes_back_as_an_error(
    raised: BaseException,
) -> None:
    def fail() -> None:
        raise raised

    async def main() -> None:
        thread = CallThread()
        with pytest.raises(RuntimeError, match=type(raised).__name__):
            await thread.run(fail)
        assert await thread.run(lambda: "next") == "next"
        thread.close()

    asyncio.run(asyncio.wait_for(main(), 10))


def test_a_coroutine_that_comes_too_late_is_closed() -> None:
    made: list[Coroutine[Any, Any, None]] = []

    async def late() -> None:
        raise AssertionError("nobody waits any more")

    def slow() -> None:
        time.sleep(0.1)
        made.append(late())
        return made[0]  # type: ignore[return-value]

    async def main() -> None:
        thread = CallThread()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await thread.run(slow)
        for _ in range(500):
            await asyncio.sleep(0.01)
            if made and inspect.getcoroutinestate(made[0]) == inspect.CORO_CLOSED:
                break
        else:
            pytest.fail("it would warn that it was never awaited")

    asyncio.run(main())


def test_a_stuck_call_is_left_behind_and_the_next_one_works() -> None:
    release = threading.Event()

    async def main() -> str:
        thread = CallThread()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await thread.run(release.wait)
        try:
            return await thread.run(lambda: "next")
        finally:
            release.set()
            thread.close()

    assert asyncio.run(main()) == "next"


def test_context_variables_reach_the_call() -> None:
    name: contextvars.ContextVar[str] = contextvars.ContextVar("name", default="unset")

    async def main() -> str:
        name.set("question 7")
        thread = CallThread()
        try:
            return await thread.run(name.get)
        finally:
            thread.close()

    assert asyncio.run(main()) == "question 7"


def test_a_call_that_outlives_its_loop_is_harmless() -> None:
    done = threading.Event()

    def slow() -> None:
        time.sleep(0.2)
        done.set()

    async def main() -> None:
        thread = CallThread()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await thread.run(slow)

    asyncio.run(main())
    assert done.wait(5)
