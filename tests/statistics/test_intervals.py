"""Intervals of a mean against scipy, by hand and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.statistics.intervals import (
    LARGE,
    mean_interval,
    mean_intervals,
    out_of_range,
    paired_share_interval,
    skew_corrected_interval,
    wilson_interval,
)
from muffakir_eval.statistics.moments import Moments


@given(st.integers(1, 3000), st.floats(0, 1), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_is_scipys(n: int, share: float, confidence: float) -> None:
    successes = round(share * n)
    expected = scipy.stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")
    found = wilson_interval(successes, n, confidence=confidence)
    assert found.low == pytest.approx(expected.low, abs=1e-9)
    assert found.high == pytest.approx(expected.high, abs=1e-9)
    assert 0.0 <= found.low <= successes / n <= found.high <= 1.0


def test_perfect_results_leave_room_for_doubt() -> None:
    low, high = wilson_interval(10, 10)
    assert (round(low, 4), high) == (0.7225, 1.0)


@pytest.mark.parametrize(("successes", "n"), [(1, 0), (-1, 4), (5, 4)])
def test_impossible_counts_are_refused(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="expected from 0 to n"):
        wilson_interval(successes, n)


@given(st.lists(st.floats(-10, 10), max_size=30), st.lists(st.floats(-10, 10), max_size=30))
def test_moments_of_parts_add_up(one: list[float], other: list[float]) -> None:
    whole, added = Moments.of(one + other), Moments.of(one) + Moments.of(other)
    assert added.n == whole.n
    assert added.mean == pytest.approx(whole.mean, abs=1e-9)
    assert added.second == pytest.approx(whole.second, rel=1e-9, abs=1e-7)
    assert added.third == pytest.approx(whole.third, rel=1e-9, abs=1e-5)


def test_moments_are_those_of_scipy() -> None:
    values = np.random.default_rng(0).beta(0.5, 0.2, size=300)
    moments = Moments.of(values)
    assert moments.variance == pytest.approx(values.var(ddof=1), rel=1e-12)
    assert moments.skewness == pytest.approx(scipy.stats.skew(values), rel=1e-9)
    assert (Moments.of([]).skewness, Moments.of([1.0]).variance) == (0.0, 0.0)


def test_the_normal_interval_of_symmetric_values_is_the_plain_one() -> None:
    values = np.tile([0.25, 0.5, 0.75], 100)
    found = skew_corrected_interval(Moments.of(values))
    expected = scipy.stats.norm.interval(0.95, loc=0.5, scale=scipy.stats.sem(values))
    assert found == pytest.approx(expected, abs=1e-12)


def test_skewed_values_move_the_normal_interval_towards_their_tail() -> None:
    found = skew_corrected_interval(Moments.of([0.0] * 95 + [1.0] * 4 + [0.5]))
    assert found is not None
    mean = 0.045
    assert found.high - mean > mean - found.low > 0


def test_large_and_small_samples_agree() -> None:
    values = np.random.default_rng(3).beta(0.5, 0.2, size=LARGE + 1)
    large = mean_interval(values, rng=np.random.default_rng(0))
    small = mean_interval(values[:-1], rng=np.random.default_rng(0), n_resamples=4000)
    assert (large.method, small.method) == ("skew_corrected_normal", "bca_bootstrap")
    assert large.low == pytest.approx(small.low, abs=3e-4)
    assert large.high == pytest.approx(small.high, abs=3e-4)


def test_one_value_has_a_mean_and_no_interval() -> None:
    found = mean_interval([0.3], rng=np.random.default_rng(0))
    assert (found.mean, found.low, found.high, found.method, found.n) == (0.3, None, None, None, 1)


def test_clusters_of_one_are_no_clusters() -> None:
    values = np.random.default_rng(1).beta(2, 1, size=80)
    plain = mean_interval(values, rng=np.random.default_rng(0))
    single = mean_interval(values, rng=np.random.default_rng(0), clusters=list(range(80)))
    assert single.n_clusters == 80
    assert single.low == pytest.approx(plain.low, abs=1e-9)
    assert single.high == pytest.approx(plain.high, abs=1e-9)


def test_alike_questions_of_one_document_widen_the_interval() -> None:
    documents = np.random.default_rng(1).beta(2, 1, size=20)
    values, names = np.repeat(documents, 10), [f"doc{place // 10}" for place in range(200)]
    plain = mean_interval(values, rng=np.random.default_rng(0))
    clustered = mean_interval(values, rng=np.random.default_rng(0), clusters=names)
    assert clustered.method == "cluster_bootstrap"
    assert plain.low is not None and plain.high is not None
    assert clustered.low is not None and clustered.high is not None
    # The same as 20 independent values: sqrt(10) times as wide.
    assert (clustered.high - clustered.low) / (plain.high - plain.low) == pytest.approx(np.sqrt(10), rel=0.12)


def test_one_cluster_has_no_interval() -> None:
    found = mean_interval([0.1, 0.9], rng=np.random.default_rng(0), clusters=["a", "a"])
    assert (found.mean, found.low, found.n_clusters) == (0.5, None, 1)


def test_equal_values_in_clusters_leave_no_width() -> None:
    found = mean_interval([0.5, 0.5], rng=np.random.default_rng(0), clusters=["a", "b"])
    assert (found.low, found.high) == (0.5, 0.5)


@pytest.mark.parametrize("values", [[], [float("nan")]])
def test_what_has_no_mean_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="finite values"):
        mean_interval(values, rng=np.random.default_rng(0))


def test_each_value_needs_its_cluster() -> None:
    with pytest.raises(ValueError, match="one cluster for each value"):
        mean_interval([0.1, 0.2], rng=np.random.default_rng(0), clusters=["a"])


@pytest.mark.parametrize("confidence", [0.0, 1.0])
def test_a_confidence_of_all_or_nothing_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        mean_interval([0, 1, 1], rng=np.random.default_rng(0), confidence=confidence)


def test_metrics_drawn_together_get_what_they_get_alone() -> None:
    rng = np.random.default_rng(6)
    columns: dict[str, list[float | None]] = {
        "faithfulness": [*rng.random(60).tolist(), None, None],
        "relevancy": [None, *rng.random(60).tolist(), None],
        "ndcg": rng.random(62).tolist(),
        "mrr": rng.choice([0.0, 0.5, 1.0], size=62).tolist(),
        "recall": rng.integers(0, 2, size=62).tolist(),
        "unmeasured": [None] * 62,
    }
    together = mean_intervals(columns, rng=np.random.default_rng(1), n_resamples=500)
    assert list(together) == ["faithfulness", "relevancy", "ndcg", "mrr", "recall"]
    for name, interval in together.items():
        alone = mean_intervals({name: columns[name]}, rng=np.random.default_rng(1), n_resamples=500)[name]
        assert (alone.low, alone.high) == pytest.approx((interval.low, interval.high), abs=1e-12)
        assert interval.low is not None and interval.high is not None
        assert interval.low <= interval.mean <= interval.high
    assert together["faithfulness"].n == 60


def test_metrics_of_clusters_keep_the_clusters_of_their_samples() -> None:
    values: list[float | None] = [0.1, 0.2, None, 0.4, 0.5, 0.9]
    found = mean_intervals(
        {"a": values}, rng=np.random.default_rng(1), clusters=["x", "x", "y", "z", "z", "z"], n_resamples=200
    )
    assert (found["a"].n, found["a"].n_clusters) == (5, 2)


@pytest.mark.parametrize("clustered", [False, True])
def test_the_order_of_the_samples_does_not_matter(clustered: bool) -> None:
    rng = np.random.default_rng(3)
    values: list[float | None] = [*rng.random(40).tolist(), None, 0.5]
    names = [f"doc{place % 9}" for place in range(42)]
    order = rng.permutation(42).tolist()
    one = mean_intervals(
        {"a": values}, rng=np.random.default_rng(1), clusters=names if clustered else None, n_resamples=200
    )
    other = mean_intervals(
        {"a": [values[place] for place in order]},
        rng=np.random.default_rng(1),
        clusters=[names[place] for place in order] if clustered else None,
        n_resamples=200,
    )
    assert one["a"].low == pytest.approx(other["a"].low, abs=1e-12)
    assert one["a"].high == pytest.approx(other["a"].high, abs=1e-12)


@pytest.mark.parametrize("clusters", [None, ["a", "b", "c"]])
def test_numbers_that_cannot_be_squared_have_a_mean_and_no_interval(clusters: list[str] | None) -> None:
    found = mean_interval([1e308, 1e308, 0.7e308], rng=np.random.default_rng(0), clusters=clusters)
    assert found.mean == pytest.approx(0.9e308)
    assert (found.low, found.high) == (None, None)


@pytest.mark.parametrize("n_resamples", [0, -1])
@pytest.mark.parametrize("clusters", [None, ["a", "b", "c"]])
def test_no_draws_are_refused(n_resamples: int, clusters: list[str] | None) -> None:
    for values in ([0.2, 0.4, 0.7], [0.0, 1.0, 1.0]):
        with pytest.raises(ValueError, match="n_resamples"):
            mean_interval(values, rng=np.random.default_rng(0), clusters=clusters, n_resamples=n_resamples)
        with pytest.raises(ValueError, match="confidence"):
            mean_interval(values, rng=np.random.default_rng(0), clusters=clusters, confidence=float("nan"))


def test_ten_values_hold_what_the_interval_promises() -> None:
    rng = np.random.default_rng(4)
    held = 0
    for _ in range(600):
        found = mean_interval(rng.random(10), rng=rng, n_resamples=500)
        held += found.low is not None and found.high is not None and found.low <= 0.5 <= found.high
    assert held / 600 > 0.925


@pytest.mark.parametrize(
    ("n", "shares"), [(10, (0.1, 0.05)), (30, (0.05, 0.005)), (100, (0.1, 0.1)), (300, (0.02, 0.0))]
)
def test_the_interval_of_paired_shares_holds_what_it_promises(n: int, shares: tuple[float, float]) -> None:
    up, down = shares
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(2000):
        wins, losses, _ = rng.multinomial(n, [up, down, 1 - up - down])
        low, high = paired_share_interval(int(wins), int(losses), n)
        held += low <= up - down <= high
    assert held / 2000 > 0.93


def test_the_interval_of_paired_shares_by_hand() -> None:
    # Shares 9 and 3 of 32: 0.1875 -+ 1.95996 sqrt((0.375 - 0.1875^2) / 32).
    half = 1.959964 * ((0.375 - 0.1875**2) / 32) ** 0.5
    assert paired_share_interval(8, 2, 30) == pytest.approx((0.1875 - half, 0.1875 + half), abs=1e-6)
    assert paired_share_interval(1, 0, 1).high == 1.0
    low, high = paired_share_interval(0, 0, 20)
    assert low == -high < 0


@pytest.mark.parametrize(("wins", "losses", "n"), [(0, 0, 0), (-1, 0, 3), (2, 2, 3)])
def test_impossible_pairs_are_refused(wins: int, losses: int, n: int) -> None:
    with pytest.raises(ValueError, match="add up to at most n"):
        paired_share_interval(wins, losses, n)


def test_what_is_out_of_range() -> None:
    assert out_of_range(np.array([-1e101]))
    assert not out_of_range(np.array([-1e99]))
