r"""Identifiers as text, the same from both sides of a comparison.

A spreadsheet, a data frame, a vector store and JSON each have their own idea of what the identifier
``12`` is. :func:`clean_id` brings them to one text without ever changing what a person typed: ``007``
stays ``007``, and only a number that became a fraction on its way (``12.0``) loses the fraction again.
"""

from __future__ import annotations

import math
import re

__all__ = ["clean_id", "is_missing"]

_WHOLE = re.compile(r"(-?)(0|[1-9]\d*)\.0", re.ASCII)
_EDGE = "".join(char for char in map(chr, range(0x3001)) if char.isspace()) + (
    "\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
)
"""White space and the invisible marks that come along when an identifier is copied."""


def is_missing(value: object) -> bool:
    """``value`` stands for "nothing is there": ``None``, NaN, NaT, pandas' NA, or only white space.

    >>> [is_missing(value) for value in (None, float("nan"), " ", 0, False, "nan")]
    [True, True, True, False, False, False]
    """
    if isinstance(value, str):
        return not value or value.isspace()
    if value is None:
        return True
    if isinstance(value, (int, list, dict)):
        return False
    if isinstance(value, float):
        return value != value
    return type(value).__name__ in {"NAType", "NaTType"} or _is_signalling_nan(value)


def _is_signalling_nan(value: object) -> bool:
    """NaN of a numpy scalar or a ``Decimal``; neither is a ``float``."""
    if getattr(value, "ndim", None) == 0:
        item = getattr(value, "item", None)
        return callable(item) and is_missing(item())
    is_nan = getattr(value, "is_nan", None)
    return callable(is_nan) and bool(is_nan())


def clean_id(value: object) -> str | None:
    """The identifier that ``value`` stands for, ``None`` where it stands for none.

    * Text stays as typed, without white space and invisible marks at its ends.
    * ``12``, ``"12"``, ``12.0`` and ``"12.0"`` are the same identifier, in every numeric type;
      ``"007"``, ``"12.00"`` and ``"1.10"`` are what they say.
    * ``True`` and ``False`` are ``"true"`` and ``"false"``, as JSON spells them, and not ``1`` and ``0``.
    * Empty text, NaN, pandas' NA, infinities and bytes are no identifiers.

    >>> [clean_id(value) for value in (12, "12", 12.0, " 007 ", "7.0", 1.5, None, float("nan"), "")]
    ['12', '12', '12', '007', '7', '1.5', None, None, None]
    """
    if isinstance(value, str):
        return _clean_text(str(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return _clean_float(float(value))
    if isinstance(value, (bytes, bytearray, memoryview)) or is_missing(value):
        return None
    item = getattr(value, "item", None)  # numpy scalars
    if callable(item) and getattr(value, "ndim", None) == 0:
        return clean_id(item())
    return _clean_text(str(value))


def _clean_text(text: str) -> str | None:
    text = text.strip(_EDGE)
    if text.endswith(".0") and (number := _WHOLE.fullmatch(text)):
        sign, digits = number.groups()
        return digits if digits == "0" else sign + digits
    return text or None


def _clean_float(value: float) -> str | None:
    if not math.isfinite(value):
        return None
    return str(int(value)) if value.is_integer() else repr(value)
