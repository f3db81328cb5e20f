"""What thresholds are worth on pairs that they were not chosen on."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from muffakir_eval.calibration.choosing import choose
from muffakir_eval.calibration.space import Cell, Counts, Heights, Space
from muffakir_eval.calibration.target import Target

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Marks = npt.NDArray[np.bool_]

__all__ = ["NoFolds", "OutOfFold", "deal", "out_of_fold"]

NoFolds = Literal["one_gold", "one_sided_folds"]
"""Why there is no honest figure: all pairs are about one gold passage, or all of one label are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfFold:
    """The verdict on every pair at thresholds that were chosen without it.

    Attributes:
        accepted: One verdict per pair.
        fold: The fold of each pair.
        chosen: What was chosen without each fold.
    """

    accepted: Marks
    fold: tuple[int, ...]
    chosen: tuple[Cell, ...]


def deal(golds: Sequence[str], relevant: Sequence[bool], n_folds: int, seed: int) -> tuple[int, ...]:
    """A fold for every pair: pairs about one gold passage stay together, and the labels are spread evenly.

    It depends on what the pairs are and not on their order.

    Args:
        golds: The gold passage of each pair.
        relevant: The label of each pair.
        n_folds: How many folds, at most; there are no more than gold passages.
        seed: Of the drawing.

    >>> deal(["أ", "ب", "أ", "ج"], [True, True, False, False], 2, 0)
    (0, 1, 0, 1)
    """
    groups: dict[str, list[int]] = {}
    for place, gold in enumerate(golds):
        groups.setdefault(gold, []).append(place)
    names = sorted(groups)
    random.Random(seed).shuffle(names)  # noqa: S311 - not for secrets
    sizes = {name: (sum(relevant[place] for place in groups[name]), len(groups[name])) for name in names}
    held = [(0, 0, fold) for fold in range(min(n_folds, len(names)))]
    folds = [0] * len(golds)
    # The golds with most hits first, each to the fold with fewest hits, and then fewest pairs.
    for name in sorted(names, key=lambda name: (-sizes[name][0], -sizes[name][1])):
        hits, pairs, fold = min(held)
        held[held.index((hits, pairs, fold))] = (hits + sizes[name][0], pairs + sizes[name][1], fold)
        for place in groups[name]:
            folds[place] = fold
    return tuple(folds)


def out_of_fold(
    space: Space, heights: Heights, relevant: Marks, counts: Counts, folds: Sequence[int], target: Target
) -> OutOfFold | NoFolds:
    """Choose without each fold in turn, and decide the pairs of that fold by what was chosen.

    Args:
        space: All cells.
        heights: Of the pairs.
        relevant: Labels.
        counts: Of all pairs.
        folds: From :func:`deal`.
        target: What is made as high as possible.
    """
    import numpy as np

    fold_of = np.array(folds)
    n_folds = int(fold_of.max()) + 1
    if n_folds < 2:
        return "one_gold"
    accepted = np.zeros(len(fold_of), dtype=bool)
    chosen = []
    for fold in range(n_folds):
        inside = fold_of == fold
        rest = relevant[~inside]
        if rest.all() or not rest.any():
            return "one_sided_folds"
        part = Heights(heights.overlap[:, inside], heights.coverage[:, inside])
        cell = choose(space, counts.without(space.count(part, relevant[inside])), target)
        accepted[inside] = space.accepts(part, cell)
        chosen.append(cell)
    return OutOfFold(accepted=accepted, fold=tuple(folds), chosen=tuple(chosen))
