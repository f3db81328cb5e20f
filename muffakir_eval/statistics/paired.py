"""Is one system better than another on the same questions?"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from muffakir_eval.statistics.bootstrap import Interval, bca_interval, drawn_by_value, widened
from muffakir_eval.statistics.clusters import cluster_sums
from muffakir_eval.statistics.intervals import (
    LARGE,
    mean_interval,
    out_of_range,
    paired_share_interval,
    skew_corrected_interval,
)
from muffakir_eval.statistics.moments import Moments
from muffakir_eval.statistics.signs import signed_sums

__all__ = ["PairedComparison", "compare_paired", "holm", "mcnemar_exact", "randomisation_test"]

_EXACT_UP_TO = 12
"""So many questions that differ give at most 4,096 signs, which are all looked at."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedComparison:
    """One metric of two systems, A and B, on the questions that both were scored on.

    Attributes:
        difference: Mean of B minus mean of A.
        low: Lower end of the interval of the difference; ``None`` where there are too few questions for one.
        high: Its upper end.
        p_value: How often chance alone gives a difference at least as large, in (0, 1].
        test: Which test gave it: ``mcnemar_exact`` where every score is 0 or 1, else ``randomisation``;
            ``cluster_randomisation`` where questions belong together.
        n: How many questions.
        wins: Questions on which B scores higher.
        ties: Questions on which both score the same.
        losses: Questions on which A scores higher.
        n_clusters: How many clusters the questions fall into, ``None`` without clusters.
    """

    difference: float
    low: float | None
    high: float | None
    p_value: float
    test: Literal["randomisation", "mcnemar_exact", "cluster_randomisation"]
    n: int
    wins: int
    ties: int
    losses: int
    n_clusters: int | None = None


def compare_paired(
    a: Sequence[float] | Floats,
    b: Sequence[float] | Floats,
    *,
    rng: np.random.Generator,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    clusters: Sequence[Hashable] | None = None,
) -> PairedComparison:
    """Compare two systems on the same questions: difference, interval, p-value, wins and losses.

    Where every score is 0 or 1, the interval is Bonett's and Price's
    (:func:`~muffakir_eval.statistics.intervals.paired_share_interval`) and the p-value that of McNemar's exact
    test. Otherwise the interval is the BCa bootstrap of the mean difference over questions (of more than
    20,000 of many different values, the normal interval corrected for skew), and the p-value, two-sided as
    well, that of the paired randomisation test, the one
    that Smucker, Allan and Carterette, "A Comparison of Statistical Significance Tests for Information
    Retrieval Evaluation" (2007), recommend.

    Args:
        a: Scores of A, one per question, in any unit.
        b: Scores of B on the same questions in the same order.
        rng: Source of the draws; the same state and the same questions, in whatever order, give the same result.
        n_resamples: Draws of the bootstrap and of the randomisation test.
        confidence: Of the interval, in (0, 1).
        clusters: What each question belongs to (a document, say). Questions of one cluster are not
            independent: the interval then draws whole clusters, and the test changes the sign of whole
            clusters.

    Raises:
        ValueError: The two are empty or of different length, or a score is not finite.

    >>> found = compare_paired([0.0, 0.5, 0.5, 1.0], [0.5, 1.0, 0.5, 1.0], rng=np.random.default_rng(0))
    >>> found.difference, found.p_value, (found.wins, found.ties, found.losses)
    (0.25, 0.5, (2, 2, 0))
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1 or not len(first):
        raise ValueError(f"{len(a)} and {len(b)} scores; expected the scores of the same questions, at least one")
    if not bool(np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("a score is not finite; leave out the questions without a score in either system")
    with np.errstate(over="ignore"):
        differences = second - first
    if not bool(np.isfinite(differences).all()):
        raise ValueError("a difference of two scores is out of the range of numbers")
    # What is left of 0.1 + 0.2 - 0.3 is no difference.
    differences[np.isclose(first, second, rtol=1e-12, atol=1e-12)] = 0.0
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    moved, n_clusters = differences, None
    test: Literal["randomisation", "mcnemar_exact", "cluster_randomisation"] = "randomisation"
    if clusters is not None:
        moved = cluster_sums(differences, clusters).sums
        # What is left of a win and an equal loss in one cluster is no difference either.
        moved[np.abs(moved) <= 1e-12 * float(np.abs(differences).sum())] = 0.0
        test, n_clusters = "cluster_randomisation", len(moved)
    elif bool(np.isin(first, (0.0, 1.0)).all() and np.isin(second, (0.0, 1.0)).all()):
        test = "mcnemar_exact"
    if test == "mcnemar_exact":
        interval = paired_share_interval(wins, losses, len(first), confidence=confidence) if len(first) > 1 else None
        p_value = mcnemar_exact(wins, losses)
    else:
        interval = _interval(differences, clusters, rng, confidence, n_resamples)
        p_value = randomisation_test(moved, rng=rng, n_resamples=n_resamples)
    return PairedComparison(
        difference=float(differences.mean()),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        p_value=p_value,
        test=test,
        n=len(differences),
        wins=wins,
        ties=len(differences) - wins - losses,
        losses=losses,
        n_clusters=n_clusters,
    )


def _interval(
    differences: Floats,
    clusters: Sequence[Hashable] | None,
    rng: np.random.Generator,
    confidence: float,
    n_resamples: int,
) -> Interval | None:
    """Differences that are all 0 and 1 are no share: Wilson's interval would hold that B cannot be worse."""
    if clusters is not None:
        found = mean_interval(differences, rng=rng, clusters=clusters, confidence=confidence, n_resamples=n_resamples)
        return None if found.low is None or found.high is None else Interval(found.low, found.high)
    if len(differences) < 2 or out_of_range(differences):
        return None
    if len(differences) > LARGE and not drawn_by_value(differences):
        return skew_corrected_interval(Moments.of(differences), confidence=confidence)
    wider = widened(confidence, len(differences))
    return bca_interval(differences, rng=rng, n_resamples=n_resamples, confidence=wider)


