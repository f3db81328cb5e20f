"""The mean that people would give, from many cheap judgements and few human ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["PredictionPowered", "prediction_powered_mean"]

Scores = Sequence[float] | npt.NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionPowered:
    """A judge's mean, corrected by a sample that people have judged too.

    Attributes:
        mean: The corrected mean.
        low: Lower end of its interval.
        high: Upper end.
        judge_mean: What the judge alone says, over all answers.
        correction: ``mean - judge_mean``.
        weight: How far the judge's scores are trusted, in [0, 1]: 0 leaves the human mean alone.
        n_labelled: Answers that people and judge have scored.
        n_unlabelled: Answers that only the judge has scored.
    """

    mean: float
    low: float
    high: float
    judge_mean: float
    correction: float
    weight: float
    n_labelled: int
    n_unlabelled: int


def prediction_powered_mean(
    human: Scores, judged: Scores, judged_only: Scores, *, confidence: float = 0.95
) -> PredictionPowered | None:
    """Estimate the human mean over all answers.

    Angelopoulos, Duchi and Zrnic, "PPI++: Efficient Prediction-Powered Inference" (2023), section 6: the
    human mean plus ``weight`` times what the judge says of the answers without a human score minus
    what it says of those with one. The weight is the one of the smallest variance, held in [0, 1]: a
    judge that agrees with people makes the interval narrower, one that does not changes nothing.

    Args:
        human: Human scores of the labelled answers, on the judge's scale.
        judged: The judge's scores of the same answers in the same order.
        judged_only: The judge's scores of the answers that no person has scored.
        confidence: In (0, 1).

    Returns:
        The estimate; ``None`` for fewer than two labelled or two unlabelled answers.

    Raises:
        ValueError: The first two are not of one length, or a score is not finite.

    >>> found = prediction_powered_mean([1, 0, 1, 0], [1, 1, 1, 1], [1] * 50)
    >>> found.mean, found.judge_mean, found.weight
    (0.5, 1.0, 0.0)
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence is {confidence!r}; expected a share between 0 and 1")
    truth, known, rest = (np.asarray(values, dtype=np.float64) for values in (human, judged, judged_only))
    if truth.shape != known.shape:
        raise ValueError(f"{len(truth)} human scores and {len(known)} of the judge; expected those of the same answers")
    if not all(bool(np.isfinite(values).all()) for values in (truth, known, rest)):
        raise ValueError("a score is not finite; leave out the answers without a score")
    n, more = len(truth), len(rest)
    if n < 2 or more < 2:
        return None
    pooled = np.concatenate([known, rest])
    spread = float(pooled.var(ddof=1))
    together = float(np.cov(truth, known)[0, 1])
    weight = min(1.0, max(0.0, together / ((1 + n / more) * spread))) if spread > 0 else 0.0
    mean = float(truth.mean()) + weight * (float(rest.mean()) - float(known.mean()))
    error = math.sqrt(float((truth - weight * known).var(ddof=1)) / n + weight**2 * float(rest.var(ddof=1)) / more)
    half = NormalDist().inv_cdf(0.5 + confidence / 2) * error
    judge_mean = float(pooled.mean())
    return PredictionPowered(
        mean=mean,
        low=mean - half,
        high=mean + half,
        judge_mean=judge_mean,
        correction=mean - judge_mean,
        weight=weight,
        n_labelled=n,
        n_unlabelled=more,
    )
