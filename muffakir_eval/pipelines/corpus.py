"""Read the passages that a retriever searches."""

from __future__ import annotations

import codecs
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

from muffakir_eval.datasets import RawTable, ReadOptions, read_table
from muffakir_eval.datasets.cells.text import CellError, as_list, metadata_value, to_text
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.reading.files import BOM, SourceFile
from muffakir_eval.datasets.tables import RawRow
from muffakir_eval.errors import DatasetError, DatasetFormatError, DatasetNotFoundError, DatasetRowError
from muffakir_eval.matching.documents import chunk_from
from muffakir_eval.pipelines.beir_corpus import beir_passages
from muffakir_eval.pipelines.corpus_columns import PassageColumns, text_columns
from muffakir_eval.records import RetrievedChunk
from muffakir_eval.text.identifiers import clean_id

__all__ = ["load_corpus"]

_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_PROSE = (".txt", ".md")


def load_corpus(
    path: str | PathLike[str],
    *,
    text_column: str | None = None,
    id_column: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
) -> list[RetrievedChunk]:
    """Read passages from a file.

    ``.jsonl``, ``.json``, ``.csv``, ``.tsv`` (each also ``.gz``), ``.xlsx``, ``.xls``, ``.parquet``: one
    passage per row, its text in ``text``, ``content``, ``passage``, ``النص``, …, its identifier in
    ``chunk_id``, ``id``, ``_id``, ``doc_id``, …, its document in ``source`` or ``source_file``. A ``title``
    is put in a line of its own before the text, so that it is searched too. All other columns are metadata.

    ``.txt``, ``.md``: one passage per paragraph, separated by blank lines; without identifiers, and with
    the name of the file as their document.

    A BEIR folder: the documents in its ``corpus.jsonl``, as :func:`read_beir` reads them.

    Args:
        path: The file, or the BEIR folder.
        text_column: Column of the text, where the names leave it open.
        id_column: Column of the identifier, likewise.
        encoding: Encoding of a text file that is not UTF-8, such as ``"cp1256"``.
        sheet: Sheet of a workbook by name or by index from 0. Without it, the only one with passages.

    Returns:
        The passages in the order of the file.

    Raises:
        DatasetNotFoundError: There is no such file.
        DatasetFormatError: The file cannot be read, or holds no passage.
        DatasetColumnError: No column is one of text, or several could be.
        DatasetRowError: A row has no text, or an identifier stands twice in one document.
    """
    file = Path(path)
    findings = Findings(fail_fast=True)
    options = _CorpusOptions(findings=findings, encoding=encoding, sheet=sheet, text_column=text_column)
    of_beir = beir_passages(file, findings)
    if of_beir is not None:
        passages = of_beir
        options.ignore(file, text_column=text_column, id_column=id_column, encoding=encoding, sheet=sheet)
    elif file.suffix.lower() in _PROSE:
        passages = _paragraphs(file, encoding)
        options.ignore(file, text_column=text_column, id_column=id_column, sheet=sheet)
    else:
        try:
            with closing(read_table(file, options)) as table:
                passages = _rows(table, text_column, id_column)
        except DatasetFormatError as error:
            raise _of_passages(error) from None
    for warning in findings.warnings:
        warnings.warn(warning, stacklevel=2)
    if not passages:
        raise DatasetFormatError("there is nothing in it", where=str(file), expected="at least one passage")
    return passages


@dataclass(frozen=True, slots=True, kw_only=True)
class _CorpusOptions(ReadOptions):
    """For readers that must tell a table from another by what it holds: here passages, not questions."""

    text_column: str | None = None

    def questions(self, columns: Sequence[str]) -> list[str]:
        """The columns that can be the passage."""
        return text_columns(columns, self.text_column)

    def ignore(self, file: Path, **given: object) -> None:
        """Warn of those options that were given and have no effect."""
        for option, value in given.items():
            if value is not None:
                self.ignored(option, value, str(file))


def _of_passages(error: DatasetFormatError) -> DatasetError:
    """The readers speak of questions, for which they are made."""
    if error.expected is None or "question" not in error.expected:
        return error
    return DatasetFormatError(error.found, where=error.where, expected="a table of passages", remedy=error.remedy)


