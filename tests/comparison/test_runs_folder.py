"""The folder of a run as a report again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import MuffakirEvaluation, PipelineDownError, check_gate, load_report
from muffakir_eval.errors import StorageError
from tests.comparison.recorded import questions, run_of

EXAMPLE = Path(__file__).resolve().parent.parent.parent / "eval_results" / "example"


def test_a_report_comes_back_as_it_was(tmp_path: Path) -> None:
    rows = questions(6, topic="x")
    report = run_of([0.5, 1.0, 0.25, "fail", "down", 0.0], rows=rows, folder=tmp_path / "run", slice_by=["topic"])
    again = load_report(tmp_path / "run")
    assert again.to_dict() == json.loads(json.dumps(report.to_dict()))
    assert list(again.samples) == list(report.samples)
    assert again.folder == tmp_path / "run"
    assert (again.run_id, again.n_samples, again.summary()) == (report.run_id, 6, report.summary())
    assert again.to_dataframe().equals(report.to_dataframe())
    assert str(again) == str(report)
    again.save(tmp_path / "copy")
    for name in ("summary.json", "samples.csv", "records.jsonl"):
        assert (tmp_path / "copy" / name).read_bytes() == (tmp_path / "run" / name).read_bytes()


@pytest.mark.parametrize("name", ["", "summary.json", "records.jsonl"])
def test_the_folder_may_be_named_by_its_files(tmp_path: Path, name: str) -> None:
    run_of([0.5], folder=tmp_path)
    assert load_report(str(tmp_path / name)).n_samples == 1


def test_the_order_is_that_of_the_dataset_and_the_byte_order_mark_that_of_the_run(tmp_path: Path) -> None:
    report = run_of([0.1, 0.2, 0.3], folder=tmp_path / "run", csv_bom=False)
    lines = (tmp_path / "run" / "records.jsonl").read_text(encoding="utf-8").splitlines()
    (tmp_path / "run" / "records.jsonl").write_text(
        "\n".join([lines[0], *lines[5:7], *lines[3:5], *lines[1:3], lines[7]]) + "\n", encoding="utf-8"
    )
    again = load_report(tmp_path / "run")
    assert [one.scores["quality"].value for one in again.samples] == [0.1, 0.2, 0.3]
    again.save(tmp_path / "copy")
    assert not (tmp_path / "copy" / "samples.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    assert report.n_samples == 3


def test_a_run_that_stopped_early_can_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(PipelineDownError):
        run_of([0.5] * 3 + ["down"] * 5, folder=tmp_path, max_pipeline_errors=2)
    again = load_report(tmp_path)
    assert again.partial
    assert 3 <= again.n_samples < 8


def old(tmp_path: Path) -> Path:
    """A run as it was written before there were intervals and slices."""
    run_of([0.5, 1.0], folder=tmp_path)
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    del summary["slices"], summary["confidence_level"]
    for block in summary["metrics"].values():
        for key in [key for key in block if "interval" in key]:
            del block[key]
    (tmp_path / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    return tmp_path


def test_a_summary_from_before_there_were_intervals(tmp_path: Path) -> None:
    report = load_report(old(tmp_path))
    assert (report.metrics["quality"]["interval"], report.slices) == (None, {})
    assert report.metrics_dataframe()["mean"].tolist() == [0.75]
    assert "quality" in str(report)


def test_the_example_run_of_this_project() -> None:
    report = load_report(EXAMPLE)
    assert report.n_samples == len(report.samples) == 104
    assert report.samples[0].sample.question.startswith("كم يومًا")


def change(folder: Path, name: str, value: Any) -> None:
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    if value is None:
        del summary[name]
    else:
        summary[name] = value
    (folder / "summary.json").write_text(json.dumps(summary), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("k", None, "the key 'k' is missing"),
        ("k", "5", "the key 'k' holds str"),
        ("n_samples", True, "the key 'n_samples' holds bool.*a whole number"),
        ("n_samples", -1, "the key 'n_samples' holds int.*at least 0"),
        ("partial", 1, "the key 'partial' holds int"),
        ("metrics", {"quality": 1}, "the key 'metrics.quality' holds int.*an object"),
        ("metrics", {"quality": {"mean": 1}}, "the key 'metrics.quality.n_scored' is missing"),
        ("refusals", {"table": {"answerable": {"refused": "3"}}}, "'refusals.table.answerable.refused' holds str"),
        ("latency_ms", {"total": 5}, "the key 'latency_ms.total' holds int"),
        ("confidence_level", 95, "the key 'confidence_level' holds int.*between 0 and 1"),
        ("slices", {"topic": [3]}, "the key 'slices.topic.0' holds int"),
        ("usage", {"cost_usd": "free"}, "the key 'usage.cost_usd' holds str"),
        ("error_examples", ["x"], "the key 'error_examples.0' holds str"),
        ("run_id", "other", "belongs to the run other"),
        ("n_samples", 1, "counts 1 finished questions, and records.jsonl holds 2"),
    ],
)
def test_a_damaged_summary(tmp_path: Path, name: str, value: Any, said: str) -> None:
    run_of([0.5, 1.0], folder=tmp_path)
    change(tmp_path, name, value)
    with pytest.raises(StorageError, match=said):
        load_report(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "cannot be read"),
        ("[]", "the file holds list"),
        ('{"k": NaN}', "NaN is no number"),
        ('{"k": 1e999}', "1e999 is no number"),
        ("[" * 100_000, "cannot be read"),
        (b"\xff", "cannot be read"),
    ],
)
def test_a_summary_that_is_no_json(tmp_path: Path, content: Any, said: str) -> None:
    run_of([0.5], folder=tmp_path)
    (tmp_path / "summary.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(StorageError, match=said):
        load_report(tmp_path)


def test_missing_and_damaged_records(tmp_path: Path) -> None:
    run_of([0.5, 1.0], folder=tmp_path / "run")
    records = tmp_path / "run" / "records.jsonl"
    content = records.read_text(encoding="utf-8")
    records.write_text(content.replace('"question": "السؤال رقم 1"', '"question": 7'), encoding="utf-8")
    with pytest.raises(StorageError, match="cannot be understood"):
        load_report(tmp_path / "run")
    records.write_text(content.replace('{"kind": "result"', "{kind", 1), encoding="utf-8")
    with pytest.raises(StorageError, match="line 3 is damaged"):
        load_report(tmp_path / "run")
    records.write_text("", encoding="utf-8")
    with pytest.raises(StorageError, match="the records are empty"):
        load_report(tmp_path / "run")
    records.unlink()
    with pytest.raises(StorageError, match="the records cannot be read"):
        load_report(tmp_path / "run")
    shutil.rmtree(tmp_path / "run")
    with pytest.raises(StorageError, match="there is no such folder"):
        load_report(tmp_path / "run")
    (tmp_path / "run").write_text("", encoding="utf-8")
    with pytest.raises(StorageError, match="this is no folder"):
        load_report(tmp_path / "run")


def test_a_run_without_a_summary_was_interrupted(tmp_path: Path) -> None:
    run_of([0.5], folder=tmp_path)
    (tmp_path / "summary.json").unlink()
    with pytest.raises(StorageError, match="start the same run again"):
        load_report(tmp_path)


def test_questions_that_the_records_no_longer_hold(tmp_path: Path) -> None:
    rag = MuffakirEvaluation({"metrics": ["recall"], "progress": False})
    rag.evaluate(lambda question: ["نص"], [{"question": "س", "context": "نص"}] * 2, save=True, output_dir=tmp_path)
    lines = (tmp_path / "records.jsonl").read_text(encoding="utf-8").splitlines()
    (tmp_path / "records.jsonl").write_text("\n".join([*lines[:3], lines[-1]]) + "\n", encoding="utf-8")
    with pytest.raises(StorageError, match="holds 1"):
        load_report(tmp_path)


def test_what_older_versions_did_not_write_does_no_harm(tmp_path: Path) -> None:
    run_of([0.5, 1.0], rows=questions(2, topic="أ"), folder=tmp_path, slice_by=["topic"])
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    for name in ("warnings", "error_examples", "confidence_level", "usage", "judge", "dataset", "n_planned"):
        summary[name] = None
    for block in (summary["metrics"]["quality"], summary["slices"]["topic"][0]["metrics"]["quality"]):
        del block["interval"], block["reason"]
    del summary["slices"]["topic"][0]["value"]
    (tmp_path / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    report = load_report(tmp_path)
    assert report.metrics["quality"]["interval"] is None
    assert "By topic" in str(report)
    assert check_gate(tmp_path, "quality >= 0.5", "answer_refusal_rate <= 0.9").passed


def test_counts_that_contradict_each_other(tmp_path: Path) -> None:
    run_of([0.5, 1.0], folder=tmp_path)
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    summary["refusals"]["table"]["answerable"]["error"] = 7
    (tmp_path / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    with pytest.raises(StorageError, match="counts 7 of 2 for pipeline_error_rate"):
        check_gate(tmp_path, "pipeline_error_rate <= 1")
