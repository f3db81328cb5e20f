"""What the README says about the project is so. Its code and commands are run by tests/docs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from muffakir_eval.config import EvaluationConfig

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def run(program: list[str], folder: Path) -> str:
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_are_blocks() -> None:
    assert README.count("```python\n") >= 2
    assert "```sh quickstart\n" in README
    assert "```sh tests\n" in README


def test_the_quick_start_works_from_any_folder_and_prints_what_the_readme_shows(tmp_path: Path) -> None:
    printed = run([sys.executable, str(ROOT / "examples" / "quickstart.py")], tmp_path)
    shown = README.split("```text\n")[1].split("```")[0]
    table = re.compile(r"^(?:recall_at_k|precision_at_k|mrr|ndcg_at_k|map|hit_rate) .*$|^Refused .*$", re.MULTILINE)
    # The ends of an interval are drawn: their last digits are numpy's and the machine's.
    apart = [re.sub(r"\d\.\d{4} to \d\.\d{4}", "…", "\n".join(table.findall(text))) for text in (printed, shown)]
    assert apart[0] == apart[1]
    assert len(table.findall(printed)) == 7
    assert (tmp_path / "eval_results" / "quickstart" / "summary.json").exists()


def test_the_committed_run_is_what_the_quick_start_gives(tmp_path: Path) -> None:
    run([sys.executable, str(ROOT / "examples" / "quickstart.py"), "run"], tmp_path)
    kept = json.loads((ROOT / "eval_results" / "example" / "summary.json").read_text(encoding="utf-8"))
    now = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    for name, block in now["metrics"].items():
        assert kept["metrics"][name].pop("interval") == pytest.approx(block.pop("interval"), abs=0.01)
    for block in ("summary", "metrics", "refusals", "errors", "matching", "pipeline"):
        assert kept[block] == now[block], block
    assert kept["dataset"]["fingerprint"] == now["dataset"]["fingerprint"]


def test_every_setting_that_the_readme_names_exists() -> None:
    for name in (
        "pipeline_workers",
        "max_pipeline_errors",
        "column_mapping",
        "overlap_threshold",
        "k_values",
        "on_existing",
    ):
        assert f"`{name}" in README
        assert name in EvaluationConfig.model_fields


def test_the_changelog_names_the_version() -> None:
    from muffakir_eval import __version__

    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
