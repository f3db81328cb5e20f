"""Sums of numbers with random signs: what a difference looks like where there is none."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["signed_sums"]

_DRAWS_AT_ONCE = 2_000_000
_MANY = 20_000
"""From so many numbers on only the largest get a sign of their own."""
_LARGEST = 2_000

Floats = npt.NDArray[np.float64]


def signed_sums(values: Floats, *, rng: np.random.Generator, n_resamples: int) -> Floats:
    """Sums of ``values``, each with a sign that is drawn anew for each sum.

    Beyond 20,000 values the 2,000 largest are drawn one by one, and what the others add up to is drawn
    from the normal distribution with the variance of their sum: none of them weighs enough to tell.

    Args:
        values: Finite, at least one.
        rng: Source of the draws.
        n_resamples: How many sums.

    >>> sorted(set(signed_sums(np.array([1.0, 2.0]), rng=np.random.default_rng(0), n_resamples=99).tolist()))
    [-3.0, -1.0, 1.0, 3.0]
    """
    rest = None
    if len(values) > _MANY:
        by_size = values[np.argsort(np.abs(values), kind="stable")]
        values, small = by_size[-_LARGEST:], by_size[:-_LARGEST]
        rest = rng.normal(0.0, float(np.sqrt((small**2).sum())), size=n_resamples)
    total = float(values.sum())
    sums = np.empty(n_resamples)
    step = max(1, _DRAWS_AT_ONCE // len(values))
    for start in range(0, n_resamples, step):
        rows = min(step, n_resamples - start)
        flipped = rng.integers(0, 2, size=(rows, len(values)), dtype=np.int8)
        sums[start : start + rows] = total - 2.0 * (flipped @ values)
    return sums if rest is None else sums + rest
