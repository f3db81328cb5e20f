"""A sentence, and the phrases that can start at its words."""

from __future__ import annotations

from dataclasses import replace

from muffakir_eval.refusals.patterns import Grammar
from muffakir_eval.refusals.phrases import Index, Line, Phrase
from muffakir_eval.refusals.words import sentences


def _phrase(pattern: str, kind: str = "k") -> Phrase:
    return Phrase("xx", kind, "r", "sentence", *Grammar({}).compile(pattern))


def _line(text: str, *phrases: Phrase, **cues: str) -> Line:
    made = [(name, _phrase(pattern)) for name, pattern in cues.items()]
    return Line(next(sentences(text)), Index(phrases, made))


def test_a_line_reads_no_more_than_its_first_words() -> None:
    line = _line("word " * 1000)
    assert len(line) == 60
    assert len(line.sentence.words) == 1000
    assert len(_line("字" * 1000)) == 180


def test_phrases_are_found_where_they_stand_the_earlier_ones_first() -> None:
    first, second = _phrase("b c"), _phrase("b")
    line = _line("a b c b", first, second)
    assert line.all("sentence") == [(1, first, 3), (1, second, 2), (3, second, 4)]
    assert line.matches("sentence", 1) == [(1, first, 3), (1, second, 2)]
    assert line.matches("sentence", 0) == line.matches("start", 1) == []
    assert line.startable("sentence")
    assert not line.startable("start")


def test_the_longest_cue_counts() -> None:
    line = Line(next(sentences("so b c d")), Index((), [("opener", _phrase("so")), ("opener", _phrase("so b"))]))
    assert line.cue("opener", 0) == 2
    assert line.cue("opener", 1) is None
    assert line.cue("opener", 9) is None
    assert line.after_openers(0) == 2
    assert line.openers(0) == [2]
    assert line.openers(1) == []
    assert line.has("opener", 0, 1)
    assert not line.has("opener", 1)


def test_an_arabic_and_hides_no_phrase() -> None:
    for text, place in (("راجعت الملفات ولم أجد شيئا", 2), ("راجعت الملفات فلم أجد شيئا", 2)):
        assert [found[0] for found in _line(text, _phrase("لم أجد")).all("sentence")] == [place]
    assert _line("وجد شيئا", _phrase("لم أجد")).all("sentence") == []


def test_an_index_knows_which_lists_it_has() -> None:
    index = Index([_phrase("a")], [("norm", _phrase("b"))])
    assert index.has("sentence")
    assert index.has("norm")
    assert not index.has("moral")


def test_phrases_with_a_condition_are_looked_up_apart() -> None:
    named, described = replace(_phrase("b"), needs="source"), replace(_phrase("b c"), needs="aside")
    line = _line("a b c", _phrase("c"), named, described)
    assert [found[2] for found in line.anywhere(source=False)] == [3]
    assert [found[1].needs for found in line.anywhere(source=True)] == ["", "source"]
    assert [found[1].needs for found in line.anywhere(source=True, aside=True)] == ["", "source", "aside"]
    assert (_phrase("b").single, _phrase("b c").single, _phrase("(b|c)").single) == (True, False, False)
