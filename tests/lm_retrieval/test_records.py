from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from muffakir_eval import PipelineOutput, RAGData, RetrievedChunk, Sample, load_evaluation_dataset
from muffakir_eval.errors import DatasetError
from muffakir_eval.lm_retrieval.records import as_samples

GIVEN: dict[str, Any] = {"query": "ما عاصمة فرنسا؟", "expected_response": "باريس", "retrieved_context": ["أ", "ب"]}


def test_a_text_is_a_list_of_one() -> None:
    assert RAGData(**{**GIVEN, "retrieved_context": "نص"}).retrieved_context == ["نص"]
    assert RAGData(**{**GIVEN, "retrieved_context": ("أ", "ب")}).retrieved_context == ["أ", "ب"]
    assert RAGData(**{**GIVEN, "retrieved_context": []}).retrieved_context == []
    assert RAGData(**GIVEN).generated_response is None


def test_it_is_a_value_of_its_own() -> None:
    nodes = ["أ"]
    data = RAGData(query="س", expected_response="", retrieved_context=nodes)
    nodes.append("ب")
    assert data == RAGData(query="س", expected_response="", retrieved_context="أ")
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.query = "ص"  # type: ignore[misc]
    with pytest.raises(TypeError):
        RAGData("س", "ج", "ن")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("query", None, "RAGData, field 'query': found None of type NoneType. Expected: a text."),
        ("query", " \n", "RAGData, field 'query': the query is empty"),
        ("query", "\u200b\u200f", "RAGData, field 'query': the query is empty"),
        ("query", b"q", "field 'query': found b'q' of type bytes"),
        (
            "expected_response",
            None,
            "field 'expected_response': found None of type NoneType. Expected: a text, empty where",
        ),
        ("expected_response", ["باريس"], "field 'expected_response': found ['باريس'] of type list"),
        (
            "retrieved_context",
            None,
            "field 'retrieved_context': found None of type NoneType. Expected: a text or a list",
        ),
        ("retrieved_context", {"text": "x"}, "field 'retrieved_context': found {'text': 'x'} of type dict"),
        (
            "retrieved_context",
            ["أ", None],
            "field 'retrieved_context[1]': found None of type NoneType. Expected: the text",
        ),
        ("retrieved_context", ["أ", ["ب"]], "field 'retrieved_context[1]': found ['ب'] of type list"),
        ("retrieved_context", b"x", "field 'retrieved_context': found b'x' of type bytes"),
        ("retrieved_context", {"أ"}, "field 'retrieved_context': found {'أ'} of type set"),
        ("generated_response", 3, "field 'generated_response': found 3 of type int. Expected: a text, or None"),
        ("query", list(range(99)), "…"),
    ],
)
def test_what_is_wrong_is_named_by_its_field(field: str, value: Any, words: str) -> None:
    with pytest.raises(DatasetError) as caught:
        RAGData(**{**GIVEN, field: value})
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "names",
    [
        ("query", "expected_response", "retrieved_context", "generated_response"),
        ("user_input", "reference", "retrieved_contexts", "response"),
        ("input", "expected_output", "retrieval_context", "actual_output"),
        ("question", "answer", "retrieved_contexts", "predicted_answer"),
        ("question", "ground_truth", "contexts", "answer"),
    ],
)
def test_the_fields_of_other_tools_are_understood(names: tuple[str, ...]) -> None:
    values = dict(zip(names, ("س", "ج", ["ن"], "م"), strict=True))
    expected = RAGData(query="س", expected_response="ج", retrieved_context=["ن"], generated_response="م")
    assert RAGData.from_mapping({**values, "id": 7, "metadata": {}}) == expected


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"query": ...},
            "field 'query': the field is missing. Expected: query, or one of question, user_input, input.",
        ),
        (
            {"expected_response": ..., "expected_respnse": "ج"},
            "the field is missing, and 'expected_respnse' is none. Expected: expected_response, or one of reference, ",
        ),
        ({"expected_response": ..., "expected_respnse": "ج"}, "What to do: did you mean 'expected_response'?"),
        ({"generated_respons": "م"}, "did you mean 'generated_response'?"),
        ({"question": "سؤال آخر"}, "'query' and 'question' both stand for query, and differ"),
    ],
)
def test_fields_that_are_missing_misspelt_or_there_twice(change: dict[str, Any], words: str) -> None:
    values = {name: value for name, value in {**GIVEN, **change}.items() if value is not ...}
    with pytest.raises(DatasetError) as caught:
        RAGData.from_mapping(values)
    assert words in str(caught.value)


