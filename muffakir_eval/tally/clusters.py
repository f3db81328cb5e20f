"""What the clusters of a metric add up to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from muffakir_eval.tally.exact import grow

if TYPE_CHECKING:
    from muffakir_eval.statistics.clusters import ClusterSums

__all__ = ["ClusterTotals"]


class ClusterTotals:
    """Sum and size of each cluster; memory grows with the number of clusters, not of samples."""

    __slots__ = ("_loose", "_sizes", "_sums")

    def __init__(self) -> None:
        self._sums: dict[str, tuple[float, ...]] = {}
        self._sizes: dict[str, int] = {}
        self._loose: dict[float, int] = {}

    def add(self, cluster: str | None, value: float) -> None:
        """Count one value; without a cluster it is one of its own."""
        if cluster is None:
            self._loose[value] = self._loose.get(value, 0) + 1
            return
        self._sums[cluster] = grow(self._sums.get(cluster, ()), value)
        self._sizes[cluster] = self._sizes.get(cluster, 0) + 1

    def merge(self, other: ClusterTotals) -> None:
        """Count everything that ``other`` has counted."""
        for value, times in other._loose.items():
            self._loose[value] = self._loose.get(value, 0) + times
        for cluster, parts in other._sums.items():
            kept = self._sums.get(cluster, ())
            for part in parts:
                kept = grow(kept, part)
            self._sums[cluster] = kept
            self._sizes[cluster] = self._sizes.get(cluster, 0) + other._sizes[cluster]

    def totals(self) -> ClusterSums:
        """Sums and sizes, in an order that depends on nothing else."""
        import numpy as np

        from muffakir_eval.statistics.clusters import ClusterSums

        loose = [value for value, times in self._loose.items() for _ in range(times)]
        sums = np.array([*map(math.fsum, self._sums.values()), *loose], dtype=np.float64)
        sizes = np.array([*(self._sizes[cluster] for cluster in self._sums), *[1] * len(loose)], dtype=np.float64)
        order = np.lexsort((sizes, sums))
        return ClusterSums(sums[order], sizes[order])
