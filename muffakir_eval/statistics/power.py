"""How many questions a comparison needs, and whether B is no worse than A."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from muffakir_eval.statistics.clusters import cluster_sums
from muffakir_eval.statistics.intervals import out_of_range

__all__ = ["effect_size", "effective_spread", "non_inferiority", "questions_needed", "smallest_difference"]

Scores = Sequence[float] | npt.NDArray[Any]


def effect_size(differences: Scores) -> float | None:
    """Cohen's d for paired scores: the mean difference in units of the standard deviation of the differences.

    Cohen, "Statistical Power Analysis for the Behavioral Sciences" (1988), where it is called d_z.

    Returns:
        The effect size; ``None`` for fewer than two differences, where all are the same, and where one is
        beyond 1e100.

    >>> effect_size([0.0, 1.0, 2.0])
    1.0
    """
    sample = np.asarray(differences, dtype=np.float64)
    if len(sample) < 2 or out_of_range(sample):
        return None
    spread = float(sample.std(ddof=1))
    return float(sample.mean()) / spread if spread > 1e-12 else None


def questions_needed(
    spread: float, difference: float, *, confidence: float = 0.95, power: float = 0.8, two_sided: bool = True
) -> int:
    """How many questions a paired comparison needs to see a true difference of a given size.

    The normal approximation ``((z_alpha + z_power) * spread / difference)^2``, rounded up, at least 2.

    Args:
        spread: Standard deviation of the differences, question by question, at least 0.
        difference: Size of the true difference, in the same unit, not 0.
        confidence: 1 minus the rate of false alarms.
        power: How often such a difference shall be seen.
        two_sided: ``False`` where only one direction matters.

    Raises:
        ValueError: An argument is out of range.

    >>> questions_needed(0.5, 0.1)
    197
    """
    if difference == 0 or not math.isfinite(difference):
        raise ValueError(f"difference is {difference!r}; expected one that is not 0")
    if spread < 0 or not math.isfinite(spread):
        raise ValueError(f"spread is {spread!r}; expected a standard deviation, at least 0")
    return max(2, math.ceil((_quantiles(confidence, power, two_sided) * spread / difference) ** 2))


def effective_spread(differences: Scores, clusters: Sequence[Hashable] | None = None) -> float | None:
    """The standard deviation of the differences; with clusters the one that independent questions would need.

    The second is ``sqrt(n)`` times the linearised standard error of the mean over clusters, so that
    :func:`questions_needed` counts questions that fall into clusters as these do.

    Returns:
        The spread; ``None`` for fewer than two questions, or fewer than two clusters, and where a difference
        is beyond 1e100.

    >>> effective_spread([0.0, 1.0, 2.0])
    1.0
    >>> round(effective_spread([0.0, 0.0, 1.0, 1.0], ["a", "a", "b", "b"]), 4)
    1.0
    """
    sample = np.asarray(differences, dtype=np.float64)
    if len(sample) < 2 or out_of_range(sample):
        return None
    if clusters is None:
        return float(sample.std(ddof=1))
    sums, sizes = cluster_sums(sample, clusters)
    k = len(sums)
    if k < 2:
        return None
    away = sums - float(sample.mean()) * sizes
    return math.sqrt(float((away**2).sum()) * k / (k - 1) / len(sample))


def smallest_difference(spread: float, n: int, *, confidence: float = 0.95, power: float = 0.8) -> float:
    """The smallest true difference that ``n`` questions are likely to show: :func:`questions_needed` read backwards.

    >>> round(smallest_difference(0.5, 197), 2)
    0.1
    """
    if n < 1:
        raise ValueError(f"n is {n!r}; expected a whole number, at least 1")
    return _quantiles(confidence, power, two_sided=True) * spread / math.sqrt(n)


def non_inferiority(
    differences: Scores, margin: float, *, largest_loss: float, clusters: Sequence[Hashable] | None = None
) -> float:
    """One-sided p-value of "B is worse than A by ``margin`` or more"; small means that it is not.

    The empirical likelihood ratio of the mean (Owen, "Empirical Likelihood Ratio Confidence Intervals for a
    Single Functional", 1988), with one question added on which B loses everything: that none of a few
    questions was lost does not show that none in fifty is. Without it, and by any test that takes the spread
    of what was seen for the spread that there is, six equal answers would prove B as good as A.

    Args:
        differences: B minus A for each question, higher being better.
        margin: How much worse would still be accepted, above 0.
        largest_loss: How much worse B could be on one question: the range of the metric. What the
            differences themselves reach counts where it is more.
        clusters: What each question belongs to; whole clusters then count as one.

    Returns:
        The p-value; 0 where nothing that could be lost reaches the margin.

    Raises:
        ValueError: There is no difference, or the margin or the largest loss is not above 0.

    >>> round(non_inferiority([0.0] * 10, 0.02, largest_loss=1.0), 2)
    0.89
    >>> round(non_inferiority([0.0] * 300, 0.02, largest_loss=1.0), 3)
    0.005
    """
    for name, size in (("margin", margin), ("largest_loss", largest_loss)):
        if not size > 0 or not math.isfinite(size):
            raise ValueError(f"{name} is {size!r}; expected a number above 0")
    sample = np.asarray(differences, dtype=np.float64)
    if not len(sample):
        raise ValueError("expected at least one difference")
    moved = sample + margin
    per_unit = 1.0
    if clusters is not None:
        moved = cluster_sums(moved, clusters).sums
        per_unit = len(sample) / len(moved)
    lost = (margin - max(largest_loss, -float(sample.min()))) * per_unit
    if lost >= 0:
        return 0.0
    return NormalDist().cdf(-_signed_root(np.append(moved, lost)))


def _signed_root(values: npt.NDArray[np.float64]) -> float:
    """Root of the empirical likelihood ratio of a mean of 0, with the sign of the mean."""
    values, times = np.unique(values / np.abs(values).max(), return_counts=True)
    if values[-1] <= 0:
        return -math.inf
    # The weights are 1 / (n (1 + t x)), each between 0 and 1; their mean falls as t rises.
    low, high = ((1.0 / times.sum() - 1.0) / end for end in (values[-1], values[0]))
    for _ in range(100):
        middle = (low + high) / 2
        if float((times * values / (1.0 + middle * values)).sum()) > 0:
            low = middle
        else:
            high = middle
    ratio = 2.0 * float((times * np.log1p(low * values)).sum())
    return math.copysign(math.sqrt(max(0.0, ratio)), low)


def _quantiles(confidence: float, power: float, two_sided: bool) -> float:
    for name, share in (("confidence", confidence), ("power", power)):
        if not 0.0 < share < 1.0:
            raise ValueError(f"{name} is {share!r}; expected a share between 0 and 1")
    normal = NormalDist()
    alpha = 1.0 - confidence
    return normal.inv_cdf(1.0 - (alpha / 2 if two_sided else alpha)) + normal.inv_cdf(power)