def test_contexts_of_a_dataset_are_not_taken_for_what_was_retrieved() -> None:
    row = {"question": "س", "answer": "ج", "contexts": ["دليل"]}
    with pytest.raises(DatasetError, match="'contexts' may as well be the gold evidence"):
        RAGData.from_mapping(row)
    assert RAGData.from_mapping({**row, "retrieved_contexts": ["ن"]}).retrieved_context == ["ن"]


def test_tables_of_pandas_and_numpy() -> None:
    import numpy as np
    import pandas as pd

    frame: Any = pd.DataFrame(
        {
            "question": ["س", "ص"],
            "reference": ["ج", "ك"],
            "retrieved_contexts": [np.array(["أ", "ب"]), pd.Series(["ت"])],
            "retrieval_context": [np.array(["أ", "ب"]), None],
            "response": ["م", float("nan")],
            "query": [None, float("nan")],
        }
    )
    first, second = (RAGData.from_mapping(row) for row in frame.to_dict("records"))
    assert first == RAGData(query="س", expected_response="ج", retrieved_context=["أ", "ب"], generated_response="م")
    assert second == RAGData(query="ص", expected_response="ك", retrieved_context=["ت"])
    with pytest.raises(DatasetError, match=r'a batch is of type DataFrame.*pass frame.to_dict\("records"\)'):
        as_samples(frame)


@pytest.mark.parametrize("order", [("query", "question"), ("question", "query")])
def test_an_empty_cell_beside_a_full_one_says_nothing(order: tuple[str, str]) -> None:
    rest = {name: value for name, value in GIVEN.items() if name != "query"}
    for empty in (None, float("nan")):
        values = dict(zip(order, ("س", empty), strict=True))
        assert RAGData.from_mapping({**values, **rest}).query == "س"
        assert RAGData.from_mapping({**dict(reversed(values.items())), **rest}).query == "س"


def test_the_same_said_twice_is_said_once() -> None:
    assert RAGData.from_mapping({**GIVEN, "question": GIVEN["query"]}) == RAGData(**GIVEN)


def test_items_of_a_batch_become_questions() -> None:
    recorded = PipelineOutput(answer="م", chunks=(RetrievedChunk(text="ن", chunk_id="7"),))
    sample = Sample(sample_id="x", question="س", answers=("ج", "ك"), contexts=("ن",), recorded=recorded)
    first, second, third = as_samples([RAGData(**GIVEN), {**GIVEN, "response": "م"}, sample])
    assert [each.sample_id for each in (first, second, third)] == ["1", "2", "3"]
    assert first.recorded is not None
    assert second.recorded is not None
    assert (first.question, first.answers) == (GIVEN["query"], ("باريس",))
    assert [chunk.text for chunk in first.recorded.chunks or ()] == ["أ", "ب"]
    assert (first.recorded.answer, second.recorded.answer) == (None, "م")
    assert (third.answers, third.contexts, third.recorded) == (("ج", "ك"), ("ن",), recorded)


def test_a_dataset_with_recorded_outputs_is_a_batch() -> None:
    rows = [{"question": "س", "answer": "ج", "retrieved_contexts": ["أ", "ب"]}]
    (sample,) = as_samples(load_evaluation_dataset(rows))
    assert sample.recorded is not None
    assert [chunk.text for chunk in sample.recorded.chunks or ()] == ["أ", "ب"]


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([GIVEN, {**GIVEN, "query": 3}], "item 2, RAGData, field 'query': found 3 of type int"),
        ([GIVEN, 3], "item 2: it is of type int. Expected: a RAGData, a table with its fields, or a sample"),
        ([Sample(sample_id="x", question="س")], "item 1, sample 'x': the sample carries nothing that was retrieved"),
        (
            [Sample(sample_id="x", question="س", recorded=PipelineOutput(answer="م"))],
            "item 1, sample 'x': the sample carries nothing that was retrieved",
        ),
        (GIVEN, "a batch is of type dict. Expected: a list of RAGData"),
        (RAGData(**GIVEN), "a batch is of type RAGData"),
        ("text", "a batch is of type str"),
        (None, "a batch is of type NoneType"),
        (7, "a batch is of type int"),
    ],
)
def test_an_item_that_cannot_be_used_is_named(items: Any, words: str) -> None:
    with pytest.raises(DatasetError) as caught:
        as_samples(items)
    assert words in str(caught.value)
