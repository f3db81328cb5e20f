"""What was measured and what was not, in plain words."""

from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval.writers.page.scope import scope
from muffakir_eval.writers.page.wording import wording

VALUE: dict[str, Any] = {"mean": 0.5}
NOTHING: dict[str, Any] = {"mean": None}


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "Only retrieval was measured; whether the answers are right was not judged."),
        ("ar", "قيس الاسترجاع وحده؛ ولم يُحكم على صحة الإجابات."),
    ],
)
def test_retrieval_alone(language: str, told: str) -> None:
    metrics = {"recall_at_k": VALUE, "ndcg@10": VALUE, "pipeline_latency_ms": VALUE, "answer_correctness": NOTHING}
    assert scope(metrics, wording(language)) == told


def test_what_the_answers_lack_is_named() -> None:
    told = scope({"mrr": VALUE, "faithfulness": VALUE, "token_f1": VALUE}, wording("en"))
    assert told.startswith("Measured: whether the evidence is retrieved, how many words the answers share")
    assert told.endswith("Not measured: whether the answers are right.")


def test_a_rating_counts_as_judging_the_answers() -> None:
    told = scope({"llm_judge_rating": VALUE, "faithfulness": VALUE, "recall_at_k": VALUE}, wording("en"))
    assert "Not measured" not in told


def test_answers_without_retrieval() -> None:
    told = scope({"answer_correctness": VALUE, "faithfulness": VALUE}, wording("ar"))
    assert told == "ما قيس: صحة الإجابات، استناد الإجابات إلى ما استُرجع. ما لم يُقَس: استرجاع الدليل."


def test_metrics_of_the_user_are_not_interpreted() -> None:
    told = scope({"mine": VALUE}, wording("en"))
    assert told.startswith("Measured: metrics of your own. Not measured: whether the evidence is retrieved")


def test_nothing() -> None:
    assert scope({}, wording("en")).startswith("No metric has a value")
    assert scope({"mrr": NOTHING}, wording("ar")).startswith("لا قيمة لأي مقياس")
