"""What pipelines return, and what becomes of it."""

from __future__ import annotations

import collections
import dataclasses
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from muffakir_eval.errors import PipelineOutputError
from muffakir_eval.pipelines.outputs import Translator
from muffakir_eval.pipelines.shapes import ANSWER_KEYS, CHUNK_KEYS, ID_KEYS
from muffakir_eval.records import PipelineOutput, RetrievedChunk

translate = Translator("my.rag")
retrieve = Translator("my.retriever", retrieval=True)


class Document:
    """As in LangChain."""

    def __init__(self, page_content: str, metadata: dict[str, Any] | None = None) -> None:
        self.page_content = page_content
        self.metadata = metadata or {}


class Message:
    """A chat message: text, or blocks of which some are text."""

    def __init__(self, content: Any) -> None:
        self.content = content


def texts(output: PipelineOutput) -> list[str] | None:
    return None if output.chunks is None else [chunk.text for chunk in output.chunks]


def ids(output: PipelineOutput) -> list[str | None]:
    return [chunk.chunk_id for chunk in output.chunks or ()]


# -- texts and lists -------------------------------------------------------------------------------


def test_a_text_is_an_answer_and_an_empty_one_is_an_empty_answer() -> None:
    assert translate("القاهرة") == PipelineOutput(answer="القاهرة", chunks=None)
    assert translate("") == PipelineOutput(answer="", chunks=None)


def test_a_text_of_a_subclass_becomes_plain_text() -> None:
    class Fancy(str):
        def __str__(self) -> str:
            return "<Fancy>"

    answer = translate(Fancy("القاهرة")).answer
    assert answer == "القاهرة"
    assert type(answer) is str


def test_a_list_of_texts_is_chunks_never_answers() -> None:
    output = translate(["فقرة أولى", "فقرة ثانية"])
    assert output.answer is None
    assert texts(output) == ["فقرة أولى", "فقرة ثانية"]


@pytest.mark.parametrize("empty", [[], (), np.array([]), {"documents": []}, {"contexts": ()}, {"context": ""}])
def test_an_empty_result_is_not_an_unknown_one(empty: Any) -> None:
    assert translate(empty).chunks == ()
    assert translate("جواب").chunks is None


def test_every_kind_of_chunk_in_one_list() -> None:
    ready = RetrievedChunk(text="جاهز", chunk_id="9")
    output = translate(
        ["نص", {"text": "قاموس", "chunk_id": 7}, Document("وثيقة", {"chunk_id": "d"}), ("زوج", 0.5), ready]
    )
    assert texts(output) == ["نص", "قاموس", "وثيقة", "زوج", "جاهز"]
    assert ids(output) == [None, "7", "d", None, "9"]
    assert output.chunks is not None
    assert output.chunks[3].score == 0.5
    assert output.chunks[4] is ready


def test_an_array_of_texts_is_a_list() -> None:
    assert texts(translate(np.array(["أ", "ب"]))) == ["أ", "ب"]


def test_a_bad_chunk_is_named_by_its_rank() -> None:
    with pytest.raises(PipelineOutputError, match=r"my\.rag, chunk at rank 2"):
        translate(["نص", object()])
    with pytest.raises(PipelineOutputError, match=r"my\.rag, chunk at rank 1"):
        translate({"answer": "جواب", "contexts": [None]})


# -- pairs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pair", "answer", "chunks"),
    [
        (("جواب", ["أ", "ب"]), "جواب", ["أ", "ب"]),
        ((["أ", "ب"], "جواب"), "جواب", ["أ", "ب"]),
        (("جواب", ()), "جواب", []),
        (("جواب", None), "جواب", None),
        ((None, ["أ"]), None, ["أ"]),
        ((["أ"], None), None, ["أ"]),
        (("", [Document("أ")]), "", ["أ"]),
        ((Message("جواب"), [Document("أ")]), "جواب", ["أ"]),
        (("أ", "ب"), None, ["أ", "ب"]),
        ((Document("أ"), Document("ب")), None, ["أ", "ب"]),
        ((("أ", 0.5), ("ب", 0.25)), None, ["أ", "ب"]),
    ],
)
def test_pairs(pair: Any, answer: str | None, chunks: list[str] | None) -> None:
    output = translate(pair)
    assert output.answer == answer
    assert texts(output) == chunks


