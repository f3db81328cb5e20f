"""Precision, recall, F and the gain, with their intervals."""

from __future__ import annotations

import numpy as np
import pytest

from muffakir_eval.calibration.figures import Trust, gain_of, quality_of
from muffakir_eval.calibration.target import Target
from muffakir_eval.statistics.intervals import wilson_interval


def marks(text: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([char == "1" for char in text])


def apart(n: int) -> Trust:
    return Trust([str(place) for place in range(n)], 0, 0.95)


def test_the_figures() -> None:
    found = quality_of(marks("111000110"), marks("110110100"), Target(), apart(9))
    assert (found.tp, found.fp, found.fn, found.tn) == (3, 2, 2, 2)
    assert [found.precision.value, found.recall.value, found.f.value] == pytest.approx([0.6, 0.6, 0.6])
    low, high = wilson_interval(3, 5)
    assert found.precision.low is not None
    assert found.precision.high is not None
    assert found.precision.low <= low
    assert found.precision.high >= high


def test_without_an_error_the_interval_is_that_of_wilson() -> None:
    found = quality_of(marks("1100"), marks("1100"), Target(), apart(4))
    low = wilson_interval(2, 2).low
    assert (found.precision.low, found.precision.high) == (low, 1.0)
    assert [found.f.low, found.f.high] == pytest.approx([2 * low / (1 + low), 1.0])
    by_recall = quality_of(marks("1100"), marks("1100"), Target(beta=2), apart(4))
    assert by_recall.f.low is not None
    assert by_recall.f.low < (found.f.low or 0)


def test_where_nothing_is_accepted_there_is_no_precision() -> None:
    found = quality_of(marks("0000"), marks("1100"), Target(), apart(4))
    assert (found.precision.value, found.precision.low, found.precision.high) == (None, None, None)
    assert (found.recall.value, found.f.value) == (0.0, 0.0)
    assert found.recall.high == wilson_interval(0, 2).high


def test_pairs_of_one_gold_count_for_less() -> None:
    accepted, relevant = marks("1" * 40 + "0" * 40), marks(("1" * 20 + "0" * 20) * 2)
    alone = quality_of(accepted, relevant, Target(), apart(80))
    together = quality_of(accepted, relevant, Target(), Trust([str(place // 20) for place in range(80)], 0, 0.95))
    assert alone.precision.value == together.precision.value
    assert (together.precision.low or 0) < (alone.precision.low or 0)


def test_the_order_of_the_pairs_does_not_matter() -> None:
    accepted, relevant = marks("110100101100"), marks("100110101000")
    golds = list("aabbccddeeff")
    order = [7, 3, 11, 0, 5, 9, 1, 2, 10, 4, 8, 6]
    again = Trust([golds[place] for place in order], 0, 0.95)
    other = marks("000011111111")
    assert quality_of(accepted, relevant, Target(), Trust(golds, 0, 0.95)) == quality_of(
        accepted[order], relevant[order], Target(), again
    )
    assert gain_of(accepted, other, relevant, Target(), Trust(golds, 0, 0.95)) == gain_of(
        accepted[order], other[order], relevant[order], Target(), again
    )


def test_a_gain_beyond_noise_and_one_within() -> None:
    relevant = marks("1" * 20 + "0" * 20)
    before = marks("1" * 5 + "0" * 35)
    large = gain_of(before, marks("1" * 19 + "0" * 21), relevant, Target(), apart(40))
    assert (large.measure, large.fixed, large.broken, large.beyond_noise) == ("F1", 14, 0, True)
    assert large.value == pytest.approx(38 / 39 - 10 / 25)
    # Five of five: the bootstrap alone would believe it, the exact test does not.
    small = gain_of(marks("1" * 15 + "0" * 25), relevant, relevant, Target(), apart(40))
    assert small.low is not None
    assert small.low > 0
    assert (small.fixed, small.p_value, small.beyond_noise) == (5, 0.0625, False)
    none = gain_of(before, before, relevant, Target(), apart(40))
    assert (none.value, none.low, none.high, none.p_value, none.beyond_noise) == (0.0, 0.0, 0.0, 1.0, False)


def test_where_a_precision_is_asked_for_the_gain_is_that_of_recall() -> None:
    relevant = marks("1" * 10 + "0" * 10)
    found = gain_of(
        marks("1" * 2 + "0" * 18), marks("1" * 12 + "0" * 8), relevant, Target(min_precision=0.5), apart(20)
    )
    assert (found.measure, found.value, found.fixed, found.broken) == ("recall", 0.8, 8, 0)
    golds = Trust([str(place // 2) for place in range(20)], 0, 0.95)
    clustered = gain_of(
        marks("1" * 2 + "0" * 18), marks("1" * 12 + "0" * 8), relevant, Target(min_precision=0.5), golds
    )
    assert clustered.p_value > found.p_value
