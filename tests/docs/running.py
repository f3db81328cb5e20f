"""Run the blocks of a page as a reader would: in order, in one folder, with the example files beside it."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from muffakir_eval.cli import app
from tests.docs.pages import ROOT, Block

__all__ = ["Reader", "matches"]

_LOCAL = re.compile(r"http://localhost:\d+")
_PLUGINS = ["-p", "no:muffakir_eval", "-p", "muffakir_eval.pytest_plugin", "-p", "no:cacheprovider"]


@dataclass
class Reader:
    """Somebody who tries every block of a page.

    Attributes:
        folder: Where they are.
        server: Address of the model that stands in for one on the reader's own machine.
        names: What the Python blocks have defined.
        printed: What the last block printed.
        error: The message of the last block, where it ended in an error.
    """

    folder: Path
    server: str
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    printed: str = ""
    error: str | None = None

    def read(self, block: Block) -> None:
        """Do what the block says."""
        text = _LOCAL.sub(self.server, block.text)
        if (name := block.option("file")) is not None:
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            return
        doing: dict[str, Callable[[Block, str], None]] = {
            "python": self._python,
            "console": self._console,
            "text": self._compare,
        }
        if block.language in doing:
            doing[block.language](block, text)

    def _python(self, block: Block, text: str) -> None:
        if block.option("needs"):
            return
        printed = io.StringIO()
        self.error = None
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            try:
                self._execute(block, text)
            except Exception as error:
                if "raises" not in block.marks:
                    raise
                self.error = str(error)
        self.printed = printed.getvalue()
        if "raises" in block.marks:
            assert self.error is not None, f"{block.name}: nothing was raised"

    def _execute(self, block: Block, text: str) -> None:
        if not text.lstrip().startswith(">>>"):
            # Lines of the page, so that a traceback names the right one.
            exec(compile("\n" * (block.line - 1) + text, str(ROOT / block.page), "exec"), self.names)
            return
        parsed = doctest.DocTestParser().get_doctest(text, self.names, block.name, block.page, block.line - 1)
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(parsed, out=report.append, clear_globs=False)
        self.names.update(parsed.globs)
        assert not runner.failures, "".join(report)

    def _console(self, block: Block, text: str) -> None:
        expected = int(block.option("exit") or 0)
        parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
        assert parts, f"{block.name}: a console block has lines after '$ '"
        for part in parts:
            command, _, shown = part.replace("\\\n", " ").partition("\n")
            code, self.printed = self._command(shlex.split(command))
            assert code == expected, f"{block.name}: {command}\nended with {code}\n{self.printed}"
            if shown.strip():
                assert matches(shown, self.printed), f"{block.name}: {command}\nprinted\n{self.printed}"

    def _command(self, words: list[str]) -> tuple[int, str]:
        program, *arguments = words
        if program == "muffakir-eval":
            done = CliRunner().invoke(app, arguments)
            if done.exception is not None and not isinstance(done.exception, SystemExit):
                raise done.exception
            return done.exit_code, done.output
        if program == "pytest":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                settings = self.folder / "pytest.ini"
                settings.write_text("[pytest]\n", encoding="utf-8")
                return int(pytest.main([*_PLUGINS, "--import-mode=importlib", *arguments])), printed.getvalue()
        assert program in {"python", "bash"}, f"{program} is no command that pages may run"
        run = [sys.executable, *arguments] if program == "python" else words
        ran = subprocess.run(run, cwd=self.folder, capture_output=True, text=True, encoding="utf-8", check=False)
        return ran.returncode, ran.stdout + ran.stderr

    def _compare(self, block: Block, text: str) -> None:
        if "output" in block.marks:
            assert matches(text, self.printed), f"{block.name}: it printed\n{self.printed}"
        if "error" in block.marks:
            assert self.error is not None, f"{block.name}: there was no error"
            assert matches(text, self.error), f"{block.name}: the message is\n{self.error}"


def matches(shown: str, printed: str) -> bool:
    """Whether ``printed`` is what a page shows, where ``…`` stands for anything and blanks at line ends for nothing.

    >>> matches("a\\n…\\nz", "a\\nb\\nc\\nz\\n"), matches("a … b", "a b")
    (True, False)
    """
    parts = [re.escape(part) for part in "\n".join(map(str.rstrip, shown.strip().splitlines())).split("…")]
    return bool(re.fullmatch(".*?".join(parts), "\n".join(map(str.rstrip, printed.strip().splitlines())), re.DOTALL))
