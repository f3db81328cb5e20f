"""The core of the retrieval metrics."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.metrics.earnings import EARNED, Earnings, discounted, earning_ranks, falling


def values(earned: Earnings, k: int) -> dict[str, float]:
    return {name: metric(earned, earned.down_to(k), k) for name, metric in EARNED.items()}


def test_without_anything_to_earn() -> None:
    for earned in (Earnings([], [], []), Earnings([], [], [1.0])):
        assert values(earned, 3) == dict.fromkeys(EARNED, 0.0)


def test_by_hand() -> None:
    """Ranks 2 and 5 earn 1 and 3; a document worth 2 is missed."""
    found = values(Earnings([2, 5], [1.0, 3.0], [3.0, 2.0, 1.0]), 5)
    assert found["recall"] == pytest.approx(2 / 3)
    assert found["precision"] == 2 / 5
    assert found["mrr"] == 0.5
    assert found["hit_rate"] == 1.0
    assert found["map"] == pytest.approx((1 / 2 + 2 / 5) / 3)
    ideal = 3 + 2 / math.log2(3) + 1 / 2
    assert found["ndcg"] == pytest.approx((1 / math.log2(3) + 3 / math.log2(6)) / ideal)


def test_the_cutoff() -> None:
    earned = Earnings([2, 5], [1.0, 3.0], [3.0, 2.0, 1.0])
    assert [earned.down_to(k) for k in (1, 2, 4, 5, 9)] == [0, 1, 1, 2, 2]
    assert values(earned, 1) == dict.fromkeys(EARNED, 0.0)


def test_the_ranks_that_hold_a_document_with_a_grade() -> None:
    assert earning_ranks(["x", "a", "b", "zero", "a"], {"a": 1.0, "b": 0.5, "zero": 0.0}) == [2, 3, 5]


@given(st.lists(st.integers(1, 3000), unique=True, min_size=1, max_size=30), st.data())
@settings(max_examples=150)
def test_discounts_far_down_are_those_of_the_formula(ranks: list[int], data: st.DataObject) -> None:
    ranks = sorted(ranks)
    gains = data.draw(st.lists(st.floats(0.1, 9), min_size=len(ranks), max_size=len(ranks)))
    by_hand = sum(gain / math.log2(rank + 1) for gain, rank in zip(gains, ranks, strict=True))
    assert discounted(gains, ranks) == pytest.approx(by_hand, rel=1e-12)


@given(st.lists(st.floats(0.5, 4), min_size=1, max_size=8), st.floats(1e-300, 1e300), st.integers(1, 10))
@settings(max_examples=150)
def test_the_scale_of_the_grades_does_not_matter(grades: list[float], scale: float, k: int) -> None:
    ranks = list(range(2, 2 * len(grades) + 1, 2))
    plain = values(Earnings(ranks, grades, falling(grades)), k)
    scaled = [grade * scale for grade in grades]
    assert values(Earnings(ranks, scaled, falling(scaled)), k) == pytest.approx(plain, rel=1e-9)
