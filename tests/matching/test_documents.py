from __future__ import annotations

import decimal
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from muffakir_eval.errors import PipelineOutputError
from muffakir_eval.matching.documents import chunk_from
from muffakir_eval.records import RetrievedChunk


@dataclass
class LangChainDocument:
    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None
    type: str = "Document"


@dataclass
class HaystackDocument:
    id: str = "5f2c9e"
    content: str | None = None
    meta: dict[str, Any] = field(default_factory=dict)
    score: float | None = None
    embedding: list[float] | None = None


@dataclass
class LlamaNode:
    """A node whose ``text`` may not be read, as those without text behave."""

    body: str
    node_id: str = "a1b2"
    metadata: dict[str, Any] = field(default_factory=dict)

    def get_content(self) -> str:
        return self.body


@dataclass
class LlamaNodeWithScore:
    node: LlamaNode
    score: float | None = None

    def get_content(self) -> str:
        return self.node.get_content()

    @property
    def text(self) -> str:
        return self.node.get_content()

    @property
    def node_id(self) -> str:
        return self.node.node_id

    @property
    def metadata(self) -> dict[str, Any]:
        return self.node.metadata


@dataclass
class QdrantPoint:
    id: str
    score: float
    payload: dict[str, Any]


def test_text_is_a_chunk() -> None:
    assert chunk_from("نص") == RetrievedChunk(text="نص")
    assert chunk_from("") == RetrievedChunk()


def test_a_numpy_text_becomes_a_plain_one() -> None:
    assert type(chunk_from(np.str_("نص")).text) is str


@pytest.mark.parametrize("key", ["page_content", "text", "content", "chunk", "document", "chunk_text", "passage"])
def test_a_dict_with_any_known_text_key(key: str) -> None:
    assert chunk_from({key: "نص", "page": 3}) == RetrievedChunk(text="نص", metadata={"page": 3})


@pytest.mark.parametrize("key", ["chunk_id", "chunkId", "id", "_id", "node_id"])
@pytest.mark.parametrize(("given", "cleaned"), [(12, "12"), ("12", "12"), (12.0, "12"), ("007", "007"), (0, "0")])
def test_identifiers_of_a_dict_are_text(key: str, given: object, cleaned: str) -> None:
    assert chunk_from({"text": "نص", key: given}).chunk_id == cleaned


@pytest.mark.parametrize("nothing", [None, "", " ", float("nan")])
def test_p26_a_missing_identifier_is_none(nothing: object) -> None:
    assert chunk_from({"text": "نص", "metadata": {"chunk_id": nothing}}).chunk_id is None


def test_the_first_identifier_that_is_there_counts() -> None:
    metadata = {"id": "third", "chunkId": "second", "chunk_id": None}
    assert chunk_from({"text": "x", "metadata": metadata}).chunk_id == "second"


def test_metadata_beat_the_random_identifier_of_a_framework() -> None:
    assert chunk_from(LangChainDocument("نص", {"chunk_id": 4}, id="0d8f-uuid")).chunk_id == "4"
    assert chunk_from(HaystackDocument(content="نص", meta={"id": "c4"})).chunk_id == "c4"
    assert chunk_from(LlamaNodeWithScore(LlamaNode("نص", metadata={"chunkId": "c4"}))).chunk_id == "c4"
    assert chunk_from({"id": "0d8f", "content": "نص", "meta": {"chunk_id": "c4"}}).chunk_id == "c4"


def test_a_named_identifier_of_the_chunk_beats_its_metadata() -> None:
    assert chunk_from({"text": "x", "chunk_id": "own", "metadata": {"chunk_id": "other"}}).chunk_id == "own"


def test_langchain_document() -> None:
    chunk = chunk_from(LangChainDocument("نص", {"source": "قانون.pdf", "page": 3}, id="u1"))
    assert chunk == RetrievedChunk(
        text="نص", chunk_id="u1", source="قانون.pdf", metadata={"source": "قانون.pdf", "page": 3}
    )


def test_haystack_document() -> None:
    chunk = chunk_from(HaystackDocument(content="نص", meta={"file_path": "a/b.pdf"}, score=0.5))
    assert (chunk.text, chunk.chunk_id, chunk.source, chunk.score) == ("نص", "5f2c9e", "a/b.pdf", 0.5)
    assert chunk_from(HaystackDocument()).text == ""


def test_llama_index_nodes() -> None:
    node = LlamaNode("نص", metadata={"file_name": "b.pdf"})
    chunk = chunk_from(LlamaNodeWithScore(node, 0.25))
    assert (chunk.text, chunk.chunk_id, chunk.source, chunk.score) == ("نص", "a1b2", "b.pdf", 0.25)
    assert chunk_from(node).text == "نص"


