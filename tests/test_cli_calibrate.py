"""The command ``calibrate``: what it prints and writes, and its exit codes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from muffakir_eval import load_config
from muffakir_eval.cli import app
from tests.calibration.labelled import PAIRS
from tests.calibration.test_calibrate import reworded


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Labelled pairs in two files."""
    for name, header, rows in (
        ("pairs.csv", ("المرجع", "المقطع", "الصلة"), PAIRS),
        ("more.csv", ("passage one", "found", "ok"), reworded(30)),
    ):
        with (tmp_path / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["calibrate", *arguments])


MAPPED = ("more.csv", "--map", "gold=passage one", "--map", "chunk=found", "--map", "label=ok")


def test_it_prints_a_report(work: Path) -> None:
    done = call("pairs.csv", "--show", "0")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "Columns: gold from 'المرجع', chunk from 'المقطع', label from 'الصلة'" in done.stdout
    assert "Keep the present settings" in done.stdout
    assert "and 1 more" in done.stdout
    assert "row 7: labelled relevant" in call("pairs.csv").stdout


def test_it_writes_settings_that_a_run_reads(work: Path) -> None:
    done = call(*MAPPED, "--output", "matching.toml", "--save", "out")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "Use the calibrated settings" in done.stdout
    assert "The settings to use are in matching.toml\nWritten to out\n" in done.stdout
    told = json.loads((work / "out" / "calibration.json").read_text(encoding="utf-8"))
    settings = load_config("matching.toml").match_settings
    assert settings.model_dump(mode="json") == told["recommended"] != told["current"]["settings"]
    again = call(*MAPPED, "--config", "matching.toml", "--output", "matching.toml")
    assert "Keep the present settings: no other thresholds are better on these pairs." in again.stdout
    assert load_config("matching.toml").match_settings == settings


def test_json(work: Path) -> None:
    done = call(*MAPPED, "--json", "--beta", "0.5", "--folds", "3", "--seed", "4", "--confidence", "0.9")
    told = json.loads(done.stdout)
    assert (told["f_name"], len(told["fold_settings"]), told["seed"], told["confidence"]) == ("F0.5", 3, 4, 0.9)
    assert told["curve"][-1]["recall"] == 1.0


def test_a_precision_that_is_not_reached_is_exit_code_1(work: Path) -> None:
    with (work / "pairs.csv").open("a", encoding="utf-8", newline="") as file:
        csv.writer(file).writerow([PAIRS[0][0], PAIRS[0][0], "لا"])
    done = call("pairs.csv", "--min-precision", "1")
    assert (done.exit_code, "No calibrated settings: no thresholds reach a precision of 1" in done.stdout) == (1, True)


def test_what_could_not_be_measured_is_exit_code_3(work: Path) -> None:
    (work / "one.csv").write_text("gold,chunk,label\nنص من كلمات أربع,نص من كلمات,1\nنص من كلمات أربع,ب,0\n", "utf-8")
    done = call("one.csv")
    assert (done.exit_code, "all pairs are about one gold passage" in done.stdout) == (3, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gone.csv"], "there is no such file"),
        (["more.csv"], "no column holds the gold"),
        (["more.csv", "--map", "gold=passage two"], "--map"),
        (["pairs.csv", "--map", "gold"], "expected FIELD=COLUMN"),
        (["pairs.csv", "--map", "label=المرجع", "--map", "gold=الصلة"], "row 2, column 'المرجع': the label says"),
        (["pairs.csv", "--min-precision", "95"], "min_precision is 95.0"),
        (["pairs.csv", "--folds", "1"], "folds is 1"),
        (["pairs.csv", "--config", "gone.toml"], "gone.toml: there is no such file"),
        (["pairs.csv", "--output", "pairs.csv"], "calibrate has not written it"),
        (["one_sided.csv"], "all 1 pairs are labelled relevant"),
    ],
)
def test_used_wrongly(work: Path, arguments: list[str], said: str) -> None:
    (work / "one_sided.csv").write_text("gold,chunk,label\nأ,ب,1\n", encoding="utf-8")
    before = (work / "pairs.csv").read_bytes()
    done = call(*arguments)
    assert (done.exit_code, said in done.stderr) == (2, True), done.stderr
    assert "Traceback" not in done.stderr
    assert (work / "pairs.csv").read_bytes() == before
