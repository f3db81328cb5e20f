"""The command ``audit``: what it prints and writes, and its exit codes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from muffakir_eval import write_beir
from muffakir_eval.cli import app
from muffakir_eval.cli.audit import audit
from tests.audit.made import article

RETRIEVERS = """
def down(question):
    raise ConnectionError("refused")

def chatty(question):
    print("looking for", question)
    return [{"chunk_id": "c1", "text": ""}]
"""


def write(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n", encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clean index, one that lacks a gold, and question sets."""
    corpus = [{"chunk_id": f"c{n}", "text": article(n, 30)} for n in range(1, 21)]
    questions = [{"question": article(n), "context": article(n, 30), "chunk_id": f"c{n}"} for n in range(1, 9)]
    write(tmp_path / "corpus.jsonl", corpus)
    write(tmp_path / "lacking.jsonl", corpus[1:])
    write(tmp_path / "questions.jsonl", questions)
    write(tmp_path / "bare.jsonl", [{"question": row["question"]} for row in questions])
    (tmp_path / "my_rag.py").write_text(RETRIEVERS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["audit", *arguments])


def test_it_prints_tables_and_writes_files(folder: Path) -> None:
    done = call("corpus.jsonl", "questions.jsonl", "--retriever", "bm25", "--top-n", "10", "-q", "--output-dir", "out")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "found within k" in done.stdout
    assert "Written to out" in done.stdout
    assert {file.name for file in (folder / "out").iterdir()} == {
        "audit.json",
        "audit_findings.csv",
        "audit_questions.csv",
    }
    written = json.loads((folder / "out" / "audit.json").read_text(encoding="utf-8"))
    assert written["k_values"] == [1, 3, 5, 10]
    assert written["outcomes"]["questions"]["rows"][0]["n"] == 8


def test_only_the_texts_go_to_the_default_folder(folder: Path) -> None:
    assert call("corpus.jsonl").exit_code == 0
    assert (folder / "audit_results" / "audit.json").is_file()


def test_json_is_all_that_is_printed(folder: Path) -> None:
    done = call("corpus.jsonl", "questions.jsonl", "--retriever", "my_rag:chatty", "--match-by", "id", "--json", "-q")
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    assert told == json.loads((folder / "audit_results" / "audit.json").read_text(encoding="utf-8"))
    assert told["matching"]["match_by"] == "id"
    assert told["outcomes"]["questions"]["rows"][0] | {"interval": None} == {
        "outcome": "found",
        "n": 1,
        "share": 0.125,
        "interval": None,
    }
    assert "looking for" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["lacking.jsonl", "questions.jsonl"], 1, "Not good: error gold_not_in_index."),
        (["lacking.jsonl", "questions.jsonl", "--fail-on", "never"], 0, ""),
        (["lacking.jsonl", "questions.jsonl", "--min-reachable", "0.8"], 0, ""),
        (
            ["lacking.jsonl", "questions.jsonl", "--min-reachable", "0.9"],
            1,
            "Not good: 0.8750 of the golds are in the index, fewer than 0.9.",
        ),
        (["corpus.jsonl", "bare.jsonl"], 3, "Too little was measured"),
        (["corpus.jsonl", "--min-reachable", "0.5"], 3, "Too little was measured"),
        (["corpus.jsonl", "questions.jsonl", "--retriever", "my_rag:down"], 4, "the pipeline failed on 8 questions"),
        (["gone.jsonl"], 2, "gone.jsonl: there is no such file"),
        (["corpus.jsonl", "gone.jsonl"], 2, "gone.jsonl: there is no such file"),
        (["corpus.jsonl", "questions.jsonl", "--retriever", "bm52"], 2, "unknown retriever 'bm52'"),
        (["corpus.jsonl", "questions.jsonl", "--retriever", "my_rag:gone"], 2, "has no attribute 'gone'"),
        (["corpus.jsonl", "--retriever", "bm25"], 2, "no question to ask it"),
        (["corpus.jsonl", "questions.jsonl", "--top-n", "2"], 2, "raise top_n, or lower k"),
        ([""], 2, "the path of the corpus is empty"),
        (["corpus.jsonl", " "], 2, "the path of DATASET is empty"),
        (["corpus.jsonl", "questions.jsonl", "--run-file", "x", "--retriever", "bm25"], 2, "leave --retriever out"),
        (["corpus.jsonl", "--run-file", "x"], 2, "--run-file and --queries need DATASET"),
        (["corpus.jsonl", "questions.jsonl", "--min-reachable", "2"], 2, "--min-reachable"),
        (["corpus.jsonl", "questions.jsonl", "--k-values", "a"], 2, "expected whole numbers"),
        (["corpus.jsonl", "--text-column", "body"], 2, "body"),
        (["corpus.jsonl", "--config", "gone.toml"], 2, "gone.toml"),
    ],
)
def test_exit_codes(folder: Path, arguments: list[str], code: int, said: str) -> None:
    options = ["--config", "errors.toml"] if "my_rag:down" in arguments else []
    (folder / "errors.toml").write_text("max_pipeline_errors = 8\n", encoding="utf-8")
    done = call(*arguments, *options, "-q")
    assert done.exit_code == code, done.output
    assert said in " ".join(done.stderr.split())
    if code == 4:
        assert "The audit is not complete" in done.stdout
        assert json.loads((folder / "audit_results" / "audit.json").read_text(encoding="utf-8"))["partial"] is True


