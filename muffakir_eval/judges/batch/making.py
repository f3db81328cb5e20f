"""From settings to a model that is asked in batches."""

from __future__ import annotations

import sys

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.errors import ConfigError
from muffakir_eval.judges.batch.carrier import BatchLimits, Carrier
from muffakir_eval.judges.batch.model import BatchModel, LiveModel
from muffakir_eval.judges.batch.patience import BatchPolicy
from muffakir_eval.judges.protocol import ChatModel
from muffakir_eval.judges.providers import PROVIDERS, provider_name
from muffakir_eval.judges.retry import DEFAULT_RETRY_DEADLINE_S

__all__ = ["BATCH_PROVIDERS", "MOST_BYTES", "batched"]

BATCH_PROVIDERS = ("openai", "azure_openai", "anthropic")
"""Those whose own servers have one of the two batch interfaces."""

MOST_BYTES = 100_000_000
"""Of one batch unless the settings say otherwise: while it is sent it lies in memory more than once."""

_LIVE = "set judge_mode to 'live'"
_PER_REQUEST = ("extra_headers", "extra_query")


def batched(config: EvaluationConfig, model: ChatModel) -> BatchModel:
    """``model`` as one that is asked in batches. No connection is opened.

    Args:
        config: The settings of the judge.
        model: What they make in live mode.

    Raises:
        ConfigError: Its provider has no batch interface, or a setting cannot be kept in a batch.
    """
    _refuse_others(config)
    live, carrier = _with_carrier(config, model)
    policy = BatchPolicy(
        limits=BatchLimits(
            requests=min(config.batch_max_requests or carrier.limits.requests, carrier.limits.requests),
            size=min(config.batch_max_bytes or MOST_BYTES, carrier.limits.size),
        ),
        settle_s=min(1.0, config.batch_poll_s),
        poll_s=config.batch_poll_s,
        doubt_s=min(10.0, config.batch_poll_s),
        submit_patience_s=DEFAULT_RETRY_DEADLINE_S if config.retry_deadline_s is None else config.retry_deadline_s,
    )
    return BatchModel(live, carrier, policy)


def _refuse_others(config: EvaluationConfig) -> None:
    name = provider_name(config.llm_provider or "")
    has_own_address = bool(config.llm_base_url or config.base_url)
    if name in PROVIDERS and name not in BATCH_PROVIDERS and not has_own_address:
        raise ConfigError(
            f"{name} is not known to have a batch interface like OpenAI's or Anthropic's",
            where="config, key 'judge_mode'",
            expected=f"one of {', '.join(BATCH_PROVIDERS)}, or an llm_base_url of a server that has one",
            remedy=_LIVE,
        )
    parameters = {**(config.llm_parameters or {}), **(config.judge_llm_parameters or {})}
    for key in _PER_REQUEST:
        if key in parameters:
            raise ConfigError(
                f"{key!r} cannot be sent with a request in a batch",
                where="config, keys 'llm_parameters' and 'judge_llm_parameters'",
                remedy=f"leave it out, use default_headers or default_query, or {_LIVE}",
            )


def _with_carrier(config: EvaluationConfig, model: ChatModel) -> tuple[LiveModel, Carrier]:
    sdks = {"openai", "anthropic"} & sys.modules.keys()  # a model of an SDK has imported it
    if "anthropic" in sdks:
        from muffakir_eval.judges.anthropic_model import AnthropicModel
        from muffakir_eval.judges.batch.anthropic_carrier import AnthropicCarrier

        if isinstance(model, AnthropicModel):
            return model, AnthropicCarrier(model, poll_s=min(60.0, config.batch_poll_s))
    if "openai" in sdks:
        from muffakir_eval.judges.batch.openai_carrier import OpenAICarrier
        from muffakir_eval.judges.openai_model import OpenAIModel

        if isinstance(model, OpenAIModel):
            return model, OpenAICarrier(model)
    raise ConfigError(
        "the pipeline's own model has no batch interface",
        where="config, key 'judge_mode'",
        expected=f"llm_provider and llm_model name the judge, of {', '.join(BATCH_PROVIDERS)}",
        remedy=f"set them, or {_LIVE}",
    )
