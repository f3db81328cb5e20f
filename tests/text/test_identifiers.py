"""Identifiers are text from start to end."""

from __future__ import annotations

import datetime
import decimal
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.text.identifiers import clean_id, is_missing


@pytest.mark.parametrize(
    "value",
    [12, "12", 12.0, "12.0", " 12 ", np.int64(12), np.float64(12.0), np.float32(12.0), decimal.Decimal("12.0")],
)
def test_twelve_is_one_identifier_however_it_is_stored(value: Any) -> None:
    assert clean_id(value) == "12"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("007", "007"),
        ("007.0", "007.0"),
        ("12.00", "12.00"),
        ("1.10", "1.10"),
        ("1.5", "1.5"),
        (1.5, "1.5"),
        ("1e5", "1e5"),
        (1e5, "100000"),
        ("-3.0", "-3"),
        (-0.0, "0"),
        ("-0.0", "0"),
        ("0.0", "0"),
        (9007199254740993, "9007199254740993"),
        ("9007199254740993", "9007199254740993"),
        (1e22, "10000000000000000000000"),
        ("١٢", "١٢"),
        ("مادة 5", "مادة 5"),
        ("a b", "a b"),
        ("nan", "nan"),
        ("None", "None"),
        (True, "true"),
        (False, "false"),
        (np.bool_(True), "true"),
        (np.str_("c1"), "c1"),
    ],
)
def test_an_identifier_is_what_was_typed(value: Any, expected: str) -> None:
    assert clean_id(value) == expected
    assert type(clean_id(value)) is str


@pytest.mark.parametrize("mark", ["\u200f", "\u200e", "\ufeff", "\u202b", "\u2069", "\u061c", "\u00a0", "\u200b", "\n"])
def test_marks_at_the_ends_come_from_copying_and_do_not_count(mark: str) -> None:
    assert clean_id(f"{mark}EG-1{mark}") == "EG-1"
    assert clean_id(f"EG{mark}1") == f"EG{mark}1"


@pytest.mark.parametrize(
    "value",
    [None, "", " ", "\u200f", math.nan, math.inf, -math.inf, np.nan, np.float32("nan"), pd.NA, pd.NaT, b"12",
     bytearray(b"1"), decimal.Decimal("NaN"), np.datetime64("NaT", "s")],
)  # fmt: skip
def test_what_says_nothing_is_no_identifier(value: Any) -> None:
    assert clean_id(value) is None


@pytest.mark.parametrize("value", [None, "", " \n", math.nan, pd.NA, pd.NaT, np.float64("nan"), decimal.Decimal("nan")])
def test_missing(value: Any) -> None:
    assert is_missing(value)


@pytest.mark.parametrize(
    "value",
    [0, 0.0, False, "0", "NaN", "None", [], {}, [math.nan], np.array([1, 2]), datetime.date(2024, 1, 5), object()],
)
def test_not_missing(value: Any) -> None:
    assert not is_missing(value)


@given(st.one_of(st.text(), st.integers(), st.floats(), st.booleans(), st.none()))
def test_cleaning_is_idempotent(value: Any) -> None:
    once = clean_id(value)
    assert clean_id(once) == once


@given(st.integers())
def test_integers_and_their_text_are_the_same(number: int) -> None:
    assert clean_id(number) == clean_id(str(number)) == str(number)


@given(st.integers(min_value=-(2**53), max_value=2**53))
def test_a_float_that_is_whole_is_the_integer(number: int) -> None:
    assert clean_id(float(number)) == clean_id(f"{number}.0") == str(number)
