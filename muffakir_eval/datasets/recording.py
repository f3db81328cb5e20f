"""The output that a row of the dataset carries."""

from __future__ import annotations

from typing import Any

from muffakir_eval.datasets.cells.lists import object_in_text, parse_literal
from muffakir_eval.datasets.cells.passages import id_items, retrieved_passages
from muffakir_eval.datasets.cells.recorded import chunks_from, retrieved_ids, score_items
from muffakir_eval.datasets.cells.text import metadata_value, to_number
from muffakir_eval.datasets.rows import RowReader
from muffakir_eval.records import PipelineOutput, RetrievedChunk

__all__ = ["recorded_output"]


def recorded_output(reader: RowReader) -> PipelineOutput:
    """The output in the row being read, which has a column for it.

    An empty cell of the answer is an empty answer, and an empty cell of a ``retrieved_*`` column an empty
    result. Our own ``samples.csv`` is more exact: it writes an empty result as ``[]``, and leaves
    ``answer_refusal`` empty where the pipeline does not answer.

    Raises:
        CellError: A cell does not parse, or the columns name different numbers of chunks.
    """
    own = reader.mapping.own
    answer = reader.text("predicted_answer")
    if answer is None and "predicted_answer" in reader.cells and not (own and reader.text("answer_refusal") is None):
        answer = ""
    return PipelineOutput(
        answer=answer,
        chunks=_chunks(reader),
        pipeline_latency_ms=to_number(reader.first("pipeline_latency_ms")),
        **(_own_fields(reader) if own else {}),
    )


def _chunks(reader: RowReader) -> tuple[RetrievedChunk, ...] | None:
    if "retrieved_contexts" not in reader.cells and "retrieved_chunk_ids" not in reader.cells:
        return None
    ids = reader.several("retrieved_chunk_ids")
    if reader.mapping.own and not ids:
        return None
    reader.check_digits(ids)
    scores = [item for value in reader.several("retrieved_scores") for item in score_items(value)]
    sources = [item for value in reader.several("retrieved_sources") for item in id_items(value)]
    identifiers = retrieved_ids(ids)
    return chunks_from(
        retrieved_passages(reader.several("retrieved_contexts"), reader.table.truth), identifiers, sources, scores
    )


def _own_fields(reader: RowReader) -> dict[str, Any]:
    query = reader.text("transformed_query")
    timings = object_in_text(reader.text("stage_timings_ms") or "") or {}
    return {
        "transformed_query": _queries(query) or query,
        "query_transform_strategy": reader.text("query_transform_strategy"),
        "error": reader.text("error"),
        "stage_timings_ms": metadata_value(timings),
    }


def _queries(text: str | None) -> tuple[str, ...] | None:
    """Several queries, which our files hold as a JSON list."""
    if text is None or not text.startswith('["'):
        return None
    try:
        found = parse_literal(text)
    except ValueError:
        return None
    return tuple(map(str, found)) if isinstance(found, list) else None
