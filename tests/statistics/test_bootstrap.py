"""The bootstrap interval against scipy's, and its edges."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from muffakir_eval.statistics.bootstrap import Interval, bca_interval, bootstrap_means


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_the_interval_is_scipys_to_the_error_of_the_draws(seed: int, confidence: float) -> None:
    sample = np.random.default_rng(seed).beta(0.5, 0.2 + 0.2 * seed, size=60)
    expected = scipy.stats.bootstrap(
        (sample,), np.mean, n_resamples=20_000, confidence_level=confidence, method="BCa", rng=np.random.default_rng(1)
    ).confidence_interval
    found = bca_interval(sample, rng=np.random.default_rng(2), n_resamples=20_000, confidence=confidence)
    assert found is not None
    error = 5 * sample.std() / np.sqrt(len(sample)) / np.sqrt(20_000) * 3
    assert found.low == pytest.approx(expected.low, abs=error)
    assert found.high == pytest.approx(expected.high, abs=error)


def test_the_same_generator_gives_the_same_interval() -> None:
    sample = np.random.default_rng(0).random(50)
    assert bca_interval(sample, rng=np.random.default_rng(9)) == bca_interval(sample, rng=np.random.default_rng(9))


def test_many_values_are_drawn_in_parts() -> None:
    sample = np.random.default_rng(0).random(50_000)
    means = bootstrap_means(sample, rng=np.random.default_rng(1), n_resamples=100)
    assert means.shape == (100,)
    assert float(means.std()) == pytest.approx(sample.std() / np.sqrt(50_000), rel=0.3)


def test_equal_values_leave_no_width() -> None:
    assert bca_interval([0.1, 0.1, 0.1], rng=np.random.default_rng(0)) == Interval(0.1, 0.1)


@pytest.mark.parametrize("values", [[], [0.5]])
def test_too_few_values_have_no_interval(values: list[float]) -> None:
    assert bca_interval(values, rng=np.random.default_rng(0)) is None


def test_the_ends_lie_within_the_values() -> None:
    found = bca_interval([0.0, 0.0, 0.0, 0.0, 1.0], rng=np.random.default_rng(0))
    assert found is not None
    assert 0.0 <= found.low <= 0.2 <= found.high <= 1.0


@pytest.mark.parametrize(
    ("values", "options", "words"),
    [
        ([0.1, float("nan")], {}, "finite"),
        ([0.1, 0.2], {"confidence": 1.0}, "confidence"),
        ([0.1, 0.2], {"n_resamples": 0}, "n_resamples"),
    ],
)
def test_bad_input_is_refused(values: list[float], options: dict[str, float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        bca_interval(values, rng=np.random.default_rng(0), **options)  # type: ignore[arg-type]


def test_an_empty_sample_has_no_means() -> None:
    with pytest.raises(ValueError, match="at least one"):
        bootstrap_means([], rng=np.random.default_rng(0), n_resamples=3)
