"""Indexes of real libraries, listed as a corpus; each test needs its library and is skipped without."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from muffakir_eval.audit.corpus import Corpus, open_corpus
from muffakir_eval.audit.records import CorpusChunk
from muffakir_eval.errors import ConfigError, DatasetColumnError
from muffakir_eval.matching.documents import chunk_from

pytestmark = pytest.mark.filterwarnings("ignore")

CAIRO = "القاهرة عاصمة مصر."
BEIRUT = "بيروت عاصمة لبنان."
N = 2500
"""More than two pages."""


def library(name: str) -> Any:
    """The module, whatever it has to say while it is imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name)


def chunks_of(corpus: Corpus) -> list[CorpusChunk]:
    return [chunk for batch in corpus.batches() for chunk in batch]


def texts_of(corpus: Corpus) -> list[str]:
    return [chunk.text for chunk in chunks_of(corpus)]


def many() -> list[str]:
    return [f"المادة {number} من القانون" for number in range(N)]


def documents() -> list[Any]:
    document = library("langchain_core.documents").Document
    return [
        document(page_content=CAIRO, metadata={"chunk_id": 7, "source": "مصر.pdf"}),
        document(page_content=BEIRUT, metadata={"chunk_id": "007", "source": "لبنان.pdf"}),
    ]


def embedding() -> Any:
    library("numpy")
    return library("langchain_core.embeddings").DeterministicFakeEmbedding(size=8)


def check_documents(corpus: Corpus) -> None:
    assert corpus.total == 2
    found = sorted(chunks_of(corpus), key=lambda chunk: chunk.chunk_id or "")
    assert [(chunk.text, chunk.chunk_id, chunk.source) for chunk in found] == [
        (BEIRUT, "007", "لبنان.pdf"),
        (CAIRO, "7", "مصر.pdf"),
    ]
    assert corpus.n_problems == 0


# --- Chroma


@pytest.fixture
def chroma_client() -> Any:
    chromadb = library("chromadb")
    return chromadb.EphemeralClient(chromadb.config.Settings(anonymized_telemetry=False, allow_reset=True))


@pytest.fixture
def chroma_collection(chroma_client: Any) -> Callable[..., Any]:
    def made(**entries: Any) -> Any:
        collection = chroma_client.create_collection(f"laws-{uuid.uuid4().hex}")
        collection.add(embeddings=[[0.0, 1.0]] * len(entries["ids"]), **entries)
        return collection

    return made


def test_a_chroma_collection_is_listed_page_by_page(chroma_collection: Callable[..., Any]) -> None:
    collection = chroma_collection(
        ids=[f"c{number}" for number in range(N)],
        documents=many(),
        metadatas=[{"source": "law.pdf", "page": number} for number in range(N)],
    )
    corpus = open_corpus(collection)
    assert (corpus.name, corpus.total) == (f"chroma collection {collection.name}", N)
    found = chunks_of(corpus)
    assert [chunk.chunk_id for chunk in found] == [f"c{number}" for number in range(N)]
    assert [chunk.text for chunk in found] == many()
    assert found[6].place == f"chroma collection {collection.name!r}, item 7"
    assert (found[6].source, found[6].metadata["page"]) == ("law.pdf", 6)


def test_texts_in_the_metadata_of_chroma(chroma_collection: Callable[..., Any]) -> None:
    collection = chroma_collection(ids=["1", "2"], metadatas=[{"النص": CAIRO}, {"النص": BEIRUT}])
    assert texts_of(open_corpus(collection)) == [CAIRO, BEIRUT]
    odd = chroma_collection(ids=["1", "2"], metadatas=[{"t": CAIRO, "رمز": 5}, {"t": BEIRUT, "رمز": "٦"}])
    found = chunks_of(open_corpus(odd, text_column="t", id_column="رمز"))
    assert [(chunk.text, chunk.chunk_id) for chunk in found] == [(CAIRO, "5"), (BEIRUT, "٦")]
    with pytest.raises(DatasetColumnError, match=r"no key holds the text.*text_column"):
        texts_of(open_corpus(odd))


def test_a_client_of_chroma_is_no_collection(chroma_client: Any) -> None:
    with pytest.raises(ConfigError, match=r"several collections.*get_collection"):
        open_corpus(chroma_client)


