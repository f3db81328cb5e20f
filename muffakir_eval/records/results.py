"""What an evaluation finds out about one sample."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from muffakir_eval.records.rows import flat_row
from muffakir_eval.records.samples import PipelineOutput, Sample
from muffakir_eval.records.scores import Score

__all__ = ["ChunkMatch", "Pipeline", "Refusal", "SampleResult", "Stage", "Trial"]

Stage = Literal["id", "containment", "jaccard", "coverage"]
"""The stage of the matching cascade that decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkMatch:
    """Whether the chunk at one rank holds gold evidence.

    Attributes:
        rank: 1 for the first chunk.
        relevant: It holds the evidence of at least one gold.
        stage: The stage of the cascade that said yes, ``None`` where none did.
        score: That stage's score in [0, 1]; without a match the exact token Jaccard (words that nearly agree do
            not count) of the nearest gold where it is at least half the threshold, else ``None``.
        gold_indices: The golds that it holds (:attr:`Gold.index`).
        repeat: The same chunk stood at an earlier rank; it keeps its rank and earns nothing.
    """

    rank: int
    relevant: bool
    stage: Stage | None = None
    score: float | None = None
    gold_indices: tuple[int, ...] = ()
    repeat: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An answer that declines to answer.

    Attributes:
        reason: ``insufficient_information`` for every refusal for want of knowledge, ``policy``,
            or ``unclear_question``.
        kind: The finer kind, such as ``not_in_context`` or ``cannot_answer``.
        phrase: The words of the answer that gave it away.
        language: Language of the phrase (BCP 47).
        span: Start and end of the phrase in the answer, in characters.
        partial: A hedge that is followed by real content; it counts as an answer.
    """

    reason: str
    kind: str
    phrase: str
    language: str
    span: tuple[int, int]
    partial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """All evidence about one sample: the single argument of every metric.

    Attributes:
        sample: The question and what is known to be right about it.
        output: What the pipeline said.
        matches: One per retrieved chunk, down to the largest cutoff of the run; empty where the
            pipeline does not tell what it retrieved.
        k: The main cutoff of the run.
        refusal: Set where the answer declines to answer.
        answerable: Whether the question can be answered, after the rules of the run were applied.
        comparable: Chunks and gold have something to compare; not so where one side has identifiers only
            and the other texts only.
    """

    sample: Sample
    output: PipelineOutput
    matches: tuple[ChunkMatch, ...] = ()
    k: int = 5
    comparable: bool = True
    refusal: Refusal | None = None
    answerable: bool | None = None

    @property
    def refused(self) -> bool:
        """The answer is a refusal; a partial one counts as an answer."""
        return self.refusal is not None and not self.refusal.partial


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """Whatever the user has, turned into one call.

    Attributes:
        pipeline_id: Names the pipeline in the run folder.
        call: Question and cutoff in, output out. Receives the whole sample, so that recorded
            outputs need no other door.
        execution: ``inline`` returns at once, ``thread`` is blocking code of the user's, ``async``
            returns an awaitable.
        answers: It can produce answers; ``None`` where that is known only once it has run.
        retrieves: It tells what it retrieved; ``None`` where that is known only once it has run.
        any_k: It may be called with a cutoff above the main one without changing its answers.
        settings: Its configuration without secrets, part of the run's identity.
    """

    pipeline_id: str
    call: Callable[[Sample, int], PipelineOutput | Awaitable[PipelineOutput]]
    execution: Literal["inline", "thread", "async"]
    answers: bool | None = None
    retrieves: bool | None = None
    any_k: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleResult:
    """One finished sample: everything that the run knows about it.

    Attributes:
        key: Identifies the sample by content within the run.
        sample: The question and what is known to be right about it.
        output: What the pipeline said.
        matches: One per retrieved chunk.
        scores: By metric name.
        refusal: Set where the answer declines to answer.
        refusal_check: What a judge said about it, where the phrases were unsure and the run asks one.
        answerable: Whether the question can be answered, after the rules of the run were applied.
        latency_ms: Wall-clock milliseconds from the call of the pipeline to the last score.
        pipeline_latency_ms: Milliseconds in the pipeline; ``None`` for a recorded output without one.
        evaluation_overhead_ms: Milliseconds in matching and metrics.
    """

    key: str
    sample: Sample
    output: PipelineOutput
    matches: tuple[ChunkMatch, ...] = ()
    scores: Mapping[str, Score] = field(default_factory=dict)
    refusal: Refusal | None = None
    refusal_check: Mapping[str, Any] = field(default_factory=dict)
    answerable: bool | None = None
    latency_ms: float | None = None
    pipeline_latency_ms: float | None = None
    evaluation_overhead_ms: float | None = None

    @property
    def error(self) -> str | None:
        """Why the pipeline gave no output."""
        return self.output.error

    @property
    def refused(self) -> bool:
        """The answer is a refusal; a partial one counts as an answer."""
        return self.refusal is not None and not self.refusal.partial

    def to_flat_dict(self) -> dict[str, Any]:
        """The row of ``samples.csv``: cells by column name, lists as JSON, ``None`` for an empty cell."""
        return flat_row(self)
