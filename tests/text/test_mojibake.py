"""Text read in the wrong encoding is told from text with accents, and reads well afterwards."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.text.mojibake import garbled_spans, repair_mojibake

ARABIC = "تسري أحكام هذا القانون على العقود المبرمة بعد صدوره، وفقًا للمادة ١٤٧."
ENGLISH = "It’s a “naïve” approach — the café’s résumé, for €5."


def as_1252(text: str) -> str:
    """UTF-8 read as cp1252, and as Latin-1 where that has no character."""
    return "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in text.encode("utf-8"))


@pytest.mark.parametrize("text", [ARABIC, ENGLISH, "متن فارسی: می‌خواهم کتاب بخرم", "Это русский текст"])
def test_utf8_read_as_cp1252_is_repaired(text: str) -> None:
    assert repair_mojibake(as_1252(text)) == text


@pytest.mark.parametrize("text", [ARABIC, ENGLISH])
def test_what_was_garbled_twice_is_repaired_twice(text: str) -> None:
    assert repair_mojibake(as_1252(as_1252(text))) == text


def test_utf8_read_as_latin_1_is_repaired() -> None:
    assert repair_mojibake(ARABIC.encode("utf-8").decode("latin-1")) == ARABIC


def test_utf8_read_as_cp1256_is_repaired() -> None:
    text = "العربية لغة جميلة"
    assert repair_mojibake(text.encode("utf-8").decode("cp1256")) == text


@pytest.mark.parametrize("codec", ["cp1252", "latin-1"])
def test_cp1256_read_as_cp1252_is_repaired(codec: str) -> None:
    text = "مرحبا بالعالم"
    assert repair_mojibake(text.encode("cp1256").decode(codec)) == text


@pytest.mark.parametrize(
    "text",
    [
        ARABIC,
        ENGLISH,
        "Le résumé de la naïveté über die Größe des Cafés à Noël, où l'été …",
        "São Paulo: AÇÃO, NÃO, IRMÃ, MAÇÃ; Þórður Ægisson; Łódź, Kraków",
        "à « côté » : 25 °C ± 2 µm, ½ × 3²; £5, ©®™",
        "خط، وحظ؛ وبساط؟ ولفظ» ووعظ…",
        "متن فارسی با حروف پ چ ژ گ و کلمهٔ عطرگل و غچه و ظک",
        "هذا طبق©ط®",
        "Â° alone",
        "",
        "\ud83d Ø\udfff§",
    ],
)
def test_what_is_right_is_left_alone(text: str) -> None:
    assert garbled_spans(text) == []
    assert repair_mojibake(text) == text


def test_only_the_garbled_words_are_changed() -> None:
    assert repair_mojibake("كتب Ø§Ù„Ø³Ù„Ø§Ù… هنا, café") == "كتب السلام هنا, café"


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.characters(min_codepoint=0x621, max_codepoint=0x64A), min_size=4, max_size=40))
def test_any_arabic_letters_come_back(text: str) -> None:
    assert repair_mojibake(as_1252(text)) == text


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_spans_lie_in_the_text_in_order(text: str) -> None:
    ends = 0
    for start, end, read in garbled_spans(text):
        assert ends <= start < end <= len(text)
        assert len(read) < end - start or read != text[start:end]
        ends = end
