"""A picture of precision against recall, of plain characters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from muffakir_eval.writers.lines import Line

__all__ = ["precision_recall_picture"]

_WIDTH, _HEIGHT = 61, 13
_AROUND = 0.15
"""So much of what lies beyond the lowest mark is shown."""

_Point = tuple[float, float]


def precision_recall_picture(curve: Sequence[_Point], marks: Mapping[str, _Point]) -> Iterator[Line]:
    """The curve as dots, and single points as letters on it; two that fall together are one ``*``.

    Args:
        curve: Recall and precision.
        marks: A character for each point that is marked.

    >>> for line in precision_recall_picture([(0.9, 0.8), (0.6, 1.0)], {"p": (0.6, 1.0), "c": (0.9, 0.8)}):
    ...     print(line.text)
    precision
       1.00 |................p
            |
            |
            |
            |
            |
       0.83 |
            |                 ................................c
            |
            |
            |
            |
       0.65 |
            +-------------------------------------------------------------
             0.45                         0.72                        1.00
                                                                    recall
    """
    left = _start([recall for recall, _ in marks.values()] or [recall for recall, _ in curve])
    bottom = _start([precision for _, precision in marks.values()] or [precision for _, precision in curve])
    grid = [[" "] * _WIDTH for _ in range(_HEIGHT)]
    for column in range(_WIDTH):
        recall = left + (1 - left) * column / (_WIDTH - 1)
        reached = [precision for other, precision in curve if other >= recall - 1e-9]
        if reached and max(reached) >= bottom:
            grid[_row(max(reached), bottom)][column] = "."
    for char, (recall, precision) in marks.items():
        row, column = _row(precision, bottom), round((recall - left) / (1 - left) * (_WIDTH - 1))
        grid[row][column] = char if grid[row][column] in " ." else "*"
    yield Line("precision")
    for number, cells in enumerate(grid):
        at = 1 - (1 - bottom) * number / (_HEIGHT - 1)
        label = f"{at:7.2f}" if number % ((_HEIGHT - 1) // 2) == 0 else " " * 7
        yield Line(f"{label} |{''.join(cells)}".rstrip())
    yield Line(f"{'':7} +{'-' * _WIDTH}")
    middle = f"{(left + 1) / 2:.2f}".center(_WIDTH - 8)
    yield Line(f"{'':9}{left:.2f}{middle}1.00")
    yield Line(f"{'recall':>{_WIDTH + 9}}")


def _start(values: Sequence[float]) -> float:
    """Where an axis begins: a multiple of 0.05 below the least value, and at most 0.9."""
    least = min(values, default=0.0) - _AROUND
    return min(0.9, max(0.0, math.floor(round(least * 20, 6)) / 20))


def _row(precision: float, bottom: float) -> int:
    return round((1 - precision) / (1 - bottom) * (_HEIGHT - 1))
