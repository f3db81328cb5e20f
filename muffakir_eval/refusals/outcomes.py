"""Whether a question could be answered, and what the pipeline did about it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Literal

from muffakir_eval.records import PipelineOutput, Refusal, Sample, SampleResult
from muffakir_eval.refusals.detect import find_refusal
from muffakir_eval.refusals.lexicon import Lexicon

__all__ = ["AnswerState", "answer_state", "answerability", "refusal_cell", "refusal_table"]

AnswerState = Literal["answered", "refused", "empty", "none"]
"""What an output says: ``none`` where the pipeline gives no answers at all."""

_ROWS = ("answerable", "unanswerable", "unknown")
_COLUMNS = ("answered", "partial", "refused", "empty", "no_answer", "error")
_BLANK = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")


def is_blank(text: str) -> bool:
    r"""Nothing in ``text`` can be seen: spaces, invisible and control characters only.

    >>> is_blank(" \n\u200f\ufeff"), is_blank("."), is_blank("")
    (True, False, True)
    """
    return all(
        char.isspace() or char in _BLANK or unicodedata.category(char) in {"Cc", "Cf"} or "\ufe00" <= char <= "\ufe0f"
        for char in text
    )


def answerability(sample: Sample, lexicon: Lexicon | None = None) -> bool | None:
    """Whether the question of ``sample`` can be answered from its material.

    The dataset's own word counts first. Otherwise a question whose accepted answers are all refusals
    («غير مذكور في النص») cannot, and one with any gold answer, passage or identifier can. Items that were
    judged not to be relevant are no gold.

    Args:
        sample: The question with its gold.
        lexicon: The phrases of refusals; by default those of the package.

    Returns:
        ``None`` where nothing is known.

    >>> answerability(Sample(sample_id="1", question="؟", answers=("غير مذكور في النص",)))
    False
    >>> answerability(Sample(sample_id="1", question="؟", chunk_ids=("7",)))
    True
    """
    if sample.answerable is not None:
        return sample.answerable
    answers = [answer for answer in sample.answers if not is_blank(answer)]
    refusals = [find_refusal(answer, lexicon) for answer in answers]
    if answers and all(refusal is not None and not refusal.partial for refusal in refusals):
        return False
    places = [place for gold in sample.golds for place in gold.alternatives]
    gold = (*answers, *_at(places, sample.contexts), *_at(places, sample.chunk_ids))
    return True if any(not is_blank(text) for text in gold) else None


def _at(places: Iterable[int], texts: Sequence[str]) -> list[str]:
    return [texts[place] for place in places if place < len(texts)]


def answer_state(output: PipelineOutput, refusal: Refusal | None) -> AnswerState:
    """What ``output`` says; a partial refusal counts as an answer.

    Args:
        output: What the pipeline said.
        refusal: What :func:`find_refusal` found in its answer.
    """
    if output.answer is None:
        return "none"
    if is_blank(output.answer):
        return "empty"
    return "refused" if refusal is not None and not refusal.partial else "answered"


def refusal_cell(result: SampleResult) -> tuple[str, str]:
    """Row and column of ``result`` in :func:`refusal_table`."""
    row = {True: "answerable", False: "unanswerable", None: "unknown"}[result.answerable]
    if result.error is not None:
        return row, "error"
    state = answer_state(result.output, result.refusal)
    if state == "none":
        return row, "no_answer"
    if state == "answered" and result.refusal is not None:
        return row, "partial"
    return row, state


def refusal_table(results: Iterable[SampleResult]) -> dict[str, dict[str, int]]:
    """How many questions that could or could not be answered were answered, refused, and so on.

    Returns:
        Counts by ``answerable``, ``unanswerable`` and ``unknown``, and in each by ``answered``,
        ``partial`` (a refusal followed by content, an answer too), ``refused``, ``empty``,
        ``no_answer`` (the pipeline gives none) and ``error``.
    """
    table = {row: dict.fromkeys(_COLUMNS, 0) for row in _ROWS}
    for result in results:
        row, column = refusal_cell(result)
        table[row][column] += 1
    return table
