"""From settings to a model: which provider, where, with which key and which parameters."""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit, urlunsplit

from pydantic import SecretStr

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.errors import ConfigError
from muffakir_eval.judges.endpoint import DEFAULT_TIMEOUT_S, Endpoint
from muffakir_eval.judges.protocol import ChatModel
from muffakir_eval.judges.providers import ALIASES, PROVIDERS, Provider, model_family, provider_name
from muffakir_eval.redaction import redact

__all__ = ["AZURE_API_VERSION", "make_model", "model_family"]

AZURE_API_VERSION = "2024-10-21"
"""Used where neither ``llm_parameters`` nor ``OPENAI_API_VERSION`` names one: a stable version that knows schemas."""

_COMPATIBLE = "openai_compatible"
_CLIENT_ARGUMENTS = {
    "openai": ("organization", "project", "default_headers", "default_query"),
    "azure": ("api_version", "azure_deployment", "default_headers", "default_query"),
    "anthropic": ("default_headers", "default_query"),
}
_INSTEAD = {
    "model": "use llm_model",
    "api_key": "use the key api_key",
    "base_url": "use llm_base_url",
    "timeout": "use call_timeout_s",
    "max_retries": "use retry_deadline_s",
    "messages": "use prompt_overrides",
    "system": "use prompt_overrides",
    "stream": "replies are read as a whole",
    "n": "use judge_repeats",
}
_LIMITS = ("max_tokens", "max_completion_tokens")
_TAILS = {"openai": r"/chat/completions$", "anthropic": r"(/v1)?(/messages)?$", "azure": r"/openai(/.*)?$"}


def make_model(config: EvaluationConfig, *, llm_provider: object | None = None) -> ChatModel:
    """The model that judges. Nothing is asked yet, and no connection is opened.

    Args:
        config: ``llm_provider`` and ``llm_model`` name the judge. Where there is no key in the settings,
            the provider's usual environment variable is read.
        llm_provider: The pipeline's own model (see :class:`~muffakir_eval.judges.pipeline_model.PipelineModel`),
            or a :class:`~muffakir_eval.judges.protocol.ChatModel`; used where the settings name no provider.

    Raises:
        ConfigError: A key, a model or a base URL is missing, or settings contradict each other.
    """
    given_url = _given_url(config)
    if config.llm_provider is None and given_url is None:
        return _model_of_the_pipeline(config, llm_provider)
    name = provider_name(config.llm_provider or _COMPATIBLE)
    provider = _provider(name, config.llm_provider, given_url)
    if not config.llm_model:
        raise ConfigError(
            f"no model is named for the provider {name!r}",
            where="config, key 'llm_model'",
            remedy="set llm_model, for Azure to the name of the deployment",
        )
    url, query = _address(name, provider, given_url)
    if provider.sdk == "azure" and url.endswith("/openai/v1"):  # no deployments, no versions: chat completions as usual
        provider = Provider(keys={name: kind for name, kind in provider.keys.items() if kind == "api_key"})
    key, argument = _key(name, provider, url, config)
    endpoint = Endpoint(
        provider=name,
        model=config.llm_model,
        base_url=url,
        key=key,
        key_argument=argument,
        timeout_s=config.call_timeout_s or DEFAULT_TIMEOUT_S,
        **_request_settings(config, provider, query),
    )
    return _adapter(provider, endpoint)


def _adapter(provider: Provider, endpoint: Endpoint) -> ChatModel:
    if provider.sdk == "anthropic":
        from muffakir_eval.judges.anthropic_model import AnthropicModel

        return AnthropicModel(endpoint)
    from muffakir_eval.judges.openai_model import OpenAIModel

    return OpenAIModel(endpoint, azure=provider.sdk == "azure")


def _model_of_the_pipeline(config: EvaluationConfig, llm_provider: Any) -> ChatModel:
    if llm_provider is None:
        raise ConfigError(
            "there is no judge",
            where="config",
            expected="llm_provider and llm_model, or a pipeline that has an llm_provider",
            remedy="set llm_provider (openai, anthropic, azure_openai, groq, ollama, …), llm_model and api_key",
        )
    if config.llm_model:
        raise ConfigError(
            f"llm_model is {config.llm_model!r}, but nothing says whose model that is",
            where="config, key 'llm_provider'",
            remedy="set llm_provider, or leave llm_model out to judge with the pipeline's own model",
        )
    if all(hasattr(llm_provider, name) for name in ("identity", "complete", "aclose")):
        model: ChatModel = llm_provider
        return model
    from muffakir_eval.judges.pipeline_model import PipelineModel

    parameters = _parameters(config)
    by_hand = "temperature" in parameters or "llm_temperature" in config.model_fields_set
    return PipelineModel(
        llm_provider,
        temperature=_temperature(parameters, config.llm_temperature),
        temperature_by_hand=by_hand,
        max_tokens=_max_tokens(parameters, config.llm_max_tokens),
        timeout_s=config.call_timeout_s or DEFAULT_TIMEOUT_S,
        parameters=parameters,
    )


