"""The best cell, and which of equally good ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from muffakir_eval import MatchSettings
from muffakir_eval.calibration.choosing import choose
from muffakir_eval.calibration.limits import Limits
from muffakir_eval.calibration.space import Space
from muffakir_eval.calibration.target import Target


def chosen(pairs: list[tuple[Limits, Limits, bool]], target: Target | None = None, **settings: Any) -> MatchSettings:
    """What is chosen for pairs with these limits, with fuzzy and without."""
    space = Space.around(MatchSettings(**settings))
    heights = space.heights([(one, other) for one, other, _ in pairs])
    counts = space.count(heights, np.array([label for _, _, label in pairs]))
    return space.settings_at(choose(space, counts, target or Target()))


def alike(overlap: float, coverage: float, relevant: bool) -> tuple[Limits, Limits, bool]:
    return Limits(False, overlap, coverage), Limits(False, overlap, coverage), relevant


def test_the_present_settings_stay_where_none_are_better() -> None:
    found = chosen([alike(0.9, 0, True), alike(0.2, 0, False)], overlap_threshold=0.21)
    assert found == MatchSettings(overlap_threshold=0.21)


def test_the_middle_between_what_is_told_apart() -> None:
    found = chosen([alike(0.5, 0, True), alike(0.3, 0, False)], stages=("jaccard",))
    assert (found.overlap_threshold, found.coverage_threshold, found.fuzzy) == (0.41, 0.6, True)
    found = chosen([alike(0, 0.5, True), alike(0, 0.3, False)], stages=("coverage",))
    assert (found.overlap_threshold, found.coverage_threshold, found.fuzzy) == (0.41, 0.41, True)


def test_both_thresholds_at_once() -> None:
    """Neither alone finds both relevant pairs without one of the others."""
    pairs = [alike(0.3, 0, True), alike(0, 0.8, True), alike(0.2, 0, False), alike(0, 0.7, False)]
    found = chosen(pairs)
    assert 0.2 < found.overlap_threshold <= 0.3
    assert 0.7 < found.coverage_threshold <= 0.8


def test_the_other_way_of_comparing_words_only_where_it_is_better() -> None:
    better_without = [(Limits(False, 0.8), Limits(False, 0.8), True), (Limits(False, 0.9), Limits(False, 0.2), False)]
    assert chosen(better_without).fuzzy is False
    assert chosen([(Limits(False, 0.3), Limits(False, 0.3), True), alike(0.1, 0, False)]).fuzzy is True


def test_a_precision_that_is_asked_for() -> None:
    pairs = [alike(0.9, 0, True), alike(0.8, 0, True), alike(0.7, 0, False), alike(0.6, 0, True)]
    pairs.append(alike(0.3, 0, False))
    assert 0.3 < chosen(pairs, overlap_threshold=0.95).overlap_threshold <= 0.6
    strict = chosen(pairs, Target(min_precision=0.95), overlap_threshold=0.95)
    assert 0.7 < strict.overlap_threshold <= 0.8


def test_where_no_threshold_changes_anything_the_settings_stay() -> None:
    pairs = [(Limits(True), Limits(True), True), (Limits(False), Limits(False), False)]
    assert chosen(pairs) == MatchSettings()
