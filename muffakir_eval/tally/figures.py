"""The figures over all results that were added so far.

Sums are exact (``math.fsum``), and draws do not depend on the order of the samples, so the figures
depend neither on the order in which samples finish nor on how often a run was resumed.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from muffakir_eval.metrics.table import Metric
from muffakir_eval.records import SampleResult
from muffakir_eval.refusals import refusal_cell, refusal_table
from muffakir_eval.tally.evidence import EvidenceTable
from muffakir_eval.tally.groups import GroupBy, Groups, group_value
from muffakir_eval.tally.intervals import batches, intervals, share_interval
from muffakir_eval.tally.latencies import percentiles
from muffakir_eval.tally.values import Column

__all__ = ["Tally"]

_MESSAGES_SHOWN, _MESSAGES_KEPT, _LONGEST_MESSAGE = 3, 200, 300
_ANSWERS = ("answered", "partial", "refused", "empty")
_SLICES_SHOWN = 100
"""Values of a column that are reported apart, the most frequent ones."""


def _check_outcome(result: SampleResult) -> list[str]:
    """What came of asking a judge whether the answer refuses."""
    check = result.refusal_check
    if not check:
        return []
    if check.get("verdict") is None:
        return ["asked", "failed"]
    return ["asked", "overruled"] if check["verdict"] != check["phrases"] else ["asked"]


class Tally:
    """Figures over the results that were added so far.

    Args:
        metrics: Of the run.
        by: Slices, clusters and the intervals.
        k: Main cutoff: so many chunks are looked at for evidence behind a refusal.
    """

    def __init__(self, metrics: Iterable[Metric], by: GroupBy | None = None, *, k: int = 5) -> None:
        self.metrics = tuple(metrics)
        self.by = by or GroupBy()
        self.n_samples = 0
        self.n_without_gold = 0
        self._columns = {metric.name: Column() for metric in self.metrics}
        self._not_shares = {metric.name for metric in self.metrics if metric.low not in (None, 0.0)}
        self._slices = {column: Groups() for column in self.by.slice_by}
        self._clusters = Groups()
        self._errors: Counter[str] = Counter()
        self._messages: Counter[str] = Counter()
        self._most_chunks: int | None = None
        self._not_comparable = 0
        self._refusals = refusal_table(())
        self._refused: list[float | None] = []
        self._evidence = EvidenceTable(k)
        self._checks: Counter[str] = Counter()
        self._latencies = {name: array("d") for name in ("total", "pipeline", "evaluation")}

    def add(self, result: SampleResult) -> None:
        """Count one finished sample."""
        self.n_samples += 1
        self.n_without_gold += not result.sample.golds
        for name, column in self._columns.items():
            column.add(result.scores[name])
        for sliced_by, groups in self._slices.items():
            groups.add(group_value(result.sample, sliced_by))
        if self.by.cluster_column is not None:
            self._clusters.add(group_value(result.sample, self.by.cluster_column))
        for reason in {str(s.reason) for s in result.scores.values() if s.state == "failed"}:
            self._errors[reason] += 1
        if result.error is not None and not any(s.state == "failed" for s in result.scores.values()):
            self._errors["pipeline_error"] += 1
        self._note_messages(result)
        if result.output.chunks is not None:
            self._most_chunks = max(self._most_chunks or 0, len(result.output.chunks))
        self._not_comparable += any(score.reason == "not_comparable" for score in result.scores.values())
        row, state = refusal_cell(result)
        self._refusals[row][state] += 1
        self._refused.append(float(state == "refused") if state in _ANSWERS else None)
        self._evidence.add(result)
        self._checks.update(_check_outcome(result))
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
        """Per metric: mean or ``None`` with a reason, its interval, what it covers, and why the rest is missing."""
        block = self._block(None)
        for metric in self.metrics:
            block[metric.name] |= {"k": metric.k, "definition": metric.definition}
        return block

    def slice_block(self) -> dict[str, list[dict[str, Any]]]:
        """Per column that the run is sliced by: its values with every metric, the most frequent first.

        A value ``None`` stands for the samples that have nothing in the column. Beyond 100 values the
        rest is only counted, under ``n_other_values``.
        """
        block: dict[str, list[dict[str, Any]]] = {}
        for name, groups in self._slices.items():
            members = list(groups.members())
            block[name] = [
                {"value": value, "n_samples": len(places), "metrics": self._block(places)}
                for value, places in members[:_SLICES_SHOWN]
            ]
            if len(members) > _SLICES_SHOWN:
                block[name].append({"n_other_values": len(members) - _SLICES_SHOWN})
        return block

    def _block(self, places: Sequence[int] | None) -> dict[str, dict[str, Any]]:
        clusters = self._clusters.labels() if self.by.cluster_column is not None else None
        if clusters is not None and places is not None:
            clusters = [clusters[place] for place in places]
        block = {name: column.figures(places) for name, column in self._columns.items()}
        for together in batches(list(self._columns), self.n_samples if places is None else len(places)):
            values = {name: self._columns[name].values(places) for name in together}
            sure = intervals(values, clusters, self.by, self._not_shares)
            for name in together:
                block[name] |= sure[name]
        return block

    def means(self, family: str) -> dict[str, float]:
        """The means of one family of metrics; those without a value are left out."""
        figures = {metric: self._columns[metric.name].figures() for metric in self.metrics if metric.family == family}
        return {metric.name: block["mean"] for metric, block in figures.items() if block["mean"] is not None}

    def errors(self) -> dict[str, int]:
        """Samples by reason of failure."""
        return dict(self._errors.most_common())

    def refusals(self) -> dict[str, Any]:
        """Refusal rate over the answers, and the tables answerable × answered and evidence × answered."""
        by_state: Counter[str] = Counter()
        for row in self._refusals.values():
            by_state.update(row)
        answers = sum(by_state[state] for state in _ANSWERS)
        clusters = self._clusters.labels() if self.by.cluster_column is not None else None
        return {
            "rate": by_state["refused"] / answers if answers else None,
            "interval": intervals({"rate": self._refused}, clusters, self.by)["rate"]["interval"]
            if clusters is not None
            else share_interval(by_state["refused"], answers, self.by),
            "n_refused": by_state["refused"],
            "n_partial": by_state["partial"],
            "n_empty": by_state["empty"],
            "n_answers": answers,
            "table": self._refusals,
            "by_evidence": self._evidence.counts(),
            "judge": {name: self._checks[name] for name in ("asked", "overruled", "failed")},
        }

    def latencies(self) -> Mapping[str, dict[str, float | int | None]]:
        """Milliseconds: total, in the pipeline, and in the evaluation."""
        return {name: percentiles(values) for name, values in self._latencies.items()}