def test_one_scored_chunk_is_not_a_list_of_chunks() -> None:
    with pytest.raises(PipelineOutputError, match="chunk at rank 2"):
        translate(("فقرة", 0.9))


def test_a_named_tuple_is_read_by_its_names() -> None:
    result = collections.namedtuple("result", ["answer", "contexts"])
    output = translate(result("جواب", ["أ"]))
    assert (output.answer, texts(output)) == ("جواب", ["أ"])


# -- dicts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [key for key in ANSWER_KEYS if key not in {"answers", "replies"}])
def test_every_name_of_the_answer(key: str) -> None:
    assert translate({key: "جواب"}).answer == "جواب"
    assert translate(types.SimpleNamespace(**{key: "جواب"})).answer == "جواب"


@pytest.mark.parametrize("key", CHUNK_KEYS)
def test_every_name_of_the_chunks(key: str) -> None:
    output = translate({"answer": "جواب", key: ["أ", Document("ب")]})
    assert (output.answer, texts(output)) == ("جواب", ["أ", "ب"])
    assert texts(translate(types.SimpleNamespace(**{key: ["أ"]}))) == ["أ"]


@pytest.mark.parametrize("key", ID_KEYS)
def test_identifiers_alone_are_chunks_without_text(key: str) -> None:
    output = translate({"answer": "جواب", key: [7, "007", 12.0]})
    assert ids(output) == ["7", "007", "12"]
    assert texts(output) == ["", "", ""]


def test_identifiers_beside_texts_pair_by_position_and_win_over_the_chunks_own() -> None:
    output = translate(
        {"contexts": ["أ", {"text": "ب", "id": "9f3a-random"}, {"text": "ج", "id": "c"}], "chunk_ids": ["a", "b", None]}
    )
    assert ids(output) == ["a", "b", "c"]
    assert texts(output) == ["أ", "ب", "ج"]
    assert ids(translate({"contexts": ["أ"], "chunk_ids": None})) == [None]


def test_lists_that_do_not_pair_are_refused() -> None:
    with pytest.raises(PipelineOutputError, match=r"2 chunks but 1 entries in 'retrieved_chunk_ids'"):
        translate({"contexts": ["أ", "ب"], "retrieved_chunk_ids": ["a"]})
    with pytest.raises(PipelineOutputError, match=r"1 chunks but 2 entries in 'source_metadata'"):
        translate({"retrieved_documents": ["أ"], "source_metadata": [{}, {}]})
    with pytest.raises(PipelineOutputError, match="a list of identifiers"):
        translate({"contexts": ["أ"], "retrieved_chunk_ids": "a"})
    with pytest.raises(PipelineOutputError, match="a list of dicts"):
        translate({"contexts": ["أ"], "source_metadata": ["a"]})


def test_a_missing_list_an_empty_list_and_null() -> None:
    assert translate({"answer": "جواب"}).chunks is None
    assert translate({"answer": "جواب", "retrieved_documents": None}).chunks is None
    assert translate({"answer": "جواب", "retrieved_documents": []}).chunks == ()
    assert translate({"answer": None, "retrieved_documents": []}) == PipelineOutput(chunks=())
    assert texts(translate({"answer": "جواب", "retrieved_documents": None, "contexts": ["أ"]})) == ["أ"]
    assert translate({"answer": None, "response": "جواب"}).answer == "جواب"


def test_a_single_context_is_one_chunk_and_never_a_row_of_letters() -> None:
    assert texts(translate({"answer": "جواب", "context": "نص السياق"})) == ["نص السياق"]
    with pytest.raises(PipelineOutputError, match=r"'contexts' is a text.*a list of chunks"):
        translate({"answer": "جواب", "contexts": "نص السياق"})


@pytest.mark.parametrize("bad", [{"a": 1}, 3, {"أ"}, object(), iter(["أ"])])
def test_chunks_that_are_no_list(bad: Any) -> None:
    with pytest.raises(PipelineOutputError, match=r"'documents' is .*a list of chunks, in rank order"):
        translate({"answer": "جواب", "documents": bad})


