"""RAG samples in all their forms, scored without a judge."""

from __future__ import annotations

import dataclasses
import json
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pydantic
import pytest

from muffakir_eval import (
    DatasetError,
    MetricError,
    MuffakirEvaluation,
    RagEvalReport,
    RagSample,
    context_precision,
    context_recall,
    evaluate_rag,
    exact_match,
    load_evaluation_dataset,
    token_f1,
)
from muffakir_eval.errors import DatasetFormatError, DatasetRowError
from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample

NAMES = ("exact_match", "token_f1", "context_recall", "context_precision", "non_empty_rate")
RIYADH: RagSample = {
    "user_input": "ما عاصمة السعودية؟",
    "response": "العاصمة هي الرِّياض",
    "reference": "الرياض",
    "retrieved_contexts": ["عاصمة المملكة هي الرياض.", "جدة مدينة ساحلية."],
}
VALUES = {
    "exact_match": 0.0,
    "token_f1": 0.5,
    "context_recall": 1.0,
    "context_precision": 0.5,
    "non_empty_rate": 1.0,
}


class Answered(pydantic.BaseModel):
    user_input: str | None = None
    response: str | None = None
    retrieved_contexts: list[str] | None = None
    reference: str | None = None


@dataclasses.dataclass
class Plain:
    response: str
    reference: str
    retrieved_contexts: tuple[str, ...]


Named = namedtuple("Named", "response reference retrieved_contexts")


def test_the_values_are_those_of_the_functions() -> None:
    report = evaluate_rag([RIYADH])
    assert report.per_sample == (VALUES,)
    assert report.metrics == VALUES
    response, reference, contexts = RIYADH["response"], RIYADH["reference"], RIYADH["retrieved_contexts"]
    assert VALUES["exact_match"] == exact_match(response, reference)
    assert VALUES["token_f1"] == token_f1(response, reference)
    assert VALUES["context_recall"] == context_recall(reference, contexts)
    assert VALUES["context_precision"] == context_precision(reference, contexts)


def forms() -> dict[str, Any]:
    import pandas as pd

    response, reference, contexts = RIYADH["response"], RIYADH["reference"], RIYADH["retrieved_contexts"]
    sample = Sample(
        sample_id="1",
        question=RIYADH["user_input"],
        answers=(reference,),
        recorded=PipelineOutput(answer=response, chunks=tuple(RetrievedChunk(text=text) for text in contexts)),
    )
    return {
        "dict": [RIYADH],
        "tuple": (RIYADH,),
        "further fields": [{**RIYADH, "topic": "عواصم", "answer": "لا يهم", "score": 0.5}],
        "generator": (each for each in [RIYADH]),
        "pydantic": [Answered(**RIYADH)],
        "dataclass": [Plain(response, reference, tuple(contexts))],
        "named tuple": [Named(response, reference, contexts)],
        "attributes": [SimpleNamespace(response=response, reference=reference, retrieved_contexts=contexts)],
        "held by an object": SimpleNamespace(samples=[RIYADH]),
        "frame": pd.DataFrame([RIYADH]),
        "frame with spelled lists": pd.DataFrame([{**RIYADH, "retrieved_contexts": json.dumps(contexts)}]),
        "sample": [sample],
        "documents": [{**RIYADH, "retrieved_contexts": [{"page_content": text, "metadata": {}} for text in contexts]}],
        "several references": [{**RIYADH, "reference": ["مكة", reference]}],
    }


@pytest.mark.parametrize("form", list(forms()))
def test_every_form_of_a_sample_gives_the_same(form: str) -> None:
    assert evaluate_rag(forms()[form]).per_sample == (VALUES,)


def test_the_report() -> None:
    report = evaluate_rag([RIYADH, {"response": "نعم"}, {"response": "", "reference": "لا", "retrieved_contexts": []}])
    assert isinstance(report, RagEvalReport)
    assert report.n_samples == 3
    assert report.metrics == {
        "exact_match": 0.0,
        "token_f1": 0.25,
        "context_recall": 0.5,
        "context_precision": 0.25,
        "non_empty_rate": 0.5,
    }
    assert report.coverage == dict.fromkeys(NAMES, 2)
    assert report.skipped["exact_match"] == {"no_gold_answer": 1}
    assert report.skipped["non_empty_rate"] == {"no_chunks": 1}
    assert str(report).splitlines()[:2] == ["3 samples", "exact_match        0.0000  2/3  (no_gold_answer 1)"]


def test_a_metric_that_applies_to_no_sample_is_no_zero() -> None:
    report = evaluate_rag([{"user_input": "؟"}, {"user_input": "؟", "response": "نعم"}])
    assert report.metrics == dict.fromkeys(NAMES)
    assert report.coverage == dict.fromkeys(NAMES, 0)
    assert "token_f1             none  0/2  (no_gold_answer 2)" in str(report)


