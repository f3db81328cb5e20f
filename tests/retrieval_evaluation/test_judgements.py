"""Judgements are checked before anything is asked."""

from __future__ import annotations

import math
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from muffakir_eval.errors import DatasetError
from muffakir_eval.retrieval_evaluation.judgements import read_judgements


def read(grades: Any, **further: Any) -> Any:
    return read_judgements({"q1": grades}, None, **further).scorable[0]


@pytest.mark.parametrize("grade", [math.nan, math.inf, -math.inf, "1", None, [1], Decimal("NaN"), b"1"])
def test_a_grade_that_is_none(grade: Any) -> None:
    with pytest.raises(
        DatasetError, match=r"qrels, query 'q1', document 'd2': the grade is .*Expected: a finite number"
    ):
        read({"d1": 1, "d2": grade})


@pytest.mark.parametrize(
    "grades",
    [
        {"a": 2, "b": 1, "c": 0},
        {"a": 2.0, "b": 1.0, "c": -1.0},
        {"a": np.float32(2), "b": np.int64(1)},
        {"a": Decimal(2), "b": True},
        MappingProxyType({"a": 2, "b": 1, "c": 0}),
        {" a ": 2, "b": 1, "c": -3},
    ],
)
def test_grades_of_every_type(grades: Any) -> None:
    relevant = read(grades).relevant
    assert relevant.ideal == [2, 1]
    assert {name: grade for name, grade in relevant.grades.items() if grade > 0} == {"a": 2, "b": 1}


def test_whole_numbers_of_any_size() -> None:
    assert read({"a": 10**400, "b": 1}).relevant.ideal == [10**400, 1]
    with pytest.raises(DatasetError, match=r"document 'a'.*Expected: a finite number"):
        read({"a": 10**400, "b": 0.5})


@pytest.mark.parametrize("query", [None, "", " ", math.nan])
def test_a_query_without_a_name(query: Any) -> None:
    with pytest.raises(DatasetError, match=r"qrels: .* names no query"):
        read_judgements({"q1": {"d1": 1}, query: {"d1": 1}}, None)


def test_one_query_under_two_spellings() -> None:
    qrels: Any = {"q1": {"d1": 1}, 12: {"d1": 1}, "12.0": {"d2": 1}}
    with pytest.raises(DatasetError, match=r"judged twice, as 12 and as '12\.0'"):
        read_judgements(qrels, None)


def test_queries_in_the_place_of_judgements() -> None:
    qrels: Any = {"q1": "ما عاصمة العراق؟"}
    with pytest.raises(DatasetError, match=r"qrels come before queries: were they turned round\?"):
        read_judgements(qrels, None)


def test_one_document_under_two_spellings() -> None:
    relevant = read({12: 1, "12": 1, "b": 0}).relevant
    assert (relevant.ideal, relevant.grades) == ([1], {"12": 1})
    with pytest.raises(DatasetError, match="document '12' is judged twice, as 1 and as 2"):
        read({12: 1, "12.0": 2})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"qrels": [("q1", "d1", 1)]}, "qrels: it is of type list"),
        ({"qrels": None}, "qrels: it is of type NoneType"),
        ({"qrels": {"q1": ["d1"]}}, r"its judgements are of type list.*dict\.fromkeys"),
        ({"qrels": {"q1": {"d1": 1, None: 1}}}, "None names no document"),
        ({"queries": ["text"]}, "queries: it is of type list.*query_id: text"),
        ({"queries": {"q1": {"text": "س"}}}, "queries, query 'q1': the text is of type dict"),
        ({"distractors": ["d2"]}, "distractors: it is of type list"),
        ({"distractors": {"q1": "d2"}}, "distractors, query 'q1': it holds 'd2'"),
        ({"distractors": {"q1": [None]}}, r"distractors, query 'q1': it holds \[None\]"),
        ({"distractors": {"q1": ["d1"]}}, "distractors, query 'q1': document 'd1' is judged relevant"),
        ({"hard_positives": {"q1": ["d3"]}}, "hard_positives, query 'q1': document 'd3' is not judged relevant"),
        ({"hard_positives": {"q1": ["d2"]}}, "document 'd2' is not judged relevant"),
    ],
)
def test_malformed_input(given: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"qrels": {"q1": {"d1": 1, "d2": 0}}, "queries": {"q1": "س"}, **given}
    with pytest.raises(DatasetError, match=message):
        read_judgements(**arguments)


def test_distractors_and_hard_positives_belong_to_their_queries() -> None:
    found = read({"d1": 1, 2: 3}, distractors={"q1": [7, "7", "x"], "q2": ["y"]}, hard_positives={"q1": ("2",)})
    assert list(found.distractors.grades) == ["7", "x"]
    assert found.hard.ideal == [1.0]
    none = read({"d1": 1}, distractors={"q1": []}, hard_positives={})
    assert (none.distractors, none.hard) == (None, None)


def test_identifiers_of_queries_are_compared_like_those_of_documents() -> None:
    qrels: Any = {1: {"a": 1}, "2": {"a": 1}, "03": {"a": 1}}
    queries: Any = {"1": "a", 2.0: "b", "3": "c"}
    found = read_judgements(qrels, queries)
    assert [(judged.query, judged.text) for judged in found.scorable] == [(1, "a"), ("2", "b")]
    assert found.skipped == {"03": "no_query_text"}


def test_the_message_where_nothing_fits() -> None:
    with pytest.raises(
        DatasetError, match=r"1 have no text in queries \(such as 'q1'\), 1 no relevant document.*same identifiers"
    ):
        read_judgements({"q1": {"a": 1}, "q2": {"a": 0}}, {"1": "text"})
