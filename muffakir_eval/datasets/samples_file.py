"""Samples written as a question set that reads back the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import Any

from muffakir_eval.atomic import replace_file
from muffakir_eval.datasets.loading import load_evaluation_dataset
from muffakir_eval.errors import DatasetFormatError
from muffakir_eval.records import PipelineOutput, Sample
from muffakir_eval.records.codec import json_value, strict_json

__all__ = ["sample_row", "write_samples"]


_LOST = {
    "all": "the row does not read back at all",
    "contexts": "the texts of golds, of which some have none",
    "chunk_ids": "the identifiers of golds, of which some have none",
    "groups": "which golds are alternatives",
    "recorded": "what a row cannot say of a recorded output, such as timings, errors and metadata",
}
"""What is missing, by the field of the sample; others go by their name."""


def write_samples(path: str | PathLike[str], samples: Sequence[Sample]) -> list[str]:
    """Write samples as JSON Lines, one question a line; an older file is replaced in one step.

    Args:
        path: The file to write, ``.jsonl``.
        samples: What to write.

    Returns:
        What the file does not hold, one sentence each.

    Raises:
        DatasetFormatError: ``path`` ends in something else.
        StorageError: The file cannot be written.
    """
    file = Path(path)
    if file.suffix.lower() != ".jsonl":
        raise DatasetFormatError(
            f"the suffix is {file.suffix or '(none)'}", where=str(path), expected=".jsonl", remedy="name the file so"
        )
    rows = [sample_row(sample) for sample in samples]
    lost = list(_lost(rows, samples))
    replace_file(file, (f"{strict_json(row)}\n".encode() for row in rows))
    return lost


def sample_row(sample: Sample) -> dict[str, Any]:
    """The fields of a question set that hold ``sample``; those that say nothing are left out.

    >>> sample_row(Sample(sample_id="1", question="؟", chunk_ids=("a", "b", "c"), groups=((0, 1), (2,))))
    {'sample_id': '1', 'question': '؟', 'gold_chunk_ids': [['a', 'b'], ['c']]}
    """
    row: dict[str, Any] = {
        "sample_id": sample.sample_id,
        "question": sample.question,
        "gold_answers": list(sample.answers),
        "gold_contexts": _grouped(sample.contexts, sample.groups),
        "gold_chunk_ids": _grouped(sample.chunk_ids, sample.groups),
        "grades": list(sample.grades),
        "source_file": list(sample.gold_sources) or sample.source_file,
        "answerable": sample.answerable,
        "metadata": json_value(sample.metadata),
    }
    if sample.recorded is not None:
        row |= _output(sample.recorded)
    return {name: value for name, value in row.items() if value not in (None, [], {}) or name == "retrieved_contexts"}


def _grouped(texts: Sequence[str], groups: Sequence[Sequence[int]]) -> list[Any]:
    """A list in which each entry has something to say; nothing where one has not."""
    if not all(text.strip() for text in texts):
        return []
    return [[texts[position] for position in group] for group in groups] if groups and texts else list(texts)


def _output(output: PipelineOutput) -> dict[str, Any]:
    row: dict[str, Any] = {
        "predicted_answer": output.answer,
        "pipeline_latency_ms": output.pipeline_latency_ms,
    }
    chunks = output.chunks
    if chunks is None:
        return row
    if not chunks or any(chunk.text for chunk in chunks):
        row["retrieved_contexts"] = [chunk.text for chunk in chunks]
    columns: dict[str, list[Any]] = {
        "retrieved_chunk_ids": [chunk.chunk_id for chunk in chunks],
        "retrieved_sources": [chunk.source for chunk in chunks],
        "retrieved_scores": [chunk.score for chunk in chunks],
    }
    row |= {name: cells for name, cells in columns.items() if any(cell is not None for cell in cells)}
    return row


def _lost(rows: Sequence[dict[str, Any]], samples: Sequence[Sample]) -> Iterator[str]:
    """What is not there any more once the rows are read again: found out by reading them."""
    again = {sample.sample_id: sample for sample in load_evaluation_dataset(rows, fail_fast=False)} if rows else {}
    lost: dict[str, list[str]] = {}
    for sample in samples:
        other = again.get(sample.sample_id)
        if other is None:
            lost.setdefault("all", []).append(sample.sample_id)
            continue
        for field in fields(Sample):
            if field.name != "row" and getattr(sample, field.name) != getattr(other, field.name):
                lost.setdefault(field.name, []).append(sample.sample_id)
    for name, ids in lost.items():
        yield f"{len(ids)} of {len(samples)} samples (first: {ids[0]!r}) are not written whole: {_LOST.get(name, name)}"
