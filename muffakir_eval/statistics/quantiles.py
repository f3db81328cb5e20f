"""Quantiles of a sample."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["quantile"]


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which ``share`` of the sample lies, by linear interpolation between order statistics.

    This is definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages" (1996), the
    default of numpy.

    Args:
        ordered: The sample in ascending order, at least one value.
        share: Between 0 and 1.

    >>> quantile([10.0, 20.0, 40.0], 0.75)
    30.0
    """
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
