"""Datasets that are in memory already: frames, and lists or generators of whatever holds a question.

Rows are called items and numbered from 1.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from muffakir_eval.datasets.cells.text import shown
from muffakir_eval.datasets.columns.aliases import FIELD_KEYS, fold_name
from muffakir_eval.datasets.reading.headers import read_header
from muffakir_eval.datasets.reading.json_document import rows_of
from muffakir_eval.datasets.tables import RawRow, RawTable, ReadOptions
from muffakir_eval.errors import DatasetRowError
from muffakir_eval.text.identifiers import is_missing

__all__ = ["is_frame", "is_one_object", "read_frame", "read_items", "read_mapping_object", "source_of"]

_STAND_INS: dict[str, object] = {"chunk_ids": 0, "source_file": "unknown"}
"""Defaults of generated question-answer pairs that say "not known", by field."""

_TO_ROWS = ("to_dicts", "to_pylist")
_FIELDS = {fold_name(key): field for key, field in FIELD_KEYS.items()}


def is_frame(value: Any) -> bool:
    """A pandas frame, or something that turns into rows or into one."""
    return _is_pandas(value) or any(callable(getattr(type(value), name, None)) for name in (*_TO_ROWS, "to_pandas"))


def is_one_object(value: Any) -> bool:
    """A dataclass or pydantic object: one row, however it iterates."""
    return (dataclasses.is_dataclass(value) and not isinstance(value, type)) or hasattr(type(value), "model_fields")


def read_frame(frame: Any) -> RawTable:
    """A table over a pandas frame, or over anything that turns into rows or into one.

    Rows are taken as they are where the object offers that (``to_dicts``, ``to_pylist``), since pandas
    turns whole numbers beside blanks into floats and loses digits of long ones.
    """
    source = source_of(frame)
    for name in _TO_ROWS:
        convert = getattr(frame, name, None)
        if callable(convert):
            listed = ((number, 0, row) for number, row in enumerate(convert(), start=1))
            return RawTable(source=source, rows=listed, unit="item")
    if not _is_pandas(frame):
        frame = frame.to_pandas()
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    names = [_flat(name) for name in frame.columns]
    header = read_header(names)
    columns = [frame.iloc[:, position].tolist() for position in range(len(names))]

    def rows() -> Iterator[RawRow]:
        for number, cells in enumerate(zip(*columns, strict=True), start=1):
            values = {name: _plain(cell) for name, cell in zip(header.columns, cells, strict=True)}
            if any(value is not None for value in values.values()):
                yield number, 0, values

    return RawTable(
        source=source,
        rows=rows(),
        columns=header.columns,
        repeated=header.repeated,
        unnamed=header.unnamed,
        unit="item",
    )


def _is_pandas(frame: Any) -> bool:
    return type(frame).__module__.partition(".")[0] == "pandas" and hasattr(frame, "columns")


def _flat(name: Any) -> str:
    return ".".join(str(part) for part in name if str(part)) if isinstance(name, tuple) else str(name)


def _plain(cell: Any) -> Any:
    """A cell of a frame; NaN, NaT and NA are missing, a text is what it is."""
    return None if not isinstance(cell, str) and is_missing(cell) else cell


def read_mapping_object(value: Mapping[str, Any], options: ReadOptions) -> RawTable:
    """A table over one dict: columns, a wrapper around a list, or a single sample."""
    return RawTable(source="the dict", rows=rows_of(value, "the dict", options), unit="item")


def read_items(items: Iterable[Any], source: str, options: ReadOptions) -> RawTable:
    """A table over dicts, dataclasses, pydantic objects, named tuples or plain objects; read once."""
    return RawTable(source=source, rows=_rows(items, source, options), unit="item")


def source_of(value: object) -> str:
    """What an object in memory is called in messages."""
    return f"the {type(value).__name__}"


def _rows(items: Iterable[Any], source: str, options: ReadOptions) -> Iterator[RawRow]:
    for number, item in enumerate(items, start=1):
        row = _row(item)
        if row is not None:
            yield number, 0, row
            continue
        options.findings.reject(
            DatasetRowError(
                f"the item is {shown(item)}",
                row=number,
                where=source,
                expected="a dict, a dataclass, a pydantic object, or an object with a question",
                remedy="turn the items into dicts",
                place=f"item {number}",
            )
        )


def _row(item: Any) -> dict[str, Any] | None:
    if isinstance(item, Mapping):
        return {str(key): value for key, value in item.items()}
    if isinstance(item, (str, bytes, int, float, list, type, type(None))):
        return None
    if hasattr(type(item), "model_fields"):
        return _pydantic_row(item)
    if dataclasses.is_dataclass(item):
        return _dataclass_row(item)
    if hasattr(type(item), "_asdict"):
        return {str(key): value for key, value in item._asdict().items()}
    return None if isinstance(item, (tuple, set, frozenset)) else _attributes(item) or None


def _attributes(item: Any) -> dict[str, Any]:
    """What an object holds: its own values, its slots, and what its properties compute."""
    found = dict(getattr(item, "__dict__", {}))
    for kind in reversed(type(item).__mro__):
        slots = vars(kind).get("__slots__", ())
        computed = [name for name, value in vars(kind).items() if isinstance(value, (property, cached_property))]
        for name in (*((slots,) if isinstance(slots, str) else slots), *computed):
            if name[:1] != "_" and hasattr(item, name):
                found.setdefault(name, getattr(item, name))
    return found


def _pydantic_row(item: Any) -> dict[str, Any]:
    """The fields of a pydantic object, without defaults that were never set and say nothing."""
    fields, given = type(item).model_fields, item.model_fields_set
    row = {}
    for name, value in item:  # declared fields, then extra ones
        made_up = name not in given and (fields[name].default_factory is not None or _is_stand_in(name, value))
        if not made_up:
            row[name] = value
    return row


def _dataclass_row(item: Any) -> dict[str, Any]:
    """The fields of a dataclass, without defaults that say "not known"."""
    row = {}
    for field in dataclasses.fields(item):
        value = getattr(item, field.name)
        if not (_is_stand_in(field.name, value) and field.default == value):
            row[field.name] = value
    return row


def _is_stand_in(name: str, value: object) -> bool:
    stand_in = _STAND_INS.get(_FIELDS.get(fold_name(name), ""))
    return stand_in is not None and type(value) is type(stand_in) and value == stand_in
