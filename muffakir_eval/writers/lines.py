"""Lines and tables of plain characters."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

__all__ = ["Line", "heading", "plain", "table", "wrapped"]

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_DIRECTIONS = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
"""Invisible signs that turn round what follows them, to the end of the line and beyond our own words."""
_TO_SPACES = str.maketrans("\t\n", "  ")


class Line(NamedTuple):
    """A line of a report, and how it looks where there are colours."""

    text: str
    style: str = ""


def heading(text: str, style: str = "bold") -> Iterator[Line]:
    """An empty line and a heading."""
    yield Line("")
    yield Line(text, style)


def wrapped(text: str, width: int, style: str = "") -> Iterator[Line]:
    """A sentence in lines of at most ``width`` columns; what is too long for a line stays whole."""
    for line in textwrap.wrap(
        plain(text), width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    ):
        yield Line(line, style)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, left: set[int]) -> Iterator[Line]:
    """Aligned columns, two spaces apart, as wide as they need to be."""
    from rich.cells import cell_len

    grid = [[plain(cell).translate(_TO_SPACES) for cell in row] for row in (columns, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*grid, strict=True)]
    for number, row in enumerate(grid):
        cells = []
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - cell_len(cell))
            cells.append(cell + space if place in left else space + cell)
        yield Line("  ".join(cells).rstrip(), "" if number else "bold")
        if not number:
            yield Line("-" * (sum(widths) + 2 * (len(widths) - 1)))


def plain(text: str) -> str:
    """``text`` without the characters that would steer a terminal."""
    return _CONTROLS.sub("?", _DIRECTIONS.sub("", text))
