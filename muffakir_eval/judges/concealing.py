"""Hide a key in what a server or a model says, also where only a part of it is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from muffakir_eval.redaction import MASK, redact

__all__ = ["conceal", "part_masker"]

_SHORTEST = 8
"""A key of fewer characters is a placeholder such as ``EMPTY`` or ``ollama``: parts of it are words."""
_PART = 4
"""So many characters of a key in a row are a part of it, unless they are plain letters …"""
_PLAIN_PART = 8
"""… of which it takes so many."""
_REPEATED = 6
"""So many characters of a key in a row are taken out of a reply, unless they are plain letters."""
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
    found = (part for part in _windows(word, size) if part in secret)
    return any(size == _PLAIN_PART or not _PLAIN.fullmatch(part) for part in found)


def part_masker(secrets: Iterable[str]) -> Callable[[str], str]:
    """A function that takes secrets, and parts of six characters and more, out of a model's reply.

    A reply is data: nothing but the secrets is touched, not even the rest of a word, and a placeholder
    such as ``none``, which is a verdict too, is no secret.

    >>> part_masker(["zx81abcdefgh3456", "none"])('{"reason": "none of zx81abcdef", "score": 3456}')
    '{"reason": "none of ***", "score": 3456}'
    """
    keys = [secret for secret in secrets if len(secret) >= _SHORTEST]
    parts = {part for key in keys for part in _windows(key, _REPEATED) if not _PLAIN.fullmatch(part)}
    plain = {part for key in keys for part in _windows(key, _PLAIN_PART)}

    def mask(text: str) -> str:
        found = [(at, at + _REPEATED) for at, part in enumerate(_windows(text, _REPEATED)) if part in parts]
        found += [(at, at + _PLAIN_PART) for at, part in enumerate(_windows(text, _PLAIN_PART)) if part in plain]
        pieces, end = list[str](), 0
        for start, stop in sorted(found):
            if start > end or not pieces:
                pieces += [text[end:start], MASK]
            end = max(end, stop)
        return "".join([*pieces, text[end:]])

    return mask


def _windows(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(len(text) - size + 1)]
