"""Does an answer decline to answer, in which words, and is it all that it says?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from operator import itemgetter

from muffakir_eval.records import Refusal
from muffakir_eval.refusals.content import content_after
from muffakir_eval.refusals.lexicon import Lexicon, built_in_lexicon
from muffakir_eval.refusals.objections import find_objection
from muffakir_eval.refusals.phrases import Hit, Line, Phrase
from muffakir_eval.refusals.words import sentences

__all__ = ["Detector", "detect_answer_refusal", "find_refusal"]

_LEAD = re.compile(
    r"\s*(?:<(think|thinking|reasoning)>.*?</\1>\s*)?(?:(?:[>*#•‣\-–]+|\(?\d{1,2}[.)\-])\s+)*",
    re.DOTALL | re.IGNORECASE,
)
"""What may stand before an answer and is none of it: a model's reasoning, the signs of a list or a heading."""

_HEAD = 4000
"""Characters of the answer that are looked at; what comes after them is content."""

_PREAMBLE = 4
"""Sentences (greetings, the question again) that may stand before a refusal."""

_GREETING = 6
"""Words of a sentence that may be a greeting or the like."""

_SAID = 4
"""Words before a semicolon that are content."""

_TOLD = 2
"""Words before "and … not" that are content."""

_REACH = 25
"""Words of a sentence at which a phrase may start."""

_CLAUSE_REACH = 20
_ASIDE_REACH = 12
"""Words at which a description of the material may start."""

_SHORT = 250
"""Characters of an answer that may end in a question that asks back."""

_CONCLUSION_LINES = 4
_CONCLUSION_WORDS = 80
"""How long an answer may speak of the material before it concludes that it does not tell."""

_PHRASES = ("start", "sentence", "sentence source", "sentence aside")
_ARABIC_AND = "و"
_QUOTES = {'"': '"', "«": "»", "“": "”", "„": "“", "「": "」", "『": "』", "‹": "›"}


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


def find_refusal(answer: str | None, lexicon: Lexicon | None = None) -> Refusal | None:
    r"""The refusal in ``answer``, with the words that gave it away, or ``None``.

    A phrase of ``resources/refusals`` must stand at the start of the answer, after a greeting,
    an apology or the question at most. A plain "no", quoted speech, and what is said after content
    are answers.

    Args:
        answer: In any of the languages of the tables.
        lexicon: The phrases; by default those of the package.

    >>> refusal = find_refusal("Sorry, I can\u2019t answer that from the documents.")
    >>> refusal.kind, refusal.phrase, refusal.language, refusal.span
    ('cannot_answer', 'I can’t answer', 'en', (7, 21))
    """
    if not answer:
        return None
    detector = Detector(lexicon or built_in_lexicon(), answer)
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
        partial=detector.content_after(hit) > 1,
    )


