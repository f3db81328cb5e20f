"""What people pass by mistake, and what they are told."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, MagicMock, Mock

import pytest

from muffakir_eval.datasets import EvaluationDataset, load_evaluation_dataset
from muffakir_eval.errors import ConfigError, DatasetColumnError, DatasetError, DatasetFormatError, DatasetRowError
from muffakir_eval.pipelines import BM25Retriever
from muffakir_eval.records import PipelineOutput, Sample

Write = Callable[..., Path]


class Rag:
    """Can be asked."""

    def ask(self, question: str, k: int) -> str:
        return f"{question}{k}"


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (Rag(), "Rag"),
        (Rag, "Rag"),
        (Rag().ask, "Rag.ask"),
        (len, "len"),
        (BM25Retriever(["نص"]), "BM25Retriever"),
        (Mock(), "Mock"),
        (MagicMock(), "MagicMock"),
        (AsyncMock(), "AsyncMock"),
    ],
)
def test_a_pipeline_in_place_of_the_dataset(given: Any, name: str) -> None:
    with pytest.raises(DatasetFormatError) as caught:
        load_evaluation_dataset(given)
    assert f"{name} is no dataset" in str(caught.value)
    assert "rag and dataset seem to be swapped: evaluate(rag=…, dataset=…)" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[\n {"question": "س",\n  "answer": "ج",\n }\n]', "a trailing comma, with nothing after it: line 3 column 16"),
        ('[\n {"question": "س"},\n {"question": "ص"},\n]', "a trailing comma, with nothing after it: line 3 column 19"),
        ("[{'question': 'س'}]", "single quotes, where JSON has double ones: line 1 column 3"),
        ('[ // هنا\n{"question": "س"}]', "a comment, which JSON does not have: line 1 column 3"),
        ('[{"question": "س", "answerable": True}]', "True, which is Python; JSON has true: line 1 column 34"),
        ('[{"question": "س", "answer": None}]', "None, which is Python; JSON has null: line 1 column 30"),
        ('[{"question": "س" "answer": "ج"}]', "Expecting ',' delimiter: line 1 column 19"),
        ('[{"question": "س, ]", "a" 1}]', "Expecting ':' delimiter: line 1 column 27"),
        ('[{"question": ' + "9" * 5_000 + "}]", "a number has too many digits; write it as text"),
    ],
)
def test_mistakes_in_json_are_called_by_their_name(write: Write, text: str, told: str) -> None:
    with pytest.raises(DatasetFormatError, match=re.escape(told)):
        load_evaluation_dataset(write("q.json", text))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"question": "س",}', r"not valid JSON: a trailing comma, with nothing after it \(column 17\)"),
        ("{'question': 'س'}", r"not valid JSON: single quotes, where JSON has double ones \(column 2\)"),
        ('{"question": ' + "9" * 5_000 + "}", "a number has too many digits; write it as text"),
        (' {"question": ' + "9" * 5_000 + "}", "a number has too many digits; write it as text"),
    ],
)
def test_in_json_lines_the_line_is_that_of_the_file(write: Write, line: str, told: str) -> None:
    with pytest.raises(DatasetRowError, match=f"q.jsonl, line 2: the line is {told}" if "not" in told else told):
        load_evaluation_dataset(write("q.jsonl", f'{{"question": "س"}}\n{line}\n'))


def test_a_file_that_is_compressed_twice(write: Write) -> None:
    import gzip

    with pytest.raises(DatasetFormatError, match=r"gzip-compressed twice.*unpack it once"):
        load_evaluation_dataset(write("q.csv.gz", gzip.compress(b"question\n").decode("latin-1"), encoding="latin-1"))


@pytest.mark.parametrize("option", ["sheet", "encoding"])
def test_options_of_files_mean_nothing_for_what_is_in_memory(option: str) -> None:
    dataset = load_evaluation_dataset([{"question": "س"}], **{option: "x"})  # type: ignore[arg-type]
    assert dataset.warnings == [f"the list: {option}='x' has no meaning here and is ignored"]


def test_a_mapping_that_is_none() -> None:
    with pytest.raises(ConfigError, match=r"column_mapping is 'question'.*a dict, such as"):
        load_evaluation_dataset([{"question": "س"}], column_mapping="question")  # type: ignore[arg-type]


def test_a_mapping_that_goes_both_ways() -> None:
    with pytest.raises(DatasetColumnError, match=r"goes both ways: 'ctx' is a column.*write \{'context': 'ctx'\}"):
        load_evaluation_dataset([{"q": "س", "ctx": "ن"}], column_mapping={"question": "q", "ctx": "context"})


def nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


CYCLE: dict[str, Any] = {}
CYCLE["self"] = CYCLE


@pytest.mark.parametrize("row", [{"contexts": nested(5_000)}, {"note": nested(5_000)}, {"note": CYCLE}])
def test_what_nests_without_end_is_a_bad_row(row: dict[str, Any]) -> None:
    with pytest.raises(DatasetRowError, match=r"item 1.*(nest|a list within a list)"):
        load_evaluation_dataset([{"question": "س", **row}])
    assert len(load_evaluation_dataset([{"question": "س", **row}], fail_fast=False).problems) == 1


@dataclasses.dataclass
class Part:
    text: str
    id: int


@dataclasses.dataclass
class Pair:
    question: str
    contexts: list[Any]


class Slotted:
    __slots__ = ("_hidden", "answer", "question", "unset")

    def __init__(self) -> None:
        self.question, self.answer, self._hidden = "س", "ج", "x"


class OneSlot:
    __slots__ = "question"

    def __init__(self) -> None:
        self.question = "س"


class Computed:
    def __init__(self) -> None:
        self.answer = "ج"

    @property
    def question(self) -> str:
        return "س"


def loaded(item: Any) -> tuple[str, str | None, dict[str, Any]]:
    (sample,) = load_evaluation_dataset([item])
    return sample.question, sample.answer, dict(sample.metadata)


def test_objects_of_every_make() -> None:
    assert loaded(Slotted()) == ("س", "ج", {})
    assert loaded(OneSlot()) == ("س", None, {})
    assert loaded(Computed()) == ("س", "ج", {})


def test_passages_that_are_objects() -> None:
    from pydantic import BaseModel

    class Document(BaseModel):
        page_content: str
        metadata: dict[str, Any]

    class Chunk(BaseModel):
        text: str
        chunk_id: str

    (sample,) = load_evaluation_dataset([Pair("س", [Part("أ", 7), Chunk(text="ب", chunk_id="8")])])
    assert (sample.contexts, sample.chunk_ids) == (("أ", "ب"), ("7", "8"))
    (sample,) = load_evaluation_dataset([Pair("س", [Document(page_content="ج", metadata={"id": 9})])])
    assert (sample.contexts, sample.chunk_ids) == (("ج",), ("9",))


@pytest.mark.parametrize("row", [{"contexts": [object()]}, {"answer": object()}, {"answers": [Part("أ", 1)]}])
def test_an_object_is_no_text(row: dict[str, Any]) -> None:
    with pytest.raises(DatasetRowError, match=r"an object of the type (object|Part)"):
        load_evaluation_dataset([{"question": "س", **row}])


def test_a_single_object_is_a_single_row() -> None:
    from pydantic import BaseModel

    class Model(BaseModel):
        question: str

    assert load_evaluation_dataset(Pair("س", ["ن"]))[0].contexts == ("ن",)
    assert load_evaluation_dataset(Model(question="س"))[0].question == "س"
    assert load_evaluation_dataset(Sample(sample_id="7", question="س"))[0].sample_id == "7"


def test_an_item_that_answers_to_everything_is_no_named_tuple() -> None:
    with pytest.raises(DatasetColumnError, match="no column holds the question"):
        load_evaluation_dataset([Mock()])


def questions(dataset: EvaluationDataset) -> list[str]:
    return [sample.question for sample in dataset]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"question": "س", "answer": "ج"}, {"Question ": "ص", "ANSWER": "د"}], "no row has more than one of them"),
        ([{"question": "س", "answer": "ج"}, {"query": "ص", "answer": "د"}], "'question', 'query' are all 'question'"),
        ([{"question": "س", "answer": "ج"}, {"question": "ص", "answers": ["د"]}], ""),
        ([{"id": 1, "question": "س", "answer": "ج"}, {"ID": 2, "question": "ص", "answer": "د"}], "'id', 'ID'"),
    ],
)
def test_keys_that_differ_from_row_to_row(rows: list[dict[str, Any]], told: str) -> None:
    dataset = load_evaluation_dataset(rows)
    assert questions(dataset) == ["س", "ص"]
    assert [sample.answers for sample in dataset] == [("ج",), ("د",)]
    assert [sample.sample_id for sample in dataset] == ["1", "2"]
    assert told in " ".join(dataset.notes)


def test_two_names_of_one_thing_in_one_row_stay_an_error() -> None:
    with pytest.raises(DatasetColumnError, match="several columns could be 'question'"):
        load_evaluation_dataset([{"question": "س"}, {"question": "ص", "query": "ع"}])


@pytest.mark.parametrize(
    ("docs", "ids"),
    [
        ([{"id": 1}, {"id": 2}], ("1", "2")),
        ('[{"id": 1}, {"id": 2}]', ("1", "2")),
        ("بلا", ()),
        ([{"id": 1}, {"other": 2}], ("1",)),
        ([], ()),
    ],
)
def test_dotted_names_reach_through_lists(docs: Any, ids: tuple[str, ...]) -> None:
    rows = [{"q": "س", "docs": docs}, {"q": "ص", "docs": [{"id": 3}]}]
    dataset = load_evaluation_dataset(rows, column_mapping={"question": "q", "chunk_id": "docs.id"})
    assert (dataset[0].chunk_ids, dataset[1].chunk_ids) == (ids, ("3",))


def test_columns_in_memory() -> None:
    dataset = load_evaluation_dataset(
        {
            "question": ["س", "ص"],
            "context": ("أ", "ب"),
            "metadata": [{"k": 1}, {"k": 2}],
            "retrieved_documents": [[{"text": "ن", "chunk_id": 1}], []],
        }
    )
    assert [(sample.question, sample.contexts, sample.metadata) for sample in dataset] == [
        ("س", ("أ",), {"k": 1}),
        ("ص", ("ب",), {"k": 2}),
    ]
    assert dataset[1].recorded == PipelineOutput(chunks=())


def test_a_column_that_is_no_list_is_not_left_out_in_silence() -> None:
    with pytest.raises(DatasetFormatError, match=r"'context' is 'ن', while the questions are a list.*an entry per"):
        load_evaluation_dataset({"question": ["س", "ص"], "context": "ن"})
    dataset = load_evaluation_dataset({"question": ["س", "ص"], "version": "1"})
    assert dataset.notes == ["not read, as they are no columns: 'version'"]


def test_marks_in_the_middle_of_joined_files(write: Write) -> None:
    text = '\ufeffquestion,answer\nس,ج\n\ufeff"ص, ع",د\n"غ\n\ufeffف",هـ\n'
    assert questions(load_evaluation_dataset(write("q.csv", text))) == ["س", "ص, ع", "غ\n\ufeffف"]


def test_chunks_of_which_nothing_is_known_are_no_misses() -> None:
    rows = [
        {"question": "س", "chunk_id": "1", "retrieved_chunk_ids": [None, None]},
        {"question": "ص", "chunk_id": "1", "retrieved_chunk_ids": []},
        {"question": "ع", "chunk_id": "1", "retrieved_chunk_ids": [None, "1"]},
    ]
    dataset = load_evaluation_dataset(rows)
    chunks = [sample.recorded.chunks if sample.recorded else () for sample in dataset]
    assert chunks[0] is None
    assert chunks[1] == ()
    assert [chunk.chunk_id for chunk in chunks[2] or ()] == [None, "1"]
    assert dataset.warnings == [
        "the list, item 1: all 2 retrieved chunks are without text and identifier, so what was retrieved is not known"
    ]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"context": "ن", "retrieved_chunk_ids": ["1"]}, "only passages and what was retrieved only identifiers"),
        ({"chunk_id": "1", "retrieved_contexts": ["ن"]}, "only identifiers and what was retrieved only passages"),
        ({"chunk_id": "1", "context": "ن", "retrieved_contexts": ["ن"]}, None),
        ({"chunk_id": "1", "retrieved_contexts": []}, None),
        ({"retrieved_contexts": ["ن"]}, None),
    ],
)
def test_golds_and_chunks_of_different_kinds_are_warned_of(row: dict[str, Any], told: str | None) -> None:
    warnings = load_evaluation_dataset([{"id": "س1", "question": "س", **row}]).warnings
    assert len(warnings) == (told is not None)
    if told:
        assert f"in 1 of 1 samples (first: 'س1') the gold has {told}, so nothing can match" in warnings[0]


@pytest.mark.parametrize(
    ("rows", "proposed"),
    [
        ([{"date": "2024-01-01", "method": "a"}, {"date": "2024-01-02", "method": "b"}], '["id", "method"]'),
        ([{"score": "0.5", "n": 1}, {"score": "0.6", "n": 2}], '["id", "n"]'),
        ([{"n": 1, "lang": "ar"}, {"n": 2, "lang": "en"}], '["id", "lang"]'),
        ([{"n": 1, "source_file": "أ"}, {"n": 2, "source_file": "ب"}], '["id", "source_file"]'),
        ([{"time": "09:30"}, {"time": "10:30"}], '["id", "time"]'),
        ([{"note": "ط" * 61, "n": 1}, {"note": "ظ" * 61, "n": 2}], '["id", "n"]'),
    ],
)
def test_natural_columns_are_proposed_first(rows: list[dict[str, Any]], proposed: str) -> None:
    with pytest.raises(DatasetError) as caught:
        load_evaluation_dataset([{"id": "q", "question": "س", **row} for row in rows])
    assert f"id_columns={proposed}" in str(caught.value)


@pytest.mark.parametrize(
    "rows", [[{"score": "0.5"}, {"score": "0.6"}], [{"metadata": {"k": 1}}, {"metadata": {"k": 2}}]]
)
def test_nothing_is_proposed_that_is_a_measurement_or_no_column(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(DatasetError, match=r"id_columns=\[…\]"):
        load_evaluation_dataset([{"id": "q", "question": "س", **row} for row in rows])


def test_samples_have_no_columns_to_propose() -> None:
    twice = [Sample(sample_id="a", question="س", metadata={"m": value}) for value in "xy"]
    with pytest.raises(DatasetError, match="give each a sample_id of its own"):
        load_evaluation_dataset(twice)
