"""What NFKC alone would make read differently."""

from __future__ import annotations

import unicodedata

import pytest

from muffakir_eval.text.normalize import normalize_text
from muffakir_eval.text.profiles import PROFILES
from muffakir_eval.text.tokens import tokenize
from muffakir_eval.text.traps import HONORIFICS, TRAP_TABLE, TRAPS


def test_every_honorific_is_set_between_its_neighbours() -> None:
    for code, words in HONORIFICS.items():
        assert tokenize(f"قال{chr(code)}ثم") == ["قال", *tokenize(words), "ثم"], hex(code)


def test_an_honorific_that_nfkc_knows_is_the_same_words() -> None:
    for code in (0xFDFA, 0xFDFB):
        assert tokenize(HONORIFICS[code]) == tokenize(unicodedata.normalize("NFKC", chr(code)))


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("accent", "¨΅῁῍῎῏῝῞῟῭΅`´῾᾽")
def test_a_spaced_accent_is_the_same_taken_apart(accent: str, name: str) -> None:
    for text in (f"a{accent}b", accent, f"ب{accent}\u0301"):
        for form in ("NFC", "NFD"):
            assert normalize_text(unicodedata.normalize(form, text), name) == normalize_text(text, name)


def test_an_accent_of_another_kind_after_a_spaced_one_stays() -> None:
    assert normalize_text("a¨\u0303b") == "a \u0303b"
    assert normalize_text("don´t") == "don't"
    assert normalize_text("½\u0301") == "1/2 \u0301"


def test_the_pattern_finds_what_the_table_knows() -> None:
    assert [hex(code) for code in TRAP_TABLE if not TRAPS.fullmatch(chr(code))] == []


def test_no_number_sticks_to_its_neighbour() -> None:
    """A character that NFKC turns into digits is set apart, or brings a sign of its own."""
    stuck = []
    for code in range(0x80, 0x20000):
        plain = unicodedata.normalize("NFKC", chr(code))
        if plain != chr(code) and plain.isdecimal() and plain.isascii():
            together = normalize_text(f"7{chr(code)}")
            if together == f"7{plain}" and unicodedata.category(chr(code)) != "Nd":
                stuck.append(hex(code))
    assert stuck == []
