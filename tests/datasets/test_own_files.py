"""Our own ``samples.csv`` is a dataset again."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from muffakir_eval.datasets import EvaluationDataset, load_evaluation_dataset
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
    Sample(
        sample_id="6",
        question="ف",
        answers=('["أ", "ب"]', "[ليس قائمة"),
        contexts=('["نص يشبه قائمة"]',),
        answerable=True,
        recorded=PipelineOutput(answer='["أ"]'),
    ),
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


def retrieved(folder: Path, *samples: Sample) -> EvaluationDataset:
    """The dataset that ``samples.csv`` over these samples is."""
    path = folder / "samples.csv"
    rows = [
        {
            **SampleResult(key="k", sample=sample, output=sample.recorded or PipelineOutput()).to_flat_dict(),
            "run_id": "r",
        }
        for sample in samples
    ]
    write_samples_csv(path, rows, [*REFERENCE_COLUMNS, *OWN_COLUMNS, "run_id"])
    return load_evaluation_dataset(path)


def output(*chunks: RetrievedChunk) -> PipelineOutput:
    return PipelineOutput(answer="ج", chunks=chunks)


@pytest.mark.parametrize("length", [0, 1, 199, 200])
def test_a_text_that_stands_there_whole_is_what_was_retrieved(tmp_path: Path, length: int) -> None:
    said = output(RetrievedChunk(text="س" * length, source="أ.pdf"), RetrievedChunk(text="[1] =نص…", source="ب.pdf"))
    dataset = retrieved(tmp_path, Sample(sample_id="1", question="س", contexts=("ن",), recorded=said))
    assert dataset[0].recorded == said
    assert dataset.warnings == []


@pytest.mark.parametrize("length", [201, 5_000])
@pytest.mark.parametrize("chunk_ids", [("c1",), ()])
def test_a_text_that_was_cut_is_not_known_and_no_miss(tmp_path: Path, length: int, chunk_ids: tuple[str, ...]) -> None:
    said = output(RetrievedChunk(text="قصير"), RetrievedChunk(text="س" * length))
    dataset = retrieved(tmp_path, Sample(sample_id="1", question="س", chunk_ids=chunk_ids, recorded=said))
    assert dataset[0].recorded == PipelineOutput(answer="ج", chunks=None)
    assert len(dataset.warnings) == 1
    assert "samples.csv, row 2: longer retrieved texts are cut in this file" in dataset.warnings[0]
    assert "pass the run folder instead" in dataset.warnings[0]


def test_identifiers_are_compared_where_gold_and_chunks_have_them(tmp_path: Path) -> None:
    said = output(RetrievedChunk(text="س" * 300, chunk_id="c1", source="أ"), RetrievedChunk(text="قصير", chunk_id="c2"))
    golds = {"contexts": ("ن",), "chunk_ids": ("c1",)}
    dataset = retrieved(tmp_path, Sample(sample_id="1", question="س", recorded=said, **golds))  # type: ignore[arg-type]
    assert dataset[0].recorded == output(
        RetrievedChunk(chunk_id="c1", source="أ"), RetrievedChunk(text="قصير", chunk_id="c2")
    )
    assert "only identifiers are compared" in dataset.warnings[0]
    by_text = retrieved(tmp_path, Sample(sample_id="1", question="س", contexts=("ن",), recorded=said))
    assert by_text[0].recorded == PipelineOutput(answer="ج", chunks=None)


def test_without_its_previews_the_file_tells_identifiers_only(tmp_path: Path) -> None:
    retrieved(
        tmp_path,
        Sample(sample_id="1", question="س", chunk_ids=("1",), recorded=output(RetrievedChunk(text="ن", chunk_id="7"))),
    )
    path = tmp_path / "samples.csv"
    path.write_bytes(path.read_bytes().replace('"[""ن""]"'.encode(), b""))
    recorded = load_evaluation_dataset(path)[0].recorded
    assert recorded is not None
    assert recorded.chunks == (RetrievedChunk(chunk_id="7"),)


def test_what_was_understood_of_it_may_be_passed_as_the_mapping(tmp_path: Path) -> None:
    path = written(tmp_path)
    dataset = load_evaluation_dataset(path)
    assert load_evaluation_dataset(path, column_mapping=dataset.mapping) == dataset
