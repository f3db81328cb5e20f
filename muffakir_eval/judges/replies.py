"""A judge's reply read as a whole and validated, or the reason why it cannot be.

========================  ===========================================================================
reason                    what the reply was
========================  ===========================================================================
``judge_empty``           nothing, or nothing but thinking
``judge_unparseable``     no JSON object, an incomplete one, or a sentence
``judge_invalid``         a JSON object, or a bare value, that is not what was asked for
========================  ===========================================================================

Tolerated: code fences, prose around an object, thinking blocks, raw line breaks inside strings,
numbers in quotes and in any script, further keys. If several objects stand in a reply, the last is the
verdict; if it does not validate, none of the others stands in. Where a reply model has a ``bare_field``,
a reply that is nothing but a label and a value (``التقييم: ٤/٥``) is read too.
"""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError

from muffakir_eval.judges.protocol import ReplyT
from muffakir_eval.judges.reply_scan import scan_reply
from muffakir_eval.judges.reply_values import is_verdict_word, shown
from muffakir_eval.text.normalize import normalize_text

__all__ = ["ReplyError", "parse_reply"]

_MAX_BARE = 200
_LABEL_WORDS = (
    "the final overall score rating grade verdict answer result judgement judgment decision",
    "التقييم تقييم الدرجة درجة النتيجة نتيجة الحكم حكم الجواب الإجابة التقدير القرار النهائي النهائية العام العامة",
)
_LABELS = frozenset(normalize_text(" ".join(_LABEL_WORDS)).split())
_FENCE = re.compile(r"```[a-z]{0,12}")
_MARKUP = re.compile(r"[*`#\"'_]")
_BARE = re.compile(r"(?:(?P<label>[^\W\d]+(?: [^\W\d]+){0,3}) ?[:=] ?)?(?P<value>[^:=]+?)[.!]?")
_AMOUNT = re.compile(r"[+-]?\d[\d.,]*%?(?: ?(?:/|out of|of|من) ?\d[\d.,]*%?)?|[+-]?(?:nan|inf|infinity)|null")
_MAX_PROBLEMS = 3


class ReplyError(Exception):
    """A reply that cannot be used.

    Args:
        reason: ``judge_empty``, ``judge_unparseable`` or ``judge_invalid``.
        message: What is wrong with it, in words that a model can act on.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def parse_reply(text: str, reply_model: type[ReplyT]) -> ReplyT:
    """The verdict that ``text`` gives.

    Args:
        text: The reply of the model, as it came.
        reply_model: What it must be.

    Raises:
        ReplyError: It gives none; see the table of this module.

    >>> from muffakir_eval.judges.reply_models import RatingReply
    >>> parse_reply('Sure! {"reason": "good", "score": "٤"}', RatingReply).score
    4
    >>> parse_reply("التقييم: ٤/٥", RatingReply).score
    4
    >>> parse_reply("8 out of 10", RatingReply)
    Traceback (most recent call last):
    ...
    muffakir_eval.judges.replies.ReplyError: score: '8 out of 10' is no number
    """
    scan = scan_reply(text)
    if scan.broken:
        raise ReplyError("judge_unparseable", scan.broken)
    if scan.last is None:
        return _bare(scan.rest, reply_model)
    if scan.last.fault:
        raise ReplyError("judge_invalid", scan.last.fault)
    return _validated(scan.last.value, reply_model)


def _validated(value: dict[str, Any], reply_model: type[ReplyT]) -> ReplyT:
    try:
        return reply_model.model_validate(value)
    except ValidationError as error:
        raise ReplyError("judge_invalid", _problems(error, value)) from None


def _problems(error: ValidationError, value: dict[str, Any]) -> str:
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    parts = []
    for problem in problems[:_MAX_PROBLEMS]:
        place = ".".join(map(str, problem["loc"])) or "the object"
        if problem["type"] == "missing":
            parts.append(f"the key {place!r} is missing")
        else:
            parts.append(f"{place}: {problem['msg'].removeprefix('Value error, ')}")
    if any(problem["type"] == "missing" and len(problem["loc"]) == 1 for problem in problems):
        parts.append(f"its keys are {shown(list(value), 200)}")
    if len(problems) > _MAX_PROBLEMS:
        parts.append(f"{len(problems)} problems in all")
    return "; ".join(parts)


def _bare(rest: str, reply_model: type[ReplyT]) -> ReplyT:
    """A reply without an object: a label and a value, or nothing that can be used."""
    rest = rest.strip()
    folded = normalize_text(rest[: _MAX_BARE + 1])
    if not folded and not normalize_text(rest):
        raise ReplyError("judge_empty", "the reply is empty")
    field: str | None = getattr(reply_model, "bare_field", None)
    value = _bare_value(folded) if field is not None and len(rest) <= _MAX_BARE else None
    if field is None or value is None:
        raise ReplyError("judge_unparseable", f"there is no JSON object in the reply {shown(rest)}")
    return _validated({field: value}, reply_model)


def _bare_value(folded: str) -> str | None:
    plain = " ".join(_MARKUP.sub("", _FENCE.sub(" ", folded)).split())
    match = _BARE.fullmatch(plain)
    if match is None or not _LABELS.issuperset((match["label"] or "").split()):
        return None
    value = match["value"].strip(" ()[]")
    return value if is_verdict_word(value) or _AMOUNT.fullmatch(value) else None
