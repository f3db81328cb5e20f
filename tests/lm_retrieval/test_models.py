from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr

from muffakir_eval.errors import ConfigError
from muffakir_eval.judges.providers import PROVIDERS
from muffakir_eval.lm_retrieval.models import _MAKERS, DEFAULT_MODEL, DEFAULT_PROVIDER, choose_model, judge_settings
from muffakir_eval.lm_retrieval.settings import read_settings
from tests.lm_retrieval.cases import judge

KEY = "zq7Rk2Wm9Xv4Tb6Yn3Lp8Hd5"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in PROVIDERS.values():
        for variable in (*provider.keys, provider.url_variable):
            if variable:
                monkeypatch.delenv(variable, raising=False)


def named(model: Any, base_url: str | None = None, **given: Any) -> tuple[Any, Any, Any]:
    settings = judge_settings(model, None, base_url, given)
    return settings.get("llm_provider"), settings.get("llm_model"), settings.get("llm_base_url")


@pytest.mark.parametrize(
    ("name", "provider", "model"),
    [
        (None, DEFAULT_PROVIDER, DEFAULT_MODEL),
        ("gpt-4o", "openai", "gpt-4o"),
        ("o3-mini", "openai", "o3-mini"),
        ("openai/gpt-4o", "openai", "gpt-4o"),
        ("openai:gpt-4o", "openai", "gpt-4o"),
        ("google/gemini-3.8-flash", "gemini", "gemini-3.8-flash"),
        ("gemini-3.8-flash", "gemini", "gemini-3.8-flash"),
        ("models/gemini-3.8-flash", "gemini", "gemini-3.8-flash"),
        (" claude-sonnet-4-5 ", "anthropic", "claude-sonnet-4-5"),
        ("Anthropic/claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"),
        ("openrouter/qwen/qwen-2.5-72b-instruct", "openrouter", "qwen/qwen-2.5-72b-instruct"),
        ("ollama:qwen2.5:14b", "ollama", "qwen2.5:14b"),
        ("azure/our-deployment", "azure_openai", "our-deployment"),
        ("ft:gpt-4o:acme", "openai", "ft:gpt-4o:acme"),
    ],
)
def test_names_of_models(name: str | None, provider: str, model: str) -> None:
    assert named(name) == (provider, model, None)


def test_every_maker_is_a_known_provider() -> None:
    assert set(_MAKERS.values()) <= PROVIDERS.keys()
    assert DEFAULT_PROVIDER in PROVIDERS


def test_with_a_base_url_the_name_is_taken_as_it_stands() -> None:
    url = "http://gpu-7.internal:8000/v1"
    assert named("Qwen/Qwen2.5-72B-Instruct", url) == (None, "Qwen/Qwen2.5-72B-Instruct", url)
    assert named("openai/gpt-4o", url) == (None, "openai/gpt-4o", url)
    assert named("gpt-4o", url, llm_provider="openai") == ("openai", "gpt-4o", url)


def test_the_keys_of_the_configuration_do_as_well() -> None:
    assert named(None, llm_model="openai/gpt-4o") == ("openai", "gpt-4o", None)
    assert named("m", llm_provider="groq") == ("groq", "m", None)
    assert named(None, llm_provider="groq") == ("groq", None, None)
    assert judge_settings("gpt-4o", KEY, None, {"api_key": SecretStr(KEY)})["api_key"] == SecretStr(KEY)


@pytest.mark.parametrize(
    ("arguments", "given", "words"),
    [
        (
            ("llama-3.1-70b", None, None),
            {},
            "nothing says who serves the model 'llama-3.1-70b'. Expected: provider/model",
        ),
        (("opnai/gpt-4o", None, None), {}, "What to do: did you mean openai/gpt-4o?"),
        (("opnai:gpt-4o", None, None), {}, "What to do: did you mean openai/gpt-4o?"),
        (("google-gla:gemini-2.5-flash", None, None), {}, "did you mean google/gemini-2.5-flash?"),
        (("gpt-oss:20b", None, None), {}, "nothing says who serves the model 'gpt-oss:20b'"),
        (("gpt-oss-120b", None, None), {}, "nothing says who serves the model 'gpt-oss-120b'"),
        (("deepseek-r1-distill-llama-70b", None, None), {}, "nothing says who serves the model 'deepseek-r1-distill"),
        (("acme/gpt-4o", None, None), {}, "put the provider in front: one of openai, anthropic"),
        (("  ", None, None), {}, "the name of the model is empty"),
        (("a", None, None), {"llm_model": "b"}, "model and llm_model are both given, and differ"),
        (
            ("a", "one", None),
            {"api_key": SecretStr("other")},
            "model_credentials and api_key are both given, and differ",
        ),
        (("a", None, "http://a"), {"llm_base_url": "http://b"}, "base_url and llm_base_url are both given, and differ"),
        (("gpt-4o", {"key": 1}, None), {}, "the credentials are of type dict"),
        ((judge(), None, "http://a"), {}, "an object of type ScriptedModel, and llm_base_url is given too"),
        ((judge(), None, None), {"llm_provider": "x", "llm_model": "y"}, "and llm_provider, llm_model is given too"),
    ],
)
def test_what_contradicts_itself(arguments: tuple[Any, Any, Any], given: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        judge_settings(*arguments, given)
    assert words in str(caught.value)
    assert "'one'" not in str(caught.value)


def test_a_key_in_the_place_of_the_model_is_not_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        judge_settings("AIzaSyA1234567890abcdefghijk", None, None, {})
    assert "AIza" not in str(caught.value)


@pytest.mark.parametrize("credentials", [KEY, f" {KEY}\n", SecretStr(KEY)])
def test_a_key_may_be_text_or_secret(credentials: Any) -> None:
    settings = judge_settings(None, credentials, None, {})
    assert settings["api_key"].get_secret_value().strip() == KEY
    assert KEY not in repr(settings)


@pytest.mark.parametrize("credentials", [None, "", "  ", SecretStr(" ")])
def test_no_key_is_left_to_the_environment(credentials: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = judge_settings(None, credentials, None, {})
    assert "api_key" not in settings
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    model = choose_model(read_settings(settings, ("contextual_recall",)), None)
    assert dict(model.identity)["base_url"] == "https://generativelanguage.googleapis.com/v1beta/openai"


def missing_key(model: Any, base_url: str | None = None) -> str:
    config = read_settings(judge_settings(model, None, base_url, {}), ("contextual_recall",))
    with pytest.raises(ConfigError) as caught:
        choose_model(config, model)
    return str(caught.value)


def test_without_a_key_the_argument_and_the_variables_are_named() -> None:
    said = missing_key(None)
    assert said.startswith("model_credentials: there is no key for gemini. What to do: set the environment variable ")
    assert "GEMINI_API_KEY or GOOGLE_API_KEY, or model_credentials" in said
    assert "OPENAI_API_KEY" in missing_key("gpt-4o")
    assert "api_key'" not in said
    assert missing_key(None, "http://localhost:8000/v1").startswith("model: no model is named")
    assert "What to do: set model, " in missing_key(None, "http://localhost:8000/v1")


def test_an_object_that_cannot_be_asked() -> None:
    assert missing_key(3).startswith("the model: the model is a builtins.int, which cannot be asked.")


def test_an_object_needs_no_key_and_is_asked_itself() -> None:
    model = judge()
    settings = judge_settings(model, KEY, None, {"max_concurrency": 3})
    assert settings == {"max_concurrency": 3}
    assert choose_model(read_settings(settings, ("contextual_recall",)), model) is model
