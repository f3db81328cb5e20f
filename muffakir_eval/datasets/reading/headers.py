"""Headers of tables: names made unique, and stand-ins for those without a name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from muffakir_eval.datasets.cells.text import to_text
from muffakir_eval.datasets.reading.files import BOM

__all__ = ["Header", "read_header"]


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
