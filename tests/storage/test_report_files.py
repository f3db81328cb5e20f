"""Files that are made of a run: known as ours, never mistaken for those of another run or of somebody else."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from muffakir_eval.errors import RunExistsError
from muffakir_eval.storage.report_files import REPORT_FILES, refuse_foreign_report, remove_reports


def make(folder: Path, run_id: str) -> None:
    (folder / "report.html").write_text(
        f'<html><meta name="generator" content="muffakir-eval"><title>{run_id}</title>', encoding="utf-8"
    )
    (folder / "report.md").write_text(f"<!-- muffakir-eval {run_id} -->\n", encoding="utf-8")
    (folder / "samples.jsonl").write_text(f'{{"run_id": "{run_id}", "question": "س"}}\n', encoding="utf-8")
    with zipfile.ZipFile(folder / "samples.xlsx", "w") as archive:
        archive.writestr("docProps/core.xml", f"<creator>muffakir-eval</creator><title>{run_id}</title>")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_reports_of_another_run_go_and_those_of_this_one_stay(tmp_path: Path) -> None:
    make(tmp_path, "r1")
    remove_reports(tmp_path, kept="r1")
    assert names(tmp_path) == set(REPORT_FILES)
    remove_reports(tmp_path, kept="r2")
    assert names(tmp_path) == set()


def test_without_a_run_to_keep_all_of_ours_go(tmp_path: Path) -> None:
    make(tmp_path, "r1")
    remove_reports(tmp_path)
    assert names(tmp_path) == set()


@pytest.mark.parametrize("name", sorted(REPORT_FILES))
def test_a_file_of_somebody_elses_is_neither_removed_nor_replaced(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"my own notes on muffakir-eval")
    remove_reports(tmp_path)
    assert path.read_bytes() == b"my own notes on muffakir-eval"
    with pytest.raises(RunExistsError, match="no run has written"):
        refuse_foreign_report(path)


@pytest.mark.parametrize("name", sorted(REPORT_FILES))
def test_ours_and_empty_and_missing_files_may_be_replaced(tmp_path: Path, name: str) -> None:
    refuse_foreign_report(tmp_path / name)
    (tmp_path / name).touch()
    refuse_foreign_report(tmp_path / name)
    make(tmp_path, "r1")
    refuse_foreign_report(tmp_path / name)


def test_other_names_are_no_business_of_ours(tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_text("x", encoding="utf-8")
    refuse_foreign_report(tmp_path / "notes.csv")


def test_the_table_of_a_run_may_be_replaced_and_somebody_elses_may_not(tmp_path: Path) -> None:
    path = tmp_path / "samples.csv"
    path.write_text('\ufeff"question","gold_answer","predicted_answer","retrieved_previews"\r\n', encoding="utf-8")
    refuse_foreign_report(path)
    remove_reports(tmp_path)
    assert path.exists()
    path.write_text("question,label\n", encoding="utf-8")
    with pytest.raises(RunExistsError, match=r"samples\.csv"):
        refuse_foreign_report(path)
