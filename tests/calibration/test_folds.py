"""Thresholds on pairs that they were not chosen on."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from muffakir_eval import MatchSettings
from muffakir_eval.calibration.folds import OutOfFold, deal, out_of_fold
from muffakir_eval.calibration.limits import Limits
from muffakir_eval.calibration.space import Space
from muffakir_eval.calibration.target import Target


def test_pairs_about_one_gold_stay_together_and_labels_are_spread() -> None:
    golds = [f"gold {place % 40}" for place in range(200)]
    relevant = [place % 40 < 20 for place in range(200)]
    folds = deal(golds, relevant, 5, 0)
    for gold in set(golds):
        assert len({fold for name, fold in zip(golds, folds, strict=True) if name == gold}) == 1
    assert Counter(folds) == dict.fromkeys(range(5), 40)
    assert Counter(fold for fold, label in zip(folds, relevant, strict=True) if label) == dict.fromkeys(range(5), 20)


def test_they_do_not_depend_on_the_order_but_on_the_seed() -> None:
    rows = [(f"gold {place % 30}", place % 3 == 0) for place in range(90)]

    def dealt(seed: int) -> dict[str, int]:
        folds = deal([gold for gold, _ in rows], [label for _, label in rows], 5, seed)
        return {gold: fold for (gold, _), fold in zip(rows, folds, strict=True)}

    before = dealt(7)
    random.Random(1).shuffle(rows)
    assert dealt(7) == before
    assert dealt(8) != before


def test_there_are_no_more_folds_than_golds() -> None:
    assert set(deal(["a", "b", "a"], [True, False, True], 5, 0)) == {0, 1}


@pytest.mark.parametrize(
    ("golds", "reason"), [(["a", "a", "a", "a"], "one_gold"), (["a", "a", "b", "b"], "one_sided_folds")]
)
def test_what_cannot_be_measured(golds: list[str], reason: str) -> None:
    space = Space.around(MatchSettings())
    relevant = np.array([True, True, False, False])
    heights = space.heights([(Limits(False, 0.4), Limits(False, 0.4))] * 4)
    folds = deal(golds, relevant.tolist(), 2, 0)
    found = out_of_fold(space, heights, relevant, space.count(heights, relevant), folds, Target())
    assert found == reason


def test_a_pair_does_not_decide_itself() -> None:
    """One gold only has a hit with little in common; without it, the others choose a stricter threshold."""
    rows = [("a", 0.2, True), ("a", 0.1, False)]
    for name in "bcd":
        rows += [(name, 0.5, True), (name, 0.1, False)]
    space = Space.around(MatchSettings(overlap_threshold=0.8, stages=("jaccard",)))
    relevant = np.array([label for _, _, label in rows])
    heights = space.heights([(Limits(False, limit),) * 2 for _, limit, _ in rows])
    folds = deal([name for name, _, _ in rows], relevant.tolist(), 4, 0)
    found = out_of_fold(space, heights, relevant, space.count(heights, relevant), folds, Target())
    assert isinstance(found, OutOfFold)
    assert found.accepted.tolist() == [False, False, True, False, True, False, True, False]
    assert len(found.chosen) == 4
    alone = space.settings_at(found.chosen[found.fold[0]]).overlap_threshold
    assert 0.2 < alone <= 0.5
