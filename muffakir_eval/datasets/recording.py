"""The output that a row of the dataset carries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from muffakir_eval.datasets.cells.lists import object_in_text, parse_literal
from muffakir_eval.datasets.cells.passages import Passage, id_items, retrieved_passages
from muffakir_eval.datasets.cells.recorded import chunks_from, retrieved_ids, score_items
from muffakir_eval.datasets.cells.text import metadata_value, to_number, to_text
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.rows import RowReader
from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample
from muffakir_eval.records.rows import PREVIEW

__all__ = ["recorded_output", "warn_of_incomparable"]


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
    if reader.mapping.own:
        return _own_chunks(reader, retrieved_ids(ids)) if ids else None
    reader.check_digits(ids)
    scores = [item for value in reader.several("retrieved_scores") for item in score_items(value)]
    sources = [item for value in reader.several("retrieved_sources") for item in id_items(value)]
    identifiers = retrieved_ids(ids)
    passages = retrieved_passages(reader.several("retrieved_contexts"), reader.table.truth)
    return _known(chunks_from(passages, identifiers, sources, scores), reader)


def _known(chunks: tuple[RetrievedChunk, ...], reader: RowReader) -> tuple[RetrievedChunk, ...] | None:
    """Chunks of which at least one has a text or an identifier; others would only look like misses."""
    if not chunks or any(chunk.text.strip() or chunk.chunk_id is not None for chunk in chunks):
        return chunks
    reader.warn(
        "chunks of which nothing is known",
        f"all {len(chunks)} retrieved chunks are without text and identifier, so what was retrieved is not known",
    )
    return None


def _own_chunks(reader: RowReader, ids: list[str | None]) -> tuple[RetrievedChunk, ...] | None:
    """What ``samples.csv`` tells: identifiers, and the texts where they are short enough to stand there whole.

    A text that was cut is neither compared nor shown to anyone as what was retrieved.
    """
    previews = [item for value in reader.several("retrieved_previews") for item in retrieved_passages([value])]
    texts = ["" if _is_cut(passage.text) else passage.text for passage in previews]
    cut = len(previews) != len(ids) or any(_is_cut(passage.text) for passage in previews)
    by_id = None not in ids and bool(reader.several("chunk_ids"))
    if cut:
        reader.warn(
            "texts that were cut",
            "longer retrieved texts are cut in this file, so "
            + ("only identifiers are compared" if by_id else "what was retrieved is not known")
            + "; pass the run folder instead, which holds them whole",
        )
        if not by_id:
            return None
    sources = [to_text(item) for value in reader.several("retrieved_sources") for item in id_items(value)]
    return chunks_from([Passage(text) for text in texts] if len(texts) == len(ids) else [], ids, sources, [])


def _is_cut(preview: str) -> bool:
    return len(preview) == PREVIEW + 1 and preview.endswith("…")


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


def warn_of_incomparable(samples: Sequence[Sample], source: str, findings: Findings) -> None:
    """Warn where the gold has only identifiers and the recorded chunks only texts, or the other way round."""
    found = [sample for sample in samples if sample.recorded is not None and _is_incomparable(sample, sample.recorded)]
    if found:
        first, second = ("passages", "identifiers") if found[0].contexts else ("identifiers", "passages")
        findings.warn(
            "golds and chunks of different kinds",
            f"{source}: in {len(found)} of {len(samples)} samples (first: {found[0].sample_id!r}) the gold has only "
            f"{first} and what was retrieved only {second}, so nothing can match; add a column of one kind to both",
        )


def _is_incomparable(sample: Sample, output: PipelineOutput) -> bool:
    if not output.chunks or not (sample.contexts or sample.chunk_ids):
        return False
    texts = bool(sample.contexts) and any(chunk.text.strip() for chunk in output.chunks)
    ids = bool(sample.chunk_ids) and any(chunk.chunk_id is not None for chunk in output.chunks)
    return not texts and not ids
