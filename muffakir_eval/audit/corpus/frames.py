"""Frames of chunks, in slices: a frame turned into rows as a whole would stand in memory twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from muffakir_eval.audit.corpus.corpus import Entry, Source
from muffakir_eval.audit.corpus.intake import Intake
from muffakir_eval.audit.corpus.tables import TableColumns, table_entries
from muffakir_eval.datasets.reading.memory import read_frame, source_of
from muffakir_eval.datasets.tables import RawRow, RawTable

__all__ = ["frame_source"]

_SLICE = 2000


def frame_source(frame: Any, given: TableColumns) -> Source:
    """A pandas frame, or anything that turns into rows or into one."""
    length = len(frame) if hasattr(type(frame), "__len__") else None
    name = f"{type(frame).__name__}{'' if length is None else f' of {length} rows'}"
    return Source(name=name, read=lambda intake: _entries(frame, length, given, intake), total=length)


def _entries(frame: Any, length: int | None, given: TableColumns, intake: Intake) -> Iterator[Entry]:
    row_by_row = _row_by_row(frame)
    if row_by_row is not None:
        yield from table_entries(row_by_row, "", given, intake)
        return
    pieces = _pieces(frame, length)
    at, piece = next(pieces)
    table = read_frame(piece)

    def rows() -> Iterator[RawRow]:
        for start, part in chain([(at, table)], ((start, read_frame(part)) for start, part in pieces)):
            for number, line, cells in part.rows:
                yield start + number, line, cells

    # the name of the piece is that of the whole
    whole = replace(table, rows=rows(), source=source_of(frame))
    yield from table_entries(whole, "", given, intake)


def _row_by_row(frame: Any) -> RawTable | None:
    """A table over something that iterates over its rows, as the data sets of Hugging Face do."""
    if hasattr(frame, "iloc") or hasattr(frame, "slice") or not isinstance(frame, Iterable):
        return None
    if not isinstance(next(iter(frame), None), Mapping):
        return None
    rows = ((number, 0, dict(row)) for number, row in enumerate(frame, start=1))
    return RawTable(source=source_of(frame), rows=rows, unit="item")


def _pieces(frame: Any, length: int | None) -> Iterator[tuple[int, Any]]:
    """Where each slice begins, and the slice; at least one, as the columns of an empty frame count too."""
    rows = getattr(frame, "iloc", None)
    cut = getattr(frame, "slice", None)  # polars, pyarrow
    if length is None or (rows is None and not callable(cut)):
        yield 0, frame
        return
    for start in range(0, max(length, 1), _SLICE):
        yield start, frame.slice(start, _SLICE) if rows is None else rows[start : start + _SLICE]
