"""The retrieval metrics: one definition each, for every caller.

The core works on gains: what each rank of a ranking is worth, with 0 for a rank that earns nothing.
Beside it stand the functions over ranked identifiers and graded judgements, with names, signatures
and variants as in ``ef.evaluation``; the metrics of a run work on the same core
(:mod:`muffakir_eval.metrics.trials`).

Variants: linear gain, discount log2(rank + 1), ideal over *all* relevant documents; average precision
divided by all relevant documents; precision always divided by k. A document that is ranked again
keeps its rank and earns nothing. A grade of 0 or less is not relevant. With these rules the values
equal trec_eval's ``ndcg_cut_k``, ``map_cut_k``, ``recall_k``, ``P_k``, ``recip_rank`` and ``success_k``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = [
    "RETRIEVAL_METRICS",
    "average_precision",
    "dcg_at_k",
    "gain_average_precision",
    "gain_dcg",
    "gain_ndcg",
    "gain_reciprocal_rank",
    "hit_rate_at_k",
    "ndcg_at_k",
    "precision_at_k",
    "recall_at_k",
    "reciprocal_rank",
]

Relevance = Mapping[str, float]
"""Document to grade; above 0 is relevant."""


def gain_dcg(gains: Iterable[float]) -> float:
    """Sum of ``gain / log2(rank + 1)``, in [0, inf).

    Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques" (2002), with the
    discount of Burges et al. (2005) and linear gain, as trec_eval has it.

    >>> gain_dcg([1.0, 0.0, 1.0])
    1.5
    """
    return sum((gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1) if gain), 0.0)


def gain_ndcg(gains: Sequence[float], ideal: Iterable[float], k: int) -> float:
    """DCG of the first ``k`` gains over the DCG of the best order of all gains there are, in [0, 1].

    Args:
        gains: What each rank earns.
        ideal: What there is to earn, in any order.
        k: Cutoff, at least 1.
    """
    most = sorted(ideal, reverse=True)[:k]
    highest = most[0] if most else 0.0
    if highest <= 0:
        return 0.0
    if highest == math.inf:
        raise ValueError("a grade is infinite; expected finite grades")
    # Shares of the highest grade: the sums neither overflow nor vanish, whatever the scale.
    return min(1.0, gain_dcg(gain / highest for gain in gains[:k]) / gain_dcg(grade / highest for grade in most))


def gain_reciprocal_rank(gains: Iterable[float]) -> float:
    """1 over the first rank that earns anything, 0 where none does."""
    return next((1 / rank for rank, gain in enumerate(gains, 1) if gain > 0), 0.0)


def gain_average_precision(gains: Iterable[float], total: int) -> float:
    """Mean over ``total`` of the share of earning ranks down to each earning rank, in [0, 1].

    Args:
        gains: What each rank earns; only whether it earns counts.
        total: How many ranks could earn at best, those below the cutoff included.
    """
    earned, precisions = 0, 0.0
    for rank, gain in enumerate(gains, 1):
        if gain > 0:
            earned += 1
            precisions += earned / rank
    return precisions / total if total else 0.0


def _cutoff(k: int) -> int:
    if k < 1:
        raise ValueError(f"k is {k!r}; expected a whole number, at least 1")
    return k


def _gains(ranked: Sequence[str], relevant: Relevance, k: int | None) -> list[float]:
    """What each of the first ``k`` ranks earns: its grade, the first time that the document stands there."""
    first = ranked if k is None else ranked[: _cutoff(k)]
    take = {document: grade for document, grade in relevant.items() if grade > 0}.pop
    return [take(document, 0.0) for document in first]


def _grades(relevant: Relevance) -> list[float]:
    return [grade for grade in relevant.values() if grade > 0]


def dcg_at_k(ranked: Sequence[str], relevant: Relevance, k: int) -> float:
    """Discounted cumulative gain of ``ranked`` at cutoff ``k``: linear gain, discount log2(rank + 1).

    Args:
        ranked: Identifiers in rank order; one that comes again earns nothing.
        relevant: Identifier to grade; unjudged, 0 and less earn nothing.
        k: Cutoff, at least 1.

    Raises:
        ValueError: ``k`` is below 1.

    >>> round(dcg_at_k(['d1', 'x', 'd2'], {'d1': 1.0, 'd2': 1.0}, 3), 4)
    1.5
    """
    return gain_dcg(_gains(ranked, relevant, k))


def ndcg_at_k(ranked: Sequence[str], relevant: Relevance, k: int) -> float:
    """:func:`dcg_at_k` over that of the best ranking of all judged documents; in [0, 1].

    0 where no document is relevant.

    Raises:
        ValueError: ``k`` is below 1, or a grade is infinite.

    >>> ndcg_at_k(['d1', 'd2'], {'d1': 1.0, 'd2': 1.0}, 2)   # perfect order
    1.0
    >>> round(ndcg_at_k(['x', 'd1'], {'d1': 1.0}, 2), 4)     # relevant doc at rank 2
    0.6309
    """
    return gain_ndcg(_gains(ranked, relevant, k), _grades(relevant), k)


def recall_at_k(ranked: Sequence[str], relevant: Relevance, k: int) -> float:
    """Share of the relevant documents that stand in the first ``k`` ranks; 0 where there is none.

    Raises:
        ValueError: ``k`` is below 1.

    >>> recall_at_k(['d1', 'x', 'd2'], {'d1': 1.0, 'd2': 1.0}, 2)
    0.5
    >>> recall_at_k(['d1', 'x', 'd2'], {'d1': 1.0, 'd2': 1.0}, 3)
    1.0
    """
    total = len(_grades(relevant))
    found = sum(gain > 0 for gain in _gains(ranked, relevant, k))
    return found / total if total else 0.0


def precision_at_k(ranked: Sequence[str], relevant: Relevance, k: int) -> float:
    """Share of the first ``k`` ranks that hold a relevant document, always divided by ``k``.

    Raises:
        ValueError: ``k`` is below 1.

    >>> precision_at_k(['d1', 'x', 'd2'], {'d1': 1.0, 'd2': 1.0}, 2)
    0.5
    """
    return sum(gain > 0 for gain in _gains(ranked, relevant, k)) / k


def hit_rate_at_k(ranked: Sequence[str], relevant: Relevance, k: int) -> float:
    """1 where any relevant document stands in the first ``k`` ranks, else 0.

    Raises:
        ValueError: ``k`` is below 1.

    >>> hit_rate_at_k(['x', 'd1'], {'d1': 1.0}, 2)
    1.0
    """
    return float(any(gain > 0 for gain in _gains(ranked, relevant, k)))


def reciprocal_rank(ranked: Sequence[str], relevant: Relevance, k: int | None = None) -> float:
    """1 over the rank of the first relevant document; 0 where there is none down to ``k``.

    Its mean over questions is MRR.

    Raises:
        ValueError: ``k`` is below 1.

    >>> reciprocal_rank(['x', 'd1', 'd2'], {'d1': 1.0})
    0.5
    >>> reciprocal_rank(['x', 'd1'], {'d1': 1.0}, k=1)       # relevant doc past the cutoff
    0.0
    """
    return gain_reciprocal_rank(_gains(ranked, relevant, k))


def average_precision(ranked: Sequence[str], relevant: Relevance, k: int | None = None) -> float:
    """Mean, over all relevant documents, of the precision at the rank of each; in [0, 1].

    A document that is not ranked, or below ``k``, adds 0. Its mean over questions is MAP.

    Raises:
        ValueError: ``k`` is below 1.

    >>> average_precision(['d1', 'x', 'd2'], {'d1': 1.0, 'd2': 1.0})
    0.8333333333333333
    """
    return gain_average_precision(_gains(ranked, relevant, k), len(_grades(relevant)))


RETRIEVAL_METRICS: dict[str, Callable[[Sequence[str], Relevance, int], float]] = {
    "map": average_precision,
    "mrr": reciprocal_rank,
    "ndcg": ndcg_at_k,
    "precision": precision_at_k,
    "recall": recall_at_k,
}
"""Short name to function, as in ``ef.evaluation``."""
