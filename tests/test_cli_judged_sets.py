"""The command over BEIR folders and TREC files, and the converter between question sets and BEIR."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from muffakir_eval import load_evaluation_dataset, read_beir, write_beir
from muffakir_eval.cli import app

CORPUS = {"d1": "يستحق العامل إجازة سنوية", "d2": "تقدم طلبات الرخص إلى البلدية"}
QUERIES = {"q1": "ما إجازة العامل السنوية؟", "q2": "أين طلبات الرخص؟"}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a BEIR set, TREC files and a question set."""
    write_beir(tmp_path / "set", CORPUS, QUERIES, {"q1": {"d1": 1, "d2": 0}, "q2": {"d2": 1}})
    (tmp_path / "a.qrels").write_text("q1 0 d1 1\nq2 0 d2 1\n", encoding="utf-8")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2 t\nq2 Q0 d1 1 2 t\nq2 Q0 d2 2 1 t\n", encoding="utf-8")
    (tmp_path / "topics.tsv").write_text(
        "".join(f"{name}\t{text}\n" for name, text in QUERIES.items()), encoding="utf-8"
    )
    (tmp_path / "corpus.jsonl").write_text(
        "".join(json.dumps({"chunk_id": name, "text": text}) + "\n" for name, text in CORPUS.items()), encoding="utf-8"
    )
    rows = [
        {"sample_id": "s1", "question": QUERIES["q1"], "answer": "إجازة سنوية", "context": "إجازة سنوية للعامل"},
        {"sample_id": "s2", "question": QUERIES["q2"], "answer": "البلدية", "chunk_id": "d2"},
    ]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def summary(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "eval_results" / "summary.json").read_text(encoding="utf-8"))
    return found


def test_a_beir_folder_brings_its_own_passages(work: Path) -> None:
    done = call("run", "set", "--retriever", "bm25", "--metrics", "recall,mrr", "--k", "1")
    assert (done.exit_code, done.stderr.count("Traceback")) == (0, 0)
    assert summary(work)["summary"] == {"recall_at_k": 1.0, "mrr": 1.0}
    assert summary(work)["matching"]["match_by"] == "id"
    assert "by identifier alone" in done.stderr


def test_a_file_of_judgements_in_the_folder(work: Path) -> None:
    done = call("run", "set/qrels.tsv", "--retriever", "bm25", "--metrics", "recall", "-q")
    assert (done.exit_code, summary(work)["summary"]) == (0, {"recall_at_k": 1.0})


def test_windows_of_passages_are_compared_by_text(work: Path) -> None:
    done = call("run", "set", "--retriever", "bm25", "--rechunk", "3", "--metrics", "recall", "-q")
    assert done.exit_code == 0
    assert summary(work)["matching"]["match_by"] == "auto"
    assert summary(work)["metrics"]["recall_at_k"]["n_scored"] == 2
    done = call(
        "run", "set", "--retriever", "bm25", "--rechunk", "3", "--match-by", "text", "--metrics", "recall", "-q"
    )
    assert summary(work)["matching"]["match_by"] == "text"


def test_other_passages_for_the_folder(work: Path) -> None:
    done = call("run", "set", "--retriever", "bm25", "--corpus", "corpus.jsonl", "--metrics", "recall", "-q")
    assert (done.exit_code, summary(work)["summary"]) == (0, {"recall_at_k": 1.0})


def test_a_folder_without_passages(work: Path) -> None:
    (work / "set" / "corpus.jsonl").unlink()
    done = call("run", "set", "--retriever", "bm25")
    assert (done.exit_code, "add --corpus FILE" in done.stderr) == (2, True)


@pytest.mark.parametrize("dataset", ["scifact", "gone.jsonl", "a\0b"])
def test_a_folder_that_is_not_there(work: Path, dataset: str) -> None:
    done = call("run", dataset, "--retriever", "bm25")
    assert (done.exit_code, "there is no such file or folder" in done.stderr) == (2, True)
    assert "--corpus" not in done.stderr


def test_a_trec_run_is_measured_without_a_retriever(work: Path) -> None:
    done = call("run", "a.qrels", "--run-file", "a.run", "--metrics", "mrr,recall@1", "--k", "2")
    assert done.exit_code == 0
    assert summary(work)["summary"] == {"mrr": 0.75, "recall@1": 0.5}
    assert "each question is the identifier of its query" in done.stderr


@pytest.mark.parametrize("dataset", ["set", "set/qrels.tsv"])
def test_a_trec_run_over_a_beir_folder(work: Path, dataset: str) -> None:
    done = call("run", dataset, "--run-file", "a.run", "--metrics", "mrr,recall@1", "--k", "2")
    assert done.exit_code == 0
    assert summary(work)["summary"] == {"mrr": 0.75, "recall@1": 0.5}
    assert "is the identifier of its query" not in done.stderr
    assert [sample.question for sample in load_evaluation_dataset("eval_results")] == list(QUERIES.values())


def test_the_folder_of_a_run_over_judgements_is_compared_as_before(work: Path) -> None:
    call("run", "a.qrels", "--run-file", "a.run", "--metrics", "mrr", "--k", "2", "-q")
    done = call("run", "eval_results", "--metrics", "mrr", "--k", "2", "--output-dir", "again", "-q")
    assert done.exit_code == 0
    again = json.loads((work / "again" / "summary.json").read_text(encoding="utf-8"))
    assert (again["summary"], again["matching"]["match_by"]) == ({"mrr": 0.75}, "id")
    call("run", "eval_results", "--metrics", "mrr", "--match-by", "auto", "--output-dir", "third", "-q")
    third = json.loads((work / "third" / "summary.json").read_text(encoding="utf-8"))
    assert third["matching"]["match_by"] == "auto"


