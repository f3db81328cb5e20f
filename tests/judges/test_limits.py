"""Limits: how many at once, how many per minute, pauses, and nobody forgotten."""

from __future__ import annotations

import asyncio
import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.judges.limits import Limiter, TokenBucket
from tests.judges.virtual_time import now, run_virtual


async def call(limiter: Limiter, lasts: float = 0.0, tokens: float = 1.0) -> float:
    """One ask of one call; when it was let through."""
    async with limiter.place(), limiter.call(tokens) as let_through:
        assert let_through is not None
        started = now()
        await asyncio.sleep(lasts)
        let_through.succeeded = True
    return started


async def calls(limiter: Limiter, number: int, lasts: float = 0.0, tokens: float = 1.0) -> list[float]:
    return await asyncio.gather(*(call(limiter, lasts, tokens) for _ in range(number)))


# --- the bucket ---


def test_a_bucket_is_full_at_first_and_fills_steadily() -> None:
    bucket = TokenBucket(120.0)  # two a second
    for _ in range(2):
        assert bucket.wait_s(1, now=7.0) == 0.0
        bucket.take(1, now=7.0)
    assert bucket.wait_s(1, now=7.0) == pytest.approx(0.5)
    assert bucket.wait_s(1, now=7.5) == 0.0
    assert bucket.wait_s(2, now=1000.0) == 0.0
    bucket.take(2, now=1000.0)
    assert bucket.wait_s(1, now=1000.0) == pytest.approx(0.5)  # it never holds more than a second's worth


def test_a_slow_bucket_holds_one() -> None:
    bucket = TokenBucket(6.0)
    bucket.take(1, now=0.0)
    assert bucket.wait_s(1, now=0.0) == pytest.approx(10.0)


def test_more_than_the_bucket_holds_leaves_it_in_debt() -> None:
    bucket = TokenBucket(600.0)  # ten a second
    assert bucket.wait_s(3000, now=0.0) == 0.0
    bucket.take(3000, now=0.0)
    assert bucket.wait_s(10, now=0.0) == pytest.approx(300.0)


def test_what_is_given_back_can_be_taken_again() -> None:
    bucket = TokenBucket(60.0)
    bucket.take(1, now=0.0)
    bucket.take(-1, now=0.0)
    assert bucket.wait_s(1, now=0.0) == 0.0
    bucket.take(-50, now=0.0)  # but never more than it holds
    bucket.take(1, now=0.0)
    assert bucket.wait_s(1, now=0.0) == pytest.approx(1.0)


def test_a_clock_that_stands_behind_fills_nothing() -> None:
    bucket = TokenBucket(60.0)
    bucket.take(1, now=100.0)
    assert bucket.wait_s(1, now=3.0) == pytest.approx(1.0)


@given(
    st.floats(1.0, 1e6),
    st.lists(st.tuples(st.floats(0.0, 90.0), st.floats(0.0, 5000.0)), min_size=1, max_size=40),
)
@settings(max_examples=150, deadline=None)
def test_no_minute_takes_more_than_allowed(per_minute: float, steps: list[tuple[float, float]]) -> None:
    bucket = TokenBucket(per_minute)
    at = 0.0
    taken: list[tuple[float, float]] = []
    for pause, amount in steps:
        at += pause
        at += bucket.wait_s(amount, at)
        assert bucket.wait_s(amount, at + 1e-6) == 0.0  # the wait that it names is enough
        bucket.take(amount, at)
        taken.append((at, amount))
    for index, (start, _) in enumerate(taken):
        within = [amount for moment, amount in taken[index:] if moment - start <= 60.0]
        allowed = per_minute + bucket.capacity + within[-1]
        assert sum(within) <= allowed * (1 + 1e-6) + 1e-3


# --- places and allowances ---


def test_so_many_at_once_in_the_order_of_coming() -> None:
    assert run_virtual(calls(Limiter(max_concurrency=2), 5, lasts=1.0)) == [0.0, 0.0, 1.0, 1.0, 2.0]


