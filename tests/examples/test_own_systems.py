"""The examples of systems, recorded answers and gates run as they stand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from openpyxl import load_workbook

from tests.examples.programs import run, run_with_code


def summary(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "summary.json").read_text(encoding="utf-8")))


def test_an_object_and_a_coroutine_function_are_evaluated_and_compared(tmp_path: Path) -> None:
    printed = run("own_pipeline.py", "out", folder=tmp_path)
    one, other = summary(tmp_path / "out" / "ask"), summary(tmp_path / "out" / "async")
    assert one["n_samples"] == other["n_samples"] == 104
    assert 0.6 < other["summary"]["recall_at_k"] < one["summary"]["recall_at_k"] < 0.9
    assert one["errors"] == other["errors"] == {}
    assert "not distinguishable" in printed


def test_a_workbook_of_answers_is_read_as_it_was_sent(tmp_path: Path) -> None:
    run("recorded_answers.py", folder=tmp_path)
    book = load_workbook(tmp_path / "eval_results" / "answers.xlsx")
    assert book.sheetnames[0] == "الأسئلة" and book["الأسئلة"].max_row == 41
    found = summary(tmp_path / "eval_results" / "recorded_answers")
    assert found["pipeline"]["pipeline_id"] == "recorded"
    mapping = found["dataset"]["mapping"]
    assert mapping["question"] == "السؤال" and mapping["contexts"] == "نص الدليل"
    assert mapping["predicted_answer"] == "رد النظام" and mapping["retrieved_contexts"] == "المقاطع المسترجعة"
    assert found["metrics"]["recall_at_k"]["n_scored"] == 36
    assert 0.4 < found["summary"]["recall_at_k"] < 0.9


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    row = {"question": "؟", "نص الدليل": "نص الدليل هنا", "answer": "نعم", "response": "نعم", "retrieved_contexts": []}
    (tmp_path / "mine.jsonl").write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    run("recorded_answers.py", "mine.jsonl", "out", folder=tmp_path)
    assert summary(tmp_path / "out")["summary"] == {
        "recall_at_k": 0.0,
        "mrr": 0.0,
        "context_recall_lexical": 0.0,
        "token_f1": 1.0,
    }


def test_the_gate_passes_and_holds_the_baseline(tmp_path: Path) -> None:
    assert "The gate is passed." in run("ci_gate.py", "main", folder=tmp_path)
    printed = run("ci_gate.py", "change", "--baseline", "main", folder=tmp_path)
    assert len(re.findall(r"^ok ", printed, flags=re.MULTILINE)) == 6
    code, _, complaint = run_with_code("ci_gate.py", "change", "--baseline", "nothing", folder=tmp_path)
    assert code == 2 and "nothing" in complaint and "Traceback" not in complaint


def test_the_shell_version_of_the_gate(tmp_path: Path) -> None:
    assert "The gate is passed." in run("ci_gate.sh", "out", folder=tmp_path)
    report = ElementTree.parse(tmp_path / "out" / "gate.xml").getroot()
    assert len(list(report.iter("testcase"))) == 3
