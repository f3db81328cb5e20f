"""Coefficients of agreement against scikit-learn, krippendorff and published figures."""

from __future__ import annotations

import warnings

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from muffakir_eval.statistics.agreement import (
    Coefficient,
    Level,
    Weights,
    cohen_kappa,
    gwet_agreement,
    krippendorff_alpha,
    rating_table,
    raw_agreement,
    table_interval,
)

SCALE = [1, 2, 3, 4, 5]


def tables(count: int) -> list[tuple[list[int], list[int]]]:
    """Pairs of raters of every degree of agreement and skew."""
    rng = np.random.default_rng(20)
    pairs = []
    for _ in range(count):
        n = int(rng.integers(2, 80))
        shares = rng.dirichlet(np.full(5, rng.choice([0.2, 1.0, 5.0])))
        first = rng.choice(SCALE, size=n, p=shares)
        second = np.where(rng.random(n) < rng.random(), first, rng.choice(SCALE, size=n, p=shares))
        pairs.append((first.tolist(), second.tolist()))
    return pairs


@pytest.mark.parametrize("weights", ["identity", "linear", "quadratic"])
def test_kappa_is_that_of_scikit_learn(weights: Weights) -> None:
    compared = 0
    for first, second in tables(200):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it divides 0 by 0
            expected = cohen_kappa_score(
                first, second, labels=SCALE, weights=None if weights == "identity" else weights
            )
        found = cohen_kappa(rating_table(first, second, SCALE), weights=weights)
        if np.isnan(expected):
            assert found == (None, "one_label", len(first))
        else:
            assert found.value == pytest.approx(expected, abs=1e-9)
            compared += 1
    assert compared > 180


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_is_that_of_krippendorff(level: Level) -> None:
    rng = np.random.default_rng(4)
    for first, second in tables(200):
        if len(set(first + second)) < 2:
            continue
        third = rng.permutation(first).tolist()
        ratings = np.array([first, second, third], dtype=float)
        ratings[rng.random(ratings.shape) < 0.15] = np.nan
        lists = [[None if np.isnan(value) else float(value) for value in row] for row in ratings]
        found = krippendorff_alpha(lists, level=level)
        if found.value is None:
            continue
        expected = krippendorff.alpha(reliability_data=ratings, level_of_measurement=level)
        assert found.value == pytest.approx(expected, abs=1e-9)


def test_the_example_that_krippendorff_publishes() -> None:
    """Nominal 0.743, ordinal 0.815, interval 0.849 in "Computing Krippendorff's Alpha-Reliability", section C."""
    gap = None
    ratings: list[list[float | None]] = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, gap, gap, gap],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, gap, 3],
        [gap, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, gap],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, gap],
    ]
    found = {level: krippendorff_alpha(ratings, level=level) for level in ("nominal", "ordinal", "interval")}
    assert {level: round(figure.value or 0, 3) for level, figure in found.items()} == {
        "nominal": 0.743,
        "ordinal": 0.815,
        "interval": 0.849,
    }
    assert found["nominal"].n == 11


def test_gwet_equals_the_figures_of_irrcac() -> None:
    """Computed with irrCAC 0.4.4, which rounds to five digits."""
    table = rating_table([1, 2, 3, 4, 5, 5, 1, 2], [1, 2, 3, 3, 5, 4, 1, 1], SCALE)
    assert gwet_agreement(table).value == pytest.approx(0.53398, abs=5e-6)
    assert gwet_agreement(table, weights="quadratic").value == pytest.approx(0.91241, abs=5e-6)


def test_distances_of_unequal_labels_count() -> None:
    table = rating_table([0, 0.5, 1, 0], [0, 1, 1, 0.5], [0, 0.5, 1])
    # Credits 0.99 and 0.19 beside the middle label: 3 pairs of 4 agree, or nearly.
    uneven = cohen_kappa(table, weights="quadratic", labels=[0, 0.1, 1])
    observed = (1 + 0.99 + 0.19 + 1) / 4
    chance = 0.5 * (0.25 + 0.25 * 0.99) + 0.25 * (0.25 * 0.99 + 0.25 + 0.5 * 0.19) + 0.25 * (0.25 * 0.19 + 0.5)
    assert uneven.value == pytest.approx((observed - chance) / (1 - chance), abs=1e-12)


def test_one_label_alone_leaves_kappa_and_alpha_open() -> None:
    table = rating_table([1, 1, 1], [1, 1, 1], [0, 1])
    assert cohen_kappa(table) == Coefficient(None, "one_label", 3)
    assert krippendorff_alpha([[1, 1], [1, 1]]) == Coefficient(None, "one_label", 2)
    assert raw_agreement(table).value == 1.0
    assert gwet_agreement(table).value == 1.0


def test_no_pairs_give_no_coefficient() -> None:
    empty = rating_table([], [], [0, 1])
    for found in (raw_agreement(empty), cohen_kappa(empty), gwet_agreement(empty), krippendorff_alpha([[1], [None]])):
        assert found == (None, "no_pairs", 0)
    assert table_interval(empty, "kappa", rng=np.random.default_rng(0)) is None


def test_a_stray_rating_is_named() -> None:
    with pytest.raises(ValueError, match=r"rating 6 is none of the labels \[1, 2, 3, 4, 5\]"):
        rating_table([1, 6], [1, 5], SCALE)


@pytest.mark.parametrize("statistic", ["raw", "kappa", "gwet"])
def test_intervals_hold_the_coefficient(statistic: str) -> None:
    first, second = tables(30)[-1]
    table = rating_table(first, second, SCALE)
    value = {"raw": raw_agreement, "kappa": cohen_kappa, "gwet": gwet_agreement}[statistic](table).value
    found = table_interval(table, statistic, rng=np.random.default_rng(1))  # type: ignore[arg-type]
    assert found is not None
    assert value is not None
    assert found.low <= value <= found.high


def test_an_interval_that_is_mostly_undefined_is_none() -> None:
    table = rating_table([1] * 9 + [0], [1] * 10, [0, 1])
    table[0, 1], table[1, 1] = 0, 10
    assert table_interval(table, "kappa", rng=np.random.default_rng(0)) is None
