"""How long a server asks to wait before the next request."""

from __future__ import annotations

import datetime
import email.utils
import math
import re
from collections.abc import Mapping

__all__ = ["retry_after"]

_IN_WORDS = re.compile(
    r"(?:try again in|retry in|retry after|retrydelay\W{1,5})\s*(?:(?P<h>\d+)h)?\s*(?:(?P<m>\d+)m(?!s))?\s*"
    r"(?:(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>ms|s(?:ec(?:ond)?s?)?\b))?",
    re.IGNORECASE,
)


def retry_after(headers: Mapping[str, str], said: str = "") -> float | None:
    """Seconds to wait, from the headers or, failing these, from the words; ``None`` where neither says.

    Args:
        headers: ``retry-after-ms``, or ``retry-after`` in seconds or as an HTTP date.
        said: The error message: ``try again in 6m0s``, ``"retryDelay": "38s"``.

    >>> retry_after({"retry-after": "1.5"}), retry_after({}, "Please try again in 250ms."), retry_after({})
    (1.5, 0.25, None)
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    if value is not None:
        seconds = _number(value)
        return _until(value) if seconds is None else seconds
    return _in_words(said)


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return max(value, 0.0) if math.isfinite(value) else None


def _until(text: str) -> float | None:
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return max((moment - datetime.datetime.now(datetime.UTC)).total_seconds(), 0.0)


def _in_words(said: str) -> float | None:
    found = _IN_WORDS.search(said)
    if found is None or not any(found.groupdict().values()):
        return None
    number = float(found["number"] or 0)
    seconds = number / 1000 if found["unit"] and found["unit"].lower() == "ms" else number
    return int(found["h"] or 0) * 3_600 + int(found["m"] or 0) * 60 + seconds
