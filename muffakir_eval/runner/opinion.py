"""A judge's word on answers of which the phrases alone do not tell whether they refuse."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from muffakir_eval.metrics.judged import JudgedRefusal
from muffakir_eval.records import Refusal, Trial
from muffakir_eval.refusals import Lexicon, is_unsure

__all__ = ["AskOpinion", "second_opinion"]

AskOpinion = Callable[[str, str], Awaitable[JudgedRefusal]]
"""Question and answer in, the judge's opinion out."""


async def second_opinion(trial: Trial, ask: AskOpinion, lexicon: Lexicon | None) -> tuple[Trial, Mapping[str, Any]]:
    """``trial`` with the refusal that the judge sees, where the phrases are unsure.

    The finer kind that the phrases found stays where the judge agrees. A judge that gives no opinion
    leaves everything as it was.

    Returns:
        The trial, and what there is to record: empty where the judge was not asked, else ``verdict``
        (``refused``, ``answered`` or ``None``), what the phrases had said, the explanation, the usage, and
        for a failure its ``reason`` and ``message``.

    Raises:
        JudgeKeyError: The key was rejected.
    """
    answer = trial.output.answer
    if answer is None or trial.output.error is not None or not is_unsure(answer, lexicon):
        return trial, {}
    opinion = await ask(trial.sample.question, answer)
    details = {key: value for key, value in opinion.details.items() if value is not None}
    record = {"phrases": "refused" if trial.refused else "answered", **details}
    if opinion.reason is not None:
        return trial, {"verdict": None, "reason": opinion.reason, **record}
    verdict = "answered" if opinion.refusal is None else "refused"
    return replace(trial, refusal=_agreed(trial.refusal, opinion.refusal)), {"verdict": verdict, **record}


def _agreed(found: Refusal | None, judged: Refusal | None) -> Refusal | None:
    if judged is None:
        return found if found is not None and found.partial else None
    return judged if found is None else replace(found, partial=False)
