"""How sure a mean is: the bias-corrected and accelerated bootstrap interval."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Interval", "bca_interval", "bootstrap_means"]

_DRAWS_AT_ONCE = 2_000_000
"""Bounds the memory of a bootstrap, whatever the size of the sample."""

Floats = npt.NDArray[np.float64]


class Interval(NamedTuple):
    """The two ends of a confidence interval."""

    low: float
    high: float


def bootstrap_means(values: Sequence[float] | Floats, *, rng: np.random.Generator, n_resamples: int) -> Floats:
    """Means of samples drawn from ``values`` with replacement, each of the same size.

    Args:
        values: At least one finite value.
        rng: Source of the draws.
        n_resamples: How many samples, at least 1.

    Returns:
        ``n_resamples`` means, shape ``(n_resamples,)``.

    >>> bootstrap_means([2.0, 2.0], rng=np.random.default_rng(0), n_resamples=3)
    array([2., 2., 2.])
    """
    sample = _checked(values)
    means = np.empty(n_resamples)
    step = max(1, _DRAWS_AT_ONCE // len(sample))
    for start in range(0, n_resamples, step):
        rows = min(step, n_resamples - start)
        means[start : start + rows] = sample[rng.integers(0, len(sample), size=(rows, len(sample)))].mean(axis=1)
    return means


def bca_interval(
    values: Sequence[float] | Floats,
    *,
    rng: np.random.Generator,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
) -> Interval | None:
    """Bias-corrected and accelerated bootstrap interval of the mean.

    Efron, "Better Bootstrap Confidence Intervals" (1987); the acceleration by the jackknife, which for
    a mean has the closed form ``sum((x - mean)^3) / (6 * sum((x - mean)^2)^1.5)`` with the sign of the skew.

    Args:
        values: Finite values, in any unit.
        rng: Source of the draws; the same state gives the same interval.
        n_resamples: How many samples are drawn.
        confidence: In (0, 1).

    Returns:
        The interval; ``None`` for fewer than two values, of which none can be had. Values that are all
        equal give an interval of no width.

    Raises:
        ValueError: A value is not finite, or ``confidence`` or ``n_resamples`` is out of range.

    >>> interval = bca_interval([0.0, 0.5, 1.0, 1.0, 0.5] * 8, rng=np.random.default_rng(0))
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.47, 0.71)
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence is {confidence!r}; expected a share between 0 and 1")
    if n_resamples < 1:
        raise ValueError(f"n_resamples is {n_resamples!r}; expected a whole number, at least 1")
    if len(values) < 2:
        return None
    sample = _checked(values)
    mean = float(sample.mean())
    if bool((sample == sample[0]).all()):
        return Interval(float(sample[0]), float(sample[0]))
    means = bootstrap_means(sample, rng=rng, n_resamples=n_resamples)
    low, high = _corrected_shares(sample - mean, means, mean, confidence)
    ends = np.quantile(means, [low, high])
    return Interval(float(ends[0]), float(ends[1]))


def _corrected_shares(centred: Floats, means: Floats, mean: float, confidence: float) -> tuple[float, float]:
    """Which quantiles of the bootstrap means are the ends of the interval."""
    normal = NormalDist()
    # Half of the ties: a mean of few values is drawn again exactly, and counting none would be a bias.
    near = np.isclose(means, mean, rtol=1e-12, atol=1e-15)
    below = (float(((means < mean) & ~near).sum()) + 0.5 * float(near.sum())) / len(means)
    floor = 0.5 / len(means)
    bias = normal.inv_cdf(min(max(below, floor), 1.0 - floor))
    acceleration = float((centred**3).sum()) / (6.0 * float((centred**2).sum()) ** 1.5)
    tail = (1.0 - confidence) / 2.0
    shares = []
    for quantile in (normal.inv_cdf(tail), normal.inv_cdf(1.0 - tail)):
        shifted = bias + quantile
        shares.append(normal.cdf(bias + shifted / (1.0 - acceleration * shifted)))
    return shares[0], shares[1]


def _checked(values: Sequence[float] | Floats) -> Floats:
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or not len(sample) or not bool(np.isfinite(sample).all()):
        raise ValueError("expected one row of finite values, at least one")
    return sample
