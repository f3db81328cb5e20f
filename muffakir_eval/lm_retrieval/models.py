"""From what the user calls the judge to settings: which provider, which model, which key."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pydantic import SecretStr

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.errors import ConfigError
from muffakir_eval.judges.models import make_model
from muffakir_eval.judges.protocol import ChatModel
from muffakir_eval.judges.providers import ALIASES, PROVIDERS, model_family, provider_name
from muffakir_eval.redaction import redact, secrets_of_environment

__all__ = ["DEFAULT_MODEL", "DEFAULT_PROVIDER", "choose_model", "judge_settings"]

DEFAULT_PROVIDER = "gemini"
"""Google's endpoint that speaks chat completions."""
DEFAULT_MODEL = "gemini-3.8-flash"
"""Judges where no model is named: Google's newest stable Flash model that has no date of retirement."""

_MAKERS: Mapping[str, str] = MappingProxyType(
    {
        "gpt": "openai",
        "claude": "anthropic",
        "gemini": "gemini",
        "deepseek": "deepseek",
        "mistral": "mistral",
        "command": "cohere",
        "grok": "xai",
        "kimi": "moonshot",
    }
)
"""Families of models that their maker serves under the maker's own name."""

_WHERE = "LMBasedRetrievalEvaluator, model"
_NOT_OF_THE_MAKER = re.compile(r"/|^(?!ft:).*:|\bgpt-oss|distill", re.IGNORECASE)
"""A path, a tag (``gpt-oss:20b``; ``ft:`` is OpenAI's own), and open weights, which others serve."""
_NAMED = re.compile(r"(?P<provider>[^/:]+)[/:](?P<model>.+)")


def judge_settings(model: Any, credentials: Any, base_url: str | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """``given`` together with what names the judge, as keys of the configuration.

    Args:
        model: A name (``gpt-4o``, ``openai/gpt-4o``, ``google/gemini-…``), ``None`` for the default one, or an
            object that is asked itself, which adds no key. With a base URL, a name is taken as it stands.
        credentials: A key, or ``None`` for the provider's environment variable.
        base_url: A server that speaks chat completions, or another address of the provider.
        given: Further settings; ``llm_provider`` says whose model it is where the name does not.

    Raises:
        ConfigError: Two of these say different things, or nothing says whose model it is.
    """
    settings = dict(given)
    key = _key(credentials)
    if key is not None:
        _set(settings, "api_key", key, "model_credentials")
    if base_url is not None:
        _set(settings, "llm_base_url", base_url, "base_url")
    if model is not None and not isinstance(model, str):
        _refuse_beside(settings, model)
        return {name: value for name, value in settings.items() if name != "api_key"}
    address = settings.get("llm_base_url") or settings.get("base_url")
    if model is not None:
        if not model.strip():
            raise ConfigError("the name of the model is empty", where=_WHERE, expected="a name such as gpt-4o, or None")
        _set(settings, "llm_model", model.strip(), "model")
        if settings.get("llm_provider") is None and address is None:
            settings["llm_provider"], settings["llm_model"] = _provider_and_model(model.strip())
    elif settings.get("llm_model") is None and settings.get("llm_provider") is None and address is None:
        settings |= {"llm_provider": DEFAULT_PROVIDER, "llm_model": DEFAULT_MODEL}
    elif settings.get("llm_model") is not None and settings.get("llm_provider") is None and address is None:
        settings["llm_provider"], settings["llm_model"] = _provider_and_model(str(settings["llm_model"]))
    return settings


def choose_model(config: EvaluationConfig, model: Any) -> ChatModel:
    """The model that judges; ``model`` itself where it is no name. No connection is opened.

    Raises:
        ConfigError: A key or an address is missing; the message names the argument and the variables.
    """
    own = None if isinstance(model, str) else model
    try:
        return make_model(config, llm_provider=own)
    except ConfigError as error:
        remedy = None if error.remedy is None else _in_our_words(error.remedy)
        where = None if error.where is None else _in_our_words(error.where)
        raise ConfigError(_in_our_words(error.found), where=where, expected=error.expected, remedy=remedy) from None


def _provider_and_model(name: str) -> tuple[str, str]:
    match = _NAMED.fullmatch(name)
    if match is not None and provider_name(match["provider"]) in PROVIDERS:
        return provider_name(match["provider"]), match["model"]
    plain = name.removeprefix("models/")  # as Google lists its own
    family = None if _NOT_OF_THE_MAKER.search(plain) else model_family(plain)
    maker = None if family is None else _MAKERS.get(family)
    if maker is None:
        before, rest = (match["provider"], match["model"]) if match else (name, "")
        shown = redact(name, secrets=secrets_of_environment())  # a key may have got here
        near = difflib.get_close_matches(before.lower(), [*PROVIDERS, *ALIASES], n=1, cutoff=0.7)
        raise ConfigError(
            f"nothing says who serves the model {shown!r}",
            where=_WHERE,
            expected="provider/model such as openai/gpt-4o, a model that its maker serves, or a base_url",
            remedy=f"did you mean {near[0]}/{rest}?" if near and rest else f"put the provider in front: {_known()}",
        )
    return maker, plain


def _known() -> str:
    return f"one of {', '.join(PROVIDERS)}"


def _key(credentials: Any) -> SecretStr | None:
    if isinstance(credentials, SecretStr):
        return credentials if credentials.get_secret_value().strip() else None
    if credentials is None or (isinstance(credentials, str) and not credentials.strip()):
        return None  # os.getenv() of a variable that is not there, or empty
    if not isinstance(credentials, str):
        raise ConfigError(
            f"the credentials are of type {type(credentials).__name__}",
            where="LMBasedRetrievalEvaluator, model_credentials",
            expected="a key as text, or None for the provider's environment variable",
        )
    return SecretStr(credentials.strip())


def _set(settings: dict[str, Any], key: str, value: Any, argument: str) -> None:
    earlier = settings.get(key)
    if earlier is not None and earlier != value:
        raise ConfigError(
            f"{argument} and {key} are both given, and differ",
            where="LMBasedRetrievalEvaluator",
            remedy=f"leave {key} out",
        )
    settings[key] = value


def _refuse_beside(settings: Mapping[str, Any], model: Any) -> None:
    beside = [name for name in ("llm_provider", "llm_model", "llm_base_url", "base_url") if settings.get(name)]
    if beside:
        raise ConfigError(
            f"the model is an object of type {type(model).__name__}, and {', '.join(beside)} is given too",
            where=_WHERE,
            remedy="give the one or the other",
        )


_IN_OUR_WORDS = (
    (r"(?:config, )?(?:the )?key '?api_key'?", "model_credentials"),
    (r"config, key 'llm_base_url'", "base_url"),
    (r"config, key 'llm_model'", "model"),
    (r"^llm_provider$|the pipeline's llm_provider", "the model"),
    (r"set llm_provider and llm_model", "name a model"),
    (r"set llm_model", "set model"),
)


def _in_our_words(text: str) -> str:
    """Keys of the configuration as the arguments that stand for them here."""
    for pattern, words in _IN_OUR_WORDS:
        text = re.sub(pattern, words, text)
    return text
