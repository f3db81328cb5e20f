"""The core of the retrieval metrics: the few ranks of a ranking that earn something.

Every metric here is computed from :class:`Earnings`, whoever asks: the functions over identifiers
(:mod:`muffakir_eval.metrics.retrieval`), the metrics of a run (:mod:`muffakir_eval.metrics.trials`) and
``evaluate_retrieval``. Which variants they are stands in :mod:`muffakir_eval.metrics.retrieval`.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import compress, count, repeat
from operator import truediv
from typing import NamedTuple

__all__ = [
    "EARNED",
    "Earnings",
    "discounted",
    "earned_average_precision",
    "earned_hit_rate",
    "earned_ndcg",
    "earned_precision",
    "earned_recall",
    "earned_reciprocal_rank",
    "earning_ranks",
    "falling",
]


class Earnings(NamedTuple):
    """What one ranking earns, out of what there is to earn.

    Attributes:
        ranks: The ranks that earn something, ascending, from 1.
        gains: What each of them earns, above 0.
        ideal: All that there is to earn, falling; that of ranks below any cutoff included.
    """

    ranks: Sequence[int]
    gains: Sequence[float]
    ideal: Sequence[float]

    def down_to(self, k: int) -> int:
        """How many of the first ``k`` ranks earn something."""
        return bisect_right(self.ranks, k)


def falling(gains: Iterable[float]) -> list[float]:
    """``gains`` as an ideal of :class:`Earnings`: the highest first."""
    return sorted(gains, reverse=True)


def earning_ranks(ranked: Iterable[str], grades: Mapping[str, float]) -> list[int]:
    """The ranks that hold a document with a grade, in one pass in C; 0 is none, and there is none below."""
    return list(compress(count(1), map(grades.get, ranked)))


# Each metric over earnings takes the cutoff ``k`` and ``found``, how many ranks down to it earn something.


def earned_recall(earned: Earnings, found: int, k: int) -> float:  # noqa: ARG001 - the metrics' signature
    """Ranks that earn, out of all that could; 0 where there is nothing to earn."""
    return found / len(earned.ideal) if found else 0.0


def earned_precision(earned: Earnings, found: int, k: int) -> float:  # noqa: ARG001
    """Ranks that earn, out of ``k``."""
    return found / k


def earned_hit_rate(earned: Earnings, found: int, k: int) -> float:  # noqa: ARG001
    """1 where any rank earns, else 0."""
    return 1.0 if found else 0.0


def earned_reciprocal_rank(earned: Earnings, found: int, k: int) -> float:  # noqa: ARG001
    """1 over the first rank that earns, 0 where none does."""
    return 1.0 / earned.ranks[0] if found else 0.0


def earned_average_precision(earned: Earnings, found: int, k: int) -> float:  # noqa: ARG001
    """Mean, over all that there is to earn, of the share of earning ranks down to each earning rank."""
    return sum(map(truediv, count(1), earned.ranks[:found])) / len(earned.ideal) if found else 0.0


def earned_ndcg(earned: Earnings, found: int, k: int) -> float:
    """DCG over the DCG of the best order of all that there is to earn, in [0, 1]."""
    if not found:
        return 0.0
    ranks, ideal = earned.ranks[:found], earned.ideal
    highest, lowest = ideal[0], ideal[-1]
    if lowest == highest:  # not graded: what a rank earns does not matter
        return min(1.0, discounted(repeat(1.0), ranks) / _best_ungraded(min(k, len(ideal))))
    gains, best = earned.gains[:found], ideal[:k]
    if highest > _HUGE or lowest < _TINY:
        # Shares of the highest grade: the sums neither overflow nor vanish.
        gains, best = [gain / highest for gain in gains], [gain / highest for gain in best]
    return min(1.0, discounted(gains, ranks) / discounted(best, range(1, len(best) + 1)))


_HUGE, _TINY = 1e200, 1e-200


@lru_cache(maxsize=1024)
def _best_ungraded(count: int) -> float:
    return discounted(repeat(1.0), range(1, count + 1))


def discounted(gains: Iterable[float], ranks: Sequence[int]) -> float:
    """Discounted cumulative gain: the sum of gain / log2(rank + 1)."""
    return sum(map(truediv, gains, _discounts(ranks)), 0.0)


def _discounts(ranks: Sequence[int]) -> Iterable[float]:
    if not ranks or ranks[-1] > _TABLED:
        return [math.log2(rank + 1) for rank in ranks]
    if ranks[-1] == len(ranks):  # every rank down to the last
        return _DISCOUNTS[1 : len(ranks) + 1]
    return map(_DISCOUNTS.__getitem__, ranks)


_TABLED = 1000
_DISCOUNTS = [math.log2(rank + 1) for rank in range(_TABLED + 1)]
"""Rank to its discount."""


EARNED: dict[str, Callable[[Earnings, int, int], float]] = {
    "ndcg": earned_ndcg,
    "recall": earned_recall,
    "precision": earned_precision,
    "mrr": earned_reciprocal_rank,
    "map": earned_average_precision,
    "hit_rate": earned_hit_rate,
}
"""Short name to the metric over :class:`Earnings`; each is 0 where nothing was found."""
