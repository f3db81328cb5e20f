"""Read the passages that a retriever searches."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from os import PathLike
from pathlib import Path

from muffakir_eval.datasets import RawTable, read_table
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.tables import RawRow
from muffakir_eval.errors import DatasetFormatError
from muffakir_eval.pipelines.beir_corpus import beir_passages
from muffakir_eval.pipelines.corpus_columns import PassageColumns
from muffakir_eval.pipelines.corpus_reading import PROSE, CorpusOptions, of_passages, paragraphs, prose_file
from muffakir_eval.pipelines.corpus_rows import PassageReader
from muffakir_eval.records import RetrievedChunk

__all__ = ["load_corpus"]


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
    options = CorpusOptions(findings=findings, encoding=encoding, sheet=sheet, text_column=text_column)
    of_beir = beir_passages(file, findings)
    if of_beir is not None:
        passages = of_beir
        options.ignore(str(file), text_column=text_column, id_column=id_column, encoding=encoding, sheet=sheet)
    elif file.suffix.lower() in PROSE:
        found = paragraphs(prose_file(file, encoding))
        passages = [RetrievedChunk(text=text, source=file.name) for _, text in found]
        options.ignore(str(file), text_column=text_column, id_column=id_column, sheet=sheet)
    else:
        try:
            with closing(read_table(file, options)) as table:
                passages = _rows(table, text_column, id_column)
        except DatasetFormatError as error:
            raise of_passages(error) from None
    for warning in findings.warnings:
        warnings.warn(warning, stacklevel=2)
    if not passages:
        raise DatasetFormatError("there is nothing in it", where=str(file), expected="at least one passage")
    return passages


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
    reader = PassageReader(table, columns)
    seen: dict[tuple[str, str | None], str] = {}
    passages = []
    for row in rows:
        passage = reader.passage(row)
        if passage.chunk_id is not None:
            key = (passage.chunk_id, passage.source)
            if key in seen:
                raise reader.error(
                    row,
                    f"the identifier {passage.chunk_id!r} stands in {seen[key]} already",
                    columns.chunk_id,
                    "give every passage an identifier of its own, or name the right column with id_column",
                )
            seen[key] = table.place(*row[:2])
        passages.append(passage.chunk())
    return passages
