"""Sentences and words that remember where they stood."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.refusals.words import fold_words, sentences


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("لا أستطـــيع الإجابَة", ["لا", "استطيع", "الاجابه"]),
        ("I can\u2019t, I can't, I can`t", ["i", "cant", "i", "cant", "i", "cant"]),
        ("réponse à l\u2019élève", ["reponse", "a", "leleve"]),
        ("\u200fلا\u200f أعلم\ufeff", ["لا", "اعلم"]),
        ("**3.5** and 1,000", ["3.5", "and", "1,000"]),
        ("ＮＯＴ ٣", ["not", "3"]),
        ("\u064b \u200b", []),
        ("ﷺ", ["صليالله عليهوسلم".replace(" ", "")]),
    ],
)
def test_words_are_compared_without_spelling(text: str, words: list[str]) -> None:
    assert fold_words(text) == words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b. c! d? e؟ f\ng… h", [["a", "b"], ["c"], ["d"], ["e"], ["f"], ["g"], ["h"]]),
        ("see example.com, e.g. this", [["see", "example", "com", "e", "g"], ["this"]]),
        ("لا أعلم.شكرا", [["لا", "اعلم"], ["شكرا"]]),
        ('"a." b', [["a"], ["b"]]),
        ("...", []),
        ("", []),
    ],
)
def test_sentences_end_where_readers_end_them(text: str, expected: list[list[str]]) -> None:
    assert [sentence.words for sentence in sentences(text)] == expected


def test_clauses_questions_and_lead_ins_are_noted() -> None:
    first, second, third = sentences("عذرًا، (لا أعلم): شيئا؛ أبدا؟ The answer:\nyes - no, ok.")
    assert first.clauses == [1, 3, 4]
    assert first.question
    assert not first.lead_in
    assert second.lead_in
    assert not second.question
    assert third.clauses == [1, 2]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_spans_point_to_the_raw_words_in_order(text: str) -> None:
    end = 0
    for sentence in sentences(text):
        assert len(sentence.words) == len(sentence.spans) > 0
        for word, (start, stop) in zip(sentence.words, sentence.spans, strict=True):
            assert end <= start < stop
            assert fold_words(text[start:stop]) == [word]
            end = stop


def test_semicolons_are_noted() -> None:
    sentence = next(sentences("a, b; c； d؛ e"))
    assert sentence.clauses == [1, 2, 3, 4]
    assert sentence.breaks == [2, 3, 4]
