"""From settings and a model to a judge: patience, limits, cache and counting as the settings say."""

from __future__ import annotations

from collections.abc import Collection

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.judges.cache import reply_cache
from muffakir_eval.judges.judge import DEFAULT_CALL_TIMEOUT_S, AskSettings, ModelJudge
from muffakir_eval.judges.limits import Limiter
from muffakir_eval.judges.prices import Meter, find_price
from muffakir_eval.judges.protocol import ChatModel
from muffakir_eval.judges.replies import parse_reply
from muffakir_eval.judges.retry import RetryPolicy

__all__ = ["make_judge"]


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
        ConfigError: A price is malformed, or there is a budget and no price.
    """
    name = model.identity.get("model")
    if meter is None:
        price = find_price(config.prices, name if isinstance(name, str) and name else None)
        meter = Meter(price, config.budget_usd)
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
