"""Precision, recall and F, and how sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from muffakir_eval.calibration.target import Target

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]
    Marks = npt.NDArray[np.bool_]

__all__ = ["Estimate", "Gain", "Quality", "Trust", "gain_of", "quality_of"]

_RESAMPLES = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure in [0, 1] and its interval; all ``None`` where it is not defined.

    Attributes:
        value: The figure.
        low: Lower end.
        high: Upper end.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """How well verdicts agree with labels.

    Attributes:
        tp: Relevant pairs that are accepted.
        fp: Pairs that are accepted and not relevant.
        fn: Relevant pairs that are not accepted.
        tn: The others.
        precision: ``tp / (tp + fp)``; not defined where nothing is accepted.
        recall: ``tp / (tp + fn)``.
        f: F of the target.
    """

    tp: int
    fp: int
    fn: int
    tn: int
    precision: Estimate
    recall: Estimate
    f: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """What calibrating brings on pairs that it did not see.

    Attributes:
        measure: ``F1`` and the like, or ``recall`` where a precision is asked for.
        value: The calibrated figure, out of fold, minus the present one.
        low: Lower end of its interval.
        high: Upper end.
        fixed: Pairs that only the calibrated thresholds decide rightly.
        broken: Pairs that only the present ones decide rightly.
        p_value: How often chance alone fixes so many more than it breaks, or the reverse.
        beyond_noise: ``low`` is above 0 and ``p_value`` below 1 minus the confidence.
    """

    measure: str
    value: float
    low: float | None
    high: float | None
    fixed: int
    broken: int
    p_value: float
    beyond_noise: bool


class Trust(NamedTuple):
    """How intervals are made.

    Attributes:
        golds: The gold passage of each pair: pairs about one are not independent, and are drawn together.
        seed: Of the draws.
        confidence: In (0, 1).
    """

    golds: Sequence[str]
    seed: int
    confidence: float

    @property
    def clusters(self) -> Sequence[str] | None:
        """The golds, where one stands in several pairs."""
        return self.golds if len(set(self.golds)) < len(self.golds) else None


def _outcomes(accepted: Marks, relevant: Marks) -> Numbers:
    """Right hit, wrong hit, miss; shape ``(pairs, 3)``."""
    import numpy as np

    return np.stack([accepted & relevant, accepted & ~relevant, ~accepted & relevant], axis=1).astype(np.float64)


def _resampled(rows: Numbers, trust: Trust) -> Numbers:
    import numpy as np

    from muffakir_eval.statistics.resampling import resampled_sums

    rng = np.random.default_rng(trust.seed)
    return resampled_sums(rows, rng=rng, n_resamples=_RESAMPLES, clusters=trust.clusters)


def _rates(sums: Numbers, target: Target) -> tuple[Numbers, Numbers, Numbers]:
    """Precision, recall and F of counts; NaN where one is not defined."""
    import numpy as np

    tp, fp, fn = sums[..., 0], sums[..., 1], sums[..., 2]
    with np.errstate(invalid="ignore", divide="ignore"):
        return tp / (tp + fp), tp / (tp + fn), target.f(tp, fp, fn)


def quality_of(accepted: Marks, relevant: Marks, target: Target, trust: Trust) -> Quality:
    """Precision, recall and F of verdicts.

    Intervals come from drawing gold passages with all their pairs, and from Wilson's formula, and the wider one
    counts at each end: Wilson's takes pairs for independent, and the draws see no error where none was made. For F,
    Wilson's interval of the right hits among right hits and errors is brought to its scale.

    Args:
        accepted: Verdicts.
        relevant: Labels, of which at least one says yes.
        target: Which F.
        trust: How sure to be.
    """
    outcomes = _outcomes(accepted, relevant)
    tp, fp, fn = (int(count) for count in outcomes.sum(axis=0))
    values = [float(rate) for rate in _rates(outcomes.sum(axis=0), target)]
    drawn = _rates(_resampled(outcomes, trust), target)
    errors = fp + fn
    weight = target.beta * target.beta
    # How much an average error counts in F against a right hit; without any, the dearer kind.
    cost = (weight * fn + fp) / ((1 + weight) * errors) if errors else max(1.0, weight) / (1 + weight)
    found = [
        _estimate(values[0], drawn[0], (tp, tp + fp), trust),
        _estimate(values[1], drawn[1], (tp, tp + fn), trust),
        _estimate(values[2], drawn[2], (tp, tp + errors), trust, cost),
    ]
    return Quality(tp=tp, fp=fp, fn=fn, tn=len(relevant) - tp - errors, precision=found[0], recall=found[1], f=found[2])


def _estimate(
    value: float, drawn: Numbers, share: tuple[int, int], trust: Trust, cost: float | None = None
) -> Estimate:
    from muffakir_eval.statistics.bootstrap import Interval
    from muffakir_eval.statistics.intervals import wilson_interval
    from muffakir_eval.statistics.resampling import percentile_interval

    if not share[1]:
        return Estimate(value=None)
    ends = wilson_interval(*share, confidence=trust.confidence)
    if cost is not None:
        ends = Interval(*(end / (end + cost * (1 - end)) for end in ends))
    other = percentile_interval(drawn, confidence=trust.confidence) or ends
    return Estimate(value=value, low=min(ends.low, other.low), high=max(ends.high, other.high))


def gain_of(before: Marks, after: Marks, relevant: Marks, target: Target, trust: Trust) -> Gain:
    """What changes from the verdicts ``before`` to those ``after``.

    The interval comes from drawing gold passages with all their pairs; the p-value is McNemar's exact one, or that
    of the randomisation test over gold passages where one stands in several pairs.
    """
    import numpy as np

    from muffakir_eval.statistics.paired import compare_paired
    from muffakir_eval.statistics.resampling import percentile_interval

    rows = np.hstack([_outcomes(before, relevant), _outcomes(after, relevant)])
    measure = 2 if target.min_precision is None else 1

    def difference(sums: Numbers) -> Numbers:
        old, new = (_rates(sums[..., part], target)[measure] for part in (slice(0, 3), slice(3, 6)))
        return np.asarray(new - old)

    ends = percentile_interval(difference(_resampled(rows, trust)), confidence=trust.confidence)
    counted = relevant if measure == 1 else np.ones(len(relevant), dtype=bool)
    clusters = None if trust.clusters is None else [trust.clusters[place] for place in np.flatnonzero(counted).tolist()]
    paired = compare_paired(
        (before == relevant)[counted].astype(np.float64),
        (after == relevant)[counted].astype(np.float64),
        rng=np.random.default_rng(trust.seed),
        n_resamples=_RESAMPLES,
        confidence=trust.confidence,
        clusters=clusters,
    )
    low, high = (None, None) if ends is None else (float(ends.low), float(ends.high))
    return Gain(
        measure=target.f_name if measure == 2 else "recall",
        value=float(difference(rows.sum(axis=0))),
        low=low,
        high=high,
        fixed=paired.wins,
        broken=paired.losses,
        p_value=paired.p_value,
        beyond_noise=low is not None and low > 0 and paired.p_value < 1 - trust.confidence,
    )
