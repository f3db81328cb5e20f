"""The row of ``samples.csv`` for one finished sample."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from muffakir_eval.records.results import SampleResult
    from muffakir_eval.records.samples import RetrievedChunk
    from muffakir_eval.records.scores import Score

__all__ = ["OWN_COLUMNS", "PREVIEW", "REFERENCE_COLUMNS", "flat_row"]

REFERENCE_COLUMNS = (
    "question",
    "transformed_query",
    "query_transform_strategy",
    "gold_answer",
    "gold_context",
    "predicted_answer",
    "retrieved_previews",
    "latency_ms",
    "pipeline_latency_ms",
    "evaluation_overhead_ms",
    "recall_at_k",
    "precision_at_k",
    "mrr",
    "ndcg_at_k",
    "faithfulness",
    "answer_correctness",
    "llm_judge_rating",
    "answer_refusal",
    "answer_refusal_reason",
    "error",
)
"""First columns of ``samples.csv``; always present, in this order."""

OWN_COLUMNS = (
    "sample_id",
    "row",
    "answerable",
    "answer_refusal_kind",
    "answer_refusal_phrase",
    "answer_refusal_partial",
    "first_relevant_rank",
    "relevant_ranks",
    "match_stages",
    "match_scores",
    "retrieved_chunk_ids",
    "retrieved_sources",
    "gold_answers",
    "gold_contexts",
    "gold_chunk_ids",
    "source_file",
    "score_reasons",
    "score_errors",
    "stage_timings_ms",
    "metadata",
)
"""Columns after those and after the further metrics; lists and mappings are JSON in the cell."""

_METRIC_COLUMNS = REFERENCE_COLUMNS[10:17]
PREVIEW = 200
"""Characters of a retrieved text in ``retrieved_previews``; a longer one is cut and ends in an ellipsis."""


def _json(value: Sequence[Any] | Mapping[str, Any]) -> str | None:
    """JSON in a cell, ``None`` where there is nothing to say."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False) if value else None


def _failed(score: Score) -> bool:
    return score.state == "failed" and bool(score.details.get("message"))


def _known(chunks: Sequence[RetrievedChunk] | None, cell: Callable[[RetrievedChunk], str | None]) -> str | None:
    """One entry per chunk; an empty result is ``[]``, an unknown one an empty cell."""
    return None if chunks is None else json.dumps([cell(chunk) for chunk in chunks], ensure_ascii=False)


def _query(query: str | tuple[str, ...] | None) -> str | None:
    return _json(query) if isinstance(query, tuple) else query


def _preview(text: str) -> str:
    return text if len(text) <= PREVIEW else text[:PREVIEW] + "…"


def flat_row(result: SampleResult) -> dict[str, Any]:
    """Cells by column name; ``None`` is an empty cell."""
    sample, output, refusal = result.sample, result.output, result.refusal
    chunks = output.chunks or ()
    values = {name: score.value for name, score in result.scores.items()}
    first = {
        "question": sample.question,
        "transformed_query": _query(output.transformed_query),
        "query_transform_strategy": output.query_transform_strategy,
        "gold_answer": sample.answer,
        "gold_context": sample.context,
        "predicted_answer": output.answer,
        "retrieved_previews": _known(output.chunks, lambda chunk: _preview(chunk.text)),
        "latency_ms": result.latency_ms,
        "pipeline_latency_ms": result.pipeline_latency_ms,
        "evaluation_overhead_ms": result.evaluation_overhead_ms,
        **{name: values.pop(name, None) for name in _METRIC_COLUMNS},
        "answer_refusal": None if output.answer is None else result.refused,
        "answer_refusal_reason": refusal.reason if refusal and result.refused else None,
        "error": output.error,
    }
    relevant = [match.rank for match in result.matches if match.relevant and not match.repeat]
    own = {
        "sample_id": sample.sample_id,
        "row": sample.row,
        "answerable": result.answerable,
        "answer_refusal_kind": refusal.kind if refusal else None,
        "answer_refusal_phrase": refusal.phrase if refusal else None,
        "answer_refusal_partial": None if output.answer is None else bool(refusal and refusal.partial),
        "first_relevant_rank": relevant[0] if relevant else None,
        "relevant_ranks": _json(relevant),
        "match_stages": _json([match.stage for match in result.matches]),
        "match_scores": _json([match.score for match in result.matches]),
        "retrieved_chunk_ids": _known(output.chunks, lambda chunk: chunk.chunk_id),
        "retrieved_sources": _json([c.source for c in chunks]) if any(c.source for c in chunks) else None,
        "gold_answers": _json(sample.answers),
        "gold_contexts": _json(_grouped(sample.contexts, sample.groups)),
        "gold_chunk_ids": _json(_grouped(sample.chunk_ids, sample.groups)),
        "source_file": _json(sample.gold_sources) if sample.gold_sources else sample.source_file,
        "score_reasons": _json({name: score.reason for name, score in result.scores.items() if score.reason}),
        "score_errors": _json(
            {name: str(score.details["message"]) for name, score in result.scores.items() if _failed(score)}
        ),
        "stage_timings_ms": _json(output.stage_timings_ms),
        "metadata": _json(sample.metadata),
    }
    return {**first, **values, **own}


def _grouped(texts: Sequence[str], groups: Sequence[Sequence[int]]) -> list[Any]:
    """The golds as a dataset writes them: ``[["a", "b"], ["c"]]`` where there are alternatives."""
    if not groups or not texts:
        return list(texts)
    return [[texts[position] for position in group] for group in groups]
