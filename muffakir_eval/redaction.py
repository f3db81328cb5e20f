"""Keep secrets out of whatever is written down or shown."""

from __future__ import annotations

import datetime
import decimal
import math
import os
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

__all__ = ["MASK", "is_secret_name", "mask_settings", "redact", "secrets_in", "secrets_of_environment"]

MASK = "***"

_NAME = re.compile(
    r"key(?!word|_?phrase|_?point|board)|token(?!s?_per|i[sz]|_level)|secret|passw|passphrase|pwd|credential"
    r"|auth(?!or)|authori[sz]|bearer|cookie",
    re.IGNORECASE,
)
_NOT_A_SECRET = re.compile(r"max_|min_|chunk|monkey", re.IGNORECASE)

_IN_ADDRESS = re.compile(r"(?<=://)[^/\s:@]*:(?P<secret>[^/\s@]+)(?=@)")
_DEPTH = 8
_MANY = 1_000  # of so many texts none is a setting
_IN_ENVIRONMENT = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)$", re.IGNORECASE)
_LONG = 8
"""Characters from which a variable of the environment is taken for a secret and not for a switch."""
_SHORTEST = 4
"""Fewer characters than this are no secret, and would turn up in any text."""

_PATTERNS = (
    re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|ghp|gho|pat|key)[-_][A-Za-z0-9_\-*.]{6,}"),
    re.compile(r"\bAIza[0-9A-Za-z_\-]{10,}"),
    re.compile(r"(?i)(?<=bearer )[A-Za-z0-9._~+/=\-]{6,}"),
    re.compile(r"(?i)(?<=basic )[A-Za-z0-9+/=]{8,}"),
    re.compile(
        r"""(?ix)\b[\w-]{0,40}(?:key|token|secret|password|passwd|pwd)
            ["']?\s*[=:]\s*["']?(?P<secret>[^\s"',;&})\]]{4,})"""
    ),
    _IN_ADDRESS,
)


def is_secret_name(name: str) -> bool:
    """Whether a setting of this name may hold a secret.

    >>> [is_secret_name(name) for name in ("api_key", "OPENAI_API_KEY", "max_tokens", "chunk_key")]
    [True, True, False, False]
    """
    return bool(_NAME.search(name)) and not _NOT_A_SECRET.search(name)


def mask_settings(value: Any) -> Any:
    """``value`` as plain values for a file, without secrets.

    Masked is everything that stands under the name of a secret, and in texts what looks like one. What
    has no plain form is named by its type; NaN and infinities are named too.

    >>> mask_settings({"llm": {"api_key": "sk-1", "base_url": "http://me:pass@host/"}})
    {'llm': {'api_key': '***', 'base_url': 'http://me:***@host/'}}
    """
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, Mapping):
        return {str(key): _masked_item(str(key), item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [mask_settings(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((mask_settings(item) for item in value), key=repr)
    if isinstance(value, (str, PurePath, datetime.date, datetime.time, decimal.Decimal, uuid.UUID)):
        return redact(str(value))
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _masked_item(name: str, item: Any) -> Any:
    return MASK if item not in (None, "") and is_secret_name(name) else mask_settings(item)


def secrets_in(value: Any) -> Iterator[str]:
    """The texts in ``value`` that stand under the name of a secret, and passwords in addresses.

    >>> sorted(secrets_in({"api_key": "zebra", "llm": [{"base_url": "http://me:pass@host/", "model": "m"}]}))
    ['pass', 'zebra']
    """
    return _secrets_in(value, secret=False, depth=0)


def secrets_of_environment() -> Iterator[str]:
    """The keys, tokens and passwords among the variables of the environment."""
    yield from (value for name, value in os.environ.items() if _IN_ENVIRONMENT.search(name) and len(value) >= _LONG)


def _secrets_in(value: Any, *, secret: bool, depth: int) -> Iterator[str]:
    revealed = getattr(value, "get_secret_value", None)  # pydantic's
    if callable(revealed):
        value, secret = revealed(), True
    if isinstance(value, (str, bytes)):
        yield from _secrets_of(value if isinstance(value, str) else value.decode("utf-8", "replace"), secret=secret)
    elif depth < _DEPTH:
        for name, item in _items(value):
            yield from _secrets_in(item, secret=secret or is_secret_name(name), depth=depth + 1)


def _items(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from ((str(name), item) for name, item in value.items())
    elif isinstance(value, (list, tuple, set, frozenset)) and len(value) <= _MANY:
        yield from (("", item) for item in value)


def _secrets_of(text: str, *, secret: bool) -> Iterator[str]:
    if secret:
        yield text
        scheme, _, rest = text.partition(" ")
        if rest and scheme.isalpha():  # Bearer, Basic
            yield rest
    yield from (match["secret"] for match in _IN_ADDRESS.finditer(text))


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """``text`` without ``secrets``, and without what looks like a key, a token or a password.

    >>> redact("401: Incorrect API key provided: sk-abcd1234efgh.")
    '401: Incorrect API key provided: ***'
    """
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, MASK)
    for pattern in _PATTERNS:
        text = pattern.sub(_masked, text)
    return text


def _masked(match: re.Match[str]) -> str:
    if "secret" not in match.re.groupindex:
        return MASK
    start, end = match.start("secret") - match.start(), match.end("secret") - match.start()
    whole = match.group()
    return whole[:start] + MASK + whole[end:]
