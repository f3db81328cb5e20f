"""The report: readable as long as anybody keeps it, saved wherever it does no harm."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import EvaluationReport, MuffakirEvaluation, PipelineDownError, load_evaluation_dataset
from muffakir_eval.errors import RunExistsError
from muffakir_eval.storage.open_files import LIMIT

TEXT = "يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا بأجر كامل."
ROWS = [{"question": f"س{n}", "answer": "ج", "context": TEXT} for n in range(3)]


def suite(**settings: Any) -> MuffakirEvaluation:
    return MuffakirEvaluation({"metrics": ["recall", "mrr"], "progress": False, **settings})


def evaluated(answer: str = "جواب", **options: Any) -> EvaluationReport:
    return suite().evaluate(lambda question: (answer, [TEXT]), ROWS, **options)


def answers(report: EvaluationReport) -> set[str | None]:
    return {result.output.answer for result in report.samples}


def kinds(folder: Path) -> list[str]:
    lines = (folder / "records.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["kind"] for line in lines]


def test_the_reference_pages_own_code_runs_on_a_report_without_judged_metrics(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = evaluated()
    for metric, score in report.summary().items():
        print(f"  {metric}: {score:.4f}")
    summary = report.summary()
    print(f"Overall Recall@5: {summary.get('recall_at_k', 0):.2%}")
    print(f"Overall Faithfulness: {summary.get('faithfulness', 0):.2%}")
    df = report.to_dataframe()
    hallucinated = df[df["faithfulness"] == 0.0]
    print(f"Found {len(hallucinated)} hallucinated responses:")
    for _, row in hallucinated.iterrows():
        print(f"Context snippet: {row['gold_context'][:100]}...\n")
    print(f"Mean Pipeline Latency: {df['pipeline_latency_ms'].mean():.1f} ms")
    print(f"Mean Judge Overhead:   {df['evaluation_overhead_ms'].mean():.1f} ms")
    said = capsys.readouterr().out.splitlines()
    assert said[:5] == [
        "  recall_at_k: 1.0000",
        "  mrr: 1.0000",
        "Overall Recall@5: 100.00%",
        "Overall Faithfulness: 0.00%",
        "Found 0 hallucinated responses:",
    ]
    assert repr(report) == "EvaluationReport(n=3, k=5)\n  recall_at_k=1.0000\n  mrr=1.0000"


def test_the_frame_has_the_same_types_whatever_the_run_found() -> None:
    full, empty = evaluated().to_dataframe(), suite(dry_run=True).evaluate(lambda question: "", ROWS).to_dataframe()
    missed = suite().evaluate(lambda question: ("ج", []), ROWS).to_dataframe()
    names = [
        "recall_at_k",
        "faithfulness",
        "llm_judge_rating",
        "latency_ms",
        "answer_refusal",
        "answerable",
        "first_relevant_rank",
    ]
    for frame in (full, empty, missed):
        assert [str(frame[name].dtype) for name in names] == [
            "float64",
            "float64",
            "Int64",
            "float64",
            "boolean",
            "boolean",
            "Int64",
        ]
    assert list(full.columns) == list(empty.columns) == list(missed.columns)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no list of open files on this system")
@pytest.mark.parametrize("save", [True, False])
def test_hundreds_of_reports_can_be_kept(tmp_path: Path, save: bool) -> None:
    gc.collect()
    before = len(list(Path("/proc/self/fd").iterdir()))
    reports = [evaluated(f"جواب {n}", save=save, output_dir=tmp_path if save else None) for n in range(4 * LIMIT)]
    assert len(list(Path("/proc/self/fd").iterdir())) < before + LIMIT + 8
    assert [answers(report) for report in reports] == [{f"جواب {n}"} for n in range(4 * LIMIT)]


@pytest.mark.parametrize("save", [True, False])
def test_a_report_can_be_copied_and_pickled_and_outlives_its_folder(tmp_path: Path, save: bool) -> None:
    report = evaluated(save=save, output_dir=tmp_path / "run")
    copies = [copy.copy(report), copy.deepcopy(report)]
    pickled = pickle.dumps(report)
    assert answers(report) == {"جواب"}
    evaluated("جديد", save=save, output_dir=tmp_path / "run")
    shutil.rmtree(tmp_path / "run", ignore_errors=True)
    for again in (report, *copies, pickle.loads(pickled)):
        assert answers(again) == {"جواب"}
        assert again.summary() == {"recall_at_k": 1.0, "mrr": 1.0}
        assert again.save(tmp_path / "saved") == tmp_path / "saved"
        assert answers(again) == {"جواب"}
    assert [s.recorded.answer for s in load_evaluation_dataset(tmp_path / "saved") if s.recorded] == ["جواب"] * 3


def test_what_a_report_gives_away_can_be_changed_without_changing_it() -> None:
    report = evaluated()
    report.metrics["mrr"]["mean"] = 7
    report.to_dict()["metrics"]["mrr"]["mean"] = 7
    report.summary()["mrr"] = 7
    assert report.metrics["mrr"]["mean"] == report.summary()["mrr"] == 1.0


def test_the_folder_is_where_it_was_saved_first(tmp_path: Path) -> None:
    report = evaluated()
    assert report.folder is None
    report.save(tmp_path / "a")
    report.save(str(tmp_path / "b"))
    assert report.folder == tmp_path / "a"


def stopped(folder: Path, **settings: Any) -> EvaluationReport:
    def rag(question: str) -> tuple[str, list[str]]:
        if question != "س0":
            raise ConnectionError
        return "جواب", [TEXT]

    with pytest.raises(PipelineDownError) as caught:
        suite(max_pipeline_errors=2, pipeline_id="rag", **settings).evaluate(rag, ROWS, save=True, output_dir=folder)
    report = caught.value.report
    assert isinstance(report, EvaluationReport)
    return report


def test_a_report_of_a_run_that_stopped_is_saved_as_one_that_stopped(tmp_path: Path) -> None:
    report = stopped(tmp_path / "a")
    report.save(tmp_path / "b")
    report.save(tmp_path / "b")
    assert "finished" not in kinds(tmp_path / "b")
    before = (tmp_path / "a" / "records.jsonl").read_bytes()
    report.save(tmp_path / "a")
    assert (tmp_path / "a" / "records.jsonl").read_bytes() == before
    asked: list[str] = []

    def works(question: str) -> tuple[str, list[str]]:
        asked.append(question)
        return "جواب", [TEXT]

    resumed = suite(pipeline_id="rag").evaluate(works, ROWS, save=True, output_dir=tmp_path / "b")
    assert asked == ["س1", "س2"]
    assert (resumed.partial, resumed.n_samples, kinds(tmp_path / "b")[-1]) == (False, 3, "finished")


def test_an_unfinished_run_of_somebody_else_is_not_saved_over(tmp_path: Path) -> None:
    stopped(tmp_path)
    before = (tmp_path / "records.jsonl").read_bytes()
    with pytest.raises(RunExistsError, match="another folder"):
        evaluated().save(tmp_path)
    assert (tmp_path / "records.jsonl").read_bytes() == before


def test_a_run_that_stopped_before_its_first_question_has_whole_files(tmp_path: Path) -> None:
    def rag(question: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        suite().evaluate(rag, ROWS, save=True, output_dir=tmp_path)
    assert "0 of 3 questions are done and kept in" in "".join(caught.value.__notes__)
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert (summary["partial"], summary["n_samples"], summary["summary"]) == (True, 0, {})
    assert summary["metrics"]["mrr"]["reason"] == "no_samples"
    assert summary["refusals"]["rate"] is None
    assert len((tmp_path / "samples.csv").read_bytes().splitlines()) == 1
    rates = json.loads((tmp_path / "error_rates.json").read_text(encoding="utf-8"))
    assert (rates["attempts"], rates["error_rates"], rates["answer_refusal_rate"]) == (0, {}, None)


def test_printing_asks_the_terminal_what_it_can_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ascii:
        encoding = "ascii"

    report, plan = evaluated(), suite(dry_run=True).evaluate(lambda question: "", ROWS, save=True, output_dir="خرج")
    monkeypatch.setattr(sys, "stdout", Ascii())
    assert str(report).isascii()
    assert "????" not in str(report)
    assert "folder     ???" in str(plan)
