"""Identifiers from whatever a retriever returns."""

from __future__ import annotations

import itertools
from collections import namedtuple
from decimal import Decimal
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pytest

from muffakir_eval.errors import PipelineError, PipelineOutputError
from muffakir_eval.records import PipelineOutput, RetrievedChunk
from muffakir_eval.retrieval_evaluation.results import ranked_ids, result_id

Scored = namedtuple("Scored", "query_id doc_id score")


def part(**fields: Any) -> SimpleNamespace:
    return SimpleNamespace(**fields)


@pytest.mark.parametrize(
    ("result", "identifier"),
    [
        ("d1", "d1"),
        (12, "12"),
        (UUID(int=3), "00000000-0000-0000-0000-000000000003"),
        (np.int64(12), "12"),
        (np.float64(12.0), "12"),
        (("d1", 0.5), "d1"),
        (["d1", np.float32(0.5)], "d1"),
        (("d1", None), "d1"),
        (("d1", Decimal("0.5")), "d1"),
        ((1.5, 0.5), "1.5"),
        ((part(source_id="s"), 0.5), "s"),
        (Scored("q", "d1", 2.0), "d1"),
        # Each of the places comes before those that follow.
        (part(source_id="s", segment=part(source_id="t"), metadata={"source": "m"}, id="i", text="x"), "s"),
        (part(segment=part(source_id="t"), metadata={"source": "m"}, id="i", text="x"), "t"),
        (part(segment=part(id="t", metadata={"source": "u"}), metadata={"source": "m"}, id="i"), "u"),
        (part(segment=part(id="t"), metadata={"source": "m"}, id="i", text="x"), "t"),
        (part(metadata={"source": "m"}, id="i", text="x"), "m"),
        (part(metadata={"page": 3}, id="i", text="x"), "i"),
        (part(metadata=None, id=None, text=" نص "), "نص"),
        ({"source_id": 0, "id": "i"}, "0"),
        ({"segment": {"metadata": {"source": "m"}}}, "m"),
        ({"segment": "نص", "id": "i"}, "i"),
        ({"metadata": {"source": "m", "source_id": "s"}, "id": "i"}, "s"),
        ({"id": "i", "text": "x"}, "i"),
        ({"chunk_id": "c", "source": "m", "text": "x"}, "c"),
        ({"source": "m", "text": "x"}, "m"),
        ({"page_content": "x", "metadata": {"chunk_id": "c"}}, "c"),
        ({"text": "نص"}, "نص"),
        ({"doc_id": "d", "score": 1.0}, "d"),
        ({"_id": "d", "_score": 1.0, "_source": {"title": "x"}}, "d"),
        # A LlamaIndex node with its score, a LangChain document, a search hit with a payload.
        (part(node=part(ref_doc_id="doc", id_="n", metadata={}), score=0.5), "doc"),
        (part(node=part(ref_doc_id=None, id_="n", metadata={}), score=0.5), "n"),
        (part(page_content="x", metadata={"source": "m"}, id=None), "m"),
        (part(id=7, payload={"source": "m"}, score=0.5), "m"),
        (RetrievedChunk(text="x", chunk_id="c", source="m"), "c"),
        (RetrievedChunk(text="x", source="m"), "m"),
        (RetrievedChunk(text="x"), "x"),
    ],
)
def test_the_identifier_of_a_result(result: Any, identifier: str) -> None:
    assert ranked_ids([result, "last"], 5) == [identifier, "last"]


@pytest.mark.parametrize(
    "result",
    [
        None,
        True,
        b"d1",
        "",
        "  ",
        float("nan"),
        ("d1", "d2"),
        ("d1",),
        ("d1", True),
        (0.5, "d1"),
        (0.5, 1),
        {},
        {"score": 1.0},
        {"id": True},
        RetrievedChunk(),
    ],
)
def test_a_result_without_an_identifier(result: Any) -> None:
    with pytest.raises(PipelineOutputError, match="result at rank 2"):
        ranked_ids(["d1", result], 5)


