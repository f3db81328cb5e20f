"""Sums that are exact, whatever the order and the split."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.statistics.moments import Moments
from muffakir_eval.tally.exact import PowerSums, grow

anything = st.floats(allow_nan=False, allow_infinity=False)
moderate = st.floats(-1e6, 1e6)


@given(st.lists(anything, min_size=1, max_size=30))
@settings(max_examples=100, deadline=None)
def test_a_mean_is_the_rounded_sum_over_the_count(values: list[float]) -> None:
    exact = sum(map(Fraction, values), Fraction(0)) / len(values)
    mean = PowerSums(values).mean()
    assert mean is not None
    assert math.isclose(mean, float(exact), rel_tol=1e-15, abs_tol=5e-324)


@given(st.lists(moderate, min_size=1, max_size=30))
@settings(max_examples=100, deadline=None)
def test_moments_are_those_of_exact_arithmetic(values: list[float]) -> None:
    exact = [Fraction(value) for value in values]
    mean = sum(exact, Fraction(0)) / len(exact)
    found = PowerSums(values).moments()
    assert found.second == float(sum(((value - mean) ** 2 for value in exact), Fraction(0)))
    assert found.third == float(sum(((value - mean) ** 3 for value in exact), Fraction(0)))


def test_moments_far_from_zero_lose_nothing() -> None:
    values = [1e9 + 1e-3 * (n % 7) for n in range(1000)]
    near = [value - 1e9 for value in values]
    assert PowerSums(values).moments().second == pytest.approx(Moments.of(near).second, rel=1e-9)


@given(st.lists(moderate, max_size=30), st.data())
@settings(max_examples=60, deadline=None)
def test_parts_merge_into_the_whole(values: list[float], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(values)))
    one, two = PowerSums(values[:cut]), PowerSums(values[cut:])
    two.merge(one)
    whole = PowerSums(values)
    assert (two.n, two.mean(), two.moments()) == (whole.n, whole.mean(), whole.moments())


def test_nothing_has_no_mean_and_a_value_counts_as_often_as_said() -> None:
    assert PowerSums().mean() is None
    assert PowerSums().moments() == Moments()
    often = PowerSums()
    often.add(0.1, 3)
    assert often.moments() == PowerSums([0.1, 0.1, 0.1]).moments()
    assert often.mean(6) == math.fsum([0.1] * 3) / 6


@given(st.lists(st.floats(-1e300, 1e300), max_size=30))
@settings(max_examples=100, deadline=None)
def test_a_growing_sum_is_fsum(values: list[float]) -> None:
    parts: tuple[float, ...] = ()
    for value in values:
        parts = grow(parts, value)
    assert math.fsum(parts) == math.fsum(values)


def test_numpy_agrees() -> None:
    values = np.random.default_rng(0).random(1000)
    moments = Moments.of(values)
    found = PowerSums(values.tolist()).moments()
    assert found.mean == pytest.approx(moments.mean, rel=1e-14)
    assert found.third == pytest.approx(moments.third, rel=1e-10)
