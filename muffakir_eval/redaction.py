"""Keep secrets out of whatever is written down or shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["MASK", "is_secret_name", "mask_settings", "redact"]

MASK = "***"

_NAME = re.compile(
    r"key(?!word|_?phrase|_?point|board)|token(?!s?_per|i[sz]|_level)|secret|passw|passphrase|pwd|credential"
    r"|auth(?!or)|authori[sz]|bearer|cookie",
    re.IGNORECASE,
)
_NOT_A_SECRET = re.compile(r"max_|min_|chunk|monkey", re.IGNORECASE)

_PATTERNS = (
    re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|ghp|gho|pat|key)[-_][A-Za-z0-9_\-*.]{6,}"),
    re.compile(r"\bAIza[0-9A-Za-z_\-]{10,}"),
    re.compile(r"(?i)(?<=bearer )[A-Za-z0-9._~+/=\-]{6,}"),
    re.compile(r"(?i)(?<=basic )[A-Za-z0-9+/=]{8,}"),
    re.compile(
        r"""(?ix)\b[\w-]{0,40}(?:key|token|secret|password|passwd|pwd)
            ["']?\s*[=:]\s*["']?(?P<secret>[^\s"',;&})\]]{4,})"""
    ),
    re.compile(r"(?<=://)[^/\s:@]*:(?P<secret>[^/\s@]+)(?=@)"),
)


def is_secret_name(name: str) -> bool:
    """Whether a setting of this name may hold a secret.

    >>> [is_secret_name(name) for name in ("api_key", "OPENAI_API_KEY", "max_tokens", "chunk_key")]
    [True, True, False, False]
    """
    return bool(_NAME.search(name)) and not _NOT_A_SECRET.search(name)


def mask_settings(value: Any) -> Any:
    """``value`` with everything masked that stands under the name of a secret, and in texts what looks like one.

    >>> mask_settings({"llm": {"api_key": "sk-1", "base_url": "http://me:pass@host/"}})
    {'llm': {'api_key': '***', 'base_url': 'http://me:***@host/'}}
    """
    if isinstance(value, Mapping):
        return {
            key: MASK if item not in (None, "") and is_secret_name(str(key)) else mask_settings(item)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [mask_settings(item) for item in value]
    return redact(value) if isinstance(value, str) else value


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """``text`` without ``secrets``, and without what looks like a key, a token or a password.

    >>> redact("401: Incorrect API key provided: sk-abcd1234efgh.")
    '401: Incorrect API key provided: ***'
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
