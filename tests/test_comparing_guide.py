"""The guide to comparisons and gates: every block runs, every command works, every verdict is explained."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from typer.testing import CliRunner

from muffakir_eval.cli import app
from muffakir_eval.cli.gate import gate
from muffakir_eval.comparison.gate_figures import figure_of
from muffakir_eval.comparison.runs_findings import Verdict
from muffakir_eval.comparison.runs_folder import read_summary
from muffakir_eval.writers.comparison_lines import REASONS, VERDICTS

GUIDE = (Path(__file__).resolve().parent.parent / "docs" / "comparing.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, flags=re.DOTALL)


def rows(head: str) -> list[list[str]]:
    """The rows of the table whose first line begins so."""
    table = GUIDE[GUIDE.index(f"\n| {head}") + 1 :].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]


def codes(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the blocks have been executed."""
    place = tmp_path_factory.mktemp("guide")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.setattr("builtins.print", lambda *_: None)
        names: dict[str, Any] = {}
        for block in blocks("python"):
            exec(block, names)
    assert names["recall"].verdict == "better"
    assert names["found"]["exact_match"].verdict == "identical"
    assert (names["result"].passed, len(names["result"].checks)) == (True, 3)
    return place


def test_the_python_blocks_write_their_files(folder: Path) -> None:
    assert len(blocks("python")) == 2
    assert {path.name for path in (folder / "comparison").iterdir()} == {"comparison.json", "moved.csv"}


@pytest.mark.parametrize("command", re.findall(r"^\$ muffakir-eval (.*)$", GUIDE, flags=re.MULTILINE))
def test_the_commands_work(folder: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, shlex.split(command))
    assert (done.exit_code, done.stderr) == (0, "")


def test_the_tests_of_a_user_pass(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = blocks("python pytest")
    (folder / "test_quality.py").write_text(block, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    (command,) = re.findall(r"^\$ pytest (.*)$", GUIDE, flags=re.MULTILINE)
    plugins = ["-p", "no:muffakir_eval", "-p", "muffakir_eval.pytest_plugin", "-p", "no:cacheprovider"]
    assert pytest.main([*plugins, "-q", "--import-mode=importlib", *shlex.split(command)]) == 0


def test_the_job_of_ci_can_be_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = blocks("yaml")
    steps = yaml.safe_load(block)["jobs"]["gate"]["steps"]
    asked, held = [shlex.split(step["run"])[1:] for step in steps if "muffakir-eval " in step.get("run", "")]
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    (folder / "my_rag.py").write_text("def rag(question):\n    return '1 ريال', ['نص']\n", encoding="utf-8")
    (folder / "questions.jsonl").write_text(
        '{"question": "كم الغرامة؟", "answer": "1 ريال", "context": "نص"}\n', encoding="utf-8"
    )
    asked[asked.index("runs/after")] = "runs/ci"
    assert CliRunner().invoke(app, asked).exit_code == 0
    assert CliRunner().invoke(app, held).exit_code == 0
    assert (folder / "gate.xml").is_file()
    assert (folder / "summary.md").read_text(encoding="utf-8").strip().startswith("### Gate for run")


def test_every_verdict_and_its_words() -> None:
    named = [code for row in rows("verdict") for code in codes(row[0])]
    assert tuple(named) == get_args(Verdict)
    words = [word for row in rows("verdict") for word in row[1].split(", ")]
    assert words == [VERDICTS[name].format(b="B") for name in named]


def test_every_reason() -> None:
    assert [codes(row[0])[0] for row in rows("reason")] == list(REASONS)


def test_the_exit_codes_are_those_of_the_command() -> None:
    told = [row[0] for row in rows("exit code")]
    assert told == ["0", "1", "2", "3"]
    assert all(f"{code} " in str(gate.__doc__) for code in told)


def test_every_figure_that_is_named_exists(folder: Path) -> None:
    summary = read_summary(folder / "runs" / "after")
    text = GUIDE[GUIDE.index("Beside the metrics there are") :].split("\n\n")[0]
    named = codes(text)
    assert len(named) == 14
    for name in named:
        figure_of(summary, f"latency_ms{name}" if name.startswith(".") else name)


def test_every_option_that_is_named_exists() -> None:
    help_texts = "".join(CliRunner().invoke(app, [name, "--help"]).stdout for name in ("compare", "gate", "run"))
    options = {option for text in codes(GUIDE.replace("```", "")) for option in re.findall(r"--[a-z-]+", text)}
    assert {option for option in options if not option.startswith("--muffakir")} <= set(
        re.findall(r"--[a-z-]+", help_texts)
    )
