"""From settings and a model to a judge: patience, limits, cache and counting as the settings say."""

from __future__ import annotations

from collections.abc import Collection

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.errors import ConfigError
from muffakir_eval.judges.batch.model import BatchModel
from muffakir_eval.judges.cache import reply_cache
from muffakir_eval.judges.judge import ModelJudge
from muffakir_eval.judges.limits import Limiter
from muffakir_eval.judges.prices import Meter, Price, find_price
from muffakir_eval.judges.protocol import ChatModel
from muffakir_eval.judges.replies import parse_reply
from muffakir_eval.judges.retry import RetryPolicy
from muffakir_eval.judges.verdicts import DEFAULT_CALL_TIMEOUT_S, AskSettings

__all__ = ["make_judge", "price_of"]

_ALL_AT_ONCE = 2**31


def price_of(config: EvaluationConfig, model: str | None) -> Price | None:
    """What a request to ``model`` costs in the mode of the settings: less in a batch.

    Raises:
        ConfigError: A price is malformed.

    >>> price_of(EvaluationConfig(prices={"input": 2.0, "output": 8.0}, judge_mode="batch"), "gpt-4o")
    Price(input=1.0, output=4.0)
    """
    price = find_price(config.prices, model)
    if price is None or config.judge_mode == "live":
        return price
    factor = config.batch_price_factor
    return Price(input=price.input * factor, output=price.output * factor)


def make_judge(
    config: EvaluationConfig, model: ChatModel, *, secrets: Collection[str] = (), meter: Meter | None = None
) -> ModelJudge:
    """A judge that asks ``model`` as ``config`` says. No connection and no file is opened.

    Args:
        config: The settings.
        model: Answers.
        secrets: Never to be kept or shown.
        meter: Counts for several judges together; by default one of its own, with the price and the budget.

    Raises:
        ConfigError: A price is malformed, there is a budget and no price, or ``judge_mode`` is ``batch`` and the
            model is not asked so.
    """
    if config.judge_mode == "batch" and not isinstance(model, BatchModel):
        raise ConfigError(
            "this judge is asked one question at a time",
            where="config, key 'judge_mode'",
            expected="'batch' in a run of MuffakirEvaluation, which keeps the batches in its folder",
            remedy="set it to 'live'",
        )
    name = model.identity.get("model")
    if meter is None:
        price = price_of(config, name if isinstance(name, str) and name else None)
        meter = Meter(price, config.budget_usd)
    if isinstance(model, BatchModel):
        return _batch_judge(config, model, meter, secrets)
    return ModelJudge(
        model,
        parse=parse_reply,
        cache=reply_cache(config.cache_dir),
        limiter=Limiter(
            max_concurrency=config.max_concurrency,
            requests_per_minute=config.requests_per_minute,
            tokens_per_minute=config.tokens_per_minute,
        ),
        retry=RetryPolicy() if config.retry_deadline_s is None else RetryPolicy(deadline_s=config.retry_deadline_s),
        meter=meter,
        settings=AskSettings(
            call_timeout_s=config.call_timeout_s or DEFAULT_CALL_TIMEOUT_S,
            ask_timeout_s=config.sample_timeout_s,
            max_tokens=config.llm_max_tokens,
            language=config.language,
            secrets=tuple(secrets),
            seed=config.seed,
        ),
    )


def _batch_judge(config: EvaluationConfig, model: BatchModel, meter: Meter, secrets: Collection[str]) -> ModelJudge:
    """As a live one, but that everything is asked at once, waits for hours, and counts tries instead of seconds."""
    return ModelJudge(
        model,
        parse=parse_reply,
        cache=reply_cache(config.cache_dir),
        limiter=Limiter(max_concurrency=_ALL_AT_ONCE),
        retry=RetryPolicy(most_tries=config.batch_tries),
        meter=meter,
        settings=AskSettings(
            call_timeout_s=None,
            max_tokens=config.llm_max_tokens,
            language=config.language,
            secrets=tuple(secrets),
            seed=config.seed,
        ),
        deferred=model,
    )
