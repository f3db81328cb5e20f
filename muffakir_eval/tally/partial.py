"""What the results of one part of a run add up to; parts merge into the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from muffakir_eval.matching.stages import SIMILAR_HOLDERS, SIMILAR_STAGES
from muffakir_eval.records import SampleResult, Score
from muffakir_eval.refusals import refusal_cell, refusal_table
from muffakir_eval.tally.blocks import Block
from muffakir_eval.tally.evidence import EvidenceTable
from muffakir_eval.tally.groups import GroupBy, group_value
from muffakir_eval.tally.latencies import Latencies
from muffakir_eval.tally.values import Column

__all__ = ["ANSWERS", "MOST_SLICES", "PartialTally"]

ANSWERS = ("answered", "partial", "refused", "empty")
"""What an answer may be, in the tables of refusals."""

MOST_SLICES = 5_000
"""A column with more different values is not reported value by value."""

_MESSAGES_KEPT, _LONGEST_MESSAGE = 1_000, 300


class PartialTally:
    """Counts, sums and moments over any number of results, without the results.

    Parts that were counted apart, in whatever split, merge into what one count over all gives: sums are
    exact, and nothing depends on the order. Only of more than 1,000 different error messages those that
    come first are kept. It can be pickled, and its memory grows with the number of slices and clusters
    and not with that of samples.

    Args:
        names: Of the metrics.
        by: Slices and clusters.
        k: Main cutoff: so many chunks are looked at for evidence behind a refusal.
    """

    def __init__(self, names: Iterable[str], by: GroupBy | None = None, *, k: int = 5) -> None:
        self.names = tuple(names)
        self.by = by or GroupBy()
        self.clustered = self.by.cluster_column is not None
        self.n_without_gold = 0
        self.n_not_comparable = 0
        self.n_alike = 0
        self._k = k
        self.most_chunks: int | None = None
        self.all = Block(self.names, clustered=self.clustered)
        self.slices: dict[str, dict[str | None, Block] | None] = {column: {} for column in self.by.slice_by}
        self.errors: Counter[str] = Counter()
        self.messages: Counter[str] = Counter()
        self.refusals = refusal_table(())
        self.refused = Column(clustered=self.clustered)
        self.evidence = EvidenceTable(k)
        self.checks: Counter[str] = Counter()
        self.latencies = {name: Latencies() for name in ("total", "pipeline", "evaluation")}

    def add(self, result: SampleResult) -> None:
        """Count one finished sample."""
        cluster = None if self.by.cluster_column is None else group_value(result.sample, self.by.cluster_column)
        self.n_without_gold += not result.sample.golds
        self.all.add(result.scores, cluster)
        for column in self.slices:
            block = self._slice(column, group_value(result.sample, column))
            if block is not None:
                block.add(result.scores, cluster)
        self._note_errors(result)
        if result.output.chunks is not None:
            self.most_chunks = max(self.most_chunks or 0, len(result.output.chunks))
        self.n_not_comparable += any(score.reason == "not_comparable" for score in result.scores.values())
        self.n_alike += _is_alike(result, self._k)
        row, state = refusal_cell(result)
        self.refusals[row][state] += 1
        if state in ANSWERS:
            self.refused.add(Score.measured("refused", float(state == "refused")), cluster)
        self.evidence.add(result)
        self.checks.update(_check_outcome(result))
        for name, value in (
            ("total", result.latency_ms),
            ("pipeline", result.pipeline_latency_ms),
            ("evaluation", result.evaluation_overhead_ms),
        ):
            if value is not None:
                self.latencies[name].add(value)

    def merge(self, other: PartialTally) -> None:
        """Count everything that ``other``, of the same metrics and groups, has counted."""
        self.n_without_gold += other.n_without_gold
        self.n_not_comparable += other.n_not_comparable
        self.n_alike += other.n_alike
        if other.most_chunks is not None:
            self.most_chunks = max(self.most_chunks or 0, other.most_chunks)
        self.all.merge(other.all)
        for column, blocks in other.slices.items():
            self._merge_slices(column, blocks)
        self.errors.update(other.errors)
        for message, count in other.messages.items():
            self._note_message(message, count)
        for row, states in other.refusals.items():
            for state, count in states.items():
                self.refusals[row][state] += count
        self.refused.merge(other.refused)
        self.evidence.merge(other.evidence)
        self.checks.update(other.checks)
        for name, latencies in other.latencies.items():
            self.latencies[name].merge(latencies)

    def _merge_slices(self, column: str, blocks: dict[str | None, Block] | None) -> None:
        if blocks is None:
            self.slices[column] = None
            return
        for value, block in blocks.items():
            kept = self._slice(column, value)
            if kept is not None:
                kept.merge(block)

    def _slice(self, column: str, value: str | None) -> Block | None:
        """The samples of one value; ``None`` where the column has too many."""
        blocks = self.slices[column]
        if blocks is None:
            return None
        block = blocks.get(value)
        if block is None and len(blocks) >= MOST_SLICES:
            self.slices[column] = None
        elif block is None:
            block = blocks[value] = Block(self.names, clustered=self.clustered)
        return block

    def _note_errors(self, result: SampleResult) -> None:
        failed = [score for score in result.scores.values() if score.state == "failed"]
        for reason in {str(score.reason) for score in failed}:
            self.errors[reason] += 1
        if result.error is not None and not failed:
            self.errors["pipeline_error"] += 1
        messages: Sequence[str] = [] if result.error is None else [result.error]
        for message in (*messages, *_told_by(result)):
            shown = message if len(message) <= _LONGEST_MESSAGE else message[:_LONGEST_MESSAGE] + "…"
            self._note_message(shown, 1)

    def _note_message(self, message: str, count: int) -> None:
        if message in self.messages or len(self.messages) < _MESSAGES_KEPT:
            self.messages[message] += count


def _told_by(result: SampleResult) -> list[str]:
    """What the scores that failed say about it."""
    return [
        f"{name}: {score.details['message']}"
        for name, score in result.scores.items()
        if score.state == "failed" and score.details.get("message")
    ]


def _check_outcome(result: SampleResult) -> list[str]:
    """What came of asking a judge whether the answer refuses."""
    check = result.refusal_check
    if not check:
        return []
    if check.get("verdict") is None:
        return ["asked", "failed"]
    return ["asked", "overruled"] if check["verdict"] != check["phrases"] else ["asked"]


def _is_alike(result: SampleResult, k: int) -> bool:
    """Several different chunks count as the same gold because their words are similar, and not because they hold it."""
    golds: Counter[int] = Counter()
    for match in result.matches[:k]:
        if match.relevant and not match.repeat and match.stage in SIMILAR_STAGES:
            golds.update(match.gold_indices)
    return max(golds.values(), default=0) >= SIMILAR_HOLDERS
