"""The progress bar and the notes: on a terminal, and where there is none."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from muffakir_eval.writers.progress import note, progress_bar

PROGRAM = textwrap.dedent(
    """
    from muffakir_eval.writers.progress import note, progress_bar

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
