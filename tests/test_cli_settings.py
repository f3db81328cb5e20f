"""``--set``, flags against the settings file, and the settings that a run keeps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from muffakir_eval.cli import app
from muffakir_eval.cli.set_option import resolved_settings, set_values

PASSAGE = {"chunk_id": "a", "text": "يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا بأجر كامل بعد إتمام سنة من الخدمة."}
OTHER = {"chunk_id": "b", "text": "تُقدَّم طلبات الرخص إلى مكتب البلدية في أيام العمل بين الثامنة صباحًا والثانية ظهرًا."}
QUESTION = {"question": "كم مدة إجازة الموظف؟", "answer": "ثلاثون يومًا", "chunk_id": "a", "topic": "عمل", "doc": "d1"}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, rows in (("corpus.jsonl", [PASSAGE, OTHER]), ("questions.jsonl", [QUESTION])):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (tmp_path / name).write_text(lines, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(
        app, ["run", "questions.jsonl", "--retriever", "bm25", "--corpus", "corpus.jsonl", *arguments]
    )


def summary(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "eval_results" / "summary.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("k=3", (["k"], 3)),
        ("confidence_level=0.9", (["confidence_level"], 0.9)),
        ("matching.fuzzy=false", (["matching", "fuzzy"], False)),
        ("faithfulness_mode=claims", (["faithfulness_mode"], "claims")),
        ("pipeline_id = my rag = 2 ", (["pipeline_id"], "my rag = 2")),
        ('pipeline_id="7"', (["pipeline_id"], "7")),
        ("k_values=[1, 3]", (["k_values"], [1, 3])),
        ("prices={m={input=1, output=2}}", (["prices"], {"m": {"input": 1, "output": 2}})),
        ("encoding=", (["encoding"], "")),
    ],
)
def test_a_value_is_toml_and_a_bare_word_is_a_text(pair: str, expected: object) -> None:
    assert set_values([pair]) == [expected]


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ("k", "KEY=VALUE"),
        ("=3", "KEY=VALUE"),
        ("matching.=3", "KEY=VALUE"),
        ("api_key=sk-secret-secret", "secret"),
        ("llm_parameters.extra_headers.Authorization=zebra-zebra", "secret"),
        ("k_values=[1", "no TOML"),
        ('pipeline_id="x', "no TOML"),
        ("pipeline_id=a\nb", "no TOML"),
    ],
)
def test_what_is_wrong_with_a_pair_is_said_without_its_value(pair: str, message: str) -> None:
    with pytest.raises(typer.BadParameter, match=message) as caught:
        set_values([pair])
    assert "zebra" not in str(caught.value)
    assert "sk-secret" not in str(caught.value)


def test_flags_win_over_set_and_set_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text("k = 7\nseed = 1\nlanguage = 'en'\n[matching]\nfuzzy = false\nprofile = 'none'\n", encoding="utf-8")
    found = resolved_settings(str(file), {"k": 3, "seed": None}, ["matching.profile=persian", "seed=2"])
    assert (found.k, found.seed, found.language) == (3, 2, "en")
    assert (found.match_settings.fuzzy, found.match_settings.profile) == (False, "persian")


def test_a_key_given_twice_is_an_error() -> None:
    with pytest.raises(typer.BadParameter, match="option of its own"):
        resolved_settings(None, {"k": 3}, ["k=4"])


def test_a_setting_over_something_that_is_no_table_makes_one() -> None:
    found = resolved_settings(None, {}, ["llm_parameters=1", "llm_parameters.top_p=0.5"])
    assert found.llm_parameters == {"top_p": 0.5}


def test_an_unknown_key_suggests_a_known_one(work: Path) -> None:
    done = call("--set", "metrcs=recall")
    assert (done.exit_code, "did you mean 'metrics'" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("overlp=0.9", "unknown key 'overlp'. What to do: did you mean 'overlap_threshold'?"),
        ("coverage_threshold=0.9", "did you mean 'matching.coverage_threshold'?"),
        ("similarity=0.9", "did you mean 'matching.fuzzy_similarity'?"),
        (
            "matching.overlp=0.9",
            "unknown key 'matching.overlp'. What to do: did you mean 'matching.overlap_threshold'?",
        ),
        ("nokey=1", "unknown key 'nokey'. What to do: check how it is spelt"),
        ("top_k=3", "did you mean 'k'?"),
        ("llm_parameters.anything.k=3", "gone.jsonl: there is no such file"),
    ],
)
def test_a_misspelt_key_of_set_is_told_from_a_secret_and_the_right_one_is_named(
    work: Path, pair: str, said: str
) -> None:
    (work / "questions.jsonl").unlink()
    done = call("--set", pair)
    assert (done.exit_code, said.replace("gone", "questions") in done.stderr) == (2, True), done.stderr
    assert "secret" not in done.stderr
    assert len(done.stderr) < 400


@pytest.mark.parametrize("name", ["apikey", "openai_api_key", "API-KEY", "password", "hf_token"])
def test_what_is_called_like_a_secret_is_one_whether_or_not_there_is_such_a_setting(name: str) -> None:
    with pytest.raises(typer.BadParameter, match="is a secret"):
        set_values([f"{name}=zebra-zebra"])


@pytest.mark.parametrize("names", [("--corpus-text", "--corpus-id"), ("--text-column", "--id-column")])
def test_columns_of_the_passages_are_called_as_in_an_audit_too(work: Path, names: tuple[str, str]) -> None:
    rows = [{"body": row["text"], "key": row["chunk_id"]} for row in (PASSAGE, OTHER)]
    (work / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = call(names[0], "body", names[1], "key", "--metrics", "mrr", "--match-by", "id")
    assert done.exit_code == 0, done.output
    assert summary(work)["metrics"]["mrr"]["mean"] == 1.0


def test_statistics_have_options(work: Path) -> None:
    done = call(
        *(
            "--slice-by",
            "topic",
            "--cluster-column",
            "doc",
            "--seed",
            "3",
            "--confidence-level",
            "0.9",
            "--metrics",
            "mrr",
        )
    )
    assert done.exit_code == 0
    found = summary(work)
    assert list(found["slices"]) == ["topic"]
    assert found["confidence_level"] == 0.9
    assert (found["config"]["seed"], found["config"]["cluster_column"]) == (3, "doc")


def test_the_settings_of_a_run_start_the_same_run_again(work: Path) -> None:
    assert call("--metrics", "recall,mrr", "--k", "1", "--set", "matching.fuzzy=false", "--no-cache").exit_code == 0
    first = summary(work)
    kept = work / "kept.yaml"
    kept.write_bytes((work / "eval_results" / "run_config.yaml").read_bytes())
    assert call("--config", "kept.yaml", "-q").exit_code == 0
    again = summary(work)
    assert again["run_id"] != first["run_id"]
    for name in ("k", "metrics_enabled", "matching", "summary"):
        assert again[name] == first[name]
    assert again["config"]["cache_dir"] is None


def test_further_files_are_made_with_the_run_and_replaced_with_it(work: Path) -> None:
    assert call("--report", "md,xlsx,jsonl", "--metrics", "mrr").exit_code == 0
    made = {path.name for path in (work / "eval_results").iterdir()}
    assert {"report.md", "samples.xlsx", "samples.jsonl"} <= made
    assert summary(work)["run_id"] in (work / "eval_results" / "report.md").read_text(encoding="utf-8")
    assert call("--metrics", "recall").exit_code == 0
    left = {path.name for path in (work / "eval_results").iterdir()}
    assert not {"report.md", "samples.xlsx", "samples.jsonl"} & left


def test_an_unknown_further_file_is_an_error_before_anything_runs(work: Path) -> None:
    done = call("--report", "pdf")
    assert (done.exit_code, "report_formats" in done.stderr) == (2, True)
    assert not (work / "eval_results").exists()


def test_judgements_without_a_run_say_what_is_missing(work: Path) -> None:
    (work / "qrels.txt").write_text("q1 0 d1 1\nq1 0 d2 0\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["run", "qrels.txt"])
    assert done.exit_code == 2
    assert "--run-file" in done.stderr
    assert "--queries" in done.stderr


@pytest.mark.parametrize("flags", [("--match-by", "id"), ("--set", "match_by=id")])
def test_the_command_line_wins_over_the_finer_settings_of_the_file(work: Path, flags: tuple[str, str]) -> None:
    """Inside ``matching`` of the file, too, where it would win over the short key."""
    (work / "s.toml").write_text("[matching]\nmatch_by = 'text'\noverlap_threshold = 0.7\n", encoding="utf-8")
    assert call("--config", "s.toml", "-q", *flags).exit_code == 0
    found = summary(work)["matching"]
    assert (found["match_by"], found["overlap_threshold"]) == ("id", 0.7)


def test_the_command_line_wins_over_the_settings_of_a_run(work: Path) -> None:
    assert call("-q").exit_code == 0
    kept = work / "kept.yaml"
    kept.write_bytes((work / "eval_results" / "run_config.yaml").read_bytes())
    assert call("-q", "--config", "kept.yaml", "--match-by", "id", "--set", "overlap_threshold=0.9").exit_code == 0
    found = summary(work)["matching"]
    assert (found["match_by"], found["overlap_threshold"]) == ("id", 0.9)


def test_the_finer_setting_on_the_command_line_is_the_last_word(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text("match_by = 'text'\n", encoding="utf-8")
    assert resolved_settings(str(file), {}, ["matching.match_by=id"]).match_settings.match_by == "id"
