"""What judging took, or would take, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["judge_text", "plan_lines"]


def judge_text(summary: Mapping[str, Any]) -> str:
    """Model, calls, cached replies, tokens and cost of a run in one sentence; empty where nothing was judged.

    >>> judge_text({"judge": {"model": "m"}, "usage": {"calls": 2, "input_tokens": 1200, "output_tokens": 80,
    ...             "cached": 1, "cost_usd": 0.5}})
    'Judge m: 2 calls, 1 reply from the cache, 1,200 tokens in and 80 out, 0.5000 USD'
    """
    judge, usage = summary.get("judge"), summary.get("usage")
    if not judge or not usage:
        return ""
    failed = usage.get("failed_calls") or 0
    parts = [_count(usage.get("calls", 0), "call") + (f" ({failed} of them failed)" if failed else "")]
    if usage.get("cached"):
        parts.append(f"{_count(usage['cached'], 'reply', 'replies')} from the cache")
    if usage.get("calls"):
        parts += [_tokens(usage), _cost(usage)]
    return f"Judge {judge.get('model') or judge.get('provider')}: {', '.join(parts)}"


def plan_lines(plan: Mapping[str, Any]) -> dict[str, str]:
    """The lines of a dry run about the judge, by their label.

    Args:
        plan: The block ``dry_run.judge`` of the summary.
    """
    calls = _count(plan["calls"], "call")
    by_metric = [f"{name} {figures['calls']:,}" for name, figures in plan["by_metric"].items() if figures["calls"]]
    if len(by_metric) > 1:
        calls += f" ({', '.join(by_metric)})"
    if plan["cached"]:
        calls += f"; {_count(plan['cached'], 'reply is', 'replies are')} in the cache already"
    lines = {"judge": f"{plan['model']}, {calls}"}
    if plan["calls"]:
        lines["tokens"] = f"about {_rounded(plan['input_tokens'])} in and {_rounded(plan['output_tokens'])} out"
        lines["cost"] = _expected_cost(plan)
        lines["assumed"] = _assumed(plan["assumed"])
    return lines


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _rounded(number: int) -> str:
    """To three digits: an estimate knows no more."""
    return f"{round(number, 3 - len(str(number))):,}"


def _tokens(usage: Mapping[str, Any]) -> str:
    given, made = usage.get("input_tokens"), usage.get("output_tokens")
    if given is None or made is None:
        return "tokens not counted by the server"
    return f"{given:,} tokens in and {made:,} out"


def _cost(usage: Mapping[str, Any]) -> str:
    if usage.get("cost_usd") is not None:
        return f"{usage['cost_usd']:.4f} USD"
    if usage.get("cost_estimate_usd") is not None:
        return f"about {usage['cost_estimate_usd']:.4f} USD"
    return "cost unknown (no price is set)"


def _expected_cost(plan: Mapping[str, Any]) -> str:
    cost, budget = plan["cost_usd"], plan["budget_usd"]
    if cost is None:
        return "unknown: set prices (US dollars per million tokens) to have it reckoned"
    text = f"about {cost:.4f} USD"
    if budget is None:
        return text
    return f"{text} of a budget of {budget:.4f} USD" + ("; the run would stop early" if cost > budget else "")


def _assumed(assumed: Mapping[str, Any]) -> str:
    texts = []
    if assumed["answer_words"] is not None:
        texts.append(f"answers of {assumed['answer_words']} words")
    if assumed["chunks"] is not None:
        texts.append(f"{assumed['chunks']} chunks of {assumed['chunk_words']} words")
    replies = f"replies of {assumed['reply_tokens']} tokens, and no call that fails"
    if not texts:
        return replies
    questions = _count(assumed["n_outputs"], "question")
    return f"{' and '.join(texts)} for {questions}, since the pipeline is not asked; {replies}"
