"""Where a model is reached, and with which settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretStr

from muffakir_eval.redaction import mask_settings, secrets_in

__all__ = ["DEFAULT_TIMEOUT_S", "NO_KEY", "Endpoint", "without_credentials"]

NO_KEY = "not-needed"
"""What the SDKs, which insist on a key, are given for a server that needs none."""

DEFAULT_TIMEOUT_S = 120.0
"""Wall-clock seconds for one call: a judge that reasons takes more than a minute now and then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model of a provider, and how it is asked.

    Attributes:
        provider: Name for people and for the cache.
        model: As the provider names it.
        base_url: ``None`` takes the one of the SDK.
        key: ``None`` for a server that needs none.
        key_argument: Under which name the SDK's client takes it.
        temperature: ``None`` sends none.
        max_tokens: Longest reply in tokens; ``None`` leaves it to the provider.
        timeout_s: Wall-clock seconds for one request.
        parameters: Further parameters of a request, as they are.
        client: Further arguments of the SDK's client.
    """

    provider: str
    model: str
    base_url: str | None = None
    key: SecretStr | None = None
    key_argument: str = "api_key"
    temperature: float | None = None
    max_tokens: int | None = None
    timeout_s: float = DEFAULT_TIMEOUT_S
    parameters: Mapping[str, Any] = field(default_factory=dict)
    client: Mapping[str, Any] = field(default_factory=dict)

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that changes a reply, and no secret."""
        return {
            "provider": self.provider,
            "model": self.model,
            "base_url": None if self.base_url is None else without_credentials(self.base_url),
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "parameters": mask_settings({**self.client, **self.parameters}),
        }

    @property
    def credentials(self) -> dict[str, str]:
        """The key, as an argument of the SDK's client."""
        return {self.key_argument: NO_KEY if self.key is None else self.key.get_secret_value()}

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be shown."""
        key = () if self.key is None else (self.key.get_secret_value(),)
        return (*key, *secrets_in([self.base_url, self.parameters, self.client]))


def without_credentials(url: str) -> str:
    """``url`` without user, password and query.

    >>> without_credentials("https://me:pass@host:8000/v1/?key=1")
    'https://host:8000/v1'
    """
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))