class Detector:
    """Reads an answer sentence by sentence, and no further than it must."""

    def __init__(self, lexicon: Lexicon, answer: str) -> None:
        self.answer = answer
        lead = _LEAD.match(answer)
        self.start = lead.end() if lead else 0
        self.stop = self.start + _HEAD
        self.index = lexicon.index(answer[self.start : self.stop])
        self.rest = sentences(answer[: self.stop], self.start)

    def find(self) -> Hit | None:
        """The first refusal; what comes after it is in ``rest``."""
        lines: list[Line] = []
        source_seen = False
        for sentence in islice(self.rest, _PREAMBLE):
            line = Line(sentence, self.index)
            lines.append(line)
            source_seen = source_seen or line.has("source")
            hit = self._in(line, source_seen=source_seen) or self._alone(line)
            if hit:
                return hit
            if not self._is_preamble(line):
                break
        if hit := self._asks_back(lines) or self._conclusion(lines):
            return hit
        return find_objection(chain(lines, self.following)) if self.index.has("norm") else None

    def content_after(self, hit: Hit) -> float:
        """See :func:`~muffakir_eval.refusals.content.content_after`; asked once, after :meth:`find`."""
        return content_after(self.index, hit, self.rest, beyond=len(self.answer[self.stop :].split()))

    @property
    def following(self) -> Iterator[Line]:
        """The lines of the sentences that were not read yet."""
        return (Line(sentence, self.index) for sentence in self.rest)

    def _alone(self, line: Line) -> Hit | None:
        """A phrase that is all that the answer says: "N/A", "غير مذكور"."""
        start = line.after_openers(0)
        if start < len(line) and not any(map(str.isalnum, self.answer[line.sentence.spans[-1][1] :])):
            for _, phrase, end in line.matches("whole", start):
                if end == len(line) and not self.is_exempt(line, start, end):
                    return Hit(phrase, line, start, end)
        return None

    def _in(self, line: Line, *, source_seen: bool) -> Hit | None:
        reach = _REACH * line.scale
        if not any(map(line.startable, _PHRASES)):
            return None
        plain = self.yes_or_no(line)
        described = self._describes_material(line)
        anywhere = line.anywhere(source=source_seen, aside=described is not None)
        anywhere = [found for found in anywhere if found[0] < reach]
        starts = {plain} if plain else self._starts(line, content_free=described is not None)
        for place, phrase, end in self._candidates(line, starts, [] if plain else anywhere):
            after_aside = described is not None and described < place
            if phrase.place == "sentence" and not after_aside and self._said_before(line, place):
                continue
            if plain and phrase.kind not in {"does_not_know", "policy"}:
                continue
            if (phrase.needs == "source" and not source_seen) or (phrase.needs == "aside" and not after_aside):
                continue
            if not self.is_quoted(line, place, end) and not self.is_exempt(line, place, end):
                return Hit(phrase, line, place, end)
        return None

    def _candidates(
        self, line: Line, starts: set[int], anywhere: list[tuple[int, Phrase, int]]
    ) -> list[tuple[int, Phrase, int]]:
        """What matches, in its order in the sentence; those that must stand at the start come first."""
        places = [place for place in starts if place < min(len(line), _REACH * line.scale)]
        found = [found for place in places for found in line.matches("start", place)]
        return sorted([*found, *anywhere], key=itemgetter(0))

    def yes_or_no(self, line: Line) -> int | None:
        """Where the sentence goes on after a plain yes or no."""
        end = line.cue("yes_no", 0)
        return end if end is not None and (end in line.sentence.clauses or end == len(line)) else None

    def _starts(self, line: Line, *, content_free: bool) -> set[int]:
        """Where a phrase counts as standing at the start.

        A clause with a number says something, unless it only describes the material.
        """
        first = line.after_openers(0)
        starts = {0, *line.openers(0)}
        if (concluded := line.cue("conclusion", first)) is not None:
            starts.add(line.after_openers(concluded))
        for clause in line.sentence.clauses:
            if clause > _CLAUSE_REACH * line.scale:
                break
            if not content_free and any(word.isdigit() for word in line.sentence.words[:clause]):
                break
            introduces = any(line.cue("intro", place) is not None for place in (0, first))
            if introduces or line.has("source", stop=clause):
                starts |= {clause, line.after_openers(line.cue("conclusion", clause) or clause)}
        if content_free:
            starts.update(self._joints(line, first))
        return starts

    def _joints(self, line: Line, first: int) -> Iterator[int]:
        """Where an "and" or a "but" goes on: "I looked through the files and could not find it"."""
        for place in range(first + 1, min(len(line), _REACH * line.scale)):
            after = line.cue("join", place) or line.cue("contrast", place)
            if after is not None:
                yield line.after_openers(after)
            elif line.words[place][0] == _ARABIC_AND:
                yield place

    def _describes_material(self, line: Line) -> int | None:
        """Where the sentence says what the material is about, and nothing out of it."""
        reach = _ASIDE_REACH * line.scale
        own = [place for place, _, _ in line.all("self") if place < reach]
        about = [place for name in ("aside", "topic") for place, _, _ in line.all(name) if place < reach]
        if own and min(own) <= min(about, default=reach):
            return min(own)
        return min(about) if about and line.has("source", stop=min(about) + 4) else None

    def _said_before(self, line: Line, place: int) -> bool:
        """Something was said already: "…, but Russian is not mentioned", "…; the date is not given"."""
        first = line.after_openers(0)
        if any(first + _SAID * line.scale <= stop <= place for stop in line.sentence.breaks):
            return True
        if first + 1 < place and line.has("contrast", first + 1, place + 1):
            return True
        # "The period is 30 days, and nothing is said of a penalty": no gap where only the material was named.
        gaps = (start for start, _, _ in line.all("gap") if first + _TOLD * line.scale <= start <= place)
        return any(not line.has("source", first, gap) and line.cue("intro", first) is None for gap in gaps)

    def _is_preamble(self, line: Line) -> bool:
        """A sentence that says nothing yet: a greeting, an apology, the question again, what the material is about."""
        sentence = line.sentence
        first = line.after_openers(0)
        if sentence.question or sentence.lead_in or first >= len(line):
            return True
        if len(line) <= _GREETING * line.scale and line.cue("intro", 0) is not None:
            return True
        if any(line.cue(name, place) is not None for name in ("empathy", "norm") for place in (0, first)):
            return True
        return self._describes_material(line) is not None

    def is_quoted(self, line: Line, place: int, end: int) -> bool:
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

    @staticmethod
    def is_exempt(line: Line, start: int, end: int) -> bool:
        """It overlaps words that the user took out."""
        return any(place < end and start < stop for place, _, stop in line.all("exempt"))

    def _asks_back(self, lines: list[Line]) -> Hit | None:
        """A short answer without a number that ends in the question what is meant: "There are two. Which one?"."""
        if len(self.answer) > _SHORT or any(word.isdigit() for line in lines for word in line.words):
            return None
        ahead = list(islice(self.rest, 2))
        self.rest = chain(ahead, self.rest)
        if len(ahead) != 1 or not ahead[0].question:
            return None
        line = Line(ahead[0], self.index)
        found = [*line.matches("start", line.after_openers(0)), *line.anywhere(source=False)]
        asked = (Hit(phrase, line, start, end) for start, phrase, end in found if phrase.kind == "unclear_question")
        return next(asked, None)

    def _conclusion(self, lines: list[Line]) -> Hit | None:
        """An answer about the material alone that ends in "therefore I cannot say"."""
        while lines and (lines[-1].has("source") or lines[-1].sentence.question):
            following = next(self.rest, None)
            if (
                following is None
                or len(lines) >= _CONCLUSION_LINES
                or sum(len(each.sentence.words) for each in lines) > _CONCLUSION_WORDS
            ):
                return None
            line = Line(following, self.index)
            lines.append(line)
            start = line.cue("conclusion", 0)
            if start is None:
                continue
            start = line.after_openers(start)
            found = line.matches("start", start) + [each for each in line.anywhere(source=True) if each[0] >= start]
            for place, phrase, end in found:
                if phrase.needs != "aside" and not self.is_exempt(line, place, end):
                    return Hit(phrase, line, place, end)
        return None
