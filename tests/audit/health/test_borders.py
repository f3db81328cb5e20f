"""What two neighbours show: an overlap, a cut word, a sentence that goes on."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.audit.health.borders import Border, begins_with_mark
from muffakir_eval.audit.health.borders import border as border_flags


def border(before: str, after: str) -> Border:
    return Border(border_flags(before, after))


PROSE = (
    "صدر القانون المدني في عام 1948. وهو ينظم العقود والالتزامات بين الأفراد في المجتمع. "
    "وتسري أحكامه على جميع المعاملات التي تتم داخل حدود الدولة. "
)


def test_windows_that_overlap_know_what_stands_behind_their_ends() -> None:
    before, after = PROSE[:98], PROSE[58:150]
    assert (PROSE[97:99] + PROSE[57:59]).isalpha()
    found = border(before, after)
    assert Border.OVERLAP | Border.ENDS_INSIDE_WORD | Border.BEGINS_INSIDE_WORD in found
    assert Border.TOUCHING_LETTERS not in found


def test_windows_of_whole_words_overlap_without_a_cut() -> None:
    words = PROSE.split()
    found = border(" ".join(words[:15]), " ".join(words[8:25]))
    assert Border.OVERLAP in found
    assert not found & (Border.ENDS_INSIDE_WORD | Border.BEGINS_INSIDE_WORD)


def test_a_passage_that_is_repeated_elsewhere_is_no_overlap() -> None:
    before = "نظام الاتحاد الجمهوريات السوفيتية الاشتراكية دولة دستورية شيوعية"
    after = "اتحاد الجمهوريات السوفيتية الاشتراكية دولة كبرى"
    assert Border.OVERLAP not in border(before, after)


@pytest.mark.parametrize(
    ("before", "after", "touching"),
    [
        ("نصت المادة على أن العق", "د شريعة المتعاقدين", True),
        ("نصت المادة على أن ", "العقد شريعة المتعاقدين", False),
        ("نصت المادة على الآتي:", "العقد شريعة المتعاقدين", False),
        ("the contra", "ct says", True),
        ("在法国", "的首都", False),
        ("ราชอาณา", "จักรไทย", False),
        ("عام 20", "24 ميلادي", False),
        ("هذا كتابُ", "ها", True),
        ("", "نص", False),
        ("نص", "", False),
    ],
)
def test_letters_that_touch(before: str, after: str, touching: bool) -> None:
    assert (Border.TOUCHING_LETTERS in border(before, after)) is touching


@pytest.mark.parametrize(
    ("end", "start", "expected"),
    [
        ("وهذا آخر ما في المادة.", "وتسري أحكام أخرى على ما سبق ذكره من العقود والالتزامات كلها", Border.PROSE),
        ("هل هذا هو آخر ما في المادة؟»", "وتسري أحكام أخرى على ما سبق ذكره من العقود والالتزامات", Border.PROSE),
        ("وهذا ما نصت عليه المادة", "الأولى من القانون المدني في شأن العقود والالتزامات بين الناس", Border.OPEN_END),
        ("وهذا ما نصت عليه المادة في", "القانون المدني في شأن العقود والالتزامات بين الناس", Border.MID_SENTENCE),
        ("This was seen by all. Then we", "went home and slept until the sun came up again.", Border.MID_SENTENCE),
        ("وهذا ما نصت عليه المادة", "، وهي مادة في شأن العقود والالتزامات بين الناس في البلاد", Border.MID_SENTENCE),
    ],
)
def test_sentences_that_go_on(end: str, start: str, expected: Border) -> None:
    found = border(PROSE + end, start.ljust(70, "."))
    assert Border.PROSE in found
    assert expected in found
    stronger = {Border.PROSE: Border.OPEN_END, Border.OPEN_END: Border.MID_SENTENCE}.get(expected, Border.NOTHING)
    assert not found & stronger


@pytest.mark.parametrize(
    "after",
    [
        "- البند الأول من بنود العقد المبرم بين الطرفين في هذا اليوم من الأيام",
        "المادة 5 من القانون المدني في شأن العقود والالتزامات بين الناس جميعًا",
        "عنوان الفصل\nوهذا نص الفصل الذي يتحدث عن العقود والالتزامات بين الناس",
        "2. البند الثاني من بنود العقد المبرم بين الطرفين في هذا اليوم من الأيام",
        "نص قصير",
    ],
)
def test_titles_lists_and_short_pieces_say_nothing_of_sentences(after: str) -> None:
    assert Border.PROSE not in border(PROSE + "وهذا ما نصت عليه", after)


def test_text_without_full_stops_says_nothing_of_sentences() -> None:
    assert Border.PROSE not in border("كلمة " * 40 + "في", "كلمة " * 40)


def test_a_mark_that_was_cut_from_its_letter_leaves_no_doubt() -> None:
    found = border("هذا كتاب", "\u064fها القديم")
    assert Border.ENDS_INSIDE_WORD in found
    assert Border.TOUCHING_LETTERS not in found


def test_a_mark_belongs_on_the_letter_before_it() -> None:
    assert begins_with_mark("\u0651كتب")
    assert not any(map(begins_with_mark, ("كتبَ", "", "\u0903", "e\u0301", "ـ")))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_have_a_border(before: str, after: str) -> None:
    assert Border.SAME_SOURCE in border(before, after)


@settings(max_examples=100, deadline=None)
@given(st.integers(30, 120), st.integers(20, 100))
def test_a_cut_that_an_overlap_shows_is_exactly_where_two_letters_meet(size: int, step: int) -> None:
    if size - step < 24:
        return
    before, after = PROSE[:size], PROSE[step : step + size]
    found = border(before, after)
    ends = PROSE[size - 1].isalnum() and PROSE[size].isalnum()
    begins = PROSE[step - 1].isalnum() and PROSE[step].isalnum()
    assert bool(found & Border.ENDS_INSIDE_WORD) is ends
    assert bool(found & Border.BEGINS_INSIDE_WORD) is begins
