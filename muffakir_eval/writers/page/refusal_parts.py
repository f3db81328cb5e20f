"""Answered or refused: what each part of the chart is called, and the colour that fits its meaning."""

from __future__ import annotations

from collections.abc import Mapping

from muffakir_eval.writers.page.bars import Part
from muffakir_eval.writers.page.wording import Wording

__all__ = ["STATES", "refusal_parts"]

STATES = ("answered", "partial", "refused", "empty", "no_answer", "error")
_COLOURS = {
    "answered": "one",
    "partial": "four",
    "refused": "six",
    "empty": "soft",
    "no_answer": "soft",
    "error": "fail",
    "refused_rightly": "three",
    "refused_wrongly": "five",
    "answered_wrongly": "five",
}
_JUDGED = {
    ("unanswerable", "refused"): "refused_rightly",
    ("answerable", "refused"): "refused_wrongly",
    ("unanswerable", "answered"): "answered_wrongly",
}
"""What is as it should be or not by itself; whether an answer is right is another matter."""


def refusal_parts(name: str, counts: Mapping[str, int], words: Wording) -> list[Part]:
    """The parts of one bar.

    Args:
        name: ``answerable``, ``unanswerable`` or ``unknown``.
        counts: Questions by what became of them.
        words: Of the page.

    Returns:
        Those that have questions.

    >>> from muffakir_eval.writers.page.wording import wording
    >>> [(part.name, part.colour) for part in refusal_parts("unanswerable", {"refused": 2}, wording("en"))]
    [('rightly refused', 'three')]
    """
    kinds = [(_JUDGED.get((name, state), state), counts.get(state, 0)) for state in STATES]
    return [Part(words.plain(f"refusals.{kind}"), count, _COLOURS[kind]) for kind, count in kinds if count]
