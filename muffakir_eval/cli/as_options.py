"""Advice that is written for Python, in the options of the command line."""

from __future__ import annotations

import ast
import contextlib
import re
import shlex
import sys
from collections.abc import Iterator
from typing import TextIO, cast

__all__ = ["as_options", "notes_as_options"]

_MAPPING = re.compile(r"""column_mapping=\{"(\w+)": ('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")\}""")
_NEEDS_NO_QUOTES = re.compile(r"[\w./:@%+-]+")


def as_options(text: str) -> str:
    r"""``text``, with ``--map`` where it speaks of the argument ``column_mapping`` with one column.

    >>> as_options("pass column_mapping={\"predicted_answer\": 'الإجابة'}")
    'pass --map predicted_answer=الإجابة'
    >>> as_options("pass column_mapping={\"question\": 'My question'}")
    "pass --map 'question=My question'"
    """
    return _MAPPING.sub(_as_option, text)


def _as_option(found: re.Match[str]) -> str:
    field, column = found[1], str(ast.literal_eval(found[2]))
    pair = f"{field}={column}"
    return f"--map {pair if _NEEDS_NO_QUOTES.fullmatch(column) else shlex.quote(pair)}"


class _Translated:
    """A stream that is written to in the words of the command line; everything else is that of the stream."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(as_options(text))

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


@contextlib.contextmanager
def notes_as_options() -> Iterator[None]:
    """While this holds, notes on standard error name options."""
    stream: TextIO | None = sys.stderr
    if stream is None:
        yield
        return
    with contextlib.redirect_stderr(cast("TextIO", _Translated(stream))):
        yield
