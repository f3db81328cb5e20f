"""The retrieval metrics of a run: what the matched ranks of one trial are worth.

============  =====================================================================================
metric        what a rank earns, and out of how much
============  =====================================================================================
recall        the golds that any rank holds, out of the golds
hit_rate      1 where any rank holds a gold
precision     the ranks that hold a gold, out of k
mrr           the first rank that holds a gold
ndcg, map     the ranks that bring a *new* gold, one that no earlier rank holds; out of the units of
              gold. The golds that one rank brings together are one unit, worth the highest of their
              grades; each gold that no rank brings is a unit of its own
============  =====================================================================================

So one chunk that holds two golds is as good as can be, a second chunk with the same gold earns
nothing in nDCG and MAP, and every value lies in [0, 1] with 1 for a ranking that could not be better.
A repeated chunk keeps its rank and earns nothing anywhere. Only the first k ranks are looked at:
a value at k does not depend on how much more was retrieved. Where each chunk holds at most one gold,
the values are those of :mod:`muffakir_eval.metrics.retrieval`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import compress, count, repeat
from operator import attrgetter

from muffakir_eval.matching.golds import distinct_golds
from muffakir_eval.metrics.earnings import (
    Earnings,
    earned_average_precision,
    earned_hit_rate,
    earned_ndcg,
    earned_precision,
    earned_recall,
    earned_reciprocal_rank,
    falling,
)
from muffakir_eval.metrics.table import Metric
from muffakir_eval.records import Sample, Score, Trial

__all__ = ["TRIAL_METRICS", "RankedGold", "TrialMetric", "rank_gold", "retrieval_metric"]

_GOLD_INDICES = attrgetter("gold_indices")


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedGold:
    """The ranks of a trial against its gold.

    Attributes:
        golds: Each gold that is found, at the first rank that holds it, worth its grade.
        hits: Every rank that holds a gold and is no repeat, worth 1.
        joined: Some rank brings several golds together that no earlier one holds.
    """

    golds: Earnings
    hits: Earnings
    joined: bool

    def units(self, k: int) -> Earnings:
        """The first ``k`` ranks in units of gold: each rank that brings a new one, worth the unit's grade."""
        if not self.joined:
            return self.golds
        brought: dict[int, float] = {}
        missed = list(self.golds.ideal)
        for rank, grade in zip(self.golds.ranks, self.golds.gains, strict=True):
            if rank <= k:
                brought[rank] = max(grade, brought.get(rank, 0.0))
                missed.remove(grade)
        return Earnings(list(brought), list(brought.values()), falling([*brought.values(), *missed]))


def rank_gold(trial: Trial) -> RankedGold | None:
    """What the ranks of ``trial`` bring; ``None`` where there is nothing to find."""
    grades = _grades(trial.sample)
    if not grades:
        return None
    matches = trial.matches
    first: dict[int, int] = {}
    hits: list[int] = []
    for rank in compress(count(1), map(_GOLD_INDICES, matches)):
        match = matches[rank - 1]
        held = () if match.repeat else [index for index in match.gold_indices if index in grades]
        if held:
            hits.append(rank)
        for index in held:
            first.setdefault(index, rank)
    ranks = list(first.values())
    return RankedGold(
        golds=Earnings(ranks, [grades[index] for index in first], falling(grades.values())),
        hits=Earnings(hits, [1.0] * len(hits), ()),
        joined=len(set(ranks)) < len(ranks),
    )


def _grades(sample: Sample) -> dict[int, float]:
    """The index of each distinct gold, and its grade."""
    names = sample.chunk_ids
    alone = not sample.groups and len(sample.contexts) <= len(names)
    if alone and len(set(names)) == len(names) and all(names):  # golds with different identifiers are different
        grades = sample.grades or repeat(1.0, len(names))
        return {index: grade for index, grade in enumerate(grades) if grade > 0}
    return {gold.index: gold.grade for gold in distinct_golds(sample)}


