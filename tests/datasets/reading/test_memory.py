"""Datasets that are in memory already."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pydantic
import pytest

from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.errors import DatasetColumnError, DatasetFormatError, DatasetRowError
from muffakir_eval.records import PipelineOutput, Sample


class QAPair(pydantic.BaseModel):
    """As the generator of synthetic questions makes it."""

    question: str
    answer: str
    context: str
    chunk_id: int = 0
    source_file: str = "unknown"
    generated_at: datetime.datetime = pydantic.Field(default_factory=lambda: datetime.datetime.now(datetime.UTC))


@dataclasses.dataclass
class Pair:
    """The same as a dataclass."""

    question: str
    answer: str = ""
    chunk_id: int = 0
    source_file: str = "unknown"
    lang: str = "ar"


@dataclasses.dataclass(frozen=True, slots=True)
class Slotted:
    """Without a ``__dict__``."""

    question: str
    chunk_id: int = 0


class Row(NamedTuple):
    """A named tuple."""

    question: str
    answer: str


class Plain:
    """An object like any other."""

    def __init__(self, question: str, answer: str) -> None:
        self.question = question
        self.answer = answer


# -- objects ------------------------------------------------------------------------------------------


def test_defaults_of_generated_pairs_count_only_if_they_were_set() -> None:
    pairs = [
        QAPair(question="سؤال أول", answer="جواب", context="نص"),
        QAPair(question="سؤال ثان", answer="جواب", context="نص", chunk_id=0, source_file="unknown"),
        QAPair(question="سؤال ثالث", answer="جواب", context="نص", chunk_id=3, source_file="a.pdf"),
    ]
    dataset = load_evaluation_dataset(pairs)
    assert [sample.chunk_ids for sample in dataset] == [(), ("0",), ("3",)]
    assert [sample.source_file for sample in dataset] == [None, "unknown", "a.pdf"]
    assert [(sample.answer, sample.context) for sample in dataset] == [("جواب", "نص")] * 3
    assert [sample.metadata for sample in dataset] == [{}, {}, {}]


def test_a_time_that_was_set_is_kept() -> None:
    when = datetime.datetime(2026, 1, 5, 10, tzinfo=datetime.UTC)
    (sample,) = load_evaluation_dataset([QAPair(question="س", answer="ج", context="ن", generated_at=when)])
    assert sample.metadata == {"generated_at": "2026-01-05T10:00:00+00:00"}


def test_further_fields_of_a_pydantic_object() -> None:
    class Open(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(extra="allow")
        question: str
        lang: str = "ar"

    (sample,) = load_evaluation_dataset([Open.model_validate({"question": "س", "ground_truth": "ج"})])
    assert (sample.answers, sample.metadata) == (("ج",), {"lang": "ar"})


def test_defaults_of_a_dataclass_that_say_nothing_are_not_taken_as_set() -> None:
    dataset = load_evaluation_dataset([Pair("س1", "ج"), Pair("س2", "ج", 0, "unknown"), Pair("س3", "ج", 4, "b.pdf")])
    assert [sample.chunk_ids for sample in dataset] == [(), (), ("4",)]
    assert [sample.source_file for sample in dataset] == [None, None, "b.pdf"]
    assert dataset[0].metadata == {"lang": "ar"}


def test_a_dict_says_what_it_says() -> None:
    (sample,) = load_evaluation_dataset([{"question": "س", "chunk_id": 0, "source_file": "unknown"}])
    assert (sample.chunk_ids, sample.source_file) == (("0",), "unknown")


@pytest.mark.parametrize(
    "item",
    [
        {"question": "س", "answer": "ج"},
        Pair("س", "ج"),
        Row("س", "ج"),
        Plain("س", "ج"),
        pd.Series({"question": "س", "answer": "ج"}).to_dict(),
    ],
)
def test_objects_of_every_kind(item: Any) -> None:
    (sample,) = load_evaluation_dataset([item])
    assert (sample.question, sample.answer, sample.row, sample.sample_id) == ("س", "ج", 1, "1")


def test_a_dataclass_with_slots() -> None:
    (sample,) = load_evaluation_dataset([Slotted("س")])
    assert (sample.question, sample.chunk_ids) == ("س", ())


@pytest.mark.parametrize("item", ["س", 5, None, ["س", "ج"], ("س", "ج"), b"x", Pair, object()])
def test_an_item_that_holds_no_question(item: Any) -> None:
    with pytest.raises(DatasetRowError) as caught:
        load_evaluation_dataset([{"question": "س"}, item])
    message = str(caught.value)
    assert message.startswith("the list, item 2: the item is ")
    assert "What to do: turn the items into dicts" in message
    dataset = load_evaluation_dataset([{"question": "س"}, item, {"question": "ص"}], fail_fast=False)
    assert [sample.row for sample in dataset] == [1, 3]


def test_errors_speak_of_items() -> None:
    with pytest.raises(DatasetRowError, match=r"the list, item 2, column 'chunk_ids': 2 gold passages and 1 gold"):
        load_evaluation_dataset([{"question": "س"}, {"question": "ص", "contexts": ["أ", "ب"], "chunk_ids": ["1"]}])


def test_a_generator_is_read_once() -> None:
    read: list[int] = []

    def rows() -> Iterator[dict[str, Any]]:
        for number in range(1, 4):
            read.append(number)
            yield {"question": f"س{number}"}

    assert [sample.row for sample in load_evaluation_dataset(rows())] == [1, 2, 3]
    assert read == [1, 2, 3]


def test_a_generator_without_end() -> None:
    def rows() -> Iterator[dict[str, Any]]:
        while True:
            yield {"question": "س"}

    assert len(load_evaluation_dataset(rows(), max_samples=5)) == 5


def test_rows_are_not_changed() -> None:
    rows = [{"question": "س", "contexts": ["أ"], "metadata": {"a": 1}, "x": [1]}]
    before = repr(rows)
    (sample,) = load_evaluation_dataset(rows)
    sample.metadata["x"].append(2)
    assert repr(rows) == before


@pytest.mark.parametrize("value", [[], (), iter(()), {}, pd.DataFrame(), pd.DataFrame({"question": []})])
def test_nothing_at_all(value: Any) -> None:
    with pytest.raises(DatasetFormatError, match="there are no rows"):
        load_evaluation_dataset(value)


@pytest.mark.parametrize("value", [5, None, b"x", bytearray(b"x"), object(), 1.5])
def test_what_is_no_dataset(value: Any) -> None:
    with pytest.raises(DatasetFormatError, match=r"is no dataset.*pass one of these"):
        load_evaluation_dataset(value)


# -- samples ------------------------------------------------------------------------------------------

SAMPLES = [
    Sample(sample_id="a", row=7, question="س1", contexts=("نص",), recorded=PipelineOutput(answer="ج")),
    Sample(sample_id="b", row=9, question="س2"),
]


def test_samples_stay_as_they_are() -> None:
    assert load_evaluation_dataset(SAMPLES) == SAMPLES
    assert load_evaluation_dataset(iter(SAMPLES)) == SAMPLES
    assert load_evaluation_dataset(SAMPLES, max_samples=1) == SAMPLES[:1]


def test_a_dataset_keeps_what_is_known_about_it() -> None:
    first = load_evaluation_dataset([{"question": "س", "x": 1}, {"answer": "ج"}], fail_fast=False)
    second = load_evaluation_dataset(first)
    assert second == first
    assert second is not first
    assert (second.source, second.mapping, second.unmapped) == (first.source, first.mapping, first.unmapped)
    assert (second.problems, second.notes, second.n_rows) == (first.problems, first.notes, 2)


def test_samples_are_checked_too() -> None:
    bad = dataclasses.replace(SAMPLES[0], chunk_ids=("1", "2"))
    with pytest.raises(DatasetRowError, match=r"the list, item 2: 1 gold passage and 2 gold identifiers"):
        load_evaluation_dataset([SAMPLES[1], bad])
    dataset = load_evaluation_dataset([SAMPLES[1], bad, {"question": "س"}], fail_fast=False)
    assert (len(dataset), len(dataset.problems), dataset.n_rows) == (1, 2, 3)


def test_a_mapping_has_no_meaning_for_samples() -> None:
    assert "no columns are mapped" in load_evaluation_dataset(SAMPLES, column_mapping={"question": "x"}).warnings[0]


# -- frames -------------------------------------------------------------------------------------------


def test_a_frame() -> None:
    frame = pd.DataFrame(
        {
            "السؤال": ["س1", "س2"],
            "الإجابة": ["ج", np.nan],
            "n": [1, 2],
            "day": pd.to_datetime(pd.Series(["2024-01-05", None])),
        }
    )
    dataset = load_evaluation_dataset(frame)
    assert [(sample.row, sample.sample_id, sample.answers) for sample in dataset] == [(1, "1", ("ج",)), (2, "2", ())]
    assert [sample.metadata for sample in dataset] == [{"n": 1, "day": "2024-01-05"}, {"n": 2, "day": None}]
    assert dataset.source == "the DataFrame"


@pytest.mark.parametrize("text", ["None", "nan", "NA"])
def test_texts_that_look_like_nothing_are_texts(text: str) -> None:
    assert load_evaluation_dataset(pd.DataFrame({"question": ["س"], "answer": [text]}))[0].answer == text


def test_lists_and_arrays_in_the_cells_of_a_frame() -> None:
    frame = pd.DataFrame(
        {
            "question": ["س1", "س2", "س3"],
            "contexts": [np.array(["أ", "ب"]), ["ج"], None],
            "chunk_ids": [("1", "2"), [3], np.nan],
            "retrieved_contexts": [np.array([]), ["د"], np.nan],
        }
    )
    dataset = load_evaluation_dataset(frame)
    assert [sample.contexts for sample in dataset] == [("أ", "ب"), ("ج",), ()]
    assert [sample.chunk_ids for sample in dataset] == [("1", "2"), ("3",), ()]
    assert [len(sample.recorded.chunks or ()) for sample in dataset if sample.recorded] == [0, 1, 0]
    assert [sample.recorded is None or sample.recorded.chunks is None for sample in dataset] == [False] * 3


def test_an_index_with_a_name_is_a_column() -> None:
    frame = pd.DataFrame({"question": ["س1", "س2"]}, index=pd.Index([7.0, 9.0], name="id"))
    assert [sample.sample_id for sample in load_evaluation_dataset(frame)] == ["7", "9"]
    assert [sample.sample_id for sample in load_evaluation_dataset(frame.rename_axis(None))] == ["1", "2"]


def test_rows_of_a_frame_without_anything_are_skipped_and_counted() -> None:
    frame = pd.DataFrame({"question": ["س1", None, "س3"], "answer": ["ج", np.nan, "ج"]})
    assert [sample.row for sample in load_evaluation_dataset(frame)] == [1, 3]


def test_names_that_repeat_or_are_no_text() -> None:
    frame = pd.DataFrame([["س", "أ", "ب"]], columns=["question", "answer", "answer"])
    with pytest.raises(DatasetColumnError, match="several columns are called 'answer'"):
        load_evaluation_dataset(frame)
    frame.columns = pd.Index(["question", 0, 1])
    assert load_evaluation_dataset(frame)[0].metadata == {"0": "أ", "1": "ب"}


def test_names_of_several_levels() -> None:
    frame = pd.DataFrame([["س", "ج"]], columns=pd.MultiIndex.from_tuples([("question", ""), ("gold", "answer")]))
    assert load_evaluation_dataset(frame).unmapped == ["gold.answer"]


def test_categories() -> None:
    frame = pd.DataFrame({"question": ["س"], "kind": pd.Categorical(["قانون"])})
    assert load_evaluation_dataset(frame)[0].metadata == {"kind": "قانون"}


def test_whatever_turns_into_a_frame_or_into_rows() -> None:
    class Frame:
        def to_pandas(self) -> pd.DataFrame:
            return pd.DataFrame({"question": ["س"], "answer": ["ج"]})

    class Rows(Frame):
        def to_dicts(self) -> list[dict[str, Any]]:
            return [{"question": "ص", "chunk_id": 9007199254740993}]

    dataset = load_evaluation_dataset(Frame())
    assert (dataset[0].answer, dataset.source) == ("ج", "the Frame")
    assert load_evaluation_dataset(Rows())[0].chunk_ids == ("9007199254740993",)  # nothing passes through a float


def test_an_arrow_table() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"question": ["س1", "س2"], "chunk_id": pa.array([9007199254740993, None])})
    assert [sample.chunk_ids for sample in load_evaluation_dataset(table)] == [("9007199254740993",), ()]


def test_a_series_is_a_list_of_its_items() -> None:
    assert load_evaluation_dataset(pd.Series([{"question": "س"}]))[0].question == "س"
