"""Text of the user's for a page: every character shown, none of them in charge."""

from __future__ import annotations

import re

__all__ = ["brief", "shown", "utf16_offsets"]

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_LONGEST = 600
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def shown(value: object) -> str:
    r"""``value`` as text that HTML can hold: control characters as their pictures, broken ones as U+FFFD.

    >>> shown("a\x00b\ud800c\nd")
    'a␀b\ufffdc\nd'
    """
    return _UNSEEN.sub(_picture, str(value))


def brief(value: object) -> str:
    r"""The beginning of a text, for a table; the whole of it stands in the files.

    >>> brief("a\x00b"), len(brief("a" * 5000))
    ('a␀b', 602)
    """
    text = str(value)
    return shown(text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …")


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return "\n" if code == 0x0D else chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def utf16_offsets(text: str, spans: list[tuple[int, int]]) -> list[list[int]]:
    r"""Places in ``text`` as a script in a browser counts them, in units of UTF-16.

    >>> utf16_offsets("a\U0001f600b", [(0, 1), (2, 3)])
    [[0, 1], [3, 4]]
    """
    wide = [match.start() for match in _ASTRAL.finditer(text)]
    if not wide:
        return [list(span) for span in spans]
    return [[place + sum(other < place for other in wide) for place in span] for span in spans]