def test_search_hits_with_a_payload() -> None:
    payload = {"page_content": "نص", "metadata": {"source": "a.pdf", "chunk_id": 9}}
    chunk = chunk_from(QdrantPoint("3f", 0.9, payload))
    assert (chunk.text, chunk.chunk_id, chunk.source, chunk.score) == ("نص", "9", "a.pdf", 0.9)
    match = {"id": "3f", "score": 0.9, "metadata": {"text": "نص", "page": 1}}
    assert chunk_from(match) == RetrievedChunk(text="نص", chunk_id="3f", score=0.9, metadata={"page": 1})


def test_pairs_of_chunk_and_score() -> None:
    assert chunk_from(("نص", 0.5)).score == 0.5
    assert chunk_from([LangChainDocument("نص"), np.float32(0.5)]).score == 0.5
    assert chunk_from((LangChainDocument("نص"), None)).text == "نص"


def test_a_dict_around_a_document() -> None:
    inner = LangChainDocument("نص", {"chunk_id": 1, "page": 2}, id="u")
    chunk = chunk_from({"document": inner, "score": 0.5, "rank": 1, "source": "a.pdf"})
    assert (chunk.text, chunk.chunk_id, chunk.score, chunk.source) == ("نص", "1", 0.5, "a.pdf")
    assert chunk.metadata == {"rank": 1, "chunk_id": 1, "page": 2}
    assert chunk_from({"chunk": {"text": "نص"}, "chunk_id": "c"}).chunk_id == "c"


@pytest.mark.parametrize("name", ["document", "node", "chunk"])
def test_a_passage_with_a_text_of_its_own_is_not_unpacked(name: str) -> None:
    """What stands beside it is the document that it comes from."""
    chunk = chunk_from({"text": "نص", "chunk_id": 1, name: {"title": "قانون العمل", "text": "كل القانون"}})
    assert (chunk.text, chunk.chunk_id) == ("نص", "1")
    assert chunk_from({name: {"title": "قانون"}, "passage": "نص"}).text == "نص"


def test_an_identifier_alone_is_a_chunk() -> None:
    assert chunk_from({"chunk_id": "c1"}) == RetrievedChunk(chunk_id="c1")


@pytest.mark.parametrize("score", [True, float("nan"), float("inf"), 10**400, "0.5", None])
def test_what_is_no_score_is_none(score: object) -> None:
    assert chunk_from({"text": "x", "score": score}).score is None


def test_scores_of_other_numeric_types() -> None:
    assert chunk_from({"text": "x", "score": np.float64(0.5)}).score == 0.5
    assert chunk_from({"text": "x", "metadata": {"relevance_score": np.array(0.5)}}).score == 0.5


def test_a_source_may_be_a_path() -> None:
    assert chunk_from({"text": "x", "metadata": {"source": Path("a") / "b.pdf"}}).source == str(Path("a") / "b.pdf")
    assert chunk_from({"text": "x", "metadata": {"source": 3, "file_name": "b.pdf"}}).source == "b.pdf"


def test_a_chunk_of_ours_stays_the_same_object() -> None:
    chunk = RetrievedChunk(text="نص", chunk_id="1", source="a.pdf", score=0.5)
    assert chunk_from(chunk) is chunk


def test_a_chunk_of_ours_with_wrong_types_is_put_right() -> None:
    chunk = RetrievedChunk(text="نص", chunk_id=12.0, score=float("nan"), source="", metadata=None)  # type: ignore[arg-type]
    assert chunk_from(chunk) == RetrievedChunk(text="نص", chunk_id="12")


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (None, "NoneType"),
        (7, "int"),
        (True, "bool"),
        (0.5, "float"),
        (decimal.Decimal(1), "Decimal"),
        (b"text", "bytes"),
        (object(), "object"),
        (LangChainDocument, "type"),
        ({"page": 3}, "'page'"),
        ({}, "none"),
        (("a", "b"), "tuple"),
        (["a", "b", "c"], "list of 3"),
        ({"text": 5}, "'text'"),
        ({"content": ["a"]}, "list"),
        (RetrievedChunk(text=None), "NoneType"),  # type: ignore[arg-type]
        ((None, 0.5), "NoneType"),
    ],
)
def test_nonsense_is_refused_by_name(value: object, named: str) -> None:
    with pytest.raises(PipelineOutputError, match=named) as caught:
        chunk_from(value)
    assert isinstance(caught.value, TypeError)
