"""From settings to a model: keys, addresses, parameters, and what is missing."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest
from pydantic import BaseModel

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.errors import ConfigError
from muffakir_eval.judges.endpoint import NO_KEY
from muffakir_eval.judges.models import AZURE_API_VERSION, make_model, model_family
from muffakir_eval.judges.protocol import ChatModel, Prompt
from muffakir_eval.judges.providers import ALIASES, FAMILIES, PROVIDERS
from muffakir_eval.judges.scripted import ScriptedModel
from tests.judges.answers import Seen
from tests.judges.server import JudgeServer

KEY = "zx81AbCdEfGh3456"


class Reply(BaseModel):
    score: int


def made(own: object | None = None, /, **settings: Any) -> ChatModel:
    return make_model(EvaluationConfig.from_mapping(settings), llm_provider=own)


def asked(server: JudgeServer, model: ChatModel) -> Seen:
    async def run() -> None:
        await model.complete(Prompt(system="s", user="u", metric="m"), Reply)
        await model.aclose()

    asyncio.run(run())
    return server.requests[-1]


def openai(**more: Any) -> dict[str, Any]:
    return {"llm_provider": "openai", "llm_model": "gpt-4o", "api_key": KEY, **more}


def test_the_reference_settings(server: JudgeServer) -> None:
    seen = asked(server, made(**openai(base_url=server.openai_url)))
    assert (seen.path, seen.key, seen.body["model"]) == ("/v1/chat/completions", KEY, "gpt-4o")
    assert seen.body["temperature"] == 0.0


def test_anthropic_gets_a_temperature_only_by_hand(server: JudgeServer) -> None:
    settings = {"llm_provider": "anthropic", "llm_model": "claude-x", "api_key": KEY, "base_url": server.url}
    assert "temperature" not in asked(server, made(**settings)).body
    assert asked(server, made(**settings, llm_temperature=0.0)).body["temperature"] == 0.0
    assert asked(server, made(**settings, llm_parameters={"temperature": 0.3})).body["temperature"] == 0.3


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/", "/v1/messages"])
def test_the_address_of_anthropic(server: JudgeServer, tail: str) -> None:
    model = made(llm_provider="claude", llm_model="c", api_key=KEY, base_url=server.url + tail)
    assert asked(server, model).path == "/v1/messages"


@pytest.mark.parametrize("tail", ["", "/", "/chat/completions"])
def test_the_address_of_a_compatible_server(server: JudgeServer, tail: str) -> None:
    model = made(llm_provider="my-server", llm_model="m", llm_base_url=server.openai_url + tail)
    assert asked(server, model).path == "/v1/chat/completions"


@pytest.mark.parametrize("tail", ["", "/", "/openai", "/openai/deployments/d/chat/completions?api-version=2025-01-01"])
def test_the_address_of_azure(server: JudgeServer, tail: str) -> None:
    model = made(llm_provider="azure", llm_model="d", api_key=KEY, base_url=server.url + tail)
    version = "2025-01-01" if "?" in tail else AZURE_API_VERSION
    seen = asked(server, model)
    assert seen.path == f"/openai/deployments/d/chat/completions?api-version={version}"
    assert seen.headers["api-key"] == KEY


def test_azure_without_deployments(server: JudgeServer) -> None:
    model = made(llm_provider="azure", llm_model="d", api_key=KEY, base_url=f"{server.url}/openai/v1")
    assert asked(server, model).path == "/openai/v1/chat/completions"


def test_azure_from_the_environment(server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.url)
    monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", KEY)
    monkeypatch.setenv("OPENAI_API_VERSION", "2025-02-02")
    seen = asked(server, made(llm_provider="azure_openai", llm_model="d"))
    assert seen.path.endswith("2025-02-02")
    assert seen.headers["authorization"] == f"Bearer {KEY}"


def test_azure_says_where_it_is_missing() -> None:
    with pytest.raises(ConfigError, match="AZURE_OPENAI_ENDPOINT"):
        made(llm_provider="azure", llm_model="d", api_key=KEY)


def test_the_version_by_hand(server: JudgeServer) -> None:
    settings = {"llm_provider": "azure", "llm_model": "d", "api_key": KEY, "base_url": server.url}
    seen = asked(server, made(**settings, llm_parameters={"api_version": "2024-12-01-preview"}))
    assert seen.path.endswith("2024-12-01-preview")


@pytest.mark.parametrize(
    ("provider", "variable"),
    [
        ("openai", "OPENAI_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("anthropic", "ANTHROPIC_AUTH_TOKEN"),
        ("groq", "GROQ_API_KEY"),
        ("google", "GOOGLE_API_KEY"),
        ("gemini", "GEMINI_API_KEY"),
        ("my-provider", "MY_PROVIDER_API_KEY"),
    ],
)
def test_keys_from_the_environment(
    server: JudgeServer, monkeypatch: pytest.MonkeyPatch, provider: str, variable: str
) -> None:
    monkeypatch.setenv(variable, f" {KEY} ")
    url = server.url if provider == "anthropic" else server.openai_url
    assert asked(server, made(llm_provider=provider, llm_model="m", base_url=url)).key == KEY


def test_the_key_of_the_settings_comes_first(server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    assert asked(server, made(**openai(base_url=server.openai_url))).key == KEY


def test_one_provider_does_not_get_the_key_of_another(server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert asked(server, made(llm_provider="ollama", llm_model="m", base_url=server.openai_url)).key == NO_KEY


@pytest.mark.parametrize(
    ("settings", "variable"),
    [
        ({"llm_provider": "openai"}, "OPENAI_API_KEY"),
        ({"llm_provider": "anthropic"}, "ANTHROPIC_API_KEY"),
        ({"llm_provider": "OpenAI", "api_key": "  "}, "OPENAI_API_KEY"),
        ({"llm_provider": "azure", "base_url": "https://x.openai.azure.com"}, "AZURE_OPENAI_API_KEY"),
        ({"llm_provider": "groq"}, "GROQ_API_KEY"),
        ({"llm_provider": "gemini"}, "GEMINI_API_KEY or GOOGLE_API_KEY"),
        ({"llm_provider": "other", "base_url": "https://llm.example.com/v1"}, "OTHER_API_KEY"),
        ({"base_url": "https://llm.example.com/v1"}, "OPENAI_COMPATIBLE_API_KEY"),
    ],
)
def test_a_missing_key_is_told_before_any_call(settings: dict[str, Any], variable: str) -> None:
    with pytest.raises(ConfigError, match=variable) as caught:
        made(**settings, llm_model="m")
    assert "api_key" in str(caught.value)


@pytest.mark.parametrize(
    "settings",
    [
        {"llm_provider": "ollama"},
        {"llm_provider": "vllm"},
        {"llm_provider": "llama.cpp"},
        {"llm_provider": "LM Studio"},
        {"llm_provider": "vllm", "base_url": "https://gpu.example.com/v1"},
        {"llm_provider": "openai", "base_url": "http://localhost:8080/v1"},
        {"llm_provider": "openai", "base_url": "http://192.168.1.7:8000/v1"},
        {"llm_provider": "openai", "base_url": "http://gpu01:8000/v1"},
        {"llm_provider": "openai", "base_url": "http://llm.internal/v1"},
        {"base_url": "http://judge.example.com/v1"},
    ],
)
def test_servers_of_one_s_own_need_no_key(settings: dict[str, Any]) -> None:
    assert made(**settings, llm_model="m").identity["model"] == "m"


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({}, "there is no judge"),
        ({"llm_model": "gpt-4o"}, "there is no judge"),
        ({"llm_provider": "openai", "api_key": KEY}, "no model is named"),
        ({"llm_provider": "opnai", "llm_model": "m"}, "did you mean 'openai'"),
        ({"llm_provider": "zzzz", "llm_model": "m"}, "set llm_base_url"),
        (openai(base_url="http://a/v1", llm_base_url="http://b/v1"), "differ"),
        (openai(base_url="localhost:11434/v1"), "is not complete"),
        (openai(base_url="http:///v1"), "is not complete"),
        (openai(llm_parameters={"temperature": "cold"}), "temperature is 'cold'"),
        (openai(llm_parameters={"temperature": True}), "temperature is True"),
        (openai(llm_parameters={"max_tokens": 0}), "token limit is 0"),
        (openai(llm_parameters={"stream": True}), "'stream' cannot be set here"),
        (openai(judge_llm_parameters={"timeout": 3}), "use call_timeout_s"),
    ],
)
def test_what_cannot_be(settings: dict[str, Any], found: str) -> None:
    with pytest.raises(ConfigError) as caught:
        made(**settings)
    assert found in str(caught.value)
    assert KEY not in str(caught.value)


def test_the_same_address_twice_is_no_contradiction() -> None:
    model = made(**openai(base_url="http://a/v1", llm_base_url="http://a/v1/"))
    assert str(model.identity["base_url"]).rstrip("/") == "http://a/v1"


def test_parameters(server: JudgeServer) -> None:
    settings = openai(
        base_url=server.openai_url,
        llm_max_tokens=9,
        llm_parameters={"top_p": 0.5, "seed": 1, "max_completion_tokens": 50, "organization": "org-1"},
        judge_llm_parameters={"seed": 2, "min_p": 0.1, "temperature": 0.2},
    )
    seen = asked(server, made(**settings))
    body = seen.body
    assert (body["top_p"], body["seed"], body["min_p"], body["temperature"]) == (0.5, 2, 0.1, 0.2)
    assert body["max_tokens"] == 50
    assert seen.headers["openai-organization"] == "org-1"


def test_no_temperature_if_none_is_wanted(server: JudgeServer) -> None:
    assert "temperature" not in asked(server, made(**openai(base_url=server.openai_url, llm_temperature=None))).body


def test_the_time_limit_of_a_call(server: JudgeServer) -> None:
    seen = asked(server, made(**openai(base_url=server.openai_url, call_timeout_s=7)))
    assert seen.headers["x-stainless-read-timeout"] == "7.0"


def test_the_base_url_of_the_environment(server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
    model = made(**openai())
    assert model.identity["base_url"] == server.openai_url
    assert asked(server, model).path == "/v1/chat/completions"


def test_identity_is_complete_and_holds_no_secret() -> None:
    one = made(**openai(llm_parameters={"seed": 1})).identity
    assert one == {
        "provider": "openai",
        "model": "gpt-4o",
        "base_url": "https://api.openai.com/v1",
        "temperature": 0.0,
        "max_tokens": None,
        "parameters": {"seed": 1},
    }
    assert made(**openai(api_key="another", call_timeout_s=3, llm_parameters={"seed": 1})).identity == one
    for change in ({"llm_model": "x"}, {"llm_temperature": 1}, {"llm_max_tokens": 5}, {"base_url": "http://a/v1"}):
        assert made(**openai(**{"llm_parameters": {"seed": 1}, **change})).identity != one


def test_every_provider_can_be_made() -> None:
    for name in [*PROVIDERS, *ALIASES]:
        url = {"base_url": "https://mine.example.com"} if name.startswith("azure") else {}
        model = made(llm_provider=name, llm_model="m", api_key=KEY, **url)
        assert model.identity["base_url"]
    assert set(ALIASES.values()) <= PROVIDERS.keys()


def test_the_pipeline_s_own_model() -> None:
    model = made(lambda prompt: "{}", judge_llm_parameters={"top_k": 1})
    assert model.identity["provider"].startswith("pipeline:")


def test_settings_go_before_the_pipeline_s_own_model() -> None:
    assert made(lambda prompt: "{}", **openai()).identity["provider"] == "openai"


def test_a_chat_model_is_taken_as_it_is() -> None:
    model = ScriptedModel("{}")
    assert made(model) is model


def test_a_model_without_its_provider() -> None:
    with pytest.raises(ConfigError, match="whose model that is"):
        made(lambda prompt: "{}", llm_model="gpt-4o")


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("gpt-4o-mini", "gpt"),
        ("openai/gpt-oss-120b", "gpt"),
        ("o3", "gpt"),
        ("chatgpt-4o-latest", "gpt"),
        ("claude-sonnet-4-5", "claude"),
        ("us.anthropic.claude-3-5-haiku-20241022-v1:0", "claude"),
        ("models/gemini-2.5-pro", "gemini"),
        ("google/gemma-3-27b-it", "gemma"),
        ("llama3.2:3b", "llama"),
        ("meta-llama/Llama-3.3-70B-Instruct-Turbo", "llama"),
        ("qwen2.5:7b", "qwen"),
        ("Qwen/QwQ-32B", "qwen"),
        ("deepseek-r1:8b", "deepseek"),
        ("DeepSeek-R1-Distill-Llama-70B", "deepseek"),
        ("mistral-large-latest", "mistral"),
        ("Mixtral_8x7B", "mistral"),
        ("command-r7b-arabic", "command"),
        ("CohereForAI/aya-expanse-8b", "command"),
        ("inceptionai/jais-13b-chat", "jais"),
        ("ALLaM-7B-Instruct", "allam"),
        ("QCRI/Fanar-1-9B", "fanar"),
        ("FreedomIntelligence/AceGPT-13B", "acegpt"),
        ("tiiuae/falcon-h1-arabic", "falcon"),
        ("grok-4", "grok"),
        ("glm-4.6", "glm"),
        ("kimi-k2", "kimi"),
        ("phi-4", "phi"),
        ("anthropic/some-alias", None),
        ("my-deployment", None),
        ("", None),
    ],
)
def test_families(name: str, family: str | None) -> None:
    assert model_family(name) == family


def test_each_family_stands_once() -> None:
    names = [family for family, _ in FAMILIES]
    assert len(names) == len(set(names))


def test_no_sdk_is_imported_before_one_is_needed() -> None:
    code = (
        "import sys, muffakir_eval.judges.models as m; from muffakir_eval.config import EvaluationConfig as C;"
        "assert not {'openai', 'anthropic'} & sys.modules.keys();"
        "m.make_model(C(), llm_provider=len); assert not {'openai', 'anthropic'} & sys.modules.keys();"
        "m.make_model(C(llm_provider='ollama', llm_model='m')); assert 'anthropic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
