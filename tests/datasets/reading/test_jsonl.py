"""JSON Lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.errors import DatasetFormatError, DatasetRowError

Write = Callable[..., Path]


def test_blank_lines_are_skipped_and_keep_their_number(write: Write) -> None:
    path = write("q.jsonl", '\n{"question": "س1"}\n\n  \r\n{"question": "س2"}\r\n\n')
    assert [(sample.row, sample.sample_id) for sample in load_evaluation_dataset(path)] == [(2, "2"), (5, "5")]


def test_only_line_feeds_end_a_line(write: Write) -> None:
    text = "سطر\u2028أول\u0085ثان\x0bثالث"
    path = write("q.jsonl", f'{{"question": "{text}"}}\n'.replace("\x0b", "\\u000b"))
    assert load_evaluation_dataset(path)[0].question == text


def test_the_last_line_needs_no_end(write: Write) -> None:
    assert len(load_evaluation_dataset(write("q.jsonl", '{"question": "س1"}\n{"question": "س2"}'))) == 2


def test_lone_surrogates_survive(write: Write) -> None:
    assert load_evaluation_dataset(write("q.jsonl", '{"question": "\\ud83d"}\n'))[0].question == "\ud83d"


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("{'question': 'س'}", ["the line is not valid JSON", "one JSON object per line"]),
        ('{"question": "س"', ["the line is not valid JSON"]),
        ('{"question": "س"} x', ["the line is not valid JSON: Extra data"]),
        ('["س"]', ["the line holds no object but ['س']"]),
        ('"س"', ["the line holds no object but 'س'"]),
        ('\ufeff{"question"', ["the line is not valid JSON: Expecting"]),
        ("null", ["the line holds no object but None"]),
        ("5", ["the line holds no object but 5"]),
        ('{"question": "س", "question": "ص"}', ["the key 'question' stands twice in one object"]),
        ('{"answer": "ج"}', ["column 'question': the question is missing"]),
        ('{"question": " "}', ["column 'question': the question is missing"]),
        ('{"question": ["س"]}', ["column 'question': the cell holds a list"]),
        ('{"question": "' + "[" * 10 + '", "x": ' + "[" * 100_000, ["the line is not valid JSON: it nests too deeply"]),
    ],
)
def test_a_bad_line_is_named_with_its_number(write: Write, line: str, parts: list[str]) -> None:
    path = write("q.jsonl", f'{{"question": "س0"}}\n\n{line}\n{{"question": "س9"}}\n')
    with pytest.raises(DatasetRowError) as caught:
        load_evaluation_dataset(path)
    assert caught.value.row == 3
    assert str(caught.value).startswith(f"{path}, line 3")
    for part in [*parts, "What to do:"]:
        assert part in str(caught.value)
    dataset = load_evaluation_dataset(path, fail_fast=False)
    assert [sample.question for sample in dataset] == ["س0", "س9"]
    assert [problem.row for problem in dataset.problems] == [3]
    assert dataset.n_rows == 3


def test_bare_constants_are_missing_and_warned_of(write: Write) -> None:
    path = write(
        "q.jsonl", '{"question": "س1", "answer": NaN, "x": [1, -Infinity]}\n{"question": "س2", "answer": "ج"}\n'
    )
    dataset = load_evaluation_dataset(path)
    assert dataset[0].answers == ()
    assert dataset[0].metadata == {"x": [1, None]}
    assert dataset.warnings == [f"{path}, line 1: NaN, -Infinity is no JSON and reads as missing"]


def test_many_warnings_of_one_kind_are_counted(write: Write) -> None:
    dataset = load_evaluation_dataset(write("q.jsonl", '{"question": "س", "x": NaN}\n' * 30))
    assert len(dataset.warnings) == 6
    assert dataset.warnings[-1] == "… and 25 more of the kind: number that is none"


@pytest.mark.parametrize("content", ['[\n{"question": "س"}\n]', '[{"question": "س"},\n{"question": "ص"}]'])
def test_a_json_list_in_lines_says_so(write: Write, content: str) -> None:
    with pytest.raises(DatasetFormatError, match=r"called .jsonl, but it holds one JSON list.*rename it to .json"):
        load_evaluation_dataset(write("q.jsonl", content))


def test_a_json_list_in_one_line_says_so_too(write: Write) -> None:
    with pytest.raises(DatasetRowError, match=r"line 1: the line holds no object.*rename the file to .json"):
        load_evaluation_dataset(write("q.jsonl", '[{"question": "س"}]\n'))


def test_an_object_over_several_lines_says_so(write: Write) -> None:
    with pytest.raises(DatasetRowError, match=r"line 1: .*if an object goes over several lines, rename the file"):
        load_evaluation_dataset(write("q.jsonl", '{\n"question": "س"\n}\n'))


def test_numbers_keep_their_spelling_as_text_and_their_value_as_metadata(write: Write) -> None:
    path = write("q.jsonl", '{"id": 1.0, "question": 2024, "answer": 1.50, "note": 1.50, "n": 7.0}\n')
    (sample,) = load_evaluation_dataset(path)
    assert (sample.sample_id, sample.question, sample.answer) == ("1", "2024", "1.50")
    assert sample.metadata == {"note": 1.5, "n": 7.0}
    assert type(sample.metadata["note"]) is float


def test_truth_is_spelled_as_json_spells_it(write: Write) -> None:
    (sample,) = load_evaluation_dataset(write("q.jsonl", '{"question": "س", "answer": true, "flag": false}\n'))
    assert sample.answer == "true"
    assert sample.metadata == {"flag": False}


def test_rows_may_have_different_keys(write: Write) -> None:
    path = write(
        "q.jsonl",
        '{"question": "س1", "answer": "نظام"}\n{"answer": "نظام", "ground_truth": "مرجع", "question": "س2", "x": 1}\n',
    )
    dataset = load_evaluation_dataset(path)
    # one reading for the whole file: in the first row `answer` is the system's too
    assert [sample.answers for sample in dataset] == [(), ("مرجع",)]
    assert [sample.recorded and sample.recorded.answer for sample in dataset] == ["نظام", "نظام"]
    assert dataset.unmapped == ["x"]
    assert dataset[0].metadata == {}
