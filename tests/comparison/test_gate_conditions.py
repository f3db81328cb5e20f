"""Conditions as people write them, and what is none."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.comparison.gate_conditions import Condition, Operator, parse_condition
from muffakir_eval.errors import ConfigError

OPERATORS: tuple[Operator, ...] = (">=", "<=", ">", "<")


@pytest.mark.parametrize(
    ("text", "name", "operator", "limit"),
    [
        ("recall_at_k >= 0.8", "recall_at_k", ">=", 0.8),
        ("recall@5>=.8", "recall@5", ">=", 0.8),
        ("  latency_ms.p95 < 1.5e3 ", "latency_ms.p95", "<", 1500.0),
        ("answer_refusal_rate ≤ 0.1", "answer_refusal_rate", "<=", 0.1),
        ("mrr ≥ 0", "mrr", ">=", 0.0),
        ("my metric > -2.", "my metric", ">", -2.0),
    ],
)
def test_conditions(text: str, name: str, operator: str, limit: float) -> None:
    found = parse_condition(text)
    assert (found.name, found.operator, found.limit) == (name, operator, limit)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("recall_at_k", "there is no comparison in it"),
        ("", "there is no comparison in it"),
        ("0.7 <= recall <= 0.9", "there are several comparisons in it"),
        (">= 0.8", "no metric stands before"),
        ("0.8 <= recall", "no metric stands before"),
        ("recall == 0.8", "'==' is no comparison"),
        ("recall = 0.8", "'=' is no comparison"),
        ("recall => 0.8", "'=>' is no comparison"),
        ("recall != 0.8", "'!=' is no comparison"),
        ("recall >= ", "'' is no number"),
        ("recall >= high", "'high' is no number"),
        ("recall >= 0,8", "'0,8' is no number"),
        ("recall >= 80%", "write 0.8"),
        ("recall >= nan", "'nan' is no number"),
        ("recall >= inf", "'inf' is no number"),
        ("recall >= 1e999", "is not finite"),
        ("recall >= ٠٫٨", "is no number"),
        ("recall >= 1_0", "is no number"),
    ],
)
def test_what_is_no_condition(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match="condition") as caught:
        parse_condition(text)
    assert said in str(caught.value)


def test_something_else_than_a_text() -> None:
    with pytest.raises(ConfigError, match="of type float"):
        parse_condition(0.8)  # type: ignore[arg-type]


def test_what_the_addition_of_floats_leaves_over_is_no_difference() -> None:
    mean = math.fsum([0.79999] * 3) / 3
    assert mean < 0.79999
    held = [Condition(name="x", operator=operator, limit=0.79999).holds(mean) for operator in OPERATORS]
    assert held == [True, True, False, False]


@given(st.integers(-10_000, 10_000).map(lambda n: n / 1e7), st.integers(-10_000, 10_000).map(lambda n: n / 1e7))
@settings(max_examples=50)
def test_a_bound_is_compared_unrounded(value: float, limit: float) -> None:
    held = [Condition(name="x", operator=operator, limit=limit).holds(value) for operator in OPERATORS]
    assert held == [value >= limit, value <= limit, value > limit, value < limit]


@given(st.sampled_from(OPERATORS), st.integers(-1000, 1000))
@settings(max_examples=30)
def test_what_is_written_is_read_again(operator: Operator, number: int) -> None:
    condition = Condition(name="recall_at_k", operator=operator, limit=number / 100)
    assert parse_condition(str(condition)) == condition


def test_every_digit_of_a_limit_is_shown() -> None:
    assert str(parse_condition("mrr >= 0.79999999")) == "mrr >= 0.79999999"
    assert str(parse_condition("n_samples >= 200")) == "n_samples >= 200"
