"""Retrievers of every shape, and what becomes of queries that cannot be scored."""

from __future__ import annotations

import asyncio
import itertools
import random
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from unittest.mock import AsyncMock, MagicMock, Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval import (
    BM25Retriever,
    ConfigError,
    DatasetError,
    MetricError,
    PipelineDownError,
    PipelineError,
    RetrievalEvalReport,
    aevaluate_retrieval,
    as_pipeline,
    evaluate_retrieval,
)
from muffakir_eval.metrics import ndcg_at_k

QRELS = {"q1": {"d1": 1.0, "d2": 1.0}, "q2": {"d3": 1.0}}
QUERIES = {"q1": "ما عاصمة العراق؟", "q2": "متى تأسست الجامعة؟"}
RANKINGS = {QUERIES["q1"]: ["d1", "d9", "d2"], QUERIES["q2"]: ["d9", "d3"]}


def measured(retriever: Any, **options: Any) -> RetrievalEvalReport:
    return evaluate_retrieval(retriever, QRELS, QUERIES, k_values=(1, 3), **options)


def expected(report: RetrievalEvalReport) -> None:
    assert report.metrics["recall@3"] == 1.0
    assert report.metrics["ndcg@1"] == 0.5
    assert report.metrics["precision@3"] == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert report.metrics["mrr@3"] == 0.75
    assert report.n_queries == 2


# Shapes of retrievers ---------------------------------------------------------------------------------


def with_limit(query: str, *, limit: int = 10) -> list[str]:
    return RANKINGS[query][:limit]


def with_k(query: str, k: int) -> list[str]:
    return RANKINGS[query][:k]


def with_neither(query: str) -> list[str]:
    return RANKINGS[query]


async def coroutine(query: str, limit: int) -> list[str]:
    await asyncio.sleep(0)
    return RANKINGS[query][:limit]


def one_by_one(query: str) -> Iterator[str]:
    yield from RANKINGS[query]


async def one_by_one_async(query: str) -> AsyncIterator[str]:
    for document in RANKINGS[query]:
        yield document


class Searching:
    def search(self, query: str, limit: int = 10) -> list[str]:
        return RANKINGS[query][:limit]

    def retrieve(self, query: str) -> list[str]:
        raise AssertionError("search comes first")

    def __call__(self, query: str) -> list[str]:
        raise AssertionError("methods come before calling")


class Retrieving:
    def retrieve(self, query: str) -> list[str]:
        return RANKINGS[query]

    def invoke(self, query: str) -> list[str]:
        raise AssertionError("retrieve comes first")


class Invoked:
    def invoke(self, input: str, config: Any = None, **kwargs: Any) -> list[str]:  # noqa: A002 - LangChain's own
        assert config is None
        assert not kwargs
        return RANKINGS[input]


class AsyncOnly:
    async def asearch(self, query: str, top_k: int) -> list[str]:
        return RANKINGS[query][:top_k]


class Muffakir:
    def get_similar_documents(self, **kwargs: Any) -> list[str]:
        return RANKINGS[kwargs["query"]][: kwargs["k"]]


class VectorStore:
    """Its ``search`` wants a second argument; another method does not."""

    def search(self, query: str, search_type: str) -> list[str]:
        raise AssertionError(search_type)

    def similarity_search(self, query: str, k: int = 4) -> list[str]:
        return RANKINGS[query][:k]


class Called:
    def __call__(self, query: str) -> list[str]:
        return RANKINGS[query]


class SourceManager(dict[str, str]):
    """A mapping that can be searched is no recorded run."""

    def search(self, query: str, limit: int = 10) -> list[str]:
        return RANKINGS[query][:limit]


@pytest.mark.parametrize(
    "retriever",
    [
        with_limit,
        with_k,
        with_neither,
        coroutine,
        one_by_one,
        one_by_one_async,
        lambda query: tuple(RANKINGS[query]),
        lambda query: coroutine(query, 3),
        Searching(),
        Retrieving(),
        Invoked(),
        AsyncOnly(),
        Muffakir(),
        VectorStore(),
        Called(),
        SourceManager(q1="x"),
        as_pipeline(
            lambda question, k: [{"chunk_id": name, "text": ""} for name in RANKINGS[question][:k]],
            pipeline_mode="retrieval_only",
        ),
    ],
    ids=lambda retriever: getattr(retriever, "__name__", type(retriever).__name__),
)
def test_every_shape_gives_the_same(retriever: Any) -> None:
    expected(measured(retriever))


