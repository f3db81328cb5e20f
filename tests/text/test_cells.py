"""Cells that no spreadsheet runs, restored exactly."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.text.cells import neutralise_cell, restore_cell

_PIECES = st.one_of(
    st.sampled_from([*"'\"=+-@＝＋－＠\\u0d8ax \t\r\n\u200b\u200f\ufeff\u2066\u3164\x00\ud83d\udc00;,", "\u064b"]),
    st.sampled_from(["\\u0000", "\\ud83d", "السؤال"]),
    st.characters(),
)
HOSTILE = st.lists(_PIECES, max_size=12).map("".join)

FORMULAS = [
    '=HYPERLINK("http://x.test")',
    " =1+1",
    "\u200b=1+1",
    "@SUM(A1)",
    "- البند الأول",
    "+20 100 000 0000",
    "-0.5",
    "\ufeff=1+1",
    "\u200f\u202b =1+1",
    "\u2066=1+1\u2069",
    "\x01=1+1",
    "\n\n=1+1",
    "\xa0=1+1",
    "\u3164=1+1",
    "\ufe0f=1+1",
    "＝1+1",
    "＋1",
    "－1",
    "＠SUM(A1)",
    "﹣1",
    "\tplain text after a tab",
    "\rplain text after a carriage return",
    "=",
    "'=1+1",
    "'''- item",
    "'\t",
]

HARMLESS = [
    "",
    " ",
    "\u200b",
    "عاصمة مصر هي القاهرة",
    "a = b",
    "1-2",
    "(=1)",
    "'tis",
    "'",
    "'''",
    '"=1"',
    "•- item",
    "−5 is a minus sign of its own",
    "\u200b'=1+1",
    "\nplain text after a newline",
    "C:\\users\\udacity",
    "\\u0627 is an alef",
    "😀 = joy",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_get_one_apostrophe(text: str) -> None:
    assert neutralise_cell(text) == f"'{text}"
    assert restore_cell(f"'{text}") == text


@pytest.mark.parametrize("text", HARMLESS)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert neutralise_cell(text) == text
    assert restore_cell(text) == text


@pytest.mark.parametrize("text", ["=1+1", " =1", "- البند", "'abc", "''", "\t"])
def test_what_we_never_write_is_read_as_it_is(text: str) -> None:
    assert restore_cell(text) == text


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("\ud83d", "\\ud83d"),
        ("a\x00b", "a\\u0000b"),
        ("\\ud83d", "\\\\ud83d"),
        ("\\\ud83d", "\\\\\\ud83d"),
        ("\\\\u0000", "\\\\\\\\u0000"),
        ("=\udfff", "'=\\udfff"),
        ("\x00=1", "\\u0000=1"),
        ("😀", "😀"),
        ("ud83d u0000", "ud83d u0000"),
        ("\\uD83D \\ud7ff \\ue000 \\u0001", "\\uD83D \\ud7ff \\ue000 \\u0001"),
    ],
)
def test_what_utf8_cannot_hold_is_spelled_out(text: str, cell: str) -> None:
    assert neutralise_cell(text) == cell
    assert restore_cell(cell) == text


def test_a_cell_that_is_only_half_ours_stays_as_it_is() -> None:
    assert restore_cell("=\\ud83d") == "=\\ud83d"


@settings(max_examples=300, deadline=None)
@given(HOSTILE)
def test_every_text_comes_back(text: str) -> None:
    cell = neutralise_cell(text)
    assert restore_cell(cell) == text
    assert "\x00" not in cell
    assert cell.encode("utf-8").decode("utf-8") == cell


@settings(max_examples=300, deadline=None)
@given(HOSTILE)
def test_reading_changes_only_what_writing_made(text: str) -> None:
    original = restore_cell(text)
    assert original == text or neutralise_cell(original) == text


@settings(max_examples=200, deadline=None)
@given(
    st.text(alphabet=st.sampled_from(" \t\r\n\u200b\u200f\ufeff\u3164"), max_size=4), st.sampled_from("=+-@＝＋－＠")
)
def test_nothing_invisible_hides_a_formula(before: str, start: str) -> None:
    assert neutralise_cell(f"{before}{start}1").startswith("'")


def test_rows_of_backslashes_and_quotes_come_back() -> None:
    """Tried from each backslash anew, these would take an hour."""
    for text in ("\\" * 1_000_000, "\\u000" * 200_000, "\\\x00" * 200_000, "'" * 1_000_000 + "="):
        assert restore_cell(neutralise_cell(text)) == text
