"""Draws of sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.statistics.bootstrap import Interval
from muffakir_eval.statistics.resampling import percentile_interval, resampled_sums


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.mark.parametrize("values", [np.repeat([0.0, 1.0], 50), np.linspace(0, 1, 100)])
def test_sums_of_draws_have_the_mean_and_the_spread_of_a_bootstrap(values: np.ndarray) -> None:
    drawn = resampled_sums(values[:, None], rng=rng(), n_resamples=20_000)[:, 0] / len(values)
    assert drawn.mean() == pytest.approx(values.mean(), abs=0.002)
    assert drawn.std() == pytest.approx(values.std() / np.sqrt(len(values)), rel=0.03)


def test_with_clusters_whole_clusters_are_drawn() -> None:
    rows = np.array([[1.0, 1.0]] * 5 + [[1.0, 0.0]] * 5)
    drawn = resampled_sums(rows, rng=rng(), n_resamples=500, clusters=["a"] * 5 + ["b"] * 5)
    assert {tuple(map(float, row)) for row in drawn} == {(10.0, 10.0), (10.0, 5.0), (10.0, 0.0)}


@given(st.permutations(list(range(12))), st.booleans())
@settings(max_examples=20, deadline=None)
def test_the_order_of_the_units_does_not_matter(order: list[int], clustered: bool) -> None:
    rows = np.array([[number % 5 / 7, number / 3] for number in range(12)])
    clusters = [number % 4 for number in range(12)] if clustered else None
    moved = None if clusters is None else [clusters[place] for place in order]
    first = resampled_sums(rows, rng=rng(), n_resamples=20, clusters=clusters)
    second = resampled_sums(rows[order], rng=rng(), n_resamples=20, clusters=moved)
    assert np.array_equal(first, second)


def test_undefined_draws_are_left_out_up_to_half_of_them() -> None:
    drawn = np.array([1.0, 2.0, 3.0, np.nan])
    assert percentile_interval(drawn, confidence=0.5) == Interval(1.5, 2.5)
    assert percentile_interval(np.array([1.0, np.nan, np.nan]), confidence=0.5) is None
    assert percentile_interval(np.array([np.nan]), confidence=0.5) is None
