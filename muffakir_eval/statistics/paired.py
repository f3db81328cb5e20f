"""Is one system better than another on the same questions?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from muffakir_eval.statistics.bootstrap import bca_interval

__all__ = ["PairedComparison", "compare_paired", "holm", "mcnemar_exact", "randomisation_test"]

_DRAWS_AT_ONCE = 2_000_000
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
        test: Which test gave it: ``mcnemar_exact`` where every score is 0 or 1, else ``randomisation``.
        n: How many questions.
        wins: Questions on which B scores higher.
        ties: Questions on which both score the same.
        losses: Questions on which A scores higher.
    """

    difference: float
    low: float | None
    high: float | None
    p_value: float
    test: Literal["randomisation", "mcnemar_exact"]
    n: int
    wins: int
    ties: int
    losses: int


def compare_paired(
    a: Sequence[float] | Floats,
    b: Sequence[float] | Floats,
    *,
    rng: np.random.Generator,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
) -> PairedComparison:
    """Compare two systems on the same questions: difference, interval, p-value, wins and losses.

    The interval is the BCa bootstrap of the mean difference over questions. The p-value is two-sided:
    McNemar's exact test where every score is 0 or 1, otherwise the paired randomisation test, the one
    that Smucker, Allan and Carterette, "A Comparison of Statistical Significance Tests for Information
    Retrieval Evaluation" (2007), recommend.

    Args:
        a: Scores of A, one per question, in any unit.
        b: Scores of B on the same questions in the same order.
        rng: Source of the draws; the same state gives the same result.
        n_resamples: Draws of the bootstrap and of the randomisation test.
        confidence: Of the interval, in (0, 1).

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
    differences = second - first
    # What is left of 0.1 + 0.2 - 0.3 is no difference.
    differences[np.isclose(first, second, rtol=1e-12, atol=1e-12)] = 0.0
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    interval = bca_interval(differences, rng=rng, n_resamples=n_resamples, confidence=confidence)
    binary = bool(np.isin(first, (0.0, 1.0)).all() and np.isin(second, (0.0, 1.0)).all())
    p_value = (
        mcnemar_exact(wins, losses) if binary else randomisation_test(differences, rng=rng, n_resamples=n_resamples)
    )
    return PairedComparison(
        difference=float(differences.mean()),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        p_value=p_value,
        test="mcnemar_exact" if binary else "randomisation",
        n=len(differences),
        wins=wins,
        ties=len(differences) - wins - losses,
        losses=losses,
    )


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
    moved = np.asarray([value for value in differences if value], dtype=np.float64)
    if not len(moved):
        return 1.0
    observed = abs(float(moved.sum()))
    # Sums of the same numbers in another order differ in the last digits: those are as large, too.
    threshold = observed - 1e-12 * float(np.abs(moved).sum())
    if len(moved) <= _EXACT_UP_TO:
        codes = np.arange(2 ** len(moved))
        signs = 1.0 - 2.0 * ((codes[:, None] >> np.arange(len(moved))) & 1)
        return float((np.abs(signs @ moved) >= threshold).mean())
    as_large = 0
    step = max(1, _DRAWS_AT_ONCE // len(moved))
    for start in range(0, n_resamples, step):
        rows = min(step, n_resamples - start)
        flipped = rng.integers(0, 2, size=(rows, len(moved)), dtype=np.int8)
        sums = float(moved.sum()) - 2.0 * (flipped @ moved)
        as_large += int((np.abs(sums) >= threshold).sum())
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