def _given_url(config: EvaluationConfig) -> str | None:
    urls = {url.rstrip("/") for url in (config.llm_base_url, config.base_url) if url}
    if len(urls) > 1:
        raise ConfigError("base_url and llm_base_url differ", where="config", remedy="set one of them")
    return urls.pop() if urls else None


def _provider(name: str, said: str | None, given_url: str | None) -> Provider:
    known = PROVIDERS.get(name)
    if known is not None:
        return known
    if given_url is not None:
        variable = re.sub(r"\W", "_", name).upper()
        return Provider(keys={f"{variable}_API_KEY": "api_key"})
    near = difflib.get_close_matches(name, [*PROVIDERS, *ALIASES], n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}? Or set" if near else "set"
    raise ConfigError(
        f"the provider {said!r} is not known and there is no base_url",
        where="config, key 'llm_provider'",
        expected=f"one of {', '.join(PROVIDERS)}, or any name together with a base_url",
        remedy=f"{hint} llm_base_url to a server that speaks chat completions",
    )


def _address(name: str, provider: Provider, given_url: str | None) -> tuple[str, str]:
    """The base URL without what the SDK adds itself, and the query that stood behind it."""
    variable = provider.url_variable
    url = given_url or (os.environ.get(variable) if variable else None) or provider.base_url
    if url is None:
        raise ConfigError(
            f"nothing says where {name} is reached",
            where="config, key 'llm_base_url'",
            remedy=f"set llm_base_url or the environment variable {variable}",
        )
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigError(
            f"the base URL {redact(url)!r} is not complete",
            where="config, key 'llm_base_url'",
            expected="an address such as http://localhost:11434/v1",
        )
    path = parts.path.rstrip("/")
    if not (provider.sdk == "azure" and path.endswith("/openai/v1")):
        path = re.sub(_TAILS[provider.sdk], "", path)
    return urlunsplit((parts.scheme, parts.netloc, path, "", "")), parts.query


def _key(name: str, provider: Provider, url: str, config: EvaluationConfig) -> tuple[SecretStr | None, str]:
    if config.api_key is not None and config.api_key.get_secret_value().strip():
        return SecretStr(config.api_key.get_secret_value().strip()), "api_key"
    for variable, argument in provider.keys.items():
        value = os.environ.get(variable, "").strip()
        if value:
            return SecretStr(value), argument
    if not provider.needs_key or _is_local(url) or (name not in PROVIDERS and url.startswith("http://")):
        return None, "api_key"
    variables = " or ".join(provider.keys)
    raise ConfigError(
        f"there is no key for {name}",
        where="config, key 'api_key'",
        remedy=f"set the environment variable {variables}, or the key api_key (to any text if the server needs none)",
    )


def _is_local(url: str) -> bool:
    """On this machine or in a network of one's own."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal", ".lan", ".localhost"))


def _parameters(config: EvaluationConfig) -> dict[str, Any]:
    parameters = {**(config.llm_parameters or {}), **(config.judge_llm_parameters or {})}
    for name, instead in _INSTEAD.items():
        if name in parameters:
            raise ConfigError(
                f"{name!r} cannot be set here",
                where="config, keys 'llm_parameters' and 'judge_llm_parameters'",
                remedy=instead,
            )
    return parameters


def _request_settings(config: EvaluationConfig, provider: Provider, query: str) -> dict[str, Any]:
    parameters = _parameters(config)
    client = {name: parameters.pop(name) for name in _CLIENT_ARGUMENTS[provider.sdk] if name in parameters}
    if provider.sdk == "azure":
        version = parse_qs(query).get("api-version", [None])[0] or os.environ.get("OPENAI_API_VERSION")
        client.setdefault("api_version", version or AZURE_API_VERSION)
    # Anthropic's SDK has no temperature: the default of ours is not sent there.
    default = provider.sdk == "anthropic" and "llm_temperature" not in config.model_fields_set
    return {
        "temperature": _temperature(parameters, None if default else config.llm_temperature),
        "max_tokens": _max_tokens(parameters, config.llm_max_tokens),
        "parameters": parameters,
        "client": client,
    }


def _temperature(parameters: dict[str, Any], configured: float | None) -> float | None:
    """Taken out of the parameters where it stands there."""
    value = parameters.pop("temperature", configured)
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0):
        raise ConfigError(
            f"the temperature is {value!r}", where="config, key 'llm_parameters'", expected="a number ≥ 0"
        )
    return value


def _max_tokens(parameters: dict[str, Any], configured: int | None) -> int | None:
    """Taken out of the parameters where it stands there, under either name."""
    values = [parameters.pop(name) for name in _LIMITS if name in parameters]
    value = values[0] if values else configured
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise ConfigError(
            f"the token limit is {value!r}", where="config, key 'llm_parameters'", expected="a whole number ≥ 1"
        )
    return value
