"""What is refused before anything is asked, and what the settings make of batches."""

from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval import ScriptedModel
from muffakir_eval.config import EvaluationConfig
from muffakir_eval.errors import ConfigError
from muffakir_eval.judges.batch.making import batched
from muffakir_eval.judges.batch.model import BatchModel
from muffakir_eval.judges.models import make_model


def make(**settings: Any) -> BatchModel:
    config = EvaluationConfig.from_mapping({"judge_mode": "batch", "llm_model": "judge-1", "api_key": "k", **settings})
    return batched(config, make_model(config))


@pytest.mark.parametrize(
    "settings",
    [
        {"llm_provider": "openai"},
        {"llm_provider": "azure", "llm_base_url": "https://mine.openai.azure.com"},
        {"llm_provider": "claude"},
        {"llm_provider": "groq", "llm_base_url": "https://api.groq.com/openai/v1"},
        {"llm_base_url": "http://localhost:8000/v1"},
    ],
)
def test_whoever_may_have_the_interface_is_taken(settings: dict[str, Any]) -> None:
    model = make(**settings)
    assert model.identity["model"] == "judge-1"
    assert model.name.startswith("judge ")


@pytest.mark.parametrize("provider", ["groq", "gemini", "ollama", "together_ai", "mistral"])
def test_whoever_is_known_to_have_none_is_refused(provider: str) -> None:
    with pytest.raises(ConfigError, match=r"batch interface.*openai, azure_openai, anthropic.*judge_mode to 'live'"):
        make(llm_provider=provider)


@pytest.mark.parametrize("key", ["extra_headers", "extra_query"])
@pytest.mark.parametrize("where", ["llm_parameters", "judge_llm_parameters"])
def test_what_cannot_stand_in_a_batch_is_refused(key: str, where: str) -> None:
    with pytest.raises(ConfigError, match=f"{key!r} cannot be sent with a request in a batch"):
        make(llm_provider="openai", **{where: {key: {"a": "b"}}})


@pytest.mark.parametrize("provider", [None, "openai", "anthropic"])
def test_a_model_of_another_kind_is_refused(provider: str | None) -> None:
    if provider is not None:
        make(llm_provider=provider)  # its SDK is there now
    config = EvaluationConfig(judge_mode="batch")
    model = make_model(config, llm_provider=ScriptedModel({"*": "{}"}))
    with pytest.raises(ConfigError, match=r"own model has no batch interface.*or set judge_mode to 'live'"):
        batched(config, model)