def test_requests_per_minute() -> None:
    starts = run_virtual(calls(Limiter(max_concurrency=50, requests_per_minute=30), 5))
    assert starts == pytest.approx([0.0, 2.0, 4.0, 6.0, 8.0])


def test_tokens_per_minute_are_corrected_after_the_call() -> None:
    async def main() -> list[float]:
        limiter = Limiter(tokens_per_minute=6000)  # a hundred a second
        starts = []
        for took in (100.0, 1100.0, 0.0, 100.0):
            async with limiter.call(100.0) as let_through:
                assert let_through is not None
                let_through.tokens = took
                starts.append(now())
        return starts

    # The second took 1,000 more than it said; the third, nothing at all.
    assert run_virtual(main()) == pytest.approx([0.0, 1.0, 12.0, 12.0])


def test_both_allowances_hold() -> None:
    limiter = Limiter(requests_per_minute=60, tokens_per_minute=600)
    assert run_virtual(calls(limiter, 3, tokens=50.0)) == pytest.approx([0.0, 5.0, 10.0])


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.integers(1, 4), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_never_more_at_once_whoever_is_cancelled(durations: list[int], places: int, seed: int) -> None:
    rng = random.Random(seed)
    running = peak = 0
    limiter = Limiter(max_concurrency=places, requests_per_minute=rng.choice([None, 60.0, 600.0]))

    async def one(lasts: int) -> None:
        nonlocal running, peak
        async with limiter.place(), limiter.call(1.0):
            running += 1
            peak = max(peak, running)
            try:
                await asyncio.sleep(lasts)
            finally:
                running -= 1

    async def main() -> list[float]:
        tasks = [asyncio.create_task(one(lasts)) for lasts in durations]
        for _ in range(rng.randrange(4)):
            await asyncio.sleep(rng.choice([0, 0, 0.5, 1.0]))
            tasks[rng.randrange(len(tasks))].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(10)
        began = now()
        return [start - began for start in await calls(limiter, places, lasts=1.0)]

    starts = run_virtual(main())
    assert peak <= places
    assert running == 0
    assert starts[0] == pytest.approx(0.0)  # nothing is left taken
    assert len(starts) == places


# --- cancelled while waiting ---


def test_a_cancelled_waiter_for_a_place_takes_none() -> None:
    async def main() -> float:
        limiter = Limiter(max_concurrency=1)
        first = asyncio.create_task(call(limiter, lasts=5.0))
        second = asyncio.create_task(call(limiter))
        third = asyncio.create_task(call(limiter))
        await asyncio.sleep(1)
        second.cancel()
        await first
        return await third

    assert run_virtual(main()) == 5.0


def test_cancelled_in_the_moment_of_getting_a_place() -> None:
    async def main() -> float:
        limiter = Limiter(max_concurrency=1)
        entered = asyncio.Event()
        leave = asyncio.Event()

        async def holder() -> None:
            async with limiter.place():
                entered.set()
                await leave.wait()

        first = asyncio.create_task(holder())
        await entered.wait()
        second = asyncio.create_task(call(limiter))
        third = asyncio.create_task(call(limiter))
        await asyncio.sleep(1)
        leave.set()
        await asyncio.sleep(0)  # the holder leaves: the second has the place and has not woken
        second.cancel()
        await first
        assert (await asyncio.gather(second, return_exceptions=True))[0].__class__ is asyncio.CancelledError
        return await third

    assert run_virtual(main()) == 1.0


def test_cancelled_in_the_moment_of_being_let_through_gives_the_allowance_back() -> None:
    async def main() -> float:
        limiter = Limiter(requests_per_minute=60, tokens_per_minute=60)
        await call(limiter)
        second = asyncio.create_task(call(limiter))
        third = asyncio.create_task(call(limiter))
        await asyncio.sleep(0)
        # In the same turn of the loop as the timer of the limiter, and after it.
        asyncio.get_running_loop().call_later(1.0 + 5e-13, second.cancel)
        with pytest.raises(asyncio.CancelledError):
            await second
        return await third

    assert run_virtual(main()) == pytest.approx(1.0)


