"""A run that is interrupted, that cannot be written, or whose code fails: what is said and what is kept."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import threading
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import MetricError, MuffakirEvaluation, StorageError
from muffakir_eval.evaluation import settled
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.records import Pipeline, PipelineOutput, Sample

TEXT = "يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا بأجر كامل."
ROWS = [{"question": f"س{n}", "context": TEXT} for n in range(4)]


def suite(**settings: Any) -> MuffakirEvaluation:
    return MuffakirEvaluation({"metrics": ["recall"], "progress": False, "pipeline_id": "rag", **settings})


class Counting:
    """A pipeline that counts its calls, and may stop the run."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.asked: list[str] = []
        self.stop_after = stop_after

    def __call__(self, question: str) -> tuple[str, list[str]]:
        if len(self.asked) == self.stop_after:
            raise KeyboardInterrupt
        self.asked.append(question)
        return "جواب", [TEXT]


def summary(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "summary.json").read_text(encoding="utf-8")))


def test_an_interruption_says_what_is_kept_where_and_how_to_go_on(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        suite().evaluate(Counting(2), ROWS, save=True, output_dir=tmp_path)
    (note,) = caught.value.__notes__
    assert note.startswith(f"2 of 4 questions are done and kept in {tmp_path / 'records.jsonl'}; start the same run")


def test_without_saving_the_kept_part_can_be_gone_on_with_as_the_note_says(tmp_path: Path) -> None:
    evaluator = suite(cache_dir=tmp_path)
    with pytest.raises(KeyboardInterrupt) as caught:
        evaluator.evaluate(Counting(2), ROWS)
    (note,) = caught.value.__notes__
    folder = note.partition("output_dir='")[2].partition("'")[0]
    rest = Counting()
    report = evaluator.evaluate(rest, ROWS, save=True, output_dir=folder)
    assert (rest.asked, report.n_samples) == (["س2", "س3"], 4)


def test_without_saving_and_without_a_finished_question_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        suite(cache_dir=tmp_path).evaluate(Counting(0), ROWS)
    assert caught.value.__notes__ == ["0 of 4 questions are done, and nothing is kept"]
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_cancelled_evaluation_writes_its_partial_report(tmp_path: Path) -> None:
    async def waits(question: str) -> list[str]:
        if question == "س2":
            await asyncio.sleep(60)
        return [TEXT]

    async def main() -> None:
        async with asyncio.timeout(0.5):
            await suite(max_concurrency=1).aevaluate(waits, ROWS, save=True, output_dir=tmp_path)

    with pytest.raises(TimeoutError):
        asyncio.run(main())
    assert (summary(tmp_path)["partial"], summary(tmp_path)["n_samples"]) == (True, 2)


def test_an_error_of_our_own_says_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match = ChunkMatcher.match

    def broken(self: ChunkMatcher, chunks: Any, sample: Sample) -> Any:
        if sample.question == "س1":
            raise ZeroDivisionError
        return match(self, chunks, sample)

    monkeypatch.setattr(ChunkMatcher, "match", broken)
    with pytest.raises(ZeroDivisionError) as caught:
        suite().evaluate(Counting(), ROWS, save=True, output_dir=tmp_path)
    assert "1 of 4 questions are done and kept in" in caught.value.__notes__[0]
    monkeypatch.undo()
    rest = Counting()
    suite().evaluate(rest, ROWS, save=True, output_dir=tmp_path)
    assert rest.asked == ["س2", "س3"], "the answer to the second question was on disk already"


def unwritable(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A program keeps the file ``name`` open, as Excel does on Windows."""
    real = Path.replace

    def replace(source: Path, target: Path) -> Path:
        if Path(target).name == name:
            raise OSError(16, "Device or resource busy")
        return real(source, target)

    monkeypatch.setattr(Path, "replace", replace)


@pytest.mark.parametrize("name", ["samples.csv", "summary.json"])
def test_p50_a_file_that_cannot_be_written_at_the_end_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    unwritable(monkeypatch, name)
    with pytest.raises(StorageError) as caught:
        suite().evaluate(Counting(), ROWS, save=True, output_dir=tmp_path)
    for part in (name, "busy", "close the program", "4 of 4 questions are done", "could not be written"):
        assert part in str(caught.value)
    report: Any = caught.value.report
    assert (report.n_samples, report.summary()) == (4, {"recall_at_k": 1.0})
    monkeypatch.undo()
    rest = Counting()
    assert suite().evaluate(rest, ROWS, save=True, output_dir=tmp_path).n_samples == 4
    assert (rest.asked, summary(tmp_path)["partial"]) == ([], False)


def test_p50_a_finished_run_that_cannot_be_moved_into_place_is_moved_by_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = suite().evaluate(Counting(), ROWS, save=True, output_dir=tmp_path)
    real = Path.replace

    def replace(source: Path, target: Path) -> Path:
        if Path(target) == tmp_path / "samples.csv":
            raise OSError(16, "Device or resource busy")
        return real(source, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(StorageError, match=r"busy.*the run is finished and lies in .*\.next") as caught:
        suite().evaluate(Counting(), ROWS, save=True, output_dir=tmp_path)
    report: Any = caught.value.report
    assert (report.partial, len(list(report.samples))) == (False, 4)
    assert summary(tmp_path)["run_id"] == first.run_id
    monkeypatch.undo()
    rest = Counting()
    moved = suite().evaluate(rest, ROWS, save=True, output_dir=tmp_path)
    assert (rest.asked, moved.run_id, summary(tmp_path)["run_id"]) == ([], report.run_id, report.run_id)
    assert not (tmp_path / ".next").exists()


def test_records_with_other_scores_are_damaged(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        suite().evaluate(Counting(2), ROWS, save=True, output_dir=tmp_path)
    path = tmp_path / "records.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"recall_at_k": {', '"recall_at_q": {'), encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(StorageError, match="other scores than this run: recall_at_q") as caught:
        suite().evaluate(Counting(), ROWS, save=True, output_dir=tmp_path)
    assert caught.value.report is None
    assert path.read_bytes() == before


def test_the_pipeline_may_change_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()

    def moves(question: str) -> list[str]:
        os.chdir(tmp_path / "elsewhere")
        return [TEXT]

    report = suite().evaluate(moves, ROWS, save=True, output_dir="runs/one")
    assert report.folder == Path("runs/one")
    assert (tmp_path / "runs" / "one" / "summary.json").exists()
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert len(list(report.samples)) == 4


def test_metadata_that_cannot_be_written_down_cost_no_answer(tmp_path: Path) -> None:
    circle: dict[str, Any] = {}
    circle["self"] = circle
    odd = {"س0": circle, "س1": {"n": 10**5000}, "س2": {"fine": 1}}

    def call(sample: Sample, k: int) -> PipelineOutput:
        if sample.question == "س3":
            return PipelineOutput(answer="جواب", stage_timings_ms=circle)
        return PipelineOutput(answer="جواب", chunks=(), metadata=odd[sample.question])

    pipeline = Pipeline(pipeline_id="odd", call=call, execution="inline")
    report = suite().evaluate(pipeline, ROWS, save=True, output_dir=tmp_path)
    said = [result.output for result in report.samples]
    assert [output.answer for output in said] == ["جواب", "جواب", "جواب", None]
    assert [list(output.metadata) for output in said] == [["left_out"], ["left_out"], ["fine"], []]
    assert "cannot be written down" in str(said[3].error)


def test_recorded_outputs_are_never_down() -> None:
    said = PipelineOutput(answer="ج", chunks=())
    samples = [
        Sample(sample_id=str(n), question=f"س{n}", contexts=(TEXT,), recorded=None if n else said) for n in range(30)
    ]
    report = suite(max_pipeline_errors=3).evaluate(None, samples)
    assert report.metrics["recall_at_k"]["reasons"] == {"pipeline_error": 29}
    assert report.to_dict()["latency_ms"]["pipeline"]["n"] == 0


def test_a_home_that_cannot_be_written_does_not_stop_an_evaluation_that_saves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    assert suite().evaluate(Counting(), ROWS).n_samples == 4
    assert [path.name for path in tmp_path.iterdir()] == ["muffakir-eval"]


def test_a_dataset_of_the_callers_thread_is_read_in_it() -> None:
    caller = threading.get_ident()

    def rows() -> Any:
        assert threading.get_ident() == caller
        yield from ROWS

    assert suite().evaluate(Counting(), rows()).n_samples == 4


def test_a_metric_cannot_take_the_name_of_a_column_of_ours() -> None:
    def run_id(trial: Any) -> float:
        return 1.0

    with pytest.raises(MetricError, match=r"run_id.*rename"):
        suite(metrics=["recall", run_id]).evaluate(Counting(), ROWS)


def test_a_package_that_is_not_installed_has_no_version_and_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(settled, "version", missing)
    assert suite().evaluate(Counting(), ROWS).to_dict()["versions"]["muffakir-eval"] == "unknown"
