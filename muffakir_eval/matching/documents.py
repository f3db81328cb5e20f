"""One retrieved passage, from whatever a retriever, framework or file calls one.

Known by their shape, so that no library is imported: texts, dicts, LangChain documents
(``page_content``, ``metadata``), LlamaIndex nodes with or without score, Haystack documents
(``content``, ``meta``), search hits with a ``payload``, and pairs ``(chunk, score)``.
"""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from muffakir_eval.errors import PipelineOutputError
from muffakir_eval.records import RetrievedChunk
from muffakir_eval.text.identifiers import clean_id

__all__ = ["chunk_from"]

_TEXT = ("page_content", "text", "content", "chunk_text", "chunk", "document", "passage")
_METADATA = ("metadata", "meta", "payload")
_OWN_ID = ("chunk_id", "chunkId")
_METADATA_ID = ("chunk_id", "chunkId", "id")
_OBJECT_ID = ("id", "node_id", "id_", "_id")
_SOURCE = ("source", "source_file", "file_name", "filename", "file_path", "file", "path", "url")
_SCORE = ("score", "relevance_score", "similarity", "_score")
_INNER = ("node", "document", "chunk")
"""Where a passage may lie inside a pair of passage and score."""

_ABSENT = object()

_ACCEPTED = (
    "a text, a dict with 'page_content' or 'text' (and 'chunk_id' or 'metadata'), a document object, "
    "or a pair (chunk, score)"
)


def chunk_from(value: Any) -> RetrievedChunk:
    """``value`` as a :class:`RetrievedChunk`.

    The identifier is the first that is there of ``chunk_id`` and ``chunkId`` of the passage itself,
    ``chunk_id``, ``chunkId`` and ``id`` of its metadata, and only then the ``id`` or ``node_id`` that
    frameworks fill with a random value or a hash. Further keys of a dict are kept as metadata.

    Raises:
        PipelineOutputError: ``value`` is no passage; the type that was found is named.

    >>> chunk = chunk_from({"page_content": "نص", "metadata": {"id": 12.0, "source": "law.pdf"}, "id": "9f3a"})
    >>> chunk.text, chunk.chunk_id, chunk.source
    ('نص', '12', 'law.pdf')
    >>> chunk_from(("نص", 0.75)).score
    0.75
    """
    if isinstance(value, RetrievedChunk):
        return _checked(value)
    if isinstance(value, str):
        return RetrievedChunk(text=str(value))
    if isinstance(value, (tuple, list)):
        return _from_pair(value)
    if isinstance(value, Mapping):
        return _from_fields(value, value)
    if value is None or isinstance(value, (numbers.Number, bytes, bytearray, memoryview, type)):
        raise _no_chunk(value)
    return _from_fields(_attributes(value), value)


def _no_chunk(value: Any, found: str | None = None) -> PipelineOutputError:
    return PipelineOutputError(found or f"a retrieved chunk is of type {type(value).__name__}", expected=_ACCEPTED)


def _from_pair(pair: tuple[Any, ...] | list[Any]) -> RetrievedChunk:
    if len(pair) != 2 or not (pair[1] is None or _is_number(pair[1])):
        raise _no_chunk(pair, f"a retrieved chunk is a {type(pair).__name__} of {len(pair)}, and no (chunk, score)")
    return replace(chunk_from(pair[0]), score=_score(pair[1]))


def _attributes(value: Any) -> dict[str, Any]:
    """The attributes of an object that a passage may have."""
    beside = (*_METADATA, *_OWN_ID, *_OBJECT_ID, *_SOURCE, *_SCORE)
    if getattr(value, "node", None) is not None:  # LlamaIndex: a node with its score
        return _readable(value, ("node", *_SCORE))
    get_content = getattr(value, "get_content", None)  # LlamaIndex: a node of any kind
    if callable(get_content):
        return {**_readable(value, beside), "page_content": get_content()}
    return _readable(value, (*_INNER, *_TEXT, *beside))


def _readable(value: Any, names: tuple[str, ...]) -> dict[str, Any]:
    found = {}
    for name in dict.fromkeys(names):
        attribute = getattr(value, name, _ABSENT)
        absent = attribute is _ABSENT or callable(attribute)
        if not absent and (attribute is not None or name == "content"):  # Haystack: a document without text
            found[name] = attribute
    return found