class _Latest:
    """What :func:`rank_gold` said last: a run asks every metric at every cutoff about one trial in turn."""

    def __init__(self) -> None:
        self._known: tuple[Trial, RankedGold | None] | None = None

    def __call__(self, trial: Trial) -> RankedGold | None:
        known = self._known
        if known is None or known[0] is not trial:
            self._known = known = (trial, rank_gold(trial))
        return known[1]


_ranked = _Latest()


def _of_units(metric: Callable[[Earnings, int, int], float], ranked: RankedGold, k: int) -> float:
    units = ranked.units(k)
    return metric(units, units.down_to(k), k)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialMetric:
    """A retrieval metric before its cutoff is chosen.

    Attributes:
        main_key: Its key in the report at the main cutoff.
        compute: The value for the first k ranks, given these and k.
        formula: The variant in words; ``{k}`` is the cutoff.
        binary: It only takes the values 0 and 1.
    """

    main_key: str
    compute: Callable[[RankedGold, int], float]
    formula: str
    binary: bool = False


TRIAL_METRICS: dict[str, TrialMetric] = {
    "recall": TrialMetric(
        main_key="recall_at_k",
        compute=lambda ranked, k: earned_recall(ranked.golds, ranked.golds.down_to(k), k),
        formula="recall at k={k}: golds found in the first k ranks / all golds",
    ),
    "precision": TrialMetric(
        main_key="precision_at_k",
        compute=lambda ranked, k: earned_precision(ranked.hits, ranked.hits.down_to(k), k),
        formula="precision at k={k}: non-repeated ranks holding a gold / k, also where fewer than k were retrieved",
    ),
    "mrr": TrialMetric(
        main_key="mrr",
        compute=lambda ranked, k: earned_reciprocal_rank(ranked.hits, ranked.hits.down_to(k), k),
        formula="reciprocal rank at k={k}: 1 / first rank holding a gold, 0 below rank k",
    ),
    "ndcg": TrialMetric(
        main_key="ndcg_at_k",
        compute=lambda ranked, k: _of_units(earned_ndcg, ranked, k),
        formula="nDCG at k={k}: linear gain, discount log2(rank+1), ideal over all gold; a rank gains if it brings a "
        "new gold, golds brought together count as one with the highest grade",
    ),
    "map": TrialMetric(
        main_key="map",
        compute=lambda ranked, k: _of_units(earned_average_precision, ranked, k),
        formula="average precision at k={k}: divided by all gold, not by min(gold, k); a rank counts if it brings a "
        "new gold, golds brought together count as one",
    ),
    "hit_rate": TrialMetric(
        main_key="hit_rate",
        compute=lambda ranked, k: earned_hit_rate(ranked.hits, ranked.hits.down_to(k), k),
        formula="hit rate at k={k}: 1 if any of the first k ranks holds a gold, else 0",
        binary=True,
    ),
}
"""Short name to metric, in the order of the report."""


def retrieval_metric(name: str, k: int, key: str) -> Metric:
    """The metric ``name`` of :data:`TRIAL_METRICS` at cutoff ``k``, reported as ``key``.

    Its scores are not applicable with ``no_gold`` where the sample has nothing to find, then failed
    with ``pipeline_error`` where the pipeline raised, then not applicable with ``no_chunks`` where it
    does not tell what it retrieved, and with ``not_comparable`` where one side has identifiers only and
    the other texts only. An empty result is measured: 0.
    """
    chosen = TRIAL_METRICS[name]

    def compute(trial: Trial) -> Score:
        ranked = _ranked(trial)
        if ranked is None:
            return Score.not_applicable(key, "no_gold")
        if trial.output.error is not None:
            return Score.failed(key, "pipeline_error")
        if trial.output.chunks is None:
            return Score.not_applicable(key, "no_chunks")
        if not trial.comparable:
            return Score.not_applicable(key, "not_comparable")
        return Score.measured(key, chosen.compute(ranked, k))

    return Metric(
        name=key,
        requested_as=name,
        family="retrieval",
        needs=frozenset({"gold", "chunks"}),
        compute=compute,
        k=k,
        definition=chosen.formula.format(k=k),
        binary=chosen.binary,
    )
