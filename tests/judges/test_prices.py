"""Prices, counts, the ceiling, and the estimate."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.errors import ConfigError
from muffakir_eval.judges.prices import Meter, Price, estimate_tokens, find_price, prompt_tokens
from muffakir_eval.judges.protocol import Prompt, Usage

GPT = Price(input=2.5, output=10.0)
FREE = Usage()


def usage(input_tokens: int | None, output_tokens: int | None, latency_ms: float = 0.0) -> Usage:
    return Usage(calls=1, input_tokens=input_tokens, output_tokens=output_tokens, latency_ms=latency_ms)


# --- prices ---


def test_a_price_by_model_or_for_any_model() -> None:
    assert find_price({"gpt-4o": {"input": 2.5, "output": 10}}, "gpt-4o") == GPT
    assert find_price({"input": 2.5, "output": 10}, "anything") == GPT
    assert find_price({"input": 0, "output": 0}, None) == Price(input=0.0, output=0.0)


@pytest.mark.parametrize("prices", [None, {}, {"gpt-4o": {"input": 1, "output": 1}}])
def test_an_unknown_price_is_none(prices: dict[str, Any] | None) -> None:
    assert find_price(prices, "llama-3") is None
    assert find_price(prices, None) is None


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ({"input": 1.0}, "'output' is missing"),
        ({"a": {"input": 1.0}}, r"prices\['a'\]: 'output' is missing"),
        ({"a": {"imput": 1.0, "output": 1.0}}, "unknown key 'imput', did you mean 'input'?"),
        ({"a": {"input": 1.0, "output": 1.0}, "b": 3.0}, r"prices\['b'\]: found 3.0"),
        ({"a": {"input": 1.0, "output": 1.0, "cheapness": 2}}, "unknown key 'cheapness'[.]"),
        ({"input": True, "output": 1.0}, "input is True, not a number"),
        ({"input": "2.5", "output": 1.0}, "input is '2.5', not a number"),
        ({"input": 1.0, "output": -1.0}, "output is -1.0, not a price"),
        ({"input": float("nan"), "output": 1.0}, "input is nan, not a price"),
        ({"gpt-4o": 2.5}, "unknown key 'gpt-4o'"),
        ([1.0, 2.0], "found list"),
    ],
)
def test_malformed_prices(prices: Any, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        find_price(prices, "another model")
    assert "US dollars per million tokens" in str(caught.value)


def test_unknown_tokens_have_no_cost() -> None:
    assert GPT.of(usage(None, 5)) is None
    assert GPT.of(usage(5, None)) is None
    assert GPT.of(usage(2000, 100)) == pytest.approx(0.006)


# --- the meter ---


def test_figures_by_metric_and_in_total() -> None:
    meter = Meter(GPT)
    meter.add_call("faithfulness", usage(1000, 100, 200.0), estimated=FREE)
    meter.add_call("faithfulness", Usage(calls=1, latency_ms=10.0), estimated=FREE, failed=True)
    meter.add_call("llm_judge_rating", usage(3000, 300, 300.0), estimated=FREE)
    meter.add_cached("llm_judge_rating")
    meter.add_cached("answer_relevancy")
    assert meter.total() == {
        "calls": 3,
        "failed_calls": 1,
        "cached": 2,
        "input_tokens": 4000,
        "output_tokens": 400,
        "uncounted_calls": 0,
        "cost_usd": pytest.approx(0.014),
        "cost_estimate_usd": pytest.approx(0.014),
        "latency_ms": {"mean": 170.0, "p50": 200.0, "p95": pytest.approx(290.0), "max": 300.0},
    }
    by_metric = meter.by_metric()
    assert list(by_metric) == ["answer_relevancy", "faithfulness", "llm_judge_rating"]
    assert by_metric["faithfulness"]["cost_usd"] == pytest.approx(0.0035)
    assert by_metric["faithfulness"]["failed_calls"] == 1
    assert by_metric["answer_relevancy"]["cached"] == 1
    assert by_metric["answer_relevancy"]["latency_ms"] == {"mean": None, "p50": None, "p95": None, "max": None}
    assert meter.spent_usd == pytest.approx(0.014)


def test_without_a_price_the_cost_is_unknown() -> None:
    meter = Meter()
    meter.add_call("faithfulness", usage(1000, 100), estimated=FREE)
    assert meter.total()["cost_usd"] is None
    assert meter.total()["cost_estimate_usd"] is None
    assert not meter.exhausted


def test_tokens_that_the_server_does_not_count_are_unknown_but_use_the_budget_up() -> None:
    meter = Meter(Price(input=1000.0, output=0.0), budget_usd=1.0)
    meter.add_call("faithfulness", usage(None, None), estimated=usage(999, 50))
    assert meter.total()["input_tokens"] is None
    assert meter.total()["cost_usd"] is None
    assert meter.total()["uncounted_calls"] == 1
    assert meter.total()["cost_estimate_usd"] == meter.spent_usd == pytest.approx(0.999)
    assert not meter.exhausted
    meter.add_call("faithfulness", usage(None, None), estimated=usage(1, 50))
    assert meter.exhausted


def test_the_ceiling_is_reached_when_it_is_met() -> None:
    meter = Meter(Price(input=1e6, output=0.0), budget_usd=2.0)
    meter.add_call("faithfulness", usage(1, 0), estimated=FREE)
    assert not meter.exhausted
    meter.add_call("faithfulness", usage(1, 0), estimated=FREE)
    assert meter.exhausted


def test_a_budget_without_a_price_is_an_error() -> None:
    with pytest.raises(ConfigError, match="budget_usd: a budget needs a price"):
        Meter(None, budget_usd=1.0)


# --- estimates ---


@pytest.mark.parametrize(
    ("text", "tokens", "tolerance"),
    [
        # Counted with o200k_base.
        ("Le tribunal a décidé que la requête était irrecevable parce que le délai était dépassé. " * 20, 421, 0.3),
        ("检索增强生成系统的评估需要可靠的指标和一致的判断标准。" * 20, 360, 0.1),
        ("إِنَّ الْعِلْمَ نُورٌ يَهْدِي بِهِ اللَّهُ مَنْ يَشَاءُ مِنْ عِبَادِهِ " * 20, 801, 0.3),
        ("", 0, 0.0),
    ],
)
def test_tokens_are_about_right(text: str, tokens: int, tolerance: float) -> None:
    assert estimate_tokens(text) == pytest.approx(tokens, rel=tolerance)


@given(st.text(st.characters(codec=None)), st.text(st.characters(codec=None)))
def test_longer_texts_have_no_fewer_tokens(one: str, other: str) -> None:
    assert estimate_tokens(one) <= estimate_tokens(one + other) <= estimate_tokens(one) + estimate_tokens(other)


def test_one_call_is_reckoned_by_its_texts() -> None:
    prompt = Prompt(system="four", user="four" * 999, metric="faithfulness")
    assert prompt_tokens(prompt, 100) == Usage(calls=1, input_tokens=1000, output_tokens=100)
    assert prompt_tokens(Prompt(system="", user="", metric="m"), 0) == Usage(calls=1)


def test_the_earlier_part_of_a_run_is_counted() -> None:
    meter = Meter(Price(input=1.0, output=2.0))
    meter.add_earlier("faithfulness", Usage(calls=2, input_tokens=1_000_000, output_tokens=500_000))
    assert (meter.spent_usd, meter.total()["calls"], meter.total()["latency_ms"]["mean"]) == (2.0, 2, None)
