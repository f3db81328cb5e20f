"""The figures over all results that were added so far.

Sums are exact, and draws do not depend on the order of the samples, so the figures depend neither on the
order in which samples finish, nor on how often a run was resumed, nor on the parts that it was counted in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from muffakir_eval.metrics.table import Metric
from muffakir_eval.records import SampleResult
from muffakir_eval.tally.blocks import Block
from muffakir_eval.tally.groups import GroupBy
from muffakir_eval.tally.intervals import intervals, share_interval
from muffakir_eval.tally.partial import ANSWERS, MOST_SLICES, PartialTally

__all__ = ["Tally"]

_MESSAGES_SHOWN = 3
_LEAST_ALIKE, _MANY_ALIKE = 3, 0.1
"""So many questions, and such a share of those with gold, are told of; single ones are chance."""
_SLICES_SHOWN = 100
"""Values of a column that are reported apart, the most frequent ones."""


class Tally:
    """Figures over the results that were added so far.

    Args:
        metrics: Of the run.
        by: Slices, clusters and the intervals.
        k: Main cutoff: so many chunks are looked at for evidence behind a refusal.

    Attributes:
        part: What the results add up to.
    """

    def __init__(self, metrics: Iterable[Metric], by: GroupBy | None = None, *, k: int = 5) -> None:
        self.metrics = tuple(metrics)
        self.by = by or GroupBy()
        self.part = PartialTally((metric.name for metric in self.metrics), self.by, k=k)
        self._not_shares = {metric.name for metric in self.metrics if metric.low not in (None, 0.0)}

    @property
    def n_samples(self) -> int:
        """Samples that were counted."""
        return self.part.all.n_samples

    @property
    def n_without_gold(self) -> int:
        """Those among them that have no gold evidence."""
        return self.part.n_without_gold

    def add(self, result: SampleResult) -> None:
        """Count one finished sample."""
        self.part.add(result)

    def merge(self, part: PartialTally) -> None:
        """Count all samples of another part of the run, which has the same metrics and groups."""
        self.part.merge(part)

    def error_examples(self) -> list[dict[str, Any]]:
        """The most frequent messages of pipelines and metrics, with their counts."""
        ranked = _ranked(self.part.messages)[:_MESSAGES_SHOWN]
        return [{"message": message, "n": count} for message, count in ranked]

    def findings(self) -> list[str]:
        """What the figures themselves do not tell about how they came about."""
        found = []
        cutoff = max((metric.k for metric in self.metrics if metric.family == "retrieval" and metric.k), default=0)
        most = self.part.most_chunks
        if most is not None and 0 < most < cutoff:
            found.append(
                f"no question got more than {most} chunks: what is reported at k={cutoff} is what those "
                f"hold, and precision still divides by {cutoff}"
            )
        if self.part.n_not_comparable:
            found.append(
                f"for {self.part.n_not_comparable} questions nothing could be compared: the gold evidence has only "
                "identifiers and the chunks only texts, or the other way round"
            )
        alike, with_gold = self.part.n_alike, self.n_samples - self.n_without_gold
        if alike >= _LEAST_ALIKE and alike >= _MANY_ALIKE * with_gold:
            found.append(
                f"for {alike} of {with_gold} questions several different chunks count as the same evidence because "
                "their words are similar: where passages follow one template, a wrong one may count as found; raise "
                "overlap_threshold and matching.coverage_threshold (to 0.9, say), or give golds and chunks identifiers"
            )
        found += [
            f"the column {column!r} has more than {MOST_SLICES:,} different values, too many for slices of their own"
            for column, blocks in self.part.slices.items()
            if blocks is None
        ]
        return found

    def metric_block(self) -> dict[str, dict[str, Any]]:
        """Per metric: mean or ``None`` with a reason, its interval, what it covers, and why the rest is missing."""
        block = self._figures(self.part.all)
        for metric in self.metrics:
            block[metric.name] |= {"k": metric.k, "definition": metric.definition}
        return block

    def slice_block(self) -> dict[str, list[dict[str, Any]]]:
        """Per column that the run is sliced by: its values with every metric, the most frequent first.

        A value ``None`` stands for the samples that have nothing in the column. Beyond 100 values the
        rest is only counted, under ``n_other_values``. A column of more than 5,000 values has no slices.
        """
        found: dict[str, list[dict[str, Any]]] = {}
        for column, blocks in self.part.slices.items():
            members = sorted((blocks or {}).items(), key=_by_size)
            found[column] = [
                {"value": value, "n_samples": block.n_samples, "metrics": self._figures(block)}
                for value, block in members[:_SLICES_SHOWN]
            ]
            if len(members) > _SLICES_SHOWN:
                found[column].append({"n_other_values": len(members) - _SLICES_SHOWN})
        return found

    def _figures(self, block: Block) -> dict[str, dict[str, Any]]:
        return block.figures(self.by, self._not_shares)

    def means(self, family: str) -> dict[str, float]:
        """The means of one family of metrics; those without a value are left out."""
        columns = self.part.all.columns
        means = {metric.name: columns[metric.name].mean() for metric in self.metrics if metric.family == family}
        return {name: mean for name, mean in means.items() if mean is not None}

    def errors(self) -> dict[str, int]:
        """Samples by reason of failure."""
        return dict(_ranked(self.part.errors))

    def refusals(self) -> dict[str, Any]:
        """Refusal rate over the answers, and the tables answerable × answered and evidence × answered."""
        by_state: Counter[str] = Counter()
        for row in self.part.refusals.values():
            by_state.update(row)
        answers = sum(by_state[state] for state in ANSWERS)
        return {
            "rate": by_state["refused"] / answers if answers else None,
            "interval": intervals({"rate": self.part.refused}, self.by)["rate"]["interval"]
            if self.part.clustered
            else share_interval(by_state["refused"], answers, self.by),
            "n_refused": by_state["refused"],
            "n_partial": by_state["partial"],
            "n_empty": by_state["empty"],
            "n_answers": answers,
            "table": {row: dict(states) for row, states in self.part.refusals.items()},
            "by_evidence": self.part.evidence.counts(),
            "judge": {name: self.part.checks[name] for name in ("asked", "overruled", "failed")},
        }

    def latencies(self) -> Mapping[str, dict[str, float | int | None]]:
        """Milliseconds: total, in the pipeline, and in the evaluation."""
        return {name: latencies.figures() for name, latencies in self.part.latencies.items()}


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    """The most frequent first, and of the same count by name."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _by_size(member: tuple[str | None, Block]) -> tuple[int, bool, str]:
    value, block = member
    return -block.n_samples, value is None, value or ""