@pytest.mark.parametrize("bad", [42, 0.5, True, ["جواب"], {"a": 1}, object()])
def test_answers_that_are_no_text(bad: Any) -> None:
    with pytest.raises(PipelineOutputError, match="'answer' of what it returned is"):
        translate({"answer": bad, "documents": []})


# -- what Muffakir returns -------------------------------------------------------------------------

MUFFAKIR = {
    "answer": "القاهرة",
    "transformed_query": ["عاصمة مصر", "مصر عاصمتها"],
    "query_transform_strategy": "multi_query",
    "retrieved_documents": ["القاهرة عاصمة مصر.", "بيروت عاصمة لبنان."],
    "source_metadata": [{"chunk_id": 3, "source": "مصر.pdf", "score": 0.75}, None],
    "context_source": "vector_db",
    "web_sources": [],
    "used_context": "القاهرة عاصمة مصر.\n\nبيروت عاصمة لبنان.",
    "stage_timings_ms": {"query_transform_ms": None, "vector_search_ms": 7.5, "rerank_ms": "?", "x": float("nan")},
    "pipeline_latency_ms": 12.5,
    "cost_usd": 0.002,
    "llm": object(),
    "prompt": "س" * 5_000,
}


def test_a_muffakir_result() -> None:
    output = translate(MUFFAKIR)
    assert output.answer == "القاهرة"
    assert output.transformed_query == ("عاصمة مصر", "مصر عاصمتها")
    assert output.query_transform_strategy == "multi_query"
    assert output.pipeline_latency_ms == 12.5
    assert output.stage_timings_ms == {
        "query_transform_ms": None,
        "vector_search_ms": 7.5,
        "rerank_ms": None,
        "x": None,
    }
    assert texts(output) == ["القاهرة عاصمة مصر.", "بيروت عاصمة لبنان."]
    assert ids(output) == ["3", None]
    assert output.chunks is not None
    assert output.chunks[0].source == "مصر.pdf"
    assert output.chunks[0].score == 0.75
    assert output.error is None


def test_small_further_values_are_kept_and_big_ones_and_objects_are_not() -> None:
    metadata = translate(MUFFAKIR).metadata
    assert metadata["cost_usd"] == 0.002
    assert metadata["context_source"] == "vector_db"
    assert {"llm", "used_context", "answer", "stage_timings_ms"}.isdisjoint(metadata)
    assert str(metadata["prompt"]).startswith("sha256:")
    assert translate({"answer": "أ", "api_key": "s3cret", "rows": ["نص"] * 900}).metadata == {"api_key": "***"}


def test_the_context_of_a_web_search_is_kept_where_no_document_is() -> None:
    output = translate({"answer": "جواب", "retrieved_documents": [], "used_context": "من الويب"})
    assert output.chunks == ()
    assert output.metadata == {"used_context": "من الويب"}


def test_documents_keep_what_the_metadata_beside_them_do_not_tell() -> None:
    output = translate(
        {
            "retrieved_documents": [Document("أ", {"chunk_id": "own", "page": 1}), Document("ب", {"chunk_id": "own"})],
            "source_metadata": [{"chunk_id": "told", "source": "a.pdf"}, {"score": 0.5}],
        }
    )
    assert ids(output) == ["told", "own"]
    assert output.chunks is not None
    assert output.chunks[0].source == "a.pdf"
    assert output.chunks[0].metadata["page"] == 1
    assert output.chunks[1].score == 0.5


@pytest.mark.parametrize("latency", [-1, float("inf"), float("nan"), "12", True, None])
def test_a_latency_that_is_none_is_not_told(latency: Any) -> None:
    assert translate({"answer": "أ", "pipeline_latency_ms": latency}).pipeline_latency_ms is None
    assert translate({"answer": "أ", "pipeline_latency_ms": np.float32(2.5)}).pipeline_latency_ms == 2.5


@pytest.mark.parametrize(
    ("query", "told"), [("سؤال", "سؤال"), (["أ", "ب"], ("أ", "ب")), (("أ", 3), ("أ",)), (None, None), (3, None)]
)
def test_a_transformed_query(query: Any, told: Any) -> None:
    assert translate({"answer": "أ", "transformed_query": query}).transformed_query == told


