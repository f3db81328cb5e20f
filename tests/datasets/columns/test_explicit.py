"""The user's own mapping."""

from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval.datasets.columns.explicit import find_column, listed, read_mapping
from muffakir_eval.errors import DatasetColumnError

COLUMNS = ["Query Text", "reply", "expected", "ctx1", "ctx2", "answer", "response", "is_impossible"]


def read(mapping: Any, columns: list[str] | None = None) -> dict[str, tuple[str, ...]]:
    return dict(read_mapping(mapping, columns or COLUMNS, where="q.csv").fields)


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        ({"question": "Query Text"}, {"question": ("Query Text",)}),
        ({"question": "query_text"}, {"question": ("Query Text",)}),
        ({"Question": "Query Text", "ANSWER": "reply"}, {"question": ("Query Text",), "answers": ("reply",)}),
        ({"contexts": ["ctx1", "ctx2"]}, {"contexts": ("ctx1", "ctx2")}),
        ({"context": ("ctx1",)}, {"contexts": ("ctx1",)}),
        ({"answer": "reply", "answers": "expected"}, {"answers": ("reply", "expected")}),
        ({"response": "reply"}, {"predicted_answer": ("reply",)}),
        ({"latency_ms": "reply"}, {"pipeline_latency_ms": ("reply",)}),
        ({"chunk_ids": "expected.article"}, {"chunk_ids": ("expected.article",)}),
        ({"contexts": []}, {}),
        ({}, {}),
    ],
)
def test_field_to_column(mapping: Any, expected: dict[str, tuple[str, ...]]) -> None:
    assert read(mapping) == expected


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        ({"Query Text": "question"}, {"question": ("Query Text",)}),
        ({"ctx1": "contexts", "ctx2": "contexts"}, {"contexts": ("ctx1", "ctx2")}),
        ({"reply": "answer", "Query Text": "question"}, {"question": ("Query Text",), "answers": ("reply",)}),
    ],
)
def test_column_to_field_where_nothing_else_fits(mapping: Any, expected: dict[str, tuple[str, ...]]) -> None:
    assert read(mapping) == expected


def test_where_both_readings_fit_it_is_field_to_column() -> None:
    assert read({"answer": "response"}) == {"answers": ("response",)}


def test_a_name_of_a_column_is_no_field_even_if_it_is_a_known_spelling() -> None:
    columns = ["question", "answer", "ground_truth"]
    assert read({"ground_truth": "answer"}, columns) == {"answers": ("ground_truth",)}


def test_truth_may_be_turned_round() -> None:
    assert read_mapping({"is_impossible": "reply"}, COLUMNS, where="f").inverted == {"reply"}
    assert read_mapping({"answerable": "reply"}, COLUMNS, where="f").inverted == frozenset()


@pytest.mark.parametrize(
    ("mapping", "parts"),
    [
        ({"question": "Query Txt"}, ["the column 'Query Txt'", "did you mean 'Query Text'?", "'reply'"]),
        ({"question": "zzz"}, ["the column 'zzz'", "the columns are 'Query Text'"]),
        ({"question": "Query Text", "answer": "replay"}, ["'replay'", "did you mean 'reply'?"]),
        ({"qestion": "Query Text"}, ["the field 'qestion'", "did you mean 'question'?", "field -> column"]),
        ({"Query Text": "qestion"}, ["the field 'qestion'", "did you mean 'question'?"]),
        ({"zzz": "yyy"}, ["the field 'zzz'", "the fields are question, answer"]),
        (
            {"answers": "reply", "predicted_answer": "reply"},
            ["the column 'reply' to 'answers' and to 'predicted_answer'"],
        ),
        ({"question": ["Query Text", "reply"]}, ["gives 'question' the columns 'Query Text', 'reply'", "one column"]),
        ({"nested.key": "question"}, ["the field 'nested.key'"]),
    ],
)
def test_mistakes_are_named_with_the_remedy(mapping: Any, parts: list[str]) -> None:
    with pytest.raises(DatasetColumnError) as caught:
        read(mapping)
    message = str(caught.value)
    assert message.startswith("q.csv: column_mapping ")
    for part in [*parts, "What to do:"]:
        assert part in message


@pytest.mark.parametrize("value", [None, 5, {"a": "b"}])
def test_a_value_that_names_no_column(value: Any) -> None:
    with pytest.raises(
        DatasetColumnError, match=r"gives 'answer' the value .*the name of a column, or a list of names"
    ):
        read({"question": "Query Text", "answer": value})


def test_long_names_are_cut_in_messages() -> None:
    with pytest.raises(DatasetColumnError) as caught:
        read({"question": "zzz"}, ["نص طويل " * 1000])
    assert len(str(caught.value)) < 400


def test_a_name_that_two_columns_fold_to_must_be_exact() -> None:
    columns = ["Query", "query"]
    assert find_column("QUERY", columns) is None
    assert find_column("query", columns) == "query"


def test_a_column_that_has_a_dot_in_its_name_is_itself() -> None:
    assert find_column("a.b", ["a", "a.b"]) == "a.b"
    assert find_column("a.c", ["a", "a.b"]) == "a.c"
    assert find_column("b.c", ["a"]) is None


def test_long_lists_of_columns_are_cut() -> None:
    assert listed(map(str, range(40)), limit=2) == "'0', '1' and 38 more"
