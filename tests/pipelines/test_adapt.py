"""What the user has becomes a pipeline: each shape as a small real class."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import inspect
import os
import pathlib
import types
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, ClassVar
from unittest.mock import MagicMock

import pandas as pd
import pytest

from muffakir_eval.errors import ConfigError, PipelineOutputError
from muffakir_eval.pipelines import BM25Retriever, as_pipeline
from muffakir_eval.records import Pipeline, PipelineOutput, RetrievedChunk, Sample

QUESTION = "ما هي عاصمة الأردن؟"
SAMPLE = Sample(sample_id="1", row=2, question=QUESTION)
ANSWER = "عمّان"
PASSAGES = ("عمّان عاصمة الأردن.", "بيروت عاصمة لبنان.", "القاهرة عاصمة مصر.")


def run(pipeline: Pipeline, k: int = 2) -> PipelineOutput:
    """Call it as the runner does."""
    said = pipeline.call(SAMPLE, k)
    if inspect.isawaitable(said):

        async def awaited(output: Awaitable[PipelineOutput]) -> PipelineOutput:
            return await output

        return asyncio.run(awaited(said))
    assert pipeline.execution != "async"
    return said


def texts(output: PipelineOutput) -> tuple[str, ...] | None:
    return None if output.chunks is None else tuple(chunk.text for chunk in output.chunks)


def capabilities(pipeline: Pipeline) -> tuple[bool | None, bool | None, bool]:
    return pipeline.answers, pipeline.retrieves, pipeline.any_k


# -- objects of Muffakir's shape -------------------------------------------------------------------


class Rag:
    def __init__(self, config: Any = None) -> None:
        self.config = config if config is not None else {"k": 3, "api_key": "s3cret"}

    def ask(self, question: str, **options: Any) -> dict[str, Any]:
        assert question == QUESTION
        return {
            "answer": ANSWER,
            "retrieved_documents": list(PASSAGES[: options["k"]]),
            "source_metadata": [{"chunk_id": rank} for rank in range(options["k"])],
        }

    def get_similar_documents(self, query: str, k: int | None = None) -> list[str]:
        assert query == QUESTION
        return list(PASSAGES[:k])


class TracedRag(Rag):
    def get_similar_documents_with_trace(self, query: str, k: int | None = None) -> Any:
        return types.SimpleNamespace(documents=self.get_similar_documents(query, k), pipeline_latency_ms=4.0)


class Index:
    def get_similar_documents(self, *, query: str, k: int) -> list[str]:
        return list(PASSAGES[:k])


class AskOnly:
    config = types.SimpleNamespace(pipeline_mode="full_rag")

    def ask(self, question: str) -> str:
        return ANSWER


def test_ask_comes_first_and_gets_k() -> None:
    pipeline = as_pipeline(TracedRag())
    assert run(pipeline).answer == ANSWER
    assert texts(run(pipeline)) == PASSAGES[:2]
    assert [chunk.chunk_id for chunk in run(pipeline).chunks or ()] == ["0", "1"]
    assert capabilities(pipeline) == (True, None, False)
    assert pipeline.execution == "thread"
    assert pipeline.pipeline_id == f"{__name__}.TracedRag"
    assert pipeline.settings == {"k": 3, "api_key": "***"}


@pytest.mark.parametrize("rag", [Rag(), Index()])
def test_similar_documents_are_retrieval_only(rag: Any) -> None:
    pipeline = as_pipeline(rag, pipeline_mode="retrieval_only")
    assert run(pipeline, k=3) == PipelineOutput(chunks=tuple(RetrievedChunk(text=text) for text in PASSAGES))
    assert capabilities(pipeline) == (False, True, True)


def test_an_object_without_ask_needs_no_mode() -> None:
    assert capabilities(as_pipeline(Index())) == (False, True, True)
    assert texts(run(as_pipeline(Index()), k=1)) == PASSAGES[:1]


def test_the_traced_method_is_preferred() -> None:
    output = run(as_pipeline(TracedRag(), pipeline_mode="retrieval_only"))
    assert (texts(output), output.pipeline_latency_ms) == (PASSAGES[:2], 4.0)


def test_a_trace_in_a_dict() -> None:
    class Traced:
        def get_similar_documents_with_trace(self, **options: Any) -> dict[str, Any]:
            assert options == {"query": QUESTION, "k": 2}
            return {
                "documents": [],
                "stage_timings_ms": {"vector_search_ms": 1.0},
                "transformed_query": ["أ", "ب"],
                "query_transform_strategy": "multi_query",
            }

    assert run(as_pipeline(Traced())) == PipelineOutput(
        chunks=(),
        stage_timings_ms={"vector_search_ms": 1.0},
        transformed_query=("أ", "ب"),
        query_transform_strategy="multi_query",
    )


@pytest.mark.parametrize(
    "config",
    [{"pipeline_mode": "retrieval_only"}, types.SimpleNamespace(pipeline_mode="RETRIEVAL_ONLY")],
)
def test_the_objects_own_config_sets_the_mode_and_the_argument_wins(config: Any) -> None:
    assert capabilities(as_pipeline(Rag(config))) == (False, True, True)
    assert capabilities(as_pipeline(Rag(config), pipeline_mode="full_rag")) == (True, None, False)
    assert capabilities(as_pipeline(Rag(config).ask, pipeline_id="x")) == (None, None, True)


def test_a_foreign_mode_in_a_config_is_not_ours_to_judge() -> None:
    assert capabilities(as_pipeline(Rag({"pipeline_mode": "agentic"}))) == (True, None, False)


def test_ask_without_k_and_with_a_plain_answer() -> None:
    pipeline = as_pipeline(AskOnly())
    assert run(pipeline) == PipelineOutput(answer=ANSWER)
    assert capabilities(pipeline) == (True, None, True)


def test_retrieval_only_with_nothing_but_ask() -> None:
    with pytest.raises(ConfigError, match=r"AskOnly has ask, but nothing that only retrieves.*get_similar_documents"):
        as_pipeline(AskOnly(), pipeline_mode="retrieval_only")

    class AskLater:
        async def aask(self, question: str) -> str:
            return ANSWER

    with pytest.raises(ConfigError, match="has ask, but nothing that only retrieves"):
        as_pipeline(AskLater(), pipeline_mode="retrieval_only")


def test_full_rag_with_nothing_that_answers() -> None:
    for rag in (Index(), BM25Retriever(PASSAGES)):
        with pytest.raises(ConfigError, match="can only retrieve"):
            as_pipeline(rag, pipeline_mode="full_rag")


def test_an_unknown_mode() -> None:
    with pytest.raises(ConfigError, match=r"unknown mode 'retrieval'. Expected: 'full_rag' or 'retrieval_only'"):
        as_pipeline(Rag(), pipeline_mode="retrieval")


def test_an_async_ask_runs_on_the_loop() -> None:
    class Later:
        async def ask(self, question: str, k: int) -> dict[str, Any]:
            await asyncio.sleep(0)
            return {"answer": ANSWER, "retrieved_documents": list(PASSAGES[:k])}

    pipeline = as_pipeline(Later())
    assert pipeline.execution == "async"
    assert run(pipeline).answer == ANSWER
    assert texts(run(pipeline, k=1)) == PASSAGES[:1]


def test_an_object_of_attributes_and_a_mock_are_asked_too() -> None:
    mock = MagicMock()
    mock.ask.return_value = types.SimpleNamespace(answer=ANSWER, retrieved_documents=[PASSAGES[0]])
    assert run(as_pipeline(mock)).answer == ANSWER
    mock.ask.assert_called_once_with(QUESTION, k=2)


def test_a_broken_config_does_not_matter() -> None:
    class Broken(AskOnly):
        @property
        def config(self) -> Any:  # type: ignore[override]
            raise RuntimeError("not connected")

    assert as_pipeline(Broken()).settings == {}


# -- functions -------------------------------------------------------------------------------------


def answers(question: str) -> str:
    return f"{question} {ANSWER}"


def retrieves(question: str, k: int = 1) -> list[str]:
    return list(PASSAGES[:k])


async def later(question: str, top_k: int) -> tuple[str, list[str]]:
    await asyncio.sleep(0)
    return ANSWER, list(PASSAGES[:top_k])


def by_sample(sample: Sample) -> str:
    return sample.sample_id


class CallableRag:
    config: ClassVar = {"model": "m"}

    def __call__(self, question: str, limit: int) -> list[tuple[str, float]]:
        return [(text, 1.0) for text in PASSAGES[:limit]]

    def search(self, question: str) -> list[str]:
        raise AssertionError("__call__ comes first")


class AsyncCallable:
    async def __call__(self, question: str) -> str:
        return ANSWER


@pytest.mark.parametrize(
    ("rag", "execution", "answer", "chunks", "any_k"),
    [
        (answers, "thread", f"{QUESTION} {ANSWER}", None, True),
        (retrieves, "thread", None, PASSAGES[:2], False),
        (later, "async", ANSWER, PASSAGES[:2], False),
        (by_sample, "thread", "1", None, True),
        (lambda question: ANSWER, "thread", ANSWER, None, True),
        (CallableRag(), "thread", None, PASSAGES[:2], False),
        (AsyncCallable(), "async", ANSWER, None, True),
        (functools.partial(retrieves, k=3), "thread", None, PASSAGES, True),
        (functools.partial(later, top_k=1), "async", ANSWER, PASSAGES[:1], True),
        (Index().get_similar_documents, "thread", None, PASSAGES[:2], False),
        (AsyncCallable().__call__, "async", ANSWER, None, True),
        (lambda question: later(question, 1), "thread", ANSWER, PASSAGES[:1], True),
        (str.upper, "thread", QUESTION, None, True),
    ],
)
def test_functions(rag: Any, execution: str, answer: str | None, chunks: tuple[str, ...] | None, any_k: bool) -> None:
    pipeline = as_pipeline(rag)
    assert pipeline.execution == execution
    assert (run(pipeline).answer, texts(run(pipeline))) == (answer, chunks)
    assert capabilities(pipeline) == (None, None, any_k)


def test_a_function_that_only_retrieves_may_be_called_with_any_k() -> None:
    pipeline = as_pipeline(retrieves, pipeline_mode="retrieval_only")
    assert capabilities(pipeline) == (False, True, True)
    assert texts(run(pipeline)) == PASSAGES[:2]
    pipeline = as_pipeline(CallableRag(), pipeline_mode="retrieval_only")
    with pytest.raises(AssertionError, match="__call__ comes first"):
        run(pipeline)  # the method that says that it searches is the one that only retrieves


def test_a_function_that_answers_where_only_chunks_are_wanted() -> None:
    pipeline = as_pipeline(answers, pipeline_mode="retrieval_only")
    with pytest.raises(PipelineOutputError, match=r"answers: a retriever returned a text"):
        run(pipeline)


@pytest.mark.parametrize("nonsense", [None, 3, b"", object()])
def test_nonsense_is_an_error_when_it_comes(nonsense: Any) -> None:
    with pytest.raises(PipelineOutputError, match="lambda"):
        run(as_pipeline(lambda question: nonsense))

    async def returns(question: str) -> Any:
        return nonsense

    with pytest.raises(PipelineOutputError, match="returns"):
        run(as_pipeline(returns))


def test_an_exception_of_the_users_passes_through() -> None:
    def fails(question: str) -> str:
        raise KeyError("غائب")

    with pytest.raises(KeyError, match="غائب"):
        run(as_pipeline(fails))


def no_question() -> str:
    return ANSWER


def pieces(question: str) -> Iterator[str]:
    yield ANSWER


async def later_pieces(question: str) -> AsyncIterator[str]:
    yield ANSWER


@pytest.mark.parametrize("rag", [pieces, later_pieces])
def test_streams_are_refused_before_the_run(rag: Any) -> None:
    with pytest.raises(ConfigError, match=r"pieces yields its output in pieces.*join the pieces"):
        as_pipeline(rag)


def test_a_function_that_builds_the_pipeline_is_refused_with_the_remedy() -> None:
    with pytest.raises(ConfigError, match=r"no_question takes no question.*call it and pass what it returns"):
        as_pipeline(no_question)


def test_name_and_settings_of_functions() -> None:
    assert as_pipeline(answers).pipeline_id == f"{__name__}.answers"
    assert as_pipeline(answers, pipeline_id="v2").pipeline_id == "v2"
    assert as_pipeline(Rag({"k": 9}).ask).settings == {"k": 9}
    assert as_pipeline(functools.partial(retrieves, k=3)).settings == {"k": 3}
    assert as_pipeline(CallableRag()).settings == {"model": "m"}


# -- other libraries' shapes -----------------------------------------------------------------------


@dataclasses.dataclass
class Document:
    page_content: str
    metadata: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class AIMessage:
    content: str


class LangChainRunnable:
    def __init__(self, result: Any) -> None:
        self.result = result

    def invoke(self, input: str, config: Any = None, **options: Any) -> Any:  # noqa: A002
        assert input == QUESTION
        assert config is None
        assert options == {}
        return self.result

    async def ainvoke(self, input: str, config: Any = None, **options: Any) -> Any:  # noqa: A002
        raise AssertionError("the blocking method comes first")


class LangChainRetriever(LangChainRunnable):
    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        raise AssertionError("invoke comes first")


class OldLangChainRetriever:
    def get_relevant_documents(self, query: str) -> list[Document]:
        return [Document(text) for text in PASSAGES]


class LangChainVectorStore:
    def search(self, query: str, search_type: str) -> list[Document]:
        raise AssertionError("similarity_search comes first")

    def similarity_search(self, query: str, k: int = 4, **options: Any) -> list[Document]:
        return [Document(text) for text in PASSAGES[:k]]


@pytest.mark.parametrize(
    ("result", "answer", "chunks"),
    [
        (ANSWER, ANSWER, None),
        (AIMessage(ANSWER), ANSWER, None),
        ({"input": QUESTION, "context": [Document(PASSAGES[0])], "answer": ANSWER}, ANSWER, PASSAGES[:1]),
        ({"query": QUESTION, "result": ANSWER, "source_documents": []}, ANSWER, ()),
        ([Document(text) for text in PASSAGES], None, PASSAGES),
    ],
)
def test_a_langchain_runnable(result: Any, answer: str | None, chunks: tuple[str, ...] | None) -> None:
    pipeline = as_pipeline(LangChainRunnable(result))
    output = run(pipeline)
    assert (output.answer, texts(output), output.metadata) == (answer, chunks, {})
    assert capabilities(pipeline) == (None, None, True)
    assert pipeline.execution == "thread"


@pytest.mark.parametrize("mode", [None, "retrieval_only"])
def test_langchain_retrievers(mode: str | None) -> None:
    documents = [Document(text) for text in PASSAGES]
    for rag in (LangChainRetriever(documents), OldLangChainRetriever(), LangChainVectorStore()):
        pipeline = as_pipeline(rag, pipeline_mode=mode)
        assert texts(run(pipeline, k=3)) == PASSAGES
        assert capabilities(pipeline) == (False, True, True)


def test_a_langchain_retriever_that_fails_to_retrieve_says_so() -> None:
    with pytest.raises(PipelineOutputError, match=r"LangChainRetriever\.invoke: a retriever returned a text"):
        run(as_pipeline(LangChainRetriever(ANSWER)))


@dataclasses.dataclass
class Response:
    response: str
    source_nodes: list[Any]


class QueryEngine:
    """As in LlamaIndex: it answers, and can retrieve as well."""

    def query(self, str_or_query_bundle: str) -> Response:
        return Response(ANSWER, [Document(PASSAGES[0])])

    async def aquery(self, str_or_query_bundle: str) -> Response:
        raise AssertionError("the blocking method comes first")

    def retrieve(self, query_bundle: str) -> list[Document]:
        return [Document(PASSAGES[1])]


class AsyncRetriever:
    async def aretrieve(self, str_or_query_bundle: str) -> list[Document]:
        return [Document(PASSAGES[1])]


def test_llamaindex_objects() -> None:
    engine = as_pipeline(QueryEngine())
    assert (run(engine).answer, texts(run(engine))) == (ANSWER, PASSAGES[:1])
    assert capabilities(engine) == (None, None, True)
    retriever = as_pipeline(QueryEngine(), pipeline_mode="retrieval_only")
    assert texts(run(retriever)) == PASSAGES[1:2]
    assert capabilities(retriever) == (False, True, True)
    only_async = as_pipeline(AsyncRetriever())
    assert only_async.execution == "async"
    assert texts(run(only_async)) == PASSAGES[1:2]
    assert capabilities(only_async) == (False, True, True)


class HaystackRetriever:
    def run(self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None) -> dict[str, Any]:
        assert filters is None
        return {"documents": list(PASSAGES[:top_k])}

    async def run_async(self, query: str) -> dict[str, Any]:
        raise AssertionError("the blocking method comes first")


class HaystackGenerator:
    def run(self, prompt: str) -> dict[str, Any]:
        return {"replies": [ANSWER], "meta": [{"model": "m"}]}


class HaystackPipeline:
    def run(self, data: dict[str, Any], include_outputs_from: set[str] | None = None) -> dict[str, Any]:
        raise AssertionError("its shape is unknown")


def test_haystack_components_and_not_whole_pipelines() -> None:
    assert texts(run(as_pipeline(HaystackRetriever()))) == PASSAGES[:2]
    assert run(as_pipeline(HaystackGenerator())).answer == ANSWER
    retriever = as_pipeline(HaystackRetriever(), pipeline_mode="retrieval_only")
    assert capabilities(retriever) == (False, True, True)
    with pytest.raises(ConfigError, match=r"HaystackPipeline has a run method that takes no question by name.*wrap it"):
        as_pipeline(HaystackPipeline())


def test_a_run_method_that_tells_nothing_is_refused() -> None:
    class Opaque:
        run = dict  # a type whose signature cannot be read

    with pytest.raises(ConfigError, match="takes no question by name"):
        as_pipeline(Opaque())


def test_a_mere_search() -> None:
    class Searcher:
        def search(self, query: str, limit: int = 1) -> dict[str, Any]:
            return {"hits": list(PASSAGES[:limit])}

    pipeline = as_pipeline(Searcher())
    assert texts(run(pipeline)) == PASSAGES[:2]
    assert capabilities(pipeline) == (False, True, True)


def test_ask_beside_a_query_is_not_read_as_a_retriever() -> None:
    class Both:
        def ask(self, question: str) -> str:
            return ANSWER

        def query(self, question: str) -> str:
            return ANSWER

    with pytest.raises(ConfigError, match="nothing that only retrieves"):
        as_pipeline(Both(), pipeline_mode="retrieval_only")


# -- ready pipelines, the embedded retriever, recorded outputs -------------------------------------


def test_a_pipeline_stays_as_it_is() -> None:
    ready = as_pipeline(answers)
    assert as_pipeline(ready) is ready
    assert as_pipeline(ready, pipeline_id="x") == dataclasses.replace(ready, pipeline_id="x")
    assert as_pipeline(ready, pipeline_mode="retrieval_only").answers is False


def test_a_pipeline_that_does_not_tell_what_it_retrieves_cannot_be_retrieval_only() -> None:
    mute = dataclasses.replace(as_pipeline(answers), retrieves=False)
    with pytest.raises(ConfigError, match="does not tell what it retrieves"):
        as_pipeline(mute, pipeline_mode="retrieval_only")


def test_the_embedded_retriever() -> None:
    retriever = BM25Retriever(PASSAGES)
    pipeline = as_pipeline(retriever)
    assert pipeline.pipeline_id == "bm25"
    assert pipeline.execution == "inline"
    assert capabilities(pipeline) == (False, True, True)
    assert pipeline.settings == retriever.settings
    assert run(pipeline) == PipelineOutput(chunks=tuple(retriever.search(QUESTION, 2)))
    assert texts(run(pipeline, k=1)) == PASSAGES[:1]
    assert capabilities(as_pipeline(retriever, pipeline_mode="retrieval_only")) == (False, True, True)


def test_none_means_recorded_outputs() -> None:
    recorded = dataclasses.replace(SAMPLE, recorded=PipelineOutput(answer=ANSWER))
    pipeline = as_pipeline(None, samples=[recorded])
    assert pipeline.pipeline_id == "recorded"
    assert pipeline.call(recorded, 5) == PipelineOutput(answer=ANSWER)
    assert as_pipeline(None, samples=[recorded], pipeline_id="v1").pipeline_id == "v1"


# -- mistakes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        ("questions.jsonl", r"a text \('questions\.jsonl'\) is no pipeline.*dataset may have been passed as rag"),
        (b"questions", "a text"),
        ("س" * 500, "…"),
        (pathlib.PurePosixPath("data/questions.csv"), r"a path \(data/questions\.csv\).*dataset may have been passed"),
        (pd.DataFrame({"question": [QUESTION]}), r"a table \(pandas.*DataFrame\).*dataset may have been passed"),
        ([SAMPLE], r"a list \(builtins\.list\).*belong into the dataset, with rag=None"),
        ((), "a list"),
        ({"k": 5}, r"a dict .*build the pipeline from its settings"),
        (Rag, r"a class \(.*\.Rag\) is no pipeline.*pass an instance of it"),
        (os, r"a module .*the object or function in it"),
        (pieces(QUESTION), "a generator"),
        (3, r"builtins\.int is nothing that can be asked.*ask\(question, k=…\)"),
        (object(), r"builtins\.object is nothing that can be asked.*BM25Retriever; or None"),
    ],
)
def test_mistakes_are_named_with_what_was_meant(mistake: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        as_pipeline(mistake)


def test_a_coroutine_that_was_not_awaited() -> None:
    coroutine = later(QUESTION, 1)
    with pytest.raises(ConfigError, match=r"a coroutine that was not awaited .*pass the function itself"):
        as_pipeline(coroutine)
    coroutine.close()


def test_p44_nothing_is_called_before_the_run() -> None:
    def explodes(*args: Any, **options: Any) -> Any:
        raise AssertionError("called too early")

    class Loaded:
        ask = get_similar_documents = invoke = query = run = explodes

    rags: list[Callable[..., Any] | Any] = [explodes, Loaded()]
    for rag in rags:
        as_pipeline(rag)
