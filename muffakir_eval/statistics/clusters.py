"""Units that belong together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["ClusterSums", "cluster_sums"]

Floats = npt.NDArray[np.float64]


class ClusterSums(NamedTuple):
    """Sum and size of each cluster, in an order that does not depend on that of the units."""

    sums: Floats
    sizes: Floats


def cluster_sums(values: Floats, clusters: Sequence[Hashable]) -> ClusterSums:
    """Add up what belongs together.

    Args:
        values: One per unit.
        clusters: What each unit belongs to.

    Raises:
        ValueError: There are not as many clusters as values.

    >>> cluster_sums(np.array([1.0, 2.0, 5.0]), ["x", "y", "x"])
    ClusterSums(sums=array([2., 6.]), sizes=array([1., 2.]))
    """
    if len(clusters) != len(values):
        raise ValueError(f"{len(clusters)} clusters and {len(values)} values; expected one cluster for each value")
    numbers: dict[Hashable, int] = {}
    membership = np.fromiter((numbers.setdefault(cluster, len(numbers)) for cluster in clusters), np.int64, len(values))
    by_value = np.argsort(values, kind="stable")  # in another order the last digits of a sum are others
    sums: Floats = np.bincount(membership[by_value], weights=values[by_value]).astype(np.float64)
    sizes: Floats = np.bincount(membership).astype(np.float64)
    order = np.lexsort((sizes, sums))
    return ClusterSums(sums[order], sizes[order])
