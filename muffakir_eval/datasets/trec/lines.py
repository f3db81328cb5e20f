"""Lines of TREC files: fields with white space between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from muffakir_eval.atomic import replace_file
from muffakir_eval.datasets.cells.text import shown
from muffakir_eval.datasets.judged_file import existing_file, judged_file
from muffakir_eval.datasets.judgements import checked_text
from muffakir_eval.datasets.reading.files import BOM
from muffakir_eval.errors import DatasetError, DatasetRowError

__all__ = ["Fields", "TrecFile", "checked_field", "write_lines"]

_FIELD = re.compile(r"[^ \t\n\r\x0b\x0c]+")
_SPACE = frozenset(" \t\n\r\x0b\x0c")
_CHUNK = 1000


class Fields(NamedTuple):
    """The fields of one line, and where it stands."""

    line: int
    fields: list[str]


class TrecFile:
    """A file of lines that all have the same number of fields.

    Args:
        path: The file; compressed where its name ends in ``.gz``.
        names: What the fields are called.
        hint: Given the fields of a line that has another number of them, what the file may be instead.

    Raises:
        DatasetNotFoundError: There is no such file.
        DatasetFormatError: It is plainly something else.
    """

    def __init__(
        self, path: str | PathLike[str], names: tuple[str, ...], hint: Callable[[list[str]], str | None]
    ) -> None:
        self._names = names
        self._hint = hint
        self._file = judged_file(existing_file(path, f"a file with {self._told(names)} on each line"), "tsv")

    @staticmethod
    def _told(names: tuple[str, ...]) -> str:
        return " ".join(names)

    @property
    def name(self) -> str:
        """The path as messages name it."""
        return self._file.name

    def __iter__(self) -> Iterator[Fields]:
        """The lines; blank ones are left out.

        Where the fields are separated by tabs alone, there may be blanks within them.
        """
        count = len(self._names)
        with self._file.reading(), self._file.open_text() as lines:
            for number, line in enumerate(lines, start=1):
                fields = _FIELD.findall(line)
                if number == 1 and fields:
                    fields[0] = fields[0].lstrip(BOM)
                    fields = [field for field in fields if field]
                if not fields:
                    continue
                if len(fields) != count:
                    fields = [field.strip(" ") for field in line.strip("\r\n").split("\t")]
                    if len(fields) != count or not all(fields):
                        raise self._miscounted(number, line)
                yield Fields(number, fields)

    def error(self, line: int, found: str, *, expected: str | None = None, remedy: str = "") -> DatasetRowError:
        """An error in a line."""
        return DatasetRowError(
            found,
            row=line,
            where=self.name,
            expected=expected or f"{self._told(self._names)}, with white space between them",
            remedy=remedy or "correct the line",
            place=f"line {line}",
        )

    def _miscounted(self, number: int, line: str) -> DatasetRowError:
        fields = _FIELD.findall(line)
        return self.error(
            number,
            f"{len(fields)} field{'s' if len(fields) > 1 else ''} found in {shown(line.strip())}",
            remedy=self._hint(fields) or "",
        )


def checked_field(value: Any, what: str, where: str) -> str:
    """``value``, once it is sure that it can be a field.

    Raises:
        DatasetError: It is empty, has white space in it, begins with a byte-order mark, or no file can hold it.
    """
    text = checked_text(value, what, where)
    if not text or not _SPACE.isdisjoint(text) or text.startswith(BOM):
        raise DatasetError(
            f"{what} is {text!a}",
            where=where,
            expected="a text without white space, which separates the fields of TREC files",
            remedy="write_beir can hold it, or give it another identifier",
        )
    return text


def write_lines(path: str | PathLike[str], lines: Iterable[str]) -> None:
    """Write a text file in one step."""
    held = list(lines)
    pieces = ("".join(held[start : start + _CHUNK]).encode("utf-8") for start in range(0, len(held), _CHUNK))
    replace_file(Path(path), pieces)
