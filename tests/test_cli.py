"""The command: what it prints, what it writes, and its exit codes. Never a traceback."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from muffakir_eval.cli import app, main
from muffakir_eval.cli.outcome import exit_codes, print_json
from tests.judges.answers import Seen, fails, refuses_key
from tests.judges.server import JudgeServer

PASSAGES = [
    {"chunk_id": "a", "text": "يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا بأجر كامل بعد إتمام سنة من الخدمة."},
    {"chunk_id": "b", "text": "تُقدَّم طلبات الرخص إلى مكتب البلدية في أيام العمل بين الثامنة صباحًا والثانية ظهرًا."},
]
QUESTIONS = [
    {"question": "كم مدة إجازة الموظف؟", "answer": "ثلاثون يومًا", "chunk_id": "a"},
    {"question": "أين تقدم طلبات الرخص؟", "answer": "مكتب البلدية", "chunk_id": "b"},
]

JUDGE = ("--llm-provider", "mine", "--llm-model", "m", "--llm-base-url", "http://127.0.0.1:9/v1")
KEY = "sk-proj-0123456789abcdef"


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a user's own: passages, questions, a pipeline."""
    for name, rows in (("corpus.jsonl", PASSAGES), ("questions.jsonl", QUESTIONS)):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (tmp_path / name).write_text(lines, encoding="utf-8")
    (tmp_path / "my_rag.py").write_text(
        "def good(question, k):\n    return [{'text': 'x', 'chunk_id': 'a'}]\n\n"
        "def down(question):\n    raise ConnectionError('no route to the index')\n\n"
        "class Only:\n    def get_similar_documents(self, query, k):\n        return []\n\n"
        "retriever = Only()\n\n"
        "def chatty(question, k):\n    print('asked', question)\n    return good(question, k)\n",
        encoding="utf-8",
    )
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "MINE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_bm25_over_a_corpus_writes_a_run_folder(work: Path) -> None:
    done = call(
        "run", "questions.jsonl", "--retriever", "bm25", "--corpus", "corpus.jsonl", "--metrics", "recall,mrr@1"
    )
    assert (done.exit_code, done.stderr.count("Traceback")) == (0, 0)
    written = json.loads((work / "eval_results" / "summary.json").read_text(encoding="utf-8"))
    assert written["summary"] == {"recall_at_k": 1.0, "mrr@1": 1.0}
    assert "recall_at_k" in done.stdout
    assert "2/2" in done.stdout


def test_a_pipeline_of_the_users_own(work: Path) -> None:
    done = call(
        "run", "questions.jsonl", "--pipeline", "my_rag:good", "--output-dir", "out", "--metrics", "recall", "-q"
    )
    assert done.exit_code == 0
    assert json.loads((work / "out" / "summary.json").read_text(encoding="utf-8"))["summary"] == {"recall_at_k": 0.5}


def test_options_win_over_the_settings_file(work: Path) -> None:
    (work / "settings.toml").write_text('k = 7\nmetrics = ["precision"]\nprogress = false\n', encoding="utf-8")
    done = call(
        "run", "questions.jsonl", "--pipeline", "my_rag:good", "--config", "settings.toml", "--k", "2", "--json"
    )
    assert done.exit_code == 0
    printed = json.loads(done.stdout)
    assert (printed["k"], printed["metrics_enabled"]) == (2, ["precision"])


