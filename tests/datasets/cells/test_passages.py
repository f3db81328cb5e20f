"""Passages in cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from muffakir_eval.datasets.cells.passages import Passage, gold_passages, grouped, id_items, retrieved_passages
from muffakir_eval.datasets.cells.text import CellError


@dataclass
class Document:
    """As LangChain has it."""

    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)


def texts(*values: Any) -> list[str]:
    return [passage.text for passage in gold_passages(values)[0]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("نص", ["نص"]),
        ("أول|ثان", ["أول|ثان"]),
        ('["أول", "ثان"]', ["أول", "ثان"]),
        ("['أول', 'ثان']", ["أول", "ثان"]),
        ("[1] أول\n[2] ثان", ["أول", "ثان"]),
        ("[1] أول", ["[1] أول"]),
        ("[5]", ["[5]"]),
        ("[1, 2]", ["[1, 2]"]),
        ("[مادة 5] نص", ["[مادة 5] نص"]),
        ("[]", []),
        ("", []),
        (" \n", []),
        (None, []),
        ([], []),
        (["", None], []),
        (["[1] أول", "[2] ثان"], ["[1] أول", "[2] ثان"]),  # items of a list are taken as they are
        (("أول",), ["أول"]),
        (np.array(["أول", "ثان"]), ["أول", "ثان"]),
        ({"text": "نص"}, ["نص"]),
        ({"page_content": "نص"}, ["نص"]),
        ('{"text": "نص"}', ["نص"]),
        ('{"لا": "شيء"}', ['{"لا": "شيء"}']),
        ("{نص بين قوسين}", ["{نص بين قوسين}"]),
        ([Document("نص")], ["نص"]),
        (3, ["3"]),
    ],
)
def test_texts(value: Any, expected: list[str]) -> None:
    assert texts(value) == expected


def test_several_columns_are_taken_together() -> None:
    assert texts("أول", ["ثان", "ثالث"]) == ["أول", "ثان", "ثالث"]


def test_alternatives() -> None:
    passages, groups = gold_passages([[["أ", "ب"], ["ج"]]])
    assert [passage.text for passage in passages] == ["أ", "ب", "ج"]
    assert groups == ((0, 1), (2,))


@pytest.mark.parametrize(
    ("items", "flat", "groups"),
    [
        (["a", "b"], ["a", "b"], ()),
        ([["a"], ["b"]], ["a", "b"], ()),
        ([["a", "b"]], ["a", "b"], ((0, 1),)),
        ([["a", "b"], "c"], ["a", "b", "c"], ((0, 1), (2,))),
        ([[], ["a", "b"]], ["a", "b"], ((0, 1),)),
        ([], [], ()),
    ],
)
def test_grouping(items: list[Any], flat: list[str], groups: tuple[tuple[int, ...], ...]) -> None:
    assert grouped(items) == (flat, groups)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"text": "نص", "id": 7.0, "source": "a.pdf"}, Passage("نص", "7", "a.pdf", None, {})),
        (
            {"page_content": "نص", "metadata": {"chunk_id": "c", "source": "a", "page": 3}},
            Passage("نص", "c", "a", None, {"chunk_id": "c", "source": "a", "page": 3}),
        ),
        ({"page_content": "نص", "id": "9f3a-11", "metadata": {"id": "c"}}, Passage("نص", "c", None, None, {"id": "c"})),
        (
            {"content": "نص", "chunkId": "c", "id": "d", "score": 0.5, "lang": "ar"},
            Passage("نص", "c", None, 0.5, {"lang": "ar"}),
        ),
        ({"id": "c1"}, Passage("", "c1", None, None, {})),
        (Document("نص", {"id": 3, "source_file": "b"}), Passage("نص", "3", "b", None, {"id": 3, "source_file": "b"})),
        ("", Passage("")),
        (None, Passage("")),
    ],
)
def test_a_passage_tells_its_identifier_source_and_score(item: Any, expected: Passage) -> None:
    assert retrieved_passages([[item]]) == [expected]


def test_a_retrieved_passage_that_is_empty_keeps_its_rank() -> None:
    assert [passage.text for passage in retrieved_passages([["أ", "", "ب"]])] == ["أ", "", "ب"]


def test_a_gold_passage_that_is_empty_among_others_is_an_error() -> None:
    with pytest.raises(CellError, match="passage 2 of 3 is empty"):
        gold_passages([["أ", "", "ب"]])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([{"title": "x"}], "passage 1 is an object without a text"),
        ([["a", ["b"]]], "passage 2 is a list within a list"),
        ([b"x"], "the cell holds bytes"),
        ([{"text": ["a"]}], "the cell holds a list"),
        ([{"text": "a", "score": "high"}], "the cell says 'high'"),
        ("['أول' 'ثان']", "does not parse"),
    ],
)
def test_what_is_no_passage_is_an_error(value: Any, message: str) -> None:
    with pytest.raises(CellError, match=message):
        gold_passages([value])


def test_retrieved_passages_have_no_groups() -> None:
    with pytest.raises(CellError, match="passage 1 is a list within a list"):
        retrieved_passages([[["a"], ["b"]]])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("c1", ["c1"]),
        ('["c1", 2]', ["c1", 2]),
        ('{"a": 3}', {"a": 3}),
        ({"a": 3}, {"a": 3}),
        (("a", "b"), ["a", "b"]),
        (7, [7]),
        ("", []),
        ("[]", []),
        (None, []),
    ],
)
def test_identifiers_in_a_cell(value: Any, expected: Any) -> None:
    assert id_items(value) == expected


@pytest.mark.parametrize("value", ["{a: 3}", "[a]", "{1, 2}"])
def test_identifiers_that_do_not_parse(value: str) -> None:
    with pytest.raises(CellError, match="does not parse"):
        id_items(value)
