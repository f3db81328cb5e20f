"""The commands ``compare`` and ``gate``: what they print and write, and their exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from muffakir_eval.cli import app
from tests.comparison.recorded import questions, run_of, skipped


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two finished runs of the same questions, and one that measured nothing."""
    rows = questions(20, topic="العمل")
    run_of([0.25] * 20, rows=rows, folder=tmp_path / "old")
    run_of([0.75] * 20, rows=rows, folder=tmp_path / "new")
    run_of([skipped] * 20, rows=rows, folder=tmp_path / "empty")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_compare_prints_a_table(runs: Path) -> None:
    done = call("compare", "old", "new", "--slice-by", "topic", "--margin", "0.02", "--detect", "0.1", "--moved", "2")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "20 questions in common" in done.stdout
    assert "+0.5000" in done.stdout
    assert "B is better" in done.stdout
    assert "العمل" in done.stdout
    assert "السؤال رقم" in done.stdout


def test_compare_writes_its_files_and_prints_json(runs: Path) -> None:
    done = call("compare", "old", "new", "old", "--json", "--save", "out", "--names", "a,b,c", "--metrics", "quality")
    assert done.exit_code == 0
    printed = json.loads(done.stdout)
    assert [run["name"] for run in printed["runs"]] == ["a", "b", "c"]
    assert len(printed["pairs"]) == 3
    assert json.loads((runs / "out" / "comparison.json").read_text(encoding="utf-8")) == printed
    assert "Written to out" in call("compare", "old", "new", "--save", "out").stdout


def test_compare_three_runs_pair_by_pair(runs: Path) -> None:
    text = call("compare", "old", "new", "old", "--lower-is-better", "quality").stdout
    for heading in ("B against A", "C against A", "C against B", "A and C are the same run"):
        assert heading in text
    assert "B is worse" in text


def test_compare_that_can_say_nothing_is_exit_code_3(runs: Path) -> None:
    done = call("compare", "old", "empty", "--metrics", "quality")
    assert (done.exit_code, "Nothing can be said about any metric" in done.stderr) == (3, True)
    assert "B: answer refused (20)" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["old"], "at least two runs"),
        (["old", "gone"], "gone: there is no such folder"),
        (["old", "new", "--metrics", "qualty"], "did you mean 'quality'"),
        (["old", "new", "--slice-by", "topik"], "did you mean 'topic'"),
        (["old", "new", "--detect", "0"], "detect is 0.0"),
        (["old", "new", "--confidence", "95"], "confidence is 95.0"),
        (["old", "new", "--names", "a"], "1 names and 2 runs"),
    ],
)
def test_compare_used_wrongly(runs: Path, arguments: list[str], said: str) -> None:
    done = call("compare", *arguments)
    assert (done.exit_code, said in done.stderr) == (2, True), done.stderr


def test_gate_exit_codes(runs: Path) -> None:
    good = call("gate", "new", "--min", "quality=0.75", "--max", "answer_refusal_rate=0.1")
    assert (good.exit_code, "The gate is passed." in good.stdout, good.stderr) == (0, True, "")
    assert call("gate", "new", "--min", "quality=0.8").exit_code == 1
    assert call("gate", "empty", "--min", "quality=0.8").exit_code == 3
    assert call("gate", "new", "--min", "qualty=0.8").exit_code == 2
    assert call("gate", "gone", "--min", "quality=0.8").exit_code == 2


def test_gate_against_a_baseline(runs: Path) -> None:
    done = call("gate", "old", "--baseline", "new", "--no-significant-drop", "quality, answer_refusal_rate")
    assert (done.exit_code, "no significant drop of quality" in done.stdout) == (1, True)
    assert call("gate", "new", "--baseline", "old", "--no-significant-drop", "quality").exit_code == 0
    assert call("gate", "old", "--baseline", "new", "--max-drop", "quality=0.5").exit_code == 0
    assert call("gate", "old", "--baseline", "new", "--max-drop", "quality=0.49", "--use", "lower").exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "nothing to check"),
        (["--min", "quality"], "METRIC=NUMBER"),
        (["--min", "=0.8"], "METRIC=NUMBER"),
        (["--min", "quality=high"], "--min quality=high: 'high' is no number"),
        (["--min", "quality=80%"], "write 0.8"),
        (["--no-significant-drop", "quality"], "a drop needs a run"),
        (["--min", "quality=0.1", "--use", "upper"], "upper"),
        (["--min", "quality=0.1", "--job-summary"], "GITHUB_STEP_SUMMARY is not set"),
        (["--min", "quality=0.1", "--junit", "gone/gate.xml"], "cannot be written"),
        (["--min", "quality=0.1", "--min-coverage", "90"], "min_coverage is 90"),
    ],
)
def test_gate_used_wrongly(runs: Path, arguments: list[str], said: str) -> None:
    done = call("gate", "new", *arguments)
    assert (done.exit_code, said in done.stderr) == (2, True), done.stderr


def test_gate_writes_what_a_ci_job_shows(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(runs / "summary.md"))
    (runs / "summary.md").write_text("earlier\n", encoding="utf-8")
    files = ("--junit", "gate.xml", "--markdown", "gate.md")
    done = call("gate", "new", "--min", "quality=0.8", *files)
    assert done.exit_code == 1
    assert (runs / "summary.md").read_text(encoding="utf-8") == "earlier\n"  # only when asked
    suite = ElementTree.parse(runs / "gate.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite[0].get("name")) == ("1", "1", "quality >= 0.8")
    markdown = (runs / "gate.md").read_text(encoding="utf-8")
    assert "**FAILED**" in markdown
    assert call("gate", "new", "--min", "quality=0.8", "--job-summary").exit_code == 1
    assert (runs / "summary.md").read_text(encoding="utf-8") == f"earlier\n\n{markdown}"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(runs))
    done = call("gate", "new", "--min", "quality=0.8", "--job-summary")
    assert (done.exit_code, "the job summary cannot be written" in done.stderr) == (2, True)


def test_gate_as_json(runs: Path) -> None:
    done = call("gate", "new", "--min", "quality=0.8", "--json")
    printed = json.loads(done.stdout)
    assert (done.exit_code, printed["passed"], printed["checks"][0]["value"]) == (1, False, 0.75)


@pytest.mark.parametrize("command", ["compare", "gate"])
def test_help(command: str) -> None:
    done = call(command, "--help")
    assert (done.exit_code, f"muffakir-eval {command}" in done.stdout) == (0, True)
