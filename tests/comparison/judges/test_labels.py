"""Labels of people, in both languages."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from muffakir_eval.comparison.judges.labels import label_words, read_label
from muffakir_eval.errors import ConfigError


@pytest.mark.parametrize(
    ("cell", "value", "is_word"),
    [
        (4, 4.0, False),
        (0.5, 0.5, False),
        ("3", 3.0, False),
        ("٤", 4.0, False),
        ("٤٫٥", 4.5, False),
        ("4/5", 4.0, False),
        ("٣ / ٥", 3.0, False),
        ("2,5", 2.5, False),
        (True, 1.0, True),
        (False, 0.0, True),
        ("TRUE", 1.0, True),
        (" no ", 0.0, True),
        ("Yes.", 1.0, True),
        ("نعم", 1.0, True),
        ("نَعَمْ.", 1.0, True),
        ("لا", 0.0, True),
        ("صحيح", 1.0, True),
        ("صح", 1.0, True),
        (np.int64(3), 3.0, False),
        (np.float64(2.5), 2.5, False),
        (Decimal("4"), 4.0, False),
        ("صحيحة", 1.0, True),
        ("خطأ", 0.0, True),
        ("غير صحيحة", 0.0, True),
        ("incorrect", 0.0, True),
        ("not correct", 0.0, True),
        ("\u200fنعم", 1.0, True),
    ],
)
def test_labels_that_are_understood(cell: Any, value: float, is_word: bool) -> None:
    assert read_label(cell, label_words()) == (value, is_word)


@pytest.mark.parametrize(
    "cell", [None, "", "  ", "-", "—", "n/a", "N/A", "#N/A", "N.A.", "nan", "لا ينطبق", "؟", float("nan")]
)
def test_what_is_no_label(cell: Any) -> None:
    assert read_label(cell, label_words()) is None


@pytest.mark.parametrize(
    "cell", ["maybe", "4/10", "4 or 5", "ممتاز جدا", ["4"], float("inf"), "Entailment", "1,000", "80%"]
)
def test_what_is_not_guessed(cell: Any) -> None:
    with pytest.raises(ValueError, match="label"):
        read_label(cell, label_words())


def test_the_users_own_words_win() -> None:
    words = label_words({"yes": 0, "no": 1, "partly": 0.5, "ممتاز": 5, 2: 0.25})
    assert [read_label(cell, words) for cell in ("YES", "no", "Partly", "ممتاز", 2, "2", 2.0)] == [
        (0.0, False), (1.0, False), (0.5, False), (5.0, False), (0.25, False), (0.25, False), (0.25, False),
    ]  # fmt: skip


def test_a_longer_scale_has_longer_fractions() -> None:
    assert read_label("7/10", label_words(), highest=10) == (7.0, False)


def test_a_number_is_the_same_however_it_is_written() -> None:
    """A column that a spreadsheet turned into 1.0 and 0.0 is turned round like one of 1 and 0."""
    for words in (label_words({1: 0, 0: 1}), label_words({1.0: 0, 0.0: 1}), label_words({"1": 0, "0": 1})):
        for cell in (1, 1.0, "1", "1.0", "١", "1,0"):
            assert read_label(cell, words) == (0.0, False), cell


def test_a_word_may_stand_for_no_label() -> None:
    words = label_words({"skipped": None, "متروك": None, 9: None})
    assert [read_label(cell, words) for cell in ("Skipped", "متروك", "9", 9.0)] == [None] * 4


@pytest.mark.parametrize("given", [{"x": "half"}, {"x": float("nan")}, {"x": [1]}, ["x"]])
def test_words_of_the_users_that_are_no_numbers(given: Any) -> None:
    with pytest.raises(ConfigError, match="human_labels"):
        label_words(given)
