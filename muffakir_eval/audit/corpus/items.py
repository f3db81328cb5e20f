"""Chunks that come one by one: from memory, or from the pages of an index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from muffakir_eval.audit.corpus.corpus import Entry
from muffakir_eval.audit.corpus.intake import Intake
from muffakir_eval.audit.corpus.tables import TableColumns
from muffakir_eval.datasets.cells.text import CellError, as_list, to_text
from muffakir_eval.datasets.columns.explicit import listed
from muffakir_eval.errors import DatasetColumnError, DatasetRowError, PipelineOutputError
from muffakir_eval.matching.documents import chunk_from
from muffakir_eval.pipelines.corpus_columns import text_columns
from muffakir_eval.pipelines.corpus_rows import Passage
from muffakir_eval.records import RetrievedChunk
from muffakir_eval.text.identifiers import clean_id

__all__ = ["item_entries", "keyed_entries"]

_PEEK = 100
"""Items that tell where the text is, where its key is none of the usual ones."""

_INNER = ("payload", "metadata", "meta")
_ABSENT = object()


def item_entries(
    items: Iterable[Any], where: str, given: TableColumns, intake: Intake, prefix: str = ""
) -> Iterator[Entry]:
    """The chunks among ``items``, each whatever a retriever could return.

    Text, identifier and document are those that a run would see in the same object.

    Args:
        items: Texts, dicts, documents, chunks; gone through once.
        where: What they are called in messages.
        given: Keys of text and identifier, where the user names them.
        intake: Where items that are no chunk go.
        prefix: What stands before ``item 7`` in a place.

    Raises:
        DatasetColumnError: No key is the text, several could be, or the one that the user named is not there.
    """
    first, rest = _peeked(items)
    text_key = _text_key(first, where, given)
    reader = _ItemReader(text_key, given.chunk_id)
    yield from _entries(rest, reader.passage, where, intake, prefix)


def keyed_entries(items: Iterable[tuple[Any, Any]], where: str, given: TableColumns, intake: Intake) -> Iterator[Entry]:
    """The chunks among pairs of identifier and chunk; the identifier is the one before it.

    Raises:
        DatasetColumnError: As for :func:`item_entries`.
    """
    first, rest = _peeked(items)
    reader = _ItemReader(_text_key([item for _, item in first], where, given), None)

    def passage(pair: tuple[Any, Any]) -> Passage:
        key, item = pair
        return reader.passage("" if item is None else item)._replace(chunk_id=clean_id(key))

    yield from _entries(rest, passage, where, intake, "")


def _peeked(items: Iterable[Any]) -> tuple[list[Any], Iterator[Any]]:
    rest = iter(items)
    first = list(islice(rest, _PEEK))
    return first, chain(first, rest)


def _entries(
    items: Iterable[Any], passage: Callable[[Any], Passage], where: str, intake: Intake, prefix: str
) -> Iterator[Entry]:
    for number, item in enumerate(items, start=1):
        try:
            found = passage(item)
        except (PipelineOutputError, CellError) as error:
            intake.reject(
                DatasetRowError(
                    error.found.replace("a retrieved chunk", "the item").replace("the text of the item", "its text"),
                    row=number,
                    where=where,
                    expected=error.expected,
                    remedy=error.remedy,
                    place=f"item {number}",
                )
            )
        else:
            yield found, f"{prefix}item {number}"


class _ItemReader:
    """Makes passages of single items."""

    def __init__(self, text_key: str | None, id_key: str | None) -> None:
        self._text_key = text_key
        self._id_key = id_key

    def passage(self, item: Any) -> Passage:
        """The passage that ``item`` is.

        Raises:
            PipelineOutputError: It is none.
            CellError: What stands under the named key is no text, or no identifier.
        """
        chunk = chunk_from(item) if self._text_key is None else self._with_text(item, self._text_key)
        chunk_id = chunk.chunk_id if self._id_key is None else _identifier(_looked_up(item, self._id_key))
        metadata = chunk.metadata
        if self._id_key in metadata:
            metadata = {key: value for key, value in metadata.items() if key != self._id_key}
        return Passage(chunk.text, chunk_id, chunk.source, metadata)

    @staticmethod
    def _with_text(item: Any, key: str) -> RetrievedChunk:
        found = _looked_up(item, key)
        text = found if isinstance(found, str) else to_text(None if found is _ABSENT else found) or ""
        if not isinstance(item, Mapping):
            return replace(chunk_from(item), text=text)
        chunk = chunk_from({**{name: value for name, value in item.items() if name != key}, "page_content": text})
        return replace(chunk, metadata={name: value for name, value in chunk.metadata.items() if name != key})


def _identifier(found: Any) -> str | None:
    if isinstance(found, Mapping) or as_list(found) is not None:
        raise CellError("the identifier is a list or an object", remedy="make it a text or a number")
    return None if found is _ABSENT else clean_id(found)


def _looked_up(item: Any, key: str) -> Any:
    """What stands under ``key`` in the item itself, or in its metadata."""
    for holder in _holders(item):
        if key in holder:
            return holder[key]
    return _ABSENT if isinstance(item, Mapping) else getattr(item, key, _ABSENT)


def _holders(item: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(item, Mapping):
        yield item
    for name in _INNER:
        inner = item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
        if isinstance(inner, Mapping):
            yield inner
            nested = inner.get("metadata")
            if name == "payload" and isinstance(nested, Mapping):
                yield nested


def _text_key(first: Sequence[Any], where: str, given: TableColumns) -> str | None:
    """The key under which the text stands, ``None`` where it is where texts usually are."""
    for option, key in (("text_column", given.text), ("id_column", given.chunk_id)):
        if key is not None and first and all(_looked_up(item, key) is _ABSENT for item in first):
            raise DatasetColumnError(
                f"{option} names {key!r}, and nothing is called so",
                where=where,
                remedy=f"the keys are {listed(_keys(first)) or 'unknown'}",
            )
    dicts = [item for item in first if isinstance(item, Mapping)]
    if given.text is not None or len(dicts) < len(first) or any(map(_has_text, dicts)) or not dicts:
        return given.text
    keys = _keys(dicts)
    found = text_columns(keys)
    if len(found) == 1:
        return found[0]
    raise DatasetColumnError(
        f"several keys could hold the text: {listed(found)}"
        if found
        else f"no key holds the text; there are {listed(keys)}",
        where=where,
        remedy="name the right one with text_column",
    )


def _has_text(item: Mapping[str, Any]) -> bool:
    try:
        return bool(chunk_from(item).text)
    except PipelineOutputError:
        return False


def _keys(items: Sequence[Any]) -> list[str]:
    """The keys of the items and of their metadata, without those under which the metadata stands."""
    names = dict.fromkeys(str(key) for item in items for holder in _holders(item) for key in holder)
    return [name for name in names if name not in _INNER]
