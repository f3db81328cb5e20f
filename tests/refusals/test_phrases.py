"""The pattern language, and every row of the built-in table."""

from __future__ import annotations

import re
from typing import Any

import pytest

from muffakir_eval.errors import ConfigError
from muffakir_eval.refusals import find_refusal
from muffakir_eval.refusals.phrases import Line, Phrase, built_in_lexicon, compile_pattern, load_lexicon
from muffakir_eval.refusals.words import sentences

WORDS = {"neg": ["can't", "can not", "لا {verb}"], "verb": ["أستطيع", "يمكنني"]}


def _line(text: str) -> Line:
    return Line(next(sentences(text)))


def _matches(pattern: str, text: str) -> bool:
    regex, firsts = compile_pattern(pattern, WORDS)
    line = _line(text)
    found = line.match(Phrase("xx", "k", "r", "start", regex, firsts), 0) is not None
    assert not found or line.words[0] in firsts
    return found


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("I can't", "I can\u2019t say", True),
        ("I can't", "I can say", False),
        ("I can", "I canned it", False),
        ("I {neg} say", "I can not say", True),
        ("{neg} قول", "لا يُمكنُني قول", True),
        ("(a|b c) d", "b c d", True),
        ("(a|b c) d", "b d", False),
        ("[a] b", "b", True),
        ("[a] b", "a b", True),
        ("a .. b", "a 1 2 3 b", True),
        ("a .. b", "a 1 2 3 4 b", False),
        ("a ... b", "a 1 2 3 4 5 6 7 8 9 10 b", True),
        ("a ... b", "a 1 2 3 4 5 6 7 8 9 10 11 b", False),
        ("a $", "a", True),
        ("a $", "a b", False),
        ("a (b|$)", "a", True),
        ("a !(b|c d)", "a c", True),
        ("a !(b|c d)", "a c d", False),
        ("N/A", "n/a", True),
        ("[a|b] (c|[d] e)", "b d e", True),
    ],
)
def test_patterns(pattern: str, text: str, expected: bool) -> None:
    assert _matches(pattern, text) is expected


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(a b", "not closed"),
        ("[a b", "not closed"),
        ("!(a", "not closed"),
        ("a) b", "never opened"),
        ("a {nothing}", "no word list 'nothing'"),
        (".. a", "start with a word"),
        ("[a] .. b", "start with a word"),
        ("[..] b", "start with a word"),
        ("[a]", "start with a word"),
        ("", "start with a word"),
        ("(a|)", "start with a word"),
    ],
)
def test_wrong_patterns_are_errors_that_show_them(pattern: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)) as caught:
        compile_pattern(pattern, WORDS)
    assert repr(pattern) in str(caught.value) or pattern == ""


@pytest.mark.parametrize("phrase", built_in_lexicon().phrases, ids=lambda phrase: f"{phrase.language}-{phrase.kind}")
def test_every_row_finds_its_example(phrase: Phrase) -> None:
    refusal = find_refusal(phrase.example)
    assert refusal is not None
    assert (refusal.kind, refusal.reason, refusal.language) == (phrase.kind, phrase.reason, phrase.language)
    assert not refusal.partial


def test_the_table_covers_its_languages_and_reasons() -> None:
    phrases = built_in_lexicon().phrases
    assert {phrase.language for phrase in phrases} == {"ar", "en", "fr"}
    assert {phrase.reason for phrase in phrases} == {"insufficient_information", "policy", "unclear_question"}


@pytest.mark.parametrize(("key", "value"), [("kind", "mood"), ("at", "end"), ("language", "xx")])
def test_a_row_with_an_unknown_value_is_an_error_that_shows_it(key: str, value: str) -> None:
    row = {"language": "en", "kind": "policy", "at": "start", "pattern": "no way", "example": "No way."}
    data: dict[str, Any] = {"kinds": {"policy": "policy"}, "words": {"en": {}}, "phrase": [row]}
    assert len(load_lexicon(data).phrases) == 1
    with pytest.raises(ConfigError, match=f"unknown {key} '{value}'"):
        load_lexicon({**data, "phrase": [{**row, key: value}]})


def test_a_line_reads_no_more_than_its_first_words() -> None:
    line = _line("word " * 1000)
    assert len(line) == 60
    assert len(line.sentence.words) == 1000