def test_any_setting_of_an_audit_can_be_set(folder: Path) -> None:
    pairs = ["overlap_threshold=0.7", "matching.profile=persian", "csv_bom=false"]
    done = call("corpus.jsonl", "questions.jsonl", "--json", "-q", *(f for pair in pairs for f in ("--set", pair)))
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)["config"]
    assert (told["overlap_threshold"], told["matching"]["profile"], told["csv_bom"]) == (0.7, "persian", False)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--set", "metrics=recall"], "the key 'metrics' says nothing in an audit"),
        (["--set", "topn=3"], "did you mean 'top_n'?"),
        (["--set", "coverage_threshold=1"], "did you mean 'matching.coverage_threshold'?"),
        (["--set", "k=3", "--k", "4"], "k is given by an option of its own"),
        (["--set", "k=none"], "command line, key 'k'"),
    ],
)
def test_a_setting_that_is_wrong(folder: Path, options: list[str], said: str) -> None:
    done = call("corpus.jsonl", "questions.jsonl", *options)
    assert (done.exit_code, said in " ".join(done.stderr.split())) == (2, True), done.stderr


def test_what_happens_is_logged(folder: Path) -> None:
    arguments = ["corpus.jsonl", "questions.jsonl", "--retriever", "my_rag:down", "--log-file", "logs/audit.txt", "-q"]
    assert call(*arguments).exit_code == 1
    assert call("gone.jsonl", "--log-file", "logs/audit.txt").exit_code == 2
    assert "ERROR muffakir_eval.cli: DatasetNotFoundError" in Path("logs/audit.txt").read_text(encoding="utf-8")


def test_the_usage_names_the_dataset_in_one_pair_of_brackets() -> None:
    assert "{CORPUS} [DATASET]" in call("--help").stdout


def test_bad_rows_of_the_questions(folder: Path) -> None:
    with (folder / "questions.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"question": ""}\n')
    done = call("corpus.jsonl", "questions.jsonl", "-q")
    assert done.exit_code == 2
    assert "--keep-going sets bad rows aside" in done.stderr
    done = call("corpus.jsonl", "questions.jsonl", "-q", "--keep-going", "--json")
    assert (done.exit_code, json.loads(done.stdout)["dataset"]["n_bad_rows"]) == (0, 1)


def test_how_corpus_and_questions_are_read(folder: Path) -> None:
    text = "رقم,نص\n" + "".join(f"{n},{article(n, 30)}\n" for n in range(1, 9))
    (folder / "corpus.csv").write_bytes(text.encode("cp1256"))
    rows = "سؤال,دليل\n" + "".join(f"س{n},{article(n, 30)}\n" for n in range(1, 5))
    (folder / "questions.csv").write_bytes(rows.encode("cp1256"))
    reading = ["--text-column", "نص", "--id-column", "رقم", "--corpus-encoding", "cp1256", "--encoding", "cp1256"]
    done = call(
        "corpus.csv", "questions.csv", *reading, "--map", "context=دليل", "--map", "question=سؤال", "--json", "-q"
    )
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["outcomes"]["questions"]["rows"][0]["n"] == 4
    assert (told["corpus"]["n_with_id"], told["config"]["corpus_encoding"]) == (8, "cp1256")


def test_a_beir_folder_brings_its_own_questions(folder: Path) -> None:
    documents = {f"c{n}": article(n, 30) for n in range(1, 21)}
    qrels = {f"q{n}": {f"c{n}": 1} for n in range(1, 6)}
    write_beir(folder / "beir", documents, {f"q{n}": article(n) for n in range(1, 6)}, qrels)
    told = json.loads(call("beir", "--retriever", "bm25", "--json", "-q").stdout)
    assert told["outcomes"]["questions"]["rows"][0]["outcome"] == "found"
    assert told["dataset"]["n_questions"] == 5
    assert json.loads(call("beir", "--texts-only", "--json", "-q").stdout)["dataset"] is None


def test_trec_runs_are_recorded_rankings(folder: Path) -> None:
    (folder / "qrels.txt").write_text("q1 0 c1 1\nq2 0 c2 1\nq3 0 zz 1\n", encoding="utf-8")
    run = "".join(f"q{q} Q0 c{rank + 5 * (q == 2)} {rank} {9 - rank} t\n" for q in (1, 2, 3) for rank in range(1, 7))
    (folder / "run.txt").write_text(run, encoding="utf-8")
    (folder / "queries.tsv").write_text("q1\tسؤال أول\nq2\tسؤال ثان\nq3\tسؤال ثالث\n", encoding="utf-8")
    done = call("corpus.jsonl", "qrels.txt", "--run-file", "run.txt", "--queries", "queries.tsv", "--json", "-q")
    assert done.exit_code == 1, done.output
    told = json.loads(done.stdout)
    assert {row["outcome"]: row["n"] for row in told["outcomes"]["questions"]["rows"]} == {
        "found": 1,
        "not_retrieved": 1,
        "unknown_id": 1,
    }
    assert told["retriever"]["recorded"] is True


def test_help_names_every_exit_code(folder: Path) -> None:
    text = call("--help").stdout
    assert "muffakir-eval audit beir_folder --retriever bm25" in text
    assert all(f"{code} " in str(audit.__doc__) for code in range(5))


def test_what_cannot_be_written_is_shown_all_the_same(folder: Path) -> None:
    (folder / "out" / "audit.json").mkdir(parents=True)
    done = call("corpus.jsonl", "questions.jsonl", "-q", "--output-dir", "out")
    assert done.exit_code == 4
    assert "in the index" in done.stdout
    assert "Written to" not in done.stdout
    assert "audit.json" in done.stderr
