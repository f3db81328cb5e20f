"""The values of one metric, and why others are missing."""

from __future__ import annotations

from collections import Counter
from typing import Any

from muffakir_eval.records import Score
from muffakir_eval.tally.clusters import ClusterTotals
from muffakir_eval.tally.exact import PowerSums

__all__ = ["KEPT", "Column", "Values"]

KEPT = 20_000
"""So many values are kept apart; of more, the moments say as much (``statistics.intervals.LARGE``)."""

_DIFFERENT = 1_000
_SHARES = frozenset((0.0, 1.0))


class Values:
    """The values of one metric in no order: how often each occurs, or of many different ones the exact moments.

    Whatever parts they are counted in, the same values give the same figures.

    Attributes:
        n: How many values.
    """

    __slots__ = ("_counts", "_high", "_low", "_sums", "n")

    def __init__(self) -> None:
        self.n = 0
        self._counts: dict[float, int] = {}
        self._sums: PowerSums | None = None
        self._low = self._high = 0.0

    def add(self, value: float, times: int = 1) -> None:
        """Count a finite value."""
        self.n += times
        self._counts[value] = self._counts.get(value, 0) + times
        if self.n > KEPT and len(self._counts) > _DIFFERENT:
            self._fold()

    def merge(self, other: Values) -> None:
        """Count everything that ``other`` has counted."""
        if other._sums is not None:
            self._take(other._sums, other._low, other._high)
            self.n += other._sums.n
        for value, times in other._counts.items():
            self.add(value, times)

    def _fold(self) -> None:
        self._take(PowerSums(), min(self._counts), max(self._counts))
        assert self._sums is not None  # noqa: S101 - it was just made
        for value, times in self._counts.items():
            self._sums.add(value, times)
        self._counts = {}

    def _take(self, sums: PowerSums, low: float, high: float) -> None:
        if self._sums is None:
            self._sums, self._low, self._high = PowerSums(), low, high
        self._sums.merge(sums)
        self._low, self._high = min(self._low, low), max(self._high, high)

    def sums(self) -> PowerSums:
        """Exact sums of all."""
        sums = PowerSums()
        if self._sums is not None:
            sums.merge(self._sums)
        for value, times in self._counts.items():
            sums.add(value, times)
        return sums

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest value, 0 and 0 of none."""
        ends = [*self._counts]
        if self._sums is not None:
            ends += [self._low, self._high]
        return (min(ends), max(ends)) if ends else (0.0, 0.0)

    @property
    def are_shares(self) -> bool:
        """Nothing but 0 and 1 occurs."""
        return self._sums is None and self._counts.keys() <= _SHARES

    def expanded(self) -> list[float]:
        """Every value by itself, in ascending order; only of up to :data:`KEPT` ones."""
        return [value for value, times in sorted(self._counts.items()) for _ in range(times)]


class Column:
    """Values and reasons of one metric.

    Args:
        clustered: Also add up the values of each cluster.
    """

    __slots__ = ("_n_failed", "_reasons", "clusters", "values")

    def __init__(self, *, clustered: bool = False) -> None:
        self.values = Values()
        self.clusters = ClusterTotals() if clustered else None
        self._reasons: Counter[str] = Counter()
        self._n_failed = 0

    def add(self, score: Score, cluster: str | None = None) -> None:
        """Count the score of one sample."""
        if score.value is None:
            self._reasons[str(score.reason)] += 1
            self._n_failed += score.state == "failed"
            return
        value = float(score.value)
        self.values.add(value)
        if self.clusters is not None:
            self.clusters.add(cluster, value)

    def merge(self, other: Column) -> None:
        """Count everything that ``other`` has counted."""
        self.values.merge(other.values)
        self._reasons.update(other._reasons)
        self._n_failed += other._n_failed
        if self.clusters is not None and other.clusters is not None:
            self.clusters.merge(other.clusters)

    def mean(self) -> float | None:
        """Of the values, ``None`` of none."""
        return self.values.sums().mean()

    def figures(self) -> dict[str, Any]:
        """Mean or ``None`` with a reason, what it covers, and why the rest is missing."""
        ranked = dict(sorted(self._reasons.items(), key=lambda pair: (-pair[1], pair[0])))
        n, sums = self.values.n, self.values.sums()
        return {
            "mean": sums.mean(),
            "reason": None if n else next(iter(ranked), "no_samples"),
            "n_scored": n,
            "n_total": n + sum(ranked.values()),
            "n_failed": self._n_failed,
            "reasons": ranked,
            "mean_failures_as_zero": sums.mean(n + self._n_failed),
        }
