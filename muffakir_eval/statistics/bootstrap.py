"""How sure a mean is: the bias-corrected and accelerated bootstrap interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = [
    "Interval",
    "bca_interval",
    "bca_of",
    "bootstrap_means",
    "draw_counts",
    "drawn_by_value",
    "widened",
]

_DRAWS_AT_ONCE = 2_000_000
"""Bounds the memory of a bootstrap, whatever the size of the sample."""

_FEW_VALUES = 4
"""A sample with at least so many units per different value is drawn by value."""

Floats = npt.NDArray[np.float64]


class Interval(NamedTuple):
    """The two ends of a confidence interval."""

    low: float
    high: float


def draw_counts(n: int, *, rng: np.random.Generator, n_resamples: int, use: Callable[[slice, Floats], None]) -> None:
    """Draw samples of ``n`` units with replacement, as how often each unit was drawn.

    Counts serve any number of columns with one product of matrices.

    Args:
        n: How many units there are, at least 1.
        rng: Source of the draws.
        n_resamples: How many samples.
        use: Called with which samples these are and their counts, shape ``(samples, n)``; the array is
            used again afterwards.
    """
    step = max(1, min(n_resamples, _DRAWS_AT_ONCE // n))
    kind = np.uint16 if n <= 2**16 else np.int64
    counts = np.empty((step, n))
    for start in range(0, n_resamples, step):
        rows = min(step, n_resamples - start)
        drawn = rng.integers(0, n, size=(rows, n), dtype=kind)
        for row in range(rows):
            counts[row] = np.bincount(drawn[row], minlength=n)
        use(slice(start, start + rows), counts[:rows])


def bootstrap_means(values: Sequence[float] | Floats, *, rng: np.random.Generator, n_resamples: int) -> Floats:
    """Means of samples drawn from ``values`` with replacement, each of the same size.

    A sample with few different values is drawn as how often each value occurs, which has the same
    distribution and costs no more for a million units than for a hundred.

    Args:
        values: Finite values of at least one unit; shape ``(n,)``, or ``(n, m)`` for ``m`` quantities of
            the same units, which are then drawn together.
        rng: Source of the draws.
        n_resamples: How many samples, at least 1.

    Returns:
        The means, shape ``(n_resamples,)`` or ``(n_resamples, m)``.

    >>> bootstrap_means([2.0, 2.0], rng=np.random.default_rng(0), n_resamples=3)
    array([2., 2., 2.])
    """
    sample = _checked(values)
    n = len(sample)
    if sample.ndim == 1 and drawn_by_value(sample):
        different, times = np.unique(sample, return_counts=True)
        return np.asarray(rng.multinomial(n, times / n, size=n_resamples) @ different / n)
    means = np.empty((n_resamples, *sample.shape[1:]))

    def keep(rows: slice, counts: Floats) -> None:
        means[rows] = counts @ sample / n

    draw_counts(n, rng=rng, n_resamples=n_resamples, use=keep)
    return means


def drawn_by_value(sample: Floats) -> bool:
    """Whether :func:`bootstrap_means` draws how often each value occurs, instead of the units."""
    return len(np.unique(sample)) * _FEW_VALUES <= len(sample)


def bca_interval(
    values: Sequence[float] | Floats,
    *,
    rng: np.random.Generator,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
) -> Interval | None:
    """Bias-corrected and accelerated bootstrap interval of the mean.

    Efron, "Better Bootstrap Confidence Intervals" (1987); the acceleration by the jackknife.

    Args:
        values: Finite values, in any unit.
        rng: Source of the draws; the same state and the same values, in whatever order, give the same interval.
        n_resamples: How many samples are drawn.
        confidence: In (0, 1).

    Returns:
        The interval; ``None`` for fewer than two values, of which none can be had. Values that are all
        equal give an interval of no width.

    Raises:
        ValueError: A value is not finite, or ``confidence`` or ``n_resamples`` is out of range.

    >>> interval = bca_interval([0.0, 0.5, 1.0, 1.0, 0.5] * 8, rng=np.random.default_rng(0))
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.49, 0.71)
    """
    if n_resamples < 1:
        raise ValueError(f"n_resamples is {n_resamples!r}; expected a whole number, at least 1")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence is {confidence!r}; expected a share between 0 and 1")
    if len(values) < 2:
        return None
    sample = np.sort(_checked(values))  # so that the draws do not depend on the order of the values
    if bool((sample == sample[0]).all()):
        return Interval(float(sample[0]), float(sample[0]))
    means = bootstrap_means(sample, rng=rng, n_resamples=n_resamples)
    mean = float(sample.mean())
    # Without one unit the mean moves against it, by the same share of how far it lies off.
    return bca_of(means, mean, mean - sample, confidence=confidence)


def widened(confidence: float, units: float) -> float:
    """The nominal confidence at which a bootstrap of few units holds what ``confidence`` promises.

    A bootstrap sample varies less than the truth does, by ``(n - 1) / n``, and knows nothing of Student's
    t: Hesterberg, "What Teachers Should Know About the Bootstrap" (2015), section 4.1, the expanded
    percentile interval.

    Args:
        confidence: In (0, 1).
        units: How many independent units there are, more than 1; of clusters of unequal size the number of equal
            ones that would say as much.

    >>> round(widened(0.95, 10), 4), round(widened(0.95, 1000), 4)
    (0.9829, 0.9504)
    """
    from scipy.special import stdtrit

    quantile = math.sqrt(units / (units - 1)) * float(stdtrit(units - 1, 0.5 + confidence / 2))
    return min(2.0 * NormalDist().cdf(quantile) - 1.0, 1.0 - 1e-12)


def bca_of(drawn: Floats, estimate: float, left_out: Floats, *, confidence: float) -> Interval:
    """The BCa interval from what was drawn.

    Args:
        drawn: The statistic of each bootstrap sample.
        estimate: The statistic of the sample.
        left_out: The statistic with each unit left out in turn, up to a shift and a positive factor.
        confidence: In (0, 1).
    """
    normal = NormalDist()
    # Half of the ties: a statistic of few values is drawn again exactly, and counting none would be a bias.
    near = np.isclose(drawn, estimate, rtol=1e-12, atol=1e-15)
    below = (float(((drawn < estimate) & ~near).sum()) + 0.5 * float(near.sum())) / len(drawn)
    floor = 0.5 / len(drawn)
    bias = normal.inv_cdf(min(max(below, floor), 1.0 - floor))
    influence = left_out.mean() - left_out
    spread = float((influence**2).sum())
    acceleration = float((influence**3).sum()) / (6.0 * spread**1.5) if spread > 0 else 0.0
    # Never wider than what was drawn, and no infinite quantile.
    tail = max((1.0 - confidence) / 2.0, 0.25 * floor)
    shares = []
    for quantile in (normal.inv_cdf(tail), normal.inv_cdf(1.0 - tail)):
        shifted = bias + quantile
        room = 1.0 - acceleration * shifted
        shares.append(normal.cdf(bias + shifted / room) if room > 0 else float(shifted > 0))
    ends = np.quantile(drawn, shares)
    return Interval(float(ends[0]), float(ends[1]))


def _checked(values: Sequence[float] | Floats) -> Floats:
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim not in (1, 2) or not sample.size or not bool(np.isfinite(sample).all()):
        raise ValueError("expected finite values of at least one unit")
    return sample
