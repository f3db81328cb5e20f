"""``--log-file``: what happened, with times, without secrets."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from muffakir_eval.cli import app
from muffakir_eval.cli.log_file import hide, logging_to
from muffakir_eval.errors import StorageError


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [{"question": f"س{n}", "answer": "ج", "chunk_id": "a"} for n in range(2)]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "failing_rag.py").write_text(
        "def rag(question):\n    raise ConnectionError('refused for sk-proj-0123456789abcdef, token zebra-zebra')\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_a_run_logs_what_was_read_what_failed_and_its_end(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "zebra-zebra")
    done = call(
        "run", "q.jsonl", "--pipeline", "failing_rag:rag", "--metrics", "recall", "-q", "--log-file", "logs/run.txt"
    )
    assert done.exit_code == 3
    log = (work / "logs" / "run.txt").read_text(encoding="utf-8")
    assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00 INFO muffakir_eval\.progress: q\.jsonl", log)
    assert "(row 2): ConnectionError: refused for ***" in log
    assert "is finished: 2 questions" in log
    assert "zebra" not in log
    assert "0123456789" not in log


def test_an_error_that_ends_the_command_is_logged_and_said_once(work: Path) -> None:
    done = call("run", "gone.jsonl", "--log-file", "log.txt")
    assert done.exit_code == 2
    assert done.stderr.count("no such file") == 1
    assert "ERROR muffakir_eval.cli: DatasetNotFoundError" in (work / "log.txt").read_text(encoding="utf-8")


def test_without_a_log_file_an_error_is_said_once(work: Path) -> None:
    assert call("run", "gone.jsonl").stderr.count("no such file") == 1


def test_a_second_run_adds_to_the_file(work: Path) -> None:
    for _ in range(2):
        call("run", "gone.jsonl", "--log-file", "log.txt")
    assert (work / "log.txt").read_text(encoding="utf-8").count("DatasetNotFoundError") == 2


def test_a_log_that_cannot_be_written_is_an_error(work: Path) -> None:
    done = call("run", "q.jsonl", "--log-file", str(work))
    assert (done.exit_code, "--log-file" in done.stderr) == (2, True)
    with pytest.raises(StorageError), logging_to("q.jsonl/x/log.txt"):
        pass


def test_secrets_of_the_settings_stay_out_and_warnings_are_shown_too(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logger = logging.getLogger("muffakir_eval")
    level = logger.level
    with logging_to("log.txt"):
        hide(["giraffe-key"])
        logger.warning("slow down, %s \ud83d", "giraffe-key")
        logger.info("only in the file")
    assert capsys.readouterr().err == "slow down, *** ?\n"
    log = (work / "log.txt").read_text(encoding="utf-8")
    assert "giraffe" not in log
    assert "only in the file" in log
    assert (logger.level, logger.handlers) == (level, [])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_ends_the_log_and_not_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("muffakir_eval")
    with logging_to("/dev/full"):
        for number in range(3):
            logger.info("line %d", number)
    assert capsys.readouterr().err.count("the log /dev/full is not complete: ") == 1


def test_a_log_on_a_standard_error_that_is_gone_ends_no_run(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    with logging_to("log.txt"):
        logging.getLogger("muffakir_eval").warning("said")
    assert "said" in (work / "log.txt").read_text(encoding="utf-8")
