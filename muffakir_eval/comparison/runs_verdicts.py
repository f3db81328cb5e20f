"""From the figures of all metrics to what may be said about each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from muffakir_eval.comparison.runs_columns import ABSTENTION, LATENCY, REFUSALS, REFUSALS_ANSWERABLE
from muffakir_eval.comparison.runs_comparable import Direction
from muffakir_eval.comparison.runs_figures import Figures
from muffakir_eval.comparison.runs_findings import MetricComparison, NonInferiority, Verdict, WithFailures
from muffakir_eval.comparison.runs_settings import Settings

if TYPE_CHECKING:
    from muffakir_eval.statistics.paired import PairedComparison

__all__ = ["Adjusted", "adjusted", "is_quality", "settled"]


class Adjusted(NamedTuple):
    """The p-values of one metric after Holm, ``None`` where there was no test."""

    p_value: float | None
    worse_by_margin: float | None
    with_failures: float | None
    failures_worse_by_margin: float | None


def is_quality(metric: str) -> bool:
    """The metric is about how good answers and evidence are; refusals and latency are a family of their own."""
    return metric not in (REFUSALS, REFUSALS_ANSWERABLE, ABSTENTION, LATENCY)


def adjusted(found: Sequence[Figures]) -> list[Adjusted]:
    """Holm over all of them, one kind of test at a time, quality apart from refusals and latency."""
    columns: list[list[float | None]] = []
    for values in (
        [one.paired.p_value if one.paired else None for one in found],
        [one.worse_by_margin for one in found],
        [one.failures.paired.p_value if one.failures else _p_value(one) for one in found],
        [one.failures.worse_by_margin if one.failures else one.worse_by_margin for one in found],
    ):
        after: list[float | None] = [None] * len(values)
        for quality in (True, False):
            places = [
                place
                for place, value in enumerate(values)
                if value is not None and is_quality(found[place].metric) is quality
            ]
            for place, value in zip(places, _holm([values[place] for place in places]), strict=True):
                after[place] = value
        columns.append(after)
    return [Adjusted(*row) for row in zip(*columns, strict=True)]


def _p_value(found: Figures) -> float | None:
    return found.paired.p_value if found.paired else None


def _holm(p_values: Sequence[float | None]) -> list[float]:
    from muffakir_eval.statistics.paired import holm

    return holm([value for value in p_values if value is not None])


def settled(found: Figures, after: Adjusted, settings: Settings, *, same_questions: bool) -> MetricComparison:
    """One metric with its verdict."""
    from muffakir_eval.statistics.power import questions_needed, smallest_difference

    paired, spread = found.paired, found.spread
    n = paired.n if paired else 0
    coverage = n / found.n_applicable if found.n_applicable else None
    verdict, reason = _verdict(found, after, settings, coverage, same_questions=same_questions)
    wins, losses = _oriented(paired, found.direction) if paired else (0, 0)
    may_vary = spread is not None and spread > 1e-12
    return MetricComparison(
        metric=found.metric,
        direction=found.direction,
        n=n,
        n_applicable=found.n_applicable,
        coverage=coverage,
        mean_a=found.mean_a,
        mean_b=found.mean_b,
        difference=paired.difference if paired else None,
        interval=_interval_of(paired) if paired else None,
        p_value=paired.p_value if paired else None,
        p_adjusted=after.p_value,
        test=paired.test if paired else None,
        n_clusters=paired.n_clusters if paired else None,
        effect_size=found.effect_size,
        wins=wins,
        ties=paired.ties if paired else 0,
        losses=losses,
        verdict=verdict,
        reason=reason,
        detect=found.detect,
        questions_needed=questions_needed(spread, found.detect, confidence=settings.confidence)
        if may_vary and spread is not None and found.detect is not None
        else None,
        smallest_difference=smallest_difference(spread, n, confidence=settings.confidence)
        if may_vary and spread is not None
        else None,
        non_inferiority=_non_inferiority(found, after, settings, given=verdict != "no_verdict"),
        with_failures=_with_failures(found, after),
        left_out=found.left_out,
        moved=found.moved,
    )


def _verdict(
    found: Figures, after: Adjusted, settings: Settings, coverage: float | None, *, same_questions: bool
) -> tuple[Verdict, str | None]:
    paired = found.paired
    if paired is None or coverage is None:
        return "no_verdict", "nothing_in_common"
    if paired.n < 2:
        return "no_verdict", "too_few"
    if not same_questions and not settings.common_only:
        return "no_verdict", "other_questions"
    if coverage < settings.min_coverage:
        return "no_verdict", "low_coverage"
    said = _says(paired, after.p_value, found.direction, settings.alpha)
    if found.failures is not None:
        counted = _says(found.failures.paired, after.with_failures, found.direction, settings.alpha)
        if counted != said and {counted, said} != {"identical", "not_distinguishable"}:
            return "no_verdict", "failures_decide"
        if counted != said:
            return "not_distinguishable", None
    return said, None


def _says(paired: PairedComparison, p_adjusted: float | None, direction: Direction, alpha: float) -> Verdict:
    """What a test says of B, coverage and failures aside."""
    if not paired.wins and not paired.losses:
        return "identical"
    if p_adjusted is None or p_adjusted >= alpha or paired.difference == 0:
        return "not_distinguishable"
    rises = paired.difference > 0
    if direction == "neutral":
        return "higher" if rises else "lower"
    return "better" if rises == (direction == "higher") else "worse"


def _oriented(paired: PairedComparison, direction: Direction) -> tuple[int, int]:
    """On how many questions B and A are better."""
    return (paired.losses, paired.wins) if direction == "lower" else (paired.wins, paired.losses)


def _interval_of(paired: PairedComparison) -> tuple[float, float] | None:
    """The interval of the difference, where there is one."""
    return None if paired.low is None or paired.high is None else (paired.low, paired.high)


def _non_inferiority(found: Figures, after: Adjusted, settings: Settings, *, given: bool) -> NonInferiority | None:
    if found.margin is None or found.worse_by_margin is None or after.worse_by_margin is None:
        return None
    # One-sided, at half of what a two-sided test may err: so it agrees with the lower end of the interval.
    level = settings.alpha / 2
    holds = after.worse_by_margin < level
    if found.failures is not None and after.failures_worse_by_margin is not None:
        holds = holds and after.failures_worse_by_margin < level
    return NonInferiority(
        margin=found.margin,
        p_value=found.worse_by_margin,
        p_adjusted=after.worse_by_margin,
        holds=holds if given else None,
    )


def _with_failures(found: Figures, after: Adjusted) -> WithFailures | None:
    failures = found.failures
    if failures is None or after.with_failures is None:
        return None
    paired = failures.paired
    return WithFailures(
        counted_as=failures.counted_as,
        n=paired.n,
        n_failed_a=failures.n_failed_a,
        n_failed_b=failures.n_failed_b,
        mean_a=failures.mean_a,
        mean_b=failures.mean_b,
        difference=paired.difference,
        interval=_interval_of(paired),
        p_value=paired.p_value,
        p_adjusted=after.with_failures,
    )
