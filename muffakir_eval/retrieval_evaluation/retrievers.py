"""Whatever answers queries, turned into one call.

An object is asked through the first of its methods ``search``, ``retrieve``, ``invoke``,
``get_similar_documents``, ``get_relevant_documents``, ``similarity_search`` that takes a query and
nothing else that must be given; each is taken before its ``async`` twin (``asearch``, …), and all of
them before calling the object itself. A mapping without such methods is a recorded run.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from muffakir_eval.errors import ConfigError
from muffakir_eval.pipelines.calling import Calling, is_async, plan_call
from muffakir_eval.pipelines.settings import pipeline_name
from muffakir_eval.pipelines.shapes import describe
from muffakir_eval.records import Pipeline, Sample
from muffakir_eval.retrieval_evaluation.judgements import ByQuery, Judged

__all__ = ["LiveRetriever", "RecordedRun", "plan_retriever"]

_METHODS = (
    "search",
    "retrieve",
    "invoke",
    "get_similar_documents",
    "get_relevant_documents",
    "similarity_search",
)
_THROUGH_KEYWORDS = {"get_similar_documents": "query"}
"""Methods that may take query and ``k`` through ``**kwargs``."""

_EXPECTED = (
    "a function of a query (and of limit, k or top_k, if it has such a parameter), an object with search, retrieve "
    "or invoke, or a recorded run {query_id: ranking}"
)


@dataclass(frozen=True, slots=True)
class LiveRetriever:
    """A retriever that is asked.

    Attributes:
        name: What it is called in messages.
        calling: How it wants to be called.
        in_thread: It may block.
    """

    name: str
    calling: Calling
    in_thread: bool

    def __call__(self, judged: Judged, limit: int) -> Any:
        """What it returns for one query, awaitable or not."""
        return self.calling(Sample(sample_id=str(judged.query), question=judged.text or ""), limit)


class RecordedRun:
    """Rankings that were recorded earlier.

    Args:
        run: Query to ranking, or to a mapping of documents to scores.
    """

    name = "the recorded run"

    def __init__(self, run: Mapping[Any, Any]) -> None:
        self._rankings = ByQuery(run)

    def ranking(self, query: str) -> Any:
        """The ranking of one query; ``None`` where the run has none."""
        return self._rankings.get(query)


def plan_retriever(retriever: Any) -> LiveRetriever | RecordedRun:
    """Work out how to ask ``retriever``.

    Raises:
        ConfigError: It is nothing that can be asked.

    >>> plan_retriever({"q1": ["d1"]}).ranking("q1")
    ['d1']
    """
    if isinstance(retriever, (str, bytes, PurePath, type)) or inspect.isawaitable(retriever):
        raise _unusable(retriever)
    if isinstance(retriever, Pipeline):
        return _live(retriever.call, retriever.pipeline_id)
    if inspect.isroutine(retriever):
        return _live(retriever, pipeline_name(retriever))
    if not isinstance(retriever, Mapping) and getattr(retriever, "no_retriever_has_this", None) is not None:
        raise ConfigError(
            f"the retriever is {describe(retriever)}, which answers to every name as a mock does",
            where="retriever",
            remedy="pass a function that says what to call, such as lambda query: retriever.search(query)",
        )
    faults: list[ConfigError] = []
    for name in itertools.chain.from_iterable((name, f"a{name}") for name in _METHODS):
        method = getattr(retriever, name, None)
        if callable(method):
            try:
                return _live(method, f"{pipeline_name(retriever)}.{name}", _THROUGH_KEYWORDS.get(name.lstrip("a")))
            except ConfigError as fault:  # such as search(query, search_type) of LangChain's vector stores
                faults.append(fault)
    if callable(retriever):
        return _live(retriever, pipeline_name(retriever))
    if isinstance(retriever, Mapping):
        return RecordedRun(retriever)
    raise faults[0] if faults else _unusable(retriever)


def _live(function: Callable[..., Any], name: str, keyword: str | None = None) -> LiveRetriever:
    return LiveRetriever(name, plan_call(function, where=name, keyword=keyword), in_thread=not is_async(function))


def _unusable(retriever: Any) -> ConfigError:
    found = f"the class {retriever.__name__}" if isinstance(retriever, type) else describe(retriever)
    remedy = None
    if isinstance(retriever, type):
        remedy = "pass an instance of it"
    elif isinstance(retriever, (str, PurePath)):
        remedy = "read a recorded run first: read_run(path)"
    elif callable(getattr(retriever, "as_retriever", None)):  # an index of LlamaIndex
        remedy = "pass retriever.as_retriever(…), with as many results as the largest cutoff"
    elif callable(getattr(retriever, "run", None)):  # Haystack
        remedy = "pass the method that retrieves, such as retriever.run"
    return ConfigError(f"the retriever is {found}", where="retriever", expected=_EXPECTED, remedy=remedy)