def test_the_embedded_retriever() -> None:
    chunks = [{"chunk_id": "d1", "text": "بغداد عاصمة العراق"}, {"chunk_id": "d3", "text": "تأسست الجامعة سنة 1957"}]
    report = evaluate_retrieval(BM25Retriever(chunks), {"q1": {"d1": 1}, "q2": {"d3": 1}}, QUERIES, k_values=[1])
    assert report.metrics["recall@1"] == 1.0


@pytest.mark.parametrize(
    "run",
    [
        {"q1": ["d1", "d9", "d2"], "q2": ["d9", "d3"]},
        {"q1": {"d2": 0.1, "d9": 0.5, "d1": 0.9}, "q2": {"d3": 1, "d9": 2}},
        {"q1": [("d1", 3.0), ("d9", 2.0), ("d2", 1.0)], "q2": [("d9", 1.0), ("d3", 1.0)]},
    ],
)
def test_a_recorded_run(run: Mapping[str, Any]) -> None:
    expected(measured(run))
    expected(evaluate_retrieval(run, QRELS, k_values=(1, 3)))


def test_a_list_is_cut_where_the_retriever_knows_no_limit() -> None:
    report = evaluate_retrieval(lambda query: RANKINGS[query], QRELS, QUERIES, k_values=[3], limit=1)
    assert report.metrics["recall@3"] == 0.25
    assert "limit=1 is below the largest cutoff" in report.warnings[0]


@pytest.mark.parametrize("as_returned", [list, iter, tuple])
def test_what_a_retriever_returns_beyond_the_cutoff_counts_as_in_a_recorded_run(as_returned: Any) -> None:
    """The pieces of ``d1`` would otherwise crowd out ``d2``, though it stands in the ranking."""
    run = {"q1": ["d1", "d1", "d1", "d2"], "q2": ["x", "x", "d3"]}
    by_text = {QUERIES[query]: ranked for query, ranked in run.items()}
    asked = evaluate_retrieval(lambda query: as_returned(by_text[query]), QRELS, QUERIES, k_values=[2])
    assert asked.metrics["recall@2"] == 1.0
    assert asked.per_query == evaluate_retrieval(run, QRELS, k_values=[2]).per_query
    assert measured(lambda query: as_returned(by_text[query]), limit=2).metrics["recall@3"] == 0.25


def test_a_stream_without_an_end() -> None:
    ended = []

    async def streaming(query: str) -> AsyncIterator[str]:
        try:
            yield from_ranking(query)
            for number in itertools.count():
                yield f"x{number}"
        finally:
            ended.append(query)

    def endless(query: str) -> Iterator[str]:
        return itertools.chain([from_ranking(query)], (f"x{number}" for number in itertools.count()))

    def from_ranking(query: str) -> str:
        return RANKINGS[query][0]

    for retriever in (streaming, endless):
        assert measured(retriever).metrics["recall@1"] == 0.25
        assert measured(retriever, limit=2).metrics["recall@3"] == 0.25
    assert len(ended) == 4


class Stream:
    """Can be gone through asynchronously, and cannot be closed."""

    def __init__(self, ranked: list[str]) -> None:
        self._left = iter(ranked)

    def __aiter__(self) -> Stream:
        return self

    async def __anext__(self) -> str:
        try:
            return next(self._left)
        except StopIteration:
            raise StopAsyncIteration from None


def test_a_stream_of_one_s_own() -> None:
    expected(measured(lambda query: Stream(RANKINGS[query])))


@pytest.mark.parametrize("mock", [MagicMock(return_value=["d1"]), Mock(**{"search.return_value": ["d1"]}), AsyncMock()])
def test_what_answers_to_every_name_is_not_guessed_at(mock: Any) -> None:
    with pytest.raises(ConfigError, match=r"answers to every name.*lambda query: retriever\.search\(query\)"):
        measured(mock)


def test_a_mock_that_says_what_it_is() -> None:
    retriever = Mock(spec=["retrieve"], **{"retrieve.side_effect": RANKINGS.__getitem__})
    expected(measured(retriever))


