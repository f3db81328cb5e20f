"""The figures of one group of samples, and of the whole run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from muffakir_eval.records import Score
from muffakir_eval.tally.groups import GroupBy
from muffakir_eval.tally.intervals import intervals
from muffakir_eval.tally.values import Column

__all__ = ["Block"]


class Block:
    """Every metric over one group of samples.

    Args:
        names: Of the metrics.
        clustered: Keep what clusters add up to.
    """

    __slots__ = ("columns", "n_samples")

    def __init__(self, names: Iterable[str], *, clustered: bool) -> None:
        self.n_samples = 0
        self.columns = {name: Column(clustered=clustered) for name in names}

    def add(self, scores: Mapping[str, Score], cluster: str | None) -> None:
        """Count the scores of one sample."""
        self.n_samples += 1
        for name, column in self.columns.items():
            column.add(scores[name], cluster)

    def merge(self, other: Block) -> None:
        """Count everything that ``other`` has counted."""
        self.n_samples += other.n_samples
        for name, column in self.columns.items():
            column.merge(other.columns[name])

    def figures(self, by: GroupBy, not_shares: Collection[str]) -> dict[str, dict[str, Any]]:
        """Per metric its figures, with intervals."""
        sure = intervals(self.columns, by, not_shares)
        return {name: column.figures() | sure[name] for name, column in self.columns.items()}