def test_trec_judgements_with_texts_and_a_retriever(work: Path) -> None:
    done = call(
        "run",
        "a.qrels",
        "--queries",
        "topics.tsv",
        "--retriever",
        "bm25",
        "--corpus",
        "corpus.jsonl",
        "--metrics",
        "mrr",
    )
    assert (done.exit_code, summary(work)["summary"]) == (0, {"mrr": 1.0})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "a.qrels"], "or --queries FILE with the texts"),
        (["run", "a.qrels", "--run-file", "a.run", "--retriever", "bm25"], "holds the rankings already"),
        (["run", "a.qrels", "--run-file", "gone.run"], "gone.run"),
        (["run", "a.run", "--run-file", "a.run"], "read it with read_run"),
        (["run", "a.qrels", "--queries", "topics.tsv"], "--pipeline or --retriever"),
        (["convert", "set", "other"], "is a BEIR folder already"),
        (["convert", "questions.jsonl", "other.jsonl"], "is no BEIR folder"),
        (["convert", "set", "other.jsonl", "--corpus", "corpus.jsonl"], "--corpus has no meaning here"),
        (["convert", "set", "other.jsonl", "--map", "question=x", "--sheet", "1"], "--map and --sheet have no meaning"),
        (["convert", "questions.jsonl", "other", "--corpus-id", "id"], "--corpus-id has no meaning here"),
        (["convert", "questions.jsonl", ""], "TARGET is empty"),
        (["convert", " ", "other"], "SOURCE is empty"),
        (["convert", "set", "set/queries.jsonl"], "the queries.jsonl of the BEIR folder itself"),
        (["convert", "questions.jsonl", ".", "--corpus", "corpus.jsonl"], "would overwrite this file"),
        (["convert", "set/qrels.tsv", "set", "--queries", "topics.tsv"], "written into itself"),
        (["convert", "x" * 5000, "other"], "this is no path"),
        (["run", "x" * 5000, "--run-file", "a.run"], "there is no such file"),
        (["convert", "gone.jsonl", "other"], "gone.jsonl"),
        (["convert", "a.qrels", "other"], "this is a file of TREC judgements"),
    ],
)
def test_wrong_use_is_one_clear_line_and_exit_code_2(work: Path, arguments: list[str], said: str) -> None:
    done = call(*arguments)
    assert (done.exit_code, "Traceback" in done.output) == (2, False)
    assert said in done.stderr
    assert not (work / "other").exists()


def test_a_question_set_becomes_a_folder_and_comes_back(work: Path) -> None:
    done = call("convert", "questions.jsonl", "made", "--corpus", "corpus.jsonl", "--map", "answer=answer")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "note: 1 gold passages stand in no passage of the corpus word for word" in done.stdout
    assert "note: 2 of 2 questions have accepted answers" in done.stdout
    assert done.stdout.endswith("Written to made\n")
    assert read_beir(work / "made")[2]["s2"] == {"d2": 1.0}
    done = call("convert", "made", "back.jsonl")
    assert (done.exit_code, done.stdout) == (0, "Written to back.jsonl\n")
    assert load_evaluation_dataset("back.jsonl") == load_evaluation_dataset("questions.jsonl")


def test_trec_files_become_a_folder(work: Path) -> None:
    done = call("convert", "a.qrels", "made", "--queries", "topics.tsv", "--corpus", "corpus.jsonl")
    assert done.exit_code == 0
    assert read_beir(work / "made") == (CORPUS, QUERIES, {"q1": {"d1": 1.0}, "q2": {"d2": 1.0}})


def test_validate_shows_a_folder(work: Path) -> None:
    done = call("validate", "set")
    assert done.exit_code == 0
    assert "set: 2 samples from 2 rows" in done.stdout


def test_a_workbook_with_arabic_headers_becomes_a_folder_and_comes_back(work: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["السؤال", "الإجابة", "السياق", "رقم المقطع"])
    sheet.append(["ما الإجازة؟", '["سنوية", "شهر"]', "يستحق العامل إجازة سنوية", 7])
    sheet.append(["أين؟", "البلدية", "تقدم في البلدية", "007"])
    book.save(work / "أسئلة.xlsx")
    assert call("convert", "أسئلة.xlsx", "made").exit_code == 0
    assert read_beir(work / "made")[2] == {"2": {"7": 1.0}, "3": {"007": 1.0}}
    assert call("convert", "made", "back.jsonl").exit_code == 0
    given, back = load_evaluation_dataset("أسئلة.xlsx"), load_evaluation_dataset("back.jsonl")
    assert [(sample.question, sample.answers, sample.contexts, sample.chunk_ids) for sample in back] == [
        (sample.question, sample.answers, sample.contexts, sample.chunk_ids) for sample in given
    ]


def test_bad_rows_stop_convert_or_are_set_aside(work: Path) -> None:
    with (work / "questions.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"sample_id": "s3", "question": "", "chunk_id": "d1"}\n')
    done = call("convert", "questions.jsonl", "out", "--corpus", "corpus.jsonl")
    assert (done.exit_code, "fail_fast is --keep-going" in done.stderr) == (2, True)
    done = call("convert", "questions.jsonl", "out", "--corpus", "corpus.jsonl", "--keep-going")
    assert (done.exit_code, "note: left out, bad row: " in done.stdout) == (0, True)
    assert len(read_beir("out")[1]) == 2
    done = call("convert", "out", "back.jsonl", "--keep-going")
    assert (done.exit_code, "--keep-going has no meaning here" in done.stderr) == (2, True)
