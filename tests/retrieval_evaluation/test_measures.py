"""From requested names to measures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from muffakir_eval.errors import MetricError
from muffakir_eval.retrieval_evaluation.measures import definition_of, plan_measures


def keys(metrics: Any, k_values: Any = (1, 10), further: Any = ()) -> list[str]:
    return [measure.key for measure in plan_measures(metrics, k_values, further)]


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [
        (["ndcg", "recall"], ["ndcg@1", "ndcg@10", "recall@1", "recall@10"]),
        (["nDCG@20", "MRR"], ["ndcg@20", "mrr@1", "mrr@10"]),
        (["Recall@10", "recall"], ["recall@10", "recall@1"]),
        (
            ["average_precision", "reciprocal-rank", "hits"],
            ["map@1", "map@10", "mrr@1", "mrr@10", "hit_rate@1", "hit_rate@10"],
        ),
        (["recall_at_k"], ["recall@1", "recall@10"]),
        (["recall_at_3"], ["recall@3"]),
        ("precision", ["precision@1", "precision@10"]),
    ],
)
def test_names(metrics: Any, expected: list[str]) -> None:
    assert keys(metrics) == expected


def test_cutoffs_keep_their_order_and_lose_repeats() -> None:
    assert keys(["mrr"], [10, np.int64(1), 10]) == ["mrr@10", "mrr@1"]


def test_what_may_be_measured_besides_is_added() -> None:
    assert keys(["mrr"], [5], ["hard_recall"]) == ["mrr@5", "hard_recall@5"]
    assert keys(["hard_recall@2", "mrr"], [5], ["hard_recall"]) == ["hard_recall@2", "mrr@5"]


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        (
            ["recal"],
            "unknown metric 'recal'.*one of ndcg, recall, precision, mrr, map, hit_rate.*did you mean 'recall'",
        ),
        (["bleu"], "unknown metric 'bleu'.*check the spelling"),
        (["faithfulness"], "unknown metric 'faithfulness'"),
        ([""], "unknown metric ''"),
        ([], "no metric is asked for"),
        ([3], "a metric is 3 of type int"),
        (["ndcg@0"], "metrics, 'ndcg@0': it is 0"),
        (["ndcg@-1"], "metrics, 'ndcg@-1': it is -1"),
        (["distractor_share"], "needs to know them.*distractors=…"),
        (["hard_recall@5"], "needs to know them.*hard_positives=…"),
    ],
)
def test_names_that_are_none(metrics: Any, message: str) -> None:
    with pytest.raises(MetricError, match=message) as caught:
        keys(metrics)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("k_values", [(), [], (0,), (-1,), (5, 0), (True,), (1.0,), ("5",), "5", 5, None, (None,)])
def test_cutoffs_that_are_none(k_values: Any) -> None:
    with pytest.raises(MetricError, match="k_values"):
        keys(["ndcg"], k_values)


def test_every_measure_has_a_definition() -> None:
    further = ("distractor_share", "hard_recall")
    for measure in plan_measures(["ndcg", "recall", "precision", "mrr", "map", "hit_rate"], (3,), further):
        assert definition_of(measure.key).startswith("k=3: ")
    assert definition_of("mine@3") == ""


def test_a_text_may_name_several_metrics() -> None:
    assert [measure.key for measure in plan_measures("ndcg, recall@20", (10,))] == ["ndcg@10", "recall@20"]
