"""The disagreements that are worth reading first."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from muffakir_eval.comparison.judges.inputs import Answers, Rating

__all__ = ["Disagreement", "disagreements"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """An answer on which two raters differ.

    Attributes:
        sample_id: Its name in the dataset.
        row: As a spreadsheet or editor shows it.
        question: The question.
        answer: What the system said.
        value_a: Score of A.
        value_b: Score of B, or of people.
        difference: A minus B.
        reason_a: Why A says so.
        reason_b: Why B says so; ``None`` for people.
        others: What the other judges say, by label.
    """

    sample_id: str
    row: int
    question: str
    answer: str | None
    value_a: float
    value_b: float
    difference: float
    reason_a: str | None
    reason_b: str | None
    others: dict[str, float]


def disagreements(
    given: Answers,
    a: Sequence[tuple[float, Rating | None] | None],
    b: Sequence[tuple[float, Rating | None] | None],
    others: Mapping[str, Sequence[float | None]],
    limit: int,
) -> tuple[Disagreement, ...]:
    """The answers on which two raters lie furthest apart.

    Of equally wide ones those come first on which the others side with B: there A stands alone. Then the
    order of the dataset.

    Args:
        given: The answers.
        a: Of each answer the score of A and what it comes from; ``None`` where there is none.
        b: Likewise of B.
        others: What the other judges say of each answer.
        limit: At most so many.
    """
    found = []
    for place, (one, other) in enumerate(zip(a, b, strict=True)):
        if one is None or other is None or one[0] == other[0]:
            continue
        more = [value for values in others.values() if (value := values[place]) is not None]
        with_b = sum(abs(value - other[0]) < abs(value - one[0]) for value in more)
        found.append((-round(abs(one[0] - other[0]), 12), -with_b, place, one, other))
    return tuple(
        Disagreement(
            sample_id=given.answers[place].sample_id,
            row=given.answers[place].row,
            question=given.answers[place].question,
            answer=given.answers[place].answer,
            value_a=one[0],
            value_b=other[0],
            difference=one[0] - other[0],
            reason_a=one[1].explanation if one[1] is not None else None,
            reason_b=other[1].explanation if other[1] is not None else None,
            others={label: value for label, values in others.items() if (value := values[place]) is not None},
        )
        for _, _, place, one, other in heapq.nsmallest(limit, found, key=lambda entry: entry[:3])
    )
