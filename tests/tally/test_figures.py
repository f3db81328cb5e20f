"""Figures over results that come one at a time."""

from __future__ import annotations

import math

import pytest

from muffakir_eval.metrics import resolve_metrics
from muffakir_eval.records import PipelineOutput, Sample, SampleResult, Score
from muffakir_eval.tally import Tally, percentiles


def counted(values: list[float]) -> Tally:
    tally = Tally(resolve_metrics(["mrr"], k=5))
    for n, value in enumerate(values):
        sample = Sample(sample_id=str(n), question="؟", contexts=("نص",))
        output, score = PipelineOutput(answer="ج"), Score.measured("mrr", value)
        tally.add(SampleResult(key=str(n), sample=sample, output=output, scores={"mrr": score}))
    return tally


@pytest.mark.parametrize(
    ("values", "mean"),
    [([0.1] * 10, 0.1), ([1e308] * 3, 1e308), ([1e308, -1e308, 0.5], 0.5 / 3), ([0.25], 0.25)],
)
def test_a_mean_is_exact_and_never_overflows(values: list[float], mean: float) -> None:
    tally = counted(values)
    assert tally.means("retrieval")["mrr"] == pytest.approx(mean)
    assert tally.metric_block()["mrr"]["mean"] == tally.means("retrieval")["mrr"]
    assert percentiles(values)["mean"] == pytest.approx(mean)


def test_percentiles_by_hand() -> None:
    found = percentiles([4.0, 1.0, 3.0, 2.0])
    assert (found["mean"], found["p50"], found["max"], found["n"]) == (2.5, 2.5, 4.0, 4)
    assert found["p90"] == pytest.approx(3.7)


def test_the_order_of_the_results_does_not_matter() -> None:
    values = [math.pi * n % 1 for n in range(100)]
    assert counted(values).metric_block() == counted(values[::-1]).metric_block()
