"""Run an example as a reader would: in a folder of its own, without their keys.

A script runs in this process, since the libraries that it imports are there already; that one runs in a process of its
own is shown for the quick start.
"""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

__all__ = ["EXAMPLES", "run", "run_with_code"]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NEIGHBOUR = "example_system"


def run_with_code(program: str, *arguments: str, folder: Path, **environment: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of an example."""
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.endswith(("_API_KEY", "_BASE_URL")) or name == "MUFFAKIR_EVAL_DATA":
                patch.delenv(name)
        for name, value in {"XDG_CACHE_HOME": str(folder / "cache"), **environment}.items():
            patch.setenv(name, value)
        if program.endswith(".sh"):
            return _shell(program, arguments, folder)
        patch.chdir(folder)
        patch.syspath_prepend(str(EXAMPLES))
        patch.setattr(sys, "argv", [str(EXAMPLES / program), *arguments])
        patch.delitem(sys.modules, NEIGHBOUR, raising=False)
        try:
            return _script(EXAMPLES / program)
        finally:
            sys.modules.pop(NEIGHBOUR, None)


def _script(path: Path) -> tuple[int, str, str]:
    printed, complaint = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complaint):
        try:
            runpy.run_path(str(path), run_name="__main__")
            code: object = 0
        except SystemExit as end:
            code = end.code
        except Exception:
            code = traceback.format_exc()
    if isinstance(code, str):  # what Python does with such an end
        complaint.write(code)
    number = code if isinstance(code, int) else int(code is not None)
    return number, printed.getvalue(), complaint.getvalue()


def _shell(program: str, arguments: tuple[str, ...], folder: Path) -> tuple[int, str, str]:
    place = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(
        ["bash", str(EXAMPLES / program), *arguments],
        cwd=folder,
        env={**os.environ, "PATH": place, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def run(program: str, *arguments: str, folder: Path, **environment: str) -> str:
    """What an example prints that comes to a good end."""
    code, printed, complaint = run_with_code(program, *arguments, folder=folder, **environment)
    assert code == 0, complaint
    return printed
