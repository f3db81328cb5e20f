"""Turn what the user has into a :class:`Pipeline`.

Everything goes by shape: no library is imported to recognise its objects. A blocking method is taken
before its ``async`` twin where both exist, since the twin is often the same call in a thread; an object
that offers only the ``async`` one runs on the loop.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from muffakir_eval.errors import ConfigError
from muffakir_eval.pipelines.bm25 import BM25Retriever
from muffakir_eval.pipelines.calling import QUESTION_NAMES, Calling, is_async, plan_call, streams
from muffakir_eval.pipelines.outputs import Translator
from muffakir_eval.pipelines.recorded import recorded_pipeline
from muffakir_eval.pipelines.settings import mode_of, pipeline_name, public_settings
from muffakir_eval.records import Pipeline, PipelineOutput, Sample

__all__ = ["as_pipeline"]

ACCEPTED = (
    "an object with ask(question, k=…), get_similar_documents(query=…, k=…), invoke, query, retrieve or search; "
    "a function or coroutine function of a question that returns an answer, a list of chunks, or both; "
    "a BM25Retriever; or None where the dataset carries the outputs"
)

_MODES = ("full_rag", "retrieval_only")


@dataclass(frozen=True, slots=True)
class _Method:
    """One way to call an object.

    Attributes:
        name: The method.
        twin: Its ``async`` counterpart.
        answers: It answers; ``None`` where that depends on the object.
        retrieves: It tells what it retrieved; likewise.
        keyword: Name of its question argument, where question and ``k`` may go through ``**kwargs``.
    """

    name: str
    twin: str
    answers: bool | None = None
    retrieves: bool | None = None
    keyword: str | None = None


_ASK = (_Method("ask", "aask", answers=True, keyword="question"),)
_SIMILAR = (
    _Method(
        "get_similar_documents_with_trace",
        "aget_similar_documents_with_trace",
        answers=False,
        retrieves=True,
        keyword="query",
    ),
    _Method("get_similar_documents", "aget_similar_documents", answers=False, retrieves=True, keyword="query"),
)
_CHAINS = (
    _Method("query", "aquery"),  # LlamaIndex query engines
    _Method("invoke", "ainvoke"),  # LangChain; a retriever is told apart by _is_langchain_retriever
)
_RETRIEVERS = (
    _Method("retrieve", "aretrieve", answers=False, retrieves=True),  # LlamaIndex retrievers
    _Method("get_relevant_documents", "aget_relevant_documents", answers=False, retrieves=True),
    _Method("similarity_search", "asimilarity_search", answers=False, retrieves=True),
    _Method("search", "asearch", answers=False, retrieves=True),
)
_RUN = _Method("run", "run_async")  # Haystack components
_INVOKE_RETRIEVER = _Method("invoke", "ainvoke", answers=False, retrieves=True)


def as_pipeline(
    rag: Any,
    *,
    pipeline_mode: str | None = None,
    pipeline_id: str | None = None,
    samples: Sequence[Sample] = (),
) -> Pipeline:
    """Turn what the user has into a pipeline.

    Args:
        rag: An object with ``ask`` or ``get_similar_documents[_with_trace]`` (Muffakir), a LangChain,
            LlamaIndex or Haystack object, a plain or ``async`` function of a question (and of ``k``,
            ``top_k``, ``limit``, … if it has such a parameter; one whose parameter is called
            ``sample`` gets the whole sample), a :class:`BM25Retriever`, a ready ``Pipeline``, or ``None``
            where the samples carry recorded outputs. What may be returned stands in
            :mod:`muffakir_eval.pipelines.outputs`.
        pipeline_mode: ``"retrieval_only"`` uses what retrieves although ``ask`` exists. ``None`` takes
            ``pipeline_mode`` from the object's own ``config``.
        pipeline_id: Name in the run folder; by default the qualified name.
        samples: The dataset, for ``rag=None``.

    Returns:
        The pipeline. In a ``thread`` its call may still return an awaitable, since a plain function may
        return one; it is then awaited like that of an ``async`` pipeline.

    Raises:
        ConfigError: ``rag`` is nothing that can be asked, or cannot do what the mode demands.

    >>> pipeline = as_pipeline(lambda question: f"جواب: {question}", pipeline_id="echo")
    >>> pipeline.call(Sample(sample_id="1", question="ما العاصمة؟"), 5).answer
    'جواب: ما العاصمة؟'
    """
    mode = _checked_mode(pipeline_mode)
    pipeline = _built(rag, mode, samples)
    if mode == "retrieval_only":
        if pipeline.retrieves is False:
            raise ConfigError(
                f"{pipeline.pipeline_id} does not tell what it retrieves",
                where="pipeline_mode='retrieval_only'",
                remedy="leave pipeline_mode out, or pass something that returns chunks",
            )
        pipeline = dataclasses.replace(pipeline, answers=False)
    if mode == "full_rag" and pipeline.answers is False:
        raise ConfigError(
            f"{pipeline.pipeline_id} can only retrieve",
            where="pipeline_mode='full_rag'",
            remedy="leave pipeline_mode out, or pass something that answers",
        )
    return pipeline if pipeline_id is None else dataclasses.replace(pipeline, pipeline_id=pipeline_id)


def _checked_mode(mode: str | None) -> str | None:
    if mode is None or mode in _MODES:
        return mode
    raise ConfigError(
        f"unknown mode {mode!r}", where="pipeline_mode", expected=" or ".join(repr(known) for known in _MODES)
    )


def _built(rag: Any, mode: str | None, samples: Sequence[Sample]) -> Pipeline:
    if isinstance(rag, Pipeline):
        return rag
    if rag is None:
        return recorded_pipeline(samples)
    if isinstance(rag, BM25Retriever):
        return _embedded(rag)
    _refuse(rag)
    if inspect.isroutine(rag) or isinstance(rag, functools.partial):
        return _function(rag, retrieval=mode == "retrieval_only")
    return _object(rag, retrieval=(mode or mode_of(rag)) == "retrieval_only")


def _embedded(retriever: BM25Retriever) -> Pipeline:
    return Pipeline(
        pipeline_id="bm25",
        call=lambda sample, k: PipelineOutput(chunks=tuple(retriever.search(sample.question, k))),
        execution="inline",
        answers=False,
        retrieves=True,
        any_k=True,
        settings=retriever.settings,
    )


def _object(rag: Any, *, retrieval: bool) -> Pipeline:
    for method in _candidates(rag, retrieval=retrieval):
        bound = _bound(rag, method.name) or _bound(rag, method.twin)
        if bound is not None and (method is not _RUN or _takes_question(bound)):
            return _method(rag, method, bound, retrieval=retrieval)
    if callable(rag):
        return _function(rag, retrieval=retrieval)
    if retrieval and (_bound(rag, "ask") or _bound(rag, "aask")):
        raise ConfigError(
            f"{pipeline_name(rag)} has ask, but nothing that only retrieves",
            where="pipeline_mode='retrieval_only'",
            expected="get_similar_documents(query=…, k=…), retrieve or search",
            remedy="add such a method, or leave pipeline_mode out",
        )
    if _bound(rag, "run") is not None:
        raise ConfigError(
            f"{pipeline_name(rag)} has a run method that takes no question by name",
            where="rag",
            expected=ACCEPTED,
            remedy="wrap it: lambda question: pipeline.run({…})['generator']['replies'][0]",
        )
    raise ConfigError(f"{pipeline_name(rag)} is nothing that can be asked", where="rag", expected=ACCEPTED)


def _candidates(rag: Any, *, retrieval: bool) -> tuple[_Method, ...]:
    """The ways to call ``rag``, best first; a ``__call__`` of its own comes before the looser ones."""
    if _is_langchain_retriever(rag):
        return (*_SIMILAR, _INVOKE_RETRIEVER) if retrieval else (*_ASK, *_SIMILAR, _INVOKE_RETRIEVER)
    if retrieval:
        return (*_SIMILAR, *_RETRIEVERS) if callable(rag) else (*_SIMILAR, *_RETRIEVERS, *_without_ask(rag))
    if callable(rag):
        return (*_ASK, *_SIMILAR, *_CHAINS)
    return (*_ASK, *_SIMILAR, *_CHAINS, *_RETRIEVERS, _RUN)


def _without_ask(rag: Any) -> tuple[_Method, ...]:
    """``query``, ``invoke`` and ``run`` may retrieve; beside an ``ask`` they are something else."""
    return () if _bound(rag, "ask") or _bound(rag, "aask") else (*_CHAINS, _RUN)


def _is_langchain_retriever(rag: Any) -> bool:
    return any(_bound(rag, f"{prefix}get_relevant_documents") for prefix in ("", "_")) and bool(
        _bound(rag, "invoke") or _bound(rag, "ainvoke")
    )


def _bound(rag: Any, name: str) -> Callable[..., Any] | None:
    try:
        method = getattr(rag, name, None)
    except Exception as error:
        found = f"{pipeline_name(type(rag))}.{name} cannot be read: {type(error).__name__}: {error}"
        raise ConfigError(found, where="rag", remedy="build the pipeline completely before passing it") from error
    return method if callable(method) else None


def _takes_question(run: Callable[..., Any]) -> bool:
    """``run(query=…)`` of a component; ``run(data)`` of a whole graph may take anything."""
    try:
        return any(name in QUESTION_NAMES for name in inspect.signature(run).parameters)
    except (TypeError, ValueError):
        return False


def _method(rag: Any, method: _Method, bound: Callable[..., Any], *, retrieval: bool) -> Pipeline:
    retrieval = retrieval or method.answers is False
    origin = f"{pipeline_name(rag)}.{getattr(bound, '__name__', method.name)}"
    calling = plan_call(bound, where=origin, keyword=method.keyword)
    known = (False, True) if retrieval else (method.answers, method.retrieves)
    return _pipeline(rag, calling, Translator(origin, retrieval), known)


def _function(rag: Any, *, retrieval: bool) -> Pipeline:
    origin = pipeline_name(rag)
    if streams(rag):
        raise ConfigError(
            f"{origin} yields its output in pieces",
            where="rag",
            expected="a function that returns",
            remedy="wrap it: join the pieces of an answer to one text, or make a list of the chunks",
        )
    known = (False, True) if retrieval else (None, None)
    return _pipeline(rag, plan_call(rag, where=origin), Translator(origin, retrieval), known)


def _pipeline(rag: Any, calling: Calling, translate: Translator, known: tuple[bool | None, bool | None]) -> Pipeline:
    async def awaited(returned: Awaitable[Any]) -> PipelineOutput:
        return translate(await returned)

    def call(sample: Sample, k: int) -> PipelineOutput | Awaitable[PipelineOutput]:
        returned = calling(sample, k)
        return awaited(returned) if inspect.isawaitable(returned) else translate(returned)

    answers, retrieves = known
    return Pipeline(
        pipeline_id=pipeline_name(rag),
        call=call,
        execution="async" if is_async(calling.function) else "thread",
        answers=answers,
        retrieves=retrieves,
        any_k=answers is False or not calling.passes_k,
        settings=public_settings(rag),
    )


def _refuse(rag: Any) -> None:
    """Things that are passed by mistake, each with what was probably meant."""
    for found, remedy, applies in _MISTAKES:
        if applies(rag):
            raise ConfigError(f"{found} ({_shown(rag)}) is no pipeline", where="rag", expected=ACCEPTED, remedy=remedy)


def _shown(rag: Any) -> str:
    if isinstance(rag, (str, bytes, PurePath)):
        text = str(rag) if isinstance(rag, PurePath) else repr(rag)
        return text if len(text) <= 80 else f"{text[:79]}…"
    return pipeline_name(rag if isinstance(rag, type) else type(rag))


_SWAPPED = "check the arguments: evaluate(rag=…, dataset=…); the dataset may have been passed as rag"
_MISTAKES: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
    ("a text", _SWAPPED, lambda rag: isinstance(rag, (str, bytes))),
    ("a path", _SWAPPED, lambda rag: isinstance(rag, PurePath)),
    ("a table", _SWAPPED, lambda rag: hasattr(type(rag), "iloc")),
    (
        "a list",
        "outputs that were recorded belong into the dataset, with rag=None; chunks make BM25Retriever(chunks)",
        lambda rag: isinstance(rag, (list, tuple, Set)),
    ),
    ("a dict", "build the pipeline from its settings and pass that", lambda rag: isinstance(rag, Mapping)),
    ("a class", "pass an instance of it", inspect.isclass),
    ("a module", "pass the object or function in it", inspect.ismodule),
    ("a coroutine that was not awaited", "pass the function itself, or await it first", inspect.isawaitable),
    ("a generator", "pass a function that returns an answer or a list of chunks", inspect.isgenerator),
)
