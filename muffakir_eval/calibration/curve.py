"""Precision against recall: what can be had at all."""

from __future__ import annotations

from dataclasses import dataclass

from muffakir_eval.calibration.space import Cell, Counts, Space
from muffakir_eval.calibration.target import Target

__all__ = ["CurvePoint", "curve_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """Thresholds than which no others have both a higher recall and a precision as high, or the reverse.

    Attributes:
        overlap_threshold: The strictest of those that accept the same pairs.
        coverage_threshold: Likewise.
        fuzzy: Words that nearly agree count.
        tp: Relevant pairs that are accepted.
        fp: Pairs that are accepted and not relevant.
        fn: Relevant pairs that are not accepted.
        precision: ``tp / (tp + fp)``.
        recall: ``tp / (tp + fn)``.
        f: F of the target.
    """

    overlap_threshold: float
    coverage_threshold: float
    fuzzy: bool
    tp: int
    fp: int
    fn: int
    precision: float
    recall: float
    f: float


def curve_of(space: Space, counts: Counts, way: int, target: Target) -> tuple[CurvePoint, ...]:
    """The points in order of rising recall, and so of falling precision.

    Args:
        space: All cells.
        counts: What each accepts.
        way: Whether words that nearly agree count, as in :attr:`~muffakir_eval.calibration.space.Cell.way`.
        target: Which F.
    """
    size = len(space.thresholds)
    fewest: dict[int, tuple[int, Cell]] = {}
    for overlap in reversed(range(size if space.has_overlap else 1)):
        for coverage in reversed(range(overlap, size) if space.has_coverage else [size - 1]):
            cell = Cell(way, overlap, coverage)
            tp, fp = int(counts.tp[cell]), int(counts.fp[cell])
            if tp and (tp not in fewest or fp < fewest[tp][0]):
                fewest[tp] = (fp, cell)
    points: list[CurvePoint] = []
    for tp in sorted(fewest, reverse=True):
        fp, cell = fewest[tp]
        point = _point(space, cell, (tp, fp, counts.n_relevant - tp), target)
        if not points or point.precision > points[-1].precision:
            points.append(point)
    return tuple(reversed(points))


def _point(space: Space, cell: Cell, outcome: tuple[int, int, int], target: Target) -> CurvePoint:
    import numpy as np

    tp, fp, fn = outcome
    f = target.f(*np.array([[tp], [fp], [fn]], dtype=np.float64))
    settings = space.settings_at(cell)
    return CurvePoint(
        overlap_threshold=settings.overlap_threshold,
        coverage_threshold=settings.coverage_threshold,
        fuzzy=settings.fuzzy,
        tp=tp,
        fp=fp,
        fn=fn,
        precision=tp / (tp + fp),
        recall=tp / (tp + fn),
        f=float(f[0]),
    )
