"""What the tests of judges share: a server on this machine, and an environment without keys."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.judges.server import JudgeServer

_PREFIXES = ("OPENAI_", "ANTHROPIC_", "AZURE_OPENAI_")


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    """A running server that answers ``{}``; set ``answer``, ``rules``, ``latency_s`` or call ``script``."""
    with JudgeServer() as running:
        yield running


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of whoever runs the tests says nothing about providers."""
    for name in list(os.environ):
        if name.startswith(_PREFIXES) or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