def _paragraphs(path: Path, encoding: str | None) -> list[RetrievedChunk]:
    if not path.is_file():
        raise DatasetNotFoundError("there is no such file", where=str(path), remedy="check the path")
    file = SourceFile(path, "txt", False, encoding)
    try:
        codecs.lookup(file.text_encoding())
    except LookupError:
        raise DatasetFormatError(
            f"there is no encoding {encoding!r}",
            where=file.name,
            remedy='use a name that Python knows, such as "cp1256"',
        ) from None
    with file.reading(), file.open_text() as lines:
        text = lines.read().lstrip(BOM).replace("\r\n", "\n").replace("\r", "\n")
    found = (paragraph.strip() for paragraph in _BLANK_LINES.split(text))
    return [RetrievedChunk(text=paragraph, source=path.name) for paragraph in found if paragraph]


def _rows(table: RawTable, text_column: str | None, id_column: str | None) -> list[RetrievedChunk]:
    rows: Iterator[RawRow] = table.rows
    names = table.columns
    if names is None:
        held = list(rows)
        names = tuple(dict.fromkeys(chain.from_iterable(dict.fromkeys(tuple(cells) for _, _, cells in held))))
        rows = iter(held)
    if not names:
        return []
    columns = PassageColumns.chosen(names, table, text_column, id_column)
    if table.on_mapped is not None:
        table.on_mapped(columns.read)
    reader = _RowReader(table, columns)
    return [reader.passage(row) for row in rows]


class _RowReader:
    """Makes passages of the rows of one table, and sees that no identifier stands twice."""

    def __init__(self, table: RawTable, columns: PassageColumns) -> None:
        self._table = table
        self._columns = columns
        self._read = columns.read
        self._seen: dict[tuple[str, str | None], str] = {}
        self._row: RawRow = (0, 0, {})

    def passage(self, row: RawRow) -> RetrievedChunk:
        self._row = row
        cells, columns = row[2], self._columns
        text = self._text(columns.text)
        if text is None:
            raise self._error("the text is missing", columns.text, "fill it in, or delete the row")
        title = self._text(columns.title)
        metadata = {
            name: metadata_value(cell)
            for name, cell in cells.items()
            if name not in self._read and not (name in self._table.unnamed and cell is None)
        }
        if title is not None:
            text = f"{title}\n{text}"
            metadata[str(columns.title)] = title
        inner = cells.get(columns.metadata) if columns.metadata is not None else None
        if isinstance(inner, Mapping):
            metadata |= {str(key): metadata_value(item) for key, item in inner.items()}
        return self._named(RetrievedChunk(text=text, metadata=metadata), inner if isinstance(inner, Mapping) else {})

    def _named(self, passage: RetrievedChunk, inner: Mapping[str, Any]) -> RetrievedChunk:
        """The passage with identifier and document, from the columns or from its own metadata."""
        told = chunk_from({"page_content": "", "metadata": dict(inner)}) if inner else RetrievedChunk()
        columns, cells = self._columns, self._row[2]
        chunk_id = told.chunk_id
        if columns.chunk_id is not None:
            found = cells.get(columns.chunk_id)
            if isinstance(found, Mapping) or as_list(found) is not None:
                raise self._error(
                    "the identifier is a list or an object", columns.chunk_id, "make it a text or a number"
                )
            chunk_id = clean_id(found)
        source = told.source if columns.source is None else self._text(columns.source)
        if chunk_id is not None:
            self._refuse_second((chunk_id, source))
        return replace(passage, chunk_id=chunk_id, source=source)

    def _refuse_second(self, key: tuple[str, str | None]) -> None:
        if key in self._seen:
            raise self._error(
                f"the identifier {key[0]!r} stands in {self._seen[key]} already",
                self._columns.chunk_id,
                "give every passage an identifier of its own, or name the right column with id_column",
            )
        self._seen[key] = self._table.place(*self._row[:2])

    def _text(self, column: str | None) -> str | None:
        try:
            return None if column is None else to_text(self._row[2].get(column), self._table.truth)
        except CellError as error:
            raise self._error(error.found, column, error.remedy or "correct the cell") from None

    def _error(self, found: str, column: str | None, remedy: str) -> DatasetRowError:
        row, line, _ = self._row
        return DatasetRowError(
            found, row=row, column=column, where=self._table.source, remedy=remedy, place=self._table.place(row, line)
        )
