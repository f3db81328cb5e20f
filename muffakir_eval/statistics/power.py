"""How many questions a comparison needs, and whether B is no worse than A."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["effect_size", "non_inferiority", "questions_needed", "smallest_difference"]

Scores = Sequence[float] | npt.NDArray[Any]


def effect_size(differences: Scores) -> float | None:
    """Cohen's d for paired scores: the mean difference in units of the standard deviation of the differences.

    Cohen, "Statistical Power Analysis for the Behavioral Sciences" (1988), where it is called d_z.

    Returns:
        The effect size; ``None`` for fewer than two differences, and where all are the same.

    >>> effect_size([0.0, 1.0, 2.0])
    1.0
    """
    sample = np.asarray(differences, dtype=np.float64)
    if len(sample) < 2:
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


def smallest_difference(spread: float, n: int, *, confidence: float = 0.95, power: float = 0.8) -> float:
    """The smallest true difference that ``n`` questions are likely to show: :func:`questions_needed` read backwards.

    >>> round(smallest_difference(0.5, 197), 2)
    0.1
    """
    if n < 1:
        raise ValueError(f"n is {n!r}; expected a whole number, at least 1")
    return _quantiles(confidence, power, two_sided=True) * spread / math.sqrt(n)


def non_inferiority(
    differences: Scores, margin: float, *, rng: np.random.Generator, n_resamples: int = 10_000
) -> float:
    """One-sided p-value of "B is worse than A by ``margin`` or more"; small means that it is not.

    The differences, moved by the margin, are drawn with random signs, as in
    :func:`~muffakir_eval.statistics.paired.randomisation_test`.

    Args:
        differences: B minus A for each question, higher being better.
        margin: How much worse would still be accepted, above 0.
        rng: Source of the draws.
        n_resamples: How many sets of signs are drawn.

    Raises:
        ValueError: There is no difference, or the margin is not above 0.

    >>> non_inferiority([0.0] * 40, 0.02, rng=np.random.default_rng(0)) < 0.001
    True
    """
    if not margin > 0 or not math.isfinite(margin):
        raise ValueError(f"margin is {margin!r}; expected a number above 0")
    moved = np.asarray(differences, dtype=np.float64) + margin
    if not len(moved):
        raise ValueError("expected at least one difference")
    observed = float(moved.sum()) - 1e-12 * float(np.abs(moved).sum())
    as_large = 0
    step = max(1, 2_000_000 // len(moved))
    for start in range(0, n_resamples, step):
        rows = min(step, n_resamples - start)
        flipped = rng.integers(0, 2, size=(rows, len(moved)), dtype=np.int8)
        as_large += int((float(moved.sum()) - 2.0 * (flipped @ moved) >= observed).sum())
    return (as_large + 1) / (n_resamples + 1)


def _quantiles(confidence: float, power: float, two_sided: bool) -> float:
    for name, share in (("confidence", confidence), ("power", power)):
        if not 0.0 < share < 1.0:
            raise ValueError(f"{name} is {share!r}; expected a share between 0 and 1")
    normal = NormalDist()
    alpha = 1.0 - confidence
    return normal.inv_cdf(1.0 - (alpha / 2 if two_sided else alpha)) + normal.inv_cdf(power)
