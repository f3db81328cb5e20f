"""The figures of one metric of two runs, before they are adjusted for each other."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from muffakir_eval.comparison.runs_columns import LATENCY, Columns, applies
from muffakir_eval.comparison.runs_comparable import Direction, direction_of, scale_of
from muffakir_eval.comparison.runs_findings import LeftOut, MovedQuestion
from muffakir_eval.comparison.runs_pairing import Pairs
from muffakir_eval.comparison.runs_reading import RunScores
from muffakir_eval.comparison.runs_settings import Settings, in_unit_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from muffakir_eval.statistics.paired import PairedComparison

    Floats = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]

__all__ = ["Failures", "Figures", "Stakes", "TwoRuns", "figures", "moved_questions", "part_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoRuns:
    """Two runs, and which of their questions belong together.

    Attributes:
        a: The first.
        b: The second.
        pairs: Their common questions.
        clusters: What each common question belongs to, ``None`` where all are independent.
        any_unanswerable: Some common question has no answer, so that refusing it is right.
    """

    a: RunScores
    b: RunScores
    pairs: Pairs
    clusters: Sequence[Hashable] | None
    any_unanswerable: bool


class Stakes(NamedTuple):
    """What there is to lose: the worst value, the margin that is accepted, and the largest loss on one question."""

    direction: Direction
    worst: float
    margin: float | None
    largest_loss: float


class Failures(NamedTuple):
    """Every failure counted as the worst there is."""

    counted_as: float
    n_failed_a: int
    n_failed_b: int
    mean_a: float
    mean_b: float
    paired: PairedComparison
    worse_by_margin: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One metric of two runs; see :class:`~muffakir_eval.comparison.runs_result.MetricComparison`."""

    metric: str
    direction: Direction
    n_applicable: int
    mean_a: float | None
    mean_b: float | None
    paired: PairedComparison | None
    effect_size: float | None
    spread: float | None
    detect: float | None
    margin: float | None
    worse_by_margin: float | None
    failures: Failures | None
    left_out: tuple[LeftOut, ...]
    moved: tuple[MovedQuestion, ...]


def figures(two: TwoRuns, metric: str, settings: Settings) -> Figures:
    """Everything that one metric says about two runs."""
    import numpy as np

    from muffakir_eval.statistics.power import effect_size, effective_spread

    a, b, pairs = two.a, two.b, two.pairs
    first, second = a.columns.values(metric)[pairs.a], b.columns.values(metric)[pairs.b]
    why_a, why_b = a.columns.why(metric)[pairs.a], b.columns.why(metric)[pairs.b]
    both = (why_a == 0) & (why_b == 0)
    measured = np.concatenate([first[why_a == 0], second[why_b == 0]])
    lowest, highest = (float(end) for end in (measured.min(), measured.max())) if len(measured) else (0.0, 0.0)
    scale = scale_of(metric, lowest, highest) if len(measured) else None
    direction = direction_of(metric, settings.lower_is_better, any_unanswerable=two.any_unanswerable)
    applicable = _applicable(a.columns, why_a) | _applicable(b.columns, why_b)
    alone = 0
    if not settings.common_only:
        alone += int(_applicable(a.columns, a.columns.why(metric)[pairs.alone_a]).sum())
        alone += int(_applicable(b.columns, b.columns.why(metric)[pairs.alone_b]).sum())
    margin = None if direction == "neutral" else in_unit_of(metric, settings.margin, scale)
    stakes = Stakes(
        direction=direction,
        # Where the range is not known, what was seen. A rating has no 0, and a failure is worse than any rating.
        worst=(scale.high if scale else highest) if direction == "lower" else min(0.0, lowest),
        margin=margin,
        largest_loss=scale.high - scale.low if scale else max(highest - lowest, 2 * (margin or 0.0)),
    )
    clusters = list(compress(two.clusters, both)) if two.clusters is not None else None
    here, there = first[both], second[both]
    paired = _paired(here, there, metric, clusters, settings)
    return Figures(
        metric=metric,
        direction=direction,
        n_applicable=int(applicable.sum()) + alone,
        mean_a=_mean(here),
        mean_b=_mean(there),
        paired=paired,
        effect_size=effect_size(there - here) if paired else None,
        spread=effective_spread(there - here, clusters) if paired else None,
        detect=in_unit_of(metric, settings.detect, scale),
        margin=margin,
        worse_by_margin=_worse_by_margin(there - here, stakes, clusters),
        failures=_with_failures(two, metric, settings, stakes),
        left_out=_left_out(a.columns, why_a, b.columns, why_b, applicable),
        moved=moved_questions(two, np.flatnonzero(both), here, there, settings.n_moved),
    )


def part_of(two: TwoRuns, within: Flags, alone_a: Flags, alone_b: Flags) -> TwoRuns:
    """The two runs on some of their questions.

    Args:
        two: The runs.
        within: Of each common question, whether it is among them.
        alone_a: Of each question that only A has.
        alone_b: Of each question that only B has.
    """
    pairs = two.pairs
    return replace(
        two,
        pairs=pairs._replace(
            a=pairs.a[within],
            b=pairs.b[within],
            alone_a=pairs.alone_a[alone_a],
            alone_b=pairs.alone_b[alone_b],
        ),
        clusters=list(compress(two.clusters, within)) if two.clusters is not None else None,
    )


