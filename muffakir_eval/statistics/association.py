"""Do two columns of scores rise together?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from muffakir_eval.statistics.bootstrap import Interval

__all__ = ["Correlation", "correlation", "correlation_interval"]

Floats = npt.NDArray[np.float64]
Scores = Sequence[float] | npt.NDArray[Any]
Kind = Literal["spearman", "kendall", "pearson"]


class Correlation(NamedTuple):
    """A correlation.

    Attributes:
        value: In [-1, 1]; ``None`` where it is not defined.
        reason: Why not: ``too_few`` pairs (fewer than two), or ``constant`` where one column has one value only.
        n: How many pairs.
    """

    value: float | None
    reason: str | None
    n: int


def correlation(a: Scores, b: Scores, kind: Kind = "spearman") -> Correlation:
    """Correlation of two columns: Spearman's rho, Kendall's tau-b, or Pearson's r, as scipy computes them.

    Raises:
        ValueError: The two are not of one length, or a value is not finite.

    >>> correlation([1, 2, 3, 4], [10, 20, 40, 30])
    Correlation(value=0.8, reason=None, n=4)
    >>> correlation([1, 2, 3], [5, 5, 5], "kendall")
    Correlation(value=None, reason='constant', n=3)
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"{len(a)} and {len(b)} values; expected two columns of one length")
    if not bool(np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("a value is not finite; leave out the pairs with one missing")
    n = len(first)
    if n < 2:
        return Correlation(None, "too_few", n)
    if bool((first == first[0]).all() or (second == second[0]).all()):
        return Correlation(None, "constant", n)
    return Correlation(round(_compute(first, second, kind), 12), None, n)


def _compute(first: Floats, second: Floats, kind: Kind) -> float:
    from scipy import stats

    functions: dict[Kind, Callable[..., Any]] = {
        "spearman": stats.spearmanr,
        "kendall": stats.kendalltau,
        "pearson": stats.pearsonr,
    }
    return float(functions[kind](first, second).statistic)


def correlation_interval(
    a: Scores,
    b: Scores,
    kind: Kind = "spearman",
    *,
    rng: np.random.Generator,
    confidence: float = 0.95,
    n_resamples: int = 1000,
) -> Interval | None:
    """Bootstrap percentile interval of :func:`correlation`; the pairs are drawn.

    Samples in which the correlation is not defined are left out; ``None`` where these are more than
    half, or there are fewer than three pairs.

    >>> interval = correlation_interval(range(20), range(20), rng=np.random.default_rng(0), n_resamples=50)
    >>> interval
    Interval(low=1.0, high=1.0)
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if len(first) < 3:
        return None
    drawn = []
    for _ in range(n_resamples):
        rows = rng.integers(0, len(first), size=len(first))
        value = correlation(first[rows], second[rows], kind).value
        if value is not None:
            drawn.append(value)
    if len(drawn) * 2 < n_resamples:
        return None
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))
