"""One score from a panel of judges."""

from __future__ import annotations

import asyncio
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from muffakir_eval.errors import MetricError
from muffakir_eval.judges.panel import PanelJudge
from muffakir_eval.judges.protocol import Judge, Usage
from muffakir_eval.metrics.judged.asking import Question, score_trial, usage_details
from muffakir_eval.metrics.judged.cases import decided
from muffakir_eval.metrics.judged.refusals import JudgedRefusal, judge_refusal
from muffakir_eval.prompts import PromptSet
from muffakir_eval.records import Score, Trial

__all__ = ["joined_score", "majority", "refusal_by", "refuse_majority", "score_by"]

_TAKEN = ("calls", "input_tokens", "output_tokens", "latency_ms", "cached")


async def score_by(trial: Trial, question: Question, judge: Judge | PanelJudge) -> Score:
    """The score of ``trial`` by one judge, or by every member of a panel at once.

    Raises:
        JudgeKeyError: A key was rejected, that of one member too.
    """
    if not isinstance(judge, PanelJudge):
        return await score_trial(trial, question, judge)
    early = decided(trial, question.name, question.traits)
    if early is not None:
        return early
    asked = (score_trial(trial, question, member.judge) for member in judge.members)
    found = await asyncio.gather(*asked, return_exceptions=True)  # what one has said is kept if another raises
    scores: list[Score] = []
    for each in found:
        if isinstance(each, BaseException):
            raise each
        scores.append(each)
    return joined_score(question.name, scores, judge)


def refuse_majority(judge: Judge | PanelJudge, name: str, *, labels: bool) -> None:
    """Before anything is asked.

    Raises:
        MetricError: A panel is to vote on a metric that has no labels to vote for.
    """
    if isinstance(judge, PanelJudge) and judge.method == "majority" and not labels:
        raise MetricError(
            f"the panel decides by majority, and {name!r} has no labels to vote for",
            where="jury",
            expected="a metric of 0 and 1 or of whole ratings, judged once",
            remedy="set method to 'median'",
        )


def majority(values: Sequence[float]) -> float:
    """The most frequent value; of several the lowest.

    >>> majority([1.0, 0.0, 1.0]), majority([5.0, 4.0])
    (1.0, 4.0)
    """
    counted = Counter(values)
    most = max(counted.values())
    return min(value for value, count in counted.items() if count == most)


_JOINING: Mapping[str, Callable[[Sequence[float]], float]] = {
    "median": statistics.median,
    "mean": statistics.fmean,
    "majority": majority,
}


def joined_score(name: str, scores: Sequence[Score], panel: PanelJudge) -> Score:
    """One score from those of the members, in their order.

    Members that failed are left out. Where at least a quorum gave a value, these are joined, unless more
    members found nothing to judge; then the score is not applicable.
    """
    measured = [score for score in scores if score.state == "measured"]
    nothing = [score for score in scores if score.state == "not_applicable"]
    failed = [score for score in scores if score.state == "failed"]
    details = _details(scores, panel, len(measured))
    if len(measured) + len(nothing) < panel.quorum:
        reason = Counter(str(score.reason) for score in failed).most_common(1)[0][0]
        first = next(score for score in failed if score.reason == reason)
        told = f"{len(measured) + len(nothing)} of {len(scores)} members gave a verdict, and {panel.quorum} are needed"
        said = first.details.get("message")
        return Score.failed(name, reason, {**details, "message": told + (f"; {said}" if said else "")})
    if len(nothing) > len(measured):
        return Score.not_applicable(name, str(nothing[0].reason), details)
    values = [float(score.value or 0.0) for score in measured]
    value = float(_JOINING[panel.method](values))
    nearest = min(measured, key=lambda score: abs(float(score.value or 0.0) - value))
    if nearest.details.get("explanation") is not None:
        details["explanation"] = nearest.details["explanation"]
    return Score.measured(name, value, details)


def _details(scores: Sequence[Score], panel: PanelJudge, n_valid: int) -> dict[str, Any]:
    members = [
        {"judge": member.label, "value": score.value, "state": score.state, "reason": score.reason, **score.details}
        for member, score in zip(panel.members, scores, strict=True)
    ]
    values = [score.value for score in scores if score.value is not None]
    details: dict[str, Any] = {
        "jury": {
            "method": panel.method,
            "quorum": panel.quorum,
            "n_valid": n_valid,
            "range": max(values) - min(values) if values else None,
            "members": members,
        },
        "usage": usage_details(
            Usage(**{key: part["usage"][key] for key in _TAKEN}) for part in members if "usage" in part
        ),
    }
    for key in ("served_by", "notes"):
        told = sorted({each for part in members for each in part.get(key, ())})
        if told:
            details[key] = told
    suspect = next((part["judge_injection_suspected"] for part in members if "judge_injection_suspected" in part), None)
    return details if suspect is None else {**details, "judge_injection_suspected": suspect}


async def refusal_by(question: str, answer: str, *, judge: Judge | PanelJudge, prompts: PromptSet) -> JudgedRefusal:
    """Whether ``answer`` declines, by one judge, or by more than half of the members of a panel that have a say.

    Raises:
        JudgeKeyError: A key was rejected, that of one member too.
    """
    if not isinstance(judge, PanelJudge):
        return await judge_refusal(question, answer, judge=judge, prompts=prompts)
    asked = (judge_refusal(question, answer, judge=member.judge, prompts=prompts) for member in judge.members)
    found = await asyncio.gather(*asked, return_exceptions=True)
    opinions: list[JudgedRefusal] = []
    for each in found:
        if isinstance(each, BaseException):
            raise each
        opinions.append(each)
    members = [
        {"judge": member.label, "refused": each.refusal is not None, "reason": each.reason, **each.details}
        for member, each in zip(judge.members, opinions, strict=True)
    ]
    parts = [Usage(**{key: part["usage"][key] for key in _TAKEN}) for part in members if "usage" in part]
    details: dict[str, Any] = {"jury": {"members": members}, "usage": usage_details(parts)} if parts else {}
    votes = [each for each in opinions if each.reason is None]
    if len(votes) < judge.quorum:
        reason = Counter(str(each.reason) for each in opinions if each.reason is not None).most_common(1)[0][0]
        told = f"{len(votes)} of {len(opinions)} members gave a verdict, and {judge.quorum} are needed"
        return JudgedRefusal(refusal=None, reason=reason, details={**details, "message": told})
    refused = [each for each in votes if each.refusal is not None]
    side = refused if len(refused) * 2 > len(votes) else [each for each in votes if each.refusal is None]
    said = next((each.details["explanation"] for each in side if "explanation" in each.details), None)
    if said is not None:
        details["explanation"] = said
    return JudgedRefusal(refusal=side[0].refusal, details=details)
