"""Does an answer decline to answer, in which words, and is it all that it says?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from muffakir_eval.records import Refusal
from muffakir_eval.refusals.phrases import Lexicon, Line, Phrase, built_in_lexicon
from muffakir_eval.refusals.words import Sentence, sentences

__all__ = ["detect_answer_refusal", "find_refusal"]

_LEAD = re.compile(
    r"\s*(?:<(think|thinking|reasoning)>.*?</\1>\s*)?(?:(?:[>*#•‣\-–]+|\(?\d{1,2}[.)\-])\s+)*",
    re.DOTALL | re.IGNORECASE,
)
"""What may stand before an answer and is none of it: a model's reasoning, the signs of a list or a heading."""

_HEAD = 4000
"""Characters of the answer that are looked at; what comes after them is content."""

_PREAMBLE = 4
"""Sentences (greetings, the question again) that may stand before a refusal."""

_REACH = 25
"""Words of a sentence at which a phrase may start."""

_CLAUSE_REACH = 20
_ASIDE_REACH = 12
"""Words at which a description of the material may start."""

_CONTENT = 40
"""Words of content after a refusal that make it partial without a "but"."""

_CONCLUSION_WORDS = 80
_QUOTES = {'"': '"', "«": "»", "“": "”", "„": "“"}


class _Hit(NamedTuple):
    phrase: Phrase
    line: Line
    start: int
    end: int


def detect_answer_refusal(answer: str | None) -> str | None:
    """The reason for which ``answer`` declines to answer, ``None`` where it answers.

    A partial refusal counts as an answer, and so does an empty one (which is no refusal either).

    >>> detect_answer_refusal("عذرًا، لا تتوفر معلومات كافية في السياق للإجابة.")
    'insufficient_information'
    >>> detect_answer_refusal("لا، لا يمكن للطالب تأجيل الامتحان.") is None
    True
    """
    refusal = find_refusal(answer)
    return None if refusal is None or refusal.partial else refusal.reason


def find_refusal(answer: str | None) -> Refusal | None:
    r"""The refusal in ``answer``, with the words that gave it away, or ``None``.

    A phrase of ``resources/refusals.toml`` must stand at the start of the answer, after a greeting,
    an apology or the question at most. A plain "no", quoted speech, and what is said after content
    are answers.

    >>> refusal = find_refusal("Sorry, I can\u2019t answer that from the documents.")
    >>> refusal.kind, refusal.phrase, refusal.language, refusal.span
    ('cannot_answer', 'I can’t answer', 'en', (7, 21))
    """
    if not answer:
        return None
    lexicon = built_in_lexicon()
    detector = _Detector(lexicon, answer)
    hit = detector.find()
    if hit is None:
        return None
    start, end = hit.line.sentence.spans[hit.start][0], hit.line.sentence.spans[hit.end - 1][1]
    while start < end - 1 and not answer[start].isalnum():
        start += 1  # an invisible sign, or what is left of an emoji
    return Refusal(
        reason=hit.phrase.reason,
        kind=hit.phrase.kind,
        phrase=answer[start:end],
        language=hit.phrase.language,
        span=(start, end),
        partial=_is_partial(lexicon, hit, detector.rest, beyond=len(answer[detector.stop :].split())),
    )


