"""Keep secrets out of whatever is written down or shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["is_secret_name", "mask_settings", "redact"]

MASK = "***"

_WORDS = ("key", "token", "secret", "password", "passwd", "credential", "authorization")
_NOT_SECRET = re.compile(r"max_|min_|_per_|chunk|tokens\b|tokenizer|token_level|key_?word|monkey|keyboard")

_PATTERNS = (
    re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|ghp|gho|pat|key)[-_][A-Za-z0-9_\-*.]{6,}"),
    re.compile(r"\bAIza[0-9A-Za-z_\-]{10,}"),
    re.compile(r"(?i)(?<=bearer )[A-Za-z0-9._~+/=\-]{6,}"),
    re.compile(r"(?i)(?<=basic )[A-Za-z0-9+/=]{8,}"),
    re.compile(
        r"""(?ix)\b(?:[a-z0-9]+[-_])*(?:api[-_]?key|access[-_]?key|auth[-_]?token|token|secret|password|passwd)
            ["']?\s*[=:]\s*["']?(?P<secret>[^\s"',;&})\]]{4,})"""
    ),
    re.compile(r"(?<=://)(?P<secret>[^/\s:@]+:[^/\s@]+)(?=@)"),
)


def is_secret_name(name: str) -> bool:
    """Whether a setting of this name may hold a secret.

    >>> [is_secret_name(name) for name in ("api_key", "OPENAI_API_KEY", "max_tokens", "chunk_key")]
    [True, True, False, False]
    """
    lowered = name.lower()
    return any(word in lowered for word in _WORDS) and not _NOT_SECRET.search(lowered)


def mask_settings(value: Any) -> Any:
    """``value`` with everything masked that stands under the name of a secret.

    >>> mask_settings({"llm": {"api_key": "sk-1", "model": "m"}})
    {'llm': {'api_key': '***', 'model': 'm'}}
    """
    if isinstance(value, Mapping):
        return {
            key: MASK if item not in (None, "") and is_secret_name(str(key)) else mask_settings(item)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [mask_settings(item) for item in value]
    return value


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """``text`` without ``secrets``, and without what looks like a key, a token or a password.

    >>> redact("401: Incorrect API key provided: sk-abcd1234efgh.")
    '401: Incorrect API key provided: ***'
    >>> redact("refused at http://me:pass@host/", ())
    'refused at http://***@host/'
    """
    for secret in secrets:
        if len(secret) >= 4:
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
