"""One JSON document, and the same shapes as Python objects in memory.

* a list of objects;
* one object that is a sample;
* columns: ``{"question": [...], "answer": [...]}``, also as pandas writes them
  (``{"question": {"0": …}, "answer": {"0": …}}``);
* a wrapper around a list of objects: ``{"data": [...]}``, ``{"cases": [...], "version": 1}``. Of several
  lists the one whose objects have a question is taken;
* SQuAD: articles with ``paragraphs`` with ``qas`` (:mod:`muffakir_eval.datasets.reading.squad`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from muffakir_eval.datasets.cells.strict_json import JsonReader
from muffakir_eval.datasets.cells.text import as_list, shown
from muffakir_eval.datasets.columns.aliases import ANSWER_NAMES, TIERS, fold_name
from muffakir_eval.datasets.reading.files import BOM, SourceFile, nothing_in
from muffakir_eval.datasets.reading.jsonl import read_jsonl
from muffakir_eval.datasets.reading.squad import articles_of, squad_rows
from muffakir_eval.datasets.tables import RawRow, RawTable, ReadOptions
from muffakir_eval.errors import DatasetFormatError, DatasetRowError

__all__ = ["read_json", "rows_of"]

_BELONGS = frozenset(
    fold_name(name)
    for names in (*TIERS["answers"], ANSWER_NAMES, *TIERS["contexts"][:2], *TIERS["chunk_ids"][:2])
    for name in names.split()
)


def read_json(file: SourceFile, options: ReadOptions) -> RawTable:
    """A table over the samples in a JSON file.

    A file of JSON Lines that is called ``.json`` is read as what it is, with a warning.

    Raises:
        DatasetFormatError: It is not JSON, or not in one of the shapes above.
    """
    with file.reading(), file.open_text() as lines:
        text = lines.read().lstrip(BOM)
    if not text.strip():
        raise nothing_in("the file", file.name)
    reader = JsonReader()
    try:
        value = reader.decode(text)
    except ValueError as error:
        if _is_jsonl(error, text):
            options.findings.warn("suffix", f"{file.name}: read as JSON Lines, which it is in spite of its suffix")
            return read_jsonl(file, options)
        raise DatasetFormatError(
            f"the file is not valid JSON: {error}",
            where=file.name,
            remedy="correct it there; a JSON checker shows the place",
        ) from None
    if reader.constants:
        options.findings.warn(
            "number that is none",
            f"{file.name}: {len(reader.constants)} times {' or '.join(sorted(set(reader.constants)))}, "
            "which is no JSON and reads as missing",
        )
    rows = rows_of(value, file.name, options)
    return RawTable(source=file.name, rows=rows, unit="item", truth=("true", "false"))


def _is_jsonl(error: ValueError, text: str) -> bool:
    """The document ends with its first line, and the next one begins another object."""
    if not isinstance(error, json.JSONDecodeError) or not error.msg.startswith("Extra data"):
        return False
    return text[error.pos :].startswith("{") and "\n" not in text[: error.pos].strip()


def rows_of(value: Any, source: str, options: ReadOptions) -> Iterator[RawRow]:
    """The rows in a document.

    Raises:
        DatasetFormatError: It has none of the known shapes, or nothing in it.
    """
    articles = articles_of(value)
    if articles is not None:
        return squad_rows(articles, source)
    if isinstance(value, Mapping):
        return iter(_rows_of_object(value, source, options))
    if isinstance(value, list):
        return _objects(value, source, options)
    raise DatasetFormatError(
        f"the document is {shown(value)}",
        where=source,
        expected="a list of objects, or an object that holds one",
        remedy='write the questions as [{"question": "…", "answer": "…"}, …]',
    )


def _objects(items: Sequence[Any], source: str, options: ReadOptions) -> Iterator[RawRow]:
    for number, item in enumerate(items, start=1):
        if isinstance(item, Mapping):
            yield number, 0, item if type(item) is dict else dict(item)
            continue
        options.findings.reject(
            DatasetRowError(
                f"the item is no object but {shown(item)}",
                row=number,
                where=source,
                expected='an object such as {"question": "…", "answer": "…"}',
                remedy="correct the list",
                place=f"item {number}",
            )
        )


def _rows_of_object(value: Mapping[str, Any], source: str, options: ReadOptions) -> Iterator[RawRow]:
    columns = _columns(value, source, options)
    if columns is not None:
        return _from_columns(columns, source)
    questions = options.questions([str(name) for name in value])
    wrapped = {name: items for name, items in value.items() if _is_list_of_objects(items)}
    if any(isinstance(value.get(name), (str, int, float)) for name in questions):  # lists in it are its passages
        return _objects([value], source, options)
    if not wrapped:
        only_empty = not questions and any(items == [] for items in value.values())
        return iter(()) if only_empty or not value else _objects([value], source, options)
    chosen = wrapped if len(wrapped) == 1 else _with_questions(wrapped, options)
    if len(chosen) != 1:
        raise DatasetFormatError(
            f"the file holds several lists: {', '.join(map(repr, wrapped))}, "
            f"and {'none' if not chosen else 'more than one'} of them has questions",
            where=source,
            expected="one list of objects with a question",
            remedy="keep only the list of questions, or say with column_mapping which key is the question",
        )
    (name, items), *_ = chosen.items()
    if len(value) > 1:
        options.findings.notes.append(f"the list {name!r} of the document is read, nothing else of it")
    return _objects(items, source, options)


def _is_list_of_objects(items: Any) -> bool:
    return isinstance(items, list) and bool(items) and all(isinstance(item, Mapping) for item in items)


def _with_questions(lists: Mapping[str, Any], options: ReadOptions) -> dict[str, Any]:
    return {
        name: items
        for name, items in lists.items()
        if options.questions(list(dict.fromkeys(str(key) for item in items for key in item)))
    }


def _columns(value: Mapping[str, Any], source: str, options: ReadOptions) -> dict[str, list[Any]] | None:
    """The columns of a column-oriented document, ``None`` where it is none."""
    columns: dict[str, list[Any]] = {}
    labels: list[str] | None = None
    for name, cells in value.items():
        if isinstance(cells, Mapping):
            labels = list(cells) if labels is None else labels
            columns[str(name)] = [cells.get(label) for label in labels]
        else:
            items = as_list(cells)
            if items is not None:
                columns[str(name)] = items
    columns = _without_wrapped(columns, options)
    questions = options.questions(list(columns))
    if not questions or any(isinstance(cell, (Mapping, list)) for cell in columns[questions[0]]):
        return None
    others = [name for name in map(str, value) if name not in columns]
    if others:
        _refuse_known(value, others, source)
        options.findings.notes.append(f"not read, as they are no columns: {', '.join(map(repr, others))}")
    return columns


def _refuse_known(value: Mapping[str, Any], others: Sequence[str], source: str) -> None:
    """What belongs to the questions must not be left out; a version or a description may."""
    for name in others:
        if fold_name(name) in _BELONGS:
            raise DatasetFormatError(
                f"{name!r} is {shown(value[name])}, while the questions are a list",
                where=source,
                expected="a list of the same length",
                remedy="give it an entry per question",
            )


def _without_wrapped(columns: dict[str, list[Any]], options: ReadOptions) -> dict[str, list[Any]]:
    """Without lists of objects that are no column: they are not as long as the question's."""
    questions = options.questions(list(columns))
    length = len(columns[questions[0]]) if questions else 0
    return {name: items for name, items in columns.items() if len(items) == length or not _is_list_of_objects(items)}


def _from_columns(columns: Mapping[str, list[Any]], source: str) -> Iterator[RawRow]:
    lengths = {name: len(cells) for name, cells in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name!r} {length}" for name, length in lengths.items())
        raise DatasetFormatError(
            f"the columns are of different lengths: {told}", where=source, remedy="give every column an entry per row"
        )
    for number, cells in enumerate(zip(*columns.values(), strict=True), start=1):
        yield number, 0, dict(zip(columns, cells, strict=True))