def test_timings_that_are_no_mapping_are_not_told() -> None:
    assert translate({"answer": "أ", "stage_timings_ms": [1, 2]}).stage_timings_ms == {}


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("Empty question provided", "Empty question provided"),
        (ValueError("خطأ"), "ValueError: خطأ"),
        ({"code": 500}, 'the pipeline reports {"code": 500}'),
        (None, None),
        ("", None),
        (False, None),
    ],
)
def test_an_error_that_the_pipeline_reports_is_the_samples_error(error: Any, told: str | None) -> None:
    assert translate({"answer": "يرجى تقديم سؤال صحيح", "error": error}).error == told


def test_an_error_alone_is_an_output_and_no_error_alone_is_none() -> None:
    assert translate({"error": "down"}) == PipelineOutput(error="down")
    with pytest.raises(PipelineOutputError, match="neither an answer nor a list of chunks is set"):
        translate({"error": None})
    with pytest.raises(PipelineOutputError, match="neither an answer nor a list of chunks is set"):
        translate({"answer": None})


# -- objects ---------------------------------------------------------------------------------------


@dataclasses.dataclass
class Node:
    text: str
    id_: str
    score: float


@dataclasses.dataclass
class Response:
    """As in LlamaIndex."""

    response: str | None
    source_nodes: list[Any]
    metadata: dict[str, Any] | None = None


class Reply(BaseModel):
    answer: str
    contexts: list[str]
    cost: float


class Telemetry:
    """As Muffakir's result of a traced retrieval."""

    def __init__(self) -> None:
        self.documents = [Document("أ")]
        self.stage_timings_ms = {"vector_search_ms": 7.0}
        self.pipeline_latency_ms = 12.5
        self.transformed_query = "استعلام"
        self.query_transform_strategy = "rewrite"

    def results(self) -> list[str]:
        raise AssertionError("a method is no field")


def test_objects_are_read_like_dicts() -> None:
    response = translate(Response("جواب", [Node("أ", "1", 0.5)], {"1": {"page": 3}}))
    assert (response.answer, texts(response)) == ("جواب", ["أ"])
    assert response.metadata == {"metadata": {"1": {"page": 3}}}
    reply = translate(Reply(answer="جواب", contexts=["أ"], cost=0.5))
    assert (reply.answer, texts(reply), reply.metadata) == ("جواب", ["أ"], {"cost": 0.5})
    traced = retrieve(Telemetry())
    assert texts(traced) == ["أ"]
    assert (traced.pipeline_latency_ms, traced.transformed_query) == (12.5, "استعلام")
    assert traced.query_transform_strategy == "rewrite"


def test_a_response_without_text_is_no_answer() -> None:
    assert translate(Response(None, [])) == PipelineOutput(answer=None, chunks=())


def test_a_response_that_streams_is_not_mistaken_for_no_answer() -> None:
    streaming = types.SimpleNamespace(response_gen=generator(), source_nodes=["أ"])
    with pytest.raises(PipelineOutputError, match=r"an answer that is still to come.*turn streaming off"):
        translate({"response_gen": generator(), "source_nodes": ["أ"]})
    assert texts(retrieve({"response_gen": generator(), "source_nodes": ["أ"]})) == ["أ"]
    with pytest.raises(PipelineOutputError, match="turn streaming off"):
        translate(streaming)


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (Message("جواب"), "جواب"),
        (Message(""), ""),
        (Message([{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "جو"}, "اب"]), "جواب"),
        (Message([]), ""),
        (types.SimpleNamespace(role="assistant", text="جواب", meta={}), "جواب"),
        ({"role": "assistant", "content": "جواب"}, "جواب"),
        ({"answer": Message("جواب")}, "جواب"),
        ({"response": {"role": "assistant", "content": "جواب"}}, "جواب"),
    ],
)
def test_chat_messages_are_answers(message: Any, answer: str) -> None:
    assert translate(message).answer == answer


@pytest.mark.parametrize(
    ("returned", "answer", "chunks"),
    [
        ({"replies": ["جواب", "آخر"]}, "جواب", None),
        ({"replies": [types.SimpleNamespace(role="assistant", text="جواب")]}, "جواب", None),
        ({"replies": []}, "", None),
        ({"answers": [types.SimpleNamespace(data="جواب", documents=[Document("أ")])]}, "جواب", ["أ"]),
        ({"answers": [types.SimpleNamespace(data="جواب")], "documents": []}, "جواب", []),
        ({"answers": ["جواب"]}, "جواب", None),
    ],
)
def test_haystack_components(returned: Any, answer: str, chunks: list[str] | None) -> None:
    output = translate(returned)
    assert (output.answer, texts(output)) == (answer, chunks)