def test_a_cancelled_head_does_not_hold_up_a_smaller_call() -> None:
    async def main() -> float:
        limiter = Limiter(tokens_per_minute=6000)
        await call(limiter, tokens=100.0)
        big = asyncio.create_task(call(limiter, tokens=100.0))
        small = asyncio.create_task(call(limiter, tokens=10.0))
        await asyncio.sleep(0.5)
        big.cancel()
        return await small

    assert run_virtual(main()) == pytest.approx(0.5)


def test_a_deadline_ends_the_waiting() -> None:
    async def main() -> tuple[float, float]:
        limiter = Limiter(requests_per_minute=6)
        await call(limiter)
        async with limiter.call(1.0, deadline=asyncio.get_running_loop().time() + 4) as let_through:
            assert let_through is None
            gave_up = now()
        return gave_up, await call(limiter)

    assert run_virtual(main()) == (4.0, 10.0)


# --- pauses ---


def test_a_pause_holds_for_all() -> None:
    async def main() -> list[float]:
        limiter = Limiter(max_concurrency=4)
        assert limiter.pause(3.0)
        assert not limiter.pause(7.0)  # it only grows longer
        assert not limiter.pause(1.0)
        return await calls(limiter, 2)

    assert run_virtual(main()) == [7.0, 7.0]


def test_a_pause_that_begins_while_others_wait_holds_for_them_too() -> None:
    async def main() -> list[float]:
        limiter = Limiter(max_concurrency=4, requests_per_minute=60)
        await call(limiter)
        waiting = asyncio.create_task(calls(limiter, 2))
        await asyncio.sleep(0.5)
        limiter.pause(9.0)
        return await waiting

    assert run_virtual(main()) == pytest.approx([9.5, 10.5])


def test_after_a_pause_half_as_many_run_and_answers_bring_the_rest_back() -> None:
    async def main() -> list[float]:
        limiter = Limiter(max_concurrency=4)
        limiter.pause(1.0)
        return await calls(limiter, 12, lasts=1.0)

    starts = run_virtual(main())
    assert [starts.count(1.0 + second) for second in range(4)] == [2, 2, 3, 4]
    assert all(one <= other for one, other in pairwise(starts))


# --- the end ---


def test_stop_releases_everybody_and_lets_nobody_in() -> None:
    async def main() -> list[object]:
        limiter = Limiter(max_concurrency=2, requests_per_minute=1)
        tasks = [asyncio.create_task(call(limiter, lasts=5.0)) for _ in range(4)]
        tasks.append(asyncio.create_task(slept(limiter)))
        await asyncio.sleep(1)
        tasks[3].cancel()
        limiter.stop(lambda: LookupError("stop"))
        limiter.stop(lambda: ValueError("another reason comes too late"))
        assert now() == 1.0
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        for entering in (call(limiter), slept(limiter)):
            with pytest.raises(LookupError):
                await entering
        with pytest.raises(LookupError):
            async with limiter.call(1.0):
                pass
        return [*ended]

    async def slept(limiter: Limiter) -> float:
        await limiter.sleep(100.0)
        return now()

    running, *released, cancelled, sleeper = run_virtual(main())
    assert running == 0.0  # what runs may end
    assert [str(error) for error in [*released, sleeper]] == ["stop"] * 3
    assert isinstance(cancelled, asyncio.CancelledError)


def test_sleep() -> None:
    async def main() -> float:
        await Limiter().sleep(100.0)
        return now()

    assert run_virtual(main()) == 100.0


def test_one_loop_after_another() -> None:
    limiter = Limiter(max_concurrency=1, requests_per_minute=60)
    assert run_virtual(calls(limiter, 2)) == [0.0, 1.0]
    assert len(run_virtual(calls(limiter, 2))) == 2
