"""Bootstrap of everything that is a function of sums over units: draw the sums, then compute."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from muffakir_eval.statistics.bootstrap import Interval, draw_counts

__all__ = ["percentile_interval", "resampled_sums"]

Floats = npt.NDArray[np.float64]

_AT_ONCE = 2_000_000
_FEW = 4
"""Units that are alike in at least so many cases are drawn as how often each kind occurs."""


def resampled_sums(
    rows: Floats,
    *,
    rng: np.random.Generator,
    n_resamples: int,
    clusters: Sequence[Hashable] | None = None,
) -> Floats:
    """Sums of samples that are drawn from ``rows`` with replacement, each of the same size.

    What is drawn depends on the rows and not on their order.

    Args:
        rows: One per unit, shape ``(n, m)``, at least one.
        rng: Source of the draws.
        n_resamples: How many samples.
        clusters: What each unit belongs to; then whole clusters are drawn.

    Returns:
        The sums, shape ``(n_resamples, m)``.

    >>> resampled_sums(np.array([[1.0, 2.0]] * 3), rng=np.random.default_rng(0), n_resamples=2)
    array([[3., 6.],
           [3., 6.]])
    """
    ordered = np.lexsort(rows.T[::-1])
    units = rows[ordered]
    if clusters is not None:
        units = _of_clusters(units, [clusters[int(place)] for place in ordered])
    different, times = np.unique(units, axis=0, return_counts=True)
    n = len(units)
    if len(different) * _FEW <= n:
        sums = np.empty((n_resamples, rows.shape[1]))
        step = max(1, _AT_ONCE // len(different))
        for start in range(0, n_resamples, step):
            size = min(step, n_resamples - start)
            sums[start : start + size] = rng.multinomial(n, times / n, size=size) @ different
        return sums
    units = np.repeat(different, times, axis=0)
    sums = np.empty((n_resamples, rows.shape[1]))

    def keep(part: slice, counts: Floats) -> None:
        sums[part] = counts @ units

    draw_counts(n, rng=rng, n_resamples=n_resamples, use=keep)
    return sums


def _of_clusters(units: Floats, clusters: Sequence[Hashable]) -> Floats:
    numbers: dict[Hashable, int] = {}
    member = np.fromiter((numbers.setdefault(cluster, len(numbers)) for cluster in clusters), np.int64, len(clusters))
    sums = np.zeros((len(numbers), units.shape[1]))
    np.add.at(sums, member, units)
    return sums


def percentile_interval(drawn: Floats, *, confidence: float) -> Interval | None:
    """The middle ``confidence`` of what was drawn.

    Samples in which the statistic is not defined (NaN) are left out; ``None`` where these are more than half.

    >>> percentile_interval(np.arange(101.0), confidence=0.5)
    Interval(low=25.0, high=75.0)
    """
    known = drawn[~np.isnan(drawn)]
    if not len(known) or len(known) * 2 < len(drawn):
        return None
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))
