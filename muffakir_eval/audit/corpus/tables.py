"""Tables of chunks, streamed row by row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice

from muffakir_eval.audit.corpus.corpus import Entry
from muffakir_eval.audit.corpus.intake import Intake
from muffakir_eval.datasets import RawTable
from muffakir_eval.datasets.columns.aliases import fold_name
from muffakir_eval.datasets.tables import RawRow
from muffakir_eval.errors import DatasetRowError
from muffakir_eval.pipelines.corpus_columns import PassageColumns, text_columns
from muffakir_eval.pipelines.corpus_rows import Passage, PassageReader

__all__ = ["TableColumns", "table_entries"]

_PEEK = 1000
"""Rows that tell which columns there are, where each row brings its own."""

_VECTORS = frozenset(map(fold_name, ("embedding", "embeddings", "vector", "vectors", "dense_vector", "sparse_vector")))
"""Columns that hold what no audit of texts looks at, and far more of it than there is text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumns:
    """Which columns the user names; ``None`` leaves it to their names."""

    text: str | None = None
    chunk_id: str | None = None


def table_entries(table: RawTable, label: str, given: TableColumns, intake: Intake) -> Iterator[Entry]:
    """The chunks in a table.

    Where every row has columns of its own, as in JSON Lines, the first thousand rows say which one is the
    text. A later row that has no such column, but another that could be it, is set aside.

    Args:
        table: The rows.
        label: File and sheet as places name them, empty for a table in memory.
        given: What the user says about columns.
        intake: Where rows that cannot be read go.

    Raises:
        DatasetColumnError: No column is the text, several could be, or the one that the user named is not there.
    """
    rows, names = table.rows, table.columns
    loose = names is None
    if names is None:
        first = list(islice(rows, _PEEK))
        names = tuple(dict.fromkeys(chain.from_iterable(dict.fromkeys(tuple(cells) for _, _, cells in first))))
        rows = chain(first, rows)
    if not names:
        return
    columns = PassageColumns.chosen(names, table, given.text, given.chunk_id)
    if table.on_mapped is not None:
        table.on_mapped(columns.read)
    place = _placing(table, label)
    reader = _Reader(table, columns, names)
    passage = reader.loose if loose else reader.fixed
    for row in rows:
        try:
            found = passage(row)
        except DatasetRowError as error:
            intake.reject(error)
        else:
            yield found, place(row[0], row[1])


def _placing(table: RawTable, label: str) -> Callable[[int, int], str]:
    prefix = f"{label}, " if label else ""
    return lambda row, line: prefix + table.place(row, line)


class _Reader:
    """Reads rows, and learns of columns that turn up late."""

    def __init__(self, table: RawTable, columns: PassageColumns, names: Collection[str]) -> None:
        self._table = table
        self._columns = columns
        self._names = set(names)
        self._learn()

    def _learn(self) -> None:
        vectors = [name for name in self._names if fold_name(name) in _VECTORS and name not in self._columns.read]
        self._reader = PassageReader(self._table, self._columns, blank=True, left_out=vectors)
        self.fixed = self._reader.passage

    def loose(self, row: RawRow) -> Passage:
        """A row that brings its own columns."""
        cells = row[2]
        if not self._names.issuperset(cells):
            self._names.update(cells)
            self._columns = self._columns.extended(list(cells))
            self._learn()
        if self._columns.text not in cells:
            self._refuse_other_text(row, cells)
        return self.fixed(row)

    def _refuse_other_text(self, row: RawRow, cells: Mapping[str, object]) -> None:
        others = text_columns(list(cells))
        if others:
            raise self._reader.error(
                row,
                f"there is no {self._columns.text!r}, which holds the text of the rows before, but {others[0]!r}",
                self._columns.text,
                "call the text the same in every row",
            )
