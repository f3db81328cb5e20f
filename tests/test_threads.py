"""Blocking calls in a thread that may be left behind."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time

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


def test_stop_iteration_does_not_hang() -> None:
    async def main() -> None:
        thread = CallThread()
        with pytest.raises(RuntimeError, match="StopIteration"):
            await thread.run(lambda: next(iter(())))
        thread.close()

    asyncio.run(asyncio.wait_for(main(), 10))


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
