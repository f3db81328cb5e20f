"""Hide a key in what a server says, also where the server itself shows only a part of it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from muffakir_eval.redaction import MASK, redact

__all__ = ["conceal"]

_SHORTEST = 8
"""A key of fewer characters is a placeholder such as ``EMPTY`` or ``ollama``: parts of it are words."""
_PART = 4
"""So many characters of a key in a row are a part of it, unless they are plain letters …"""
_PLAIN_PART = 8
"""… of which it takes so many."""
_WORD = re.compile(r"[^\s\"'`,;:()\[\]{}<>|\\]+")
_LEFT_OUT = re.compile(r"\*+|•+|…|·{2,}|\.{2,}|[xX]{3,}")
_PLAIN = re.compile(r"[a-z_-]*")


def conceal(text: str, secrets: Iterable[str]) -> str:
    """``text`` without the secrets, without parts of them, and without what looks like a key.

    A word goes as a whole once a part of a key stands in it.

    >>> conceal("Incorrect API key provided: zx81****3456.", ["zx81abcdefgh3456"])
    'Incorrect API key provided: ***'
    """
    secrets = [secret for secret in secrets if secret]
    for secret in secrets:
        if len(secret) >= _SHORTEST:
            text = _without_parts(text.replace(secret, MASK), secret)
    return redact(text, secrets)


def _without_parts(text: str, secret: str) -> str:
    return _WORD.sub(lambda word: MASK if _holds_part(word.group(), secret) else word.group(), text)


def _holds_part(word: str, secret: str) -> bool:
    ends = (secret[:6], secret[-_PART:])
    if word.startswith(ends[0]) or word.rstrip(".!?").endswith(ends[1]):
        return True
    pieces = _LEFT_OUT.split(word)
    if len(pieces) > 1 and any(len(piece) >= 2 and piece in secret for piece in pieces):
        return True
    return any(_shares(word, secret, size) for size in (_PART, _PLAIN_PART))


def _shares(word: str, secret: str, size: int) -> bool:
    for start in range(len(word) - size + 1):
        part = word[start : start + size]
        if part in secret and (size == _PLAIN_PART or not _PLAIN.fullmatch(part)):
            return True
    return False
