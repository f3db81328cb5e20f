"""The retrieval metrics over ranked identifiers and graded judgements: one definition each, for every caller.

Names, signatures and variants are those of ``ef.evaluation``; the core that all callers share is
:mod:`muffakir_eval.metrics.earnings`.

Variants: linear gain, discount log2(rank + 1), ideal over *all* relevant documents; average precision
divided by all relevant documents; precision always divided by k. A document that is ranked again
keeps its rank and earns nothing. A grade of 0 or less is not relevant. With these rules the values
equal trec_eval's ``ndcg_cut_k``, ``map_cut_k``, ``recall_k``, ``P_k``, ``recip_rank`` and ``success_k``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import compress, count

from muffakir_eval.metrics.earnings import (
    Earnings,
    discounted,
    earned_average_precision,
    earned_hit_rate,
    earned_ndcg,
    earned_precision,
    earned_recall,
    earned_reciprocal_rank,
    falling,
)

__all__ = [
    "RETRIEVAL_METRICS",
    "Qrels",
    "average_precision",
    "dcg_at_k",
    "distractor_share_at_k",
    "hard_recall_at_k",
    "hit_rate_at_k",
    "ndcg_at_k",
    "precision_at_k",
    "recall_at_k",
    "reciprocal_rank",
]

Relevance = Mapping[str, float]
"""Document to grade; above 0 is relevant."""

Qrels = Mapping[str, Mapping[str, float]]
"""Graded relevance judgements, ``{query_id: {doc_id: relevance}}``.

