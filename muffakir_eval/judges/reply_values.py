"""The single values of a reply: numbers and verdict words, read whole or not at all.

A number is a JSON number, or a text that is nothing but a number in any script; ``true`` is none. A
verdict word may be Arabic or English, with whatever punctuation or invisible characters around it.
Nothing is rounded, clamped or picked out of a sentence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from muffakir_eval.text.normalize import normalize_text

__all__ = [
    "ItemNumber",
    "OptionalItemNumber",
    "Text",
    "UnitScore",
    "VerdictWord",
    "YesNo",
    "is_verdict_word",
    "rating_reader",
    "read_number",
    "read_rating",
    "read_score",
    "read_verdict",
    "read_yes_no",
    "shown",
]

_MAX_VALUE = 64
"""Characters; a text that is longer is no number and no verdict word."""

_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)(?: ?/ ?(\d+(?:\.\d+)?))?", re.ASCII)
_WRAPPING = " \t\"'*`_#()[]"

_CODES = {
    "yes": "yes نعم أجل بلى صحيح true supported مدعوم",
    "no": "no لا كلا خطأ خاطئ false unsupported",
    "none": "none لاشيء",
}
_PHRASES = {"yes": (), "no": ("غير صحيح", "غير مدعوم", "not supported"), "none": ("لا شيء", "not applicable", "n/a")}
_VERDICTS = {normalize_text(word): code for code, words in _CODES.items() for word in (*words.split(), *_PHRASES[code])}


def shown(value: object, limit: int = 60) -> str:
    """``value`` for a message, cut at ``limit`` characters.

    >>> shown("x" * 100, 8)
    "'xxxxxx…"
    """
    text = repr(value[: limit + 2] if isinstance(value, str) else value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _folded(value: str) -> str:
    return normalize_text(value).strip(_WRAPPING) if len(value) <= _MAX_VALUE else ""


def _number(value: object) -> tuple[int | float, float | None]:
    """The number that ``value`` is, and the scale that it names (``4/5``)."""
    if isinstance(value, str):
        match = _NUMBER.fullmatch(_folded(value))
        if match is None:
            raise ValueError(f"{shown(value)} is no number")
        number, scale = match.groups()
        return (float(number) if "." in number else int(number)), (None if scale is None else float(scale))
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{shown(value)} is no number")
    return value, None


def read_number(value: object, low: float, high: float) -> int | float:
    """The number that ``value`` is, within ``low`` and ``high``.

    Args:
        value: A number, or a text that is one, alone or as a share of the top of the scale (``4/5``).
        low: Lowest possible value.
        high: Highest possible value.

    Raises:
        ValueError: It is none, or lies outside.

    >>> read_number("٤/٥", 1, 5)
    4
    >>> read_number("8 out of 10", 0, 10)
    Traceback (most recent call last):
    ...
    ValueError: '8 out of 10' is no number
    """
    number, scale = _number(value)
    if scale is not None and scale != high:
        raise ValueError(f"{shown(value)} is on a scale up to {scale:g}, expected one up to {high:g}")
    if not low <= number <= high:
        raise ValueError(f"{shown(value)} is outside {low:g} to {high:g}")
    return number


def read_score(value: object) -> float:
    """A score from 0 to 1.

    >>> read_score("0.8"), read_score(1)
    (0.8, 1.0)
    """
    return float(read_number(value, 0, 1))


def read_rating(value: object, low: int, high: int) -> int:
    """A whole number from ``low`` to ``high``.

    >>> read_rating("التقييم", 1, 5)
    Traceback (most recent call last):
    ...
    ValueError: 'التقييم' is no number
    >>> read_rating(4.0, 1, 5)
    4
    """
    number = read_number(value, low, high)
    if number != int(number):
        raise ValueError(f"{shown(value)} is no whole number")
    return int(number)


def rating_reader(low: int, high: int) -> Callable[[object], int]:
    """:func:`read_rating` on one scale."""
    return lambda value: read_rating(value, low, high)


def _word(value: str) -> str:
    folded = normalize_text(value)
    if folded in _VERDICTS:
        return folded
    start, end = 0, len(folded)
    while start < end and not folded[start].isalnum():
        start += 1
    while end > start and not folded[end - 1].isalnum():
        end -= 1
    return folded[start:end]


def is_verdict_word(text: str) -> bool:
    """``text`` is one verdict word and nothing else.

    >>> is_verdict_word("**نعم**."), is_verdict_word("I know")
    (True, False)
    """
    return len(text) <= _MAX_VALUE and _word(text) in _VERDICTS


def read_verdict(value: object) -> str:
    r"""``yes``, ``no`` or ``none``, from a verdict word or a truth value.

    Raises:
        ValueError: It is neither.

    >>> read_verdict("\u200fنَعَم،"), read_verdict("No."), read_verdict("غير صحيح"), read_verdict(True)
    ('yes', 'no', 'no', 'yes')
    >>> read_verdict("not sure")
    Traceback (most recent call last):
    ...
    ValueError: 'not sure' is no verdict
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) and is_verdict_word(value):
        return _VERDICTS[_word(value)]
    raise ValueError(f"{shown(value)} is no verdict")


def read_yes_no(value: object) -> str:
    """``yes`` or ``no``; see :func:`read_verdict`."""
    verdict = read_verdict(value)
    if verdict == "none":
        raise ValueError(f"{shown(value)} is neither yes nor no")
    return verdict


def _read_text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is no text")
    # Half of a surrogate pair is valid in JSON and cannot be written anywhere.
    return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _read_item(value: object) -> int:
    number, scale = _number(value)
    if scale is not None or number != int(number) or number < 1:
        raise ValueError(f"{shown(value)} is no number of an item")
    return int(number)


def _read_optional_item(value: object) -> int | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    return None if not isinstance(value, bool) and value == 0 else _read_item(value)


def _schema(**schema: Any) -> WithJsonSchema:
    return WithJsonSchema(schema)


Text = Annotated[str, BeforeValidator(_read_text)]
"""Words of the judge; half surrogates are replaced."""
UnitScore = Annotated[float, BeforeValidator(read_score), _schema(type="number")]
"""From 0 to 1."""
YesNo = Annotated[str, BeforeValidator(read_yes_no), _schema(type="string", enum=["yes", "no"])]
"""``yes`` or ``no``."""
VerdictWord = Annotated[str, BeforeValidator(read_verdict), _schema(type="string", enum=["yes", "no", "none"])]
"""``yes``, ``no``, or ``none`` where there is nothing to decide."""
ItemNumber = Annotated[int, BeforeValidator(_read_item), _schema(type="integer")]
"""Number of a chunk or statement, from 1."""
OptionalItemNumber = Annotated[
    int | None, BeforeValidator(_read_optional_item), _schema(anyOf=[{"type": "integer"}, {"type": "null"}])
]
"""Likewise; ``null``, ``0`` and an empty text are none."""
