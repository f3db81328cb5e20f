"""Per-sample results to the figures of a report, one result at a time.

Sums are exact (``math.fsum``), so the figures depend neither on the order in which samples finish
nor on how often a run was resumed.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from muffakir_eval.metrics.table import Metric
from muffakir_eval.records import SampleResult
from muffakir_eval.refusals import refusal_cell, refusal_table
from muffakir_eval.statistics.quantiles import quantile

__all__ = ["Tally", "percentiles"]

_MESSAGES_SHOWN, _MESSAGES_KEPT, _LONGEST_MESSAGE = 3, 200, 300
_PERCENTILES = (50, 90, 95, 99)


def percentiles(values: Sequence[float]) -> dict[str, float | int | None]:
    """Mean, percentiles (see :func:`~muffakir_eval.statistics.quantiles.quantile`), maximum and count of ``values``.

    >>> percentiles([10.0, 20.0, 30.0])["p50"]
    20.0
    >>> percentiles([])
    {'mean': None, 'p50': None, 'p90': None, 'p95': None, 'p99': None, 'max': None, 'n': 0}
    """
    ordered = sorted(values)
    out: dict[str, float | int | None] = {"mean": _mean(ordered, len(ordered))}
    for percent in _PERCENTILES:
        out[f"p{percent}"] = quantile(ordered, percent / 100) if ordered else None
    out["max"] = ordered[-1] if ordered else None
    out["n"] = len(ordered)
    return out


@dataclass(slots=True)
class _MetricTally:
    values: array[float] = field(default_factory=lambda: array("d"))
    reasons: Counter[str] = field(default_factory=Counter)
    n_failed: int = 0


def _mean(values: Sequence[float], count: int) -> float | None:
    """The sum of ``values`` over ``count``; ``None`` over nothing."""
    if not count:
        return None
    try:
        return math.fsum(values) / count
    except OverflowError:  # the sum is out of range, the mean is not
        return math.fsum(value / count for value in values)


class Tally:
    """Figures over the results that were added so far."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self.metrics = tuple(metrics)
        self.n_samples = 0
        self.n_without_gold = 0
        self._by_metric = {metric.name: _MetricTally() for metric in self.metrics}
        self._errors: Counter[str] = Counter()
        self._messages: Counter[str] = Counter()
        self._most_chunks: int | None = None
        self._not_comparable = 0
        self._refusals = refusal_table(())
        self._latencies = {name: array("d") for name in ("total", "pipeline", "evaluation")}

    def add(self, result: SampleResult) -> None:
        """Count one finished sample."""
        self.n_samples += 1
        self.n_without_gold += not result.sample.golds
        for name, tally in self._by_metric.items():
            score = result.scores[name]
            if score.value is not None:
                tally.values.append(score.value)
                continue
            tally.reasons[str(score.reason)] += 1
            if score.state == "failed":
                tally.n_failed += 1
        for reason in {str(s.reason) for s in result.scores.values() if s.state == "failed"}:
            self._errors[reason] += 1
        if result.error is not None and not any(s.state == "failed" for s in result.scores.values()):
            self._errors["pipeline_error"] += 1
        self._note_messages(result)
        if result.output.chunks is not None:
            self._most_chunks = max(self._most_chunks or 0, len(result.output.chunks))
        self._not_comparable += any(score.reason == "not_comparable" for score in result.scores.values())
        row, column = refusal_cell(result)
        self._refusals[row][column] += 1
        for name, value in (
            ("total", result.latency_ms),
            ("pipeline", result.pipeline_latency_ms),
            ("evaluation", result.evaluation_overhead_ms),
        ):
            if value is not None:
                self._latencies[name].append(value)

    def _note_messages(self, result: SampleResult) -> None:
        messages = [] if result.error is None else [result.error]
        for name, score in result.scores.items():
            if score.state == "failed" and score.details.get("message"):
                messages.append(f"{name}: {score.details['message']}")
        for message in messages:
            shown = message if len(message) <= _LONGEST_MESSAGE else message[:_LONGEST_MESSAGE] + "…"
            if shown in self._messages or len(self._messages) < _MESSAGES_KEPT:
                self._messages[shown] += 1

    def error_examples(self) -> list[dict[str, Any]]:
        """The most frequent messages of pipelines and metrics, with their counts."""
        return [{"message": message, "n": count} for message, count in self._messages.most_common(_MESSAGES_SHOWN)]

    def findings(self) -> list[str]:
        """What the figures themselves do not tell about how they came about."""
        found = []
        cutoff = max((metric.k for metric in self.metrics if metric.family == "retrieval" and metric.k), default=0)
        if self._most_chunks is not None and 0 < self._most_chunks < cutoff:
            found.append(
                f"no question got more than {self._most_chunks} chunks: what is reported at k={cutoff} is what those "
                f"hold, and precision still divides by {cutoff}"
            )
        if self._not_comparable:
            found.append(
                f"for {self._not_comparable} questions nothing could be compared: the gold evidence has only "
                "identifiers and the chunks only texts, or the other way round"
            )
        return found

    def metric_block(self) -> dict[str, dict[str, Any]]:
        """Per metric: mean or ``None`` with a reason, what it covers, and why the rest is missing."""
        block = {}
        for metric in self.metrics:
            tally = self._by_metric[metric.name]
            scored = len(tally.values)
            block[metric.name] = {
                "mean": _mean(tally.values, scored),
                "reason": None if scored else self._why_nothing(tally),
                "n_scored": scored,
                "n_total": self.n_samples,
                "n_failed": tally.n_failed,
                "reasons": dict(tally.reasons.most_common()),
                "mean_failures_as_zero": _mean(tally.values, scored + tally.n_failed),
                "k": metric.k,
                "definition": metric.definition,
            }
        return block

    def _why_nothing(self, tally: _MetricTally) -> str:
        return tally.reasons.most_common(1)[0][0] if tally.reasons else "no_samples"

    def means(self, family: str) -> dict[str, float]:
        """The means of one family of metrics; those without a value are left out."""
        out: dict[str, float] = {}
        for metric in self.metrics:
            values = self._by_metric[metric.name].values
            mean = _mean(values, len(values))
            if metric.family == family and mean is not None:
                out[metric.name] = mean
        return out

    def errors(self) -> dict[str, int]:
        """Samples by reason of failure."""
        return dict(self._errors.most_common())

    def refusals(self) -> dict[str, Any]:
        """Refusal rate over the answers, and the table answerable × answered."""
        by_state: Counter[str] = Counter()
        for row in self._refusals.values():
            by_state.update(row)
        answers = sum(by_state[state] for state in ("answered", "partial", "refused", "empty"))
        return {
            "rate": by_state["refused"] / answers if answers else None,
            "n_refused": by_state["refused"],
            "n_partial": by_state["partial"],
            "n_empty": by_state["empty"],
            "n_answers": answers,
            "table": self._refusals,
        }

    def latencies(self) -> Mapping[str, dict[str, float | int | None]]:
        """Milliseconds: total, in the pipeline, and in the evaluation."""
        return {name: percentiles(values) for name, values in self._latencies.items()}
