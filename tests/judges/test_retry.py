"""Retries: who waits, how long, and when it is enough."""

from __future__ import annotations

import math
import random
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.judges.protocol import Fault, ModelError
from muffakir_eval.judges.retry import Outage, Retries, RetryPolicy, failure_reason, is_shared
from muffakir_eval.records import FAILED_REASONS

FAULTS: tuple[Fault, ...] = get_args(Fault)


def error(fault: Fault = "rate_limited", retry_after_s: float | None = None) -> ModelError:
    return ModelError(fault, "slow down", retry_after_s=retry_after_s)


def retries(policy: RetryPolicy | None = None, outage: Outage | None = None) -> Retries:
    return Retries(policy or RetryPolicy(), outage or Outage(), random.Random(0))


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != "rejected_key"])
def test_every_fault_has_a_reason_that_scores_know(fault: Fault) -> None:
    assert failure_reason(fault) in FAILED_REASONS


def test_only_what_is_about_everybody_slows_everybody_down() -> None:
    assert {fault for fault in FAULTS if is_shared(fault)} == {"rate_limited", "overloaded"}


@pytest.mark.parametrize("fault", ["rejected_key", "bad_request", "unknown"])
def test_what_will_not_get_better_is_not_tried_again(fault: Fault) -> None:
    assert retries().wait_s(error(fault), now=0.0) is None


def test_the_back_off_doubles_up_to_its_cap() -> None:
    policy = RetryPolicy(base_s=1.0, cap_s=30.0)
    rng = random.Random(3)
    for failures, longest in ((1, 1.0), (2, 2.0), (3, 4.0), (6, 30.0), (5000, 30.0)):
        waits = [policy.backoff_s(failures, rng) for _ in range(200)]
        assert longest / 2 <= min(waits) < max(waits) <= longest


def test_the_same_seed_waits_the_same() -> None:
    policy = RetryPolicy()
    assert [policy.backoff_s(3, random.Random(5))] * 2 == [policy.backoff_s(3, random.Random(5)) for _ in range(2)]


def test_the_wait_of_the_server_is_honoured() -> None:
    tries = retries(RetryPolicy(base_s=0.5))
    assert tries.wait_s(error(retry_after_s=20.0), now=100.0) == 20.0
    assert tries.deadline == 400.0
    assert tries.wait_s(error(retry_after_s=7.0), now=120.0) == 7.0


def test_a_server_that_says_at_once_every_time_is_not_hammered() -> None:
    tries = retries(RetryPolicy(base_s=0.5))
    waits = [tries.wait_s(error(retry_after_s=0.0), now=0.0) or 0.0 for _ in range(5)]
    assert waits == sorted(waits)
    assert waits[-1] >= 4.0


def test_p40_a_wait_beyond_the_deadline_gives_up_at_once() -> None:
    assert retries(RetryPolicy(deadline_s=300.0)).wait_s(error(retry_after_s=300.0), now=0.0) is None
    tries = retries(RetryPolicy(deadline_s=60.0))
    assert tries.wait_s(error(retry_after_s=40.0), now=0.0) == 40.0
    assert tries.wait_s(error(retry_after_s=20.0), now=40.0) is None  # 20 s are left, of 60 after the first failure


@pytest.mark.parametrize("odd", [math.nan, math.inf])
def test_an_odd_wait_gives_up(odd: float) -> None:
    assert retries().wait_s(error(retry_after_s=odd), now=0.0) is None


def test_no_patience_no_retry() -> None:
    assert retries(RetryPolicy(deadline_s=0.0)).wait_s(error(), now=0.0) is None


def test_few_calls_may_time_out() -> None:
    tries = retries()
    assert tries.wait_s(error("timeout"), now=0.0) is not None
    assert tries.wait_s(error("connection"), now=1.0) is not None
    assert tries.wait_s(error("timeout"), now=2.0) is None


def test_nobody_waits_for_a_server_that_has_been_gone_for_the_whole_deadline() -> None:
    policy, outage = RetryPolicy(deadline_s=100.0), Outage()
    assert retries(policy, outage).wait_s(error("connection"), now=0.0) is not None
    assert retries(policy, outage).wait_s(error("connection"), now=50.0) is not None
    assert retries(policy, outage).wait_s(error("connection"), now=101.0) is None
    outage.answered()
    assert retries(policy, outage).wait_s(error("connection"), now=102.0) is not None


def test_a_refused_request_is_an_answer() -> None:
    policy, outage = RetryPolicy(deadline_s=100.0), Outage()
    retries(policy, outage).wait_s(error("server_error"), now=0.0)
    retries(policy, outage).wait_s(error("unknown"), now=1.0)
    assert outage.since == 0.0
    retries(policy, outage).wait_s(error("bad_request"), now=1.0)
    assert outage.since is None


@given(
    st.lists(st.tuples(st.sampled_from(FAULTS), st.none() | st.floats(0, 400), st.floats(0, 50)), max_size=40),
    st.floats(0, 500),
    st.integers(0, 2**32),
)
@settings(max_examples=150, deadline=None)
def test_waiting_never_reaches_the_deadline(
    failures: list[tuple[Fault, float | None, float]], deadline_s: float, seed: int
) -> None:
    tries = Retries(RetryPolicy(deadline_s=deadline_s), Outage(), random.Random(seed))
    at, first = 1000.0, None
    for fault, retry_after_s, lasted in failures:
        at += lasted
        wait = tries.wait_s(error(fault, retry_after_s), at)
        if fault in {"rejected_key", "bad_request", "unknown"}:
            assert wait is None
            continue
        first = at if first is None else first
        if wait is not None:
            assert wait >= (retry_after_s or 0.0)
            assert wait > 0
            at += wait
            assert at < first + deadline_s