MISSING = float("nan")


@pytest.mark.parametrize(
    ("fields", "reasons"),
    [
        ({}, {}),
        ({"reference": None}, dict.fromkeys(NAMES[:4], "no_gold_answer")),
        ({"reference": " "}, dict.fromkeys(NAMES[:4], "no_gold_answer")),
        ({"reference": []}, dict.fromkeys(NAMES[:4], "no_gold_answer")),
        ({"reference": MISSING}, dict.fromkeys(NAMES[:4], "no_gold_answer")),
        ({"response": None}, dict.fromkeys(NAMES[:2], "no_answer")),
        ({"response": MISSING}, dict.fromkeys(NAMES[:2], "no_answer")),
        ({"response": ""}, {}),
        ({"retrieved_contexts": None}, dict.fromkeys(NAMES[2:], "no_chunks")),
        ({"retrieved_contexts": MISSING}, dict.fromkeys(NAMES[2:], "no_chunks")),
        ({"retrieved_contexts": " "}, dict.fromkeys(NAMES[2:], "no_chunks")),
        ({"retrieved_contexts": []}, {}),
        ({"retrieved_contexts": [None, ""]}, {}),
    ],
)
def test_what_is_missing_leaves_out_what_needs_it(fields: dict[str, Any], reasons: dict[str, str]) -> None:
    report = evaluate_rag([{**RIYADH, **fields}])
    assert report.skipped == {name: {reason: 1} for name, reason in reasons.items()}
    assert {name for name, value in report.per_sample[0].items() if value is None} == set(reasons)


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        ({"response": ""}, {"exact_match": 0.0, "token_f1": 0.0}),
        ({"response": 2024, "reference": "٢٠٢٤"}, {"exact_match": 1.0}),
        ({"response": "7", "reference": 7.0}, {"exact_match": 1.0}),
        ({"retrieved_contexts": []}, {"context_recall": 0.0, "context_precision": 0.0, "non_empty_rate": 0.0}),
        ({"retrieved_contexts": ["", "\u200f"]}, {"context_precision": 0.0, "non_empty_rate": 0.0}),
        ({"retrieved_contexts": "الرياض"}, {"context_precision": 1.0, "non_empty_rate": 1.0}),
        ({"retrieved_contexts": '["الرياض", "جدة"]'}, {"context_precision": 0.5}),
        ({"retrieved_contexts": {"text": "الرياض"}}, {"context_precision": 1.0}),
        ({"reference": ["جدة مدينة", "العاصمة هي الرياض"]}, {"exact_match": 1.0, "context_recall": 1.0}),
    ],
)
def test_what_is_there_is_measured(fields: dict[str, Any], values: dict[str, float]) -> None:
    assert evaluate_rag([{**RIYADH, **fields}], metrics=list(values)).metrics == values


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"response": ["a"]}, r"samples, item 2, column 'response': the cell holds a list, \['a'\]"),
        ({"response": b"x"}, "item 2, column 'response': the cell holds bytes"),
        ({"reference": {"a": "x"}}, "item 2, column 'reference': the answer is an object"),
        ({"reference": [["x"]]}, "item 2, column 'reference': the cell holds a list"),
        (
            {"retrieved_contexts": [["a", "b"]]},
            "item 2, column 'retrieved_contexts': passage 1 is a list within a list",
        ),
        ({"retrieved_contexts": [b"x"]}, "item 2, column 'retrieved_contexts': the cell holds bytes"),
        (
            {"retrieved_contexts": [{"nothing": 1}]},
            "item 2, column 'retrieved_contexts': passage 1 is an object without",
        ),
    ],
)
def test_malformed_samples_are_named(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(DatasetRowError, match=message) as caught:
        evaluate_rag([RIYADH, {**RIYADH, **fields}])
    assert (caught.value.row, isinstance(caught.value, ValueError)) == (2, True)


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        (
            {"response": "x", "ground_truth": "x"},
            "item 1: there is no 'reference', and a field 'ground_truth'.*rename it",
        ),
        ({"answer": "x", "reference": "x"}, "there is no 'response', and a field 'answer'"),
        ({"response": "x", "contexts": ["x"]}, "there is no 'retrieved_contexts', and a field 'contexts'"),
        ({"response": "x", "referance": "x"}, "there is no 'reference', and a field 'referance'"),
        ({"Response": "x", "reference": "x"}, "there is no 'response', and a field 'Response'"),
        ({"topic": "x"}, "no field of it is known: 'topic'.*user_input"),
        ({}, "no field of it is known: it is empty"),
        ("نص", "the sample is 'نص' of type str"),
        (5, "the sample is 5 of type int"),
        (None, "the sample is None of type NoneType"),
        (Answered, "of type ModelMetaclass"),
    ],
)
def test_what_is_no_sample_is_refused(sample: Any, message: str) -> None:
    with pytest.raises(DatasetRowError, match=message):
        evaluate_rag([sample])


