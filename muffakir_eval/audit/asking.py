"""Every question to the retriever, and what of its rankings an audit goes on with."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from muffakir_eval.audit.settings import AuditConfig
from muffakir_eval.errors import PipelineDownError
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.matching.golds import distinct_golds
from muffakir_eval.metrics import Metric, resolve_metrics
from muffakir_eval.pipelines import as_pipeline
from muffakir_eval.pipelines.secrets import pipeline_secrets
from muffakir_eval.records import ChunkMatch, Pipeline, PipelineOutput, Sample, SampleResult
from muffakir_eval.redaction import redact
from muffakir_eval.runner import Item, RunPlan, run_items
from muffakir_eval.tally import Tally
from muffakir_eval.tally.groups import GroupBy
from muffakir_eval.writers.progress import note, progress_bar

__all__ = ["METRICS", "Retrieval", "Retrieved", "audit_metrics", "plan_retrieval", "retrieve"]

METRICS = ("recall", "hit_rate", "mrr", "ndcg", "map", "precision")
"""Measured at every cutoff, as ``recall@5``."""

_SHORT, _SHORT_TEXTS = 100, 1000

RetrievedState = Literal["compared", "not_comparable", "no_chunks", "failed"]
"""Whether the ranking of a question can be held against its gold; ``no_chunks``: the pipeline does not tell what it
retrieved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What came back for one question, without the texts.

    Attributes:
        state: Whether it can be held against the gold.
        ranks: Gold (its index) to the first rank that holds it; repeats hold nothing.
        n_chunks: How many chunks came back, of those that were asked for.
        n_repeats: How many of them stood at an earlier rank already.
        error: Why the retriever gave nothing.
    """

    state: RetrievedState
    ranks: Mapping[int, int] = field(default_factory=dict)
    n_chunks: int = 0
    n_repeats: int = 0
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """The rankings of all questions.

    Attributes:
        pipeline: What was asked.
        recorded: Nobody was asked: the dataset carries the rankings.
        top_n: So many chunks per question were looked at.
        questions: By place of the question in the dataset; those that were not asked are missing.
        ids: Identifier that came back to the first question that got it.
        figures: The metrics.
        short_texts: Texts of one word, without identifier, to the first question that got them; the first thousand.
        stopped: Why not every question was asked.
    """

    pipeline: Pipeline
    recorded: bool
    top_n: int
    questions: Mapping[int, Retrieved]
    ids: Mapping[str, int]
    figures: Tally
    short_texts: Mapping[str, int] = field(default_factory=dict)
    stopped: PipelineDownError | None = None

    @property
    def most_returned(self) -> int | None:
        """The longest ranking; ``None`` where none is known."""
        return max((found.n_chunks for found in self.known()), default=None)

    def known(self) -> list[Retrieved]:
        """The questions whose rankings are known."""
        return [found for found in self.questions.values() if found.state in ("compared", "not_comparable")]


def audit_metrics(cutoffs: Sequence[int]) -> tuple[Metric, ...]:
    """The retrieval metrics at every cutoff.

    >>> [metric.name for metric in audit_metrics([5])]
    ['recall@5', 'hit_rate@5', 'mrr@5', 'ndcg@5', 'map@5', 'precision@5']
    """
    return resolve_metrics([f"{name}@{cutoff}" for name in METRICS for cutoff in cutoffs], k=cutoffs[0])


def plan_retrieval(retriever: Any, samples: Sequence[Sample], config: AuditConfig) -> RunPlan | None:
    """How the retriever will be asked; ``None`` where there is none, nor any recorded ranking.

    Raises:
        ConfigError: ``retriever`` is nothing that can be asked, or does not tell what it retrieves.
    """
    top_n = config.top_n
    if retriever is None:
        longest = max((len(chunks) for sample in samples if (chunks := _recorded(sample)) is not None), default=None)
        if longest is None:
            return None
        top_n = max(1, min(top_n, longest))
    pipeline = as_pipeline(retriever, pipeline_mode="retrieval_only", pipeline_id=config.pipeline_id, samples=samples)
    workers = config.pipeline_workers
    if workers is None:
        workers = config.max_concurrency if pipeline.execution == "async" else 1
    return RunPlan(
        pipeline=replace(pipeline, any_k=True),  # only the chunks are looked at
        metrics=audit_metrics(config.cutoffs),
        matcher=ChunkMatcher(config.match_settings),
        k=config.k,
        depth=top_n,
        workers=workers,
        sample_timeout_s=config.sample_timeout_s,
        max_errors_in_a_row=None if retriever is None else config.max_pipeline_errors,
        timed=retriever is not None,
        redact=functools.partial(redact, secrets=pipeline_secrets(retriever)),
    )


def _recorded(sample: Sample) -> Sequence[Any] | None:
    return None if sample.recorded is None else sample.recorded.chunks


async def retrieve(plan: RunPlan, samples: Sequence[Sample], config: AuditConfig, *, recorded: bool) -> Retrieval:
    """Ask every question. A retriever that is down ends the asking, and not the audit."""
    by = GroupBy(confidence=config.confidence_level, seed=config.seed)
    store = _Rankings(plan.depth)
    figures = Tally(plan.metrics, by, k=config.k)
    items = [Item(key=str(place), position=place, sample=sample) for place, sample in enumerate(samples)]
    stopped = None
    with progress_bar(len(items), enabled=config.progress and not recorded) as advance:

        def on_done(result: SampleResult) -> None:
            figures.add(result)
            advance(failed=result.error is not None)

        try:
            await run_items(plan, items, store, on_done)
        except PipelineDownError as error:
            stopped = error
    if stopped is not None:
        note(f"{stopped.found}; the audit goes on with the index alone", enabled=config.progress)
    return Retrieval(
        pipeline=plan.pipeline,
        recorded=recorded,
        top_n=plan.depth,
        questions=store.questions,
        ids=store.ids,
        figures=figures,
        short_texts=store.short_texts,
        stopped=stopped,
    )


class _Rankings:
    """Keeps of every result what an audit needs, and lets go of the texts.

    Args:
        depth: Chunks that are looked at.
    """

    def __init__(self, depth: int) -> None:
        self.questions: dict[int, Retrieved] = {}
        self.ids: dict[str, int] = {}
        self.short_texts: dict[str, int] = {}
        self._depth = depth

    @property
    def recorded(self) -> _Rankings:
        """Itself: there is no earlier part."""
        return self

    def output(self, key: str) -> PipelineOutput | None:  # noqa: ARG002 - the runner's protocol
        """Nothing is known before it was asked."""
        return None

    def append_output(self, key: str, position: int, sample: Sample, output: PipelineOutput) -> None:
        """Nothing: the output comes again with the result."""

    def append_result(self, result: SampleResult) -> None:
        """Keep what the ranking says about the gold."""
        place = int(result.key)
        chunks = (result.output.chunks or ())[: self._depth]
        for chunk in chunks:
            if chunk.chunk_id:
                self.ids.setdefault(chunk.chunk_id, place)
            elif len(self.short_texts) < _SHORT_TEXTS and len(chunk.text) <= _SHORT and len(chunk.text.split()) == 1:
                self.short_texts.setdefault(chunk.text.strip(), place)
        self.questions[place] = Retrieved(
            state=_state(result),
            ranks=_first_ranks(result.sample, result.matches),
            n_chunks=len(chunks),
            n_repeats=sum(match.repeat for match in result.matches),
            error=result.error,
        )


def _state(result: SampleResult) -> RetrievedState:
    if result.error is not None:
        return "failed"
    if result.output.chunks is None:
        return "no_chunks"
    incomparable = any(score.reason == "not_comparable" for score in result.scores.values())
    return "not_comparable" if incomparable else "compared"


def _first_ranks(sample: Sample, matches: Sequence[ChunkMatch]) -> dict[int, int]:
    first: dict[int, int] = {}
    held = [match for match in matches if match.gold_indices and not match.repeat]
    if held:
        golds = {gold.index for gold in distinct_golds(sample)}
        for match in held:
            for index in match.gold_indices:
                if index in golds:
                    first.setdefault(index, match.rank)
    return first