def test_from_several_threads() -> None:
    with ThreadPoolExecutor(4) as pool:
        for report in pool.map(measured, [with_limit, coroutine, with_k, one_by_one_async]):
            expected(report)


@pytest.mark.parametrize(("limit", "told"), [(None, 7), (3, 3), (50, 50)])
def test_the_retriever_is_told_how_many(limit: int | None, told: int) -> None:
    asked = []

    def retriever(query: str, top_k: int) -> list[str]:
        asked.append(top_k)
        return []

    evaluate_retrieval(retriever, QRELS, QUERIES, k_values=[1, 3], metrics=["recall", "ndcg@7"], limit=limit)
    assert asked == [told, told]


def test_a_blocking_retriever_runs_in_one_other_thread() -> None:
    threads = set()

    def retriever(query: str) -> list[str]:
        threads.add(threading.current_thread().name)
        return []

    measured(retriever)
    assert len(threads) == 1
    assert threads.isdisjoint({threading.current_thread().name, "muffakir-eval-loop"})


def test_several_at_once() -> None:
    """All four are in the retriever before the first leaves it."""
    together = threading.Barrier(4, timeout=10)

    def retriever(query: str) -> list[str]:
        together.wait()
        return [query]

    qrels = {f"q{n}": {f"text {n}": 1} for n in range(4)}
    queries = {f"q{n}": f"text {n}" for n in range(4)}
    report = evaluate_retrieval(retriever, qrels, queries, max_concurrency=4, k_values=[1])
    assert report.metrics["recall@1"] == 1.0
    assert list(report.per_query) == list(qrels)


def test_inside_a_running_loop() -> None:
    async def main() -> list[RetrievalEvalReport]:
        return [measured(with_limit), await aevaluate_retrieval(coroutine, QRELS, QUERIES, k_values=(1, 3))]

    for report in asyncio.run(main()):
        expected(report)


def test_an_interruption_is_none_of_the_retriever_s_failures() -> None:
    def retriever(query: str) -> list[str]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measured(retriever, on_error="record")


