"""What a comparison finds out about one metric of two runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from muffakir_eval.comparison.runs_comparable import Direction

__all__ = [
    "LeftOut",
    "MetricComparison",
    "MovedQuestion",
    "NonInferiority",
    "SliceComparison",
    "Verdict",
    "WithFailures",
]

Verdict = Literal["better", "worse", "higher", "lower", "not_distinguishable", "identical", "no_verdict"]
"""What may be said of B against A; ``higher`` and ``lower`` where neither is better by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Common questions that a metric could not compare.

    Attributes:
        n: How many.
        in_a: Why A has no score, ``None`` where it has one.
        in_b: Why B has none.
        counts: They count against the coverage, since at least one run could have been scored.
    """

    n: int
    in_a: str | None
    in_b: str | None
    counts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedQuestion:
    """A question on which the two runs differ.

    Attributes:
        sample_id: Its name in A's dataset.
        row: Its row there.
        sample_id_b: Its name in B's dataset.
        row_b: Its row there.
        question: The text.
        value_a: Score of A.
        value_b: Score of B.
        difference: B minus A.
    """

    sample_id: str
    row: int
    sample_id_b: str
    row_b: int
    question: str
    value_a: float
    value_b: float
    difference: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WithFailures:
    """The same comparison with every failed score counted as the worst there is.

    Attributes:
        counted_as: What a failure counts: 0 or the lowest value that was seen, the highest where lower is better.
        n: Questions that both runs scored or failed.
        n_failed_a: Of these, failed in A.
        n_failed_b: Of these, failed in B.
        mean_a: Of A.
        mean_b: Of B.
        difference: B minus A.
        interval: Of the difference, ``None`` for fewer than two questions.
        p_value: Two-sided.
        p_adjusted: After Holm.
    """

    counted_as: float
    n: int
    n_failed_a: int
    n_failed_b: int
    mean_a: float
    mean_b: float
    difference: float
    interval: tuple[float, float] | None
    p_value: float
    p_adjusted: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NonInferiority:
    """Is B at most so much worse than A?

    Attributes:
        margin: How much worse would still be accepted, in the unit of the metric.
        p_value: One-sided, of "B is worse by the margin or more".
        p_adjusted: After Holm.
        holds: B is not worse by more than the margin; ``None`` where no verdict may be given.
    """

    margin: float
    p_value: float
    p_adjusted: float
    holds: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricComparison:
    """One metric of two runs on the questions that both were scored on.

    Attributes:
        metric: Its name.
        direction: Which values are better.
        n: Questions that both runs were scored on.
        n_applicable: Questions that at least one of them could have been scored on.
        coverage: ``n / n_applicable``, ``None`` of nothing.
        mean_a: Mean of A over the ``n`` questions.
        mean_b: Mean of B.
        difference: ``mean_b - mean_a``.
        interval: Of the difference; ``None`` where there are too few questions for one.
        p_value: Two-sided.
        p_adjusted: After Holm over the metrics, and over the pairs of runs.
        test: ``mcnemar_exact``, ``randomisation`` or ``cluster_randomisation``.
        n_clusters: Clusters among the questions, ``None`` without.
        effect_size: Mean difference in units of the standard deviation of the differences.
        wins: Questions on which B is better (higher, where neither is better by itself).
        ties: Questions without a difference.
        losses: Questions on which A is better.
        verdict: What may be said of B.
        reason: Why no verdict is given: ``nothing_in_common``, ``too_few``, ``other_questions``,
            ``low_coverage`` or ``failures_decide``.
        detect: Size of a difference that shall be seen, in the unit of the metric.
        questions_needed: Questions that show a true difference of that size in four of five comparisons.
        smallest_difference: The true difference that so many questions show in four of five.
        non_inferiority: Where a margin was given.
        with_failures: Where a score failed.
        left_out: Common questions without a pair of scores, by reason.
        moved: The questions that moved most.
    """

    metric: str
    direction: Direction
    n: int
    n_applicable: int
    coverage: float | None
    mean_a: float | None
    mean_b: float | None
    difference: float | None
    interval: tuple[float, float] | None
    p_value: float | None
    p_adjusted: float | None
    test: str | None
    n_clusters: int | None
    effect_size: float | None
    wins: int
    ties: int
    losses: int
    verdict: Verdict
    reason: str | None
    detect: float | None
    questions_needed: int | None
    smallest_difference: float | None
    non_inferiority: NonInferiority | None
    with_failures: WithFailures | None
    left_out: tuple[LeftOut, ...]
    moved: tuple[MovedQuestion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceComparison:
    """One metric on the common questions that have one value in a column; see :class:`MetricComparison`.

    ``p_adjusted`` is after Holm over the values and metrics of the column.
    """

    column: str
    value: str | None
    metric: str
    direction: Direction
    n: int
    n_applicable: int
    coverage: float | None
    mean_a: float | None
    mean_b: float | None
    difference: float | None
    interval: tuple[float, float] | None
    p_value: float | None
    p_adjusted: float | None
    wins: int
    ties: int
    losses: int
    verdict: Verdict
    reason: str | None