def test_two_lists_are_no_pairs() -> None:
    with pytest.raises(PipelineOutputError, match="zip identifiers and scores"):
        ranked_ids((["d1", "d2", "d3"], [0.3, 0.2, 0.1]), 5)


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        ([], []),
        ((), []),
        ({}, []),
        (iter(["d1", "d2"]), ["d1", "d2"]),
        (np.array(["d1", "d2"]), ["d1", "d2"]),
        (np.array([3, 1]), ["3", "1"]),
        (pd.Series(["d1", "d2"]), ["d1", "d2"]),
        ([("d1", 2.0), ("d2", 1)], ["d1", "d2"]),
        ([(1, 2.0), (2, 1.0)], ["1", "2"]),
        ({"d1": 0.5, "d2": 0.7}, ["d2", "d1"]),
        ({"d1": np.float32(0.5), "d2": 1}, ["d2", "d1"]),
        ({"b": 1.0, "a": 1.0, "c": 2.0}, ["c", "b", "a"]),
        ({"a": float("inf"), "b": float("-inf")}, ["a", "b"]),
        ({"a": float("-inf"), "b": 0, "c": float("inf")}, ["c", "b", "a"]),
        ({"a": -2, "b": -0.5}, ["b", "a"]),
        ({"a": Decimal(1), "b": Decimal(2)}, ["b", "a"]),
        ({"a": np.array(1.0), "b": np.array(2.0)}, ["b", "a"]),
        ({"documents": [{"id": "d1"}]}, ["d1"]),
        ({"results": ["d1"], "took": 3}, ["d1"]),
        ({"ids": ["d1", "d2"], "distances": [0.1, 0.2]}, ["d1", "d2"]),
        ({"ids": np.array([3]), "distances": np.array([0.1])}, ["3"]),
        ({"ids": np.array([3, 1]), "distances": np.array([0.1, 0.2])}, ["3", "1"]),
        ({"ids": np.array([3, 1]), "scores": np.array([0.1, 0.2, 0.3])}, ["3", "1"]),
        ({"ids": [["d1", "d2"]], "documents": [["نص", "آخر"]], "distances": [[0.1, 0.2]]}, ["d1", "d2"]),  # Chroma
        ({"took": 1, "hits": {"total": {"value": 1}, "hits": [{"_id": "d1", "_source": {}}]}}, ["d1"]),  # Elasticsearch
        ({"documents": {"d1": 0.5, "d2": 0.7}}, ["d2", "d1"]),
        (part(source_nodes=[part(node=part(id_="n"), score=1.0)]), ["n"]),
        (part(points=[part(id=7, payload={})]), ["7"]),
        (PipelineOutput(chunks=(RetrievedChunk(chunk_id="d1"),)), ["d1"]),
    ],
)
def test_rankings_of_every_kind(returned: Any, expected: list[str]) -> None:
    assert ranked_ids(returned, 5) == expected


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, "returned None"),
        ("d1", "returned a text"),
        (b"d1", "returned"),
        ({"d1", "d2"}, "return a list: the order"),
        (3, "returned 3"),
        (pd.DataFrame({"id": ["d1"]}), "a DataFrame.*return its one column"),
        (np.array([["d1", "d2"]]), "ndarray.*return its one column"),
        (pd.Series([0.9, 0.1], index=["d1", "d2"]), r"a Series of numbers under labels.*series\.to_dict\(\)"),
        ([(0.9, "d1")], r"turn the pairs round: \(id, score\)"),
        ([(0.9, 1)], r"turn the pairs round: \(id, score\)"),
        ({"d1": 1j, "d2": 2}, "a dict with the keys 'd1', 'd2'"),
        ({"d1": 1, "d2": True}, "a dict with the keys 'd1', 'd2'"),
        ({"d1": "0.9"}, "a dict with the keys 'd1'"),
        ({"documents": {}}, "a dict with the keys 'documents'"),
        ({"answer": "نعم"}, "a dict with the keys 'answer'"),
        ({"documents": "d1"}, "a dict with the keys 'documents'"),
        ({"documents": 3, "answer": ""}, "a dict with the keys"),
        ({"d1": True, "d2": False}, "a dict with the keys"),
        ({"d1": float("nan"), "d2": 1.0}, "the score of 'd1' is NaN"),
        (PipelineOutput(answer="نعم"), "does not tell what it retrieved"),
        (PipelineOutput(error="TimeoutError: slow"), "TimeoutError: slow"),
    ],
)
def test_what_is_no_ranking(returned: Any, message: str) -> None:
    with pytest.raises(PipelineError, match=message):
        ranked_ids(returned, 5)


def test_an_object_that_can_be_gone_through_and_has_its_results_in_an_attribute() -> None:
    class Response:
        results = ({"id": "d1"},)

        def __iter__(self) -> Any:
            return iter([("results", self.results)])

    assert ranked_ids(Response(), 5) == ["d1"]


def test_the_limit_counts_results_before_they_collapse() -> None:
    assert ranked_ids(["a", "a", "b"], 2) == ["a", "a"]
    assert ranked_ids(("a", "b"), None) == ["a", "b"]
    assert ranked_ids((name for name in "abc"), None) == ["a", "b", "c"]
    endless = iter(lambda: "a", "z")
    assert ranked_ids(endless, 3) == ["a", "a", "a"]


def test_what_comes_one_by_one_is_taken_until_there_are_enough_documents() -> None:
    pieces = (f"d{number // 3}" for number in itertools.count())
    assert ranked_ids(pieces, None, enough=2) == ["d0", "d0", "d0", "d1"]
    assert next(pieces) == "d1"
    assert ranked_ids(["d1", "d2", "d3"], None, enough=2) == ["d1", "d2", "d3"]


def test_a_recorded_list_is_not_changed() -> None:
    given = ["b", "a", "b"]
    ranked_ids(given, 2)
    assert given == ["b", "a", "b"]


def test_nothing_in_a_number() -> None:
    assert result_id(True) is None
