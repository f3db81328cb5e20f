"""How long things took."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from muffakir_eval.statistics.quantiles import quantile
from muffakir_eval.tally.exact import PowerSums

__all__ = ["Latencies", "percentiles"]

_PERCENTILES = (50, 90, 95, 99)
_KEPT = 20_000
_ERROR = 0.005
_STEP = math.log((1 + _ERROR) / (1 - _ERROR))


class Latencies:
    """Durations: each one up to 20,000, of more how many fall into each of narrow ranges.

    A range spans 1 %, so a percentile of many durations is off by half of that at most: Masson, Rim and
    Lee, "DDSketch: A Fast and Fully-Mergeable Quantile Sketch with Relative-Error Guarantees" (2019).
    """

    def __init__(self) -> None:
        self._values = array("d")
        self._ranges: dict[int | None, int] = {}
        self._sums = PowerSums()
        self._high = 0.0

    def add(self, value: float) -> None:
        """Count one duration, 0 or more."""
        self._values.append(value)
        if len(self._values) > _KEPT:
            self._fold()

    def merge(self, other: Latencies) -> None:
        """Count everything that ``other`` has counted."""
        for place, times in other._ranges.items():
            self._ranges[place] = self._ranges.get(place, 0) + times
        self._sums.merge(other._sums)
        self._high = max(self._high, other._high)
        for value in other._values:
            self.add(value)

    def _fold(self) -> None:
        for value in self._values:
            place = math.ceil(math.log(value) / _STEP) if value > 0 else None
            self._ranges[place] = self._ranges.get(place, 0) + 1
            self._sums.add(value)
        self._high = max(self._high, *self._values)
        del self._values[:]

    def figures(self) -> dict[str, float | int | None]:
        """As :func:`percentiles`; where they come from ranges, ``relative_error`` says how far off they may be."""
        if not self._ranges:
            return percentiles(self._values)
        whole = Latencies()
        whole.merge(self)
        whole._fold()
        return whole._from_ranges()

    def _from_ranges(self) -> dict[str, float | int | None]:
        ordered = sorted(self._ranges.items(), key=lambda pair: -math.inf if pair[0] is None else pair[0])
        upto = list(accumulate(times for _, times in ordered))
        out: dict[str, float | int | None] = {"mean": self._sums.mean()}
        for percent in _PERCENTILES:
            place = ordered[bisect_right(upto, percent / 100 * (self._sums.n - 1))][0]
            middle = 0.0 if place is None else math.exp(place * _STEP) * (1 - _ERROR)
            out[f"p{percent}"] = min(middle, self._high)
        return out | {"max": self._high, "n": self._sums.n, "relative_error": _ERROR}


def percentiles(values: Sequence[float]) -> dict[str, float | int | None]:
    """Mean, percentiles (see :func:`~muffakir_eval.statistics.quantiles.quantile`), maximum and count of ``values``.

    >>> percentiles([10.0, 20.0, 30.0])["p50"]
    20.0
    >>> percentiles([])
    {'mean': None, 'p50': None, 'p90': None, 'p95': None, 'p99': None, 'max': None, 'n': 0}
    """
    ordered = sorted(values)
    out: dict[str, float | int | None] = {"mean": PowerSums(ordered).mean()}
    for percent in _PERCENTILES:
        out[f"p{percent}"] = quantile(ordered, percent / 100) if ordered else None
    out["max"] = ordered[-1] if ordered else None
    out["n"] = len(ordered)
    return out