# What is no retriever ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("retriever", "message"),
    [
        ("run.trec", "a text"),
        (Searching, "the class Searching"),
        (None, "None"),
        (12, "12"),
        (["d1"], "a list"),
        (type("Component", (), {"run": lambda self, query: {"documents": []}})(), r"retriever\.run"),
        (type("Index", (), {"as_retriever": lambda self: None})(), r"pass retriever\.as_retriever"),
        (lambda query, embedder: [], "further required parameters: embedder"),
        (type("Store", (), {"search": lambda self, query, kind: []})(), "further required parameters: kind"),
    ],
)
def test_what_cannot_be_asked(retriever: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        measured(retriever)


def test_queries_are_needed_to_ask() -> None:
    with pytest.raises(ConfigError, match="no queries to ask"):
        evaluate_retrieval(with_limit, QRELS)


def test_it_loads_no_more_than_it_needs() -> None:
    statement = (
        "from muffakir_eval import evaluate_retrieval;"
        "evaluate_retrieval(lambda query: ['d'], {'q': {'d': 1}}, {'q': 'x'}, progress=True);"
        "import sys; print('\\n'.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", statement], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert not set(done.stdout.split()) & {"pandas", "numpy", "scipy", "openai", "anthropic", "bm25s", "rich"}
    assert done.stderr == ""


# Queries that are skipped, failed or empty ------------------------------------------------------------


def test_skipped_queries_are_counted_and_named() -> None:
    qrels: Any = {**QRELS, "q3": {"d1": 0}, "q4": {}, "q5": {"d1": 2}, "q6": {"d1": 2}}
    queries = {**QUERIES, "q3": "س", "q6": "  "}
    report = evaluate_retrieval(with_limit, qrels, queries, k_values=(1, 3))
    expected(report)
    assert report.skipped == {"q3": "no_gold", "q4": "no_gold", "q5": "no_query_text", "q6": "no_query_text"}
    assert report.n_judged == 6
    assert report.warnings == (
        "skipped 2 judged queries with no document judged relevant: 'q3', 'q4'",
        "skipped 2 judged queries with no text in queries: 'q5', 'q6'",
    )


def test_p24_an_empty_result_is_measured_as_zero() -> None:
    report = evaluate_retrieval({"q1": ["a"], "q2": []}, {"q1": {"a": 1}, "q2": {"b": 1}}, k_values=[5])
    assert report.metrics["recall@5"] == 0.5
    assert report.metrics["precision@5"] == 0.1
    assert report.per_query["q2"] == dict.fromkeys(report.metrics, 0.0)


def test_a_query_that_a_recorded_run_lacks_found_nothing() -> None:
    report = evaluate_retrieval({"q1": ["a"]}, {"q1": {"a": 1}, "q2": {"b": 1}}, k_values=[1])
    assert (report.metrics["recall@1"], report.n_queries) == (0.5, 2)
    assert report.warnings == (
        "the recorded run has no ranking for 1 judged queries: they count as having found nothing",
    )


def test_a_run_of_other_queries_is_refused() -> None:
    with pytest.raises(ConfigError, match="a ranking for none of the 2 judged queries"):
        measured({"301": ["d1"]})


def failing(query: str) -> list[str]:
    if query == QUERIES["q2"]:
        raise TimeoutError("no answer; api_key=sk-12345678")
    return RANKINGS[query]


async def failing_async(query: str) -> list[str]:
    return failing(query)


@pytest.mark.parametrize("retriever", [failing, failing_async])
def test_a_failure_stops_and_names_the_query(retriever: Any) -> None:
    with pytest.raises(PipelineError, match=r"query 'q2': .*failing.* failed: TimeoutError: no answer") as caught:
        measured(retriever)
    assert isinstance(caught.value.__cause__, TimeoutError)
    assert "sk-12345678" not in str(caught.value)
    report = caught.value.report
    assert isinstance(report, RetrievalEvalReport)
    assert (list(report.per_query), list(report.failed)) == (["q1"], ["q2"])
    assert report.warnings[0].startswith("stopped early")


@pytest.mark.parametrize("retriever", [failing, failing_async])
def test_a_recorded_failure_is_in_no_mean(retriever: Any) -> None:
    report = measured(retriever, on_error="record")
    assert (report.n_queries, report.metrics["recall@3"]) == (1, 1.0)
    assert report.failures_as_zero["recall@3"] == 0.5
    assert "q2" not in report.per_query
    assert report.failed["q2"].startswith("TimeoutError: no answer")


@pytest.mark.parametrize("returned", [None, "d1", {"d1"}, 7, [None], [b"d1"], [["d1", "d2", "d3"]], [float("nan")]])
def test_an_output_that_is_no_ranking_is_never_a_silent_zero(returned: Any) -> None:
    with pytest.raises(PipelineError, match=r"query 'q1'.*(returned|result at rank 1)"):
        measured(lambda query: returned)


def test_where_nothing_was_retrieved_the_report_says_so() -> None:
    retrievers: list[Any] = [lambda query: [], {"q1": [], "q2": {}}]
    for retriever in retrievers:
        report = measured(retriever)
        assert report.metrics["recall@3"] == 0.0
        assert report.warnings == (
            "no query got any document: check that the retriever has an index, and that it is filled",
        )


def test_one_remedy_is_enough() -> None:
    with pytest.raises(PipelineError) as caught:
        measured(lambda query: {"d1"})
    assert str(caught.value).count("What to do") == 1


def test_nor_is_a_recorded_one() -> None:
    with pytest.raises(PipelineError, match=r"query 'q2': the recorded run failed: .*result at rank 2"):
        measured({"q1": ["d1"], "q2": ["d1", None]})


def test_all_failed() -> None:
    def down(query: str) -> list[str]:
        raise ConnectionError("refused")

    with pytest.raises(
        PipelineDownError, match="failed on all 2 queries; the first error was: ConnectionError"
    ) as caught:
        measured(down, on_error="record")
    assert isinstance(caught.value.report, RetrievalEvalReport)


def test_the_other_workers_stop_with_the_first_failure() -> None:
    asked: list[str] = []

    async def retriever(query: str) -> list[str]:
        asked.append(query)
        await asyncio.sleep(0)
        raise ValueError(query)

    qrels = {f"q{n}": {"d": 1} for n in range(50)}
    with pytest.raises(PipelineError):
        evaluate_retrieval(retriever, qrels, {name: name for name in qrels}, max_concurrency=3)
    assert len(asked) < 10


# Identifiers ------------------------------------------------------------------------------------------


def test_identifiers_of_all_spellings() -> None:
    qrels: Any = {7: {12: 1, "007": 1}, "8": {13.0: 1}}
    queries: Any = {"7": "س", 8.0: "ص"}
    report = evaluate_retrieval({"7": [12.0, "7", " 007 "], 8: ["13"]}, qrels, queries, k_values=[3])
    assert report.per_query[7]["recall@3"] == 1.0  # type: ignore[index]
    assert report.per_query[7]["precision@3"] == pytest.approx(2 / 3)  # type: ignore[index]
    assert report.per_query["8"]["recall@3"] == 1.0


def test_a_query_that_is_called_like_a_document_is_like_any_other() -> None:
    """BEIR's own code drops such rows."""
    report = evaluate_retrieval({"d1": ["d1", "d2"]}, {"d1": {"d1": 1, "d2": 1}}, k_values=[2])
    assert report.metrics["recall@2"] == 1.0
    assert report.metrics["ndcg@2"] == 1.0


def test_duplicates_collapse_to_the_best_rank_before_the_cutoff() -> None:
    pieces = {"q1": ["x", "x", "x", "d1", "d1", "d2"]}
    report = evaluate_retrieval(pieces, {"q1": {"d1": 1, "d2": 1}}, k_values=[2, 3])
    assert report.metrics["mrr@2"] == 0.5
    assert (report.metrics["recall@2"], report.metrics["recall@3"]) == (0.5, 1.0)


def test_without_a_common_identifier_the_report_says_so() -> None:
    report = measured(lambda query: ["law.pdf"])
    assert report.metrics["recall@3"] == 0.0
    assert "retrieved: 'law.pdf', 'law.pdf'; judged: 'd1', 'd2'" in report.warnings[-1]


@dataclass
class Hit:
    chunk_id: str
    metadata: dict[str, str]


@pytest.mark.parametrize("doc_id", ["chunk_id", "metadata.page", lambda hit: hit.chunk_id])
def test_the_place_of_the_identifier_may_be_told(doc_id: Any) -> None:
    def retriever(query: str) -> list[Hit]:
        return [Hit(name, {"source": "law.pdf", "page": name}) for name in RANKINGS[query]]

    expected(measured(retriever, doc_id=doc_id))
    assert measured(retriever).metrics["recall@3"] == 0.0


def test_the_place_of_the_identifier_beside_a_score() -> None:
    def retriever(query: str) -> list[Any]:
        return [(Hit("c", {"page": name}), 0.5) for name in RANKINGS[query]]

    expected(measured(retriever, doc_id="metadata.page"))


@pytest.mark.parametrize("doc_id", ["", "a..b", 7])
def test_a_place_that_is_none(doc_id: Any) -> None:
    with pytest.raises(ConfigError, match="doc_id"):
        measured(with_limit, doc_id=doc_id)


def test_a_place_that_holds_nothing_fails() -> None:
    with pytest.raises(PipelineError, match="result at rank 1: it is a dict with the keys 'id' and has no identifier"):
        measured(lambda query: [{"id": "d1"}], doc_id="chunk.id")


# Distractors and hard positives -----------------------------------------------------------------------


def test_distractors_and_hard_positives() -> None:
    report = measured(with_limit, distractors={"q1": ["d9"], "q2": {"d9", "d8"}}, hard_positives={"q1": ["d2"]})
    expected(report)
    assert report.metrics["distractor_share@3"] == pytest.approx(1 / 3)
    assert report.metrics["distractor_share@1"] == 0.5
    assert (report.metrics["hard_recall@1"], report.metrics["hard_recall@3"]) == (0.0, 1.0)
    assert (report.coverage["hard_recall@3"], report.coverage["distractor_share@3"]) == (1, 2)
    assert "hard_recall@3" not in report.per_query["q2"]


def test_they_may_be_asked_for_at_a_cutoff_of_their_own() -> None:
    report = measured(with_limit, metrics=["recall", "hard_recall@2"], hard_positives={"q1": ["d2"]})
    assert list(report.metrics) == ["recall@1", "recall@3", "hard_recall@2"]


def test_where_no_query_has_any_there_is_no_value() -> None:
    report = measured(with_limit, hard_positives={"q9": ["d2"]})
    assert "hard_recall@3" not in report.metrics
    assert report.coverage["hard_recall@3"] == 0
    assert report.warnings == ("hard_recall has no value: no query that can be scored has any hard positives",)


def test_failures_count_as_zero_only_where_the_metric_applies() -> None:
    report = measured(
        failing, on_error="record", hard_positives={"q1": ["d1"]}, distractors={"q1": ["d9"], "q2": ["d9"]}
    )
    assert report.failures_as_zero["hard_recall@1"] == 1.0
    assert report.failures_as_zero["recall@3"] == 0.5
    assert "distractor_share@3" not in report.failures_as_zero


# Arguments --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"metrics": ["ndgc"]}, MetricError, "did you mean 'ndcg'"),
        ({"metrics": None}, MetricError, "metrics: it is None"),
        ({"k_values": []}, MetricError, "k_values"),
        ({"limit": 0}, ConfigError, "limit: it is 0"),
        ({"limit": True}, ConfigError, "limit: it is True"),
        ({"max_concurrency": 0}, ConfigError, "max_concurrency"),
        ({"max_concurrency": "4"}, ConfigError, "max_concurrency"),
        ({"on_error": "skip"}, ConfigError, "'raise' or 'record'"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message) as caught:
        measured(with_limit, **options) if "k_values" not in options else evaluate_retrieval(
            with_limit, QRELS, QUERIES, **options
        )
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("qrels", "queries"), [({"q1": {"d1": 0}}, QUERIES), ({"q1": {"d1": 1}}, {"other": "text"}), ({}, QUERIES)]
)
def test_no_query_can_be_scored(qrels: Any, queries: Any) -> None:
    with pytest.raises(ValueError, match=r"no relevant document|has a relevant document|no judgements") as caught:
        evaluate_retrieval(with_limit, qrels, queries)
    assert isinstance(caught.value, DatasetError)


