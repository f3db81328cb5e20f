"""RAG samples and a real Ragas; skipped where it is not installed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import MissingExtraError, RagSample, as_ragas_dataset, evaluate_rag
from muffakir_eval.errors import DatasetFormatError, DatasetRowError
from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample

if importlib.util.find_spec("ragas") is None:
    pytest.skip("Ragas is not installed: the extra `ragas`", allow_module_level=True)

import ragas

WHOLE: RagSample = {
    "user_input": "ما عاصمة السعودية؟",
    "response": "الرِّياض \u200f",
    "retrieved_contexts": ["عاصمة المملكة هي الرياض.\n", "", "جدة"],
    "reference": "الرياض",
    "reference_contexts": ["عاصمة المملكة هي الرياض."],
}
FURTHER = {"multi_responses": ["نعم", "لا"], "rubrics": {"score1": "سيئ", "score2": "جيد"}}


def only(samples: Any) -> dict[str, Any]:
    """The one sample of a Ragas dataset."""
    dataset = as_ragas_dataset(samples)
    assert type(dataset) is ragas.EvaluationDataset
    assert len(dataset) == 1
    assert type(dataset[0]) is ragas.SingleTurnSample
    return dict(dataset[0].to_dict())


def test_every_field_arrives_as_it_is() -> None:
    assert only([{**WHOLE, **FURTHER}]) == {**WHOLE, **FURTHER}


@pytest.mark.parametrize("field", list(ragas.SingleTurnSample.model_fields))
def test_every_field_of_ragas_may_be_absent_or_empty(field: str) -> None:
    sample = {key: value for key, value in WHOLE.items() if key != field}
    assert only([sample]) == sample
    assert only([{**sample, field: None}]) == sample
    assert only([{**sample, field: float("nan")}]) == sample


def test_round_trip() -> None:
    samples: list[RagSample] = [WHOLE, {"user_input": "؟", "response": "", "retrieved_contexts": []}]
    dataset = as_ragas_dataset(samples)
    again = as_ragas_dataset(dataset)
    assert again.to_list() == dataset.to_list() == samples
    assert as_ragas_dataset(list(dataset)).to_list() == samples
    assert evaluate_rag(dataset) == evaluate_rag(samples)
    assert evaluate_rag(dataset.to_pandas()).metrics["token_f1"] == 1.0


def test_samples_of_this_package() -> None:
    chunks = tuple(RetrievedChunk(text=text, chunk_id="7") for text in WHOLE["retrieved_contexts"])
    sample = Sample(
        sample_id="1",
        question=WHOLE["user_input"],
        answers=(WHOLE["reference"],),
        contexts=tuple(WHOLE["reference_contexts"]),
        recorded=PipelineOutput(answer=WHOLE["response"], chunks=chunks),
    )
    assert only([sample]) == WHOLE


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"topic": "عواصم"}, r"samples, item 2: Ragas has no field 'topic' and would drop it.*user_input"),
        ({"response": 5}, r"item 2, column 'response': Ragas does not take 5: Input should be a valid string"),
        ({"retrieved_contexts": "نص"}, r"item 2, column 'retrieved_contexts': Ragas does not take 'نص'.*valid list"),
        ({"retrieved_contexts": ["نص", None]}, "item 2, column 'retrieved_contexts'"),
        ({"reference": ["a", "b"]}, "item 2, column 'reference': it has 2 accepted answers, and Ragas takes one"),
        ({"user_input": [{"content": "؟"}]}, "item 2, column 'user_input': it is a conversation of several turns"),
    ],
)
def test_what_ragas_would_lose_or_refuse(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(DatasetRowError, match=message):
        as_ragas_dataset([WHOLE, {**WHOLE, **fields}])


def test_no_samples() -> None:
    with pytest.raises(DatasetFormatError, match="samples is empty"):
        as_ragas_dataset([])


# Ragas says that its plain metrics are deprecated, and leaves a file of its telemetry open.
@pytest.mark.filterwarnings("ignore:Importing ExactMatch:DeprecationWarning", "ignore:.*uuid.json:ResourceWarning")
@pytest.mark.filterwarnings("ignore:.*uuid.json:pytest.PytestUnraisableExceptionWarning")
def test_ragas_scores_the_dataset(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its own metric without a judge agrees with ours."""
    monkeypatch.setenv("RAGAS_DO_NOT_TRACK", "true")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    from ragas.metrics import ExactMatch

    dataset = as_ragas_dataset(
        [{"response": "Paris", "reference": "Paris"}, {"response": "Paris", "reference": "Rome"}]
    )
    scores = [ExactMatch().single_turn_score(sample) for sample in dataset]
    assert scores == [row["exact_match"] for row in evaluate_rag(dataset).per_sample] == [1.0, 0.0]


def test_without_ragas_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ragas", None)
    with pytest.raises(MissingExtraError, match="Ragas is not installed"):
        as_ragas_dataset([WHOLE])
