"""What is noticed while a corpus is read, within bounds."""

from __future__ import annotations

from muffakir_eval.datasets.findings import Findings
from muffakir_eval.errors import DatasetRowError

__all__ = ["Intake"]

_KEPT = 100


class Intake(Findings):
    """Counts every row that is set aside and keeps the first hundred.

    Attributes:
        n_problems: How many were set aside.
    """

    def __init__(self) -> None:
        super().__init__(fail_fast=False)
        self.n_problems = 0

    def reject(self, error: DatasetRowError) -> None:
        """Set a row aside."""
        self.n_problems += 1
        if len(self.problems) < _KEPT:
            self.problems.append(error)
