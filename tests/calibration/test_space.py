"""The counts of all cells are those of looking at every pair at every cell."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval import MatchSettings
from muffakir_eval.calibration.limits import Limits
from muffakir_eval.calibration.space import Cell, Space

SHARES = st.integers(0, 100).map(lambda place: place / 100) | st.floats(0, 1)
LIMITS = st.builds(Limits, st.booleans(), SHARES, SHARES)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(LIMITS, LIMITS, st.booleans()), min_size=1, max_size=8))
def test_counts_are_those_of_single_verdicts(pairs: list[tuple[Limits, Limits, bool]]) -> None:
    space = Space.around(MatchSettings())
    limits = [(one, other) for one, other, _ in pairs]
    relevant = np.array([label for _, _, label in pairs])
    heights = space.heights(limits)
    counts = space.count(heights, relevant)
    for way, row, column in itertools.product((0, 1), (0, 17, 45, 90), (0, 30, 45, 50, 90)):
        cell = Cell(way, row, column)
        at = space.thresholds[row], space.thresholds[column]
        slow = [of[way].accepts(*at) for of in limits]
        assert space.accepts(heights, cell).tolist() == slow
        assert counts.tp[cell] == sum(said for said, label in zip(slow, relevant, strict=True) if label)
        assert counts.fp[cell] == sum(said for said, label in zip(slow, relevant, strict=True) if not label)


@given(st.lists(st.tuples(LIMITS, LIMITS), min_size=1, max_size=8))
@settings(max_examples=30, deadline=None)
def test_stricter_thresholds_never_accept_more(limits: list[tuple[Limits, Limits]]) -> None:
    space = Space.around(MatchSettings())
    counts = space.count(space.heights(limits), np.ones(len(limits), dtype=bool))
    assert (np.diff(counts.tp, axis=1) <= 0).all()
    assert (np.diff(counts.tp, axis=2) <= 0).all()


def test_settings_that_are_no_round_numbers_are_among_the_choices() -> None:
    settings = MatchSettings(overlap_threshold=0.333, coverage_threshold=0.05, fuzzy=False)
    space = Space.around(settings)
    assert space.thresholds[0] == 0.1
    assert 0.333 in space.thresholds
    assert space.settings_at(space.current) is settings
    assert space.current.overlap == space.current.coverage
    assert space.fuzzy == (False, True)
    assert Space.around(MatchSettings(overlap_threshold=0.03)).thresholds[0] == 0.03


def test_the_settings_of_a_cell() -> None:
    space = Space.around(MatchSettings(profile="persian"))
    found = space.settings_at(Cell(1, space.thresholds.index(0.2), space.thresholds.index(0.7)))
    assert found == MatchSettings(profile="persian", overlap_threshold=0.2, coverage_threshold=0.7, fuzzy=False)


def test_a_stage_that_is_off_leaves_its_threshold_out_of_the_way() -> None:
    space = Space.around(MatchSettings(stages=("coverage",)))
    assert space.current == Cell(0, 0, space.thresholds.index(0.6))
    low = space.settings_at(Cell(0, 0, space.thresholds.index(0.3)))
    assert (low.overlap_threshold, low.coverage_threshold) == (0.3, 0.3)
    high = space.settings_at(Cell(0, 0, space.thresholds.index(0.9)))
    assert (high.overlap_threshold, high.coverage_threshold) == (0.55, 0.9)
    space = Space.around(MatchSettings(stages=("jaccard",)))
    assert space.current == Cell(0, space.thresholds.index(0.55), 90)
    found = space.settings_at(Cell(0, space.thresholds.index(0.3), 90))
    assert (found.overlap_threshold, found.coverage_threshold) == (0.3, 0.6)
