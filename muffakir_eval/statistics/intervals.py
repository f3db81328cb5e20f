"""Confidence intervals of a mean: which one, and how.

==============================  ========================================================================
values                          method
==============================  ========================================================================
only 0 and 1                    ``wilson``: Wilson's score interval
others, up to ``LARGE``         ``bca_bootstrap``: see :mod:`muffakir_eval.statistics.bootstrap`
others, more                    ``skew_corrected_normal``: from moments, which parts of a run can merge
with clusters                   ``cluster_bootstrap``: whole clusters are drawn, BCa over clusters; of more than
                                ``LARGE`` clusters the moments of what each is off
fewer than two, beyond 1e100    none
==============================  ========================================================================

The bootstraps are widened for few values or clusters; see :func:`~muffakir_eval.statistics.bootstrap.widened`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

from muffakir_eval.statistics.bootstrap import (
    Interval,
    bca_interval,
    bca_of,
    bootstrap_means,
    draw_counts,
    drawn_by_value,
    widened,
)
from muffakir_eval.statistics.clusters import ClusterSums, cluster_sums
from muffakir_eval.statistics.moments import Moments

__all__ = [
    "LARGE",
    "MeanInterval",
    "cluster_interval",
    "mean_interval",
    "mean_intervals",
    "out_of_range",
    "paired_share_interval",
    "skew_corrected_interval",
    "wilson_interval",
]

LARGE = 20_000
"""From so many values on the moments say as much as the bootstrap."""

_OUT_OF_RANGE = 1e100
"""The squares of larger numbers, such as a metric of the user's may give, are no numbers any more."""

