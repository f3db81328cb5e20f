"""The recipes for CI work: their commands are run as a job would run them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from typer.testing import CliRunner

from muffakir_eval.cli import app
from tests.docs.pages import blocks, table
from tests.docs.running import Reader

PAGE = "docs/ci.md"
JOBS: list[Any] = [yaml.safe_load(block.text) for block in blocks(PAGE) if block.language == "yaml"]


def commands(job: dict[str, Any]) -> list[list[str]]:
    steps = (
        [step.get("run", "") for step in job["jobs"]["gate"]["steps"]] if "jobs" in job else job["quality"]["script"]
    )
    return [shlex.split(step)[1:] for step in steps if step.startswith("muffakir-eval ")]


@pytest.mark.parametrize("job", JOBS, ids=["GitHub", "GitLab"])
def test_a_job_can_be_run(job: dict[str, Any], reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    reader.read(next(block for block in blocks(PAGE) if block.option("file") == "my_rag.py"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(reader.folder / "summary.md"))
    asked, held = commands(job)
    assert CliRunner().invoke(app, asked).exit_code == 0
    assert CliRunner().invoke(app, held).exit_code == 0
    assert list(ElementTree.parse(reader.folder / "gate.xml").getroot().iter("testcase"))
    if "--job-summary" in held:
        assert Path("summary.md").read_text(encoding="utf-8").strip().startswith("### Gate for run")


def test_the_exit_codes_are_all_told() -> None:
    rows = table(PAGE, "CI", "exit code")
    assert [row[0] for row in rows] == ["0", "1", "2", "3", "4", "130"]