def test_a_further_field_beside_the_right_one_is_left_alone() -> None:
    assert evaluate_rag([{**RIYADH, "ground_truth": "x", "contexts": ["y"]}]).metrics == VALUES


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([], "samples is empty"),
        (iter(()), "samples is empty"),
        (RIYADH, r"of type dict.*put a single sample into a list"),
        ("answers.jsonl", "of type str.*load_evaluation_dataset"),
        (Path("answers.jsonl"), "load_evaluation_dataset"),
        (5, "samples is 5 of type int"),
        (None, "of type NoneType"),
    ],
)
def test_no_samples(samples: Any, message: str) -> None:
    with pytest.raises(DatasetFormatError, match=message) as caught:
        evaluate_rag(samples)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, DatasetError)


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        (["bleu"], r"unknown metric 'bleu'.*any of exact_match, token_f1, .*non_empty_rate"),
        (["exact_mach"], "did you mean 'exact_match'"),
        (["context_recall_lexical"], "did you mean 'context_recall'"),
        (["faithfulness"], "it needs a judge: run it with MuffakirEvaluation, or with Ragas by as_ragas_dataset"),
        ([5], "unknown metric 5"),
        ([], "no metric is named"),
    ],
)
def test_unknown_metrics(metrics: Any, message: str) -> None:
    with pytest.raises(MetricError, match=message) as caught:
        evaluate_rag([RIYADH], metrics=metrics)
    assert isinstance(caught.value, ValueError)


def test_the_metrics_that_were_asked_for_in_their_order() -> None:
    assert list(evaluate_rag([RIYADH], metrics=["Token_F1", " exact_match ", "token_f1"]).metrics) == [
        "token_f1",
        "exact_match",
    ]
    assert evaluate_rag([RIYADH], metrics="token_f1").metrics == {"token_f1": 0.5}


def test_a_report_of_a_run_and_a_dataset_with_outputs_are_samples() -> None:
    rows = [
        {
            "question": RIYADH["user_input"],
            "gold_answer": RIYADH["reference"],
            "predicted_answer": RIYADH["response"],
            "retrieved_contexts": RIYADH["retrieved_contexts"],
        }
    ]
    dataset = load_evaluation_dataset(rows)
    assert evaluate_rag(dataset).metrics == VALUES  # type: ignore[arg-type]
    report = MuffakirEvaluation({"metrics": ["exact_match"], "progress": False}).evaluate(dataset=dataset)
    assert evaluate_rag(report).metrics == VALUES  # type: ignore[arg-type]
    bare = Sample(sample_id="1", question="؟", answers=("نعم",))
    assert evaluate_rag([bare]).skipped["exact_match"] == {"no_answer": 1}  # type: ignore[list-item]
    assert bare.recorded is None


@pytest.mark.parametrize("reference", [["الرياض", "جدة"], '["الرياض", "جدة"]', "['الرياض', 'جدة']", {"text": ["جدة"]}])
def test_accepted_answers_in_a_cell_are_those_that_a_run_reads(reference: Any) -> None:
    rows = [{"question": "س", "gold_answer": reference, "predicted_answer": "جدة", "retrieved_contexts": ["جدة"]}]
    sample = {"response": "جدة", "reference": reference, "retrieved_contexts": ["جدة"]}
    dataset: Any = load_evaluation_dataset(rows)
    assert evaluate_rag([sample]).metrics == evaluate_rag(dataset).metrics
    assert evaluate_rag([sample]).metrics["exact_match"] == 1.0


@pytest.mark.parametrize("metrics", [None, [], 5, [None]])
def test_metrics_that_are_none(metrics: Any) -> None:
    with pytest.raises(MetricError, match="exact_match, token_f1"):
        evaluate_rag([{"response": "a", "reference": "a"}], metrics=metrics)


def test_other_names_of_columns_are_known_elsewhere() -> None:
    with pytest.raises(DatasetRowError, match=r"'السؤال'.*read them with load_evaluation_dataset"):
        evaluate_rag([{"السؤال": "س", "الإجابة": "ج"}])


def test_a_text_may_name_several_metrics() -> None:
    sample = {"user_input": "?", "response": "أ", "reference": "أ", "retrieved_contexts": ["أ"]}
    assert evaluate_rag([sample], metrics="token_f1, context_recall").metrics == {
        "token_f1": 1.0,
        "context_recall": 1.0,
    }
