"""Passages in a cell: texts, or objects that carry their identifier and source."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from muffakir_eval.datasets.cells.lists import list_in_text, numbered_passages, object_in_text, text_list_in_text
from muffakir_eval.datasets.cells.text import (
    PYTHON_TRUTH,
    CellError,
    as_list,
    is_plain,
    metadata_value,
    shown,
    to_id,
    to_number,
    to_text,
)
from muffakir_eval.text.identifiers import is_missing

__all__ = ["Groups", "Passage", "gold_passages", "grouped", "id_items", "passage_items", "retrieved_passages"]

Groups = tuple[tuple[int, ...], ...]
_TEXT_KEYS = ("text", "page_content", "content", "chunk_text", "passage", "context")
_OWN_ID_KEYS = ("chunk_id", "chunkId")
_ID_KEYS = (*_OWN_ID_KEYS, "id")
_SOURCE_KEYS = ("source", "source_file", "file_name", "filename")


class Passage(NamedTuple):
    """One passage, gold or retrieved."""

    text: str
    chunk_id: str | None = None
    source: str | None = None
    score: float | None = None
    metadata: Mapping[str, Any] = {}


def passage_items(value: Any) -> list[Any]:
    """The passages in a cell, each as it stands there; nested lists are left nested.

    Raises:
        CellError: The cell looks like a list and does not parse.
    """
    if isinstance(value, str):
        if is_plain(value):
            return [value]
        return [] if is_missing(value) else _items_in_text(value)
    if isinstance(value, Mapping):
        return [value]
    items = as_list(value)
    if items is not None:
        return items
    return [] if is_missing(value) else [value]


def _items_in_text(text: str) -> list[Any]:
    items = text_list_in_text(text)
    if items is not None and all(isinstance(item, (str, dict, list)) or item is None for item in items):
        return items
    numbered = numbered_passages(text)
    if numbered is not None:
        return list(numbered)
    spelled = object_in_text(text)
    return [spelled] if spelled is not None and _first(spelled, _TEXT_KEYS) is not None else [text]


def gold_passages(values: Sequence[Any], truth: tuple[str, str] = PYTHON_TRUTH) -> tuple[list[Passage], Groups]:
    """The gold passages in the cells of one row, and which of them are alternatives.

    Raises:
        CellError: An item is no passage, or one of several is empty.
    """
    items, groups = grouped([item for value in values for item in passage_items(value)])
    passages = [_passage(item, number, truth) for number, item in enumerate(items, start=1)]
    empty = [number for number, passage in enumerate(passages, start=1) if not passage.text.strip()]
    if len(empty) == len(passages):
        return [], ()
    if empty:
        raise CellError(
            f"passage {empty[0]} of {len(passages)} is empty", remedy="fill it in, or take it out of the list"
        )
    return passages, groups


def retrieved_passages(values: Sequence[Any], truth: tuple[str, str] = PYTHON_TRUTH) -> list[Passage]:
    """The retrieved passages in the cells of one row, in rank order; an empty one keeps its rank.

    Raises:
        CellError: An item is no passage.
    """
    items = [item for value in values for item in passage_items(value)]
    return [_passage(item, number, truth) for number, item in enumerate(items, start=1)]


def grouped(items: Sequence[Any]) -> tuple[list[Any], Groups]:
    """``[["a", "b"], "c"]`` flattened, with the positions that stand for one gold each.

    >>> grouped([["a", "b"], "c"]), grouped(["a", "b"])
    ((['a', 'b', 'c'], ((0, 1), (2,))), (['a', 'b'], ()))
    """
    flat: list[Any] = []
    groups: list[tuple[int, ...]] = []
    for item in items:
        inner = as_list(item)
        start = len(flat)
        flat += [item] if inner is None else inner
        if len(flat) > start:
            groups.append(tuple(range(start, len(flat))))
    return flat, tuple(groups) if any(len(group) > 1 for group in groups) else ()


def _passage(item: Any, number: int, truth: tuple[str, str]) -> Passage:
    if isinstance(item, str):
        return Passage(item)
    if isinstance(item, Mapping):
        return _from_mapping(item, number)
    if as_list(item) is not None:
        raise CellError(f"passage {number} is a list within a list, {shown(item)}", expected="a text or an object")
    parts = _parts(item)
    if parts is not None:
        return _from_mapping(parts, number)
    return Passage(to_text(item, truth) or "")


def _parts(item: Any) -> dict[str, Any] | None:
    """The named parts of a document, a dataclass or a pydantic object; ``None`` for a plain value."""
    if isinstance(getattr(item, "page_content", None), str):
        return {"page_content": item.page_content, "metadata": getattr(item, "metadata", None) or {}}
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        return {field.name: getattr(item, field.name) for field in dataclasses.fields(item)}
    if hasattr(type(item), "model_fields"):
        return {str(name): value for name, value in item}
    return None


def _first(values: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((values[key] for key in keys if not is_missing(values.get(key))), None)


def _from_mapping(item: Mapping[str, Any], number: int) -> Passage:
    inner = item.get("metadata")
    details = inner if isinstance(inner, Mapping) else {}
    # a plain `id` comes last: frameworks fill it with a random value
    identifiers = (_first(item, _OWN_ID_KEYS), _first(details, _ID_KEYS), item.get("id"))
    identifier = next((name for value in identifiers if (name := to_id(value)) is not None), None)
    text = _first(item, _TEXT_KEYS)
    if text is None and identifier is None:
        raise CellError(
            f"passage {number} is an object without a text, {shown(dict(item))}",
            expected="a text, or an object with 'text' or 'page_content'",
        )
    source = to_text(_first(item, _SOURCE_KEYS)) or to_text(_first(details, _SOURCE_KEYS))
    used = {*_TEXT_KEYS, *_ID_KEYS, *_SOURCE_KEYS, "score", "metadata"}
    rest = {key: value for key, value in item.items() if key not in used}
    return Passage(
        text=to_text(text) or "",
        chunk_id=identifier,
        source=source,
        score=to_number(item.get("score")),
        metadata=metadata_value({**details, **rest}),
    )


def id_items(value: Any) -> list[Any] | Mapping[str, Any]:
    """The identifiers in a cell: a list, or an object of identifiers and grades.

    Raises:
        CellError: The cell looks like a list or an object and does not parse.
    """
    if isinstance(value, str):
        bare = value.strip()
        if bare[:1] == "{" and bare[-1:] == "}":
            spelled = object_in_text(bare)
            if spelled is None:
                raise CellError(f"{shown(value)} looks like an object and does not parse", remedy='write {"id": grade}')
            return spelled
        items = list_in_text(value)
        return [value] if items is None and bare else items or []
    if isinstance(value, Mapping):
        return value
    items = as_list(value)
    if items is not None:
        return items
    return [] if is_missing(value) else [value]
