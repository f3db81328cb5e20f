"""How long things took."""

from __future__ import annotations

from collections.abc import Sequence

from muffakir_eval.statistics.quantiles import quantile
from muffakir_eval.tally.values import exact_mean

__all__ = ["percentiles"]

_PERCENTILES = (50, 90, 95, 99)


def percentiles(values: Sequence[float]) -> dict[str, float | int | None]:
    """Mean, percentiles (see :func:`~muffakir_eval.statistics.quantiles.quantile`), maximum and count of ``values``.

    >>> percentiles([10.0, 20.0, 30.0])["p50"]
    20.0
    >>> percentiles([])
    {'mean': None, 'p50': None, 'p90': None, 'p95': None, 'p99': None, 'max': None, 'n': 0}
    """
    ordered = sorted(values)
    out: dict[str, float | int | None] = {"mean": exact_mean(ordered, len(ordered))}
    for percent in _PERCENTILES:
        out[f"p{percent}"] = quantile(ordered, percent / 100) if ordered else None
    out["max"] = ordered[-1] if ordered else None
    out["n"] = len(ordered)
    return out
