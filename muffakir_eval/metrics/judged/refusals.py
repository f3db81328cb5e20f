"""A judge's opinion on whether an answer declines to answer, for runs that ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from muffakir_eval.judges.protocol import Judge, Prompt
from muffakir_eval.judges.reply_models import RefusalReply
from muffakir_eval.metrics.judged.asking import usage_details
from muffakir_eval.prompts import PromptSet
from muffakir_eval.records import Refusal
from muffakir_eval.refusals.outcomes import is_blank

__all__ = ["JudgedRefusal", "judge_refusal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRefusal:
    """What the judge found.

    Attributes:
        refusal: The refusal, of the kind ``judged``; ``None`` where the answer answers, or nothing was found out.
        reason: Why nothing was found out, as of a failed score; ``None`` where something was.
        details: Explanation, usage, and the raw reply where it could not be used.
    """

    refusal: Refusal | None
    reason: str | None = None
    details: Mapping[str, Any]


async def judge_refusal(question: str, answer: str, *, judge: Judge, prompts: PromptSet) -> JudgedRefusal:
    """Ask ``judge`` whether ``answer`` declines to answer ``question``; a blank answer is none, unasked.

    Raises:
        JudgeKeyError: The key was rejected.
    """
    if is_blank(answer):
        return JudgedRefusal(refusal=None, details={})
    filled = prompts["refusal"].fill({"question": question, "answer": answer})
    prompt = Prompt(system=filled.system, user=filled.user, metric="answer_refusal")
    verdict = await judge.ask(prompt, RefusalReply)
    usage = usage_details([verdict.usage])
    if verdict.reply is None:
        return JudgedRefusal(
            refusal=None,
            reason=verdict.reason,
            details={"message": verdict.message, "raw": verdict.raw, "usage": usage},
        )
    details = {"explanation": verdict.reply.reason, "usage": usage}
    if verdict.reply.verdict == "no":
        return JudgedRefusal(refusal=None, details=details)
    return JudgedRefusal(refusal=_refusal(answer, verdict.reply.quote.strip(), prompts.language), details=details)


def _refusal(answer: str, quote: str, language: str) -> Refusal:
    """With the words that the judge quotes, where the answer has them; else the whole answer is the phrase."""
    start = answer.find(quote) if quote else -1
    span = (start, start + len(quote)) if start >= 0 else (0, len(answer))
    return Refusal(
        reason="insufficient_information",
        kind="judged",
        phrase=answer[span[0] : span[1]],
        language=language,
        span=span,
    )
