from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.text.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        # an answer of three sentences that end in ؟, ؛ and a line break
        ("ما عاصمة مصر؟ عاصمتها القاهرة؛ وهي أكبر مدنها\n", ["ما عاصمة مصر؟", "عاصمتها القاهرة؛", "وهي أكبر مدنها"]),
        ("انتهى العقد. وبدأ غيره.", ["انتهى العقد.", "وبدأ غيره."]),
        ("انتهى العقد.وبدأ غيره.", ["انتهى العقد.", "وبدأ غيره."]),
        ("یہ پہلا جملہ ہے۔ یہ دوسرا ہے۔", ["یہ پہلا جملہ ہے۔", "یہ دوسرا ہے۔"]),
        ("首都是北京。人口很多！对吗？", ["首都是北京。", "人口很多！", "对吗？"]),
        ("قال د. أحمد إن النسبة 3.5% فقط.", ["قال د. أحمد إن النسبة 3.5% فقط."]),
        ("قال أ.د. سالم ذلك.", ["قال أ.د. سالم ذلك."]),
        ("العنوان ص.ب 12 الرياض", ["العنوان ص.ب 12 الرياض"]),
        ("عام 1445 هـ. وفي العام التالي", ["عام 1445 هـ.", "وفي العام التالي"]),
        ("عام 2020 م. ثم عاد", ["عام 2020 م.", "ثم عاد"]),
        ("هل هذا صحيح؟! نعم.", ["هل هذا صحيح؟!", "نعم."]),
        ("قال: «نعم.» ثم خرج", ["قال: «نعم.»", "ثم خرج"]),
        ("سكت قليلا... ثم تكلم", ["سكت قليلا... ثم تكلم"]),
        ("Wait... Then he left", ["Wait...", "Then he left"]),
        ("Wait… then he left", ["Wait… then he left"]),
        ("Dr. Smith of the U.S. Army met J. K. Rowling.", ["Dr. Smith of the U.S. Army met J. K. Rowling."]),
        ("See example.com or 1.2.3 for more. It helps.", ["See example.com or 1.2.3 for more.", "It helps."]),
        ("Fruit, e.g. apples, vs. bread. Right?", ["Fruit, e.g. apples, vs. bread.", "Right?"]),
        ('He said "stop!" and left. (She stayed.) Why?', ['He said "stop!" and left.', "(She stayed.)", "Why?"]),
        ("**Bold.** Next", ["**Bold.**", "Next"]),
        ("a; b", ["a; b"]),
        ("1. الأول\n٢. الثاني\n3) الثالث\n- الرابع\n• الخامس\n", ["الأول", "الثاني", "الثالث", "الرابع", "الخامس"]),
        ("أ) بند\nب) بند آخر", ["بند", "بند آخر"]),
        ("## Title\n> quoted\n\n---\n* item", ["Title", "quoted", "item"]),
        ("أ. محمد حضر", ["أ. محمد حضر"]),
        ("3.5 مليون نسمة\n-5 درجات", ["3.5 مليون نسمة", "-5 درجات"]),
        ("2024", ["2024"]),
        ("42.", ["42."]),
        ("one\u2028two\r\nthree", ["one", "two", "three"]),
        ("Done. .", ["Done. ."]),
        (". Done", ["Done"]),
        ("؟؟ !", ["؟؟ !"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@given(st.text(alphabet=st.sampled_from("aبA1 .؟؛!\n«»*-د3"), max_size=60))
def test_nothing_is_invented_and_no_word_is_lost(text: str) -> None:
    found = split_sentences(text)
    place = 0
    if len(found) > 1:
        for sentence in found:
            place = text.index(sentence, place) + len(sentence)
    assert all(sentence == sentence.strip() and sentence for sentence in found)
    assert bool(found) == bool(text.strip())
    kept = sum(char.isalnum() for sentence in found for char in sentence)
    assert kept >= sum(char.isalnum() for char in text) - 4 * len(text.splitlines())


@given(st.text(max_size=80))
def test_every_text_can_be_cut(text: str) -> None:
    assert bool(split_sentences(text)) == bool(text.strip())


def test_a_long_line_is_no_trouble() -> None:
    assert len(split_sentences("word. " * 20_000)) == 1
    assert len(split_sentences("كلمة. " * 20_000)) == 20_000
    assert len(split_sentences("." * 200_000)) == 1