def _from_fields(fields: Mapping[str, Any], value: Any) -> RetrievedChunk:
    for name in () if _own_text(fields) is not None else _INNER:
        inner = fields.get(name)
        if inner is not None and not isinstance(inner, (str, numbers.Number, bytes)):
            return _from_envelope(chunk_from(inner), fields, name)
    metadata = _metadata(fields)
    text = _text(fields)
    if text is None:
        text = _text(metadata)
        metadata = {key: item for key, item in metadata.items() if key not in _TEXT}
    chunk_id = _first_id(fields, _OWN_ID) or _first_id(metadata, _METADATA_ID) or _first_id(fields, _OBJECT_ID)
    if text is None and chunk_id is None:
        if isinstance(value, Mapping):
            keys = ", ".join(map(repr, list(value)[:10])) or "none"
            raise _no_chunk(value, f"a retrieved chunk is a dict without text and identifier (its keys: {keys})")
        raise _no_chunk(value)
    return RetrievedChunk(
        text=text or "",
        chunk_id=chunk_id,
        source=_first_source(fields) or _first_source(metadata),
        score=next(_scores(fields), next(_scores(metadata), None)),
        metadata=metadata,
    )


def _from_envelope(inner: RetrievedChunk, fields: Mapping[str, Any], name: str) -> RetrievedChunk:
    """``inner``, completed by what stands around it: a score, an identifier, a source."""
    around = {key: item for key, item in fields.items() if key != name}
    metadata = _metadata(around)
    score = next(_scores(around), None)
    return replace(
        inner,
        chunk_id=_first_id(around, _OWN_ID) or inner.chunk_id or _first_id(around, _OBJECT_ID),
        source=inner.source or _first_source(around),
        score=inner.score if score is None else score,
        metadata={**{key: item for key, item in metadata.items() if key not in _TEXT}, **inner.metadata},
    )


def _metadata(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata in its own mapping, with whatever else a dict says beside it."""
    known = {*_TEXT, *_METADATA, *_OWN_ID, *_OBJECT_ID, *_SOURCE, *_SCORE, *_INNER}
    metadata = {str(key): item for key, item in fields.items() if key not in known}
    for name in _METADATA:
        if isinstance(fields.get(name), Mapping):
            own = {str(key): item for key, item in fields[name].items()}
            nested = own.pop("metadata", None) if name == "payload" else None
            metadata |= own
            if isinstance(nested, Mapping):
                metadata |= {str(key): item for key, item in nested.items()}
    return metadata


def _text(fields: Mapping[str, Any]) -> str | None:
    """The first text under a known key, ``""`` where there is a key but nothing under it."""
    text = _own_text(fields)
    if text is not None:
        return text
    present = [key for key in _TEXT if key in fields]
    for key in present:
        if fields[key] is not None:
            raise PipelineOutputError(
                f"the text of a retrieved chunk ({key!r}) is of type {type(fields[key]).__name__}", expected="a text"
            )
    return "" if present else None


def _own_text(fields: Mapping[str, Any]) -> str | None:
    return next((str(fields[key]) for key in _TEXT if isinstance(fields.get(key), str)), None)


def _first_id(fields: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((found for key in keys if (found := clean_id(fields.get(key))) is not None), None)


def _first_source(fields: Mapping[str, Any]) -> str | None:
    for key in _SOURCE:
        item = fields.get(key)
        if isinstance(item, os.PathLike):
            item = os.fspath(item)
        if isinstance(item, str) and item.strip():
            return str(item)
    return None


def _scores(fields: Mapping[str, Any]) -> Iterator[float]:
    return (score for key in _SCORE if (score := _score(fields.get(key))) is not None)


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _score(value: Any) -> float | None:
    if getattr(value, "ndim", None) == 0 and callable(getattr(value, "item", None)):
        value = value.item()  # arrays and tensors without a dimension
    if not _is_number(value):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _checked(chunk: RetrievedChunk) -> RetrievedChunk:
    """A chunk that a user made, with what its types promise."""
    if not isinstance(chunk.text, str):
        raise PipelineOutputError(
            f"the text of a RetrievedChunk is of type {type(chunk.text).__name__}", expected="a text"
        )
    chunk_id, score = clean_id(chunk.chunk_id), _score(chunk.score)
    source = _first_source({"source": chunk.source})
    given: Any = chunk.metadata
    metadata = given if isinstance(given, Mapping) else {}
    if (chunk_id, score, source) == (chunk.chunk_id, chunk.score, chunk.source) and metadata is chunk.metadata:
        return chunk
    return replace(chunk, chunk_id=chunk_id, score=score, source=source, metadata=metadata)
