"""Runs in the tests of users: options, settings, fixtures, and what a failing gate looks like."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.comparison.recorded import run_of

GATE = """
from muffakir_eval import assert_report

def test_quality(muffakir_report):
    assert_report(muffakir_report, "quality >= 0.5", "n_samples >= 4")

def test_baseline(muffakir_report, muffakir_baseline):
    assert_report(muffakir_report, baseline=muffakir_baseline, no_significant_drop=["quality"])
"""
ARGUMENTS = (
    "-p",
    "no:muffakir_eval",
    "-p",
    "muffakir_eval.pytest_plugin",
    "-p",
    "no:cacheprovider",
    "-q",
    "--import-mode=importlib",
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's project with tests, a run, and an earlier one that was better."""
    run_of([0.25] * 20, folder=tmp_path / "new")
    run_of([0.75] * 20, folder=tmp_path / "old")
    (tmp_path / "test_of_a_user.py").write_text(GATE, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def outcome_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[dict[str, int], str]:
    """Outcomes and output of pytest in this folder."""
    capsys.readouterr()
    pytest.main([*ARGUMENTS, *arguments])
    text = capsys.readouterr().out
    counts = re.findall(r"(\d+) (passed|failed|error)", text.splitlines()[-1])
    return {outcome: int(count) for count, outcome in counts}, text


def test_a_failing_gate_shows_value_interval_and_n(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes, text = outcome_of(capsys, "--muffakir-run=new", "--muffakir-baseline=old")
    assert outcomes == {"failed": 2}
    assert "quality >= 0.5: quality is 0.2500 (0.2500 to 0.2500) over 20 questions" in text
    assert "no significant drop of quality: quality was 0.7500 and is 0.2500, p = " in text
    assert "def check_gate" not in text


def test_the_folders_may_stand_in_the_settings(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "pytest.ini").write_text("[pytest]\nmuffakir_run = old\nmuffakir_baseline = new\n", encoding="utf-8")
    assert outcome_of(capsys)[0] == {"passed": 2}
    # An option wins over the settings.
    assert outcome_of(capsys, "--muffakir-run=new")[0] == {"failed": 1, "passed": 1}


def test_without_a_run_nothing_passes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes, text = outcome_of(capsys)
    assert outcomes == {"error": 2}
    assert "no run was named: give --muffakir-run=FOLDER" in text
    outcomes, text = outcome_of(capsys, "--muffakir-run=gone")
    assert outcomes == {"error": 2}
    assert "there is no such folder" in text


def test_the_options_are_explained(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    pytest.main([*ARGUMENTS, "--help"])
    text = capsys.readouterr().out
    for words in ("muffakir-eval:", "--muffakir-run=FOLDER", "--muffakir-baseline=FOLDER"):
        assert words in text


def test_loading_the_plugin_is_cheap() -> None:
    program = "import muffakir_eval.pytest_plugin, sys; print(*(n for n in sys.modules if n.startswith('muffakir')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, encoding="utf-8")
    assert done.stdout.split() == ["muffakir_eval", "muffakir_eval.pytest_plugin"]
