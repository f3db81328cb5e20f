"""Which judge agrees better with people, and is the difference more than chance?"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from muffakir_eval.comparison.judges.agreement import Raters, influence_of
from muffakir_eval.comparison.judges.figures import Figure
from muffakir_eval.comparison.judges.inputs import Answers, Judged, People, Settings

__all__ = ["Rivals", "rivals"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivals:
    """Two judges against the same people, on the answers that both judges and people have rated.

    Attributes:
        a: Label of A.
        b: Label of B.
        measure: ``kappa``, ``concordance`` or ``spearman``.
        value_a: Agreement of A with people, on these answers.
        value_b: Likewise of B.
        difference: A minus B, with an interval that counts in that both saw the same answers.
    """

    a: str
    b: str
    measure: str
    value_a: float | None
    value_b: float | None
    difference: Figure


def rivals(
    given: Answers,
    metric: str,
    people: People,
    measure: Literal["kappa", "concordance", "spearman"],
    settings: Settings,
) -> tuple[Rivals, ...]:
    """Every two judges.

    Args:
        given: The answers, what the judges think of them, and what people say.
        metric: The metric.
        people: What people say about it.
        measure: The figure that is compared.
        settings: Confidence and thresholds.
    """
    judges = [judge for judge in given.judges if metric in judge.ratings]
    return tuple(
        _rivals(given, (a, b), metric, people, measure, settings) for a, b in itertools.combinations(judges, 2)
    )


def _rivals(
    given: Answers,
    judges: tuple[Judged, Judged],
    metric: str,
    people: People,
    measure: Literal["kappa", "concordance", "spearman"],
    settings: Settings,
) -> Rivals:
    from muffakir_eval.statistics.influence import Influenced, slope_interval

    columns = [[None if rating is None else rating.opinion for rating in judge.ratings[metric]] for judge in judges]
    common = [
        place
        for place, (a, b, label) in enumerate(zip(*columns, people.values, strict=True))
        if a is not None and b is not None and label is not None
    ]

    def against_people(column: Sequence[float | None]) -> Influenced:
        return influence_of(
            Raters(
                a=[float(column[place] or 0.0) for place in common],
                b=[float(people.values[place] or 0.0) for place in common],
                scale=given.scales[metric],
                same_scale=people.same_scale,
                threshold=settings.thresholds.get(metric),
            ),
            measure,
        )

    one, other = (against_people(column) for column in columns)
    n = len(common)
    difference = Figure.none(one.reason or other.reason or "no_pairs", n)
    if one.value is not None and other.value is not None:
        apart = Influenced(one.value - other.value, None, one.influence - other.influence)
        ends = slope_interval(apart, confidence=settings.confidence, clusters=given.clusters(common))
        low, high = (None, None) if ends is None else (max(-2.0, ends.low), min(2.0, ends.high))
        difference = Figure(value=one.value - other.value, low=low, high=high, n=n)
    return Rivals(
        a=judges[0].label,
        b=judges[1].label,
        measure=measure,
        value_a=one.value,
        value_b=other.value,
        difference=difference,
    )