Floats = npt.NDArray[np.float64]
Method = Literal["wilson", "bca_bootstrap", "skew_corrected_normal", "cluster_bootstrap"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanInterval:
    """A mean and how sure it is.

    Attributes:
        mean: Of the values.
        low: Lower end of the interval, ``None`` where none can be had.
        high: Upper end.
        n: How many values.
        n_clusters: How many clusters were drawn, ``None`` without clusters.
        method: Which interval it is, ``None`` where there is none.
    """

    mean: float
    low: float | None
    high: float | None
    n: int
    n_clusters: int | None = None
    method: Method | None = None


def mean_interval(
    values: Sequence[float] | Floats,
    *,
    rng: np.random.Generator,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
) -> MeanInterval:
    """The mean of ``values`` with the interval that suits them.

    Args:
        values: Finite values, at least one.
        rng: Source of the draws.
        clusters: What each value belongs to (a document, say): values of one cluster are not
            independent, and the cluster is drawn as a whole.
        confidence: In (0, 1).
        n_resamples: Draws of a bootstrap.

    Raises:
        ValueError: There is no value, one is not finite, or there are not as many clusters as values.

    >>> found = mean_interval([1, 1, 0, 1], rng=np.random.default_rng(0))
    >>> found.mean, round(found.low, 4), round(found.high, 4), found.method
    (0.75, 0.3006, 0.9544, 'wilson')
    """
    sample = _checked(values)
    _refuse_out_of_range(confidence, n_resamples)
    if clusters is not None:
        return _of_clusters(sample, clusters, rng, confidence, n_resamples)
    return _in_closed_form(sample, confidence) or _alone(sample, rng, confidence, n_resamples)


def mean_intervals(
    columns: Mapping[str, Sequence[float | None]],
    *,
    rng: np.random.Generator,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    not_shares: Collection[str] = (),
) -> dict[str, MeanInterval]:
    """:func:`mean_interval` of several metrics of the same samples, drawn together.

    Metrics that were measured on equally many samples share their draws, so that eight cost little more
    than one. What one metric gets depends neither on which others are asked for nor on the order of the
    samples.

    Args:
        columns: Metric to its values, ``None`` where it was not measured on a sample.
        rng: Source of the draws.
        clusters: What each sample belongs to.
        confidence: In (0, 1).
        n_resamples: Draws of a bootstrap.
        not_shares: Metrics on another scale than 0 to 1, such as a rating from 1 to 5: that all their values
            are 1 makes no share of them.

    Returns:
        Metric to its interval, in the order of ``columns``; one without any value has none.

    >>> found = mean_intervals({"recall": [1, 0, None], "mrr": [0.5, 0.25, 1.0]}, rng=np.random.default_rng(0))
    >>> [(name, interval.n, interval.method) for name, interval in found.items()]
    [('recall', 2, 'wilson'), ('mrr', 3, 'bca_bootstrap')]
    """
    _refuse_out_of_range(confidence, n_resamples)
    seed = int(rng.integers(2**62))
    found: dict[str, MeanInterval] = {}
    together: dict[int, list[tuple[str, Floats]]] = {}
    for name, values in columns.items():
        measured = [value is not None for value in values]
        if not any(measured):
            continue
        sample = _checked([value for value in values if value is not None])
        own = np.random.default_rng(seed)
        if clusters is not None:
            kept = list(itertools.compress(clusters, measured))
            found[name] = _of_clusters(sample, kept, own, confidence, n_resamples)
            continue
        closed = _in_closed_form(sample, confidence, shares=name not in not_shares)
        if closed is not None:
            found[name] = closed
        elif drawn_by_value(sample):
            found[name] = _alone(sample, own, confidence, n_resamples)
        else:
            together.setdefault(len(sample), []).append((name, np.sort(sample)))
    for group in together.values():
        samples = np.column_stack([sample for _, sample in group])
        means = bootstrap_means(samples, rng=np.random.default_rng(seed), n_resamples=n_resamples)
        for place, (name, sample) in enumerate(group):
            mean, wider = float(sample.mean()), widened(confidence, len(sample))
            found[name] = _bootstrapped(sample, bca_of(means[:, place], mean, mean - sample, confidence=wider))
    return {name: found[name] for name in columns if name in found}


def _checked(values: Sequence[float] | Floats) -> Floats:
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or not len(sample) or not bool(np.isfinite(sample).all()):
        raise ValueError("expected finite values, at least one")
    return sample


def _mean(sample: Floats) -> float:
    highest = float(np.abs(sample).max())
    return float((sample / highest).mean() * highest) if highest > _OUT_OF_RANGE else float(sample.mean())


def out_of_range(sample: Floats) -> bool:
    """Whether a number is so large that its square is no number any more.

    >>> out_of_range(np.array([1.0, -1e120]))
    True
    """
    return bool((np.abs(sample) > _OUT_OF_RANGE).any())


def _in_closed_form(sample: Floats, confidence: float, *, shares: bool = True) -> MeanInterval | None:
    """The interval of samples that need no draws, ``None`` for the others."""
    n, mean = len(sample), _mean(sample)
    if n < 2 or out_of_range(sample):
        return MeanInterval(mean=mean, low=None, high=None, n=n)
    if shares and bool(((sample == 0.0) | (sample == 1.0)).all()):
        share = wilson_interval(int(sample.sum()), n, confidence=confidence)
        return MeanInterval(mean=mean, low=share.low, high=share.high, n=n, method="wilson")
    if n > LARGE:
        normal = skew_corrected_interval(Moments.of(sample), confidence=confidence)
        if normal is not None:
            return MeanInterval(mean=mean, low=normal.low, high=normal.high, n=n, method="skew_corrected_normal")
    return None


def _refuse_out_of_range(confidence: float, n_resamples: int) -> None:
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence is {confidence!r}; expected a share between 0 and 1")
    if n_resamples < 1:
        raise ValueError(f"n_resamples is {n_resamples!r}; expected a whole number, at least 1")


def _alone(sample: Floats, rng: np.random.Generator, confidence: float, n_resamples: int) -> MeanInterval:
    wider = widened(confidence, len(sample))
    return _bootstrapped(sample, bca_interval(sample, rng=rng, n_resamples=n_resamples, confidence=wider))


def _bootstrapped(sample: Floats, interval: Interval | None) -> MeanInterval:
    mean, n = float(sample.mean()), len(sample)
    if interval is None:
        return MeanInterval(mean=mean, low=None, high=None, n=n)
    return MeanInterval(mean=mean, low=interval.low, high=interval.high, n=n, method="bca_bootstrap")


def _of_clusters(
    sample: Floats, clusters: Sequence[Hashable], rng: np.random.Generator, confidence: float, n_resamples: int
) -> MeanInterval:
    totals = cluster_sums(sample, clusters)
    mean = _mean(np.sort(sample))
    if out_of_range(sample):
        return MeanInterval(mean=mean, low=None, high=None, n=len(sample), n_clusters=len(totals.sums))
    constant = bool((sample == sample[0]).all())
    return cluster_interval(
        totals, mean=mean, constant=constant, rng=rng, confidence=confidence, n_resamples=n_resamples
    )


def cluster_interval(
    totals: ClusterSums,
    *,
    mean: float,
    constant: bool,
    rng: np.random.Generator,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
) -> MeanInterval:
    """The interval of a mean of values that belong to clusters, from what the clusters add up to.

    Args:
        totals: Sum and size of each cluster, at least one, none out of range.
        mean: Of all values.
        constant: All values are equal.
        rng: Source of the draws.
        confidence: In (0, 1).
        n_resamples: Draws of the bootstrap.

    >>> totals = cluster_sums(np.array([1.0, 0.0, 1.0, 1.0]), ["x", "x", "y", "z"])
    >>> found = cluster_interval(totals, mean=0.75, constant=False, rng=np.random.default_rng(0))
    >>> found.n, found.n_clusters, found.method
    (4, 3, 'cluster_bootstrap')
    """
    sums, sizes = totals
    n, k = int(sizes.sum()), len(sums)
    if k < 2:
        return MeanInterval(mean=mean, low=None, high=None, n=n, n_clusters=k)
    if constant:
        interval = Interval(mean, mean)
    elif k > LARGE:
        return _of_many_clusters(totals, mean, confidence)
    else:
        drawn = np.empty(n_resamples)
        both = np.column_stack([sums, sizes])

        def keep(rows: slice, counts: Floats) -> None:
            totals = counts @ both
            drawn[rows] = totals[:, 0] / totals[:, 1]

        draw_counts(k, rng=rng, n_resamples=n_resamples, use=keep)
        left_out = (sums.sum() - sums) / (n - sizes)
        # One cluster that holds most of the values leaves few that say anything by themselves.
        alike = max(1.0 + 1e-6, float(sizes.sum()) ** 2 / float((sizes**2).sum()))
        interval = bca_of(drawn, mean, left_out, confidence=widened(confidence, alike))
    return MeanInterval(mean=mean, low=interval.low, high=interval.high, n=n, n_clusters=k, method="cluster_bootstrap")


def _of_many_clusters(totals: ClusterSums, mean: float, confidence: float) -> MeanInterval:
    """By the moments of what each cluster is off, in units of the mean cluster: the ratio of two sums, linearised."""
    sums, sizes = totals
    n, k = int(sizes.sum()), len(sums)
    off = skew_corrected_interval(Moments.of((sums - mean * sizes) * (k / n)), confidence=confidence)
    low, high = (None, None) if off is None else (mean + off.low, mean + off.high)
    return MeanInterval(mean=mean, low=low, high=high, n=n, n_clusters=k, method="skew_corrected_normal")


def wilson_interval(successes: int, n: int, *, confidence: float = 0.95) -> Interval:
    """Wilson's score interval of a share, in [0, 1].

    Wilson, "Probable Inference, the Law of Succession, and Statistical Inference" (1927), without
    continuity correction.

    Args:
        successes: From 0 to ``n``.
        n: At least 1.
        confidence: In (0, 1).

    Raises:
        ValueError: An argument is out of range.

    >>> low, high = wilson_interval(8, 10)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.9433)
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}; expected from 0 to n, and n at least 1")
    z = _two_sided(confidence)
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At the edges the formula gives 0 and 1 up to rounding.
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    return Interval(low, 1.0 if successes == n else min(1.0, middle + half))


def paired_share_interval(wins: int, losses: int, n: int, *, confidence: float = 0.95) -> Interval:
    """Interval of the difference of two shares that were measured on the same questions.

    Bonett and Price, "Adjusted Wald Confidence Interval for a Difference of Binomial Proportions Based on
    Paired Data" (2012): one win and one loss are added, so that a few questions on which both are alike do
    not pass for certainty.

    Args:
        wins: Questions that only the second has right.
        losses: Questions that only the first has right.
        n: All questions, at least 1.
        confidence: In (0, 1).

    Raises:
        ValueError: An argument is out of range.

    >>> low, high = paired_share_interval(8, 2, 30)
    >>> round(low, 3), round(high, 3)
    (-0.014, 0.389)
    """
    if n < 1 or wins < 0 or losses < 0 or wins + losses > n:
        raise ValueError(f"{wins} wins and {losses} losses of {n}; expected counts that add up to at most n")
    up, down = (wins + 1) / (n + 2), (losses + 1) / (n + 2)
    half = _two_sided(confidence) * math.sqrt((up + down - (up - down) ** 2) / (n + 2))
    return Interval(max(-1.0, up - down - half), min(1.0, up - down + half))


def skew_corrected_interval(moments: Moments, *, confidence: float = 0.95) -> Interval | None:
    """Normal interval of a mean, corrected for the skew of the values to the first order.

    The quantiles of the studentised mean by Cornish and Fisher: ``z - g (2 z^2 + 1) / (6 sqrt(n))``
    with the skewness ``g`` (Hall, "On the Removal of Skewness by Transformation", 1992).

    Returns:
        The interval; ``None`` for fewer than two values.

    >>> interval = skew_corrected_interval(Moments.of([0.0, 1.0] * 5000))
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.49, 0.51)
    """
    if moments.n < 2:
        return None
    error = math.sqrt(moments.variance / moments.n)
    z = _two_sided(confidence)
    shift = moments.skewness * (2 * z * z + 1) / (6 * math.sqrt(moments.n))
    return Interval(moments.mean - (z - shift) * error, moments.mean + (z + shift) * error)


def _two_sided(confidence: float) -> float:
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence is {confidence!r}; expected a share between 0 and 1")
    return NormalDist().inv_cdf(0.5 + confidence / 2)
