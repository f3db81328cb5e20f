"""``muffakir-eval report``: files of a run that was made before."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from muffakir_eval import MuffakirEvaluation, compare_runs, load_evaluation_dataset
from muffakir_eval.audit.index import audit_index
from muffakir_eval.cli import app
from muffakir_eval.storage.report_files import REPORT_FILES

TEXT = "يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا بأجر كامل."
ROWS = [{"question": f"س{n}", "answer": "ج", "context": TEXT} for n in range(3)]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    settings: dict[str, Any] = {"metrics": ["recall", "mrr"], "progress": False}
    MuffakirEvaluation(settings).evaluate(
        lambda question: ("جواب", [TEXT]), ROWS, save=True, output_dir=tmp_path / "run"
    )
    return tmp_path / "run"


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["report", *arguments])


def before(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_page_is_made_beside_the_files_of_the_run(run: Path) -> None:
    was = before(run)
    done = call(str(run))
    assert (done.exit_code, done.stdout) == (0, f"Written to {run / 'report.html'}\n")
    page = (run / "report.html").read_text(encoding="utf-8")
    assert 'dir="rtl"' in page
    assert json.loads(was["summary.json"])["run_id"] in page
    now = before(run)
    assert now.keys() - was.keys() == {"report.html"}
    assert {name: content for name, content in now.items() if name != "report.html"} == was


def test_other_formats_go_into_another_folder(run: Path, tmp_path: Path) -> None:
    was = before(run)
    done = call(str(run), "-f", "xlsx,markdown,jsonl,csv", "--output", str(tmp_path / "out"), "--language", "en")
    assert done.exit_code == 0
    assert before(run) == was
    out = before(tmp_path / "out")
    assert out.keys() == {"samples.xlsx", "report.md", "samples.jsonl", "samples.csv"}
    assert out["samples.csv"] == was["samples.csv"]
    assert b"# Evaluation" in out["report.md"]
    for name in ("samples.xlsx", "samples.jsonl"):
        assert [sample.question for sample in load_evaluation_dataset(tmp_path / "out" / name)] == ["س0", "س1", "س2"]


def test_the_page_is_shown_on_demand(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def remember(address: str) -> bool:
        opened.append(address)
        return len(opened) == 1

    monkeypatch.setattr(webbrowser, "open", remember)
    assert call(str(run), "--format", "md", "--open").exit_code == 0
    assert opened == [(run / "report.md").as_uri()]
    again = call(str(run), "--format", "md", "--open")
    assert (again.exit_code, "by hand" in again.stderr) == (0, True)


def test_a_file_of_the_users_is_not_replaced(run: Path, tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text("my notes", encoding="utf-8")
    done = call(str(run), "--format", "md", "--output", str(tmp_path))
    assert (done.exit_code, "no run has written" in done.stderr) == (2, True)
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == "my notes"


@pytest.mark.parametrize(
    ("formats", "message"), [("pdf", "html, xlsx, md"), (",", "no format"), ("html,docx", "'docx'")]
)
def test_unknown_formats_are_named(run: Path, formats: str, message: str) -> None:
    done = call(str(run), "--format", formats)
    assert (done.exit_code, message in done.stderr) == (2, True)
    assert not (run / "report.html").exists()


def test_a_comparison_of_runs_has_a_page(run: Path, tmp_path: Path) -> None:
    folder = compare_runs(run, run, names=["قبل", "بعد"]).save(tmp_path / "compared")
    done = call(str(folder), "--language", "ar")
    assert (done.exit_code, done.stdout) == (0, f"Written to {folder / 'report.html'}\n")
    assert 'dir="rtl"' in (folder / "report.html").read_text(encoding="utf-8")
    assert call(str(folder / "comparison.json"), "--output", str(tmp_path / "x")).exit_code == 0
    assert "بعد" in (tmp_path / "x" / "report.html").read_text(encoding="utf-8")
    workbook = call(str(folder), "--format", "html,xlsx")
    assert (workbook.exit_code, "only a page" in workbook.stderr) == (2, True)


def test_an_audit_has_a_page(tmp_path: Path) -> None:
    audit_index([TEXT], ROWS, save=True, output_dir=tmp_path, config={"progress": False})
    assert call(str(tmp_path)).exit_code == 0
    assert (tmp_path / "report.html").is_file()


@pytest.mark.parametrize("name", ["comparison.json", "judges.json", "audit.json"])
@pytest.mark.parametrize(("content", "message"), [("{", "cannot be read"), ("[]", "no object")])
def test_a_damaged_result_is_an_error(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    done = call(str(tmp_path))
    assert (done.exit_code, message in done.stderr) == (2, True)
    assert not (tmp_path / "report.html").exists()


def test_a_result_of_another_version_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "comparison.json").write_text('{"runs": []}', encoding="utf-8")
    done = call(str(tmp_path))
    assert (done.exit_code, "cannot be understood" in done.stderr) == (2, True)


def test_no_run_a_damaged_one_and_files_of_two_runs_are_errors(run: Path, tmp_path: Path) -> None:
    assert "no such folder" in call(str(tmp_path / "gone")).stderr
    assert "holds no run" in call(str(tmp_path)).stderr
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    (run / "summary.json").write_text(json.dumps({**summary, "run_id": "other"}), encoding="utf-8")
    mixed = call(str(run))
    assert (mixed.exit_code, "belongs to the run other" in mixed.stderr) == (2, True)
    (run / "summary.json").write_text("{", encoding="utf-8")
    assert call(str(run)).exit_code == 2


def test_a_table_of_the_users_is_not_replaced(run: Path, tmp_path: Path) -> None:
    mine = tmp_path / "out" / "samples.csv"
    mine.parent.mkdir()
    mine.write_text("question,label\n", encoding="utf-8")
    done = call(str(run), "-f", "csv", "--output", str(mine.parent))
    assert (done.exit_code, "samples.csv" in done.stderr) == (2, True)
    assert mine.read_text(encoding="utf-8") == "question,label\n"


def test_a_page_is_known_as_ours_by_its_first_lines(run: Path, tmp_path: Path) -> None:
    """However much style and data stands before the name of the program is seen again."""
    folder = tmp_path / "comparison"
    compare_runs(run, run, names=["قبل", "بعد"]).save(folder)
    audit_index([{"chunk_id": "a", "text": TEXT}]).save(tmp_path / "audit")
    for place in (run, folder, tmp_path / "audit"):
        assert [call(str(place)).exit_code for _ in range(2)] == [0, 0]
        head = (place / "report.html").read_bytes()[:500]
        assert b'<meta name="generator" content="muffakir-eval">' in head


def test_a_new_run_leaves_no_page_of_the_old_one(run: Path) -> None:
    assert call(str(run), "-f", "html,md,xlsx,jsonl").exit_code == 0
    MuffakirEvaluation({"metrics": ["mrr"], "progress": False}).evaluate(
        lambda question: ("جواب", [TEXT]), ROWS, save=True, output_dir=run
    )
    assert not {path.name for path in run.iterdir()} & set(REPORT_FILES)
