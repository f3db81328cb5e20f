"""Paired tests against scipy and by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.statistics.paired import compare_paired, holm, mcnemar_exact, randomisation_test

SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=2, max_size=40)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_binomial_test(wins: int, losses: int) -> None:
    expected = scipy.stats.binomtest(wins, wins + losses, 0.5).pvalue if wins + losses else 1.0
    assert mcnemar_exact(wins, losses) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("wins", "losses"), [(600, 500), (1500, 1400), (30_000, 29_500)])
def test_mcnemar_of_many_questions_is_the_binomial_test(wins: int, losses: int) -> None:
    expected = scipy.stats.binomtest(wins, wins + losses, 0.5).pvalue
    assert mcnemar_exact(wins, losses) == pytest.approx(expected, rel=1e-9)


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 0"):
        mcnemar_exact(-1, 3)


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.25, 0.5, 1.0]), min_size=2, max_size=9))
def test_few_differences_are_tested_exactly(differences: list[float]) -> None:
    sample = np.array(differences)

    def mean(values: np.ndarray, axis: int) -> np.ndarray:
        return np.asarray(values.mean(axis=axis))

    expected = scipy.stats.permutation_test(
        (sample,), mean, permutation_type="samples", n_resamples=100_000, alternative="two-sided"
    )
    # Two-sided by magnitude: the distribution is symmetric, so that both definitions agree.
    assert randomisation_test(differences, rng=np.random.default_rng(1)) == pytest.approx(
        min(1.0, float(expected.pvalue)), abs=1e-9
    )


def test_many_differences_are_tested_to_the_error_of_the_draws() -> None:
    differences = np.random.default_rng(5).normal(0.1, 0.5, size=120)
    expected = scipy.stats.ttest_1samp(differences, 0.0).pvalue
    found = randomisation_test(differences, rng=np.random.default_rng(2), n_resamples=50_000)
    assert found == pytest.approx(expected, abs=0.006)


def test_a_p_value_is_never_zero() -> None:
    assert randomisation_test(np.ones(200), rng=np.random.default_rng(0), n_resamples=999) == 1 / 1000


@given(SCORES, st.randoms(use_true_random=False))
def test_the_two_sides_mirror_each_other(a: list[float], random: object) -> None:
    b = list(reversed(a))
    one = compare_paired(a, b, rng=np.random.default_rng(3), n_resamples=200)
    other = compare_paired(b, a, rng=np.random.default_rng(3), n_resamples=200)
    assert one.difference == -other.difference
    assert (one.wins, one.ties, one.losses) == (other.losses, other.ties, other.wins)
    assert one.wins + one.ties + one.losses == one.n == len(a)
    assert one.low is not None
    assert one.high is not None
    assert one.low <= one.high


def test_scores_of_0_and_1_are_tested_by_mcnemar() -> None:
    found = compare_paired([0, 0, 0, 1, 1, 0], [1, 1, 1, 1, 0, 0], rng=np.random.default_rng(0))
    assert (found.test, found.p_value) == ("mcnemar_exact", mcnemar_exact(3, 1))


def test_rounding_is_no_difference() -> None:
    found = compare_paired([0.1 + 0.2, 0.5], [0.3, 0.5], rng=np.random.default_rng(0))
    assert (found.difference, found.ties, found.p_value) == (0.0, 2, 1.0)


def test_one_question_has_no_interval() -> None:
    found = compare_paired([0.2], [0.7], rng=np.random.default_rng(0))
    assert (found.low, found.high, found.p_value) == (None, None, 1.0)


@pytest.mark.parametrize(("a", "b"), [([], []), ([1.0], [1.0, 0.0]), ([float("nan")], [1.0]), ([1.0], [float("inf")])])
def test_what_cannot_be_compared_is_refused(a: list[float], b: list[float]) -> None:
    with pytest.raises(ValueError, match="score"):
        compare_paired(a, b, rng=np.random.default_rng(0))


def test_systems_that_are_alike_are_seldom_told_apart() -> None:
    rng = np.random.default_rng(11)
    alarms = 0
    for _ in range(300):
        a, b = rng.beta(0.6, 0.3, size=(2, 100))
        alarms += compare_paired(a, b, rng=rng, n_resamples=400).p_value < 0.05
    assert alarms / 300 < 0.09  # 5 %, with three standard errors


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.02, 0.03, 0.04]) == pytest.approx([0.04, 0.06, 0.06, 0.06])
    assert holm([0.9, 0.6]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_holm_only_raises_and_keeps_the_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(after >= before for before, after in zip(p_values, adjusted, strict=True))
    ranked = [after for _, after in sorted(zip(p_values, adjusted, strict=True))]
    assert ranked == sorted(ranked)


def test_a_p_value_beyond_1_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([1.5])


def test_differences_of_0_and_1_are_no_share() -> None:
    """Two wins and no loss among thirty: Wilson's interval would hold that B cannot be worse."""
    a = [0.0, 0.25, 0.5, 0.75] * 8
    found = compare_paired(a, [1.0, *a[1:4], 1.0, *a[5:]], rng=np.random.default_rng(0))
    assert (found.test, found.wins, found.losses) == ("randomisation", 2, 0)
    assert found.low == 0.0
    same = compare_paired(a, a, rng=np.random.default_rng(0))
    assert (same.low, same.high) == (0.0, 0.0)


def test_alike_on_every_right_or_wrong_answer_is_no_certainty() -> None:
    found = compare_paired([1, 0, 1, 1] * 5, [1, 0, 1, 1] * 5, rng=np.random.default_rng(0))
    assert (found.difference, found.p_value) == (0.0, 1.0)
    assert found.low is not None and found.high is not None
    assert found.low < -0.1
    assert found.high > 0.1


@pytest.mark.parametrize("clusters", [None, ["x", "y", "z"]])
def test_numbers_that_cannot_be_squared_have_a_difference_and_no_interval(clusters: list[str] | None) -> None:
    found = compare_paired([1e120, 2.0, 3.0], [2e120, 3.0, 1.0], rng=np.random.default_rng(0), clusters=clusters)
    assert found.low is found.high is None
    assert found.difference == pytest.approx(1e120 / 3)
    with pytest.raises(ValueError, match="out of the range"):
        compare_paired([1.7e308], [-1.7e308], rng=np.random.default_rng(0))