# Properties -------------------------------------------------------------------------------------------

names = st.sampled_from("abcdefgh")
rankings = st.lists(names, max_size=12)
judgements = st.dictionaries(names, st.integers(-1, 3) | st.floats(0, 9), min_size=1, max_size=8)
METRICS = ("ndcg", "recall", "precision", "mrr", "map", "hit_rate")


def values_of(ranked: list[str], grades: Mapping[str, float], *cutoffs: int) -> Mapping[str, float]:
    return evaluate_retrieval({"q": ranked}, {"q": grades}, k_values=cutoffs, metrics=METRICS).per_query["q"]


relevant = judgements.filter(lambda grades: any(grade > 0 for grade in grades.values()))


@given(rankings, relevant, st.integers(1, 12), st.integers(1, 40))
@settings(max_examples=150)
def test_values_lie_between_zero_and_one_and_know_no_further_cutoff(
    ranked: list[str], grades: dict[str, float], k: int, deeper: int
) -> None:
    alone, together = values_of(ranked, grades, k), values_of(ranked, grades, k, k + deeper)
    assert all(0.0 <= value <= 1.0 for value in together.values())
    assert alone == {key: together[key] for key in alone}


@given(rankings, relevant, st.integers(1, 12))
@settings(max_examples=150)
def test_repeats_collapse(ranked: list[str], grades: dict[str, float], k: int) -> None:
    once = list(dict.fromkeys(ranked))
    values = values_of(ranked, grades, k)
    assert values == values_of(once, grades, k)
    assert values[f"ndcg@{k}"] == pytest.approx(ndcg_at_k(once, grades, k), abs=1e-12)


@given(rankings.filter(lambda ranked: len(set(ranked)) == len(ranked)), relevant, st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_what_is_not_relevant_may_change_places(
    ranked: list[str], grades: dict[str, float], shuffler: random.Random
) -> None:
    others = [name for name in ranked if grades.get(name, 0) <= 0]
    shuffled = iter(shuffler.sample(others, len(others)))
    moved = [name if grades.get(name, 0) > 0 else next(shuffled) for name in ranked]
    assert values_of(ranked, grades, 1, 5, 12) == values_of(moved, grades, 1, 5, 12)
