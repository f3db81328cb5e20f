"""Figures with the influence of each unit: oracles, derivatives, and what the intervals cover."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import krippendorff
import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from muffakir_eval.statistics import influence
from muffakir_eval.statistics.influence import (
    Influenced,
    alpha,
    area_interval,
    area_under_curve,
    coefficient_interval,
    concordance,
    kendall,
    label_agreement,
    slope_interval,
    spearman,
    stratified_slope,
)


def drawn(count: int, labels: int = 5) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(3)
    pairs = []
    for _ in range(count):
        a = rng.integers(0, labels, size=rng.integers(4, 40))
        b = np.where(rng.random(len(a)) < 0.5, a, rng.integers(0, labels, size=len(a)))
        if len(set(a)) > 1 and len(set(b)) > 1:
            pairs.append((a, b))
    return pairs


def test_the_figures_are_those_of_the_libraries() -> None:
    for a, b in drawn(200):
        kappa = label_agreement(a, b, 5, statistic="kappa", weights="quadratic").value
        expected = cohen_kappa_score(a, b, labels=range(5), weights="quadratic")
        assert kappa == pytest.approx(expected, abs=1e-9)
        assert concordance(a, b).value == pytest.approx(expected, abs=1e-9)  # of whole labels the same
        assert spearman(a, b).value == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-9)
        assert kendall(a, b).value == pytest.approx(stats.kendalltau(a, b).statistic, abs=1e-9)
        right = (b > 2).astype(float)
        if 0 < right.sum() < len(right):
            assert area_under_curve(a, right).value == pytest.approx(roc_auc_score(right, a), abs=1e-9)
        known = krippendorff.alpha(reliability_data=np.array([a, b], float), level_of_measurement="interval")
        assert alpha(np.column_stack([a, b]).tolist()).value == pytest.approx(known, abs=1e-9)


A, B = np.array([0, 0, 1, 2, 3, 3, 1, 2, 0]), np.array([0, 1, 1, 2, 3, 2, 0, 3, 0])
STRATA = np.array([0, 1, 0, 1, 0, 1, 0, 1, 0])
FIGURES: dict[str, Callable[[np.ndarray], Influenced]] = {
    "kappa": lambda at: label_agreement(A[at], B[at], 4, statistic="kappa", weights="quadratic"),
    "kappa of labels": lambda at: label_agreement(A[at] // 2, B[at] // 2, 2, statistic="kappa"),
    "gwet": lambda at: label_agreement(A[at], B[at], 4, statistic="gwet", weights="linear"),
    "concordance": lambda at: concordance(A[at], B[at]),
    "spearman": lambda at: spearman(A[at], B[at]),
    "kendall": lambda at: kendall(A[at], B[at]),
    "area": lambda at: area_under_curve(A[at], B[at] > 1),
    "alpha": lambda at: alpha(np.column_stack([A[at], B[at]]).tolist()),
}


@pytest.mark.parametrize("name", FIGURES)
def test_the_influence_is_the_derivative_by_the_weight_of_a_unit(name: str) -> None:
    figure, n, copies, more = FIGURES[name], len(A), 400, 4
    every = np.repeat(np.arange(n), copies)
    before, found = figure(every), figure(np.arange(n) if name != "alpha" else every)
    each = found.influence if name != "alpha" else found.influence[::copies]
    assert before.value is not None and each.sum() == pytest.approx(0, abs=1e-9)
    for unit in range(n):
        after = figure(np.concatenate([every, np.full(more, unit)])).value
        assert after is not None
        assert (after - before.value) * len(every) / more == pytest.approx(each[unit], abs=0.02), unit


def test_a_slope_is_that_of_least_squares_with_an_intercept_for_each_stratum() -> None:
    x, y = A + 0.25 * B, 1.5 * B - 0.5 * STRATA
    slope, r = stratified_slope(x, y, STRATA)
    design = np.column_stack([x, STRATA == 0, STRATA == 1])
    assert slope.value == pytest.approx(np.linalg.lstsq(design, y, rcond=None)[0][0])
    within = [values - np.array([values[group == STRATA].mean() for group in STRATA]) for values in (x, y)]
    assert r.value == pytest.approx(stats.pearsonr(*within).statistic)
    assert stratified_slope(np.ones(9), y, STRATA)[0].reason == "constant"
    flat = stratified_slope(x, np.ones(9), STRATA)
    assert (flat[0].value, flat[1].reason) == (0.0, "constant")


def test_many_different_values_are_compared_unit_by_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    a = rng.integers(0, 40, 200).astype(float)
    b = a + rng.integers(-9, 9, 200)
    table = kendall(a, b)
    monkeypatch.setattr(influence, "_MOST_CELLS", 10)
    monkeypatch.setattr(influence, "_AT_ONCE", 700)
    assert kendall(a, b).value == pytest.approx(table.value)
    assert kendall(a, b).influence == pytest.approx(table.influence)


def test_what_is_not_defined() -> None:
    assert label_agreement([0, 0], [0, 0], 2, statistic="kappa").reason == "one_label"
    assert label_agreement([], [], 2, statistic="gwet").reason == "no_pairs"
    assert (concordance([], []).reason, concordance([2, 2], [2, 2]).reason) == ("no_pairs", "one_label")
    assert concordance([2, 2], [2, 3]).value == pytest.approx(0.0)
    assert (area_under_curve([], []).reason, area_under_curve([1, 2], [1, 1]).reason) == ("no_pairs", "one_label")
    assert (spearman([1], [1]).reason, kendall([1, 1], [1, 2]).reason) == ("too_few", "constant")
    assert (alpha([]).reason, alpha([[1.0, 1.0]]).reason) == ("no_pairs", "one_label")
    assert area_interval(area_under_curve([1, 2], [1, 1]), confidence=0.95) is None
    with pytest.raises(ValueError, match="confidence is 2"):
        coefficient_interval(spearman(A, B), confidence=2)


def test_no_interval_from_what_never_varied() -> None:
    perfect = label_agreement([0, 1, 0, 1, 1], [0, 1, 0, 1, 1], 2, statistic="kappa")
    constant = label_agreement([0, 1, 0, 1, 1], [1] * 5, 2, statistic="kappa")  # 0 whatever the other says
    few = label_agreement([0, 1, 0], [1, 1, 0], 2, statistic="kappa")
    for found in (perfect, constant, few):
        assert found.value is not None and coefficient_interval(found, confidence=0.95) is None
        assert slope_interval(found, confidence=0.95) is None


def test_whole_clusters_vary() -> None:
    a, b = np.tile(A, 8), np.tile(B, 8)
    apart = coefficient_interval(kendall(a, b), confidence=0.95)
    together = coefficient_interval(kendall(a, b), confidence=0.95, clusters=[n % 9 for n in range(72)])
    once = coefficient_interval(kendall(A, B), confidence=0.95)
    assert apart is not None and together is not None and once is not None
    assert together.high - together.low > 2 * (apart.high - apart.low)
    assert tuple(together) == pytest.approx(tuple(once), abs=1e-9)  # copies add no knowledge


@pytest.mark.parametrize(
    ("cuts", "statistic"),
    [((-1.5, -0.7, 0.2, 1.0), "kappa"), ((-1.5, -0.7, 0.2, 1.0), "spearman"), ((0.1,), "kappa"), ((-0.8,), "gwet")],
)
def test_the_intervals_cover_what_they_should(cuts: tuple[float, ...], statistic: str) -> None:
    """Of 400 samples of 40 answers, between 91 and 98 in 100 cover the truth (Monte-Carlo error 1.1)."""
    rng = np.random.default_rng(11)
    weights: Any = "quadratic" if len(cuts) > 1 else "identity"

    def figure(n: int) -> Influenced:
        scores = rng.normal(size=(n, 1)) * 0.85 + rng.normal(size=(n, 2)) * 0.5
        a, b = np.digitize(scores, cuts).T
        if statistic == "spearman":
            return spearman(a, b)
        return label_agreement(a, b, len(cuts) + 1, statistic=statistic, weights=weights)  # type: ignore[arg-type]

    truth = figure(400_000).value
    assert truth is not None
    found = [coefficient_interval(figure(40), confidence=0.95) for _ in range(400)]
    covered = [interval.low <= truth <= interval.high for interval in found if interval is not None]
    assert len(covered) > 390 and 0.91 <= np.mean(covered) <= 0.985
