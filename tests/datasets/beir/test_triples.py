"""Corpus, queries and judgements in all the forms in which they come."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from muffakir_eval import as_beir_triple, load_evaluation_dataset, read_beir, write_beir
from muffakir_eval.errors import DatasetError

CORPUS = {"d1": "عنوان نص", "d2": "نص"}
QUERIES = {"q1": "سؤال", "q2": "ثان"}
QRELS = {"q1": {"d1": 2.0, "d2": 0.0}}
TRIPLE = (CORPUS, QUERIES, QRELS)


class Doc(NamedTuple):
    doc_id: str
    title: str
    text: str


class Topic(NamedTuple):
    query_id: str
    title: str
    description: str

    def default_text(self) -> str:
        return self.title


class Judged(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class Made:
    """As ``ir_datasets`` has it: what it offers is found through ``__getattr__``."""

    def __init__(self, *, docs: bool = True) -> None:
        self._parts = {"queries_iter": self._queries, "qrels_iter": self._qrels}
        if docs:
            self._parts["docs_iter"] = self._docs

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._parts:
            raise AttributeError(name)
        return self._parts[name]

    def _docs(self) -> Iterator[Any]:
        yield Doc("d1", "عنوان", "نص")
        yield Doc("d2", "", "نص")

    def _queries(self) -> Iterator[Any]:
        yield Topic("q1", "سؤال", "وصف طويل")
        yield Topic("q2", "ثان", "")

    def _qrels(self) -> Iterator[Any]:
        yield Judged("q1", "d1", 2)
        yield Judged("q1", "d2", 0)


@pytest.mark.parametrize(
    "source",
    [
        TRIPLE,
        list(TRIPLE),
        {"corpus": CORPUS, "queries": QUERIES, "qrels": QRELS},
        Made(),
        ({"d1": {"title": "عنوان", "text": "نص"}, "d2": {"text": "نص"}}, QUERIES, QRELS),
        (
            [{"_id": "d1", "title": "عنوان", "text": "نص"}, {"doc_id": "d2", "title": None, "text": "نص"}],
            [{"query_id": "q1", "text": "سؤال"}, {"_id": "q2", "text": "ثان"}],
            [{"query-id": "q1", "corpus-id": "d1", "score": 2}, {"query_id": "q1", "doc_id": "d2", "relevance": 0}],
        ),
        (CORPUS.items(), QUERIES.items(), [("q1", "d1", np.float64(2)), ("q1", "d1", 2), ["q1", "d2", 0]]),
    ],
)
def test_forms(source: Any) -> None:
    assert as_beir_triple(source) == TRIPLE


def test_a_folder(tmp_path: Path) -> None:
    write_beir(tmp_path, *TRIPLE)
    assert as_beir_triple(tmp_path) == as_beir_triple(str(tmp_path)) == TRIPLE


def test_without_a_corpus() -> None:
    assert as_beir_triple({"queries": QUERIES, "qrels": QRELS})[0] == {}
    assert as_beir_triple(Made(docs=False))[0] == {}


def test_identifiers_become_text() -> None:
    assert as_beir_triple(({7: "نص"}, {1.0: "س"}, {1: {7: 1}, "2": {}})) == (
        {"7": "نص"},
        {"1": "س"},
        {"1": {"7": 1}, "2": {}},
    )


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (5, "int holds no corpus, queries and qrels"),
        ({"queries": {}}, "dict holds no corpus"),
        ((CORPUS, QUERIES), "tuple holds no corpus"),
        ((CORPUS, 5, QRELS), "queries is of the type int"),
        ((CORPUS, "x", QRELS), "queries is of the type str"),
        (([{"text": "x"}], QUERIES, QRELS), "has no identifier"),
        (([{"_id": "x"}], QUERIES, QRELS), "has no text"),
        (([("x",)], QUERIES, QRELS), "has no text"),
        (([("x", 5)], QUERIES, QRELS), "has no text"),
        (([("x", "a"), ("x", "b")], QUERIES, QRELS), "'x' stands twice"),
        (([{"_id": "x", "title": "عنوان"}, ()], QUERIES, QRELS), "has no identifier"),
        ((CORPUS, QUERIES, {"q1": ["d1"]}), "the judgements are of the type list"),
        ((CORPUS, QUERIES, [("q1", "d1", "x")]), "the grade is 'x'"),
        ((CORPUS, QUERIES, [("q1", "d1")]), "the grade is None"),
        ((CORPUS, QUERIES, [(None, "d1", 1)]), "names no query or no document"),
        ((CORPUS, QUERIES, [("q1", "d1", 1), ("q1", "d1", 0)]), "has the grades 1 and 0"),
    ],
)
def test_what_is_no_triple(source: Any, said: str) -> None:
    with pytest.raises(DatasetError, match=said):
        as_beir_triple(source)


@pytest.mark.parametrize(
    ("source", "contexts"),
    [
        (TRIPLE, ("عنوان نص", "نص")),
        (list(TRIPLE), ("عنوان نص", "نص")),
        ({"queries": QUERIES, "qrels": QRELS, "corpus": CORPUS}, ("عنوان نص", "نص")),
        (Made(), ()),
    ],
)
def test_a_triple_is_a_data_set(source: Any, contexts: tuple[str, ...]) -> None:
    dataset = load_evaluation_dataset(source)
    (sample,) = dataset
    assert (sample.sample_id, sample.question, sample.chunk_ids) == ("q1", "سؤال", ("d1", "d2"))
    assert list(sample.grades) == [2, 0]
    assert sample.contexts == contexts
    assert dataset.match_by == "id"


def test_what_read_beir_gives_is_a_data_set(tmp_path: Path) -> None:
    write_beir(tmp_path, *TRIPLE)
    assert load_evaluation_dataset(read_beir(tmp_path)) == load_evaluation_dataset(TRIPLE)


def test_judged_queries_without_text_are_counted() -> None:
    dataset = load_evaluation_dataset(({}, {"q1": "س", "q2": " "}, {"q1": {"d": 1}, "q2": {"d": 1}, "q3": {"d": 1}}))
    assert len(dataset) == 1
    assert "2 of 3 judged queries (first: 'q2') have no text, and are left out" in dataset.warnings[0]


def test_none_is_judged() -> None:
    with pytest.raises(DatasetError, match="none of the queries that have a text is judged"):
        load_evaluation_dataset(({}, {"q1": "س"}, {"q2": {"d": 1}}))


def test_only_the_first_few() -> None:
    queries = {str(number): "س" for number in range(5)}
    dataset = load_evaluation_dataset(({}, queries, {name: {"d": 1} for name in queries}), max_samples=2)
    assert [sample.sample_id for sample in dataset] == ["0", "1"]


def test_three_rows_are_no_triple() -> None:
    rows = tuple({"question": f"س{number}", "answer": "ج"} for number in range(3))
    assert len(load_evaluation_dataset(rows)) == 3
    nested = [{"question": {"text": f"س{number}"}} for number in range(3)]
    assert len(load_evaluation_dataset(nested, column_mapping={"question": "question.text"})) == 3
    assert len(load_evaluation_dataset({"queries": ["س"], "query": ["ص"]}, column_mapping={"question": "query"})) == 1


def test_frames() -> None:
    import pandas as pd

    corpus = pd.DataFrame([{"_id": "007", "title": "عنوان", "text": "نص"}])
    queries = pd.DataFrame([{"_id": 12, "text": "سؤال"}])
    qrels = pd.DataFrame([{"query-id": 12, "corpus-id": "007", "score": 1}])
    assert as_beir_triple((corpus, queries, qrels)) == ({"007": "عنوان نص"}, {"12": "سؤال"}, {"12": {"007": 1}})


def test_documents_that_are_one_once_they_are_compared() -> None:
    with pytest.raises(DatasetError, match=r"corpus: the identifiers '12' and '12\.0' are the same"):
        load_evaluation_dataset(({"12": "أ", "12.0": "ب"}, {"q": "س"}, {"q": {"12": 1, "12.0": 2}}))
