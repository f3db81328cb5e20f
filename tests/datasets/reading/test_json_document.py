"""JSON documents in all their shapes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.errors import DatasetColumnError, DatasetFormatError, DatasetRowError

Write = Callable[..., Path]
ROWS = [{"question": "س1", "answer": "ج1"}, {"question": "س2", "answer": "ج2"}]
SHAPES: dict[str, Any] = {
    "list": ROWS,
    "data": {"data": ROWS},
    "cases": {"cases": ROWS, "version": "1.0", "tags": ["a"]},
    "questions": {"questions": ROWS},
    "samples": {"meta": {"by": "x"}, "samples": ROWS},
    "one of several lists": {"laws": [{"key": "a"}], "cases": ROWS},
    "columns": {"question": ["س1", "س2"], "answer": ["ج1", "ج2"]},
    "columns as pandas writes them": json.loads(pd.DataFrame(ROWS).to_json()),
    "columns beside something else": {"question": ["س1", "س2"], "answer": ["ج1", "ج2"], "version": 1},
    "list of lists of columns": {"input": ["س1", "س2"], "expected_output": ["ج1", "ج2"]},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(write: Write, shape: str) -> None:
    dataset = load_evaluation_dataset(write("q.json", json.dumps(SHAPES[shape])))
    assert [(sample.row, sample.question, sample.answer) for sample in dataset] == [(1, "س1", "ج1"), (2, "س2", "ج2")]


@pytest.mark.parametrize("shape", [name for name in SHAPES if name != "list"])
def test_the_same_shapes_as_a_dict_in_memory(shape: str) -> None:
    dataset = load_evaluation_dataset(SHAPES[shape])
    assert [(sample.question, sample.answer) for sample in dataset] == [("س1", "ج1"), ("س2", "ج2")]


@pytest.mark.parametrize(
    "value",
    [
        {"question": "س", "answer": "ج"},
        {"question": "س", "answer": "ج", "contexts": ["أ", "ب"]},
        {"question": "س", "answer": "ج", "contexts": [{"text": "أ", "id": 1}, {"text": "ب", "id": 2}]},
    ],
)
def test_one_object_is_one_sample(write: Write, value: dict[str, Any]) -> None:
    for dataset in (load_evaluation_dataset(write("q.json", json.dumps(value))), load_evaluation_dataset(value)):
        (sample,) = dataset
        assert (sample.question, sample.answer) == ("س", "ج")
        assert len(sample.contexts) == len(value.get("contexts", ()))


def test_what_is_not_read_of_a_document_is_noted(write: Write) -> None:
    dataset = load_evaluation_dataset(write("q.json", json.dumps(SHAPES["cases"])))
    assert "the list 'cases' of the document is read, nothing else of it" in dataset.notes
    dataset = load_evaluation_dataset(SHAPES["columns beside something else"])
    assert "not read, as they are no columns: 'version'" in dataset.notes


def test_a_wrapper_is_found_by_the_mapped_question() -> None:
    value = {"a": [{"text": "س"}], "b": [{"other": "x"}]}
    assert load_evaluation_dataset(value, column_mapping={"question": "text"})[0].question == "س"


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ({"a": [{"question": "س"}], "b": [{"question": "ص"}]}, "more than one"),
        ({"a": [{"x": 1}], "b": [{"y": 2}]}, "none"),
    ],
)
def test_several_lists_are_ambiguous(value: dict[str, Any], count: str) -> None:
    with pytest.raises(
        DatasetFormatError, match=f"several lists: 'a', 'b', and {count} of them has questions.*What to do"
    ):
        load_evaluation_dataset(value)


def test_columns_of_different_lengths(write: Write) -> None:
    path = write("q.json", '{"question": ["س1", "س2"], "answer": ["ج1"]}')
    with pytest.raises(DatasetFormatError, match=r"different lengths: 'question' 2, 'answer' 1.*an entry per row"):
        load_evaluation_dataset(path)


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ('[{"question": "س",}]', ["not valid JSON", "line 1 column"]),
        ('[{"question": "س"}\n{"question": "ص"}]', ["not valid JSON", "line 2 column 1"]),
        ('{"a": 1}\n{"b"', ["JSON"]),
        ("5", ["the document is 5"]),
        ('"text"', ["the document is 'text'"]),
        ('[{"question": "س", "question": "ص"}]', ["the key 'question' stands twice"]),
        ('{\n"question": "س"\n}\n{\n"question": "ص"\n}', ["not valid JSON: Extra data"]),
    ],
)
def test_what_is_no_document_is_an_error(write: Write, content: str, parts: list[str]) -> None:
    path = write("q.json", content)
    with pytest.raises((DatasetFormatError, DatasetRowError)) as caught:
        load_evaluation_dataset(path)
    for part in [str(path), *parts]:
        assert part in str(caught.value)


def test_json_lines_that_are_called_json_are_read_with_a_warning(write: Write) -> None:
    path = write("q.json", '{"question": "س1"}\n{"question": "س2"}\n')
    dataset = load_evaluation_dataset(path)
    assert [sample.question for sample in dataset] == ["س1", "س2"]
    assert dataset.warnings == [f"{path}: read as JSON Lines, which it is in spite of its suffix"]


def test_constants_are_counted(write: Write) -> None:
    dataset = load_evaluation_dataset(write("q.json", '[{"question": "س", "a": NaN, "b": NaN, "c": Infinity}]'))
    assert dataset[0].metadata == {"a": None, "b": None, "c": None}
    assert "3 times Infinity or NaN" in dataset.warnings[0]


@pytest.mark.parametrize("item", ["text", 5, None, ["س", "ج"]])
def test_an_item_that_is_no_object(write: Write, item: Any) -> None:
    path = write("q.json", json.dumps([ROWS[0], item, ROWS[1]]))
    with pytest.raises(DatasetRowError, match=r"item 2: the item is no object.*What to do: correct the list"):
        load_evaluation_dataset(path)
    dataset = load_evaluation_dataset(path, fail_fast=False)
    assert (len(dataset), len(dataset.problems), dataset.n_rows) == (2, 1, 3)


def test_objects_without_questions_name_their_keys(write: Write) -> None:
    with pytest.raises(DatasetColumnError, match="the columns are 'law', 'text'"):
        load_evaluation_dataset(write("q.json", '[{"law": "x", "text": "y"}]'))


def test_nested_objects_are_metadata_until_a_mapping_reaches_into_them() -> None:
    rows = [{"question": "س", "expected": {"articles": ["5", 6], "answer": "ج"}}]
    (sample,) = load_evaluation_dataset(rows)
    assert sample.answers == ()
    assert sample.metadata == {"expected": {"articles": ["5", 6], "answer": "ج"}}
    dataset = load_evaluation_dataset(
        rows, column_mapping={"chunk_ids": "expected.articles", "answer": "expected.answer"}
    )
    assert (dataset[0].chunk_ids, dataset[0].answers) == (("5", "6"), ("ج",))
    assert dataset.mapping["chunk_ids"] == "expected.articles"
    assert dataset[0].metadata == {"expected": {"articles": ["5", 6], "answer": "ج"}}


def test_a_nested_name_that_no_row_has() -> None:
    rows = [{"question": "س", "expected": {"articles": ["5"]}}, {"question": "ص", "expected": None}]
    with pytest.raises(DatasetColumnError, match=r"'expected.article', and no row has it.*did you mean 'articles'\?"):
        load_evaluation_dataset(rows, column_mapping={"chunk_ids": "expected.article"})
    with pytest.raises(DatasetColumnError, match=r"no row has it.*the keys there are 'articles'"):
        load_evaluation_dataset(rows, column_mapping={"chunk_ids": "expected.zzz"})
    with pytest.raises(DatasetColumnError, match=r"no row has it.*check the name"):
        load_evaluation_dataset([{"question": "س", "a": 5}], column_mapping={"chunk_ids": "a.b.c"})


def test_a_nested_name_that_the_first_rows_lack_is_a_warning() -> None:
    rows = [{"question": "س", "expected": {}}, {"question": "ص", "expected": {"ids": ["5"]}}]
    mapping = {"chunk_ids": "expected.ids"}
    assert (
        "no row has it of those read"
        in load_evaluation_dataset(rows, max_samples=1, column_mapping=mapping).warnings[0]
    )
    assert load_evaluation_dataset(rows, column_mapping=mapping)[1].chunk_ids == ("5",)


def test_a_nested_name_reaches_into_objects_in_the_cells_of_a_table(write: Write) -> None:
    path = write("q.csv", 'question,expected\nس,"{""ids"": [""5""]}"\n')
    assert load_evaluation_dataset(path, column_mapping={"chunk_ids": "expected.ids"})[0].chunk_ids == ("5",)
