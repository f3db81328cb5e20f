"""Our own ``samples.csv`` is a dataset again."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample, SampleResult
from muffakir_eval.records.rows import OWN_COLUMNS, REFERENCE_COLUMNS
from muffakir_eval.writers.csv_file import write_samples_csv

SAMPLES = [
    Sample(
        sample_id="007",
        row=2,
        question="=ما العاصمة؟",
        answers=("- الرياض", "مدينة الرياض"),
        contexts=("أ", "ب", "[1] ج"),
        chunk_ids=("1", "007", "3"),
        groups=((0, 1), (2,)),
        gold_sources=("a.pdf", "b.pdf", "c.pdf"),
        answerable=True,
        metadata={"kind": "جغرافيا", "n": 1},
        recorded=PipelineOutput(
            answer="@SUM(A1)",
            chunks=(RetrievedChunk(chunk_id="7", source="x.pdf"), RetrievedChunk()),
            pipeline_latency_ms=12.5,
            transformed_query=("أ", "ب"),
            query_transform_strategy="multi",
            stage_timings_ms={"retrieve": 1.5, "rerank": None},
        ),
    ),
    Sample(
        sample_id="2",
        question="س",
        answerable=False,
        source_file="a.pdf",
        recorded=PipelineOutput(answer="", chunks=()),
    ),
    Sample(sample_id="3", question="ص", recorded=PipelineOutput(error="TimeoutError: x")),
    Sample(sample_id="4", question="ع", recorded=PipelineOutput(chunks=(), transformed_query='["غير صالح')),
    Sample(sample_id="5", question="غ", recorded=PipelineOutput(answer="نعم")),
]


def written(folder: Path, *, bom: bool = True) -> Path:
    path = folder / "samples.csv"
    rows = []
    for sample in SAMPLES:
        output = sample.recorded or PipelineOutput()
        result = SampleResult(
            key="k",
            sample=sample,
            output=output,
            answerable=sample.answerable,
            pipeline_latency_ms=output.pipeline_latency_ms,
        )
        rows.append({**result.to_flat_dict(), "run_id": "r"})
    write_samples_csv(path, rows, [*REFERENCE_COLUMNS, "recall@10", *OWN_COLUMNS, "run_id"], bom=bom)
    return path


@pytest.mark.parametrize("bom", [True, False])
def test_p46_questions_golds_and_outputs_come_back_exactly(tmp_path: Path, bom: bool) -> None:
    dataset = load_evaluation_dataset(written(tmp_path, bom=bom))
    expected = [
        dataclasses.replace(sample, row=row, metadata={"recall@10": None, **sample.metadata})
        for row, sample in enumerate(SAMPLES, start=2)
    ]
    assert dataset == expected
    assert dataset.warnings == []


def test_results_of_the_earlier_run_are_no_part_of_the_dataset(tmp_path: Path) -> None:
    dataset = load_evaluation_dataset(written(tmp_path))
    assert dataset.unmapped == ["recall@10"]
    assert "retrieved_contexts" not in dataset.mapping  # the previews are cut
    assert "answer_refusal" not in dataset.mapping


def test_a_column_that_a_person_added_is_kept(tmp_path: Path) -> None:
    path = written(tmp_path)
    lines = path.read_bytes().split(b"\r\n")
    lines[0] += b',"reviewer"'
    lines[1:-1] = [line + ',"جيد"'.encode() for line in lines[1:-1]]
    path.write_bytes(b"\r\n".join(lines))
    dataset = load_evaluation_dataset(path)
    assert {sample.metadata["reviewer"] for sample in dataset} == {"جيد"}
