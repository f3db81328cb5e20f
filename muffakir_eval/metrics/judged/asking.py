"""Asking a judge about one trial: repeats, verdicts that are missing, what it cost, what went wrong."""

from __future__ import annotations

import asyncio
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from pydantic import BaseModel

from muffakir_eval.judges.protocol import Judge, Prompt, Usage, Verdict
from muffakir_eval.judges.repair import shortened
from muffakir_eval.judges.replies import ReplyError
from muffakir_eval.judges.reply_models import NumberedReply
from muffakir_eval.metrics.judged.cases import Case, build_case, decided
from muffakir_eval.metrics.judged.injection import looks_like_injection
from muffakir_eval.metrics.judged.readings import Language, Reading, missing_numbers
from muffakir_eval.metrics.judged.traits import Traits
from muffakir_eval.prompts import PromptTemplate
from muffakir_eval.records import Score, Trial

__all__ = ["Question", "score_trial", "usage_details"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked about a trial, and how the reply is read.

    Attributes:
        name: Of the metric.
        traits: What is shown, and which trials it applies to.
        reply_model: What the judge must reply.
        read: From a reply to its value.
        template: The prompt.
        words: Our own words in the prompt, by placeholder.
        language: Of the explanations.
        repeats: How often each trial is judged.
    """

    name: str
    traits: Traits
    reply_model: type[BaseModel]
    read: Callable[[Any, Case, Language], Reading]
    template: PromptTemplate
    words: dict[str, str]
    language: Language
    repeats: int = 1

    def prompt(self, case: Case, numbers: Sequence[int] | None = None) -> Prompt:
        """The prompt for ``case``; of its items only ``numbers``, where these are asked for again."""
        material, words = dict(case.material), dict(self.words)
        if case.items is not None:
            asked = case.texts if numbers is None else {number: case.texts[number] for number in numbers}
            material[case.items] = asked
            words["numbers"] = ", ".join(map(str, asked))
        filled = self.template.fill(material, words)
        return Prompt(system=filled.system, user=filled.user, metric=self.name)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What one repeat brought: a reading, or why there is none."""

    verdicts: tuple[Verdict[BaseModel], ...]
    reading: Reading | None = None
    reason: str | None = None
    details: dict[str, Any] | None = None


async def score_trial(trial: Trial, question: Question, judge: Judge) -> Score:
    """The score of ``trial``; the judge is asked only where the case does not decide it.

    Raises:
        JudgeKeyError: The key was rejected.
    """
    early = decided(trial, question.name, question.traits)
    if early is not None:
        return early
    case = build_case(trial, question.traits)
    outcomes = await _repeated(case, question, judge)
    score = _joined(question, outcomes)
    details = {**score.details, **_circumstances([verdict for outcome in outcomes for verdict in outcome.verdicts])}
    suspect = looks_like_injection(trial.output.answer) if question.traits.about_answer else None
    if suspect is not None:
        details["judge_injection_suspected"] = suspect
    return replace(score, details=details)


async def _repeated(case: Case, question: Question, judge: Judge) -> Sequence[_Outcome]:
    """One repeat after the other, or all at once where replies come after hours."""
    if getattr(judge, "deferred", False):
        return await asyncio.gather(*(_once(case, question, judge, repeat) for repeat in range(question.repeats)))
    return [await _once(case, question, judge, repeat) for repeat in range(question.repeats)]


async def _once(case: Case, question: Question, judge: Judge, repeat: int) -> _Outcome:
    verdict = await judge.ask(question.prompt(case), question.reply_model, repeat=repeat)
    if verdict.reply is None:
        return _failed(verdict)
    reply = verdict.reply
    verdicts = [verdict]
    try:
        missing = missing_numbers(reply, case.texts) if isinstance(reply, NumberedReply) else ()
        if missing and isinstance(reply, NumberedReply):
            again = await judge.ask(question.prompt(case, missing), question.reply_model, repeat=repeat)
            if again.reply is None:
                return _failed(again, verdict)
            verdicts.append(again)
            reply = _completed(reply, again.reply, missing)
        return _Outcome(tuple(verdicts), question.read(reply, case, question.language))
    except ReplyError as error:
        raw = shortened("\n".join(each.reply.model_dump_json() for each in verdicts if each.reply is not None))
        return _Outcome(tuple(verdicts), reason=error.reason, details={"message": str(error), "raw": raw})


def _completed(reply: NumberedReply, again: BaseModel, missing: Sequence[int]) -> NumberedReply:
    """``reply`` with the verdicts that were asked for again."""
    further = cast("NumberedReply", again)  # it was asked for with the same model
    if still := missing_numbers(further, missing):
        numbers = ", ".join(map(str, still))
        raise ReplyError("judge_invalid", f"there is no verdict on number {numbers}, though it was asked for twice")
    return reply.model_copy(update={"verdicts": (*reply.verdicts, *further.verdicts)})


def _failed(verdict: Verdict[BaseModel], *earlier: Verdict[BaseModel]) -> _Outcome:
    kept = {"message": verdict.message, "raw": verdict.raw}
    return _Outcome(
        (*earlier, verdict), reason=verdict.reason, details={key: value for key, value in kept.items() if value}
    )


def _joined(question: Question, outcomes: Sequence[_Outcome]) -> Score:
    readings = [outcome.reading for outcome in outcomes if outcome.reading is not None]
    measured = [reading for reading in readings if reading.value is not None]
    if measured:
        values = [reading.value for reading in measured if reading.value is not None]
        score = Score.measured(question.name, statistics.fmean(values), measured[0].details)
    elif readings:
        score = Score.not_applicable(question.name, "empty_answer", readings[0].details)
    else:
        reason = outcomes[0].reason or "judge_empty"
        score = Score.failed(question.name, reason, outcomes[0].details)
    if question.repeats == 1:
        return score
    return replace(score, details={**score.details, "repeats": _spread(outcomes)})


def _spread(outcomes: Sequence[_Outcome]) -> dict[str, Any]:
    values = [None if outcome.reading is None else outcome.reading.value for outcome in outcomes]
    valid = [value for value in values if value is not None]
    return {
        "n": len(outcomes),
        "n_valid": len(valid),
        "values": values,
        "sd": statistics.stdev(valid) if len(valid) > 1 else None,
        "min": min(valid, default=None),
        "max": max(valid, default=None),
        "failed": dict(Counter(outcome.reason for outcome in outcomes if outcome.reason is not None)),
        "explanations": [outcome.reading.details.get("explanation") for outcome in outcomes if outcome.reading],
    }


def _circumstances(verdicts: Sequence[Verdict[BaseModel]]) -> dict[str, Any]:
    """What the verdicts took, which models gave them, and what these could not be told."""
    served_by = sorted({verdict.served_by for verdict in verdicts if verdict.served_by})
    notes = sorted({each for verdict in verdicts for each in verdict.notes})
    told = {"served_by": served_by, "notes": notes}
    usage = usage_details(verdict.usage for verdict in verdicts)
    return {"usage": usage, **{name: value for name, value in told.items() if value}}


def usage_details(usages: Any) -> dict[str, Any]:
    """The sum of ``usages`` as plain values."""
    return asdict(sum(usages, Usage()))
