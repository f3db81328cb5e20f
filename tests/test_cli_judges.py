"""``muffakir-eval judges``: what it prints, what it writes, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from muffakir_eval.cli import app
from tests.evaluation.judged import rows
from tests.judges.answers import Seen, refuses_key
from tests.judges.conftest import no_keys
from tests.judges.server import JudgeServer

__all__ = ["no_keys"]


def says(score: int) -> dict[str, Any]:
    return {"reason": "سبب", "score": score}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_keys: None) -> Path:
    """Recorded answers with labels of people."""
    data = [{**row, "human": number % 2 + 3, "dialect": "مصرية"} for number, row in enumerate(rows(6))]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in data)
    (tmp_path / "answers.jsonl").write_text(lines, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["judges", *arguments, "--quiet"], catch_exceptions=False)


def judges_file(folder: Path, *servers: JudgeServer) -> str:
    tables = [
        {"label": f"judge {n}", "llm_provider": "mine", "llm_model": f"m{n}", "llm_base_url": server.openai_url}
        for n, server in enumerate(servers, 1)
    ]
    path = folder / "judges.json"
    path.write_text(json.dumps({"judges": tables}), encoding="utf-8")
    return str(path)


def test_a_comparison_from_end_to_end(work: Path) -> None:
    with JudgeServer(says(4)) as one, JudgeServer(says(3)) as other:
        options = ["--judges-file", judges_file(work, one, other), "--metrics", "llm_judge_rating", "--no-cache"]
        more = ["--human-column", "human", "--slice-by", "dialect", "--price", "m1=1,2", "--price", "m2=2,4"]
        found = call("answers.jsonl", *options, *more, "--output-dir", "out")
        assert found.exit_code == 0, found.output
        for expected in (
            "Comparison of 2 judges on 6 answers",
            "judge 1",
            "against people",
            "by dialect",
            "Written to out",
        ):
            assert expected in found.output, expected
        asked = one.count + other.count
        again = call("answers.jsonl", *options, *more, "--output-dir", "out", "--json")
        assert again.exit_code == 0 and one.count + other.count == asked == 12
        assert json.loads(again.stdout)["judges"][0]["label"] == "judge 1"
    names = {path.name for path in (work / "out").iterdir()}
    assert {"judges.json", "judges.csv", "pairs.csv", "people.csv", "slices.csv", "judge-1", "judge-2"} <= names
    runs = call("--judge", "out/judge-1", "--judge", "out/judge-2", "--output-dir", "again")
    assert runs.exit_code == 0 and "judges among themselves" in runs.output


def test_a_judge_that_stops_is_named_and_the_exit_code_says_so(work: Path) -> None:
    with JudgeServer(refuses_key) as one, JudgeServer(says(3)) as other:
        file = judges_file(work, one, other)
        found = call("answers.jsonl", "--judges-file", file, "--metrics", "llm_judge_rating", "--no-cache")
        assert found.exit_code == 4
        assert "Stopped early: judge 1" in found.output and "not run" in found.output
        alone = call("answers.jsonl", "--judges-file", judges_file(work, one), "--metrics", "llm_judge_rating",
                     "--no-cache", "--output-dir", "alone")  # fmt: skip
        assert alone.exit_code == 4 and "Nothing was rated" in alone.output


def test_nothing_that_was_rated_has_an_exit_code_of_its_own(work: Path) -> None:
    with JudgeServer("كلام") as one:
        found = call(
            "answers.jsonl", "--judges-file", judges_file(work, one), "--metrics", "llm_judge_rating", "--no-cache"
        )
    assert found.exit_code == 3 and "Nothing was rated" in found.output


def test_a_dry_run(work: Path) -> None:
    found = call("answers.jsonl", "--judge", "openai:gpt-x", "--judge", "groq:y", "--dry-run", "--price", "gpt-x=1,2")
    assert found.exit_code == 0, found.output
    assert "no judge was asked" in found.output and "a run would stop here" in found.output
    assert sorted(path.name for path in work.iterdir()) == ["answers.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["answers.jsonl"], "there is no judge"),
        (["answers.jsonl", "--judge", "openai:gpt-x"], "there is no key for openai"),
        (["answers.jsonl", "--judge", "gpt-x"], "neither a judge nor the folder"),
        (["answers.jsonl", "--judge", "x:y", "--human-label", "partly"], "expected NAME=VALUE"),
        (["answers.jsonl", "--judge", "x:y", "--human-label", "partly=some"], "expected a number"),
        (["answers.jsonl", "--judge", "x:y", "--human-scale", "1"], "expected two numbers"),
        (["answers.jsonl", "--judge", "x:y", "--threshold", "high"], "expected a number"),
        (["answers.jsonl", "--judge", "x:y", "--human-column", "a", "--human-column", "b"], "expected NAME=VALUE"),
        (["answers.jsonl", "--judge", "x:y", "--price", "1,2"], "expected NAME=VALUE"),
        (["answers.jsonl", "--judges-file", "nowhere.toml"], "there is no such file"),
        (["nowhere.jsonl", "--judge", "ollama:y"], "nowhere.jsonl"),
    ],
)
def test_wrong_use(work: Path, arguments: list[str], found: str) -> None:
    result = CliRunner().invoke(app, ["judges", *arguments], env={"COLUMNS": "200"})
    assert result.exit_code == 2
    assert found in result.output


def test_a_file_of_judges_holds_nothing_else(work: Path) -> None:
    (work / "bad.toml").write_text('judges = ["x:y"]\nk = 3\n', encoding="utf-8")
    found = call("answers.jsonl", "--judges-file", "bad.toml").output
    assert "beside the judges the file holds 'k'" in found
    assert "into the file for --config" in found
    (work / "bad.toml").write_text('judge = ["x:y"]\n', encoding="utf-8")
    assert "the file does not hold judges" in call("answers.jsonl", "--judges-file", "bad.toml").output


def test_a_bad_row_names_no_option_that_the_command_lacks(work: Path) -> None:
    with (work / "answers.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"question": "", "answer": "ب", "response": "ب"}\n')
    with JudgeServer(says(4)) as one:
        options = ["--judges-file", judges_file(work, one), "--metrics", "llm_judge_rating", "--no-cache"]
        done = call("answers.jsonl", *options)
    assert (done.exit_code, "--keep-going" in done.output) == (2, False)


def test_options_reach_the_comparison(work: Path) -> None:
    def graded(seen: Seen) -> dict[str, Any]:
        return {"reason": "", "score": 0.7}

    with JudgeServer(graded) as one:
        (work / "settings.toml").write_text("max_concurrency = 2\n", encoding="utf-8")
        found = call(
            "answers.jsonl", "--judges-file", judges_file(work, one), "--metrics", "answer_correctness", "--no-cache",
            "--config", "settings.toml", "--human-column", "answer_correctness=human", "--human-scale", "3,4",
            "--human-label", "partly=3.5", "--threshold", "answer_correctness=0.5", "--max-samples", "4", "--json",
        )  # fmt: skip
    written = json.loads(found.stdout)
    assert (written["n_answers"], written["metrics"][0]["threshold"]) == (4, 0.5)
    people = written["metrics"][0]["people"][0]
    assert people["agreement"]["mean_b"] == 0.5 and people["accuracy"]["value"] == 0.5


def test_a_judge_that_rates_nothing_is_named(work: Path) -> None:
    with JudgeServer(says(4)) as one, JudgeServer("no JSON at all") as other:
        options = ["--judges-file", judges_file(work, one, other), "--metrics", "llm_judge_rating", "--no-cache"]
        found = call("answers.jsonl", *options, "--output-dir", "out")
        assert found.exit_code == 3
        assert "Every rating failed: judge 2." in found.stderr


def test_a_word_that_is_no_label(work: Path) -> None:
    data = [{**row, "human": "متروك" if number == 0 else "4"} for number, row in enumerate(rows(3))]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in data)
    (work / "answers.jsonl").write_text(lines, encoding="utf-8")
    with JudgeServer(says(4)) as one:
        options = ["--judges-file", judges_file(work, one), "--metrics", "llm_judge_rating", "--no-cache"]
        found = call("answers.jsonl", *options, "--human-column", "human", "--human-label", "متروك=none", "--json")
        assert found.exit_code == 0, found.output
        assert json.loads(found.stdout)["metrics"][0]["people"][0]["n_human"] == 2
