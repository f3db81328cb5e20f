"""The intervals of a report."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from muffakir_eval.tally.clusters import ClusterTotals
from muffakir_eval.tally.groups import GroupBy
from muffakir_eval.tally.values import KEPT, Column, Values

if TYPE_CHECKING:
    from muffakir_eval.statistics.intervals import MeanInterval

__all__ = ["intervals", "share_interval"]

_OUT_OF_RANGE = 1e100
"""As in :mod:`muffakir_eval.statistics.intervals`: the squares of larger numbers are no numbers any more."""


def intervals(
    columns: Mapping[str, Column], by: GroupBy, not_shares: Collection[str] = ()
) -> dict[str, dict[str, Any]]:
    """Per metric ``interval`` (two ends, or ``None``) and ``interval_method``, with clusters ``n_clusters`` too.

    Args:
        columns: Metric to its values.
        by: Confidence and seed.
        not_shares: Metrics on another scale than 0 to 1.

    >>> column = Column()
    >>> column.values.add(1.0), column.values.add(0.0)
    (None, None)
    >>> intervals({"hit_rate": column}, GroupBy())["hit_rate"]["interval_method"]
    'wilson'
    """
    import numpy as np

    from muffakir_eval.statistics.intervals import mean_intervals

    found: dict[str, MeanInterval] = {}
    few = {}
    for name, column in columns.items():
        if column.clusters is not None:
            if column.values.n:
                found[name] = _of_clusters(column.values, column.clusters, by)
        elif column.values.n > KEPT:
            found[name] = _of_many(column.values, by, shares=name not in not_shares)
        else:
            few[name] = column.values.expanded()
    rng = np.random.default_rng(by.seed)
    found |= mean_intervals(few, rng=rng, confidence=by.confidence, not_shares=not_shares)
    return {name: _told(found.get(name), clustered=column.clusters is not None) for name, column in columns.items()}


def _told(sure: MeanInterval | None, *, clustered: bool) -> dict[str, Any]:
    known = sure is not None and sure.low is not None
    told: dict[str, Any] = {
        "interval": [sure.low, sure.high] if sure is not None and known else None,
        "interval_method": sure.method if sure is not None else None,
    }
    if clustered:
        told["n_clusters"] = sure.n_clusters if sure is not None else 0
    return told


def _out_of_range(values: Values) -> bool:
    return max(map(abs, values.ends)) > _OUT_OF_RANGE


def _of_many(values: Values, by: GroupBy, *, shares: bool) -> MeanInterval:
    """The interval that a run takes of more than :data:`KEPT` values: it needs no draws."""
    from muffakir_eval.statistics.intervals import MeanInterval, skew_corrected_interval, wilson_interval

    sums = values.sums()
    mean = sums.mean() or 0.0
    if _out_of_range(values):
        return MeanInterval(mean=mean, low=None, high=None, n=values.n)
    if shares and values.are_shares:
        share = wilson_interval(round(mean * values.n), values.n, confidence=by.confidence)
        return MeanInterval(mean=mean, low=share.low, high=share.high, n=values.n, method="wilson")
    normal = skew_corrected_interval(sums.moments(), confidence=by.confidence)
    low, high = (None, None) if normal is None else normal
    return MeanInterval(mean=mean, low=low, high=high, n=values.n, method="skew_corrected_normal")


def _of_clusters(values: Values, clusters: ClusterTotals, by: GroupBy) -> MeanInterval:
    import numpy as np

    from muffakir_eval.statistics.intervals import MeanInterval, cluster_interval

    totals = clusters.totals()
    mean = values.sums().mean() or 0.0
    if _out_of_range(values):
        return MeanInterval(mean=mean, low=None, high=None, n=values.n, n_clusters=len(totals.sums))
    seed = int(np.random.default_rng(by.seed).integers(2**62))  # as in mean_intervals: the same for every metric
    return cluster_interval(
        totals,
        mean=mean,
        constant=values.ends[0] == values.ends[1],
        rng=np.random.default_rng(seed),
        confidence=by.confidence,
    )


def share_interval(count: int, n: int, by: GroupBy) -> list[float] | None:
    """The interval of a share, ``None`` of nothing.

    >>> [round(end, 3) for end in share_interval(0, 10, GroupBy())]
    [0.0, 0.278]
    """
    if not n:
        return None
    from muffakir_eval.statistics.intervals import wilson_interval

    return list(wilson_interval(count, n, confidence=by.confidence))
