"""The intervals of a report."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from muffakir_eval.tally.groups import GroupBy

__all__ = ["batches", "intervals", "share_interval"]

_AT_ONCE = 20_000


def batches(names: Sequence[str], n_samples: int) -> list[list[str]]:
    """Which metrics are looked at together: all that share draws, one by one where that would only cost memory."""
    return [list(names)] if n_samples <= _AT_ONCE else [[name] for name in names]


def intervals(
    columns: Mapping[str, Sequence[float | None]],
    clusters: Sequence[int] | None,
    by: GroupBy,
    not_shares: Collection[str] = (),
) -> dict[str, dict[str, Any]]:
    """Per metric ``interval`` (two ends, or ``None``) and ``interval_method``, with clusters ``n_clusters`` too.

    Args:
        columns: Metric to its values.
        clusters: What each sample belongs to.
        by: Confidence and seed.
        not_shares: Metrics on another scale than 0 to 1.

    >>> intervals({"hit_rate": [1.0, 0.0, None]}, None, GroupBy())["hit_rate"]["interval_method"]
    'wilson'
    """
    import numpy as np

    from muffakir_eval.statistics.intervals import mean_intervals

    found = mean_intervals(
        columns,
        rng=np.random.default_rng(by.seed),
        clusters=clusters,
        confidence=by.confidence,
        not_shares=not_shares,
    )
    block: dict[str, dict[str, Any]] = {}
    for name in columns:
        sure = found.get(name)
        known = sure is not None and sure.low is not None
        block[name] = {
            "interval": [sure.low, sure.high] if sure is not None and known else None,
            "interval_method": sure.method if sure is not None else None,
        }
        if clusters is not None:
            block[name]["n_clusters"] = sure.n_clusters if sure is not None else 0
    return block


def share_interval(count: int, n: int, by: GroupBy) -> list[float] | None:
    """The interval of a share, ``None`` of nothing.

    >>> [round(end, 3) for end in share_interval(0, 10, GroupBy())]
    [0.0, 0.278]
    """
    if not n:
        return None
    from muffakir_eval.statistics.intervals import wilson_interval

    return list(wilson_interval(count, n, confidence=by.confidence))
