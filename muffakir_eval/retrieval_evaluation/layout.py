"""Figures as lines that people read in a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

__all__ = ["aligned", "number", "printable"]

_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def number(value: float | None) -> str:
    """Four decimals; nothing where there is no value."""
    return "" if value is None else f"{value:.4f}"


def aligned(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    r"""The first column to the left, the others to the right, each as wide as it has to be.

    >>> print("\n".join(aligned(["metric", "@10"], [["ndcg", "0.5000"]])))
    metric     @10
    --------------
    ndcg    0.5000
    """
    from rich.cells import cell_len

    grid = [[_CONTROLS.sub("?", cell) for cell in row] for row in (columns, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*grid, strict=True)]
    for place, row in enumerate(grid):
        spaces = [" " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = [row[0] + spaces[0], *(space + cell for space, cell in zip(spaces[1:], row[1:], strict=True))]
        yield "  ".join(cells).rstrip()
        if not place:
            yield "-" * (sum(widths) + 2 * (len(widths) - 1))


def printable(text: str, encoding: str | None) -> str:
    """``text`` without what steers a terminal or what an output in ``encoding`` cannot hold."""
    plain = _CONTROLS.sub("?", text)
    return plain if encoding is None else plain.encode(encoding, "replace").decode(encoding)
