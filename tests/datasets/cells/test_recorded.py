"""What was retrieved, from the columns that tell it."""

from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval.datasets.cells.passages import Passage
from muffakir_eval.datasets.cells.recorded import chunks_from, retrieved_ids, score_items
from muffakir_eval.datasets.cells.text import CellError
from muffakir_eval.records import RetrievedChunk


def test_identifiers_in_rank_order() -> None:
    assert retrieved_ids(['["b", 7, null]', "c"]) == ["b", "7", None, "c"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([{"a": 1}], "no order"),
        ([[["a"]]], "item 1 of the retrieved identifiers is no single identifier"),
        (["[a]"], "parse"),
    ],
)
def test_identifiers_that_are_none(values: list[Any], message: str) -> None:
    with pytest.raises(CellError, match=message):
        retrieved_ids(values)


def test_scores() -> None:
    assert score_items("[0.5, null, 2]") == [0.5, None, 2.0]
    with pytest.raises(CellError, match="no order"):
        score_items({"a": 1})
    with pytest.raises(CellError, match="'high'"):
        score_items(["high"])


def test_columns_are_put_together_by_rank() -> None:
    chunks = chunks_from([Passage("أ"), Passage("ب")], ["1", None], ["a.pdf", None], [0.5, 0.25])
    assert chunks == (
        RetrievedChunk(text="أ", chunk_id="1", source="a.pdf", score=0.5),
        RetrievedChunk(text="ب", score=0.25),
    )


def test_a_passage_tells_what_no_column_does() -> None:
    (chunk,) = chunks_from([Passage("أ", "1", "a.pdf", 0.5, {"page": 3})], [], [], [])
    assert chunk == RetrievedChunk(text="أ", chunk_id="1", source="a.pdf", score=0.5, metadata={"page": 3})


def test_nothing_was_retrieved() -> None:
    assert chunks_from([], [], [], []) == ()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([Passage("أ")], ["1", "2"], [], []), r"1 retrieved passage\(s\) for 2 chunk\(s\)"),
        (([], ["1", "2"], ["a"], []), r"1 retrieved source\(s\) for 2"),
        (([], [], [], [0.5]), r"1 retrieved score\(s\) for 0"),
    ],
)
def test_columns_that_do_not_fit_each_other(columns: Any, message: str) -> None:
    with pytest.raises(CellError, match=message):
        chunks_from(*columns)
