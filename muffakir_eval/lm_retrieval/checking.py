"""Do rules fit a run? Looked at before anything is asked."""

from __future__ import annotations

import difflib
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from muffakir_eval.errors import ConfigError, MetricError
from muffakir_eval.lm_retrieval.conditions import Comparison, Condition, WithoutValue, examine, leaves
from muffakir_eval.lm_retrieval.rules import RetrievalRules
from muffakir_eval.metrics import JUDGED_METRICS, Metric
from muffakir_eval.records import Score
from muffakir_eval.records.scores import FAILED_REASONS, NOT_APPLICABLE_REASONS

__all__ = ["check_rules", "known_as"]

_MANY = 100_000
"""Comparisons up to which it is worked out whether a rule can hold."""


def known_as(metrics: Iterable[Metric]) -> dict[str, Metric]:
    """The metrics by every name that a rule may call them: ``recall_at_k``, and ``recall`` where only one is."""
    metrics = tuple(metrics)
    asked = [metric.requested_as for metric in metrics]
    short = {metric.requested_as: metric for metric in metrics if asked.count(metric.requested_as) == 1}
    return {**short, **{metric.name: metric for metric in metrics}}


def check_rules(rules: RetrievalRules, metrics: Sequence[Metric]) -> RetrievalRules:
    """``rules`` without the optional issues that a run of ``metrics`` cannot feed.

    Raises:
        MetricError: A rule or an issue names a metric that is not measured.
        ConfigError: A threshold lies outside what the metric can be, a reason is none, or a rule can never count.
    """
    known = known_as(metrics)
    kept = [
        issue
        for issue in rules.issues
        if not issue.optional or all(leaf.metric in known for leaf in leaves(issue.when))
    ]
    named: list[tuple[str, Condition | None]] = [("good", rules.good), ("bad", rules.bad)]
    named += [(f"issues, {issue.name or issue.words('en')!r}", issue.when) for issue in kept]
    for place, condition in named:
        for leaf in leaves(condition) if condition is not None else ():
            _check_leaf(leaf, known, f"rules, {place}")
    _check_reach(rules, known)
    return rules.model_copy(update={"issues": tuple(kept)})


def _check_leaf(leaf: Comparison | WithoutValue, known: Mapping[str, Metric], where: str) -> None:
    metric = known.get(leaf.metric)
    if metric is None:
        near = () if leaf.metric in JUDGED_METRICS else difflib.get_close_matches(leaf.metric.lower(), known, 1, 0.6)
        raise MetricError(
            f"the metric {leaf.metric!r} is not measured",
            where=where,
            expected=f"one of {', '.join(known)}",
            remedy=f"did you mean {near[0]!r}?" if near else "add it to metrics=, or take it out of the rules",
        )
    if isinstance(leaf, WithoutValue):
        _check_reason(leaf, metric, where)
        return
    low, high = metric.low, metric.high
    if low is not None and high is not None and not low <= leaf.value <= high:
        percent = leaf.value / 100
        raise ConfigError(
            f"the threshold {leaf.value:g} is no possible value of {leaf.metric}",
            where=where,
            expected=f"{low:g} to {high:g}",
            remedy=f"did you mean {percent:g}?" if high == 1.0 and 2 <= leaf.value <= 100 else None,
        )


def _check_reason(leaf: WithoutValue, metric: Metric, where: str) -> None:
    if leaf.reason in FAILED_REASONS:
        raise ConfigError(
            f"{leaf.reason!r} says that a metric has failed",
            where=where,
            expected="a reason for which a metric does not apply",
            remedy="leave it out: what has failed is not rated",
        )
    if metric.family == "custom" or leaf.reason in NOT_APPLICABLE_REASONS:
        return
    near = difflib.get_close_matches(leaf.reason.lower(), sorted(NOT_APPLICABLE_REASONS), n=1, cutoff=0.6)
    raise ConfigError(
        f"the reason {leaf.reason!r} is not known",
        where=where,
        expected=f"one of {', '.join(sorted(NOT_APPLICABLE_REASONS))}",
        remedy=f"did you mean {near[0]!r}?" if near else None,
    )


def _check_reach(rules: RetrievalRules, known: Mapping[str, Metric]) -> None:
    """Every rule counts for some values: a rule that cannot is a slip of the pen."""
    counts = {"good": False, "bad": False}
    holds = dict(counts)
    given = [rule for rule in (rules.good, rules.bad) if rule is not None]
    tried = False
    for scores in _all_values([leaf for rule in given for leaf in leaves(rule)], known):
        tried = True
        found = {
            "good": rules.good is not None and examine(rules.good, scores).holds is True,
            "bad": rules.bad is not None and examine(rules.bad, scores).holds is True,
        }
        counts["good"] |= found["good"]
        counts["bad"] |= found["bad"] and not found["good"]
        holds = {name: holds[name] or found[name] for name in holds}
    for name, rule in (("good", rules.good), ("bad", rules.bad)) if tried else ():
        if rule is not None and not counts[name]:
            found_never = (
                "holds only where 'good' holds too, and 'good' comes first" if holds[name] else "can never hold"
            )
            raise ConfigError(f"the rule {name!r} {found_never}", where="rules", remedy="change its thresholds")


def _all_values(
    conditions: Sequence[Comparison | WithoutValue], known: Mapping[str, Metric]
) -> Iterator[dict[str, Score]]:
    """Scores that stand for all that can be told apart; nothing where they are too many."""
    by_metric: dict[str, list[Comparison | WithoutValue]] = {}
    for leaf in conditions:
        by_metric.setdefault(known[leaf.metric].name, []).append(leaf)
    choices = [_values(known[name], found) for name, found in by_metric.items()]
    if len(conditions) * math.prod(map(len, choices)) > _MANY:
        return
    for chosen in itertools.product(*choices):
        scores = dict(zip(by_metric, chosen, strict=True))
        yield {leaf.metric: scores[known[leaf.metric].name] for leaf in conditions}


def _values(metric: Metric, conditions: Iterable[Comparison | WithoutValue]) -> list[Score]:
    thresholds = sorted({leaf.value for leaf in conditions if isinstance(leaf, Comparison)})
    reasons = sorted({leaf.reason for leaf in conditions if isinstance(leaf, WithoutValue)})
    if metric.binary:
        values = [0.0, 1.0]
    else:
        ends = [metric.low, metric.high] if thresholds else [metric.low or 0.0]
        first, last = (thresholds[0] - 1, thresholds[-1] + 1) if thresholds else (0.0, 0.0)
        outside = [end for end, own in ((first, ends[0]), (last, ends[-1])) if own is None]
        points = sorted({*thresholds, *outside, *(end for end in ends if end is not None)})
        values = [*points, *((one + other) / 2 for one, other in itertools.pairwise(points))]
    measured = [Score.measured(metric.name, value) for value in values]
    return measured + [Score.not_applicable(metric.name, reason) for reason in reasons]
