"""The best thresholds, and of equally good ones those that stand most safely."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muffakir_eval.calibration.space import Cell, Counts, Space
from muffakir_eval.calibration.target import Target

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Marks = npt.NDArray[np.bool_]

__all__ = ["choose"]

_ROUNDING = 1e-12


def choose(space: Space, counts: Counts, target: Target) -> Cell:
    """The cell with the highest score.

    Mostly many thresholds are equally good: no pair lies between them. If the present ones are among them, they
    stay. Otherwise the way of comparing words stays if it can, and the cell is chosen that has most equally good
    ones around it, since a threshold close to where things get worse is right by chance alone; of several, the one
    nearest to the present settings, then the strictest.

    Args:
        space: All cells.
        counts: What each accepts.
        target: What is made as high as possible.
    """
    import numpy as np

    score = target.score(counts.tp, counts.fp, counts.n_relevant - counts.tp)
    allowed = _allowed(space, score.shape)
    best = score[allowed].max()
    good = score >= best - _ROUNDING
    current = space.current
    if good[current]:
        return current
    way = next(way for way in range(len(space.fuzzy)) if (good & allowed)[way].any())
    depth = _depth(good[way], rows=space.has_overlap, columns=space.has_coverage)
    places = np.argwhere(good[way] & allowed[way])
    return min(
        (Cell(way, int(row), int(column)) for row, column in places),
        key=lambda cell: (-depth[cell.overlap, cell.coverage], _distance(space, cell), -cell.overlap, -cell.coverage),
    )


def _allowed(space: Space, shape: tuple[int, ...]) -> Marks:
    """One cell for each different verdict: no coverage below the overlap threshold, nor any for a stage that is off."""
    import numpy as np

    _, row, column = np.indices(shape)
    allowed = column >= row
    if not space.has_overlap:
        allowed &= row == 0
    if not space.has_coverage:
        allowed &= column == shape[2] - 1
    return np.asarray(allowed)


def _distance(space: Space, cell: Cell) -> float:
    steps, current = space.thresholds, space.current
    apart = abs(steps[cell.overlap] - steps[current.overlap]) + abs(steps[cell.coverage] - steps[current.coverage])
    return round(apart, 9)


def _depth(good: Marks, *, rows: bool, columns: bool) -> npt.NDArray[np.int64]:
    """How many steps it is from each good cell to the nearest that is not, along the thresholds that are in use.

    At least one of them is.
    """
    import numpy as np

    depth = np.zeros(good.shape, dtype=np.int64)
    left = good.copy()
    while left.any():
        depth += left
        for axis, used in enumerate((rows, columns)):
            if used:
                left = _shrunk(left, axis)
    return depth


def _shrunk(good: Marks, axis: int) -> Marks:
    """Without the cells that have a neighbour along the axis which is not good, or none."""
    import numpy as np

    padded = np.pad(good, [(1, 1) if place == axis else (0, 0) for place in (0, 1)])
    size = good.shape[axis]
    before, after = (padded.take(range(start, start + size), axis=axis) for start in (0, 2))
    return np.asarray(good & before & after)
