"""Which of the compared metrics are scores from 0 to 1, and which have an interval but no verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from muffakir_eval.writers.page.numbers import RATING

__all__ = ["is_score", "is_time", "without_verdict"]


def is_time(metric: str) -> bool:
    """A metric in milliseconds.

    >>> is_time("pipeline_latency_ms"), is_time("mrr")
    (True, False)
    """
    return metric.endswith("_ms")


def is_score(one: Mapping[str, Any]) -> bool:
    """A metric that may share an axis with the others: neither a time nor a rating, and from 0 to 1.

    >>> is_score({"metric": "pipeline_latency_ms", "mean_a": 0.5, "mean_b": 0.3})
    False
    """
    means = [mean for mean in (one["mean_a"], one["mean_b"]) if mean is not None]
    return not is_time(one["metric"]) and one["metric"] != RATING and all(0 <= mean <= 1 for mean in means)


def without_verdict(metrics: Sequence[Mapping[str, Any]], confidence: float) -> dict[str, list[str]]:
    """Metrics whose interval leaves out 0 and that have no verdict.

    Args:
        metrics: Of a pair.
        confidence: Of the intervals.

    Returns:
        ``among_many`` has those that would have one if nothing else had been tested, ``alone`` the others.
    """
    found: dict[str, list[str]] = {"among_many": [], "alone": []}
    for one in metrics:
        low, high = one["interval"] or (0.0, 0.0)
        if one["verdict"] == "not_distinguishable" and (low > 0 or high < 0):
            found["among_many" if one["p_value"] < 1 - confidence else "alone"].append(one["metric"])
    return found
