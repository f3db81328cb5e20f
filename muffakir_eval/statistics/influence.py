"""Figures of raters together with what each unit adds to them, and the intervals that follow.

The influence of a unit is the derivative of a figure by the weight of that unit; the mean of their squares is
the variance of the figure (the infinitesimal jackknife: Efron, "The Jackknife, the Bootstrap and Other
Resampling Plans", 1982, chapter 6). Nothing is drawn, so 10,000 units cost no more than a sort; and of
few units, or of labels of which one prevails, such intervals cover better than percentiles of a bootstrap.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from muffakir_eval.statistics.agreement import Weights, cohen_kappa, gwet_agreement
from muffakir_eval.statistics.bootstrap import Interval
from muffakir_eval.statistics.clusters import cluster_sums

__all__ = [
    "Influenced",
    "alpha",
    "area_interval",
    "area_under_curve",
    "coefficient_interval",
    "concordance",
    "kendall",
    "label_agreement",
    "slope_interval",
    "spearman",
    "stratified_slope",
]

Floats = npt.NDArray[np.float64]
Scores = Sequence[float] | npt.NDArray[Any]

_LEAST_UNITS = 4
_MOST_CELLS = 1_000_000
"""Of a table of all values; more are compared unit by unit."""
_AT_ONCE = 4_000_000


class Influenced(NamedTuple):
    """A figure and what it rests on.

    Attributes:
        value: ``None`` where it is not defined.
        reason: Why not.
        influence: Of each unit, summing to 0; empty where there is no value.
    """

    value: float | None
    reason: str | None
    influence: Floats


def _undefined(reason: str) -> Influenced:
    return Influenced(None, reason, np.zeros(0))


def coefficient_interval(
    found: Influenced, *, confidence: float, clusters: Sequence[Hashable] | None = None
) -> Interval | None:
    """Interval of a coefficient that lies between -1 and 1, by its ``atanh`` and Student's t.

    Args:
        found: The coefficient.
        confidence: In (0, 1).
        clusters: What each unit belongs to; then whole clusters are the units that vary.

    Returns:
        The interval; ``None`` for fewer than four units or clusters, for a coefficient of 1 or -1, and where no
        unit has any influence: what was never seen to vary does not say how it might.

    >>> same, other = [1, 2, 2, 3, 4, 5, 5, 4], [1, 2, 3, 3, 5, 4, 5, 2]
    >>> found = coefficient_interval(spearman(same, other), confidence=0.95)
    >>> round(found.low, 2), round(found.high, 2)
    (0.04, 0.96)
    >>> coefficient_interval(spearman(same, same), confidence=0.95) is None
    True
    """
    value, half = found.value, _half(found, confidence, clusters)
    if value is None or half is None or abs(value) > 1.0 - 1e-9:
        return None
    middle, reach = math.atanh(value), half / (1.0 - value * value)
    return Interval(math.tanh(middle - reach), math.tanh(middle + reach))


def slope_interval(
    found: Influenced, *, confidence: float, clusters: Sequence[Hashable] | None = None
) -> Interval | None:
    """Interval of a figure without ends, by Student's t; ``None`` as for :func:`coefficient_interval`."""
    half = _half(found, confidence, clusters)
    return None if found.value is None or half is None else Interval(found.value - half, found.value + half)


def _half(found: Influenced, confidence: float, clusters: Sequence[Hashable] | None) -> float | None:
    from scipy.special import stdtrit

    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence is {confidence!r}; expected a share between 0 and 1")
    n = len(found.influence)
    parts = found.influence if clusters is None or not n else cluster_sums(found.influence, clusters).sums
    units = len(parts)
    if units < _LEAST_UNITS:
        return None
    error = math.sqrt(units / (units - 1) * math.fsum(parts**2)) / n
    return None if error < 1e-12 else float(stdtrit(units - 1, 0.5 + confidence / 2)) * error


# -- labels and scores -----------------------------------------------------------------------------


