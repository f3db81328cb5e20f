from __future__ import annotations

import asyncio
import functools
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from muffakir_eval.errors import MetricError
from muffakir_eval.metrics import custom_metric, evaluate_metric
from muffakir_eval.metrics.custom import score_of
from muffakir_eval.metrics.table import Metric
from muffakir_eval.records import PipelineOutput, Sample, Score, Trial

TRIAL = Trial(sample=Sample(sample_id="1", question="؟"), output=PipelineOutput(answer="نعم"))


def answer_length(trial: Trial) -> int:
    return len(trial.output.answer or "")


def run(metric: Metric) -> Score:
    return asyncio.run(evaluate_metric(metric, TRIAL))


def test_a_function_of_a_trial() -> None:
    metric = custom_metric(answer_length)
    assert (metric.name, metric.requested_as, metric.family) == ("answer_length", "answer_length", "custom")
    assert (metric.low, metric.high, metric.k, metric.needs) == (None, None, None, frozenset())
    assert metric.function is answer_length
    assert run(metric) == Score.measured("answer_length", 3.0)


def test_an_async_function() -> None:
    async def later(trial: Trial) -> float:
        await asyncio.sleep(0)
        return 0.5

    assert run(custom_metric(later)) == Score.measured("later", 0.5)


@pytest.mark.parametrize(
    ("returned", "value"),
    [
        (0.25, 0.25),
        (3, 3.0),
        (True, 1.0),
        (False, 0.0),
        (Fraction(1, 4), 0.25),
        (np.float32(0.5), 0.5),
        (np.int64(2), 2.0),
        (np.bool_(True), 1.0),
        (np.array(0.5), 0.5),
        (Decimal("0.5"), 0.5),
    ],
)
def test_numbers_are_measured(returned: object, value: float) -> None:
    found = score_of("m", returned)
    assert (found.state, found.value, type(found.value)) == ("measured", value, float)


def test_none_is_not_applicable() -> None:
    assert score_of("m", None) == Score.not_applicable("m", "no_value")


def test_a_score_stays_what_it_is_under_the_name_of_the_metric() -> None:
    given = Score.failed("other", "my_reason", {"n": 1})
    assert score_of("m", given) == Score.failed("m", "my_reason", {"n": 1})
    own = Score.measured("m", 1.0)
    assert score_of("m", own) is own
    assert score_of("m", Score.not_applicable("m", "no_gold")).reason == "no_gold"


@pytest.mark.parametrize("value", [np.float32(0.5), True, 1, Fraction(1, 2)])
def test_the_value_of_a_score_becomes_a_float(value: float) -> None:
    found = score_of("m", Score.measured("m", value))
    assert (type(found.value), found.value) == (float, float(value))


@pytest.mark.parametrize(
    "returned",
    [
        float("nan"),
        float("inf"),
        "0.5",
        [0.5],
        {"score": 1},
        10**400,
        1j,
        b"1",
        object(),
        Decimal("NaN"),
        Decimal("sNaN"),
    ],
)
def test_everything_else_has_failed(returned: object) -> None:
    found = score_of("m", returned)
    assert (found.state, found.value, found.reason) == ("failed", None, "metric_error")
    assert "expected a number" in found.details["message"]


def test_a_long_or_unprintable_value_does_not_fill_the_record() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    assert "unprintable: RuntimeError" in score_of("m", Broken()).details["message"]
    assert len(score_of("m", "x" * 10_000).details["message"]) < 300


def test_an_exception_is_a_failed_score() -> None:
    def broken(trial: Trial) -> float:
        raise KeyError("answer")

    async def broken_later(trial: Trial) -> float:
        raise RuntimeError("لا يعمل")

    assert run(custom_metric(broken)) == Score.failed(
        "broken", "metric_error", {"type": "KeyError", "message": "'answer'"}
    )
    assert run(custom_metric(broken_later)).details == {"type": "RuntimeError", "message": "لا يعمل"}


def test_cancelling_is_no_failure_of_the_metric() -> None:
    async def cancelled(trial: Trial) -> float:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        run(custom_metric(cancelled))


class Overlap:
    def __init__(self, name: str | None = None) -> None:
        if name:
            self.name = name

    def __call__(self, trial: Trial) -> float:
        return 1.0

    def measure(self, trial: Trial) -> float:
        return 0.5


def _weighted(trial: Trial, weight: float) -> float:
    return weight


def test_names_of_objects_and_partials() -> None:
    assert custom_metric(Overlap()).name == "Overlap"
    assert custom_metric(Overlap("overlap_2")).name == "overlap_2"
    assert custom_metric(Overlap().measure).name == "measure"
    half: Any = functools.partial(_weighted, weight=0.5)
    assert custom_metric(half).name == "_weighted"
    half.name = "half"
    assert custom_metric(half).name == "half"
    assert run(custom_metric(half)) == Score.measured("half", 0.5)


def test_a_lambda_needs_a_name() -> None:
    with pytest.raises(MetricError, match="lambda has no name"):
        custom_metric(lambda trial: 1.0)


def test_a_class_is_no_metric() -> None:
    with pytest.raises(MetricError, match="is a class"):
        custom_metric(Overlap)  # type: ignore[arg-type]


def test_a_function_of_other_arguments_is_refused_at_once() -> None:
    def two(question: str, answer: str) -> float:
        return 1.0

    with pytest.raises(MetricError, match=r"two\(question: 'str', answer: 'str'\)"):
        custom_metric(two)  # type: ignore[arg-type]


def test_a_callable_without_a_signature_is_taken_at_its_word() -> None:
    metric = custom_metric(getattr)  # type: ignore[arg-type]
    assert run(metric).details["type"] == "TypeError"