def _generator(metric: str, seed: int) -> np.random.Generator:
    """Draws of its own for each metric, so that what one gets does not depend on the others."""
    import numpy as np

    return np.random.default_rng([seed, int.from_bytes(blake2b(metric.encode(), digest_size=6).digest(), "big")])


def _mean(values: Floats) -> float | None:
    import math

    return math.fsum(values) / len(values) if len(values) else None


def _paired(
    here: Floats, there: Floats, metric: str, clusters: Sequence[Hashable] | None, settings: Settings
) -> PairedComparison | None:
    from muffakir_eval.statistics.paired import compare_paired

    if not len(here):
        return None
    return compare_paired(
        here,
        there,
        rng=_generator(metric, settings.seed),
        n_resamples=settings.n_resamples,
        confidence=settings.confidence,
        clusters=clusters,
    )


def _worse_by_margin(differences: Floats, stakes: Stakes, clusters: Sequence[Hashable] | None) -> float | None:
    """p-value of "B is worse than A by the margin or more"."""
    from muffakir_eval.statistics.power import non_inferiority

    if stakes.margin is None or len(differences) < 2:
        return None
    return non_inferiority(
        -differences if stakes.direction == "lower" else differences,
        stakes.margin,
        largest_loss=stakes.largest_loss,
        clusters=clusters,
    )


def _with_failures(two: TwoRuns, metric: str, settings: Settings, stakes: Stakes) -> Failures | None:
    """``None`` where nothing failed, and where nothing is worst."""
    if metric == LATENCY or stakes.direction == "neutral":
        return None
    pairs = two.pairs
    sides = []
    for run, places in ((two.a, pairs.a), (two.b, pairs.b)):
        why, values = run.columns.why(metric)[places], run.columns.values(metric)[places]
        failed = _among(why, [code for code, missing in run.columns.counted().items() if missing.failed])
        values[failed] = stakes.worst
        sides.append((failed | (why == 0), failed, values))
    (known_a, failed_a, first), (known_b, failed_b, second) = sides
    both = known_a & known_b
    n_failed_a, n_failed_b = int((failed_a & both).sum()), int((failed_b & both).sum())
    if not n_failed_a and not n_failed_b:
        return None
    here, there = first[both], second[both]
    clusters = list(compress(two.clusters, both)) if two.clusters is not None else None
    paired = _paired(here, there, metric, clusters, settings)
    if paired is None:  # pragma: no cover - a failure is a question
        return None
    return Failures(
        counted_as=stakes.worst,
        n_failed_a=n_failed_a,
        n_failed_b=n_failed_b,
        mean_a=float(here.mean()),
        mean_b=float(there.mean()),
        paired=paired,
        worse_by_margin=_worse_by_margin(there - here, stakes, clusters),
    )


def _among(why: npt.NDArray[np.int16], codes: Sequence[int]) -> Flags:
    import numpy as np

    return np.isin(why, np.array(codes, dtype=np.int16))


def _applicable(columns: Columns, why: npt.NDArray[np.int16]) -> Flags:
    return _among(why, [0, *(code for code, missing in columns.counted().items() if applies(missing))])


def _left_out(
    a: Columns, why_a: npt.NDArray[np.int16], b: Columns, why_b: npt.NDArray[np.int16], applicable: Flags
) -> tuple[LeftOut, ...]:
    import numpy as np

    known_a, known_b = a.counted(), b.counted()
    codes = np.column_stack([why_a, why_b, applicable])[(why_a != 0) | (why_b != 0)]
    kinds, times = np.unique(codes, axis=0, return_counts=True)
    found = [
        LeftOut(
            n=int(n),
            in_a=known_a[int(code_a)].reason if code_a else None,
            in_b=known_b[int(code_b)].reason if code_b else None,
            counts=bool(counts),
        )
        for (code_a, code_b, counts), n in zip(kinds, times, strict=True)
    ]
    return tuple(sorted(found, key=lambda part: (-part.n, part.in_a or "", part.in_b or "")))


def moved_questions(
    two: TwoRuns, common: npt.NDArray[np.int64], here: Floats, there: Floats, limit: int
) -> tuple[MovedQuestion, ...]:
    """The questions that differ most, the largest difference first."""
    import numpy as np

    sizes = np.abs(there - here)
    order = np.argsort(-sizes, kind="stable")[:limit]
    moved = []
    for place in order[sizes[order] > 1e-12]:
        a, b = (int(places[common[place]]) for places in (two.pairs.a, two.pairs.b))
        question, again = two.a.question(a), two.b.question(b)
        moved.append(
            MovedQuestion(
                sample_id=question.sample_id,
                row=question.row,
                sample_id_b=again.sample_id,
                row_b=again.row,
                question=question.question,
                value_a=float(here[place]),
                value_b=float(there[place]),
                difference=float(there[place] - here[place]),
            )
        )
    return tuple(moved)
