"""Headers of tables: where they are, names made unique, and stand-ins for those without a name.

The header is the first row that is not blank. People put a title above it, though: where the first row has
no column for the question, or is a single cell, and one of the next few rows has, that one is the header,
provided that each row above it has a single filled cell. Otherwise it is an error that names the row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from muffakir_eval.datasets.cells.text import shown, to_text
from muffakir_eval.datasets.reading.files import BOM
from muffakir_eval.datasets.tables import ReadOptions
from muffakir_eval.errors import DatasetColumnError

__all__ = ["PEEK", "Header", "HeaderRow", "find_header", "is_header", "read_header"]

PEEK = 10
"""Among so many rows that are not blank the header is looked for."""


class Header(NamedTuple):
    """The columns of a table.

    Attributes:
        columns: A name for each, no two alike.
        repeated: Names that several columns bear; the second is called ``name_2``, and so on.
        unnamed: Stand-ins (``column_3``) for columns without a name.
    """

    columns: tuple[str, ...]
    repeated: frozenset[str]
    unnamed: frozenset[str]


def read_header(cells: Sequence[Any]) -> Header:
    """The header in the first row of a table.

    >>> header = read_header(["question", "", "note", "note"])
    >>> header.columns, header.repeated, header.unnamed
    (('question', 'column_2', 'note', 'note_2'), frozenset({'note'}), frozenset({'column_2'}))
    """
    names = [(to_text(cell) or "").strip().strip(BOM).strip() for cell in cells]
    taken = set(names)
    columns: list[str] = []
    repeated: set[str] = set()
    unnamed: set[str] = set()
    for position, name in enumerate(names, start=1):
        chosen = name or f"column_{position}"
        if not name:
            unnamed.add(chosen)
        elif name in columns:
            repeated.add(name)
            number = 2
            while (chosen := f"{name}_{number}") in taken:
                number += 1
            taken.add(chosen)
        columns.append(chosen)
    return Header(tuple(columns), frozenset(repeated), frozenset(unnamed))


class HeaderRow(NamedTuple):
    """Which of the first rows is the header.

    Attributes:
        at: Its position among them.
        sure: Nothing above it can be a header or data.
    """

    at: int
    sure: bool = True

    def check(self, rows: Sequence[tuple[int, Sequence[Any]]], where: str, options: ReadOptions) -> None:
        """Say what is left out above the header.

        Args:
            rows: Row numbers and cells of the first rows.
            where: File and sheet.
            options: Where the warning goes.

        Raises:
            DatasetColumnError: It is too much to be only a title.
        """
        number, cells = rows[self.at]
        if not self.sure:
            names = [name for name in read_header(cells).columns if name in options.questions(_names(cells))]
            raise DatasetColumnError(
                f"row {rows[0][0]} names no column for the question; the header seems to be row {number}, "
                f"which has {names[0]!r}",
                where=where,
                expected="names of columns in the first row",
                remedy=f"delete the rows above row {number}",
            )
        if self.at:
            told = ", ".join(f"{shown(text)} in row {above}" for above, row in rows[: self.at] for text in _texts(row))
            options.findings.warn(
                "rows above the header", f"{where}: row {number} is the header; above it stood {told}"
            )


def find_header(rows: Sequence[Sequence[Any]], questions: Callable[[Sequence[str]], Sequence[str]]) -> HeaderRow:
    """The header among the first rows of a table.

    Args:
        rows: The first rows that are not blank, at least one.
        questions: Tells which of some names can be what the table is about.

    >>> find_header([["تقييم", None], ["question", "answer"], ["س", "ج"]], lambda names: "question" in names)
    HeaderRow(at=1, sure=True)
    """
    if is_header(rows[0], questions):
        return HeaderRow(0)
    first = bool(questions(_names(rows[0])))
    for index, cells in enumerate(rows[1:PEEK], start=1):
        if len(_texts(cells)) > first and questions(_names(cells)):
            return HeaderRow(index, all(len(_texts(above)) == 1 for above in rows[:index]))
    return HeaderRow(0)


def is_header(cells: Sequence[Any], questions: Callable[[Sequence[str]], Sequence[str]]) -> bool:
    """Beyond doubt: it has the column, and others beside it."""
    return len(_texts(cells)) > 1 and bool(questions(_names(cells)))


def _names(cells: Sequence[Any]) -> tuple[str, ...]:
    return read_header(cells).columns


def _texts(cells: Sequence[Any]) -> list[str]:
    return [text for cell in cells if (text := to_text(cell)) is not None]
