"""Faults planted in clean text: each is found where it was planted, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from muffakir_eval.audit.health.faults import excerpt
from muffakir_eval.text.mojibake import repair_mojibake
from tests.audit.health.corpora import Examine

_FORMS = str.maketrans(
    {
        "ل": "\ufedf",
        "م": "\ufee3",
        "ع": "\ufecb",
        "ي": "\ufef3",
        "ن": "\ufee7",
        "ه": "\ufeeb",
        "ت": "\ufe97",
        "ا": "\ufe8e",
        "ة": "\ufe94",
    }
)

PLANTS: dict[str, Callable[[str], str]] = {
    "mojibake": lambda text: text.encode("utf-8").decode("latin-1"),
    "replacement_character": lambda text: text.replace("ا", "\ufffd"),
    "presentation_forms": lambda text: text.translate(_FORMS),
    "reversed_text": lambda text: "\n".join(line[::-1] for line in text.split("\n")),
    "letters_apart": lambda text: " ".join(text.replace(" ", "")),
    "missing_spaces": lambda text: text.replace(" ", ""),
    "unmapped_glyphs": lambda text: text + " (cid:1127)(cid:12)",
    "mixed_code_points": lambda text: text.replace("ي", "ی", 1),
    "tatweel": lambda text: text + " كـــتاب",
    "bidi_controls": lambda text: text + "\u202b",
    "invisible_characters": lambda text: text[:20] + "\u200b" + text[20:],
    "control_characters": lambda text: text[:20] + "\x00" + text[20:],
    "lone_surrogate": lambda text: text + "\ud83d",
    "unicode_not_nfc": lambda text: text + " الا\u0655سلام",
    "html_remains": lambda text: f"<p>{text}</p>&nbsp;",
    "swapped_lam_alef": lambda text: text + " األول واإلسالم",
    "empty_chunk": lambda text: " \u200f\u200b\n",
    "tiny_chunk": lambda text: "الباب الأول",
}
ALONE: dict[str, set[str]] = {
    # what a fault brings with it
    "mojibake": {"control_characters", "language_mix", "invisible_characters"},
    "letters_apart": {"digits_mixed"},
    "reversed_text": {"bidi_controls"},
    "empty_chunk": {"invisible_characters", "bidi_controls"},
    "missing_spaces": set(),
}
ERRORS = {
    "mojibake",
    "replacement_character",
    "presentation_forms",
    "reversed_text",
    "letters_apart",
    "lone_surrogate",
    "empty_chunk",
}
EVERYWHERE = {"digits_mixed"}


@pytest.mark.parametrize("code", PLANTS)
def test_each_planted_fault_is_found_at_its_exact_count(code: str, clean: tuple[str, ...], examine: Examine) -> None:
    places = [3, 10, 11, 40]
    texts = [PLANTS[code](text) if row in places else text for row, text in enumerate(clean)]
    report = examine(texts)
    found = report.finding(code)
    assert found is not None
    assert (found.count, found.total, found.unit) == (4, len(clean), "chunks")
    assert [example.at.ordinal for example in found.examples] == places
    assert all(len(example.excerpt) <= 160 and example.detail for example in found.examples)
    assert all(example.excerpt in texts[example.at.ordinal] for example in found.examples)
    assert (found.severity == "error") == (code in ERRORS)
    assert found.remedy
    assert str(found.count) in found.message
    others = {other.code for other in report.findings} - {code} - EVERYWHERE
    assert others <= ALONE.get(code, set()) | {"exact_duplicate"}


def test_clean_text_has_no_fault(clean: tuple[str, ...], examine: Examine) -> None:
    assert {found.code for found in examine(clean).findings} == EVERYWHERE


@pytest.mark.parametrize(
    "text",
    [
        "قال رسول الله ﷺ: «من قال ﷲ أكبر» ﴿قل هو الله أحد﴾ وقبض ﷼ ٥٠٠ في عام ٢٠٠٥ من الميلاد",
        "في عام 1440 هـ، أي ما يوافق 2018 م، صدر القانون لـ«الشركة» بـ٥٠ مادة",
        "می‌خواهم کتابی دربارهٔ ایران و پیشینهٔ آن بخوانم، چون که گفته‌اند بسیار خوب است و ژرف",
        "یہ کتاب بہت اچھی ہے اور میں نے اسے پڑھ لیا ہے، آپ بھی پڑھیں اور دوستوں کو بتائیں",
        "بعض الكلمات مثل (ک و م) والكردية كۆماری عێراق في العراق القديم والحديث معًا في نص واحد",
        "الحروف: أ، ب، ت، ث، ج، ح، خ، د في المعجم العربي القديم",
        "هل تعلم؟؟؟ ماذا??? نعم!!! في هذا اليوم من أيام السنة",
        "if a < b && c > d: x = y & z; AT&T, R&D <3 and 5 < 6 in the code of the program",
        "👨‍👩‍👧 العائلة ✌️ سعيدة في هذا اليوم الجميل من أيام السنة",
        "ราชอาณาจักรไทยเป็นประเทศที่ตั้งอยู่ในเอเชียตะวันออกเฉียงใต้มีพรมแดนติดกับลาวและกัมพูชา",
        "ACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTAC",
    ],
)
def test_what_looks_odd_and_is_right_is_no_fault(text: str, examine: Examine) -> None:
    expected = {"missing_spaces"} if text.startswith("ACGT") else set()
    assert {found.code for found in examine([text]).findings} <= expected | {"tiny_chunk", "digits_mixed"}


def test_a_single_ruined_chunk_of_thousands_is_a_warning(clean: tuple[str, ...], examine: Examine) -> None:
    texts = [f"{text} ({turn})" for turn in range(20) for text in clean]
    texts[7] = PLANTS["mojibake"](texts[7])
    found = examine(texts).finding("mojibake")
    assert found is not None
    assert (found.count, found.severity) == (1, "warning")
    texts[8] = PLANTS["mojibake"](texts[8])
    found = examine(texts).finding("mojibake")
    assert found is not None
    assert (found.count, found.severity) == (2, "error")


def test_one_ligature_in_a_long_text_ruins_nothing(clean: tuple[str, ...], examine: Examine) -> None:
    found = examine([clean[0] + " \ufefb", *clean[1:]]).finding("presentation_forms")
    assert found is not None
    assert found.severity == "warning"


def test_lost_letters_are_rows_of_question_marks(examine: Examine) -> None:
    found = examine(["???? ?????? ??? ?????? ?? ????? 2024"]).finding("replacement_character")
    assert found is not None
    assert found.severity == "error"
    assert "6 words" in found.examples[0].detail


def test_balanced_bidi_controls_are_worth_knowing_only(examine: Examine) -> None:
    balanced = examine(["الرمز \u2066ABC-1\u2069 هو \u202aX\u202c رمز المنتج \u200f."]).finding("bidi_controls")
    stray = examine(["الرمز \u2066ABC-1 هو رمز \u202c المنتج"]).finding("bidi_controls")
    assert balanced is not None
    assert balanced.severity == "info"
    assert stray is not None
    assert stray.severity == "warning"
    assert "2 of them without" in stray.examples[0].detail


def test_the_true_reading_is_shown(clean: tuple[str, ...], examine: Examine) -> None:
    garbled = clean[0][:60].encode("utf-8").decode("latin-1")
    detail = examine([garbled]).finding("mojibake").examples[0].detail  # type: ignore[union-attr]
    assert detail == f"should read: {repair_mojibake(garbled)}" == f"should read: {clean[0][:60]}"
    backwards = clean[5].split("\n")[0][::-1] + "\n" + clean[5].split("\n")[1][::-1]
    detail = examine([backwards]).finding("reversed_text").examples[0].detail  # type: ignore[union-attr]
    assert detail == f"should read: {clean[5].splitlines()[0]}"


def test_a_letter_of_another_script_inside_an_arabic_word_is_a_glyph(examine: Examine) -> None:
    found = examine(["جاء الباب الثاني و\u0467\u0467قد صدر في عام سابق", "النص \ue005 هنا في الكتاب"]).finding(
        "unmapped_glyphs"
    )
    assert found is not None
    assert found.count == 2


def test_an_excerpt_is_of_the_raw_text_around_the_fault() -> None:
    text = "س" * 500 + "\x00" + "ص" * 500
    cut = excerpt(text, 500)
    assert len(cut) == 160
    assert "\x00" in cut
    assert excerpt("قصير", 2) == "قصير"
