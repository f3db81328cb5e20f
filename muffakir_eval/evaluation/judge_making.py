"""Which judge a run gets: from the settings, or the pipeline's own model."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pydantic import SecretStr

from muffakir_eval.config import EvaluationConfig, Jury
from muffakir_eval.errors import ConfigError
from muffakir_eval.evaluation.judging import Judging
from muffakir_eval.judges.batch.model import BatchModel
from muffakir_eval.judges.endpoint import NO_KEY
from muffakir_eval.judges.making import make_judge, price_of
from muffakir_eval.judges.models import make_model
from muffakir_eval.judges.panel import PanelJudge, PanelMember, Purse
from muffakir_eval.judges.protocol import ChatModel
from muffakir_eval.metrics import needs_judge
from muffakir_eval.pipelines.settings import config_of
from muffakir_eval.prompts import load_prompts
from muffakir_eval.records import Pipeline

__all__ = ["judge_settings", "judging_for", "with_jury"]

_JUDGE_KEYS = ("jury", "llm_provider", "llm_model", "base_url", "llm_base_url")


def judging_for(
    config: EvaluationConfig,
    rag: Any,
    pipeline: Pipeline,
    secrets: Collection[str] = (),
    llm_provider: Any = None,
) -> Judging | None:
    """The judge that the run needs; ``None`` where nothing is judged. No connection is opened.

    A judge is needed where a judged metric was asked for, or its word on refusals. Where no metrics were
    asked for, it is used if the settings or the pipeline offer one and the pipeline answers.

    Args:
        config: The settings.
        rag: What is under test.
        pipeline: The same as one call.
        secrets: Never to be kept or shown.
        llm_provider: Judges where the settings name no provider; by default the pipeline's own model.

    Raises:
        ConfigError: A judge is needed and cannot be made; the message names the keys to set.
    """
    own = _own_model(rag)
    offered = own if llm_provider is None else llm_provider
    if not _is_needed(config, offered, pipeline):
        return None
    prompts = load_prompts(config.language, config.prompt_overrides)
    if config.jury is not None:
        panel, missing, batches = _panel(config, config.jury, secrets)
        return Judging(
            config=config,
            judge=panel,
            prompts=prompts,
            generator=_generator(rag),
            lacking=missing,
            batches=batches,
        )
    model, lacking = _model(config, offered)
    is_own = offered is own and not any((config.llm_provider, config.base_url, config.llm_base_url))
    generator = _generator(rag) or (_text(model.identity.get("model")) if is_own else None)
    judge = make_judge(config, model, secrets=secrets)
    return Judging(
        config=config,
        judge=judge,
        prompts=prompts,
        generator=generator,
        lacking=lacking,
        batches=(model,) if isinstance(model, BatchModel) else (),
    )


def _model(config: EvaluationConfig, own: Any) -> tuple[ChatModel, str | None]:
    """The model, and what a run would miss: a dry run asks nothing, and so needs no key."""
    try:
        return _made(config, own), None
    except ConfigError as error:
        if not config.dry_run or config.api_key is not None:
            raise
        without = config.model_copy(update={"api_key": SecretStr(NO_KEY)})
        return _made(without, own), str(error)


def _made(config: EvaluationConfig, own: Any) -> ChatModel:
    model = make_model(config, llm_provider=own)
    if config.judge_mode == "live":
        return model
    from muffakir_eval.judges.batch.making import batched

    return batched(config, model)


def with_jury(config: EvaluationConfig, rag: Any, llm_provider: Any) -> EvaluationConfig:
    """The settings, with a panel that stands where one judge may stand moved into them.

    Raises:
        ConfigError: They name another judge, too.
    """
    offered = _own_model(rag) if llm_provider is None else llm_provider
    named = [key for key in ("llm_provider", "llm_model", "base_url", "llm_base_url") if getattr(config, key)]
    if isinstance(offered, Jury) and config.jury is None and (llm_provider is not None or not named):
        config = config.model_copy(update={"jury": offered})
    if config.jury is not None and named:
        raise ConfigError(
            f"there is a panel of judges, and {named[0]} too", where="config", remedy="leave one of the two out"
        )
    return config


def judge_settings(config: EvaluationConfig, settings: Mapping[str, Any], *, where: str) -> EvaluationConfig:
    """``config`` with the settings of one of several judges laid over it.

    Raises:
        ConfigError: One of them is malformed.
    """
    said = {name: getattr(config, name) for name in config.model_fields_set if name != "jury"}
    return EvaluationConfig.from_mapping({**said, **settings}, where=where)


def _panel(
    config: EvaluationConfig, panel: Jury, secrets: Collection[str]
) -> tuple[PanelJudge, str | None, tuple[BatchModel, ...]]:
    """The panel, and what a run would miss: each member with limits, patience and price of its own, one budget."""
    purse, members, missing, batches = Purse(config.budget_usd), [], [], list[BatchModel]()
    for spec in panel.members:
        own = judge_settings(config, {"budget_usd": None, **spec.settings}, where=f"jury, member {spec.label!r}")
        model, lacking = _model(own, spec.model)
        missing += [] if lacking is None else [lacking]
        name = _text(model.identity.get("model")) or ""
        batches += [model] if isinstance(model, BatchModel) else []
        meter = purse.meter(price_of(own, name or None), name or spec.label)
        members.append(PanelMember(spec.label, make_judge(own, model, secrets=secrets, meter=meter)))
    judge = PanelJudge(members, method=panel.method, quorum=panel.quorum, name=panel.name, budget_usd=config.budget_usd)
    return judge, "; ".join(missing) or None, tuple(batches)


def _is_needed(config: EvaluationConfig, own: Any, pipeline: Pipeline) -> bool:
    if config.refusal_judge and pipeline.answers is not False:
        return True
    if config.metrics is not None:
        return any(needs_judge(metric) for metric in config.metrics)
    offered = own is not None or any(getattr(config, key) is not None for key in _JUDGE_KEYS)
    return offered and pipeline.answers is not False


def _own_model(rag: Any) -> Any:
    """The pipeline's own model; objects that answer to every name are not believed."""
    try:
        own = vars(rag).get("llm_provider") if hasattr(rag, "__dict__") else None
        return own if own is not None else _class_attribute(rag, "llm_provider")
    except Exception:  # noqa: BLE001 - a broken property of the user's must not stop a run that does not need it
        return None


def _class_attribute(rag: Any, name: str) -> Any:
    return getattr(rag, name, None) if hasattr(type(rag), name) else None


def _generator(rag: Any) -> str | None:
    config, own = config_of(rag), _own_model(rag)
    configured = config.get("llm_model") if isinstance(config, Mapping) else getattr(config, "llm_model", None)
    named = (configured, *(getattr(own, name, None) for name in ("model_name", "model", "llm_model")))
    return next((text for text in map(_text, named) if text), None)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