class _Detector:
    """Reads an answer sentence by sentence, and no further than it must."""

    def __init__(self, lexicon: Lexicon, answer: str) -> None:
        self.lexicon = lexicon
        self.answer = answer
        lead = _LEAD.match(answer)
        start = lead.end() if lead else 0
        self.stop = start + _HEAD
        self.rest = sentences(answer[: self.stop], start)

    def find(self) -> _Hit | None:
        """The first refusal; what comes after it is in ``rest``."""
        lines: list[Line] = []
        source_seen = False
        for sentence in islice(self.rest, _PREAMBLE):
            line = Line(sentence)
            lines.append(line)
            source_seen = source_seen or self.lexicon.has("source", line)
            hit = self._in(line, source_seen=source_seen) or self._alone(line)
            if hit:
                return hit
            if not self._is_preamble(line):
                break
        return self._conclusion(lines)

    def _alone(self, line: Line) -> _Hit | None:
        """A phrase that is all that the answer says: "N/A", "غير مذكور"."""
        start = _after_openers(self.lexicon, line, 0)
        if start < len(line) and not any(map(str.isalnum, self.answer[line.sentence.spans[-1][1] :])):
            for phrase, end in self.lexicon.matches("whole", line, start):
                if end == len(line):
                    return _Hit(phrase, line, start, end)
        return None

    def _in(self, line: Line, *, source_seen: bool) -> _Hit | None:
        plain = self._yes_or_no(line)
        described = self._describes_material(line)
        starts = {plain} if plain else self._starts(line, content_free=described is not None)
        for place in range(min(len(line), _REACH)):
            after_aside = described is not None and described < place
            for phrase, end in self._phrases(line, place, starts, plain=plain is not None, after_aside=after_aside):
                if (phrase.needs == "source" and not source_seen) or (phrase.needs == "aside" and not after_aside):
                    continue
                if not self._is_quoted(line, place, end):
                    return _Hit(phrase, line, place, end)
        return None

    def _phrases(
        self, line: Line, place: int, starts: set[int], *, plain: bool, after_aside: bool
    ) -> Iterator[tuple[Phrase, int]]:
        if place in starts:
            for phrase, end in self.lexicon.matches("start", line, place):
                if not plain or phrase.kind == "does_not_know":
                    yield phrase, end
        if not plain and (after_aside or not self._contrast_before(line, place)):
            yield from self.lexicon.matches("sentence", line, place)

    def _yes_or_no(self, line: Line) -> int | None:
        """Where the sentence goes on after a plain yes or no."""
        end = self.lexicon.cue("yes_no", line, 0)
        return end if end is not None and (end in line.sentence.clauses or end == len(line)) else None

    def _starts(self, line: Line, *, content_free: bool) -> set[int]:
        """Where a phrase counts as standing at the start.

        A clause with a number says something, unless it only describes the material.
        """
        first = _after_openers(self.lexicon, line, 0)
        starts = {0, first}
        for clause in line.sentence.clauses:
            if clause > _CLAUSE_REACH:
                break
            if not content_free and any(word.isdigit() for word in line.sentence.words[:clause]):
                break
            introduces = any(self.lexicon.cue("intro", line, place) is not None for place in (0, first))
            if introduces or self.lexicon.has("source", line, stop=clause):
                starts.add(_after_openers(self.lexicon, line, self.lexicon.cue("conclusion", line, clause) or clause))
        return starts

    def _describes_material(self, line: Line) -> int | None:
        """Where the sentence says what the material is about, and nothing out of it."""
        for place in range(min(len(line), _ASIDE_REACH)):
            if self.lexicon.cue("aside", line, place) or self.lexicon.cue("topic", line, place):
                return place if self.lexicon.has("source", line, stop=place + 4) else None
        return None

    def _contrast_before(self, line: Line, place: int) -> bool:
        """Something was said already: "…, but Russian is not mentioned"."""
        first = _after_openers(self.lexicon, line, 0)
        return first + 1 < place and self.lexicon.has("contrast", line, first + 1, place + 1)

    def _is_preamble(self, line: Line) -> bool:
        """A sentence that says nothing yet: a greeting, an apology, the question again."""
        sentence = line.sentence
        if sentence.question or sentence.lead_in or _after_openers(self.lexicon, line, 0) >= len(line):
            return True
        return len(line) <= 6 and self.lexicon.cue("intro", line, 0) is not None

    def _is_quoted(self, line: Line, place: int, end: int) -> bool:
        """The phrase stands in quotes and is not all that the answer says."""
        start, stop = line.sentence.spans[place][0], line.sentence.spans[end - 1][1]
        before = self.answer[:start]
        for opening, closing in _QUOTES.items():
            inside = before.count('"') % 2 == 1 if opening == '"' else before.rfind(opening) > before.rfind(closing)
            if not inside:
                continue
            close = self.answer.find(closing, stop)
            around = before[: before.rfind(opening)] + (self.answer[close:] if close >= 0 else "")
            if close >= 0 and any(char.isalnum() for char in around):
                return True
        return False

    def _conclusion(self, lines: list[Line]) -> _Hit | None:
        """A short answer about the material alone that ends in "therefore I cannot say"."""
        while lines and (self.lexicon.has("source", lines[-1]) or lines[-1].sentence.question):
            following = next(self.rest, None)
            if (
                following is None
                or len(lines) == _PREAMBLE
                or sum(len(each.sentence.words) for each in lines) > _CONCLUSION_WORDS
            ):
                return None
            line = Line(following)
            lines.append(line)
            start = self.lexicon.cue("conclusion", line, 0)
            if start is None:
                continue
            start = _after_openers(self.lexicon, line, start)
            if start < len(line):
                for phrase, end in self.lexicon.matches("start", line, start):
                    return _Hit(phrase, line, start, end)
        return None


def _after_openers(lexicon: Lexicon, line: Line, place: int) -> int:
    """The place after apologies and the like that start at ``place``."""
    while (end := lexicon.cue("opener", line, place)) is not None:
        place = end
    return place


def _is_partial(lexicon: Lexicon, hit: _Hit, later: Iterable[Sentence], *, beyond: int) -> bool:
    """Real content follows the refusal."""
    line = hit.line
    for place in range(hit.end, len(line)):
        after = lexicon.cue("contrast", line, place)
        if after is not None and len(line.sentence.words) - after >= 3 and not _is_neutral(lexicon, line, after):
            return True
    content = beyond
    for index, sentence in enumerate(later):
        line = Line(sentence)
        after = lexicon.cue("contrast", line, 0)
        if _is_neutral(lexicon, line, after or 0):
            continue
        if after is None:
            content += 0 if lexicon.has("source", line) else len(sentence.words)
        elif len(sentence.words) - after >= 4 and (index == 0 or hit.phrase.kind != "does_not_know"):
            return True
        if content > _CONTENT:
            return True
    return content > _CONTENT


def _is_neutral(lexicon: Lexicon, line: Line, place: int) -> bool:
    """From ``place`` on, the sentence only explains the refusal, offers help, or describes the material."""
    if lexicon.has("courtesy", line, place, place + 4) or lexicon.has("aside", line, place, place + 9):
        return True
    start = _after_openers(lexicon, line, place)
    if start < len(line) and any(True for _ in lexicon.matches("start", line, start)):
        return True
    named = lexicon.has("source", line)
    return any(
        (named or phrase.needs != "source") and phrase.needs != "aside"
        for where in range(place, min(len(line), place + _REACH))
        for phrase, _ in lexicon.matches("sentence", line, where)
    )
