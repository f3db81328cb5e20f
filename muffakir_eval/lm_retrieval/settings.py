"""The settings of an evaluator: those of a run that mean something without a pipeline and without files."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.errors import ConfigError
from muffakir_eval.redaction import is_secret_name, secrets_in, secrets_of_environment

__all__ = ["SETTINGS", "known_secrets", "read_settings"]

_WHERE = "LMBasedRetrievalEvaluator"

_OWN = ("model", "model_credentials", "base_url", "metrics", "rules", "success_threshold", "details")
SETTINGS = (
    "language",
    "k",
    "seed",
    "progress",
    "match_by",
    "overlap_threshold",
    "matching",
    "llm_provider",
    "llm_model",
    "api_key",
    "llm_base_url",
    "llm_temperature",
    "llm_max_tokens",
    "llm_parameters",
    "judge_llm_parameters",
    "prompt_overrides",
    "faithfulness_mode",
    "judge_repeats",
    "fail_on_judge_error",
    "max_concurrency",
    "requests_per_minute",
    "tokens_per_minute",
    "call_timeout_s",
    "sample_timeout_s",
    "retry_deadline_s",
    "budget_usd",
    "prices",
    "cache_dir",
)
"""Keys of the configuration that the evaluator takes as arguments."""


def read_settings(given: Mapping[str, Any], metrics: Any) -> EvaluationConfig:
    """The settings, checked.

    Raises:
        ConfigError: A setting is unknown, malformed, or says nothing here.
    """
    arguments = (*_OWN, *SETTINGS)
    for name in given:
        if name in SETTINGS:
            continue
        near = difflib.get_close_matches(name, arguments, n=1, cutoff=0.6)
        if name in EvaluationConfig.model_fields:
            found, remedy = f"the setting {name!r} says nothing here", "leave it out, or use MuffakirEvaluation"
        else:
            found, remedy = f"unknown argument {name!r}", f"known ones are {', '.join(arguments)}"
            remedy = f"did you mean {near[0]!r}?" if near else remedy
        raise ConfigError(found, where=_WHERE, remedy=remedy)
    return EvaluationConfig.from_mapping({**given, "metrics": metrics}, where=_WHERE)


def known_secrets(config: EvaluationConfig, model: Any) -> frozenset[str]:
    """Keys and passwords in the settings, in the environment, and in what the user's model object calls a secret."""
    found = {*secrets_in(config.model_dump(mode="python")), *secrets_of_environment()}
    attributes = getattr(model, "__dict__", None)
    if isinstance(attributes, dict):
        found.update(secrets_in({name: value for name, value in attributes.items() if is_secret_name(str(name))}))
    return frozenset(found)