def label_agreement(
    a: Sequence[int] | npt.NDArray[np.int64],
    b: Sequence[int] | npt.NDArray[np.int64],
    n_labels: int,
    *,
    statistic: Literal["kappa", "gwet"],
    weights: Weights = "identity",
) -> Influenced:
    """Cohen's kappa or Gwet's coefficient of two raters; see :mod:`muffakir_eval.statistics.agreement`.

    Args:
        a: Number of the label that the first rater gave each unit, from 0.
        b: Of the second.
        n_labels: How many labels there are.
        statistic: Which one.
        weights: What two different labels are worth.

    >>> round(label_agreement([0, 1, 2, 2], [0, 1, 2, 1], 3, statistic="kappa").value, 4)
    0.6364
    """
    first, second = np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64)
    cells = np.bincount(first * n_labels + second, minlength=n_labels * n_labels)
    table = cells.reshape(n_labels, n_labels).astype(np.float64)
    known = (cohen_kappa if statistic == "kappa" else gwet_agreement)(table, weights=weights)
    if known.value is None:
        return _undefined(str(known.reason))
    credit = _credit(n_labels, weights)
    share = table / len(first)
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    observed = float((share * credit).sum())
    if statistic == "kappa":
        chance = float(rows @ credit @ columns)
        moved = (credit @ columns)[:, None] + (rows @ credit)[None, :] - 2 * chance
    else:
        scale = float(credit.sum()) / (n_labels * (n_labels - 1))
        both = (rows + columns) / 2
        chance = scale * float((both * (1 - both)).sum())
        slopes = scale * (1 - 2 * both)
        moved = (slopes[:, None] + slopes[None, :]) / 2 - float((slopes * both).sum())
    each = (credit - observed) / (1 - chance) - (1 - observed) / (1 - chance) ** 2 * moved
    return Influenced(known.value, None, np.asarray(each[first, second]))


def _credit(size: int, weights: Weights) -> Floats:
    if weights == "identity":
        return np.eye(size)
    apart = np.abs(np.arange(size)[:, None] - np.arange(size)[None, :]) / max(1, size - 1)
    return np.asarray(1.0 - apart ** (1 if weights == "linear" else 2))


def concordance(a: Scores, b: Scores) -> Influenced:
    """Lin's coefficient of concordance: 1 where both give the same values, lower for spread and for bias.

    ``2 s_ab / (s_a^2 + s_b^2 + (mean_a - mean_b)^2)`` with variances over n (Lin, "A Concordance Correlation
    Coefficient to Evaluate Reproducibility", 1989). On whole labels this is Cohen's kappa with quadratic
    weights; it needs no labels.

    Returns:
        The coefficient in [-1, 1]; ``no_pairs`` without values, ``one_label`` where all values of both are equal.

    >>> round(concordance([1, 2, 3, 3], [1, 2, 3, 2]).value, 4)
    0.8
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if not len(first):
        return _undefined("no_pairs")
    x, y = first - first.mean(), second - second.mean()
    bias = float(first.mean() - second.mean())
    together, apart = float((x * y).mean()), float((x * x).mean() + (y * y).mean()) + bias * bias
    if apart < 1e-12:
        return _undefined("one_label")
    value = 2 * together / apart
    of_apart = x * x + y * y + 2 * bias * (x - y) - (apart - bias * bias)
    return Influenced(value, None, np.asarray((2 * (x * y - together) - value * of_apart) / apart))


def area_under_curve(scores: Scores, right: Scores) -> Influenced:
    """Area under the ROC curve: the chance that a right answer is scored above a wrong one, ties counting half.

    Hanley and McNeil, "The Meaning and Use of the Area under a ROC Curve" (1982).

    Args:
        scores: Of a judge.
        right: 1 for a right answer, 0 for a wrong one.

    Returns:
        The area in [0, 1], 0.5 for chance; ``one_label`` where all are right or all are wrong.

    >>> area_under_curve([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1]).value
    0.875
    """
    known, truth = np.asarray(scores, dtype=np.float64), np.asarray(right, dtype=np.float64) > 0.5
    if not len(known):
        return _undefined("no_pairs")
    share = float(truth.mean())
    if share in (0.0, 1.0):
        return _undefined("one_label")
    beaten = _below(known, (~truth).astype(np.float64))  # by a right answer of this score
    beating = _above(known, truth.astype(np.float64))
    value = float((truth * beaten).mean()) / (share * (1 - share))
    each = (truth * beaten + ~truth * beating) / (share * (1 - share))
    each = each - value * (np.where(truth, 1 / share, 0.0) + np.where(truth, 0.0, 1 / (1 - share)))
    return Influenced(value, None, np.asarray(each))


def area_interval(
    found: Influenced, *, confidence: float, clusters: Sequence[Hashable] | None = None
) -> Interval | None:
    """:func:`coefficient_interval` of what lies between 0 and 1."""
    if found.value is None:
        return None
    moved = Influenced(2 * found.value - 1, None, 2 * found.influence)
    interval = coefficient_interval(moved, confidence=confidence, clusters=clusters)
    return None if interval is None else Interval((interval.low + 1) / 2, (interval.high + 1) / 2)


# -- ranks -----------------------------------------------------------------------------------------


def spearman(a: Scores, b: Scores) -> Influenced:
    """Spearman's rho, with ties.

    Returns:
        The coefficient; ``too_few`` for fewer than two units, ``constant`` where one column has one value only.

    >>> round(spearman([1, 2, 3, 4], [10, 20, 40, 30]).value, 12)
    0.8
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    reason = _no_order(first, second)
    if reason is not None:
        return _undefined(reason)
    u, v = _middles(first), _middles(second)
    together, in_a, in_b = float((u * v).mean()), float((u * u).mean()), float((v * v).mean())
    root = math.sqrt(in_a * in_b)
    value = min(1.0, max(-1.0, together / root))
    of_both = u * v + _above(first, v) + _above(second, u) - 3 * together
    of_a = u * u + 2 * _above(first, u) - 3 * in_a
    of_b = v * v + 2 * _above(second, v) - 3 * in_b
    return Influenced(value, None, np.asarray(of_both / root - value / 2 * (of_a / in_a + of_b / in_b)))


