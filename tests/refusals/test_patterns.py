"""The pattern language."""

from __future__ import annotations

import re

import pytest

from muffakir_eval.errors import ConfigError
from muffakir_eval.refusals.patterns import Grammar
from muffakir_eval.refusals.phrases import Index, Line, Phrase
from muffakir_eval.refusals.words import sentences

WORDS = {"neg": ["can't", "can not", "لا {verb}"], "verb": ["أستطيع", "يمكنني"]}


def _matches(pattern: str, text: str, *, spaced: bool = True) -> bool:
    regex, firsts, later = Grammar(WORDS, spaced=spaced).compile(pattern)
    line = Line(next(sentences(text)), Index([Phrase("xx", "k", "r", "start", regex, firsts, later)], ()))
    found = bool(line.matches("start", 0))
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
        ("نمی~توانم", "نمی\u200cتوانم", True),
        ("نمی~توانم", "نمی توانم", True),
        ("a~b~c d", "ab c d", True),
        ("a~b~c d", "a bc d", True),
        ("a~b~c d", "a d", False),
        ("a dis*", "a disc", True),
        ("a dis*", "a dis", True),
        ("a dis*", "a di", False),
        ("a *ing", "a being", True),
        ("a *ing", "a ing", True),
        ("a *ing", "a beings", False),
    ],
)
def test_patterns(pattern: str, text: str, expected: bool) -> None:
    assert _matches(pattern, text) is expected


def test_gaps_are_wider_where_words_are_not_spaced() -> None:
    assert _matches("没 .. 到", "没" + "有" * 8 + "到", spaced=False)
    assert not _matches("没 .. 到", "没" + "有" * 9 + "到", spaced=False)
    assert _matches("没 ... 到", "没" + "有" * 30 + "到", spaced=False)
    assert not _matches("没 ... 到", "没" + "有" * 31 + "到", spaced=False)


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
        ("ab* c", "start with a word"),
        ("*ab c", "start with a word"),
        ("(a|b*) c", "start with a word"),
        ("~", "start with a word"),
        ("", "start with a word"),
        ("(a|)", "start with a word"),
    ],
)
def test_wrong_patterns_are_errors_that_show_them(pattern: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)) as caught:
        Grammar(WORDS).compile(pattern)
    assert repr(pattern) in str(caught.value) or pattern == ""
