"""Single values of cells."""

from __future__ import annotations

import datetime
import decimal
import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.datasets.cells.strict_json import SpelledFloat
from muffakir_eval.datasets.cells.text import (
    CellError,
    as_list,
    is_plain,
    iso_text,
    metadata_value,
    shown,
    to_bool,
    to_number,
    to_text,
)

DAY = datetime.date(2024, 1, 5)


@given(st.text(min_size=1).filter(lambda text: not text.isspace()))
def test_text_is_verbatim(text: str) -> None:
    assert to_text(text) == text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (7, "7"),
        (7.0, "7"),
        (1e5, "100000"),
        (1e22, "1e+22"),
        (0.1, "0.1"),
        (SpelledFloat("7.0"), "7.0"),
        (SpelledFloat("1e5"), "1e5"),
        (True, "True"),
        (np.float64(7.0), "7"),
        (np.int32(3), "3"),
        (np.bool_(False), "False"),
        (decimal.Decimal("1.50"), "1.50"),
        (DAY, "2024-01-05"),
        (datetime.datetime.fromisoformat("2024-01-05"), "2024-01-05"),
        (datetime.datetime.fromisoformat("2024-01-05T10:30"), "2024-01-05T10:30:00"),
        (datetime.datetime(2024, 1, 5, tzinfo=datetime.UTC), "2024-01-05T00:00:00+00:00"),
        (pd.Timestamp("2024-01-05"), "2024-01-05"),
        (datetime.time(9, 5), "09:05:00"),
        (datetime.timedelta(hours=30), "1 day, 6:00:00"),
        (None, None),
        (math.nan, None),
        (pd.NA, None),
        (pd.NaT, None),
        ("", None),
        (" \n\t", None),
        ("\u200f", "\u200f"),
    ],
)
def test_other_values_as_text(value: Any, expected: str | None) -> None:
    assert to_text(value) == expected


def test_true_and_false_are_spelled_as_the_file_spells_them() -> None:
    assert [to_text(value, ("TRUE", "FALSE")) for value in (True, False, np.bool_(True))] == ["TRUE", "FALSE", "TRUE"]


@pytest.mark.parametrize("value", [["a"], ("a",), {"a": 1}, np.array(["a"]), b"a", {"a"}])
def test_what_is_no_single_text_is_an_error(value: Any) -> None:
    with pytest.raises(CellError, match="the cell holds"):
        to_text(value)


@pytest.mark.parametrize(
    "value", [True, 1, 1.0, "true", "TRUE", " Yes ", "1", "نعم", SpelledFloat("1.0"), np.bool_(True)]
)
def test_yes(value: Any) -> None:
    assert to_bool(value) is True


@pytest.mark.parametrize("value", [False, 0, 0.0, "False", "no", "0", "لا", np.int64(0)])
def test_no(value: Any) -> None:
    assert to_bool(value) is False


@pytest.mark.parametrize("value", [None, "", " ", math.nan])
def test_neither_yes_nor_no_where_nothing_is_said(value: Any) -> None:
    assert to_bool(value) is None


@pytest.mark.parametrize("value", ["maybe", "2", 2, 0.5, "x", "صحيح"])
def test_anything_else_is_an_error_that_lists_the_words(value: Any) -> None:
    with pytest.raises(CellError) as caught:
        to_bool(value)
    assert "نعم" in str(caught.value.expected)


@pytest.mark.parametrize(
    ("value", "number"), [("3", 3.0), (2, 2.0), (" 1.5 ", 1.5), ("", None), (None, None), ("1e3", 1000.0)]
)
def test_numbers(value: Any, number: float | None) -> None:
    assert to_number(value) == number


@pytest.mark.parametrize("value", ["three", "nan", "inf", "1_000", True, "1,5", math.inf])
def test_what_is_no_number_is_an_error(value: Any) -> None:
    with pytest.raises(CellError, match="the cell says"):
        to_number(value)


@pytest.mark.parametrize(
    ("value", "items"),
    [
        ([1, 2], [1, 2]),
        ((1, 2), [1, 2]),
        ({"b", "a"}, ["a", "b"]),
        (np.array(["a", "b"]), ["a", "b"]),
        (pd.Series(["a"]), ["a"]),
        (np.array([[1], [2]]), [[1], [2]]),
        ("ab", None),
        (b"ab", None),
        ({"a": 1}, None),
        (np.float64(1.0), None),
        (np.array(3), None),
        (None, None),
        (object(), None),
    ],
)
def test_lists_of_every_kind(value: Any, items: list[Any] | None) -> None:
    assert as_list(value) == items


def test_a_long_value_is_cut_in_messages() -> None:
    assert shown("x" * 100) == "'" + "x" * 59 + "…"


def test_iso_text_of_a_time() -> None:
    assert iso_text(datetime.time(1, 2, 3)) == "01:02:03"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (SpelledFloat("1.50"), 1.5),
        (math.nan, None),
        (math.inf, None),
        (pd.NA, None),
        (pd.NaT, None),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.array([1.0, math.nan]), [1.0, None]),
        (pd.Timestamp("2024-01-05 10:00"), "2024-01-05T10:00:00"),
        (DAY, "2024-01-05"),
        ({"a": {1: SpelledFloat("2.0")}}, {"a": {"1": 2.0}}),
        ([{"a": math.nan}], [{"a": None}]),
        ({3, 1}, [1, 3]),
        (decimal.Decimal("1.5"), "1.5"),
        ("", ""),
        (" ", " "),
    ],
)
def test_metadata_is_something_that_json_can_hold(value: Any, expected: Any) -> None:
    found = metadata_value(value)
    assert found == expected
    assert type(found) is type(expected)
    json.dumps(found, allow_nan=False)


@given(st.text())
def test_a_plain_text_is_never_blank_nor_a_list(text: str) -> None:
    assert is_plain(text) == (bool(text) and not text.isspace() and text[0] not in "[{ \t\r\n")
