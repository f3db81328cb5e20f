"""Which metrics share an axis, and which intervals have no verdict."""

from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval.writers.page.compared_scores import is_score, without_verdict


def metric(name: str, **values: Any) -> dict[str, Any]:
    given = {"mean_a": 0.5, "mean_b": 0.25, "interval": (-0.4, -0.1), "p_value": 0.01, "verdict": "not_distinguishable"}
    return {"metric": name, **given, **values}


@pytest.mark.parametrize(
    ("one", "score"),
    [
        (metric("mrr"), True),
        (metric("mrr", mean_a=None, mean_b=None), True),
        (metric("pipeline_latency_ms"), False),
        (metric("llm_judge_rating", mean_a=1.0, mean_b=1.0), False),
        (metric("words", mean_b=120.0), False),
        (metric("words", mean_b=-0.5), False),
    ],
)
def test_only_scores_from_0_to_1_share_an_axis(one: dict[str, Any], score: bool) -> None:
    assert is_score(one) is score


def test_an_interval_without_a_verdict_has_one_of_two_causes() -> None:
    metrics = [
        metric("many"),
        metric("few", p_value=0.06, interval=(0.1, 0.2)),
        metric("crosses", interval=(-0.1, 0.2)),
        metric("none", interval=None),
        metric("told", verdict="worse"),
        metric("failed", verdict="no_verdict"),
    ]
    assert without_verdict(metrics, 0.95) == {"among_many": ["many"], "alone": ["few"]}
