"""Indexes known by their shape, with stand-ins for the libraries; the real ones are in tests/integrations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from muffakir_eval.audit.corpus import Corpus, open_corpus
from muffakir_eval.errors import ConfigError, DatasetColumnError

CAIRO = "القاهرة عاصمة مصر."
BEIRUT = "بيروت عاصمة لبنان."
MANY = [f"المادة {number}" for number in range(2500)]


def read(corpus: Corpus) -> list[tuple[str, str | None, str | None]]:
    return [(chunk.text, chunk.chunk_id, chunk.source) for batch in corpus.batches() for chunk in batch]


def document(text: str, **metadata: Any) -> SimpleNamespace:
    return SimpleNamespace(page_content=text, metadata=metadata)


DOCUMENTS = [document(CAIRO, chunk_id=7, source="أ.pdf"), document(BEIRUT, chunk_id="007")]
EXPECTED = [(CAIRO, "7", "أ.pdf"), (BEIRUT, "007", None)]


class ChromaCollection:
    """As chromadb lists one."""

    def __init__(self, ids: list[str], documents: list[Any] | None, metadatas: list[Any] | None = None) -> None:
        self.name = "laws"
        self._ids, self._documents, self._metadatas = ids, documents, metadatas
        self.asked: list[tuple[int, int]] = []

    def get(self, *, limit: int, offset: int, include: list[str]) -> dict[str, Any]:
        assert include == ["documents", "metadatas"]
        self.asked.append((limit, offset))
        page = slice(offset, offset + limit)
        cut = [None if part is None else part[page] for part in (self._documents, self._metadatas)]
        return {"ids": self._ids[page], "documents": cut[0], "metadatas": cut[1]}

    def count(self) -> int:
        return len(self._ids)

    def query(self) -> None: ...

    def peek(self) -> None: ...


def test_a_chroma_collection_page_by_page() -> None:
    collection = ChromaCollection([str(at) for at in range(2500)], MANY, [None, {"source": "أ.pdf"}] * 1250)
    corpus = open_corpus(collection)
    assert (corpus.name, corpus.total) == ("chroma collection laws", 2500)
    found = read(corpus)
    assert [text for text, _, _ in found] == MANY
    assert found[1] == ("المادة 1", "1", "أ.pdf")
    assert collection.asked == [(1000, 0), (1000, 1000), (1000, 2000)]
    (batch,) = open_corpus(ChromaCollection(["1"], [CAIRO])).batches()
    assert batch[0].place == "chroma collection 'laws', item 1"


def test_a_chroma_collection_with_its_texts_in_the_metadata() -> None:
    collection = ChromaCollection(["1", "2"], None, [{"نص": CAIRO}, {"نص": BEIRUT}])
    assert read(open_corpus(collection)) == [(CAIRO, "1", None), (BEIRUT, "2", None)]
    with pytest.raises(DatasetColumnError, match="no key holds the text; there are 'id', 't'"):
        read(open_corpus(ChromaCollection(["1"], None, [{"t": CAIRO}])))
    assert read(open_corpus(ChromaCollection(["1"], [None], [{"t": CAIRO}]), text_column="t")) == [(CAIRO, "1", None)]


class QdrantClient:
    """As qdrant_client lists points."""

    def __init__(self, points: list[tuple[Any, Mapping[str, Any] | None]]) -> None:
        self._points = [SimpleNamespace(id=number, payload=payload) for number, payload in points]

    def get_collections(self) -> SimpleNamespace:
        return SimpleNamespace(collections=[SimpleNamespace(name="laws")])

    def count(self, *, collection_name: str, exact: bool) -> SimpleNamespace:
        assert (collection_name, exact) == ("laws", True)
        return SimpleNamespace(count=len(self._points))

    def scroll(self, *, offset: Any, limit: int, **options: Any) -> tuple[list[Any], Any]:
        assert options == {"collection_name": "laws", "with_payload": True, "with_vectors": False}
        start = next((at for at, point in enumerate(self._points) if point.id == offset), 0)
        following = self._points[start + limit : start + limit + 1]
        return self._points[start : start + limit], following[0].id if following else None


def test_a_qdrant_collection_page_by_page() -> None:
    corpus = open_corpus((QdrantClient([(at, {"text": text}) for at, text in enumerate(MANY)]), "laws"))
    assert (corpus.name, corpus.total) == ("qdrant collection laws", 2500)
    assert read(corpus) == [(text, str(at), None) for at, text in enumerate(MANY)]
    assert corpus.warnings == ()


def test_random_identifiers_of_qdrant_are_told_once() -> None:
    corpus = open_corpus((QdrantClient([(f"{at:032x}", {"text": text}) for at, text in enumerate(MANY)]), "laws"))
    assert len(read(corpus)) == 2500
    (warning,) = corpus.warnings
    assert "qdrant collection 'laws': points are listed in the order of their identifiers" in warning


def test_the_payload_of_a_point() -> None:
    node = json.dumps({"id_": "n", "text": CAIRO})
    points: list[tuple[Any, Mapping[str, Any] | None]] = [
        (1, {"_node_content": node, "file_name": "أ.pdf"}),
        (2, {"_node_content": "{", "text": BEIRUT}),
        (3, {"_node_content": "{", "metadata": {"id": "م"}}),
        (4, {"_node_content": "[]"}),
        (5, None),
    ]
    assert read(open_corpus((QdrantClient(points), "laws"))) == [
        (CAIRO, "1", "أ.pdf"),
        (BEIRUT, "2", None),
        ("", "م", None),
        ("", "4", None),
        ("", "5", None),
    ]


def test_clients_are_no_collections() -> None:
    client = QdrantClient([(1, {"text": CAIRO})])
    with pytest.raises(ConfigError, match=r'What to do: pass \(client, "collection"\)'):
        open_corpus(client)
    with pytest.raises(ConfigError, match=r"no collection 'قوانين'.*the collections are 'laws'"):
        open_corpus((client, "قوانين"))
    client.get_collections = lambda: SimpleNamespace(collections=[])  # type: ignore[method-assign]
    with pytest.raises(ConfigError, match="the client has none"):
        open_corpus((client, "laws"))
    chroma = SimpleNamespace(list_collections=list, get_collection=dict)
    with pytest.raises(ConfigError, match=r"pass client\.get_collection"):
        open_corpus(chroma)


def test_an_asynchronous_client() -> None:
    class Later(QdrantClient):
        async def scroll(self, **options: Any) -> Any: ...  # type: ignore[override]

    with pytest.raises(ConfigError, match=r"asynchronous.*QdrantClient"):
        open_corpus((Later([]), "laws"))


def langchain_faiss() -> SimpleNamespace:
    held = dict(zip("ab", DOCUMENTS, strict=True))
    docstore = SimpleNamespace(search=lambda key: held.get(key, f"ID {key} not found."))
    return SimpleNamespace(docstore=docstore, index_to_docstore_id={1: "b", 0: "a"})


def langchain_in_memory() -> SimpleNamespace:
    store = {
        "x": {"id": "x", "text": CAIRO, "metadata": {"chunk_id": 7, "source": "أ.pdf"}, "vector": [0.5]},
        "y": {"id": "007", "text": BEIRUT, "metadata": {}},
    }
    return SimpleNamespace(store=store, similarity_search=list)


def langchain_qdrant() -> SimpleNamespace:
    client = QdrantClient(
        [
            (1, {"متن": CAIRO, "وصف": {"chunk_id": 7, "source": "أ.pdf"}}),
            (2, {"متن": BEIRUT, "وصف": {"chunk_id": "007"}}),
        ]
    )
    return SimpleNamespace(client=client, collection_name="laws", content_payload_key="متن", metadata_payload_key="وصف")


def langchain_chroma() -> SimpleNamespace:
    return SimpleNamespace(
        _collection=ChromaCollection(["7", "007"], [CAIRO, BEIRUT], [{"source": "أ.pdf"}, None]), get=dict
    )


def llama_index() -> SimpleNamespace:
    nodes = {
        "n1": SimpleNamespace(text=CAIRO, metadata={"chunk_id": "7", "file_name": "أ.pdf"}, node_id="n1"),
        "n2": SimpleNamespace(text=BEIRUT, metadata={}, node_id="007"),
    }
    return SimpleNamespace(docstore=SimpleNamespace(docs=nodes))


def haystack() -> SimpleNamespace:
    documents = [
        SimpleNamespace(content=CAIRO, meta={"chunk_id": 7, "source": "أ.pdf"}, id="h1"),
        SimpleNamespace(content=BEIRUT, meta={}, id="007"),
    ]
    return SimpleNamespace(filter_documents=lambda: documents, count_documents=lambda: 2)


@pytest.mark.parametrize(
    "made",
    [
        langchain_faiss,
        langchain_in_memory,
        langchain_qdrant,
        langchain_chroma,
        lambda: SimpleNamespace(_dict=dict(zip("ab", DOCUMENTS, strict=True)), search=list),
        lambda: SimpleNamespace(docs=DOCUMENTS, invoke=list),
        lambda: SimpleNamespace(vectorstore=langchain_in_memory()),
        llama_index,
        lambda: llama_index().docstore,
        haystack,
    ],
)
def test_stores_of_frameworks(made: Callable[[], Any]) -> None:
    corpus = open_corpus(made())
    assert corpus.total == 2
    assert read(corpus) == EXPECTED


def test_a_vector_whose_document_is_gone() -> None:
    store = langchain_faiss()
    store.index_to_docstore_id[2] = "c"
    corpus = open_corpus(store)
    assert read(corpus) == EXPECTED
    assert [problem.row for problem in corpus.problems] == [3]


def test_an_index_of_llama_index_whose_texts_are_elsewhere() -> None:
    empty = SimpleNamespace(docs={})
    index = SimpleNamespace(docstore=empty, vector_store=langchain_chroma())
    assert read(open_corpus(index)) == EXPECTED
    for vectors in (None, SimpleNamespace()):
        with pytest.raises(ConfigError, match=r"the docstore of the SimpleNamespace is empty.*pass the collection"):
            open_corpus(SimpleNamespace(docstore=empty, vector_store=vectors))


def test_a_bare_faiss_index() -> None:
    with pytest.raises(ConfigError, match=r"vectors and no texts.*docstore"):
        open_corpus(SimpleNamespace(ntotal=3, reconstruct=list))


def test_an_object_that_holds_nothing_known() -> None:
    @dataclass
    class Retriever:
        vectorstore: object

        def __iter__(self) -> Iterator[str]:
            return iter(["vectorstore"])

    with pytest.raises(ConfigError, match=r"Expected: a \.jsonl"):
        open_corpus(Retriever(SimpleNamespace()))
    with pytest.raises(ConfigError, match=r"Expected: a \.jsonl"):
        open_corpus(SimpleNamespace(docstore=SimpleNamespace()))
