"""Lists that are written into one cell."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.datasets.cells.lists import (
    list_in_text,
    numbered_passages,
    object_in_text,
    parse_literal,
    text_list_in_text,
)
from muffakir_eval.datasets.cells.text import CellError


@given(st.lists(st.text()))
def test_json_lists_of_texts_come_back(items: list[str]) -> None:
    assert list_in_text(json.dumps(items)) == items
    assert text_list_in_text(json.dumps(items, ensure_ascii=False)) == items


@given(st.lists(st.text()))
def test_python_lists_of_texts_come_back(items: list[str]) -> None:
    assert list_in_text(repr(items)) == items
    assert text_list_in_text(repr(items)) == items


@given(st.lists(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False))))
def test_lists_of_other_values_come_back_in_both_spellings(items: list[Any]) -> None:
    assert list_in_text(json.dumps(items)) == items
    assert list_in_text(repr(items)) == items


@pytest.mark.parametrize("text", ["c1", "c1|c2", "a;b", "a, b", "(1, 2)", "[", "]", "[a] b", "a [b]", "", " "])
def test_plain_values_are_no_lists(text: str) -> None:
    assert list_in_text(text) is None
    assert text_list_in_text(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "[a, b]",
        "['a' 'b']",  # numpy prints so, and Python would glue the two together
        "['a'\n 'b']",
        '["a" "b"]',
        "['a', nan]",
        "[NaN]",
        "[array(['a'], dtype=object)]",
        r"['C:\data']",  # an escape that repr() never writes
        "[" * 5_000 + "]",
        '[{"a": 1, "a": 2}]',
        "[{'a': 1, 'a': 2}]",
    ],
)
def test_a_broken_list_is_an_error_for_identifiers(text: str) -> None:
    with pytest.raises(CellError, match="looks like a list and does not parse"):
        list_in_text(text)


@pytest.mark.parametrize("text", ["['a' 'b']", '["a", "b]', "[ 'a', ]]", "[{x}]", "[[a]]"])
def test_a_text_that_begins_like_a_list_of_texts_must_be_one(text: str) -> None:
    with pytest.raises(CellError, match="does not parse"):
        text_list_in_text(text)


@pytest.mark.parametrize("text", ["[مادة 5] نص [1]", "[مادة 5]", "[غير مذكور في النص]", "[1] نص [2]", "[5, x]"])
def test_prose_between_brackets_is_prose(text: str) -> None:
    assert text_list_in_text(text) is None


def test_the_remedy_shows_how_to_write_a_list() -> None:
    with pytest.raises(CellError) as caught:
        list_in_text("[a]")
    assert caught.value.remedy == 'write it as JSON, ["a", "b"], or as one plain text'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 3}', {"a": 3}),
        ("{'a': 3}", {"a": 3}),
        ("{}", {}),
        ("{1, 2}", None),
        ("{نص}", None),
        ("a", None),
        ("[1]", None),
    ],
)
def test_objects(text: str, value: dict[str, Any] | None) -> None:
    assert object_in_text(text) == value


def test_bare_constants_are_refused() -> None:
    with pytest.raises(ValueError, match="NaN"):
        parse_literal("[1, NaN]")


@pytest.mark.parametrize(
    ("text", "passages"),
    [
        ("[1] أول\n[2] ثان\n[3] ثالث", ["أول", "ثان", "ثالث"]),
        ("[1] أول [2] ثان", ["أول", "ثان"]),
        ("  [1]أول\n\n [2]ثان\n", ["أول", "ثان"]),
        ("[1] كما في [7] منه\n[2] ثان", ["كما في [7] منه", "ثان"]),  # other numbers inside a line
        ("[1] أول\n[2]", ["أول", ""]),
    ],
)
def test_numbered_passages(text: str, passages: list[str]) -> None:
    assert numbered_passages(text) == passages


@pytest.mark.parametrize(
    "text",
    [
        "",
        "أول",
        "[1] أول",  # one passage needs no number: a footnote rather
        "[2] أول\n[3] ثان",
        "[1] أول\n[3] ثالث",
        "[1] أول [1] ثان",
        "[35] كما يوجد[36] منها",
        "[1] قال كذا[2] ثم كذا",  # glued to a word: a reference
        "[1] كما ورد في [2] ثم [9]",
        "[٢] أول",
    ],
)
def test_other_brackets_are_no_numbering(text: str) -> None:
    assert numbered_passages(text) is None


@given(st.lists(st.text(alphabet="ابتث جحخ\n", min_size=1).map(str.strip).filter(bool), min_size=2, max_size=12))
def test_numbering_by_lines_can_be_undone(passages: list[str]) -> None:
    text = "\n".join(f"[{number}] {passage}" for number, passage in enumerate(passages, start=1))
    assert numbered_passages(text) == passages


@pytest.mark.parametrize("text", ['["نعم", "أجل"', "['x', 'y", '["a\\"b", "c"', '  [ "1" , "2'])
@pytest.mark.parametrize("read", [list_in_text, text_list_in_text])
def test_a_list_that_was_cut_is_an_error(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(CellError, match="has no closing bracket"):
        read(text)


@pytest.mark.parametrize("text", ['["a", "b"] هي القائمة', '["قال", ثم قال "نعم"', '["نص', "[مادة 5"])
def test_prose_that_begins_with_a_bracket_is_no_cut_list(text: str) -> None:
    assert text_list_in_text(text) is None