def test_chroma_of_langchain(chroma_client: Any) -> None:
    made = library("langchain_chroma").Chroma(f"laws-{uuid.uuid4().hex}", embedding(), client=chroma_client)
    made.add_documents(documents())
    check_documents(open_corpus(made))
    check_documents(open_corpus(made.as_retriever()))
    seen = {chunk_from(document).chunk_id for document in made.similarity_search(CAIRO, k=2)}
    assert seen == {chunk.chunk_id for chunk in chunks_of(open_corpus(made))}


# --- Qdrant


@pytest.fixture
def qdrant() -> Any:
    module = library("qdrant_client")
    client = module.QdrantClient(":memory:")
    yield client
    client.close()


def filled(client: Any, name: str, points: list[tuple[Any, dict[str, Any]]]) -> None:
    models = library("qdrant_client.models")
    client.create_collection(name, vectors_config=models.VectorParams(size=2, distance=models.Distance.DOT))
    client.upsert(
        name, [models.PointStruct(id=number, vector=[0.0, 1.0], payload=payload) for number, payload in points]
    )


def test_a_qdrant_collection_is_listed_page_by_page(qdrant: Any) -> None:
    filled(qdrant, "laws", [(number, {"text": text, "page": number}) for number, text in enumerate(many())])
    corpus = open_corpus((qdrant, "laws"))
    assert (corpus.name, corpus.total) == ("qdrant collection laws", N)
    found = chunks_of(corpus)
    assert [chunk.text for chunk in found] == many()
    assert [chunk.chunk_id for chunk in found] == [str(number) for number in range(N)]
    assert (found[6].place, found[6].metadata) == ("qdrant collection 'laws', item 7", {"page": 6})
    assert corpus.warnings == ()


def test_the_text_of_a_payload(qdrant: Any) -> None:
    filled(qdrant, "arabic", [(1, {"النص": CAIRO, "metadata": {"id": "م-1"}}), (2, {"النص": ""})])
    found = chunks_of(open_corpus((qdrant, "arabic")))
    assert [(chunk.text, chunk.chunk_id) for chunk in found] == [(CAIRO, "م-1"), ("", "2")]
    filled(qdrant, "odd", [(1, {"t": CAIRO, "metadata": {"n": "م-1"}}), (2, {"u": BEIRUT})])
    with pytest.raises(DatasetColumnError, match=r"no key holds the text; there are 'id', 't', 'n', 'u'"):
        texts_of(open_corpus((qdrant, "odd")))
    corpus = open_corpus([qdrant, "odd"], text_column="t", id_column="n")
    assert [(chunk.text, chunk.chunk_id) for chunk in chunks_of(corpus)] == [(CAIRO, "م-1"), ("", None)]


def test_points_in_the_order_of_random_identifiers_are_told(qdrant: Any) -> None:
    filled(qdrant, "laws", [(str(uuid.UUID(int=number)), {"text": text}) for number, text in enumerate(many(), 1)])
    corpus = open_corpus((qdrant, "laws"))
    assert sorted(texts_of(corpus)) == sorted(many())
    (warning,) = corpus.warnings
    assert "no neighbours" in warning


def test_what_qdrant_needs(qdrant: Any) -> None:
    filled(qdrant, "laws", [(1, {"text": CAIRO})])
    with pytest.raises(ConfigError, match=r"several collections.*\(client, \"collection\"\)"):
        open_corpus(qdrant)
    with pytest.raises(ConfigError, match=r"there is no collection 'law'.*the collections are 'laws'"):
        open_corpus((qdrant, "law"))
    client = library("qdrant_client").AsyncQdrantClient(":memory:")
    with pytest.raises(ConfigError, match="asynchronous"):
        open_corpus((client, "laws"))


@pytest.mark.parametrize("keys", [{}, {"content_payload_key": "متن", "metadata_payload_key": "وصف"}])
def test_qdrant_of_langchain(keys: dict[str, str]) -> None:
    store = library("langchain_qdrant").QdrantVectorStore.from_documents(
        documents(), embedding(), location=":memory:", collection_name="laws", **keys
    )
    check_documents(open_corpus(store))


# --- LangChain


def test_langchain_in_memory() -> None:
    store = library("langchain_core.vectorstores").InMemoryVectorStore(embedding())
    store.add_documents(documents())
    corpus = open_corpus(store)
    assert corpus.name == "InMemoryVectorStore of 2 chunks"
    check_documents(corpus)
    check_documents(open_corpus(documents()))


