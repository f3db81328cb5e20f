"""What judging took, or would take, in words."""

from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval.writers.console import report_text
from muffakir_eval.writers.judge_lines import judge_text, plan_lines

USAGE = {
    "calls": 1200,
    "failed_calls": 0,
    "cached": 0,
    "input_tokens": 410_000,
    "output_tokens": 62_400,
    "cost_usd": 1.649,
    "cost_estimate_usd": 1.649,
}


@pytest.mark.parametrize(
    ("usage", "text"),
    [
        ({}, "1,200 calls, 410,000 tokens in and 62,400 out, 1.6490 USD"),
        ({"failed_calls": 3}, "1,200 calls (3 of them failed), 410,000 tokens in and 62,400 out, 1.6490 USD"),
        ({"cached": 12}, "1,200 calls, 12 replies from the cache, 410,000 tokens in and 62,400 out, 1.6490 USD"),
        ({"calls": 0, "cached": 1}, "0 calls, 1 reply from the cache"),
        ({"input_tokens": None, "cost_usd": None}, "1,200 calls, tokens not counted by the server, about 1.6490 USD"),
        (
            {"cost_usd": None, "cost_estimate_usd": None},
            "1,200 calls, 410,000 tokens in and 62,400 out, cost unknown (no price is set)",
        ),
    ],
)
def test_what_judging_took(usage: dict[str, Any], text: str) -> None:
    assert judge_text({"judge": {"model": "gpt-4o"}, "usage": {**USAGE, **usage}}) == f"Judge gpt-4o: {text}"


@pytest.mark.parametrize("summary", [{}, {"judge": None, "usage": None}, {"judge": {"model": "m"}}])
def test_nothing_is_said_where_nothing_was_judged(summary: dict[str, Any]) -> None:
    assert judge_text(summary) == ""


def test_a_judge_without_the_name_of_a_model_is_called_by_its_provider() -> None:
    found = judge_text({"judge": {"model": None, "provider": "pipeline"}, "usage": USAGE})
    assert found.startswith("Judge pipeline: ")


def plan(**changed: Any) -> dict[str, Any]:
    given = {"calls": 4, "input_tokens": 41_479, "output_tokens": 80, "cost_usd": 0.25, "cached": 0}
    assumed = {"reply_tokens": 200, "n_outputs": 0, "answer_words": None, "chunks": None, "chunk_words": None}
    return {
        "model": "m",
        **given,
        "by_metric": {"faithfulness": given},
        "budget_usd": None,
        "assumed": assumed,
        **changed,
    }


def test_what_judging_would_take() -> None:
    assert plan_lines(plan()) == {
        "judge": "m, 4 calls",
        "tokens": "about 41,500 in and 80 out",
        "cost": "about 0.2500 USD",
        "assumed": "replies of 200 tokens, and no call that fails",
    }


def test_several_metrics_are_told_apart_and_cached_replies_are_no_calls() -> None:
    one = {"calls": 1}
    found = plan_lines(plan(by_metric={"a": one, "b": one, "c": {"calls": 0}}, cached=1))
    assert found["judge"] == "m, 4 calls (a 1, b 1); 1 reply is in the cache already"


def test_where_everything_is_in_the_cache_nothing_is_reckoned() -> None:
    assert plan_lines(plan(calls=0, cached=9, by_metric={})) == {
        "judge": "m, 0 calls; 9 replies are in the cache already"
    }


@pytest.mark.parametrize(
    ("cost", "budget", "text"),
    [
        (None, None, "unknown: set prices (US dollars per million tokens) to have it reckoned"),
        (0.25, 1.0, "about 0.2500 USD of a budget of 1.0000 USD"),
        (2.0, 1.0, "about 2.0000 USD of a budget of 1.0000 USD; the run would stop early"),
    ],
)
def test_the_expected_cost(cost: float | None, budget: float | None, text: str) -> None:
    assert plan_lines(plan(cost_usd=cost, budget_usd=budget))["cost"] == text


@pytest.mark.parametrize(
    ("words", "chunks", "text"),
    [
        (60, None, "answers of 60 words for 1 question"),
        (None, 5, "5 chunks of 120 words for 1 question"),
        (60, 5, "answers of 60 words and 5 chunks of 120 words for 1 question"),
    ],
)
def test_what_was_assumed_about_a_pipeline(words: int | None, chunks: int | None, text: str) -> None:
    assumed = {"reply_tokens": 200, "n_outputs": 1, "answer_words": words, "chunks": chunks, "chunk_words": 120}
    found = plan_lines(plan(assumed=assumed))["assumed"]
    assert found == f"{text}, since the pipeline is not asked; replies of 200 tokens, and no call that fails"


def test_the_line_and_the_reasons_stand_in_the_report() -> None:
    block = {"mean": None, "n_scored": 0, "n_total": 3, "reasons": {"judge_unavailable": 2, "judge_bad_request": 1}}
    text = report_text({"metrics": {"faithfulness": block}, "judge": {"model": "m"}, "usage": USAGE})
    assert "\nfaithfulness: judge cannot be reached (2), judge's server refuses the request (1)" in text.replace(
        "\n  ", "\n"
    )
    assert "\n\nJudge m: 1,200 calls" in text


def test_messages_stand_under_the_errors_as_plain_text() -> None:
    summary = {
        "errors": {"pipeline_error": 3},
        "error_examples": [{"message": "ValueError: a\nb \x1b[31mred", "n": 2}, {"message": "Timeout", "n": 1}],
    }
    lines = report_text(summary).splitlines()
    start = lines.index("Questions with errors")
    assert lines[start + 1 :] == ["  pipeline error: 3", "  2 x ValueError: a b ?[31mred", "  1 x Timeout"]
