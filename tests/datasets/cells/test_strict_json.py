"""JSON without losses."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.datasets.cells.strict_json import JsonReader, SpelledFloat

VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=10,
)


@given(VALUES)
def test_it_reads_what_json_reads(value: Any) -> None:
    text = json.dumps(value)
    reader = JsonReader()
    assert reader.decode(text) == json.loads(text)
    assert reader.decode(f" \r\n{text}\n") == json.loads(text)
    assert reader.constants == []


def test_numbers_keep_their_spelling() -> None:
    value = JsonReader().decode("[1.50, 1e5, 7.0, 9007199254740993]")
    assert [getattr(number, "spelling", number) for number in value] == ["1.50", "1e5", "7.0", 9007199254740993]
    assert value[:3] == [1.5, 100000.0, 7.0]


def test_a_spelled_number_pickles_as_a_plain_one() -> None:
    copied = pickle.loads(pickle.dumps(SpelledFloat("1.50")))
    assert type(copied) is float
    assert copied == 1.5


def test_constants_are_missing_and_reported() -> None:
    reader = JsonReader()
    assert reader.decode('{"a": NaN, "b": [-Infinity, Infinity]}') == {"a": None, "b": [None, None]}
    assert reader.constants == ["NaN", "-Infinity", "Infinity"]


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '[{"b": {"a": 1, "x": 2, "a": 1}}]'])
def test_a_key_that_stands_twice_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="'a' stands twice in one object"):
        JsonReader().decode(text)


@pytest.mark.parametrize("text", ["", " ", "{", "{} {}", "[1,]", "{'a': 1}", "nan", '"\t"', "1 x"])
def test_what_is_no_json_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):
        JsonReader().decode(text)


def test_the_error_tells_the_position() -> None:
    with pytest.raises(json.JSONDecodeError, match="line 2 column 3"):
        JsonReader().decode("{\n  a: 1}")


@pytest.mark.parametrize("text", ["[" * 200_000, " " + "[" * 200_000])
def test_nesting_without_end_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="nests too deeply"):
        JsonReader().decode(text)
