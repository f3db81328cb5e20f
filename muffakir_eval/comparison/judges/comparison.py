"""Judge against judge, and against people, on the same answers: from scores to figures. Nobody is asked here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from muffakir_eval.comparison.judges.agreement import Agreement
from muffakir_eval.comparison.judges.alpha import alpha_figure
from muffakir_eval.comparison.judges.facts import JudgeFacts, judge_facts
from muffakir_eval.comparison.judges.figures import Figure
from muffakir_eval.comparison.judges.frontier import Offer, frontier
from muffakir_eval.comparison.judges.inputs import Answers, Settings
from muffakir_eval.comparison.judges.pairs import pairs
from muffakir_eval.comparison.judges.people import PeopleAgreement, against_people
from muffakir_eval.comparison.judges.result import JudgeComparison, MetricAgreement
from muffakir_eval.comparison.judges.rivals import rivals

__all__ = ["judge_comparison"]

Measure = Literal["kappa", "concordance", "spearman"]
_QUALITY: tuple[Measure, ...] = get_args(Measure)


def judge_comparison(given: Answers, settings: Settings | None = None) -> JudgeComparison:
    """Compare judges.

    Values that the case itself decides (correctness 0 of a refused answer) count in the means, as in a
    report, and in no figure of agreement: every judge would have them.

    Args:
        given: The answers, what the judges think of them, and what people say.
        settings: Confidence, draws, thresholds and slices.
    """
    how = settings or Settings()
    facts = tuple(judge_facts(given, judge, how) for judge in given.judges)
    return JudgeComparison(
        source=given.source,
        fingerprint=given.fingerprint,
        n_answers=len(given.answers),
        judges=facts,
        metrics=tuple(_metric(given, name, facts, how) for name in given.scales),
        confidence=how.confidence,
        n_resamples=how.n_resamples,
        seed=how.seed,
        slice_by=how.slice_by,
        cluster_column=given.clustered,
        notes=given.notes,
    )


def _metric(given: Answers, name: str, facts: Sequence[JudgeFacts], how: Settings) -> MetricAgreement:
    scale, people = given.scales[name], given.people.get(name)
    against = (
        ()
        if people is None
        else tuple(against_people(given, judge, name, people, how) for judge in given.judges if name in judge.ratings)
    )
    measure = _measure(against)
    offers, reason = _offers(name, against, facts, measure)
    return MetricAgreement(
        metric=name,
        low=scale.low,
        high=scale.high,
        kind=scale.kind,
        threshold=how.thresholds.get(name),
        alpha=_alpha(given, name, how),
        pairs=pairs(given, name, how),
        human_column=None if people is None else people.column,
        people=against,
        rivals=() if people is None or measure is None else rivals(given, name, people, measure, how),
        frontier=offers,
        frontier_reason=reason,
    )


def _alpha(given: Answers, name: str, how: Settings) -> Figure:
    columns = [judge.ratings[name] for judge in given.judges if name in judge.ratings]
    units = [
        [value for rating in row if rating is not None and (value := rating.opinion) is not None]
        for row in zip(*columns, strict=True)
    ]
    return alpha_figure(units, how, given.clusters(range(len(units))))


def _measure(against: Sequence[PeopleAgreement]) -> Measure | None:
    """The figure that is defined for the most of them, so that nobody is left out of the picture."""
    known = {kind: sum(_figure(one.agreement, kind).value is not None for one in against) for kind in _QUALITY}
    best = max(_QUALITY, key=known.__getitem__)
    return best if known[best] else None


def _offers(
    name: str, against: Sequence[PeopleAgreement], facts: Sequence[JudgeFacts], measure: Measure | None
) -> tuple[tuple[Offer, ...], str | None]:
    if not against:
        return (), "no_people"
    costs = {judge.label: judge.metrics[name].cost_per_1000 for judge in facts if name in judge.metrics}
    if measure is None:
        return (), "no_quality"
    offers = []
    for one in against:
        figure = _figure(one.agreement, measure)
        if figure.value is not None:
            cost = costs.get(one.judge)
            offers.append(
                Offer(judge=one.judge, quality=figure.value, quality_is=measure, n=figure.n, cost_per_1000=cost)
            )
    priced = any(offer.cost_per_1000 is not None for offer in offers)
    return frontier(offers), None if priced else "no_cost"


def _figure(agreement: Agreement, name: str) -> Figure:
    return agreement.figures()[name]
