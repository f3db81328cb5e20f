"""The public door: options, and what comes back."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import muffakir_eval
from muffakir_eval.datasets import EvaluationDataset, load_evaluation_dataset
from muffakir_eval.errors import ConfigError, DatasetRowError
from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample

Write = Callable[..., Path]
ROWS = [{"id": f"q{number}", "question": f"س{number}", "kind": "x"} for number in range(10)]


# -- how many -----------------------------------------------------------------------------------------


def test_the_first_ones() -> None:
    dataset = load_evaluation_dataset(ROWS, max_samples=3)
    assert [sample.sample_id for sample in dataset] == ["q0", "q1", "q2"]
    assert dataset.n_rows == 3


def test_more_than_there_are() -> None:
    assert len(load_evaluation_dataset(ROWS, max_samples=99)) == 10
    assert len(load_evaluation_dataset(ROWS, max_samples=99, sample_seed=1)) == 10


def test_a_seeded_sample_is_the_same_again_and_in_the_order_of_the_file() -> None:
    drawn = [sample.row for sample in load_evaluation_dataset(ROWS, max_samples=4, sample_seed=3)]
    assert drawn == [sample.row for sample in load_evaluation_dataset(ROWS, max_samples=4, sample_seed=3)]
    assert drawn == sorted(drawn)
    assert len(drawn) == 4
    others = {
        tuple(sample.row for sample in load_evaluation_dataset(ROWS, max_samples=4, sample_seed=seed))
        for seed in range(9)
    }
    assert len(others) > 1
    assert load_evaluation_dataset(ROWS, max_samples=4, sample_seed=3).n_rows == 10


def test_a_bad_row_beyond_the_first_ones_is_not_looked_at(write: Write) -> None:
    path = write("q.jsonl", '{"question": "س"}\n{"question": ""}\n')
    assert len(load_evaluation_dataset(path, max_samples=1)) == 1
    with pytest.raises(DatasetRowError):
        load_evaluation_dataset(path, max_samples=1, sample_seed=0)


@pytest.mark.parametrize("count", [0, -1, True, 2.5, "3"])
def test_a_count_that_is_none(count: Any) -> None:
    with pytest.raises(ConfigError, match=r"max_samples is .*a whole number of at least 1"):
        load_evaluation_dataset(ROWS, max_samples=count)


def test_a_seed_without_a_count() -> None:
    with pytest.raises(ConfigError, match=r"sample_seed is set and max_samples is not.*how many"):
        load_evaluation_dataset(ROWS, sample_seed=0)


# -- bad rows -----------------------------------------------------------------------------------------


def test_bad_rows_of_every_kind_are_collected_and_the_rest_goes_on(write: Write) -> None:
    path = write(
        "q.csv",
        "id,question,answer,chunk_id,answerable\n"
        "1,س1,ج,c1,نعم\n"
        "2,,ج,c2,\n"
        "3,س3,ج\n"
        "4,س4,ج,\"['c1', 'c2'\",\n"
        "5,س5,ج,\"['c1' 'c2']\",\n"
        "6,س6,ج,c6,ربما\n"
        "1,س7,ج,c7,لا\n"
        "8,س8,ج,c8,لا\n",
    )
    dataset = load_evaluation_dataset(path, fail_fast=False)
    assert [sample.sample_id for sample in dataset] == ["1", "8"]
    assert sorted(problem.row for problem in dataset.problems) == [3, 4, 5, 6, 7, 8]
    columns = {problem.row: problem.column for problem in dataset.problems}
    assert columns == {3: "question", 4: None, 5: "chunk_id", 6: "chunk_id", 7: "answerable", 8: "id"}
    assert dataset.n_rows == 8
    assert "2 samples from 8 rows, 6 set aside" in dataset.describe()
    with pytest.raises(DatasetRowError, match=r"row 3 \(line 3\)|row 3, column 'question'"):
        load_evaluation_dataset(path)


def test_nothing_but_bad_rows(write: Write) -> None:
    dataset = load_evaluation_dataset(write("q.jsonl", "x\ny\n"), fail_fast=False)
    assert (list(dataset), len(dataset.problems), dataset.n_rows) == ([], 2, 2)
    dataset = load_evaluation_dataset(write("q.csv", "question,answer\n,x\n"), fail_fast=False)
    assert (list(dataset), len(dataset.problems)) == ([], 1)


# -- what comes back ----------------------------------------------------------------------------------


def test_it_is_a_list_and_more() -> None:
    dataset = load_evaluation_dataset(ROWS)
    assert isinstance(dataset, list)
    assert dataset == list(dataset)
    assert dataset[:2] == [dataset[0], dataset[1]]
    assert (dataset.source, dataset.n_rows) == ("the list", 10)
    assert dataset.mapping == {"question": "question", "sample_id": "id"}
    assert dataset.unmapped == ["kind"]
    assert (dataset.problems, dataset.warnings, dataset.notes) == ([], [], [])


def test_it_pickles_with_everything(write: Write) -> None:
    path = write("q.jsonl", '{"question": "س", "answer": 1.50, "x": NaN, "y": 2.5}\n{"question": ""}\nx\n')
    dataset = load_evaluation_dataset(path, fail_fast=False)
    copied = pickle.loads(pickle.dumps(dataset))
    assert type(copied) is EvaluationDataset
    assert copied == dataset
    for name in ("source", "mapping", "unmapped", "warnings", "notes", "n_rows"):
        assert getattr(copied, name) == getattr(dataset, name)
    assert [str(problem) for problem in copied.problems] == [str(problem) for problem in dataset.problems]
    assert [problem.row for problem in copied.problems] == [3, 2]
    assert copied.describe() == dataset.describe()


def test_the_mapping_can_be_passed_again(write: Write) -> None:
    path = write("q.csv", "id,question,answer,contexts,ground_truth,is_impossible,method\n1,س,ن,نص,ج,true,raw\n")
    first = load_evaluation_dataset(path, id_columns=["id", "method"])
    second = load_evaluation_dataset(path, column_mapping=first.mapping)
    assert second == first
    assert second.mapping == first.mapping


def test_a_description_says_how_columns_were_understood(write: Write) -> None:
    path = write("q.csv", "question,answer,contexts,ground_truth,note\nس,ن,نص,ج,x\n")
    text = load_evaluation_dataset(path).describe()
    assert text.splitlines()[0] == f"{path}: 1 samples from 1 rows"
    assert "  answers            <- ground_truth" in text
    assert "  predicted_answer   <- answer" in text
    assert "  retrieved_contexts <- contexts" in text
    assert "kept as metadata: note" in text
    assert "'contexts' is read as what was retrieved" in text
    assert "a gold answer: 1, gold passages: 0, gold ids: 0, a recorded output: 1, marked unanswerable: 0" in text


def test_several_columns_in_a_description() -> None:
    dataset = load_evaluation_dataset(
        [{"question": "س", "c1": "أ", "c2": "ب"}], column_mapping={"contexts": ["c1", "c2"]}
    )
    assert "  contexts <- c1 + c2" in dataset.describe()
    assert EvaluationDataset(source="x").describe() == "x: 0 samples from 0 rows"


def test_it_is_public() -> None:
    assert muffakir_eval.load_evaluation_dataset is load_evaluation_dataset
    assert muffakir_eval.EvaluationDataset is EvaluationDataset


def test_reading_text_files_loads_no_heavy_library(write: Write) -> None:
    path = write("q.jsonl", '{"question": "س", "answer": "ج"}\n')
    program = (
        "import sys\nfrom muffakir_eval.datasets import load_evaluation_dataset\n"
        f"load_evaluation_dataset({str(path)!r})\nload_evaluation_dataset([{{'question': 'س'}}])\n"
        "print(sorted({'pandas', 'numpy', 'openpyxl', 'pyarrow', 'python_calamine', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, encoding="utf-8")
    assert done.stdout.strip() == "[]"


# -- a row as a whole ---------------------------------------------------------------------------------


def test_everything_that_a_row_can_say() -> None:
    row = {
        "sample_id": "q1",
        "question": "ما المدة؟",
        "answers": ["شهر", "ثلاثون يوما"],
        "contexts": [["أ", "ب"], ["ج"]],
        "chunk_ids": [["1", "2"], ["3"]],
        "grades": [2, 1],
        "source_file": ["a.pdf", "a.pdf", "b.pdf"],
        "answerable": True,
        "metadata": {"kind": "عمل", "n": 1},
        "lang": "ar",
        "predicted_answer": "شهر",
        "retrieved_contexts": ["نص", {"text": "آخر", "id": 9}],
        "retrieved_sources": ["a.pdf", None],
        "retrieved_scores": [0.5, 0.25],
        "latency_ms": 12,
    }
    (sample,) = load_evaluation_dataset([row])
    assert sample == Sample(
        sample_id="q1",
        row=1,
        question="ما المدة؟",
        answers=("شهر", "ثلاثون يوما"),
        contexts=("أ", "ب", "ج"),
        chunk_ids=("1", "2", "3"),
        groups=((0, 1), (2,)),
        grades=(2.0, 1.0),
        gold_sources=("a.pdf", "a.pdf", "b.pdf"),
        answerable=True,
        metadata={"lang": "ar", "kind": "عمل", "n": 1},
        recorded=PipelineOutput(
            answer="شهر",
            chunks=(
                RetrievedChunk(text="نص", source="a.pdf", score=0.5),
                RetrievedChunk(text="آخر", chunk_id="9", score=0.25),
            ),
            pipeline_latency_ms=12.0,
        ),
    )


@pytest.mark.parametrize(
    ("row", "answer", "chunks"),
    [
        ({"response": "ج"}, "ج", None),
        ({"response": ""}, "", None),
        ({"response": None}, "", None),
        ({"response": " "}, "", None),
        ({"retrieved_contexts": []}, None, 0),
        ({"retrieved_contexts": ""}, None, 0),
        ({"retrieved_contexts": None}, None, 0),
        ({"retrieved_chunk_ids": "[]"}, None, 0),
        ({"retrieved_contexts": "[1] أ\n[2] ب"}, None, 2),
        ({"retrieved_contexts": "أ|ب"}, None, 1),
        ({"retrieved_contexts": ["أ", "ب"], "retrieved_chunk_ids": None}, None, 2),
        ({"retrieved_contexts": None, "retrieved_chunk_ids": ["1", "2"]}, None, 2),
    ],
)
def test_an_empty_answer_and_an_empty_result_are_something(
    row: dict[str, Any], answer: str | None, chunks: int | None
) -> None:
    (sample,) = load_evaluation_dataset([{"question": "س", **row}])
    assert sample.recorded is not None
    assert sample.recorded.answer == answer
    assert (None if sample.recorded.chunks is None else len(sample.recorded.chunks)) == chunks


def test_a_row_without_the_columns_of_an_output_has_none() -> None:
    with_output, without = load_evaluation_dataset([{"question": "س", "response": "ج"}, {"question": "ص"}])
    assert with_output.recorded is not None
    assert without.recorded is None


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"retrieved_contexts": ["أ"], "retrieved_chunk_ids": ["1", "2"]},
            r"1 retrieved passage\(s\) for 2 chunk\(s\)",
        ),
        ({"response": ["ج"]}, "column 'response': the cell holds a list"),
        ({"response": "ج", "latency_ms": "fast"}, "column 'latency_ms': the cell says 'fast'"),
        ({"grades": [1, 2], "chunk_id": "a"}, "2 grades for 1 golds"),
        ({"contexts": ["أ", ""]}, "column 'contexts': passage 2 of 2 is empty"),
        ({"context": "أ", "contexts": ["ب"]}, "column 'contexts': it does not say the same as the column 'context'"),
        ({"answers": ["أ"], "answer": "ب"}, "column 'answers': it does not say the same as the column 'answer'"),
        ({"chunk_id": b"x"}, "column 'chunk_id': identifier 1 of 1 is b'x'"),
    ],
)
def test_rows_that_contradict_themselves(row: dict[str, Any], message: str) -> None:
    with pytest.raises(DatasetRowError, match=message) as caught:
        load_evaluation_dataset([{"question": "س", **row}])
    assert str(caught.value).startswith("the list, item 1")
    assert "What to do:" in str(caught.value)


@pytest.mark.parametrize(
    ("row", "contexts"),
    [
        ({"context": "أ", "contexts": ["أ", "ب"]}, ("أ", "ب")),
        ({"context": "أ", "contexts": []}, ("أ",)),
        ({"context": None, "contexts": ["ب"]}, ("ب",)),
    ],
)
def test_two_spellings_that_say_the_same(row: dict[str, Any], contexts: tuple[str, ...]) -> None:
    assert load_evaluation_dataset([{"question": "س", **row}])[0].contexts == contexts


def test_several_mapped_columns_are_taken_together() -> None:
    rows = [{"question": "س", "ref1": "أ", "ref2": "ب", "p1": "x", "p2": None, "p3": "z"}]
    mapping = {"answers": ["ref1", "ref2"], "retrieved_contexts": ["p1", "p2", "p3"]}
    (sample,) = load_evaluation_dataset(rows, column_mapping=mapping)
    assert sample.answers == ("أ", "ب")
    assert sample.recorded is not None
    assert [chunk.text for chunk in sample.recorded.chunks or ()] == ["x", "z"]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"metadata": {"a": 1}, "b": 2}, {"b": 2, "a": 1}),
        ({"metadata": '{"a": 1}'}, {"a": 1}),
        ({"metadata": {"b": 1}, "b": 2}, {"b": 2, "metadata.b": 1}),
        ({"metadata": "نص"}, {"metadata": "نص"}),
        ({"metadata": None}, {}),
        ({"metadata": [1]}, {"metadata": [1]}),
        ({"b": float("nan"), "c": [float("inf")]}, {"b": None, "c": [None]}),
    ],
)
def test_metadata(row: dict[str, Any], expected: dict[str, Any]) -> None:
    assert load_evaluation_dataset([{"question": "س", **row}])[0].metadata == expected


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("is_impossible", True, False),
        ("is_impossible", "لا", True),
        ("has_answer", "no", False),
        ("answerable", "", None),
    ],
)
def test_answerable(name: str, value: Any, expected: bool | None) -> None:
    assert load_evaluation_dataset([{"question": "س", name: value}])[0].answerable is expected


def test_a_mapping_turns_truth_round() -> None:
    rows = [{"question": "س", "out_of_scope": True}]
    assert load_evaluation_dataset(rows, column_mapping={"is_impossible": "out_of_scope"})[0].answerable is False
    assert load_evaluation_dataset(rows, column_mapping={"answerable": "out_of_scope"})[0].answerable is True