def test_recorded_outputs_need_no_pipeline(work: Path) -> None:
    (work / "answers.csv").write_text(
        'question,ground_truth,response,retrieved_chunk_ids,chunk_id\nس,ج,ج,"[""a""]",a\n', encoding="utf-8"
    )
    done = call("run", "answers.csv", "--metrics", "recall", "-q")
    assert (done.exit_code, "1.0000" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["questions.jsonl", "--metrics", "recal", "--pipeline", "my_rag:good"], "recall"),
        (["questions.jsonl", "--metrics", "faithfulness", "--pipeline", "my_rag:retriever"], "only retrieves"),
        (["questions.jsonl", "--pipeline", "my_rag:gone"], "gone"),
        (["questions.jsonl", "--pipeline", "no_such_module:rag"], "no_such_module"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--k", "0"], "'k'"),
        (["questions.jsonl"], "predicted_answer"),
        (["gone.jsonl", "--pipeline", "my_rag:good"], "gone.jsonl"),
        (["my_rag.py", "--pipeline", "my_rag:good"], ".py"),
        (["empty.csv", "--pipeline", "my_rag:good"], "empty.csv"),
        (["cp1256.csv", "--pipeline", "my_rag:good"], "cp1256"),
        (["shifted.csv", "--pipeline", "my_rag:good"], "row 3"),
        (["lists.csv", "--pipeline", "my_rag:good"], "chunk_id"),
        (["twice.csv", "--pipeline", "my_rag:good"], "id-columns"),
        (["questions.jsonl", "--retriever", "bm25"], "--corpus"),
        (["questions.jsonl", "--retriever", "bm52", "--corpus", "corpus.jsonl"], "bm25"),
        (["questions.jsonl", "--corpus", "corpus.jsonl"], "--retriever"),
        (["questions.jsonl", "--retriever", "bm25", "--corpus", "corpus.jsonl", "--pipeline", "my_rag:good"], "choose"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--config", "gone.toml"], "gone.toml"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--config", "bad.toml"], "did you mean 'metrics'"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--k-values", "1,x"], "whole numbers"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--map", "question"], "FIELD=COLUMN"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--metrics", ""], "at least one metric"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--output-dir", ""], "'output_dir'"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--output-dir", "my_rag.py"], "my_rag.py"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--output-dir", "foreign"], "--on-existing"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--match-by", "foo"], "'match_by'"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--on-existing", "foo"], "'on_existing'"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--max-samples", "0"], "'max_samples'"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--k", "many"], "--k"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--config", "."], "cannot be read"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--config", "questions.jsonl"], "suffix"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--nonsense"], "--nonsense"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--api-key", "sk-1"], "--api-key"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--language", "fr"], "'language'"),
        (["questions.jsonl", "--pipeline", "my_rag:good", "--price", "2.5"], "two amounts"),
        (["answers.csv", "--metrics", "faithfulness", *JUDGE], "retrieved chunks"),
        (["answers.csv", "--metrics", "answer_correctness"], "--llm-provider"),
        (["answers.csv", "--metrics", "answer_correctness", "--llm-provider", "openai"], "--llm-model"),
        (["answers.csv", "--metrics", "answer_correctness", "--llm-provider", "opnai"], "did you mean 'openai'?"),
        (["answers.csv", "--metrics", "answer_correctness", *JUDGE, "--budget", "1"], "--price"),
        (["answers.csv", "--metrics", "answer_correctness", *JUDGE, "--judge-repeats", "0"], "'judge_repeats'"),
        (["answers.csv", "--metrics", "answer_correctness", *JUDGE, "--max-concurrency", "0"], "'max_concurrency'"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_code_2(work: Path, arguments: list[str], message: str) -> None:
    (work / "empty.csv").write_bytes(b"")
    (work / "cp1256.csv").write_bytes("question,chunk_id\nما هي العاصمة؟,a\n".encode("cp1256"))
    (work / "shifted.csv").write_text("question,chunk_id\nس,a\nص,b,c\n", encoding="utf-8")
    (work / "lists.csv").write_text('question,chunk_id\nس,"[""a"", b"\nص,"[a, ""b]"\n', encoding="utf-8")
    (work / "twice.csv").write_text("id,question,chunk_id\n1,س,a\n1,ص,b\n", encoding="utf-8")
    (work / "bad.toml").write_text("metrcs = ['recall']", encoding="utf-8")
    (work / "answers.csv").write_text("question,ground_truth,response\nس,ج,ج\n", encoding="utf-8")
    (work / "foreign").mkdir()
    (work / "foreign" / "samples.csv").write_text("question,answer\nس,ج\n", encoding="utf-8")
    done = call("run", *arguments, "--quiet")
    said = done.stdout + done.stderr
    assert done.exit_code == 2, said
    assert message in said
    assert "Traceback" not in said
    assert done.exception is None or isinstance(done.exception, SystemExit)


def test_nothing_measured_is_exit_code_3(work: Path) -> None:
    done = call("run", "questions.jsonl", "--pipeline", "my_rag:down", "-q")
    assert (done.exit_code, "Nothing was measured: the reasons stand in the table" in done.stderr) == (3, True)
    assert "recall_at_k, precision_at_k, mrr, ndcg_at_k: pipeline error (2)" in done.stdout
    assert "  2 x ConnectionError: no route to the index" in done.stdout
    done = call("run", "questions.jsonl", "--pipeline", "my_rag:down", "-q", "--json")
    assert (done.exit_code, "under the key 'metrics'" in done.stderr) == (3, True)
    assert json.loads(done.stdout)["metrics"]["mrr"]["reasons"] == {"pipeline_error": 2}


def test_a_pipeline_that_is_down_is_exit_code_4(work: Path) -> None:
    (work / "settings.json").write_text('{"max_pipeline_errors": 2}', encoding="utf-8")
    done = call("run", "questions.jsonl", "--pipeline", "my_rag:down", "-q", "--config", "settings.json")
    assert done.exit_code == 4
    assert "no route to the index" in done.stderr
    assert json.loads((work / "eval_results" / "summary.json").read_text(encoding="utf-8"))["partial"] is True


def test_other_settings_on_an_unfinished_run_are_exit_code_2(work: Path) -> None:
    (work / "settings.json").write_text('{"max_pipeline_errors": 2}', encoding="utf-8")
    call("run", "questions.jsonl", "--pipeline", "my_rag:down", "-q", "--config", "settings.json")
    done = call("run", "questions.jsonl", "--pipeline", "my_rag:good", "-q")
    assert (done.exit_code, "overwrite" in done.stderr) == (2, True)


def test_bad_rows_say_what_sets_them_aside_but_not_those_of_the_corpus(work: Path) -> None:
    (work / "bad.csv").write_text("question,chunk_id\nس,a\n,b\n", encoding="utf-8")
    hint = "\n--keep-going sets bad rows aside; muffakir-eval validate lists them all.\n"
    done = call("run", "bad.csv", "--pipeline", "my_rag:good", "-q")
    assert (done.exit_code, hint in done.stderr) == (2, True)
    assert call("run", "bad.csv", "--pipeline", "my_rag:good", "-q", "--keep-going").exit_code == 0
    (work / "passages.jsonl").write_text('{"id": "a", "text": "نص"}\n{"id": "a", "text": "آخر"}\n', encoding="utf-8")
    done = call("run", "questions.jsonl", "--retriever", "bm25", "--corpus", "passages.jsonl", "-q")
    assert (done.exit_code, "--keep-going" in done.stderr) == (2, False)


def test_only_settings_that_a_message_asks_for_are_translated(work: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    assert book.active is not None
    for row in (["question", "chunk_id"], [None, "a"]):
        book.active.append(row)
    book.save(work / "book.xlsx")
    done = call("run", "book.xlsx", "--pipeline", "my_rag:good", "-q")
    assert "sheet 'Sheet', row 2" in done.stderr
    assert done.stderr.endswith("On the command line fail_fast is --keep-going.\n")
    done = call("run", "questions.jsonl", "-q")
    assert "On the command line rag is --pipeline or --retriever." in done.stderr


def test_sheets_are_counted_from_0_and_years_are_names(work: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    for number, title in enumerate(("first", "2024")):
        sheet = book.active if number == 0 else book.create_sheet()
        assert sheet is not None
        sheet.title = title
        sheet.append(["question", "chunk_id"])
        sheet.append([f"سؤال {title}", "a"])
    book.save(work / "book.xlsx")
    for given, title in (("0", "first"), ("1", "2024"), ("2024", "2024"), ("first", "first")):
        assert f"سؤال {title}" in call("validate", "book.xlsx", "--sheet", given).stdout
    done = call("validate", "book.xlsx", "--sheet", "2")
    assert (done.exit_code, "a number counts from 0" in done.stderr) == (2, True)


# ------------------------------------------------------------------------------------ the judge


def judged(server: JudgeServer, *arguments: str, metrics: str = "answer_correctness") -> Result:
    rows = "".join(f"س{number},ج,ج{number}\n" for number in range(3))
    Path("answers.csv").write_text("question,ground_truth,response\n" + rows, encoding="utf-8")
    judge = ["--llm-provider", "mine", "--llm-model", "m-1", "--llm-base-url", server.openai_url, "--no-cache"]
    return call("run", "answers.csv", "--metrics", metrics, "-q", *judge, *arguments)


GOOD_REPLY = {"reason": "صحيح", "score": 0.5}


def test_a_judge_by_options(work: Path) -> None:
    with JudgeServer(GOOD_REPLY) as server:
        done = judged(server, "--judge-repeats", "2", "--price", "1,2", "--max-concurrency", "1", "--language", "en")
    assert (done.exit_code, done.stderr) == (0, "")
    assert re.search(r"answer_correctness  0.5000  .* 3/3$", done.stdout, re.MULTILINE)
    assert "Judge m-1: 6 calls, 600 tokens in and 120 out, 0.0008 USD" in done.stdout
    assert (server.count, server.most_at_once) == (6, 1)
    assert "You compare an answer" in server.requests[0].system
    config = json.loads((work / "eval_results" / "summary.json").read_text(encoding="utf-8"))["config"]
    assert (config["cache_dir"], config["prices"], config["judge_repeats"]) == (None, {"input": 1.0, "output": 2.0}, 2)


def test_a_dry_run_with_a_judge_needs_no_key_and_makes_no_call(work: Path) -> None:
    with JudgeServer(GOOD_REPLY) as server:
        done = judged(server, "--dry-run", "--price", "1,2")
        assert server.count == 0
    assert (done.exit_code, done.stderr) == (0, "")
    assert "  judge      m-1, 3 calls\n" in done.stdout
    assert "  cost       about 0.00" in done.stdout
    hosted = ("--llm-provider", "openai", "--llm-model", "gpt-4o")
    done = call("run", "answers.csv", "--metrics", "answer_correctness", *hosted, "--dry-run")
    assert (done.exit_code, "gpt-4o, 3 calls" in done.stdout, "OPENAI_API_KEY" in done.stdout) == (0, True, True)
    assert not (work / "eval_results").exists()


def test_a_rejected_key_is_exit_code_4_and_stands_nowhere(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE_API_KEY", KEY)
    with JudgeServer(refuses_key) as server:
        done = judged(server)
    assert done.exit_code == 4, done.stderr
    assert "rejects the key" in done.stderr
    assert "Traceback" not in done.stderr
    files = "".join(path.read_text(encoding="utf-8") for path in (work / "eval_results").iterdir() if path.is_file())
    assert '"partial": true' in files
    assert KEY[8:] not in done.stdout + done.stderr + files


def test_a_spent_budget_is_exit_code_4_and_what_was_measured_is_written(work: Path) -> None:
    with JudgeServer(GOOD_REPLY) as server:
        done = judged(server, "--price", "1,1", "--budget", "0.00001", "--max-concurrency", "1")
    assert (done.exit_code, server.count) == (4, 1)
    assert "answer_correctness: over budget (2)" in done.stdout
    assert "The budget is spent, and 2 scores are missing." in done.stderr
    written = json.loads((work / "eval_results" / "summary.json").read_text(encoding="utf-8"))
    assert written["metrics"]["answer_correctness"]["n_scored"] == 1
    with JudgeServer(GOOD_REPLY) as server:
        judge = ("--llm-provider", "mine", "--llm-model", "m-1", "--llm-base-url", server.openai_url, "--no-cache")
        metrics = ("--metrics", "answer_correctness", "--output-dir", "more", "-q")
        done = call("run", "eval_results", *metrics, *judge)  # as the message says
    assert (done.exit_code, "3/3" in done.stdout) == (0, True)


def test_a_run_of_which_no_metric_is_possible_is_exit_code_3(work: Path) -> None:
    row = {"question": "س", "answer": "ج", "contexts": ["نص"], "ground_truth": "ج"}
    (work / "ragas.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    done = call("run", "ragas.jsonl", "-q")
    assert (done.exit_code, "--metrics token_f1,exact_match" in done.stderr) == (3, True)
    done = call("run", "ragas.jsonl", "-q", "--metrics", "token_f1,exact_match", "--output-dir", "answers")
    assert (done.exit_code, done.stderr) == (0, "")


def test_a_metric_that_failed_everywhere_is_exit_code_3(work: Path) -> None:
    def refuses(seen: Seen) -> Any:
        return fails(400, "the context is too long")

    with JudgeServer(refuses) as server:
        done = judged(server, metrics="token_f1,answer_correctness")
    assert (done.exit_code, "Not one score of answer_correctness" in done.stderr) == (3, True)


def test_a_judge_that_cannot_be_used_is_said_with_the_reason(work: Path) -> None:
    def refuses(seen: Seen) -> Any:
        return fails(400, "the context is too long")

    with JudgeServer(refuses) as server:
        done = judged(server)
    assert (done.exit_code, "Nothing was measured" in done.stderr) == (3, True)
    assert "judge's server refuses the request (3)" in done.stdout
    assert "the context is too long" in done.stdout


def test_the_judge_of_the_pipeline_may_be_a_script_that_ends(work: Path) -> None:
    (work / "scripted.py").write_text(
        "from muffakir_eval import ScriptedModel\n\n"
        "class Rag:\n"
        "    llm_provider = ScriptedModel([])\n\n"
        "    def ask(self, question, k=5):\n"
        "        return {'answer': 'نعم', 'retrieved_documents': ['نص']}\n\n"
        "rag = Rag()\n",
        encoding="utf-8",
    )
    done = call("run", "questions.jsonl", "--pipeline", "scripted:rag", "--metrics", "faithfulness", "-q", "--no-cache")
    assert (done.exit_code, "the script is at its end" in done.stderr) == (4, True)


def test_validate_shows_what_was_read(work: Path) -> None:
    done = call("validate", "questions.jsonl")
    assert done.exit_code == 0
    assert "2" in done.stdout
    assert "question" in done.stdout
    assert "كم مدة إجازة الموظف؟" in done.stdout


def test_validate_lists_every_problem_and_exits_2(work: Path) -> None:
    (work / "bad.csv").write_text("question,chunk_id\nس,a\n,b\nص,c,d\n", encoding="utf-8")
    done = call("validate", "bad.csv")
    assert done.exit_code == 2
    assert "row 3" in done.stdout
    assert "row 4" in done.stdout


def test_validate_shows_a_readable_number_of_problems(work: Path) -> None:
    (work / "bad.csv").write_text("question,chunk_id\nس,a\n" + ",b\n" * 30, encoding="utf-8")
    done = call("validate", "bad.csv")
    assert done.stdout.count("problem: ") == 20
    assert "10 more problems; --problems 30" in done.stdout
    assert call("validate", "bad.csv", "--problems", "30").stdout.count("problem: ") == 30


def test_validate_an_arabic_sheet_with_a_mapping(work: Path) -> None:
    (work / "q.csv").write_text("المسألة,الحل\nما المدة؟,سنة\n", encoding="utf-8")
    assert call("validate", "q.csv").exit_code == 2
    done = call("validate", "q.csv", "--map", "question=المسألة", "--map", "answer=الحل")
    assert (done.exit_code, "سنة" in done.stdout) == (0, True)


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["validate", "-h"], ["--version"]])
def test_help_and_version(arguments: list[str]) -> None:
    done = call(*arguments)
    assert done.exit_code == 0
    assert "muffakir-eval" in done.stdout


def test_a_terminal_that_cannot_show_arabic_does_not_end_the_run(work: Path) -> None:
    command = [sys.executable, "-m", "muffakir_eval", "validate", "questions.jsonl"]
    environment = {"PYTHONIOENCODING": "ascii:strict", "PYTHONPATH": ":".join(sys.path), "PATH": ""}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert b"????" in done.stdout


def test_a_dry_run_prints_the_plan_and_touches_nothing(work: Path) -> None:
    before = sorted(work.iterdir())
    done = call("run", "questions.jsonl", "--pipeline", "my_rag:down", "--metrics", "recall", "--dry-run", "--k", "3")
    assert (done.exit_code, done.stderr) == (0, "")
    for line in (
        "Dry run: no question was asked",
        "  questions  2 from questions.jsonl",
        "  pipeline   my_rag.down, 2 calls, 1 at once",
        "  cutoffs    k = 3",
        "  folder     eval_results",
    ):
        assert line in done.stdout
    assert [path for path in sorted(work.iterdir()) if path.name != "__pycache__"] == before
    printed = json.loads(call("run", "questions.jsonl", "--pipeline", "my_rag:down", "--dry-run", "--json").stdout)
    assert printed["dry_run"]["n_to_ask"] == 2
    (work / "settings.toml").write_text("dry_run = true\n", encoding="utf-8")
    done = call("run", "questions.jsonl", "--pipeline", "my_rag:down", "--config", "settings.toml", "-q")
    assert (done.exit_code, "Dry run" in done.stdout) == (0, True)
    assert not (work / "eval_results").exists()


def test_json_is_strict_and_alone_on_standard_output_whatever_the_pipeline_prints(work: Path) -> None:
    done = call("run", "questions.jsonl", "--pipeline", "my_rag:chatty", "--metrics", "recall", "--json")
    assert json.loads(done.stdout)["summary"] == {"recall_at_k": 0.5}
    assert "asked كم مدة إجازة الموظف؟" in done.stderr


def test_json_is_alone_although_something_writes_past_python(work: Path) -> None:
    (work / "loud.py").write_text(
        "import os, subprocess, sys\n"
        "def rag(question, k=5):\n"
        "    os.write(1, b'from a library in C')\n"
        "    subprocess.run([sys.executable, '-c', 'print(1)'], check=True)\n"
        "    return [{'chunk_id': 'a', 'text': 'x'}]\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "muffakir_eval", "run", "questions.jsonl", "--pipeline", "loud:rag"]
    done = subprocess.run(
        [*command, "--metrics", "recall", "--json"], cwd=work, capture_output=True, encoding="utf-8", check=False
    )
    assert (done.returncode, json.loads(done.stdout)["n_samples"]) == (0, 2)
    assert "from a library in C" in done.stderr


@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">&- 2>&-"])
def test_json_without_a_stream_is_no_traceback(work: Path, redirection: str) -> None:
    command = shlex.join(
        [*(sys.executable, "-m", "muffakir_eval", "run", "questions.jsonl", "--pipeline"), "my_rag:good", "--json"]
    )
    done = subprocess.run(f"{command} {redirection}", shell=True, cwd=work, capture_output=True, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)


def test_quiet_is_quiet(work: Path) -> None:
    done = call("run", "questions.jsonl", "--pipeline", "my_rag:good", "--metrics", "recall", "-q")
    assert (done.exit_code, done.stderr) == (0, "")


def test_ctrl_c_inside_the_run_says_what_was_kept(work: Path) -> None:
    (work / "impatient.py").write_text("def rag(question):\n    raise KeyboardInterrupt\n", encoding="utf-8")
    done = call("run", "questions.jsonl", "--pipeline", "impatient:rag", "-q")
    assert done.exit_code == 130
    assert done.stderr.startswith("Interrupted.\n0 of 2 questions are done and kept in")


@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [(BrokenPipeError(errno.EPIPE, "Broken pipe"), 0, ""), (OSError(errno.ENOSPC, "No space left"), 2, "No space")],
)
def test_what_happens_to_the_output_is_no_traceback(
    capsys: pytest.CaptureFixture[str], fault: OSError, code: int, said: str
) -> None:
    with pytest.raises(typer.Exit) as caught, exit_codes():
        raise fault
    assert caught.value.exit_code == code
    assert said in capsys.readouterr().err


def test_the_console_script_replaces_what_the_terminal_cannot_show(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="strict", write_through=True)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "argv", ["muffakir-eval", "--version"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert (caught.value.code, out.errors) == (0, "replace")
    print_json('{"a": "س😀"}')
    assert out.buffer.getvalue().endswith(b'{"a": "\\u0633\\ud83d\\ude00"}\n')


def program(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "muffakir_eval", *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, **options)


GOOD = ("run", "questions.jsonl", "--pipeline", "my_rag:good", "--metrics", "recall", "-q")


def test_json_for_a_terminal_without_arabic_is_escaped(work: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    process = program(*GOOD, "--json", "--output-dir", "خرج \U0001f600", stdout=subprocess.PIPE, env=environment)
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, b"")
    assert json.loads(out)["config"]["output_dir"] == "خرج \U0001f600"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device on this system")
@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_output_that_cannot_be_written_is_one_line(work: Path, flags: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        process = program(*GOOD, *flags, stdout=full)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, b"Traceback" in errors, b"No space left" in errors) == (2, False, True)
    assert (work / "eval_results" / "summary.json").exists()


@pytest.mark.skipif(os.name == "nt", reason="no closed pipes on this system")
def test_a_reader_who_has_seen_enough_is_no_error(work: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = program(*GOOD, "--json", stdout=writer)
    os.close(writer)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, b"")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no POSIX signals on this system")
@pytest.mark.parametrize("flags", [(), ("-q",)])
def test_ctrl_c_is_exit_code_130_and_says_what_was_kept(work: Path, flags: tuple[str, ...]) -> None:
    (work / "slow.py").write_text(
        "import pathlib, time\n\n"
        "def rag(question):\n    pathlib.Path('asked').touch()\n    time.sleep(0.3)\n    return []\n",
        encoding="utf-8",
    )
    process = program("run", "questions.jsonl", "--pipeline", "slow:rag", *flags, stdout=subprocess.DEVNULL)
    while not (work / "asked").exists():
        time.sleep(0.01)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in errors
    assert "Interrupted.\n0 of 2 questions are done and kept in" in errors.decode()


def test_a_warning_is_one_plain_line(tmp_path: Path) -> None:
    program = (
        "import sys, warnings; sys.argv = ['muffakir-eval', '--version']\n"
        "import muffakir_eval.cli as cli\n"
        "try:\n    cli.main()\nexcept SystemExit:\n    pass\n"
        "warnings.warn('في الصفحة جداول بلا رسوم', stacklevel=1)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert done.stderr == "note: في الصفحة جداول بلا رسوم\n"
