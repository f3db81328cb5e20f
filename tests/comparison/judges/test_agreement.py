"""Two raters: oracles, order, and what is not defined."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score, mean_absolute_error

from muffakir_eval.comparison.judges.agreement import Agreement, Raters, agreement
from muffakir_eval.comparison.judges.alpha import alpha_figure
from muffakir_eval.comparison.judges.inputs import Settings
from muffakir_eval.statistics.agreement import gwet_agreement, rating_table
from tests.comparison.judges.answers import BINARY, RATING, UNIT

QUICK = Settings(n_resamples=200)


def compared(a: object, b: object, scale: object = RATING, **more: object) -> Agreement:
    return agreement(Raters(a=a, b=b, scale=scale, **more), QUICK)  # type: ignore[arg-type]


def test_the_figures_of_ratings_are_those_of_the_libraries() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        n = int(rng.integers(5, 60))
        a = rng.integers(1, 6, size=n)
        b = np.clip(a + rng.integers(-2, 3, size=n), 1, 5)
        found = compared(a.tolist(), b.tolist())
        kappa = cohen_kappa_score(a, b, labels=[1, 2, 3, 4, 5], weights="quadratic")
        assert found.kappa.value == pytest.approx(kappa, abs=1e-9)
        assert found.spearman.value == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-9)
        assert found.kendall.value == pytest.approx(stats.kendalltau(a, b).statistic, abs=1e-9)
        assert found.mae.value == pytest.approx(mean_absolute_error(a, b), abs=1e-9)
        assert found.bias.value == pytest.approx(float((a - b).mean()), abs=1e-9)
        assert found.raw.value == pytest.approx(float((a == b).mean()), abs=1e-9)
        assert found.gwet == found.gwet and found.gwet.value == pytest.approx(
            gwet_agreement(rating_table(a.tolist(), b.tolist(), [1, 2, 3, 4, 5]), weights="quadratic").value or 0.0
        )
        assert found.table is not None and sum(map(sum, found.table)) == n
        assert found.n == n == (found.higher or 0) + (found.same or 0) + (found.lower or 0)
        for figure in found.figures().values():
            if figure.low is not None and figure.high is not None and figure.value is not None:
                assert figure.low <= figure.high


def test_the_figures_of_labels_are_those_of_the_libraries() -> None:
    rng = np.random.default_rng(2)
    for _ in range(40):
        a, b = rng.integers(0, 2, size=(2, 30))
        found = compared(a.tolist(), b.tolist(), BINARY)
        assert found.kappa.value == pytest.approx(cohen_kappa_score(a, b, labels=[0, 1]), abs=1e-9)
        assert found.weights == "identity"


def test_alpha_is_that_of_krippendorff() -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        ratings = rng.integers(1, 6, size=(4, 12)).astype(float)
        ratings[rng.random((4, 12)) < 0.3] = np.nan
        units = [[float(value) for value in unit if not np.isnan(value)] for unit in ratings.T]
        expected = krippendorff.alpha(reliability_data=ratings, level_of_measurement="interval")
        assert alpha_figure(units, QUICK).value == pytest.approx(expected, abs=1e-9)
    zeros = rng.integers(0, 2, size=(3, 20)).astype(float)
    nominal = krippendorff.alpha(reliability_data=zeros, level_of_measurement="nominal")
    assert alpha_figure([list(map(float, unit)) for unit in zeros.T], QUICK).value == pytest.approx(nominal, abs=1e-9)


def test_alpha_that_is_not_defined() -> None:
    assert alpha_figure([[1.0], []], QUICK).reason == "no_pairs"
    assert alpha_figure([[3.0, 3.0], [3.0, 3.0]], QUICK).reason == "one_label"


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=25), st.randoms())
@settings(max_examples=25, deadline=None)
def test_neither_the_order_of_the_answers_nor_that_of_the_raters_matters(
    pairs: list[tuple[int, int]], shuffle: object
) -> None:
    moved = list(pairs)
    shuffle.shuffle(moved)  # type: ignore[attr-defined]
    first = compared([a for a, _ in pairs], [b for _, b in pairs])
    assert compared([a for a, _ in moved], [b for _, b in moved]) == first
    turned = compared([b for _, b in pairs], [a for a, _ in pairs])
    assert turned.bias == first.bias.negated()
    for name in ("raw", "kappa", "gwet", "concordance", "spearman", "kendall", "mae"):
        assert getattr(turned, name) == getattr(first, name), name
    assert (turned.higher, turned.lower) == (first.lower, first.higher)


def test_a_rater_who_always_says_the_same_has_no_correlation_and_a_robust_figure() -> None:
    """Human ratings that are constant: kappa is 0 whatever the judge says, and AC2 is not."""
    found = compared([1, 1, 1, 2], [1, 1, 1, 1])
    assert (found.spearman.value, found.spearman.reason) == (None, "constant")
    assert found.kappa.value == 0.0 and (found.kappa.low, found.kappa.high) == (None, None)
    assert found.gwet.value is not None and found.gwet.value > 0.9
    same = compared([1, 1], [1, 1])
    assert (same.kappa.value, same.kappa.reason) == (None, "one_label")
    assert (same.concordance.value, same.concordance.reason) == (None, "one_label")
    assert same.raw.value == 1.0


def test_scores_without_labels_have_kappa_only_with_a_threshold() -> None:
    a, b = [0.9, 0.8, 0.2, 0.4], [1.0, 0.3, 0.1, 0.6]
    without = compared(a, b, UNIT)
    assert {without.raw.reason, without.kappa.reason, without.gwet.reason} == {"continuous"}
    assert without.concordance.value is not None and without.table is None
    found = compared(a, b, UNIT, threshold=0.5)
    assert found.table == ((1, 1), (1, 1))
    assert (found.kappa.value, found.raw.value, found.labels) == (0.0, 0.5, (0.0, 1.0))
    assert found.bias == without.bias


def test_means_of_repeats_lie_between_the_labels() -> None:
    found = compared([1.5, 2, 3], [1, 2, 3])
    assert found.kappa.reason == "between_labels"
    assert found.concordance.value == pytest.approx(12 / 13)


def test_on_another_scale_only_ranks_are_compared() -> None:
    found = compared([5, 4, 2, 1], [1, 1, 0, 0], same_scale=False)
    assert {found.bias.reason, found.mae.reason, found.kappa.reason, found.concordance.reason} == {"other_scale"}
    assert found.auc.value == 1.0
    assert found.spearman.value == pytest.approx(stats.spearmanr([5, 4, 2, 1], [1, 1, 0, 0]).statistic)
    threshold = compared([5, 4, 2, 1], [1, 1, 0, 0], same_scale=False, threshold=4.0)
    assert (threshold.raw.value, threshold.kappa.value) == (1.0, 1.0)
    other = compared([5, 4, 2, 1], [10, 8, 3, 0], same_scale=False, threshold=4.0)
    assert other.kappa.reason == "other_scale"


def test_nothing_in_common_is_said() -> None:
    found = compared([], [])
    assert found.n == 0
    assert {figure.reason for figure in found.figures().values()} == {"no_pairs"}


def test_one_answer_has_no_interval() -> None:
    found = compared([4], [3])
    assert (found.bias.value, found.bias.low, found.kappa.low) == (1.0, None, None)
    assert found.spearman.reason == "too_few"


def test_scores_with_many_different_values() -> None:
    rng = np.random.default_rng(4)
    a = rng.random(80)
    b = np.clip(a + rng.normal(0, 0.1, 80), 0, 1)
    clusters = [f"d{number // 4}" for number in range(80)]
    found = compared(a.tolist(), b.tolist(), UNIT)
    both = compared(a.tolist(), b.tolist(), UNIT, clusters=clusters)
    assert found.spearman.value == both.spearman.value == pytest.approx(stats.spearmanr(a, b).statistic)
    for one in (found, both):
        assert one.spearman.low is not None and one.spearman.value is not None and one.spearman.high is not None
        assert 0.7 < one.spearman.low <= one.spearman.value <= one.spearman.high <= 1.0


def test_answers_that_belong_together_make_a_wider_interval() -> None:
    a = [value for value in (1, 5, 2, 4, 3, 1, 5, 2) for _ in range(10)]
    b = [value for value in (1, 4, 3, 4, 1, 1, 5, 4) for _ in range(10)]
    apart = compared(a, b)
    clusters = [f"d{number // 10}" for number in range(80)]
    together = compared(a, b, clusters=clusters)
    assert together.kappa.value == apart.kappa.value
    for name in ("kappa", "bias", "spearman", "raw"):
        one, other = getattr(apart, name), getattr(together, name)
        assert other.high - other.low > 1.5 * (one.high - one.low), name


def test_a_rating_of_neighbours_is_no_share() -> None:
    """Ratings of 1 throughout have no interval that leaves the scale, as that of a share would."""
    found = compared([1, 1, 1], [1, 1, 1])
    assert (found.bias.low, found.bias.high, found.mae.high) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_of_kappa_covers_what_it_should(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = rng.integers(1, 6, size=2_000)
    b = np.where(rng.random(2_000) < 0.6, a, rng.integers(1, 6, size=2_000))
    truth = cohen_kappa_score(a, b, labels=[1, 2, 3, 4, 5], weights="quadratic")
    part = compared(a[:300].tolist(), b[:300].tolist())
    assert part.kappa.low is not None and part.kappa.high is not None
    assert part.kappa.low < truth < part.kappa.high
