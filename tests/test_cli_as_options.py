"""Advice in the options of the command line instead of Python's arguments."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from muffakir_eval.cli import app
from muffakir_eval.cli.as_options import as_options, notes_as_options


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pass column_mapping={\"context\": 'النص'} (or another)", "pass --map context=النص (or another)"),
        ('pass column_mapping={"context": "it\'s"}', "pass --map 'context=it'\"'\"'s'"),
        ("pass column_mapping={\"q\": 'a\\\\b'}", "pass --map 'q=a\\b'"),
        ("column_mapping={'q': 'a', 'b': 'c'}", "column_mapping={'q': 'a', 'b': 'c'}"),
        ("column_mapping names no field", "column_mapping names no field"),
    ],
)
def test_one_column(text: str, expected: str) -> None:
    assert as_options(text) == expected


def test_notes_on_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with notes_as_options():
        print("pass column_mapping={\"answer\": 'ج'}", file=sys.stderr)
        assert not sys.stderr.isatty()
    assert sys.stderr is stream
    assert stream.getvalue() == "pass --map answer=ج\n"


def test_without_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with notes_as_options():
        assert sys.stderr is None


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    passages = [{"chunk_id": f"c{n}", "text": f"نص المادة {n} من النظام"} for n in range(1, 4)]
    questions = [
        {"السؤال": f"ما نص المادة {n}؟", "الإجابة": f"نص المادة {n} من النظام", "chunk_id": f"c{n}"}
        for n in range(1, 4)
    ]
    for name, rows in (("corpus", passages), ("questions", questions)):
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        ["run", "questions.jsonl", "--retriever", "bm25", "--corpus", "corpus.jsonl", "--metrics", "hit_rate"],
        [
            "run",
            "questions.jsonl",
            "--retriever",
            "bm25",
            "--corpus",
            "corpus.jsonl",
            "--metrics",
            "hit_rate",
            "--json",
        ],
        ["validate", "questions.jsonl"],
    ],
)
def test_notes_of_a_command(work: Path, command: list[str]) -> None:
    done = CliRunner().invoke(app, command)
    shown = done.stderr if "--json" in command else done.output
    assert "pass --map predicted_answer=الإجابة" in " ".join(shown.split()), done.output
    assert "column_mapping=" not in shown


def test_an_error_of_a_command(work: Path) -> None:
    row = {"question": "؟", "الإجابة": "شهر", "answer": "شهر", "الجواب الصحيح": "شهر"}
    Path("two.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["validate", "two.jsonl"])
    assert (done.exit_code, "pass --map predicted_answer=الإجابة (or another of them)" in done.stderr) == (2, True)
    assert "column_mapping" not in done.stderr
