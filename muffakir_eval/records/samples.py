"""What goes into an evaluation: questions, gold evidence and pipeline outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Gold", "PipelineOutput", "RetrievedChunk", "Sample"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """One piece of evidence that a retriever should find.

    Attributes:
        index: Position among the sample's golds; :attr:`ChunkMatch.gold_indices` refers to it.
        alternatives: Indices into ``contexts``/``chunk_ids`` of the sample; any one of them will do.
        grade: Graded relevance, above 0; 1 where the dataset has no grades.
    """

    index: int
    alternatives: tuple[int, ...]
    grade: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedChunk:
    """One retrieved passage.

    Attributes:
        text: The passage; empty where the retriever returns identifiers only.
        chunk_id: Its identifier as text, ``None`` where it has none.
        source: The file or document that it comes from.
        score: The retriever's own score. Never used for ranking: the order of the chunks is.
        metadata: Whatever else came with it.
    """

    text: str = ""
    chunk_id: str | None = None
    source: str | None = None
    score: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineOutput:
    """What a pipeline said about one question.

    Attributes:
        answer: ``None`` where the pipeline does not answer; ``""`` is an empty answer.
        chunks: Retrieved passages in rank order; ``()`` is an empty result, ``None`` says that the
            pipeline does not tell what it retrieved.
        pipeline_latency_ms: Milliseconds as the pipeline reports them.
        stage_timings_ms: Milliseconds of the pipeline's own stages.
        transformed_query: The query as rewritten by the pipeline, a list where it made several.
        query_transform_strategy: Name of the rewriting.
        error: Type and text of the exception, where the pipeline raised one.
        metadata: Whatever else the pipeline returned and can be written as JSON.
    """

    answer: str | None = None
    chunks: tuple[RetrievedChunk, ...] | None = None
    pipeline_latency_ms: float | None = None
    stage_timings_ms: Mapping[str, float | None] = field(default_factory=dict)
    transformed_query: str | tuple[str, ...] | None = None
    query_transform_strategy: str | None = None
    error: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One question of the dataset with whatever is known to be right about it.

    Attributes:
        sample_id: Unique within the dataset.
        row: Row as the spreadsheet or editor shows it: header = 1, first JSONL line = 1.
        question: The question, as typed.
        answers: Accepted gold answers; the best one counts.
        contexts: Gold passages.
        chunk_ids: Gold identifiers, as text. With ``contexts`` of the same length they pair by position.
        groups: Where alternatives exist, the indices that stand for one gold each:
            ``[["a", "b"], ["c"]]`` is stored as ``("a", "b", "c")`` with groups ``((0, 1), (2,))``.
            Empty: every position is a gold of its own.
        grades: Graded relevance per gold (per group where there are groups); empty: all 1.
            A grade of 0 or less is a judged non-relevant item and no gold.
        source_file: The document that the gold comes from.
        gold_sources: One document per position, where the golds come from several.
        answerable: ``False`` where the right answer is to abstain; ``None`` where the dataset does not say.
        metadata: The other columns.
        recorded: Output that the dataset itself carries.
    """

    sample_id: str
    question: str
    row: int = 0
    answers: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()
    chunk_ids: tuple[str, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    grades: tuple[float, ...] = ()
    source_file: str | None = None
    gold_sources: tuple[str, ...] = ()
    answerable: bool | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    recorded: PipelineOutput | None = None

    @property
    def answer(self) -> str | None:
        """The first accepted answer."""
        return self.answers[0] if self.answers else None

    @property
    def context(self) -> str | None:
        """The first gold passage."""
        return self.contexts[0] if self.contexts else None

    @property
    def chunk_id(self) -> str | None:
        """The first gold identifier."""
        return self.chunk_ids[0] if self.chunk_ids else None

    @property
    def golds(self) -> tuple[Gold, ...]:
        """The evidence to find: graded 0 or less left out, numbered as in the dataset.

        >>> Sample(sample_id="1", question="?", chunk_ids=("a", "b", "c"), groups=((0, 1), (2,))).golds
        (Gold(index=0, alternatives=(0, 1), grade=1.0), Gold(index=1, alternatives=(2,), grade=1.0))
        """
        count = max(len(self.contexts), len(self.chunk_ids))
        groups = self.groups or tuple((position,) for position in range(count))
        return tuple(
            Gold(index=index, alternatives=group, grade=grade)
            for index, group in enumerate(groups)
            if (grade := self.grades[index] if self.grades else 1.0) > 0
        )

    def source_of(self, position: int) -> str | None:
        """The document of the gold at ``position``."""
        return self.gold_sources[position] if self.gold_sources else self.source_file
