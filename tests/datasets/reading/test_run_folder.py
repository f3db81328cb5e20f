"""The folder of an earlier run."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.errors import DatasetFormatError
from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample
from muffakir_eval.records.codec import encode
from muffakir_eval.storage import RunFolder

SAMPLES = [
    Sample(
        sample_id="a",
        row=2,
        question="ما العاصمة؟",
        answers=("الرياض",),
        chunk_ids=("7",),
        metadata={"kind": "جغرافيا"},
    ),
    Sample(sample_id="b", row=3, question="=1+1 \ud83d \u2028", contexts=("أ", "ب", "ج"), groups=((0, 1), (2,))),
    Sample(sample_id="c", row=4, question="وماذا؟"),
]
OUTPUTS = [
    PipelineOutput(
        answer="الرياض", chunks=(RetrievedChunk(text="نص", chunk_id="7", score=0.5),), pipeline_latency_ms=12.5
    ),
    PipelineOutput(answer="", chunks=()),
    PipelineOutput(error="TimeoutError: too slow"),
]
EXPECTED = [dataclasses.replace(sample, recorded=output) for sample, output in zip(SAMPLES, OUTPUTS, strict=True)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A finished run, as the package itself writes it; the samples finished in another order."""
    run = RunFolder.open(tmp_path / "run", {"run_id": "r1", "identity": {}})
    for position in (2, 0, 1):
        run.append_output(f"k{position}", position, SAMPLES[position], OUTPUTS[position])
    run.finish({"summary.json": [b'{"run_id": "r1"}']})
    run.close()
    return tmp_path / "run"


def line(**record: Any) -> str:
    return json.dumps(record) + "\n"


def test_questions_come_back_in_their_order_with_what_was_said(folder: Path) -> None:
    dataset = load_evaluation_dataset(folder)
    assert dataset == EXPECTED
    assert dataset.warnings == []
    assert (dataset.source, dataset.n_rows) == (str(folder), 3)
    assert load_evaluation_dataset(str(folder)) == EXPECTED
    assert load_evaluation_dataset(folder, max_samples=2) == EXPECTED[:2]


def test_the_records_themselves_may_be_named(folder: Path) -> None:
    assert load_evaluation_dataset(folder / "records.jsonl") == EXPECTED


def test_a_dataset_of_somebody_elses_may_have_that_name(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text('{"question": "س"}\n', encoding="utf-8")
    assert load_evaluation_dataset(path)[0].question == "س"


def test_the_last_output_of_a_sample_counts(folder: Path) -> None:
    with (folder / "records.jsonl").open("a", encoding="utf-8") as file:
        again = PipelineOutput(answer="جدة")
        file.write(line(kind="output", key="k0", position=0, sample=encode(SAMPLES[0]), output=encode(again)))
    assert [sample.recorded and sample.recorded.answer for sample in load_evaluation_dataset(folder)] == [
        "جدة",
        "",
        None,
    ]


@pytest.mark.parametrize("torn", ['{"kind": "out', "{", '{"kind": "finished"}', "\x00\x00"])
def test_a_torn_last_line_is_left_out_with_a_warning(folder: Path, torn: str) -> None:
    with (folder / "records.jsonl").open("a", encoding="utf-8") as file:
        file.write(torn)
    dataset = load_evaluation_dataset(folder)
    assert dataset == EXPECTED
    assert "the last line is torn" in dataset.warnings[0]


def test_every_cut_of_the_last_line_can_be_read(folder: Path) -> None:
    path = folder / "records.jsonl"
    data = path.read_bytes()
    start = data.rstrip(b"\n").rfind(b"\n") + 1
    for end in range(start, len(data)):
        path.write_bytes(data[:end])
        dataset = load_evaluation_dataset(folder)
        assert dataset == EXPECTED
        assert any("the run was not finished; it holds 3 outputs" in warning for warning in dataset.warnings)


def test_a_damaged_line_in_the_middle(folder: Path) -> None:
    path = folder / "records.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([lines[0], '{"kind": "out\n', *lines[1:]]), encoding="utf-8")
    with pytest.raises(DatasetFormatError, match=r"records.jsonl: line 2 is damaged.*restore the file"):
        load_evaluation_dataset(folder)


def test_records_that_do_not_begin_with_a_run(tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_text('{"kind": "finished"}\n', encoding="utf-8")
    with pytest.raises(DatasetFormatError, match="the first line does not describe a run"):
        load_evaluation_dataset(tmp_path)


@pytest.mark.parametrize("record", [{"sample": {"sample_id": "a"}, "output": {}}, {"sample": {}, "output": {}}, {}])
def test_an_output_that_cannot_be_read(tmp_path: Path, record: dict[str, Any]) -> None:
    content = line(kind="run", run_id="r") + line(kind="output", key="k", position=0, **record) + line(kind="finished")
    (tmp_path / "records.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(
        DatasetFormatError, match=r"the output of sample 'k' cannot be read.*the version of muffakir_eval"
    ):
        load_evaluation_dataset(tmp_path)


def test_a_run_without_outputs(tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_text(line(kind="run", run_id="r"), encoding="utf-8")
    with pytest.raises(DatasetFormatError, match="there are no rows"):
        load_evaluation_dataset(tmp_path)


@pytest.mark.parametrize(
    ("summary", "warned"), [('{"run_id": "r2"}', True), ('{"run_id": "r1"}', False), ("[]", True), ("{", False)]
)
def test_a_summary_of_another_run_is_warned_of(folder: Path, summary: str, warned: bool) -> None:
    (folder / "summary.json").write_text(summary, encoding="utf-8")
    warnings = load_evaluation_dataset(folder).warnings
    assert [("belongs to the run" in warning and "'r1'" in warning) for warning in warnings] == [True] * warned


@pytest.mark.parametrize(
    ("identity", "match_by"),
    [
        ({"matching": {"match_by": "id"}}, "id"),
        ({"matching": {"match_by": "text"}}, "text"),
        ({"matching": {"match_by": "auto"}}, None),
        ({"matching": {"match_by": ["id"]}}, None),
        ({"matching": "id"}, None),
        (None, None),
    ],
)
def test_chunks_are_compared_as_in_the_run(tmp_path: Path, identity: Any, match_by: str | None) -> None:
    run = RunFolder.open(tmp_path / "run", {"run_id": "r1", "identity": identity})
    run.append_output("k", 0, SAMPLES[0], OUTPUTS[0])
    run.finish({})
    run.close()
    dataset = load_evaluation_dataset(tmp_path / "run")
    assert dataset.match_by == match_by
    assert (f"retrieved chunks are compared as in that run, by {match_by}" in dataset.notes) == (match_by is not None)
