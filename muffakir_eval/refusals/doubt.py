"""Which answers the phrases alone do not settle."""

from __future__ import annotations

from itertools import chain, islice

from muffakir_eval.refusals.detect import Detector
from muffakir_eval.refusals.lexicon import Lexicon, built_in_lexicon
from muffakir_eval.refusals.phrases import Line
from muffakir_eval.refusals.words import sentences

__all__ = ["is_unsure"]

_DOUBTFUL = frozenset({"not_certain", "objection"})
"""Kinds that are a mere hedge, or an argument, as often as a refusal."""

_CONTENT = 0.5
"""Content after a refusal, in parts of what makes it partial, from which it is in doubt."""

_SENTENCES = 6


def is_unsure(answer: str | None, lexicon: Lexicon | None = None) -> bool:
    """Whether :func:`find_refusal` may well be wrong about ``answer``: a judge is worth asking.

    That is so for

    - a refusal that content follows: a hedge before an answer (*partial*), or nearly one;
    - a refusal that only says that it is not certain, or that argues instead of declining;
    - an answer in which a phrase of refusals stands where it does not count as one: after content,
      without the material being named, in a later sentence.

    A plain refusal, an answer without such a phrase, an empty one, quoted speech and a plain "no" are sure.

    >>> is_unsure("I don't know."), is_unsure("The treaty is of 1920, but the place is not mentioned in the text.")
    (False, True)
    """
    if not answer:
        return False
    detector = Detector(lexicon or built_in_lexicon(), answer)
    hit = detector.find()
    if hit is not None:
        return hit.phrase.kind in _DOUBTFUL or detector.content_after(hit) >= _CONTENT
    lines = (Line(each, detector.index) for each in sentences(answer[: detector.stop], detector.start))
    return any(_mentions(detector, line, number) for number, line in enumerate(islice(lines, _SENTENCES)))


def _mentions(detector: Detector, line: Line, number: int) -> bool:
    """A phrase stands in the sentence, if not where it counts."""
    if detector.yes_or_no(line) is not None:
        return False
    places = {line.after_openers(place) for place in chain([0] if number else [], line.sentence.clauses)}
    found = [each for place in places if place < len(line) for each in line.matches("start", place)]
    found += line.anywhere(source=True)
    return any(
        phrase.needs != "aside"
        and not detector.is_quoted(line, place, end)
        and not detector.is_exempt(line, place, end)
        for place, phrase, end in found
    )
