"""One row of a corpus, as the passage that it holds."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from muffakir_eval.datasets import RawTable
from muffakir_eval.datasets.cells.text import CellError, as_list, metadata_value, to_text
from muffakir_eval.datasets.tables import RawRow
from muffakir_eval.errors import DatasetRowError
from muffakir_eval.matching.documents import chunk_from
from muffakir_eval.pipelines.corpus_columns import PassageColumns
from muffakir_eval.records import RetrievedChunk
from muffakir_eval.text.identifiers import clean_id

__all__ = ["Passage", "PassageReader"]


class Passage(NamedTuple):
    """What a row, or an entry of an index, says.

    Attributes:
        text: The text as it is searched: a title stands in a line of its own before it.
        chunk_id: Its identifier, ``None`` where it has none.
        source: The document that it comes from.
        metadata: Whatever else the row holds.
    """

    text: str
    chunk_id: str | None
    source: str | None
    metadata: Mapping[str, Any]

    def chunk(self) -> RetrievedChunk:
        """The passage as a retriever would return it."""
        return RetrievedChunk(text=self.text, chunk_id=self.chunk_id, source=self.source, metadata=dict(self.metadata))


class PassageReader:
    """Makes passages of the rows of one table.

    Args:
        table: Where the rows come from.
        columns: What its columns are.
        blank: A row without a text is a passage too, one whose text is empty.
        left_out: Columns that are not even metadata.
    """

    def __init__(
        self, table: RawTable, columns: PassageColumns, *, blank: bool = False, left_out: Collection[str] = ()
    ) -> None:
        self._table = table
        self._columns = columns
        self._read = columns.read.union(left_out)
        self._blank = blank

    def passage(self, row: RawRow) -> Passage:
        """The passage in ``row``.

        Raises:
            DatasetRowError: It has no text and needs one, or one of its cells is no text.
        """
        cells, columns = row[2], self._columns
        text = self._passage_text(row)
        title = self._text(row, columns.title)
        unnamed, read = self._table.unnamed, self._read
        metadata = {
            name: metadata_value(cell)
            for name, cell in cells.items()
            if name not in read and not (cell is None and name in unnamed)
        }
        if title is not None:
            text = f"{title}\n{text}" if text else title
            metadata[str(columns.title)] = title
        inner = cells.get(columns.metadata) if columns.metadata is not None else None
        if not isinstance(inner, Mapping) or not inner:
            return Passage(text, self._chunk_id(row, None), self._source(row, None), metadata)
        metadata |= {str(key): metadata_value(item) for key, item in inner.items()}
        told = chunk_from({"page_content": "", "metadata": dict(inner)})
        return Passage(text, self._chunk_id(row, told.chunk_id), self._source(row, told.source), metadata)

    def _passage_text(self, row: RawRow) -> str:
        column = self._columns.text
        raw = row[2].get(column)
        if self._blank and type(raw) is str:
            return raw
        text = self._text(row, column)
        if text is None and not self._blank:
            raise self.error(row, "the text is missing", column, "fill it in, or delete the row")
        return text or ""

    def _chunk_id(self, row: RawRow, told: str | None) -> str | None:
        """The identifier, from its column or from the passage's own metadata."""
        column = self._columns.chunk_id
        if column is None:
            return told
        found = row[2].get(column)
        if type(found) is not str and (isinstance(found, Mapping) or as_list(found) is not None):
            raise self.error(row, "the identifier is a list or an object", column, "make it a text or a number")
        return clean_id(found)

    def _source(self, row: RawRow, told: str | None) -> str | None:
        return told if self._columns.source is None else self._text(row, self._columns.source)

    def _text(self, row: RawRow, column: str | None) -> str | None:
        try:
            return None if column is None else to_text(row[2].get(column), self._table.truth)
        except CellError as error:
            raise self.error(row, error.found, column, error.remedy or "correct the cell") from None

    def error(self, row: RawRow, found: str, column: str | None, remedy: str) -> DatasetRowError:
        """The error for what is wrong in ``row``."""
        number, line, _ = row
        return DatasetRowError(
            found,
            row=number,
            column=column,
            where=self._table.source,
            remedy=remedy,
            place=self._table.place(number, line),
        )
