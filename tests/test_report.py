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

from muffakir_eval import (
    EvaluationReport,
    MuffakirEvaluation,
    PipelineDownError,
    load_evaluation_dataset,
    load_report,
)
from muffakir_eval.errors import ConfigError, RunExistsError, StorageError
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


FURTHER = {"report.html", "report.md", "samples.xlsx", "samples.jsonl"}


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {".lock"}


def test_further_files_are_saved_beside_the_others(tmp_path: Path) -> None:
    report = evaluated()
    usual = names(report.save(tmp_path / "a"))
    assert usual == {"summary.json", "samples.csv", "error_rates.json", "run_config.yaml", "records.jsonl"}
    assert names(report.save(tmp_path / "b", html=True, xlsx=True, markdown=True, jsonl=True)) == usual | FURTHER
    assert names(report.save(tmp_path / "c", html=True)) == usual | {"report.html"}
    assert report.run_id.encode() in (tmp_path / "b" / "report.html").read_bytes()
    assert "report.html" not in (report.export("md", output_dir=tmp_path / "d")[0]).read_text(encoding="utf-8")
    for name in ("samples.xlsx", "samples.jsonl", "samples.csv"):
        recorded = [sample.recorded for sample in load_evaluation_dataset(tmp_path / "b" / name)]
        assert [output.answer for output in recorded if output] == ["جواب"] * 3


def test_saving_again_keeps_the_pages_of_this_run_and_no_others(tmp_path: Path) -> None:
    report, other = evaluated(), evaluated("آخر")
    report.save(tmp_path, html=True, markdown=True, xlsx=True, jsonl=True)
    report.save(tmp_path)
    assert names(tmp_path) >= FURTHER
    other.save(tmp_path)
    assert not names(tmp_path) & FURTHER


def test_a_page_of_somebody_elses_is_not_replaced_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text("my notes", encoding="utf-8")
    with pytest.raises(RunExistsError, match="no run has written"):
        evaluated().save(tmp_path, markdown=True)
    assert names(tmp_path) == {"report.md"}
    evaluated().save(tmp_path)
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == "my notes"


def test_single_files_are_exported_without_the_rest(tmp_path: Path) -> None:
    report = evaluated()
    with pytest.raises(StorageError, match="not saved"):
        report.export("md")
    assert report.export("md", "csv", output_dir=tmp_path / "x", language="en") == [
        tmp_path / "x" / "report.md",
        tmp_path / "x" / "samples.csv",
    ]
    assert names(tmp_path / "x") == {"report.md", "samples.csv"}
    assert "# Evaluation" in (tmp_path / "x" / "report.md").read_text(encoding="utf-8")
    report.save(tmp_path / "run")
    assert report.export("jsonl") == [tmp_path / "run" / "samples.jsonl"]
    with pytest.raises(ConfigError, match="pdf"):
        report.export("md", "pdf")


def test_a_rehearsal_exports_nothing(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="dry run"):
        suite(dry_run=True).evaluate(lambda question: "", ROWS).export("md", output_dir=tmp_path)


def test_the_configuration_may_ask_for_further_files_of_every_saved_run(tmp_path: Path) -> None:
    wanted = suite(report_formats=["md", "jsonl"])
    report = wanted.evaluate(lambda question: ("جواب", [TEXT]), ROWS, save=True, output_dir=tmp_path)
    assert names(tmp_path) >= {"report.md", "samples.jsonl"}
    assert report.run_id in (tmp_path / "report.md").read_text(encoding="utf-8")
    unsaved = wanted.evaluate(lambda question: ("جواب", [TEXT]), ROWS)
    assert unsaved.folder is None
    assert any("report_formats" in note for note in unsaved.notes)


def test_a_run_whose_page_cannot_be_written_is_kept_and_told(tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text("my notes", encoding="utf-8")
    with pytest.raises(RunExistsError) as caught:
        suite(report_formats="md").evaluate(lambda question: ("جواب", [TEXT]), ROWS, save=True, output_dir=tmp_path)
    assert isinstance(caught.value.report, EvaluationReport)
    assert any(str(tmp_path) in note for note in caught.value.__notes__)
    assert answers(load_report(tmp_path)) == {"جواب"}


def test_a_page_about_the_first_part_of_a_run_goes_when_the_run_is_finished(tmp_path: Path) -> None:
    stopped(tmp_path)
    load_report(tmp_path).export("md")
    assert "report.md" in names(tmp_path)
    settings = {"pipeline_id": "rag", "max_pipeline_errors": 2}
    suite(**settings).evaluate(lambda question: ("جواب", [TEXT]), ROWS, save=True, output_dir=tmp_path)
    assert "report.md" not in names(tmp_path)
    assert not load_report(tmp_path).partial


def test_the_settings_in_the_folder_start_the_same_run(tmp_path: Path) -> None:
    first = suite(k=2, match_by="text").evaluate(
        lambda question: ("جواب", [TEXT]), ROWS, save=True, output_dir=tmp_path
    )
    again = MuffakirEvaluation(tmp_path / "run_config.yaml").evaluate(lambda question: ("جواب", [TEXT]), ROWS)
    assert again.k == 2
    assert again.to_dict()["matching"] == first.to_dict()["matching"]
    saved = load_report(tmp_path).save(tmp_path / "copy")
    assert (saved / "run_config.yaml").read_bytes() == (tmp_path / "run_config.yaml").read_bytes()


def test_a_run_of_a_version_that_kept_no_settings_is_saved_without_them(tmp_path: Path) -> None:
    report = evaluated(save=True, output_dir=tmp_path / "run")
    summary = {name: value for name, value in report.to_dict().items() if name not in ("config", "config_given")}
    (tmp_path / "run" / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    assert "run_config.yaml" not in names(load_report(tmp_path / "run").save(tmp_path / "copy"))


def test_a_config_of_the_users_own_is_no_business_of_ours(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("mine: true\n", encoding="utf-8")
    evaluated(save=True, output_dir=tmp_path)
    assert (tmp_path / "config.yaml").read_text(encoding="utf-8") == "mine: true\n"


def test_half_a_character_is_no_obstacle_for_a_frame() -> None:
    evaluator = MuffakirEvaluation({"metrics": ["recall"], "progress": False})
    report = evaluator.evaluate(lambda question: ["نص \ud83d"], [{"question": "سؤال \ud83d", "context": "نص"}])
    assert report.to_dataframe()["question"].to_list() == ["سؤال \ud83d"]
