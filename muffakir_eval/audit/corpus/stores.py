"""Stores of documents of LangChain, LlamaIndex and Haystack; known by their shape, so that none is imported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from typing import Any

from muffakir_eval.audit.corpus.corpus import Entry, Source
from muffakir_eval.audit.corpus.intake import Intake
from muffakir_eval.audit.corpus.items import item_entries
from muffakir_eval.audit.corpus.tables import TableColumns
from muffakir_eval.audit.corpus.vector_databases import (
    chroma_source,
    is_chroma_collection,
    is_qdrant_client,
    qdrant_source,
)
from muffakir_eval.errors import ConfigError
from muffakir_eval.pipelines import BM25Retriever

__all__ = ["store_source"]


def store_source(value: Any, given: TableColumns) -> Source | None:
    """The chunks in an index that can be listed; ``None`` where ``value`` is none.

    Raises:
        ConfigError: It is an index whose texts stand elsewhere; the message says what to pass.
    """
    if isinstance(value, BM25Retriever):
        return _of_items(value.chunks, value, given)
    if is_chroma_collection(value):
        return chroma_source(value, given)
    pair = _client_and_name(value)
    if pair is not None:
        return qdrant_source(*pair, given)
    _refuse_without_texts(value)
    for known in (_langchain, _llama_index, _haystack):
        found = known(value, given)
        if found is not None:
            return found
    return None


def _of_items(items: Iterable[Any], holder: Any, given: TableColumns, length: int | None = None) -> Source:
    total = len(items) if length is None and isinstance(items, Sized) else length
    kind = type(holder).__name__
    name = kind if total is None else f"{kind} of {total} chunks"

    def read(intake: Intake) -> Iterator[Entry]:
        return item_entries(items, name, given, intake)

    return Source(name=name, read=read, total=total)


def _client_and_name(value: Any) -> tuple[Any, str] | None:
    if isinstance(value, (tuple, list)) and len(value) == 2 and is_qdrant_client(value[0]):
        return value[0], str(value[1])
    return None


def _langchain(value: Any, given: TableColumns) -> Source | None:
    """Vector stores, and the retrievers that are made of them."""
    inner = getattr(value, "vectorstore", None)
    if inner is not None:
        return store_source(inner, given)
    collection = getattr(value, "_collection", None)
    if is_chroma_collection(collection):
        return chroma_source(collection, given)
    client, name = _either(value, "client", "_client"), getattr(value, "collection_name", None)
    if is_qdrant_client(client) and isinstance(name, str):
        return qdrant_source(
            client,
            name,
            given,
            content_key=getattr(value, "content_payload_key", None),
            metadata_key=getattr(value, "metadata_payload_key", "metadata"),
        )
    numbered, docstore = getattr(value, "index_to_docstore_id", None), getattr(value, "docstore", None)
    if isinstance(numbered, Mapping) and callable(getattr(docstore, "search", None)):
        return _of_items(_by_number(numbered, docstore), value, given, len(numbered))
    store = getattr(value, "store", None)
    if isinstance(store, Mapping) and callable(getattr(value, "similarity_search", None)):
        return _of_items(_Values(store), value, given)
    held = getattr(value, "_dict", None)
    if isinstance(held, Mapping) and callable(getattr(value, "search", None)):
        return _of_items(_Values(held), value, given)
    documents = getattr(value, "docs", None)
    if isinstance(documents, list) and callable(getattr(value, "invoke", None)):
        return _of_items(documents, value, given)
    return None


def _either(value: Any, *names: str) -> Any:
    return next((found for name in names if (found := getattr(value, name, None)) is not None), None)


class _Values:
    """The values of a mapping, gone through when they are asked for."""

    def __init__(self, holder: Mapping[Any, Any]) -> None:
        self._holder = holder

    def __len__(self) -> int:
        return len(self._holder)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._holder.values())


def _by_number(numbered: Mapping[int, str], docstore: Any) -> Iterator[Any]:
    """The documents in the order of the vectors; what the docstore does not know is no chunk."""
    for number in sorted(numbered):
        yield _found(docstore.search(numbered[number]))


def _found(document: Any) -> Any:
    return None if isinstance(document, str) else document  # LangChain's docstore answers with a message


def _llama_index(value: Any, given: TableColumns) -> Source | None:
    """Docstores, and the indexes and storage contexts that have one."""
    documents = getattr(value, "docs", None)
    if isinstance(documents, Mapping):
        return _of_items(_Values(documents), value, given)
    docstore = getattr(value, "docstore", None)
    documents = getattr(docstore, "docs", None)
    if not isinstance(documents, Mapping):
        return None
    if documents:
        return _of_items(_Values(documents), value, given)
    vectors = getattr(value, "vector_store", None)
    found = store_source(vectors, given) if vectors is not None else None
    if found is None:
        raise ConfigError(
            f"the docstore of the {type(value).__name__} is empty; its texts stand in the {type(vectors).__name__}",
            where="open_corpus",
            remedy="pass the collection of the vector store, or the nodes that were indexed",
        )
    return found


def _haystack(value: Any, given: TableColumns) -> Source | None:
    if not callable(getattr(value, "filter_documents", None)) or not callable(getattr(value, "count_documents", None)):
        return None
    return _of_items(value.filter_documents(), value, given)


def _refuse_without_texts(value: Any) -> None:
    if isinstance(getattr(value, "ntotal", None), int) and callable(getattr(value, "reconstruct", None)):
        raise ConfigError(
            "a FAISS index holds vectors and no texts, and cannot be listed",
            where="open_corpus",
            expected="the store of texts beside it",
            remedy="pass the LangChain FAISS store, its docstore, or the chunks in the order in which they were added",
        )
    if is_qdrant_client(value):
        raise ConfigError(
            "a client of Qdrant has several collections", where="open_corpus", remedy='pass (client, "collection")'
        )
    if callable(getattr(value, "list_collections", None)) and callable(getattr(value, "get_collection", None)):
        raise ConfigError(
            "a client of Chroma has several collections",
            where="open_corpus",
            remedy='pass client.get_collection("name")',
        )
