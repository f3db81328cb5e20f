"""One judge and one metric: mean, coverage, failures, spread of the repeats, time of a call, cost."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from muffakir_eval.comparison.judges.alpha import alpha_figure
from muffakir_eval.comparison.judges.figures import Figure, mean_figure
from muffakir_eval.comparison.judges.inputs import Answers, Judged, Rating, Settings
from muffakir_eval.comparison.judges.length import LengthBias, length_bias
from muffakir_eval.statistics.quantiles import quantile

__all__ = ["JudgeFacts", "JudgeMetric", "Repeats", "judge_facts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """What came out where a judge was asked about the same answer several times.

    Attributes:
        n: Answers with at least two verdicts.
        n_differ: Of these, with verdicts that are not all the same.
        mean_sd: Mean standard deviation of the verdicts on one answer.
        largest_range: Widest distance of two verdicts on one answer.
        alpha: Krippendorff's alpha of the judge with itself.
    """

    n: int
    n_differ: int
    mean_sd: float
    largest_range: float
    alpha: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeMetric:
    """One metric of one judge.

    Attributes:
        mean: Over all answers with a value, those that the case decides included, as in a report.
        n_total: Answers.
        n_scored: With a value.
        n_decided: Of these, decided by the case (a refusal, say): the same for every judge.
        n_failed: Should have a value and do not.
        n_not_applicable: The metric has nothing to say.
        n_waiting: Answers that the judge never came to.
        coverage: Share of the answers that should have a value and do; ``None`` where there is none.
        reasons: Why values are missing.
        repeats: Where the judge was asked several times.
        length: How the score goes with the length of the answer, whatever its quality.
        cost_per_1000: US dollars for 1,000 answers; ``None`` where the price or the tokens are unknown, or
            every reply came from the cache.
        calls: Requests.
        cached: Replies from the cache.
        latency_ms: Milliseconds of a call: mean, p50, p95, max and n; ``None`` where nothing was called.
    """

    mean: Figure
    n_total: int
    n_scored: int
    n_decided: int
    n_failed: int
    n_not_applicable: int
    n_waiting: int
    coverage: float | None
    reasons: Mapping[str, int]
    repeats: Repeats | None
    length: LengthBias
    cost_per_1000: float | None
    calls: int
    cached: int
    latency_ms: Mapping[str, float | int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeFacts:
    """One judge.

    Attributes:
        label: What it is called here.
        status: ``complete``, ``partial`` or ``not_run``.
        message: Why it stopped.
        source: ``run`` or ``folder``.
        run_id: Of its run.
        folder: Of its run.
        identity: Provider, model and parameters.
        usage: Calls, tokens, cost and time of a call, in total.
        metrics: By name.
        notes: What else the user should know.
    """

    label: str
    status: str
    message: str | None
    source: str
    run_id: str | None
    folder: str | None
    identity: Mapping[str, Any]
    usage: Mapping[str, Any] | None
    metrics: Mapping[str, JudgeMetric] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def judge_facts(given: Answers, judge: Judged, settings: Settings) -> JudgeFacts:
    """What there is to say about one judge by itself."""
    metrics = {name: _metric(given, judge, name, settings) for name in given.scales if name in judge.ratings}
    usage = None if judge.usage is None else {key: judge.usage[key] for key in judge.usage if key != "by_metric"}
    return JudgeFacts(
        label=judge.label,
        status=judge.status,
        message=judge.message,
        source=judge.source,
        run_id=judge.run_id,
        folder=judge.folder,
        identity=judge.identity,
        usage=usage,
        metrics=metrics,
        notes=judge.notes,
    )


def _metric(given: Answers, judge: Judged, name: str, settings: Settings) -> JudgeMetric:
    import numpy as np

    ratings = judge.ratings[name]
    places = [place for place, rating in enumerate(ratings) if rating is not None]
    known = [rating for rating in ratings if rating is not None]
    scored = [place for place in places if _at(ratings, place).value is not None]
    values = [_value(ratings, place) for place in scored]
    asked = [place for place in scored if not _at(ratings, place).decided]
    failed = sum(rating.failed for rating in known)
    missing = Counter(str(rating.reason) for rating in known if rating.value is None)
    should = len(scored) + failed
    calls, cached = sum(rating.calls for rating in known), sum(rating.cached for rating in known)
    return JudgeMetric(
        mean=mean_figure(
            np.array(values, dtype=np.float64),
            settings,
            given.clusters(scored),
            share=given.scales[name].kind == "binary" and set(values) <= {0.0, 1.0},
        ),
        n_total=len(ratings),
        n_scored=len(scored),
        n_decided=len(scored) - len(asked),
        n_failed=failed,
        n_not_applicable=len(known) - should,
        n_waiting=len(ratings) - len(known),
        coverage=len(scored) / should if should else None,
        reasons=dict(sorted(missing.items(), key=lambda pair: (-pair[1], pair[0]))),
        repeats=_repeats(given, ratings, asked, settings),
        length=length_bias(
            [_value(ratings, place) for place in asked],
            [given.answers[place].n_words for place in asked],
            None,
            settings,
            given.clusters(asked),
        ),
        cost_per_1000=_cost(judge.usage, name, len(asked)),
        calls=calls,
        cached=cached,
        latency_ms=_latency(known),
    )


def _at(ratings: Sequence[Rating | None], place: int) -> Rating:
    return ratings[place] or Rating(value=None)


def _value(ratings: Sequence[Rating | None], place: int) -> float:
    return float(_at(ratings, place).value or 0.0)


def _repeats(
    given: Answers, ratings: Sequence[Rating | None], asked: Sequence[int], settings: Settings
) -> Repeats | None:
    several = [place for place in asked if len(_at(ratings, place).repeats) > 1]
    if not several:
        return None
    units = [_at(ratings, place).repeats for place in several]
    return Repeats(
        n=len(units),
        n_differ=sum(len(set(unit)) > 1 for unit in units),
        mean_sd=statistics.fmean(statistics.stdev(unit) for unit in units),
        largest_range=max(max(unit) - min(unit) for unit in units),
        alpha=alpha_figure(units, settings, given.clusters(several)),
    )


def _cost(usage: Mapping[str, Any] | None, metric: str, n_asked: int) -> float | None:
    """What 1,000 answers cost if every reply is paid for, from what those that were paid for have cost."""
    taken = ((usage or {}).get("by_metric") or {}).get(metric) or {}
    cost = taken.get("cost_usd")
    cost = taken.get("cost_estimate_usd") if cost is None else cost
    paid = (taken.get("calls") or 0) - (taken.get("failed_calls") or 0)
    if cost is None or paid <= 0 or not n_asked:
        return None
    return 1000.0 * float(cost) / paid * (paid + (taken.get("cached") or 0)) / n_asked


def _latency(ratings: Sequence[Rating]) -> dict[str, float | int] | None:
    ordered = sorted(
        rating.latency_ms / rating.calls for rating in ratings if rating.calls and rating.latency_ms is not None
    )
    if not ordered:
        return None
    return {
        "mean": statistics.fmean(ordered),
        "p50": quantile(ordered, 0.50),
        "p95": quantile(ordered, 0.95),
        "max": ordered[-1],
        "n": len(ordered),
    }