def randomisation_test(
    differences: Sequence[float] | Floats, *, rng: np.random.Generator, n_resamples: int = 10_000
) -> float:
    """Two-sided p-value of the paired randomisation test of a mean difference of 0.

    Fisher's: were the systems alike, each difference could as well have the other sign. Up to 12
    differences that are not 0 all signs are looked at; beyond, ``n_resamples`` of them are drawn and
    the observed one counts as one more, so that the p-value is never 0 (Phipson and Smyth, 2010).

    >>> randomisation_test([1.0, 2.0, 3.0], rng=np.random.default_rng(0))
    0.25
    """
    # Sorted, so that the draws do not depend on the order of the questions.
    moved = np.sort(np.asarray([value for value in differences if value], dtype=np.float64))
    if not len(moved):
        return 1.0
    observed = abs(float(moved.sum()))
    # Sums of the same numbers in another order differ in the last digits: those are as large, too.
    threshold = observed - 1e-12 * float(np.abs(moved).sum())
    if len(moved) <= _EXACT_UP_TO:
        codes = np.arange(2 ** len(moved))
        signs = 1.0 - 2.0 * ((codes[:, None] >> np.arange(len(moved))) & 1)
        return float((np.abs(signs @ moved) >= threshold).mean())
    sums = signed_sums(moved, rng=rng, n_resamples=n_resamples)
    as_large = int((np.abs(sums) >= threshold).sum())
    return (as_large + 1) / (n_resamples + 1)


def mcnemar_exact(wins: int, losses: int) -> float:
    """Two-sided p-value of McNemar's exact test: of the questions that differ, each is a win by chance one half.

    Twice the smaller tail of the binomial distribution, at most 1.

    >>> mcnemar_exact(9, 1)
    0.021484375
    >>> mcnemar_exact(0, 0)
    1.0
    """
    if wins < 0 or losses < 0:
        raise ValueError(f"{wins} wins and {losses} losses; expected counts of at least 0")
    total, fewer = wins + losses, min(wins, losses)
    if total > 1000:  # the exact integers grow long; the logarithms keep 12 digits
        logs = [_log_half_binomial(total, count) for count in range(fewer + 1)]
        highest = max(logs)
        tail = math.exp(highest + math.log(math.fsum(math.exp(value - highest) for value in logs)))
    else:
        tail = sum(math.comb(total, count) for count in range(fewer + 1)) / 2**total
    return min(1.0, 2.0 * tail)


def _log_half_binomial(total: int, count: int) -> float:
    choices = math.lgamma(total + 1) - math.lgamma(count + 1) - math.lgamma(total - count + 1)
    return choices - total * math.log(2.0)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment: p-values that hold for all the comparisons together, in the same order.

    Holm, "A Simple Sequentially Rejective Multiple Test Procedure" (1979).

    >>> [round(value, 9) for value in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    if any(not 0.0 <= value <= 1.0 for value in p_values):
        raise ValueError(f"p-values {list(p_values)!r}; expected each between 0 and 1")
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = highest
    return adjusted
