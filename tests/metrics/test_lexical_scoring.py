"""The lexical metrics of a run: from a trial to a score in one of the three states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from muffakir_eval.metrics.lexical import LEXICAL_METRICS, lexical_metric
from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample, Score, Trial
from muffakir_eval.refusals import answerability, find_refusal

ANSWER = ("exact_match", "token_f1")
CONTEXTS = ("context_recall_lexical", "context_precision_lexical")
REFUSED = "لا تتوفر لدي معلومات كافية للإجابة عن هذا السؤال."


def trial(
    answer: str | None = "العاصمة الرياض",
    chunks: Sequence[str] | None = ("الرِّياض عاصمة السعودية", "جدة", "الرياض مدينة"),
    golds: Sequence[str] = ("الرياض",),
    **fields: Any,
) -> Trial:
    found = None if chunks is None else tuple(RetrievedChunk(text=text, chunk_id="7") for text in chunks)
    output = PipelineOutput(answer=answer, chunks=found, error=fields.pop("error", None))
    k = fields.pop("k", 5)
    sample = Sample(sample_id="1", question="ما العاصمة؟", answers=tuple(golds), **fields)
    return Trial(sample=sample, output=output, k=k, refusal=find_refusal(answer), answerable=answerability(sample))


def score(name: str, case: Trial, k: int = 5) -> Score:
    found = lexical_metric(name, k, name).compute(case)
    assert isinstance(found, Score)
    assert found.name == name
    return found


def states(case: Trial) -> dict[str, float | str | None]:
    found = {name: score(name, case) for name in LEXICAL_METRICS}
    return {name: each.reason if each.value is None else each.value for name, each in found.items()}


def answer_and_contexts(answer: Any, contexts: Any) -> dict[str, Any]:
    return {**dict.fromkeys(ANSWER, answer), **dict.fromkeys(CONTEXTS, contexts)}


def test_measured() -> None:
    assert states(trial()) == {
        "exact_match": 0.0,
        "token_f1": pytest.approx(2 / 3),
        "context_recall_lexical": 1.0,
        "context_precision_lexical": pytest.approx(2 / 3),
    }


def test_the_best_of_several_accepted_answers_counts() -> None:
    found = states(trial(golds=("مدينة جدة", "العاصمة الرياض", " ")))
    assert found["exact_match"] == found["token_f1"] == 1.0
    assert found["context_recall_lexical"] == 1.0, "both words of the first"
    assert found["context_precision_lexical"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (trial(golds=()), answer_and_contexts("no_gold_answer", "no_gold_answer")),
        (trial(golds=(" ",)), answer_and_contexts("no_gold_answer", "no_gold_answer")),
        (trial(golds=(), error="E"), answer_and_contexts("no_gold_answer", "no_gold_answer")),
        (trial(answer=None, chunks=None, error="E"), answer_and_contexts("pipeline_error", "pipeline_error")),
        (trial(answer=None, chunks=["الرياض"]), answer_and_contexts("no_answer", 1.0)),
        (trial(chunks=None, answer="الرياض"), answer_and_contexts(1.0, "no_chunks")),
        (trial(chunks=[], answer="الرياض"), answer_and_contexts(1.0, 0.0)),
        (trial(chunks=["", " "], answer="الرياض"), answer_and_contexts(1.0, "no_chunks")),
        (trial(answer="", chunks=["الرياض"]), answer_and_contexts(0.0, 1.0)),
        (trial(answer=" \u200f", chunks=["الرياض"]), answer_and_contexts(0.0, 1.0)),
        (trial(answer=REFUSED, golds=("معلومات",), chunks=["معلومات"]), answer_and_contexts(0.0, 1.0)),
        (trial(answerable=False), answer_and_contexts("unanswerable", "unanswerable")),
        (trial(answer=REFUSED, answerable=False), answer_and_contexts("correct_abstention", "unanswerable")),
        (
            trial(answer=REFUSED, golds=("غير مذكور في النص",)),
            answer_and_contexts("correct_abstention", "unanswerable"),
        ),
        (trial(answer="", answerable=False), answer_and_contexts("empty_answer", "unanswerable")),
        (trial(answer=None, chunks=None, answerable=False), answer_and_contexts("no_answer", "unanswerable")),
    ],
)
def test_states(case: Trial, expected: dict[str, Any]) -> None:
    assert states(case) == expected


def test_a_failed_pipeline_has_failed() -> None:
    failed = trial(answer=None, chunks=None, error="TimeoutError: too slow")
    assert {score(name, failed).state for name in LEXICAL_METRICS} == {"failed"}


def test_a_refusal_is_measured_as_zero_and_says_why() -> None:
    found = score("token_f1", trial(answer=REFUSED))
    assert (found.value, found.details["decided_by"]) == (0.0, "answer_refused")
    assert score("exact_match", trial(answer="")).details["decided_by"] == "empty_answer"


@pytest.mark.parametrize("name", ANSWER)
def test_an_answer_with_the_words_of_the_gold_answer_counts_even_if_it_sounds_like_a_refusal(name: str) -> None:
    case = trial(answer=REFUSED, golds=(REFUSED.rstrip("."),), answerable=True)
    assert case.refused
    assert score(name, case) == Score.measured(name, 1.0)


def test_only_the_first_k_chunks_are_looked_at() -> None:
    case = trial(chunks=["جدة", "الرياض", "الرياض"], k=1)
    assert [score("context_recall_lexical", case, k).value for k in (1, 2, 3)] == [0.0, 1.0, 1.0]
    assert [score("context_precision_lexical", case, k).value for k in (1, 2, 3)] == [
        0.0,
        0.5,
        pytest.approx(2 / 3),
    ]
    assert score("context_precision_lexical", case, 9).value == pytest.approx(2 / 3), "of three that were retrieved"


@pytest.mark.parametrize("name", LEXICAL_METRICS)
def test_what_a_metric_says_about_itself(name: str) -> None:
    metric = lexical_metric(name, 7, "key")
    assert (metric.name, metric.requested_as, metric.low, metric.high) == ("key", name, 0.0, 1.0)
    assert metric.binary == (name == "exact_match")
    if name in ANSWER:
        assert (metric.family, metric.k) == ("generation", None)
        assert set(metric.needs) == {"answer", "gold_answer"}
        assert "SQuAD" in metric.definition
    else:
        assert (metric.family, metric.k) == ("retrieval", 7)
        assert set(metric.needs) == {"chunks", "gold_answer"}
        assert "lexical" in metric.definition
        assert "k=7" in metric.definition
    assert "best accepted answer" in metric.definition or name == "exact_match"
    assert "normalised as in matching (profile arabic), English articles left out" in metric.definition
    assert "(profile urdu)" in lexical_metric(name, 7, "key", "urdu").definition
