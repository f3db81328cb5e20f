"""Collections of Chroma and Qdrant, listed page by page; known by their shape, so that neither is imported."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from muffakir_eval.audit.corpus.corpus import Entry, Source
from muffakir_eval.audit.corpus.intake import Intake
from muffakir_eval.audit.corpus.items import item_entries
from muffakir_eval.audit.corpus.tables import TableColumns
from muffakir_eval.errors import ConfigError

__all__ = ["chroma_source", "is_chroma_collection", "is_qdrant_client", "qdrant_source"]

_PAGE = 1000


def is_chroma_collection(value: Any) -> bool:
    """``value`` is a collection of Chroma."""
    methods = all(callable(getattr(value, name, None)) for name in ("get", "count", "query", "peek"))
    return methods and isinstance(getattr(value, "name", None), str)


def chroma_source(collection: Any, given: TableColumns) -> Source:
    """The documents of a Chroma collection.

    Raises:
        ConfigError: It belongs to an asynchronous client.
    """
    _refuse_async(collection.get, "chromadb.Client()")
    name = f"chroma collection {collection.name!r}"

    def read(intake: Intake) -> Iterator[Entry]:
        return item_entries(_chroma_items(collection), name, given, intake, f"{name}, ")

    return Source(name=f"chroma collection {collection.name}", read=read, total=int(collection.count()))


def _chroma_items(collection: Any) -> Iterator[dict[str, Any]]:
    offset = 0
    while True:
        page = collection.get(limit=_PAGE, offset=offset, include=["documents", "metadatas"])
        ids = page["ids"]
        texts = page.get("documents") or [None] * len(ids)
        metadatas = page.get("metadatas") or [None] * len(ids)
        for identifier, text, metadata in zip(ids, texts, metadatas, strict=True):
            item = {"id": identifier, "metadata": dict(metadata or {})}
            yield item if text is None else {**item, "page_content": text}
        offset += len(ids)
        if len(ids) < _PAGE:
            return


def is_qdrant_client(value: Any) -> bool:
    """``value`` is a client of Qdrant."""
    return all(callable(getattr(value, name, None)) for name in ("scroll", "count", "get_collections"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Keys:
    """Under which keys of a payload a library puts text and metadata."""

    text: str | None
    metadata: str


def qdrant_source(
    client: Any, collection: str, given: TableColumns, *, content_key: str | None = None, metadata_key: str = "metadata"
) -> Source:
    """The points of a Qdrant collection.

    Args:
        client: The client.
        collection: Name of the collection.
        given: What the user says about the keys of the payload.
        content_key: Key of the text, where the library that wrote the points has a setting for it.
        metadata_key: Key of the metadata, likewise.

    Raises:
        ConfigError: There is no such collection, or the client is asynchronous.
    """
    _refuse_async(client.scroll, "QdrantClient")
    names = sorted(each.name for each in client.get_collections().collections)
    if collection not in names:
        raise ConfigError(
            f"there is no collection {collection!r}",
            where="qdrant",
            remedy=f"the collections are {', '.join(map(repr, names))}" if names else "the client has none",
        )
    name = f"qdrant collection {collection!r}"
    keys = _Keys(text=given.text or content_key, metadata=metadata_key)

    def read(intake: Intake) -> Iterator[Entry]:
        columns = TableColumns(text=keys.text, chunk_id=given.chunk_id)
        points = _qdrant_items(client, collection, keys, _order_told(intake, name))
        return item_entries(points, name, columns, intake, f"{name}, ")

    total = int(client.count(collection_name=collection, exact=True).count)
    return Source(name=f"qdrant collection {collection}", read=read, total=total)


def _order_told(intake: Intake, name: str) -> Callable[[], None]:
    return lambda: intake.warn(
        "order",
        f"{name}: points are listed in the order of their identifiers, which are random here, so that chunks that "
        "follow one another in a document are no neighbours in this corpus",
    )


def _qdrant_items(client: Any, collection: str, keys: _Keys, on_random: Callable[[], None]) -> Iterator[dict[str, Any]]:
    offset: Any = None
    while True:
        points, following = client.scroll(
            collection_name=collection, limit=_PAGE, offset=offset, with_payload=True, with_vectors=False
        )
        if offset is None and points and not isinstance(points[0].id, int):
            on_random()
        for point in points:
            yield {"id": point.id, "payload": _payload(dict(point.payload or {}), keys)}
        if following is None:
            return
        offset = following


def _payload(payload: dict[str, Any], keys: _Keys) -> dict[str, Any]:
    if keys.metadata != "metadata" and isinstance(payload.get(keys.metadata), Mapping):
        payload["metadata"] = payload.pop(keys.metadata)
    node = payload.pop("_node_content", None)
    if isinstance(node, str) and "text" not in payload:  # LlamaIndex keeps the whole node as JSON
        text = _text_of_node(node)
        if text is not None:
            payload["text"] = text
    return payload


def _text_of_node(node: str) -> str | None:
    try:
        fields = json.loads(node)
    except ValueError:
        return None
    text = fields.get("text") if isinstance(fields, Mapping) else None
    return text if isinstance(text, str) else None


def _refuse_async(method: Any, expected: str) -> None:
    if inspect.iscoroutinefunction(method):
        raise ConfigError(
            "the client is asynchronous", where="open_corpus", expected=f"a synchronous one, as of {expected}"
        )