0 and less is judged and not relevant, above 0 is relevant; the grade counts in nDCG alone.
"""

_EVERYTHING = sys.maxsize


def _earned(ranked: Sequence[str], relevant: Relevance, k: int | None) -> tuple[Earnings, int, int]:
    """What the first ``k`` ranks earn, how many they are that do, and ``k``."""
    if k is not None and k < 1:
        raise ValueError(f"k is {k!r}; expected a whole number, at least 1")
    for document, grade in relevant.items():
        if not math.isfinite(grade):
            kind = "infinite" if grade == grade else "NaN"
            raise ValueError(f"the grade of {document!r} is {kind}; expected finite grades")
    positives = {document: grade for document, grade in relevant.items() if grade > 0}
    ideal = falling(positives.values())
    # What was taken once is gone: a document that is ranked again earns nothing.
    gains = [positives.pop(document, None) for document in (ranked if k is None else ranked[:k])]
    earned = Earnings(list(compress(count(1), gains)), list(filter(None, gains)), ideal)
    return earned, len(earned.ranks), _EVERYTHING if k is None else k


def dcg_at_k(ranked: Sequence[str], relevant: Relevance, k: int) -> float:
    """Discounted cumulative gain of ``ranked`` at cutoff ``k``, in [0, inf): the sum of grade / log2(rank + 1).

    Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques" (2002), with the
    discount of Burges et al. (2005) and linear gain, as trec_eval has it.

    Args:
        ranked: Identifiers in rank order; one that comes again earns nothing.
        relevant: Identifier to grade; unjudged, 0 and less earn nothing.
        k: Cutoff, at least 1.

    Raises:
        ValueError: ``k`` is below 1, or a grade is not finite.

    >>> round(dcg_at_k(['d1', 'x', 'd2'], {'d1': 1.0, 'd2': 1.0}, 3), 4)
    1.5
    """
    earned = _earned(ranked, relevant, k)[0]
    return discounted(earned.gains, earned.ranks)


def ndcg_at_k(ranked: Sequence[str], relevant: Relevance, k: int) -> float:
    """:func:`dcg_at_k` over that of the best ranking of all judged documents; in [0, 1].

    0 where no document is relevant.

    Raises:
        ValueError: ``k`` is below 1, or a grade is not finite.

    >>> ndcg_at_k(['d1', 'd2'], {'d1': 1.0, 'd2': 1.0}, 2)   # perfect order
    1.0
    >>> round(ndcg_at_k(['x', 'd1'], {'d1': 1.0}, 2), 4)     # relevant doc at rank 2
    0.6309
    """
    return earned_ndcg(*_earned(ranked, relevant, k))


def recall_at_k(ranked: Sequence[str], relevant: Relevance, k: int) -> float:
    """Share of the relevant documents that stand in the first ``k`` ranks; 0 where there is none.

    Raises:
        ValueError: ``k`` is below 1, or a grade is not finite.

    >>> recall_at_k(['d1', 'x', 'd2'], {'d1': 1.0, 'd2': 1.0}, 2)
    0.5
    >>> recall_at_k(['d1', 'x', 'd2'], {'d1': 1.0, 'd2': 1.0}, 3)
    1.0
    """
    return earned_recall(*_earned(ranked, relevant, k))


def precision_at_k(ranked: Sequence[str], relevant: Relevance, k: int) -> float:
    """Share of the first ``k`` ranks that hold a relevant document, always divided by ``k``.

    Raises:
        ValueError: ``k`` is below 1, or a grade is not finite.

    >>> precision_at_k(['d1', 'x', 'd2'], {'d1': 1.0, 'd2': 1.0}, 2)
    0.5
    """
    return earned_precision(*_earned(ranked, relevant, k))


def hit_rate_at_k(ranked: Sequence[str], relevant: Relevance, k: int) -> float:
    """1 where any relevant document stands in the first ``k`` ranks, else 0.

    Raises:
        ValueError: ``k`` is below 1, or a grade is not finite.

    >>> hit_rate_at_k(['x', 'd1'], {'d1': 1.0}, 2)
    1.0
    """
    return earned_hit_rate(*_earned(ranked, relevant, k))


def reciprocal_rank(ranked: Sequence[str], relevant: Relevance, k: int | None = None) -> float:
    """1 over the rank of the first relevant document; 0 where there is none down to ``k``.

    Its mean over questions is MRR.

    Raises:
        ValueError: ``k`` is below 1, or a grade is not finite.

    >>> reciprocal_rank(['x', 'd1', 'd2'], {'d1': 1.0})
    0.5
    >>> reciprocal_rank(['x', 'd1'], {'d1': 1.0}, k=1)       # relevant doc past the cutoff
    0.0
    """
    return earned_reciprocal_rank(*_earned(ranked, relevant, k))


def average_precision(ranked: Sequence[str], relevant: Relevance, k: int | None = None) -> float:
    """Mean, over all relevant documents, of the precision at the rank of each; in [0, 1].

    A document that is not ranked, or below ``k``, adds 0. Its mean over questions is MAP.

    Raises:
        ValueError: ``k`` is below 1, or a grade is not finite.

    >>> average_precision(['d1', 'x', 'd2'], {'d1': 1.0, 'd2': 1.0})
    0.8333333333333333
    """
    return earned_average_precision(*_earned(ranked, relevant, k))


def hard_recall_at_k(ranked: Sequence[str], hard: Collection[str], k: int) -> float:
    """Recall over the hard positives alone: their share that stands in the first ``k`` ranks.

    Hard positives are the relevant documents that are known to be difficult to find, for instance
    those that share no word with the query. 0 where there is none.

    Args:
        ranked: Identifiers in rank order.
        hard: Identifiers of the hard positives.
        k: Cutoff, at least 1.

    Raises:
        ValueError: ``k`` is below 1.

    >>> hard_recall_at_k(['easy', 'hard1', 'x', 'hard2'], {'hard1', 'hard2'}, 3)
    0.5
    """
    return recall_at_k(ranked, dict.fromkeys(hard, 1.0), k)


def distractor_share_at_k(ranked: Sequence[str], distractors: Collection[str], k: int) -> float:
    """Share of the first ``k`` ranks that hold a known distractor, always divided by ``k``; lower is better.

    A distractor is a document that looks relevant and is not. Each rank that it takes counts, also
    where it stands there again: precision and this share never exceed 1 together.

    Args:
        ranked: Identifiers in rank order.
        distractors: Identifiers of the known distractors.
        k: Cutoff, at least 1.

    Raises:
        ValueError: ``k`` is below 1.

    >>> distractor_share_at_k(['d1', 'bait', 'x', 'd2'], {'bait', 'other'}, 4)
    0.25
    """
    if k < 1:
        raise ValueError(f"k is {k!r}; expected a whole number, at least 1")
    known = frozenset(distractors)
    return sum(document in known for document in ranked[:k]) / k


RETRIEVAL_METRICS: dict[str, Callable[[Sequence[str], Relevance, int], float]] = {
    "map": average_precision,
    "mrr": reciprocal_rank,
    "ndcg": ndcg_at_k,
    "precision": precision_at_k,
    "recall": recall_at_k,
}
"""Short name to function, as in ``ef.evaluation``."""
