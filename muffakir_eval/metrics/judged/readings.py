"""From a validated reply to a value: pure functions, one per form of reply.

A reply that contradicts the case (a number that was not asked for, a chunk that does not exist) raises
:class:`ReplyError`; nothing is padded, cut off or matched up by position.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from muffakir_eval.judges.replies import ReplyError
from muffakir_eval.judges.reply_models import (
    AmountReply,
    AttributionReply,
    ClaimsReply,
    GroundedReply,
    ItemsReply,
    NumberedItem,
    NumberedReply,
    ScoreReply,
    StatementsReply,
    WholeScoreReply,
)
from muffakir_eval.metrics.judged.cases import Case
from muffakir_eval.metrics.judged.explanations import explain

__all__ = [
    "Reading",
    "missing_numbers",
    "ranked_precision",
    "read_attributions",
    "read_claims",
    "read_grounded",
    "read_passages",
    "read_statements",
    "read_value",
]

Language = Literal["ar", "en"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What one reply is worth.

    Attributes:
        value: ``None`` where the judge found nothing to judge in the answer.
        details: Explanation and verdicts, for the record.
    """

    value: float | None
    details: dict[str, Any] = field(default_factory=dict)


def missing_numbers(reply: NumberedReply, wanted: Iterable[int]) -> tuple[int, ...]:
    """The numbers of ``wanted`` without a verdict.

    Raises:
        ReplyError: There is a verdict on a number that was not asked for.

    >>> from muffakir_eval.judges.replies import parse_reply
    >>> reply = parse_reply('{"verdicts": [{"number": 2, "reason": "", "verdict": "yes"}]}', ItemsReply)
    >>> missing_numbers(reply, [1, 2, 3])
    (1, 3)
    """
    given = {item.number for item in reply.verdicts}
    asked = tuple(wanted)
    if strange := sorted(given.difference(asked)):
        raise ReplyError("judge_invalid", f"there is a verdict on number {_list(strange)}, which was not asked for")
    return tuple(number for number in asked if number not in given)


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:10]))


def _in_order(items: Iterable[NumberedItem]) -> list[dict[str, Any]]:
    return [item.model_dump(mode="json") for item in sorted(items, key=lambda item: item.number)]


def _check_chunks(named: Iterable[int], case: Case) -> None:
    if strange := sorted({number for number in named if number > case.n_chunks}):
        raise ReplyError("judge_invalid", f"it names chunk {_list(strange)}, and there are {case.n_chunks}")


def read_grounded(reply: GroundedReply, case: Case, language: Language) -> Reading:  # noqa: ARG001 - one signature
    """1 where every claim is grounded, else 0."""
    details = {"explanation": reply.reason, "unsupported": list(reply.unsupported)}
    return Reading(float(reply.verdict == "yes"), details)


def read_value(reply: ScoreReply | WholeScoreReply | AmountReply, case: Case, language: Language) -> Reading:  # noqa: ARG001
    """The score itself."""
    return Reading(float(reply.score), {"explanation": reply.reason})


def ranked_precision(useful: Sequence[bool]) -> float:
    """Mean of precision@i over the ranks i that hold a useful chunk; 0 where none does.

    >>> ranked_precision([False, True, False])
    0.5
    >>> ranked_precision([False, True, True, False, False, False, False, False, True])
    0.5
    """
    # As fractions: 1/2, 2/3 and 3/9 have the mean 1/2, and not a little less.
    precisions = [Fraction(sum(useful[:rank]), rank) for rank, found in enumerate(useful, 1) if found]
    return float(sum(precisions) / len(precisions)) if precisions else 0.0


def read_passages(reply: ItemsReply, case: Case, language: Language) -> Reading:  # noqa: ARG001
    """Contextual precision: :func:`ranked_precision` of the verdicts in rank order."""
    verdicts = _in_order(reply.verdicts)
    value = ranked_precision([item["verdict"] == "yes" for item in verdicts])
    return Reading(value, {"explanation": explain("precision", verdicts, language), "verdicts": verdicts})


def read_attributions(reply: AttributionReply, case: Case, language: Language) -> Reading:
    """Contextual recall: attributable statements / all, of the accepted answer for which it is highest."""
    _check_chunks((item.chunk for item in reply.verdicts if item.verdict == "yes" and item.chunk), case)
    verdicts = _in_order(reply.verdicts)
    for item in verdicts:
        item["statement"] = case.texts[item["number"]]
        if item["verdict"] == "no":
            item["chunk"] = None
    found = {item["number"] for item in verdicts if item["verdict"] == "yes"}
    shares = [sum(number in found for number in group) / len(group) for group in case.groups]
    best = max(range(len(shares)), key=shares.__getitem__)
    counted = [item for item in verdicts if item["number"] in case.groups[best]]
    details: dict[str, Any] = {"explanation": explain("recall", counted, language), "verdicts": verdicts}
    if len(shares) > 1:
        details["gold_answer"] = best + 1
        details["counted"] = list(case.groups[best])
    return Reading(shares[best], details)


def read_claims(reply: ClaimsReply, case: Case, language: Language) -> Reading:
    """Supported statements / statements that claim something."""
    _check_chunks((number for item in reply.verdicts for number in item.chunks), case)
    return _share("claims", reply, case, language)


def read_statements(reply: StatementsReply, case: Case, language: Language) -> Reading:
    """Statements that address the question / statements that say something."""
    return _share("relevancy", reply, case, language)


def _share(what: Literal["claims", "relevancy"], reply: NumberedReply, case: Case, language: Language) -> Reading:
    verdicts = _in_order(reply.verdicts)
    for item in verdicts:
        item["statement"] = case.texts[item["number"]]
    counted = [item for item in verdicts if item["verdict"] != "none"]
    details: dict[str, Any] = {"verdicts": verdicts, "n_statements": len(counted)}
    details["explanation"] = explain(what, counted, language)
    if not counted:
        return Reading(None, details)
    return Reading(sum(item["verdict"] == "yes" for item in counted) / len(counted), details)
