"""SQuAD documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.errors import DatasetFormatError

Write = Callable[..., Path]
ARTICLES: list[dict[str, Any]] = [
    {
        "title": "الرياض",
        "paragraphs": [
            {
                "context": "الرياض عاصمة السعودية.",
                "qas": [
                    {
                        "id": "q1",
                        "question": "ما عاصمة السعودية؟",
                        "answers": [
                            {"text": "الرياض", "answer_start": 0},
                            {"text": "الرياض", "answer_start": 0},
                            {"text": "مدينة الرياض"},
                        ],
                        "is_impossible": False,
                    },
                    {
                        "id": "q2",
                        "question": "متى تأسست؟",
                        "answers": [],
                        "is_impossible": True,
                        "plausible_answers": [{"text": "1932", "answer_start": 5}],
                    },
                ],
            },
            {"context": "نص آخر.", "qas": [{"id": 3, "question": "وماذا؟", "answers": [{"text": "نص"}]}]},
        ],
    }
]


@pytest.mark.parametrize("value", [{"data": ARTICLES, "version": "2.0"}, ARTICLES, ARTICLES[0]])
def test_one_sample_per_question(write: Write, value: Any) -> None:
    dataset = load_evaluation_dataset(write("q.json", json.dumps(value)))
    first, second, third = dataset
    assert (first.sample_id, first.row, first.question) == ("q1", 1, "ما عاصمة السعودية؟")
    assert first.answers == ("الرياض", "مدينة الرياض")
    assert first.contexts == ("الرياض عاصمة السعودية.",)
    assert first.metadata == {"title": "الرياض"}
    assert [sample.answerable for sample in dataset] == [True, False, None]
    assert second.answers == ()
    assert second.metadata["plausible_answers"] == [{"text": "1932", "answer_start": 5}]
    assert (third.sample_id, third.row, third.context) == ("3", 3, "نص آخر.")
    assert dataset.mapping == {
        "question": "question",
        "answers": "answers",
        "contexts": "context",
        "sample_id": "id",
        "answerable": "is_impossible",
    }


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ([{"paragraphs": "x"}], "data[0].paragraphs is 'x'"),
        ([{"paragraphs": ["x"]}], "data[0].paragraphs[0] is 'x'"),
        ([ARTICLES[0], {"paragraphs": [{"context": "x"}]}], "data[1].paragraphs[0].qas is None"),
        ([{"paragraphs": [{"context": "x", "qas": ["y"]}]}], "data[0].paragraphs[0].qas[0] is 'y'"),
    ],
)
def test_the_place_of_a_mistake_is_named(data: Any, place: str) -> None:
    with pytest.raises(DatasetFormatError) as caught:
        load_evaluation_dataset({"data": data})
    assert place in str(caught.value)
    assert "compare it with SQuAD" in str(caught.value)


def test_samples_whose_passages_are_called_paragraphs_are_no_squad(write: Write) -> None:
    rows = [{"question": "س", "answer": "ج", "paragraphs": [{"title": "t", "text": "x"}]}]
    (sample,) = load_evaluation_dataset(write("q.json", json.dumps(rows)))
    assert sample.question == "س"
    assert sample.metadata == {"paragraphs": [{"title": "t", "text": "x"}]}


def test_articles_without_a_title() -> None:
    (sample,) = load_evaluation_dataset({"data": [{"paragraphs": [{"context": "ن", "qas": [{"question": "س"}]}]}]})
    assert (sample.context, sample.metadata) == ("ن", {})


def test_the_flat_form_of_tables(write_jsonl: Write) -> None:
    path = write_jsonl(
        {
            "id": "q1",
            "title": "t",
            "context": "نص",
            "question": "س",
            "answers": {"text": ["أ", "ب"], "answer_start": [0, 3]},
        }
    )
    (sample,) = load_evaluation_dataset(path)
    assert sample.answers == ("أ", "ب")
