"""The examples of judge comparison run as they stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.examples.programs import run


def test_the_scripted_faults_are_found(tmp_path: Path) -> None:
    printed = run("judge_comparison.py", "out", folder=tmp_path)
    assert "Judges and labels are scripted" in printed
    assert "kind is more lenient than people" in printed
    assert "lengthy prefers long answers" in printed
    written = json.loads((tmp_path / "out" / "judges.json").read_text(encoding="utf-8"))
    people = {one["judge"]: one for one in written["metrics"][0]["people"]}
    assert list(people) == ["sound", "kind", "lengthy", "panel"]
    kappas = {label: one["agreement"]["kappa"]["value"] for label, one in people.items()}
    assert kappas["sound"] > 0.8 and kappas["panel"] > kappas["lengthy"]
    assert (tmp_path / "out" / "panel" / "summary.json").exists()


def test_a_rehearsal_with_real_judges_needs_no_key(tmp_path: Path) -> None:
    printed = run("judge_comparison.py", "--judge", "openai:gpt-x", "--judge", "groq:y", "--dry-run", folder=tmp_path)
    assert "no judge was asked" in printed and "gpt-x" in printed


def test_lexical_metrics_against_people(tmp_path: Path, data_dir: Path) -> None:
    if not (data_dir / "evouna").is_dir():
        pytest.skip("no evouna")
    printed = run("lexical_against_people.py", str(data_dir), folder=tmp_path)
    figures = {
        (words[0], words[1]): words[2]
        for line in printed.splitlines()
        if len(words := line.split()) > 3 and words[0][0] != "w"
    }
    # Words in common put right answers before wrong ones, and call most of them wrong: systems answer in sentences.
    assert float(figures["token_f1", "auc"]) == pytest.approx(0.922, abs=0.002)
    assert float(figures["token_f1", "bias"]) == pytest.approx(-0.483, abs=0.002)
    assert float(figures["exact_match", "kappa"]) == pytest.approx(0.082, abs=0.002)
    # Ratings that are all the same leave nothing to agree with.
    assert "ar, adequacy" in printed and "none (constant)" in printed


def test_without_the_data_the_example_says_so(tmp_path: Path) -> None:
    printed = run("lexical_against_people.py", str(tmp_path), folder=tmp_path)
    assert printed.count("it is left out") == 2
