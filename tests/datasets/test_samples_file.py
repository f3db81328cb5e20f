"""Samples written as a question set."""

from __future__ import annotations

from pathlib import Path

import pytest

from muffakir_eval.datasets.loading import load_evaluation_dataset
from muffakir_eval.datasets.samples_file import sample_row, write_samples
from muffakir_eval.errors import DatasetFormatError
from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample


def test_fields_that_say_nothing_are_left_out() -> None:
    assert sample_row(Sample(sample_id="1", question="؟")) == {"sample_id": "1", "question": "؟"}


def test_a_recorded_result_with_identifiers_only(tmp_path: Path) -> None:
    chunks = (RetrievedChunk(chunk_id="a", score=0.5), RetrievedChunk(chunk_id="b", source="x.pdf"))
    samples = [Sample(sample_id="1", question="؟", chunk_ids=("a",), recorded=PipelineOutput(chunks=chunks))]
    assert "retrieved_contexts" not in sample_row(samples[0])
    assert write_samples(tmp_path / "q.jsonl", samples) == []
    assert load_evaluation_dataset(tmp_path / "q.jsonl")[0].recorded == samples[0].recorded


def test_a_row_that_does_not_read_back_is_told(tmp_path: Path) -> None:
    samples = [Sample(sample_id="1", question=" "), Sample(sample_id="2", question="س")]
    (told,) = write_samples(tmp_path / "q.jsonl", samples)
    assert told == "1 of 2 samples (first: '1') are not written whole: the row does not read back at all"


def test_nothing_to_write(tmp_path: Path) -> None:
    assert write_samples(tmp_path / "q.jsonl", []) == []
    assert (tmp_path / "q.jsonl").read_bytes() == b""


def test_another_suffix(tmp_path: Path) -> None:
    with pytest.raises(DatasetFormatError, match="the suffix is"):
        write_samples(tmp_path / "q.csv", [])
