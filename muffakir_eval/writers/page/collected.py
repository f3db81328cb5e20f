"""What the charts need of the samples, gathered while they pass."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import Any

from muffakir_eval.writers.page.sample_rows import FLAGS

__all__ = ["Collected"]

_FIRST_ROWS = 20


class Collected:
    """Counts over the rows of the table.

    Args:
        names: The metrics whose values the rows have.

    Attributes:
        first_rows: The first rows, for a browser without scripts.
        ranks: Samples by rank of their first evidence; 0 where none was found.
        values: The values of each metric.
        flags: Samples by flag.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.first_rows: list[list[Any]] = []
        self.ranks: Counter[int] = Counter()
        self.values = {name: array("d") for name in names}
        self.flags = dict.fromkeys(FLAGS, 0)

    def add(self, row: list[Any]) -> None:
        """Count one row."""
        if len(self.first_rows) < _FIRST_ROWS:
            self.first_rows.append(row)
        if row[6] is not None:
            self.ranks[row[6]] += 1
        for place, flag in enumerate(FLAGS):
            self.flags[flag] += row[7] >> place & 1
        for values, value in zip(self.values.values(), row[8], strict=True):
            if value is not None:
                values.append(value)
