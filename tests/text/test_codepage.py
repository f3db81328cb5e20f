from __future__ import annotations

import unicodedata
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.text import codepage

FOREIGN = "Ωб本"
words = st.sampled_from(["كلمة", "word", "Ωmega", "東京", "", "\n", "كلمة " * 12, "x" * 50, " " * 50])


def test_a_page_of_256_different_characters() -> None:
    page = codepage.PAGE.rstrip("\ufffe")
    assert len(codepage.PAGE) == 256
    assert len(set(page)) == len(page)
    assert page.startswith("".join(map(chr, range(128))))


def test_no_character_of_the_page_joins_another_but_by_a_mark_that_is_dropped() -> None:
    page = codepage.PAGE.rstrip("\ufffe")
    joining = {
        second
        for first in page
        for second in page
        if len(unicodedata.normalize("NFKC", first + second)) < len(unicodedata.normalize("NFKC", first)) + 1
    }
    assert joining == {"\u0653", "\u0654", "\u0655"}


@given(st.text(st.sampled_from(codepage.PAGE.rstrip("\ufffe"))))
def test_encoding_round_trips(text: str) -> None:
    data = codepage.encode(text)
    assert data is not None
    assert len(data) == len(text)
    assert codepage.decode(data) == text


def test_what_does_not_fit_is_said() -> None:
    assert codepage.encode("نص Ω") is None
    assert codepage.encode("\ufffe") is None
    assert codepage.encode("\ud83d") is None


@given(st.lists(words).map(" ".join))
def test_pieces_put_together_are_the_text(text: str) -> None:
    pieces = list(codepage.pieces(text))
    assert "".join(piece for piece, _ in pieces) == text
    assert all(codepage.encode(piece) is not None for piece, fits in pieces if fits)
    assert all(codepage.encode(piece) is None for piece, fits in pieces if not fits)
    assert all(before.endswith(" ") or after.startswith(" ") for (before, _), (after, _) in pairwise(pieces))


def test_one_foreign_name_leaves_the_rest_in_the_page() -> None:
    text = f"{'كلمة ' * 20}Ωmega{' كلمة' * 20}"
    assert [(len(piece), fits) for piece, fits in codepage.pieces(text)] == [(100, True), (5, False), (100, True)]


def test_a_translation_maps_and_drops() -> None:
    table, dropped = codepage.translation(lambda char: "" if char == "ب" else "ا" if char == "أ" else char)
    data = codepage.encode("أب1")
    assert data is not None
    assert codepage.decode(data.translate(table, dropped)) == "ا1"
