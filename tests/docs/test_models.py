"""Pages and examples name no model that its maker's SDK calls deprecated."""

from __future__ import annotations

import re

import pytest
from anthropic.resources.messages import DEPRECATED_MODELS
from openai.types.shared.chat_model import ChatModel

from tests.docs.pages import PAGES, ROOT, content

TEXTS = {page: content(page) for page in PAGES}
TEXTS |= {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.py")}


@pytest.mark.parametrize("name", [name for name, text in TEXTS.items() if "claude-" in text])
def test_models_of_anthropic(name: str) -> None:
    assert not set(re.findall(r"claude-[\w-]*\d", TEXTS[name])) & set(DEPRECATED_MODELS)


@pytest.mark.parametrize("name", [name for name, text in TEXTS.items() if "gpt-4" in text])
def test_models_of_openai(name: str) -> None:
    known = set(ChatModel.__args__)  # type: ignore[attr-defined]
    assert set(re.findall(r"gpt-4[\w.-]*\w", TEXTS[name])) <= known