# -- ready outputs ---------------------------------------------------------------------------------


def test_a_ready_output_stays_as_it_is() -> None:
    output = PipelineOutput(answer="جواب", chunks=(RetrievedChunk(text="أ"),), metadata={"a": 1})
    assert translate(output) == output
    assert translate(PipelineOutput(answer="")) == PipelineOutput(answer="")


def test_loose_chunks_in_a_ready_output_are_put_right() -> None:
    loose = PipelineOutput(chunks=["أ", Document("ب")])  # type: ignore[arg-type]
    assert translate(loose).chunks == translate(["أ", Document("ب")]).chunks


# -- nonsense --------------------------------------------------------------------------------------


def generator() -> Iterator[str]:
    yield "جواب"


@pytest.mark.parametrize(
    ("nonsense", "message"),
    [
        (None, "returned None"),
        (42, r"returned 42 \(int\)"),
        (0.93, r"returned 0.93 \(float\)"),
        (True, r"returned True \(bool\)"),
        (np.float64(0.5), "float64"),
        (b"\xd8\xa7", "returned a bytes"),
        (object(), "returned an object"),
        ({}, "an empty dict"),
        ({"generator": {"replies": []}, "llm": {}}, "a dict with the keys 'generator', 'llm'"),
        ({"أ", "ب"}, "the order of the chunks is their rank"),
        (generator(), "join the pieces of a streamed answer"),
        (iter([1]), "join the pieces of a streamed answer"),
        (Document("أ"), "return a list of chunks, also where there is only one"),
        ({"page_content": "أ", "metadata": {}}, "return a list of chunks, also where there is only one"),
        (("أ", ["ب"], 3), "chunk at rank 2"),
        ((None, None), "chunk at rank 1"),
        (Response, "returned a type"),
        (len, "returned a builtin_function_or_method"),
    ],
)
def test_nonsense_is_an_error_that_names_it(nonsense: Any, message: str) -> None:
    with pytest.raises(PipelineOutputError, match=message) as caught:
        translate(nonsense)
    assert str(caught.value).startswith("my.rag")


def test_the_error_says_what_is_accepted() -> None:
    with pytest.raises(
        PipelineOutputError, match=r"my\.rag: it returned 42 \(int\)\. Expected: an answer \(text\), a list"
    ):
        translate(42)


# -- retrieval only --------------------------------------------------------------------------------


@pytest.mark.parametrize("returned", [["أ"], ("جواب", ["أ"]), {"answer": "جواب", "documents": ["أ"]}])
def test_a_retriever_gives_chunks_and_no_answer(returned: Any) -> None:
    assert retrieve(returned) == PipelineOutput(chunks=(RetrievedChunk(text="أ"),))


@pytest.mark.parametrize("returned", ["جواب", {"answer": "جواب"}, {"answer": "جواب", "documents": None}])
def test_a_retriever_without_chunks_is_an_error(returned: Any) -> None:
    with pytest.raises(
        PipelineOutputError, match=r"my\.retriever: a retriever returned .*a list of chunks, empty where"
    ):
        retrieve(returned)


def test_an_error_of_a_retriever_is_told() -> None:
    assert retrieve({"error": "down"}) == PipelineOutput(error="down")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.tuples(inner, inner)
            | st.dictionaries(
                st.sampled_from([*ANSWER_KEYS, *CHUNK_KEYS, *ID_KEYS, "text", "error"]), inner, max_size=3
            )
        ),
        max_leaves=8,
    )
)
def test_anything_is_an_output_or_an_error_that_says_so(returned: Any) -> None:
    try:
        output = translate(returned)
    except PipelineOutputError:
        return
    assert output.answer is None or isinstance(output.answer, str)
    assert output.chunks is None or all(isinstance(chunk, RetrievedChunk) for chunk in output.chunks)
    assert (output.answer, output.chunks, output.error) != (None, None, None)