def test_an_identifier_of_a_document_itself() -> None:
    document = library("langchain_core.documents").Document
    store = library("langchain_core.vectorstores").InMemoryVectorStore(embedding())
    store.add_documents([document(page_content=CAIRO, id="م-1")])
    assert [chunk.chunk_id for chunk in chunks_of(open_corpus(store))] == ["م-1"]
    with pytest.raises(ConfigError, match=r"a single chunk.*pass \[chunk\]"):
        open_corpus(document(page_content=CAIRO))


def test_faiss_of_langchain() -> None:
    library("faiss")
    store = library("langchain_community.vectorstores").FAISS.from_documents(documents(), embedding())
    check_documents(open_corpus(store))
    check_documents(open_corpus(store.docstore))
    store.docstore.delete([store.index_to_docstore_id[0]])
    corpus = open_corpus(store)
    assert texts_of(corpus) == [BEIRUT]
    assert corpus.problems[0].row == 1
    with pytest.raises(ConfigError, match=r"FAISS index holds vectors and no texts.*docstore"):
        open_corpus(store.index)


def test_a_bare_faiss_index_holds_no_texts() -> None:
    with pytest.raises(ConfigError, match="vectors and no texts"):
        open_corpus(library("faiss").IndexFlatL2(8))


# --- LlamaIndex


def nodes() -> list[Any]:
    node = library("llama_index.core.schema").TextNode
    return [
        node(text=CAIRO, id_="n1", metadata={"file_name": "مصر.pdf", "chunk_id": "7"}),
        node(text=BEIRUT, id_="n2", metadata={"file_name": "لبنان.pdf", "chunk_id": "007"}),
    ]


def test_an_index_of_llama_index() -> None:
    core = library("llama_index.core")
    index = core.VectorStoreIndex(nodes(), embed_model=core.MockEmbedding(8))
    check_documents(open_corpus(index))
    check_documents(open_corpus(index.docstore))
    check_documents(open_corpus(index.storage_context))
    check_documents(open_corpus(nodes()))


def test_an_index_of_llama_index_over_qdrant(qdrant: Any) -> None:
    core = library("llama_index.core")
    vectors = library("llama_index.vector_stores.qdrant").QdrantVectorStore("laws", client=qdrant)
    context = core.StorageContext.from_defaults(vector_store=vectors)
    given = [node.model_copy(update={"id_": str(uuid.uuid4())}) for node in nodes()]
    index = core.VectorStoreIndex(given, storage_context=context, embed_model=core.MockEmbedding(8))
    check_documents(open_corpus(vectors))
    check_documents(open_corpus(index))


def test_an_index_of_llama_index_over_chroma(chroma_client: Any) -> None:
    core = library("llama_index.core")
    collection = chroma_client.create_collection(f"laws-{uuid.uuid4().hex}")
    vectors = library("llama_index.vector_stores.chroma").ChromaVectorStore(chroma_collection=collection)
    context = core.StorageContext.from_defaults(vector_store=vectors)
    index = core.VectorStoreIndex(nodes(), storage_context=context, embed_model=core.MockEmbedding(8))
    check_documents(open_corpus(index))


# --- Haystack


def test_a_document_store_of_haystack() -> None:
    store = library("haystack.document_stores.in_memory").InMemoryDocumentStore()
    document = library("haystack").Document
    store.write_documents(
        [
            document(content=CAIRO, meta={"chunk_id": 7, "source": "مصر.pdf"}),
            document(content=BEIRUT, meta={"chunk_id": "007", "source": "لبنان.pdf"}),
        ]
    )
    check_documents(open_corpus(store))


def test_the_same_chunks_have_the_same_fingerprint_wherever_they_are(
    qdrant: Any, chroma_collection: Callable[..., Any]
) -> None:
    filled(qdrant, "laws", [(1, {"text": CAIRO}), (2, {"text": BEIRUT})])
    collection = chroma_collection(ids=["1", "2"], documents=[CAIRO, BEIRUT])
    in_memory = [{"id": 1, "text": CAIRO}, {"id": 2.0, "text": BEIRUT}]
    prints: set[str | None] = set()
    for source in ((qdrant, "laws"), collection, {"1": CAIRO, "2": BEIRUT}, in_memory):
        corpus = open_corpus(source)
        assert corpus.fingerprint is None
        texts_of(corpus)
        prints.add(corpus.fingerprint)
    assert len(prints) == 1
