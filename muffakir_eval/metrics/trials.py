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

from muffakir_eval.matching.golds import distinct_golds
from muffakir_eval.metrics.retrieval import gain_average_precision, gain_ndcg, gain_reciprocal_rank
from muffakir_eval.metrics.table import Metric
from muffakir_eval.records import Score, Trial

__all__ = ["TRIAL_METRICS", "RankedGold", "TrialMetric", "rank_gold", "retrieval_metric"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedGold:
    """The first k ranks of a trial against its gold.

    Attributes:
        k: The cutoff.
        hits: Per rank, whether it holds a gold and is no repeat.
        gains: Per rank, the grade of the unit of gold that it brings, 0 where it brings none.
        missed: The grades of the golds that no rank holds.
        found: How many golds are held by any rank.
    """

    k: int
    hits: tuple[bool, ...]
    gains: tuple[float, ...]
    missed: tuple[float, ...]
    found: int

    @property
    def units(self) -> list[float]:
        """The grades of all units of gold."""
        return [*(gain for gain in self.gains if gain > 0), *self.missed]


def rank_gold(trial: Trial, k: int) -> RankedGold | None:
    """What the first ``k`` ranks of ``trial`` bring; ``None`` where there is nothing to find."""
    grades = {gold.index: gold.grade for gold in distinct_golds(trial.sample)}
    if not grades:
        return None
    remaining = dict(grades)
    hits, gains = [], []
    for match in trial.matches[:k]:
        held = () if match.repeat else [index for index in match.gold_indices if index in grades]
        fresh = [remaining.pop(index) for index in held if index in remaining]
        hits.append(bool(held))
        gains.append(max(fresh, default=0.0))
    return RankedGold(
        k=k,
        hits=tuple(hits),
        gains=tuple(gains),
        missed=tuple(remaining.values()),
        found=len(grades) - len(remaining),
    )


def _recall(ranked: RankedGold) -> float:
    return ranked.found / (ranked.found + len(ranked.missed))


def _precision(ranked: RankedGold) -> float:
    return sum(ranked.hits) / ranked.k


def _hit_rate(ranked: RankedGold) -> float:
    return float(any(ranked.hits))


def _mrr(ranked: RankedGold) -> float:
    return gain_reciprocal_rank(ranked.hits)


def _map(ranked: RankedGold) -> float:
    return gain_average_precision(ranked.gains, len(ranked.units))


def _ndcg(ranked: RankedGold) -> float:
    return gain_ndcg(ranked.gains, ranked.units, ranked.k)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialMetric:
    """A retrieval metric before its cutoff is chosen.

    Attributes:
        main_key: Its key in the report at the main cutoff.
        compute: The value for the first k ranks.
        formula: The variant in words; ``{k}`` is the cutoff.
        binary: It only takes the values 0 and 1.
    """

    main_key: str
    compute: Callable[[RankedGold], float]
    formula: str
    binary: bool = False


TRIAL_METRICS: dict[str, TrialMetric] = {
    "recall": TrialMetric(
        main_key="recall_at_k",
        compute=_recall,
        formula="recall at k={k}: golds found in the first k ranks / all golds",
    ),
    "precision": TrialMetric(
        main_key="precision_at_k",
        compute=_precision,
        formula="precision at k={k}: non-repeated ranks holding a gold / k, also where fewer than k were retrieved",
    ),
    "mrr": TrialMetric(
        main_key="mrr",
        compute=_mrr,
        formula="reciprocal rank at k={k}: 1 / first rank holding a gold, 0 below rank k",
    ),
    "ndcg": TrialMetric(
        main_key="ndcg_at_k",
        compute=_ndcg,
        formula="nDCG at k={k}: linear gain, discount log2(rank+1), ideal over all gold; a rank gains if it brings a "
        "new gold, golds brought together count as one with the highest grade",
    ),
    "map": TrialMetric(
        main_key="map",
        compute=_map,
        formula="average precision at k={k}: divided by all gold, not by min(gold, k); a rank counts if it brings a "
        "new gold, golds brought together count as one",
    ),
    "hit_rate": TrialMetric(
        main_key="hit_rate",
        compute=_hit_rate,
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
        ranked = rank_gold(trial, k)
        if ranked is None:
            return Score.not_applicable(key, "no_gold")
        if trial.output.error is not None:
            return Score.failed(key, "pipeline_error")
        if trial.output.chunks is None:
            return Score.not_applicable(key, "no_chunks")
        if not trial.comparable:
            return Score.not_applicable(key, "not_comparable")
        return Score.measured(key, chosen.compute(ranked))

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