def kendall(a: Scores, b: Scores) -> Influenced:
    """Kendall's tau-b; returns as :func:`spearman`.

    >>> round(kendall([1, 2, 3, 4], [10, 20, 40, 30]).value, 4)
    0.6667
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    reason = _no_order(first, second)
    if reason is not None:
        return _undefined(reason)
    n = len(first)
    _, in_a, times_a = np.unique(first, return_inverse=True, return_counts=True)
    _, in_b, times_b = np.unique(second, return_inverse=True, return_counts=True)
    balance = _balance(in_a, in_b, (len(times_a), len(times_b))) / n
    apart_a, apart_b = 1.0 - times_a[in_a] / n, 1.0 - times_b[in_b] / n
    together, all_a, all_b = float(balance.mean()), float(apart_a.mean()), float(apart_b.mean())
    root = math.sqrt(all_a * all_b)
    value = min(1.0, max(-1.0, together / root))
    each = 2 * (balance - together) / root - value * ((apart_a - all_a) / all_a + (apart_b - all_b) / all_b)
    return Influenced(value, None, np.asarray(each))


def _no_order(a: Floats, b: Floats) -> str | None:
    if len(a) < 2:
        return "too_few"
    return "constant" if bool((a == a[0]).all() or (b == b[0]).all()) else None


def _middles(values: Floats) -> Floats:
    """The share of the units below, with half of those alike, less one half."""
    _, places, times = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(((times.cumsum() - times / 2)[places]) / len(values) - 0.5)


def _above(values: Floats, weights: Floats) -> Floats:
    """Of each unit: the mean over all units of ``weights`` of those above it, and half of those alike."""
    _, places = np.unique(values, return_inverse=True)
    sums = np.bincount(places, weights=weights)
    return np.asarray((sums[::-1].cumsum()[::-1] - sums / 2)[places] / len(values))


def _below(values: Floats, weights: Floats) -> Floats:
    return _above(-values, weights)


def _balance(a: npt.NDArray[np.intp], b: npt.NDArray[np.intp], shape: tuple[int, int]) -> Floats:
    """Of each unit: the units in the same order in both columns less those in the opposite one."""
    if shape[0] * shape[1] <= _MOST_CELLS:
        table = np.bincount(a * shape[1] + b, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
        below = table[::-1].cumsum(axis=0)[::-1] - table
        above = table.cumsum(axis=0) - table
        later = below - above
        right = later[:, ::-1].cumsum(axis=1)[:, ::-1] - later
        return np.asarray((right - (later.cumsum(axis=1) - later))[a, b])
    small_a, small_b = a.astype(np.int32), b.astype(np.int32)
    found = np.empty(len(a))
    step = max(1, _AT_ONCE // len(a))
    for start in range(0, len(a), step):
        part = slice(start, start + step)
        signs = np.sign(small_a - small_a[part, None]).astype(np.int8)
        signs *= np.sign(small_b - small_b[part, None]).astype(np.int8)
        found[part] = signs.sum(axis=1, dtype=np.int64)
    return found


# -- several raters, and slopes --------------------------------------------------------------------


def alpha(units: Sequence[Sequence[float]]) -> Influenced:
    """Krippendorff's alpha at the interval level: a disagreement counts by the square of its size.

    On 0 and 1 this is the nominal alpha; on ratings it weighs as quadratic kappa does.

    Args:
        units: The ratings of each unit, at least two, by those who rated it.

    Returns:
        The coefficient; ``no_pairs`` without units, ``one_label`` where all ratings are equal.

    >>> round(alpha([[1, 1], [2, 2], [3, 3], [3, 2]]).value, 4)
    0.8205
    """
    if not units:
        return _undefined("no_pairs")
    middle = math.fsum(value for unit in units for value in unit) / sum(map(len, units))
    rows = np.array([_adds(unit, middle) for unit in units])
    size, total, squares, apart = (math.fsum(column) for column in rows.T)
    observed = apart / size
    expected = 2 * (size * squares - total * total) / (size * (size - 1))
    if expected < 1e-12:
        return _undefined("one_label")
    value = 1 - observed / expected
    of_observed = (rows[:, 3] - observed * rows[:, 0]) / size
    spread = size * squares - total * total
    of_spread = rows[:, 0] * squares + size * rows[:, 2] - 2 * total * rows[:, 1]
    of_expected = 2 * of_spread / (size * (size - 1)) - expected * rows[:, 0] * (1 / size + 1 / (size - 1))
    # The -1 of ``size - 1`` corrects for few ratings and takes part in no derivative: the sum must be 0.
    each = len(units) * (observed * of_expected / expected**2 - of_observed / expected)
    return Influenced(value, None, np.asarray(each - each.mean())) if spread > 0 else _undefined("one_label")


def _adds(unit: Sequence[float], middle: float) -> list[float]:
    """What a unit adds: how many ratings, their sum, their squares, and how far they lie apart."""
    values = sorted(value - middle for value in unit)
    size, total, squares = len(values), sum(values), sum(value * value for value in values)
    return [size, total, squares, 2 * (size * squares - total * total) / (size - 1)]


def stratified_slope(x: Floats, y: Floats, strata: npt.NDArray[np.int64]) -> tuple[Influenced, Influenced]:
    """Slope and Pearson's r of ``y`` on ``x`` within strata: least squares with an intercept for each.

    Returns:
        The two; ``constant`` where ``x`` (for r, or ``y``) never varies within a stratum.

    >>> slope, r = stratified_slope(np.array([0.0, 1, 2, 3]), np.array([0.0, 2, 9, 11]), np.array([0, 0, 1, 1]))
    >>> slope.value, r.value
    (2.0, 1.0)
    """
    sizes = np.maximum(np.bincount(strata), 1)
    # Each stratum has an intercept that was estimated, which takes from what is left to vary.
    spent = int((np.bincount(strata) > 0).sum()) + 1
    few = math.sqrt(len(x) / max(1, len(x) - spent))
    u = x - (np.bincount(strata, weights=x) / sizes)[strata]
    v = y - (np.bincount(strata, weights=y) / sizes)[strata]
    in_x, in_y, both = float((u * u).mean()), float((v * v).mean()), float((u * v).mean())
    if in_x < 1e-12:
        return _undefined("constant"), _undefined("constant")
    slope = both / in_x
    found = Influenced(slope, None, np.asarray(few * u * (v - slope * u) / in_x))
    if in_y < 1e-12:
        return found, _undefined("constant")
    root = math.sqrt(in_x * in_y)
    r = min(1.0, max(-1.0, both / root))
    each = (u * v - both) / root - r / 2 * (u * u / in_x + v * v / in_y - 2)
    return found, Influenced(r, None, np.asarray(few * each))
