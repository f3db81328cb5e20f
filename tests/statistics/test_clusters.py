"""Questions that belong together: sums, the test of whole clusters, the spread that counts."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.statistics.clusters import cluster_sums
from muffakir_eval.statistics.intervals import mean_interval
from muffakir_eval.statistics.paired import compare_paired, randomisation_test
from muffakir_eval.statistics.power import effective_spread, non_inferiority, questions_needed

PAIRS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(0, 4)),
    min_size=4,
    max_size=30,
)


@given(PAIRS)
@settings(max_examples=30)
def test_the_test_of_clusters_is_that_of_their_sums(rows: list[tuple[float, float, int]]) -> None:
    a, b, clusters = (list(column) for column in zip(*rows, strict=True))
    found = compare_paired(a, b, rng=np.random.default_rng(0), clusters=clusters, n_resamples=200)
    sums = [
        math.fsum(right - left for left, right, label in rows if label == cluster) for cluster in sorted(set(clusters))
    ]
    assert found.test == "cluster_randomisation"
    assert found.n_clusters == len(sums)
    # At most five clusters: every sign is looked at.
    assert found.p_value == pytest.approx(randomisation_test(sums, rng=np.random.default_rng(1)), abs=1e-12)


def test_copies_of_a_question_in_one_cluster_prove_nothing() -> None:
    a, b = [0.0, 1.0, 0.0, 1.0, 0.0] * 20, [1.0, 1.0, 1.0, 0.0, 0.0] * 20
    alone = compare_paired(a[:5], b[:5], rng=np.random.default_rng(0))
    naive = compare_paired(a, b, rng=np.random.default_rng(0))
    honest = compare_paired(a, b, rng=np.random.default_rng(0), clusters=list("abcde") * 20)
    assert naive.p_value < 0.05 < honest.p_value == alone.p_value
    assert alone.low is not None
    assert honest.low is not None
    assert naive.low is not None
    assert honest.low < 0 < naive.low


def test_one_cluster_has_no_interval() -> None:
    found = compare_paired([0.0, 0.5], [0.5, 1.0], rng=np.random.default_rng(0), clusters=["x", "x"])
    assert (found.low, found.high, found.p_value) == (None, None, 1.0)


def test_a_win_and_an_equal_loss_in_one_cluster_are_no_difference() -> None:
    a, b = [0.1, 0.3, 0.0], [0.3, 0.1, 0.0]
    found = compare_paired(a, b, rng=np.random.default_rng(0), clusters=["x", "x", "y"])
    assert (found.p_value, found.wins, found.losses) == (1.0, 1, 1)


def test_as_many_clusters_as_values() -> None:
    with pytest.raises(ValueError, match="1 clusters and 2 values"):
        cluster_sums(np.array([1.0, 2.0]), ["a"])


@given(PAIRS, st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_the_order_of_the_questions_does_not_matter(rows: list[tuple[float, float, int]], random: object) -> None:
    moved = list(rows)
    getattr(random, "shuffle")(moved)  # noqa: B009 - hypothesis gives a random.Random
    results = []
    for order in (rows, moved):
        a, b, clusters = (list(column) for column in zip(*order, strict=True))
        results += [
            compare_paired(a, b, rng=np.random.default_rng(3), clusters=labels, n_resamples=100)
            for labels in (None, clusters)
        ]
    assert results[0].p_value == results[2].p_value
    assert (results[1].p_value, results[1].low, results[1].high) == (
        results[3].p_value,
        results[3].low,
        results[3].high,
    )


def test_single_questions_as_clusters_need_as_many_questions_as_without() -> None:
    values = np.random.default_rng(4).normal(0.1, 0.4, size=50)
    plain, alone = effective_spread(values), effective_spread(values, list(range(50)))
    assert plain == pytest.approx(values.std(ddof=1))
    assert plain is not None
    assert alone == pytest.approx(plain)
    together = effective_spread(np.repeat(values, 4), [number // 4 for number in range(200)])
    assert together is not None
    # Four copies of each question are worth one: four times as many are needed.
    assert questions_needed(together, 0.02) == pytest.approx(4 * questions_needed(plain, 0.02), abs=4)


@pytest.mark.parametrize(("values", "clusters"), [([0.5], None), ([0.5, 1.0], ["a", "a"])])
def test_no_spread_of_one(values: list[float], clusters: list[str] | None) -> None:
    assert effective_spread(values, clusters) is None


def test_not_worse_counts_clusters_too() -> None:
    differences = [-0.01, 0.01] * 200
    alone = non_inferiority(differences, 0.02, largest_loss=1.0)
    together = non_inferiority(differences, 0.02, largest_loss=1.0, clusters=[n // 50 for n in range(400)])
    single = non_inferiority(differences, 0.02, largest_loss=1.0, clusters=list(range(400)))
    assert single == pytest.approx(alone, abs=1e-12)
    assert alone < 0.01
    assert together > 0.1


@pytest.mark.parametrize("shift", [0.0, 0.004])
def test_tens_of_thousands_of_differences_are_tested_like_fewer(shift: float) -> None:
    differences = np.random.default_rng(8).normal(shift, 0.5, size=30_000)
    expected = scipy.stats.ttest_1samp(differences, 0.0).pvalue
    found = randomisation_test(differences, rng=np.random.default_rng(2), n_resamples=20_000)
    assert found == pytest.approx(expected, abs=0.015)


def test_a_few_giants_among_tens_of_thousands_keep_their_own_signs() -> None:
    differences = np.tile([1e-6, -1e-6], 15_000)
    differences = np.concatenate([differences, [1000.0, 1000.0, 1000.0]])
    found = randomisation_test(differences, rng=np.random.default_rng(2), n_resamples=20_000)
    # All three on one side, and then the small ones on that side as well.
    assert found == pytest.approx(0.25 / 2, abs=0.015)


def test_the_interval_of_tens_of_thousands_is_that_of_moments() -> None:
    rng = np.random.default_rng(3)
    a = rng.random(25_000)
    found = compare_paired(a, a + rng.normal(0.01, 0.1, size=25_000), rng=rng, n_resamples=100)
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.1 / math.sqrt(25_000), rel=0.05)


@pytest.mark.parametrize("sizes", [[10] * 10, [41, *[2] * 29], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] * 2])
def test_few_clusters_hold_what_the_interval_promises(sizes: list[int]) -> None:
    """Half of what sets answers apart is their document."""
    rng = np.random.default_rng(1)
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    held = 0
    for _ in range(400):
        values = rng.normal(0, 0.1, size=len(sizes))[clusters] + rng.normal(0, 0.1, size=len(clusters))
        found = mean_interval(values, rng=rng, clusters=clusters.tolist(), n_resamples=500)
        held += found.low is not None and found.high is not None and found.low <= 0 <= found.high
    assert held / 400 > 0.91


def test_the_last_digits_of_a_sum_do_not_move_the_draws() -> None:
    """0.1 + 0.2 and 0.2 + 0.1 + 0 differ in no digit that may decide which cluster stands first."""
    values, names = [0.1, 0.2, 0.3, 0.7, 0.1, 0.6, 0.4], list("aabccbb")
    results = set()
    for order in itertools.permutations(range(7)):
        found = mean_interval(
            [values[place] for place in order],
            rng=np.random.default_rng(0),
            clusters=[names[place] for place in order],
            n_resamples=10,
        )
        results.add((found.mean, found.low, found.high))
    assert len(results) == 1
