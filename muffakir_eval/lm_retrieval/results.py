"""The nested result of the reference: a rating, and one block for each metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from muffakir_eval.errors import ConfigError, MetricError
from muffakir_eval.lm_retrieval.checking import known_as
from muffakir_eval.lm_retrieval.conditions import beside
from muffakir_eval.lm_retrieval.naming import block_name, own_name
from muffakir_eval.lm_retrieval.rules import RetrievalRules
from muffakir_eval.lm_retrieval.speaking import Language
from muffakir_eval.lm_retrieval.wording import explain_rating, explain_score
from muffakir_eval.metrics import Metric
from muffakir_eval.records import Score

__all__ = ["TOP", "check_blocks", "result_of", "success_thresholds"]

TOP = "lm_based_retrieval"
_OWN = ("global_explanation", "relevancy_rating", "score", "possible_issues")
_WHERE = "LMBasedRetrievalEvaluator, success_threshold"


def check_blocks(metrics: Sequence[Metric]) -> Sequence[Metric]:
    """``metrics``, each of which has a block of its own in the result.

    Raises:
        MetricError: The block of one would stand in the place of another, or of the rating.
    """
    taken = set(_OWN)
    for metric in metrics:
        name = block_name(metric.name)
        if name in taken:
            raise MetricError(
                f"the result has the key {name!r} already, and the block of the metric {metric.name!r} is called so",
                where="LMBasedRetrievalEvaluator, metrics",
                remedy="rename your function, or set the attribute 'name' on it",
            )
        taken.add(name)
    return metrics


def success_thresholds(given: float | Mapping[str, float], metrics: Sequence[Metric]) -> dict[str, float]:
    """From which value on each metric is a success.

    Args:
        given: A share of the scale of every metric: 0.5 is 3 on a scale from 1 to 5, and 0.5 where a metric has no
            known scale. Or a table of values by metric; those that it does not name have 0.5 of their scale.
        metrics: Of the run.

    Raises:
        ConfigError: It is no number from 0 to 1, a metric is not measured, or a value lies outside its scale.
    """
    share = 0.5 if isinstance(given, Mapping) else _number(given)
    if not 0.0 <= share <= 1.0:
        raise ConfigError(f"the threshold is {share:g}", where=_WHERE, expected="a number from 0 to 1")
    thresholds = {
        metric.name: share
        if metric.low is None or metric.high is None
        else metric.low + share * (metric.high - metric.low)
        for metric in metrics
    }
    known = known_as(metrics)
    for name, value in given.items() if isinstance(given, Mapping) else ():
        metric = known.get(own_name(str(name)))
        if metric is None:
            raise ConfigError(
                f"the metric {name!r} is not measured", where=_WHERE, expected=f"one of {', '.join(known)}"
            )
        number = _number(value)
        if metric.low is not None and metric.high is not None and not metric.low <= number <= metric.high:
            raise ConfigError(
                f"the threshold of {name} is {number:g}", where=_WHERE, expected=f"{metric.low:g} to {metric.high:g}"
            )
        thresholds[metric.name] = number
    return thresholds


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        raise ConfigError(f"the threshold is {value!r}", where=_WHERE, expected="a number, or a table of numbers")
    return float(value)


def result_of(
    scores: Mapping[str, Score],
    rules: RetrievalRules,
    *,
    metrics: Sequence[Metric],
    thresholds: Mapping[str, float],
    language: Language,
    details: bool = False,
) -> dict[str, Any]:
    """The result for one question, keys in the order of the reference.

    Args:
        scores: By metric.
        rules: Checked against ``metrics``.
        metrics: Of the run, in the order of the blocks.
        thresholds: As :func:`success_thresholds` gives them.
        language: Of everything that is said.
        details: Give each block also ``state``, ``reason`` and ``verdicts``.
    """
    rated = rules.rate({name: scores[metric.name] for name, metric in known_as(metrics).items()})
    blocks = {
        block_name(metric.name): _block(scores[metric.name], thresholds[metric.name], language, details)
        for metric in metrics
    }
    explanation = explain_rating(rated, scores, thresholds, language)
    issues = [issue.words(language) for issue in rated.issues]
    return {TOP: {**dict(zip(_OWN, (explanation, rated.rating, rated.score, issues), strict=True)), **blocks}}


def _block(score: Score, threshold: float, language: Language, details: bool) -> dict[str, Any]:
    block: dict[str, Any] = {
        "score": score.value,
        "explanation": explain_score(score, language),
        "success": None if score.value is None else beside(score.value, threshold) >= threshold,
    }
    if details:
        verdicts = [dict(item) for item in score.details.get("verdicts") or ()]
        block |= {"state": score.state, "reason": score.reason, "verdicts": verdicts}
    return block
