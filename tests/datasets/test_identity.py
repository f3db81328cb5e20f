"""What a sample is called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.datasets.identity import joined_id
from muffakir_eval.errors import DatasetError, DatasetRowError
from muffakir_eval.records import Sample

Write = Callable[..., Path]
PARTS = st.lists(st.one_of(st.none(), st.text(alphabet="ab|\\", min_size=1)), min_size=2, max_size=3)


@given(PARTS, PARTS)
def test_different_parts_never_give_the_same_identifier(one: list[str | None], other: list[str | None]) -> None:
    if len(one) == len(other):
        assert (joined_id(one) == joined_id(other)) == (one == other)


def test_a_single_part_is_itself() -> None:
    assert joined_id(["a|b\\"]) == "a|b\\"


def test_without_an_identifier_it_is_the_row(write: Write) -> None:
    path = write("q.csv", "question\nس1\n\nس2\n")
    assert [sample.sample_id for sample in load_evaluation_dataset(path)] == ["2", "4"]


def test_an_empty_identifier_among_others_is_made_from_the_row(write: Write) -> None:
    path = write("q.csv", "id,question\n3,س1\n,س2\n2,س3\n")
    assert [sample.sample_id for sample in load_evaluation_dataset(path)] == ["3", "row-3", "2"]


@pytest.mark.parametrize("value", [["a"], {"a": 1}])
def test_an_identifier_that_is_no_single_value(value: Any) -> None:
    with pytest.raises(DatasetRowError, match="column 'id': the identifier of the row is"):
        load_evaluation_dataset([{"id": value, "question": "س"}])


def test_columns_of_the_identifier() -> None:
    rows = [
        {"question": "س", "file": "a", "n": 1},
        {"question": "س", "file": "a", "n": 2.0},
        {"question": "س", "file": None, "n": 1},
    ]
    dataset = load_evaluation_dataset(rows, id_columns=["file", "N"])
    assert [sample.sample_id for sample in dataset] == ["a|1", "a|2", "|1"]
    assert dataset.mapping["sample_id"] == ["file", "n"]
    assert dataset[0].source_file == "a"


def test_one_column_as_a_text() -> None:
    dataset = load_evaluation_dataset([{"id": "1", "question": "س", "key": "a|b"}], id_columns="key")
    assert dataset[0].sample_id == "a|b"
    assert dataset[0].metadata == {"id": "1", "key": "a|b"}


def test_the_same_through_the_mapping() -> None:
    rows = [{"id": "q", "question": "س", "method": "raw"}]
    assert load_evaluation_dataset(rows, column_mapping={"sample_id": ["id", "method"]})[0].sample_id == "q|raw"


def test_columns_that_are_all_empty() -> None:
    rows = [{"question": "س", "a": "x", "b": "y"}, {"question": "ص", "a": None, "b": " "}]
    with pytest.raises(DatasetRowError, match="item 2, column 'b': every column of id_columns is empty"):
        load_evaluation_dataset(rows, id_columns=["a", "b"])


def test_columns_reach_into_objects() -> None:
    rows = [{"question": "س", "meta": {"k": 1}}, {"question": "س", "meta": {"k": 2}}]
    assert [sample.sample_id for sample in load_evaluation_dataset(rows, id_columns="meta.k")] == ["1", "2"]


@pytest.mark.parametrize(
    ("rows", "proposed"),
    [
        ([{"m": "a"}, {"m": "b"}], '["id", "m"]'),
        ([{"x": 1, "m": "a"}, {"x": 1, "m": "b"}], '["id", "m"]'),
        ([{"f": 0.1, "m": "a"}, {"f": 0.2, "m": "b"}], '["id", "m"]'),
        ([{"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 2, "b": 1}, {"a": 2, "b": 2}], '["id", "a", "b"]'),
        ([{"النموذج": "أ"}, {"النموذج": "ب"}], '["id", "النموذج"]'),
    ],
)
def test_repeated_identifiers_propose_columns_that_tell_rows_apart(rows: list[dict[str, Any]], proposed: str) -> None:
    dataset = [{"id": "q", "question": "س", **row} for row in rows]
    with pytest.raises(DatasetError) as caught:
        load_evaluation_dataset(dataset)
    assert f"id_columns={proposed}" in str(caught.value)
    again = load_evaluation_dataset(dataset, id_columns=__import__("json").loads(proposed))
    assert len({sample.sample_id for sample in again}) == len(rows)


def test_repeated_identifiers_without_such_columns() -> None:
    rows = [{"id": "q", "question": "س", "m": "a"}] * 2
    with pytest.raises(
        DatasetError, match=r"1 identifier is used more than once: 'q' \(items 1, 2\).*id_columns=\[…\]"
    ):
        load_evaluation_dataset(rows)


def test_many_repeated_identifiers_are_counted() -> None:
    rows = [{"id": number // 2, "question": "س"} for number in range(40)]
    with pytest.raises(DatasetError, match=r"20 identifiers are used more than once: '0' .*and 15 more"):
        load_evaluation_dataset(rows)


def test_with_bad_rows_set_aside_the_first_stays() -> None:
    rows = [{"id": name, "question": f"س{at}", "m": at} for at, name in enumerate("aabac")]
    dataset = load_evaluation_dataset(rows, fail_fast=False)
    assert [sample.question for sample in dataset] == ["س0", "س2", "س4"]
    assert [problem.row for problem in dataset.problems] == [2, 4]
    assert "item 4, column 'id': the identifier 'a' is used before, in item 1" in str(dataset.problems[1])
    assert 'id_columns=["id", "m"]' in str(dataset.problems[0])
    assert dataset.n_rows == 5


def test_samples_of_the_users_are_checked_too() -> None:
    twice = [Sample(sample_id="a", question="س"), Sample(sample_id="a", question="ص")]
    with pytest.raises(DatasetError, match="'a'"):
        load_evaluation_dataset(twice)
    assert len(load_evaluation_dataset(twice, fail_fast=False)) == 1
