"""The slope of a judge's score on the length of the answer, and when there is none."""

from __future__ import annotations

import pytest

from muffakir_eval.comparison.judges.inputs import Settings
from muffakir_eval.comparison.judges.length import length_bias

SCORES = [0.2, 0.9, 0.4, 0.6, 0.1, 0.8]


def test_the_score_per_doubling_by_hand() -> None:
    # log2(words + 1) is 1, 2, 3: one step more is 0.25 more.
    found = length_bias([0.25, 0.5, 0.75, 0.25, 0.5, 0.75], [1, 3, 7, 1, 3, 7], None, Settings())
    assert found.per_doubling.value == pytest.approx(0.25, abs=1e-12)
    assert found.correlation.value == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("n_words", [[3, 3, 3, 3, 3, 2], [5, 5, 5, 5, 5, 400]])
def test_one_answer_of_another_length_shows_nothing(n_words: list[int]) -> None:
    found = length_bias(SCORES, n_words, None, Settings())
    assert (found.per_doubling.value, found.per_doubling.reason, found.per_doubling.n) == (None, "too_few", 6)
    assert found.correlation.reason == "too_few"


def test_one_answer_of_another_length_beside_each_label_is_counted_within_its_label() -> None:
    labels = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    assert length_bias(SCORES, [3, 3, 3, 3, 3, 9], labels, Settings()).per_doubling.reason == "too_few"
    assert length_bias(SCORES, [3, 3, 9, 3, 3, 9], labels, Settings()).per_doubling.value is not None
