"""Precision against recall: only what nothing else is better than in both."""

from __future__ import annotations

import itertools

import numpy as np

from muffakir_eval import MatchSettings
from muffakir_eval.calibration.curve import curve_of
from muffakir_eval.calibration.limits import limits_of
from muffakir_eval.calibration.space import Space
from muffakir_eval.calibration.target import Target
from tests.calibration.labelled import PAIRS, verdict


def test_every_point_is_what_the_matcher_gives_and_none_is_dominated() -> None:
    pairs = [*PAIRS[2:12], (PAIRS[5][0], PAIRS[6][1], "لا")]
    space = Space.around(MatchSettings())
    relevant = np.array([label == "نعم" for *_, label in pairs])
    limits = limits_of([(gold, chunk) for gold, chunk, _ in pairs], space.settings, space.fuzzy)
    counts = space.count(space.heights(limits), relevant)
    points = curve_of(space, counts, 0, Target())
    recalls = [point.recall for point in points]
    precisions = [point.precision for point in points]
    assert recalls == sorted(set(recalls))
    assert precisions == sorted(set(precisions), reverse=True)
    for point in points:
        chosen = MatchSettings(
            overlap_threshold=point.overlap_threshold, coverage_threshold=point.coverage_threshold, fuzzy=point.fuzzy
        )
        said = np.array([verdict(chosen, gold, chunk) for gold, chunk, _ in pairs])
        assert (int((said & relevant).sum()), int((said & ~relevant).sum())) == (point.tp, point.fp)
        assert point.f == 2 * point.tp / (2 * point.tp + point.fp + point.fn)
    for overlap, coverage in itertools.product(range(0, 91, 5), repeat=2):
        tp, fp = counts.tp[0, overlap, coverage], counts.fp[0, overlap, coverage]
        if tp:
            reached = [point for point in points if point.tp >= tp and point.precision >= tp / (tp + fp) - 1e-12]
            assert reached


def test_the_thresholds_are_the_strictest_that_accept_the_same() -> None:
    space = Space.around(MatchSettings(stages=("jaccard",)))
    pairs = [(gold, gold) for gold in {gold for gold, *_ in PAIRS}] + [(PAIRS[0][0], PAIRS[12][1])]
    relevant = np.array([True] * (len(pairs) - 1) + [False])
    counts = space.count(space.heights(limits_of(pairs, space.settings, space.fuzzy)), relevant)
    (point,) = curve_of(space, counts, 0, Target())
    assert (point.overlap_threshold, point.recall, point.precision) == (1.0, 1.0, 1.0)
