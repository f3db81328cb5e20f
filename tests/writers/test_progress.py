"""The progress bar and the notes: on a terminal, and where there is none."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from muffakir_eval.writers.progress import note, progress_bar, progress_line

PROGRAM = textwrap.dedent(
    """
    from muffakir_eval.writers.progress import note, progress_bar, progress_line

    note("before")
    with progress_bar(4, 1) as advance:
        advance(failed=False)
        print("said by the pipeline")
        advance(failed=True)
    print("after")
    """
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_note_is_plain_text_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    note("سؤال \x1b[31m\x07 \ud83d")
    note("not this", enabled=False)
    assert capsys.readouterr() == ("", "سؤال ?[31m? ?\n")


def test_a_stream_that_cannot_hold_a_character_gets_a_question_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stderr", stream)
    note("ما")
    assert stream.buffer.getvalue() == b"??\n"


@pytest.mark.parametrize("stream", [None, "closed", "full"])
def test_without_a_standard_error_a_run_goes_on(monkeypatch: pytest.MonkeyPatch, stream: str | None) -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    replaced = Full() if stream == "full" else io.StringIO() if stream else None
    if stream == "closed" and replaced is not None:
        replaced.close()
    monkeypatch.setattr(sys, "stderr", replaced)
    note("said to nobody")
    with progress_bar(1) as advance:
        advance(failed=False)


def test_without_a_terminal_or_when_it_is_off_there_is_no_bar(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with progress_bar(2) as advance:
        advance(failed=False)
    assert capsys.readouterr() == ("", "")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress_bar(2, enabled=False) as advance:
        advance(failed=False)
    assert terminal.getvalue() == ""


def test_the_bar_counts_finished_and_failed_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar(4, 1) as advance:
        advance(failed=False)
        advance(failed=True)
    assert "3/4" in terminal.getvalue()
    assert "1 failed" in terminal.getvalue()


@pytest.mark.parametrize(("width", "has_bar"), [("30", False), ("100", True)])
def test_on_a_narrow_terminal_the_figures_stay_and_the_bar_goes(
    monkeypatch: pytest.MonkeyPatch, width: str, has_bar: bool
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", width)
    with progress_bar(400, 198) as advance:
        advance(failed=False)
        advance(failed=True)
    shown = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", terminal.getvalue())
    assert "200/400 1 failed" in shown
    assert ("Evaluating" in shown) is has_bar


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_without_a_terminal_a_line_comes_every_half_minute(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with progress_bar(100, 10, cost=lambda: clock.now / 100, clock=clock) as advance:
        for number in range(60):
            clock.now += 1.0
            advance(failed=number == 5)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "40/100 questions, 1 failed, 1.0/s, 0.30 USD, about 1 min 0 s left",
        "70/100 questions, 1 failed, 1.0/s, 0.60 USD, about 30 s left",
    ]


def test_on_a_terminal_rate_and_cost_stand_beside_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, clock = Terminal(), Clock()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with progress_bar(4, cost=lambda: 0.0125, clock=clock) as advance:
        clock.now = 2.0
        advance(failed=False)
    assert "30.0/min, 0.0125 USD" in terminal.getvalue()


def test_the_cost_is_added_up_once_a_second_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    terminal, clock = Terminal(), Clock()
    monkeypatch.setattr(sys, "stderr", terminal)

    def cost() -> None:
        asked.append(clock.now)

    with progress_bar(100, cost=cost, clock=clock) as advance:
        for _ in range(100):
            clock.now += 0.1
            advance(failed=False)
    assert 9 <= len(asked) <= 10
    assert "USD" not in terminal.getvalue()


@pytest.mark.parametrize(
    ("done", "total", "seconds", "line"),
    [
        (0, 5, None, "0/5 questions"),
        (5, 5, 10.0, "5/5 questions, 30.0/min"),
        (1, 2000, 10.0, "1/2000 questions, 6.0/min, about 5 h 33 min left"),
        (1, 3, 0.1, "1/3 questions, 10.0/s, about 1 s left"),
    ],
)
def test_a_line_tells_no_more_than_is_known(done: int, total: int, seconds: float | None, line: str) -> None:
    assert progress_line(done, total, seconds=seconds) == line


def test_notes_are_logged_although_they_are_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="muffakir_eval"):
        note("not shown", enabled=False)
    assert [record.getMessage() for record in caplog.records] == ["not shown"]


@pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminals on this system")
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_on_a_terminal_the_bar_counts_and_the_output_stays_where_it_goes(tmp_path: Path, encoding: str) -> None:
    import pty

    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "PYTHONIOENCODING": encoding}
    with (tmp_path / "out.txt").open("wb") as out:
        process = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=out, stderr=slave, env=environment)
        os.close(slave)
        shown = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        os.close(master)
        assert process.wait(30) == 0
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == "said by the pipeline\nafter\n"
    assert b"before" in shown
    assert b"3/4" in shown
    assert b"1 failed" in shown
