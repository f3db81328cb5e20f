"""What follows from the figures: which settings to use, and what to keep in mind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from muffakir_eval.calibration.figures import Gain, Quality
from muffakir_eval.calibration.folds import NoFolds
from muffakir_eval.calibration.target import Target
from muffakir_eval.config import MatchSettings

__all__ = ["SMALL", "Decided", "Evidence", "Verdict", "advice", "cautions"]

Verdict = Literal["adopt", "keep", "not_reached"]

SMALL = 50
"""Below so many pairs, thresholds are chosen by a handful of them."""

_FEW = 10
_WIDE = 0.15
"""Thresholds that differ by more than this between the folds hang on few pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What decides the pairs.

    Attributes:
        by_containment: Pairs that match whatever the thresholds are.
        contained_not_relevant: Those of them that are labelled as not relevant.
        never: Pairs that no threshold accepts.
        by_thresholds: The others, from which alone thresholds can be told.
    """

    by_containment: int
    contained_not_relevant: int
    never: int
    by_thresholds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What advice rests on.

    Attributes:
        target: What the thresholds were chosen for.
        settings: The present settings, and the calibrated ones.
        current: How good the present ones are.
        calibrated: How good the calibrated ones are on the pairs that they were chosen on.
        out_of_fold: The same on pairs that they were not chosen on, or why that is not known.
        gain: What calibrating brings there.
        fold_settings: What each fold chose.
        decided: What decides the pairs.
    """

    target: Target
    settings: tuple[MatchSettings, MatchSettings]
    current: Quality
    calibrated: Quality
    out_of_fold: Quality | NoFolds
    gain: Gain | None
    fold_settings: tuple[MatchSettings, ...]
    decided: Decided

    @property
    def n_pairs(self) -> int:
        """How many pairs there are."""
        return self.current.tp + self.current.fp + self.current.fn + self.current.tn


def advice(found: Evidence) -> tuple[Verdict, str]:
    """Whether to use the calibrated thresholds, and why."""
    least = found.target.min_precision
    if not found.target.reaches(found.calibrated.precision.value):
        best = found.calibrated.precision.value
        told = "nothing is accepted" if best is None else f"the highest is {best:.4f}"
        return "not_reached", f"no thresholds reach a precision of {least:g}: {told}"
    same = found.settings[0] == found.settings[1]
    if not found.target.reaches(found.current.precision.value) and not same:
        return "adopt", f"the present thresholds do not reach a precision of {least:g}, the calibrated ones do"
    if same:
        return "keep", "no other thresholds are better on these pairs"
    return _by_gain(found)


def _by_gain(found: Evidence) -> tuple[Verdict, str]:
    if found.gain is None or not isinstance(found.out_of_fold, Quality):
        return "keep", "what the calibrated thresholds are worth on other pairs is not known"
    gain = found.gain
    told = f"{gain.measure} {gain.value:+.4f} on pairs that the thresholds were not chosen on"
    if gain.low is not None and gain.high is not None:
        told += f", interval {gain.low:+.4f} to {gain.high:+.4f}"
    if not gain.beyond_noise:
        return "keep", f"the gain is within noise ({told}; pairs fixed: {gain.fixed}, broken: {gain.broken})"
    least = found.target.min_precision
    if not found.target.reaches(found.out_of_fold.precision.value):
        return "keep", f"on pairs that they were not chosen on, the calibrated thresholds miss a precision of {least:g}"
    return "adopt", f"the gain is beyond noise ({told}; pairs fixed: {gain.fixed}, broken: {gain.broken})"


def cautions(found: Evidence) -> Iterator[str]:
    """What makes the result less sure than it looks."""
    relevant, n = found.current.tp + found.current.fn, found.n_pairs
    if n < SMALL:
        yield f"only {n} labelled pairs: thresholds that rest on fewer than {SMALL} hang on single pairs; label more"
    for count, kind in ((relevant, "relevant"), (n - relevant, "not relevant")):
        if count < _FEW:
            yield f"only {count} of the {n} pairs {'is' if count == 1 else 'are'} labelled {kind}: label more of these"
    yield from _on_what_decides(found.decided, n)
    if found.out_of_fold == "one_gold":
        yield (
            "all pairs are about one gold passage, so what the thresholds are worth on other passages is not known: "
            "label pairs about several"
        )
    elif found.out_of_fold == "one_sided_folds":
        yield (
            "all pairs of one label are about one gold passage, so what the thresholds are worth on other passages is "
            "not known: label pairs of both kinds about several"
        )
    yield from _on_folds(found)


def _on_what_decides(decided: Decided, n: int) -> Iterator[str]:
    if 2 * decided.by_containment > n:
        yield (
            f"{decided.by_containment} of the {n} pairs are decided by containment (one text inside the other) "
            f"whatever the thresholds are; only {decided.by_thresholds} pairs tell anything about them"
        )
    elif decided.by_thresholds < SMALL <= n:
        yield (
            f"only {decided.by_thresholds} of the {n} pairs tell anything about thresholds: "
            f"{decided.by_containment} are decided by containment, and {decided.never} have too little in common"
        )
    if decided.contained_not_relevant:
        yield (
            f"labelled not relevant, although one text stands inside the other word for word: "
            f"{decided.contained_not_relevant} of the pairs; no threshold changes that, so look at their labels"
        )


def _on_folds(found: Evidence) -> Iterator[str]:
    least = found.target.min_precision
    reached = found.target.reaches(found.calibrated.precision.value)
    if least is not None and isinstance(found.out_of_fold, Quality) and reached:
        value = found.out_of_fold.precision.value
        if not found.target.reaches(value):
            told = "not defined" if value is None else f"{value:.4f}"
            yield f"on pairs that the thresholds were not chosen on, the precision is {told}, below {least:g}"
    for name in ("overlap_threshold", "coverage_threshold"):
        chosen = [getattr(settings, name) for settings in found.fold_settings]
        if chosen and max(chosen) - min(chosen) > _WIDE:
            yield (
                f"{name} was chosen between {min(chosen):g} and {max(chosen):g}, depending on which pairs were left "
                "out: it hangs on few of them"
            )
