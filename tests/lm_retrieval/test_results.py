from __future__ import annotations

import json
import math
from typing import Any

import pytest

from muffakir_eval.errors import ConfigError
from muffakir_eval.lm_retrieval.naming import block_name, own_name
from muffakir_eval.lm_retrieval.results import result_of, success_thresholds
from muffakir_eval.lm_retrieval.rules import load_rules
from tests.lm_retrieval.cases import failed, measured, missing, scores
from tests.lm_retrieval.test_checking import length
from tests.lm_retrieval.test_checking import measured as metrics_of

PRECISION, RECALL = "contextual_precision", "contextual_recall"


def thresholds(given: Any, *names: Any) -> dict[str, float]:
    return success_thresholds(given, metrics_of(*names))


def test_a_success_is_half_of_the_scale_and_settable() -> None:
    assert thresholds(0.5) == {PRECISION: 0.5, RECALL: 0.5}
    assert thresholds(0.5, RECALL, "llm_judge_rating", length) == {RECALL: 0.5, "llm_judge_rating": 3.0, "length": 0.5}
    assert thresholds(1) == {PRECISION: 1.0, RECALL: 1.0}
    assert thresholds({"deepeval_contextual_recall": 0.8}) == {PRECISION: 0.5, RECALL: 0.8}
    assert thresholds({"llm_judge_rating": 4, "length": 90}, "llm_judge_rating", length) == {
        "llm_judge_rating": 4.0,
        "length": 90.0,
    }


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (50, "the threshold is 50. Expected: a number from 0 to 1"),
        (-0.1, "the threshold is -0.1. Expected: a number from 0 to 1"),
        (math.nan, "the threshold is nan"),
        (True, "the threshold is True"),
        ("0.5", "the threshold is '0.5'"),
        (None, "the threshold is None"),
        ({RECALL: 2}, "the threshold of contextual_recall is 2. Expected: 0 to 1"),
        ({RECALL: "x"}, "the threshold is 'x'"),
        ({"faithfulness": 0.5}, "the metric 'faithfulness' is not measured. Expected: one of contextual_precision"),
    ],
)
def test_a_threshold_that_is_none(given: Any, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        thresholds(given)
    assert str(caught.value).startswith("LMBasedRetrievalEvaluator, success_threshold: ")
    assert words in str(caught.value)


def result(*given: Any, threshold: float = 0.5, details: bool = False) -> dict[str, Any]:
    metrics = metrics_of(PRECISION, RECALL)
    found: dict[str, Any] = result_of(
        scores(*given),
        load_rules(),
        metrics=metrics,
        thresholds=success_thresholds(threshold, metrics),
        language="en",
        details=details,
    )["lm_based_retrieval"]
    return found


def test_the_keys_are_those_of_the_reference_in_its_order() -> None:
    found = result(measured(1.0, PRECISION), measured(0.5))
    assert list(found) == [
        "global_explanation",
        "relevancy_rating",
        "score",
        "possible_issues",
        "deepeval_contextual_precision",
        "deepeval_contextual_recall",
    ]
    assert all(list(block) == ["score", "explanation", "success"] for block in list(found.values())[4:])
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_success_is_unknown_without_a_score() -> None:
    found = result(measured(0.5, PRECISION), failed())
    assert found["deepeval_contextual_precision"]["success"] is True
    assert found["deepeval_contextual_recall"]["success"] is None
    assert found["deepeval_contextual_recall"]["score"] is None
    assert (
        result(measured(0.5, PRECISION), measured(0.9), threshold=0.6)["deepeval_contextual_precision"]["success"]
        is False
    )


def test_details_are_given_on_request() -> None:
    found = result(missing(name=PRECISION), failed("timeout"), details=True)
    block = found["deepeval_contextual_recall"]
    assert (block["state"], block["reason"], block["verdicts"]) == ("failed", "timeout", [])
    assert found["deepeval_contextual_precision"]["reason"] == "no_chunks"


def test_names() -> None:
    assert [block_name(own_name(name)) for name in ("deepeval_contextual_recall", "Contextual-Precision", "mine")] == [
        "deepeval_contextual_recall",
        "deepeval_contextual_precision",
        "mine",
    ]
    assert own_name("deepeval_faithfulness") == "faithfulness"
    assert own_name("deepeval_mine") == "deepeval_mine"
