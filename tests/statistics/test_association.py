"""Correlations with and without a value."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from muffakir_eval.statistics.association import Correlation, correlation, correlation_interval


def test_correlations_are_those_of_scipy() -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(1, 6, size=50).astype(float)
    b = np.clip(a + rng.integers(-1, 2, size=50), 1, 5)
    assert correlation(a, b).value == pytest.approx(scipy.stats.spearmanr(a, b).statistic, abs=1e-11)
    assert correlation(a, b, "kendall").value == pytest.approx(scipy.stats.kendalltau(a, b).statistic, abs=1e-11)
    assert correlation(a, b, "pearson").value == pytest.approx(scipy.stats.pearsonr(a, b).statistic, abs=1e-11)


def test_what_is_not_defined_says_why() -> None:
    assert correlation([1.0], [2.0]) == Correlation(None, "too_few", 1)
    assert correlation([2.0, 2.0], [1.0, 5.0]) == Correlation(None, "constant", 2)


def test_the_interval_holds_the_correlation() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=80)
    b = a + rng.normal(size=80)
    found = correlation_interval(a, b, rng=np.random.default_rng(1), n_resamples=300)
    value = correlation(a, b).value
    assert found is not None
    assert value is not None
    assert 0.3 < found.low < value < found.high < 0.95


def test_too_little_gives_no_interval() -> None:
    assert correlation_interval([1, 2], [1, 2], rng=np.random.default_rng(0)) is None
    assert correlation_interval([1] * 9 + [2], [1] * 9 + [2], rng=np.random.default_rng(0), n_resamples=200) is not None
    assert correlation_interval([1] * 9, [1] * 9, rng=np.random.default_rng(0), n_resamples=20) is None


@pytest.mark.parametrize(("a", "b"), [([1.0, 2.0], [1.0]), ([1.0, float("nan")], [1.0, 2.0])])
def test_pairs_that_are_none_are_refused(a: list[float], b: list[float]) -> None:
    with pytest.raises(ValueError, match="value"):
        correlation(a, b)
