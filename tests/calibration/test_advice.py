"""What follows from the figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muffakir_eval import MatchSettings
from muffakir_eval.calibration.advice import Decided, Evidence, advice, cautions
from muffakir_eval.calibration.figures import Estimate, Gain, Quality
from muffakir_eval.calibration.target import Target

OTHER = MatchSettings(overlap_threshold=0.4)


def quality(tp: int, fp: int, fn: int = 0, tn: int = 100) -> Quality:
    value = tp / (tp + fp) if tp + fp else None
    some = Estimate(value=0.5, low=0.4, high=0.6)
    return Quality(tp=tp, fp=fp, fn=fn, tn=tn, precision=Estimate(value=value), recall=some, f=some)


GAIN = Gain(measure="F1", value=0.1, low=0.05, high=0.15, fixed=20, broken=2, p_value=0.001, beyond_noise=True)
FOUND = Evidence(
    target=Target(),
    settings=(MatchSettings(), OTHER),
    current=quality(80, 2, 20),
    calibrated=quality(99, 3, 1),
    out_of_fold=quality(98, 4, 2),
    gain=GAIN,
    fold_settings=(OTHER, MatchSettings(overlap_threshold=0.42)),
    decided=Decided(by_containment=30, contained_not_relevant=0, never=70, by_thresholds=100),
)
NOISE = replace(GAIN, beyond_noise=False)


def test_a_gain_beyond_noise_is_adopted_and_one_within_is_not() -> None:
    assert advice(FOUND)[0] == "adopt"
    assert "F1 +0.1000" in advice(FOUND)[1]
    verdict, reason = advice(replace(FOUND, gain=NOISE))
    assert (verdict, "within noise" in reason, "interval +0.0500 to +0.1500" in reason) == ("keep", True, True)
    assert "interval" not in advice(replace(FOUND, gain=replace(NOISE, low=None, high=None)))[1]


def test_the_same_settings_are_kept() -> None:
    assert advice(replace(FOUND, settings=(OTHER, OTHER)))[0] == "keep"


def test_what_was_not_measured_is_not_adopted() -> None:
    verdict, reason = advice(replace(FOUND, gain=None, out_of_fold="one_gold"))
    assert (verdict, reason) == ("keep", "what the calibrated thresholds are worth on other pairs is not known")


def test_a_precision_that_is_asked_for() -> None:
    asked = replace(FOUND, target=Target(min_precision=0.97), out_of_fold=quality(98, 3, 2))
    assert advice(asked)[0] == "adopt"
    assert advice(replace(asked, gain=NOISE))[0] == "keep"
    missed = advice(replace(asked, out_of_fold=quality(90, 10)))
    assert missed == (
        "keep",
        "on pairs that they were not chosen on, the calibrated thresholds miss a precision of 0.97",
    )
    assert advice(replace(asked, current=quality(80, 20), gain=NOISE))[0] == "adopt"
    assert advice(replace(asked, calibrated=quality(90, 10))) == (
        "not_reached",
        "no thresholds reach a precision of 0.97: the highest is 0.9000",
    )
    assert "nothing is accepted" in advice(replace(asked, calibrated=quality(0, 0)))[1]


def test_nothing_to_say_against_it() -> None:
    assert list(cautions(FOUND)) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            replace(FOUND, current=quality(20, 0, 10, 19), decided=replace(FOUND.decided, by_containment=9)),
            "only 49 labelled pairs",
        ),
        (replace(FOUND, current=quality(1, 0, 0, 100)), "only 1 of the 101 pairs is labelled relevant"),
        (replace(FOUND, current=quality(90, 3, 0, 2)), "only 5 of the 95 pairs are labelled not relevant"),
        (replace(FOUND, out_of_fold="one_gold"), "about one gold passage, so"),
        (replace(FOUND, out_of_fold="one_sided_folds"), "all pairs of one label are about one gold passage"),
        (
            replace(FOUND, decided=replace(FOUND.decided, by_containment=102, by_thresholds=60)),
            "102 of the 202 pairs are decided by containment",
        ),
        (
            replace(FOUND, decided=replace(FOUND.decided, by_thresholds=49)),
            "only 49 of the 202 pairs tell anything about thresholds",
        ),
        (
            replace(FOUND, decided=replace(FOUND.decided, contained_not_relevant=3)),
            "word for word: 3 of the pairs",
        ),
        (
            replace(FOUND, fold_settings=(OTHER, MatchSettings(overlap_threshold=0.6))),
            "overlap_threshold was chosen between 0.4 and 0.6",
        ),
        (
            replace(FOUND, target=Target(min_precision=0.97), out_of_fold=quality(90, 10)),
            "the precision is 0.9000, below 0.97",
        ),
        (
            replace(FOUND, target=Target(min_precision=0.97), out_of_fold=quality(0, 0)),
            "the precision is not defined, below 0.97",
        ),
    ],
)
def test_what_makes_it_less_sure(changed: Evidence, said: str) -> None:
    (told,) = cautions(changed)
    assert said in told


def test_a_precision_that_is_reached_out_of_fold_too_needs_no_word() -> None:
    assert list(cautions(replace(FOUND, target=Target(min_precision=0.9)))) == []
