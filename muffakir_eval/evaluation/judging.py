"""The judge of a run: made from the settings, or from the pipeline's own model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.errors import ConfigError
from muffakir_eval.judges.endpoint import NO_KEY
from muffakir_eval.judges.judge import ModelJudge
from muffakir_eval.judges.making import make_judge
from muffakir_eval.judges.models import make_model, model_family
from muffakir_eval.judges.protocol import ChatModel, Usage
from muffakir_eval.metrics import Metric, needs_judge
from muffakir_eval.metrics.judged import CriteriaMetric, judged_metrics
from muffakir_eval.pipelines.settings import config_of
from muffakir_eval.prompts import PromptSet, load_prompts
from muffakir_eval.records import Pipeline, Score

__all__ = ["Judging", "judging_for"]

_JUDGE_KEYS = ("llm_provider", "llm_model", "base_url", "llm_base_url")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """A judge and its prompts.

    Attributes:
        config: The settings.
        judge: Is asked.
        prompts: What it is asked.
        generator: Name of the model under test, where the pipeline tells it.
        lacking: What a run would miss and a dry run does without, in words.
    """

    config: EvaluationConfig
    judge: ModelJudge
    prompts: PromptSet
    generator: str | None = None
    lacking: str | None = None

    def bind(self, request: str | CriteriaMetric) -> Metric:
        """A judged metric with this judge."""
        return judged_metrics([request], judge=self.judge, prompts=self.prompts, config=self.config)[0]

    def warnings(self) -> list[str]:
        """What a run would miss, and why this judge may not be impartial."""
        lacking = [f"a run would stop here: {self.lacking}"] if self.lacking else []
        return [*lacking, *self._kinship()]

    def _kinship(self) -> list[str]:
        model, generator = str(self.judge.identity.get("model") or ""), self.generator
        if generator is None:
            return []
        family = model_family(model)
        if generator == model:
            same = f"the judge {model} is the model under test"
        elif family is not None and model_family(generator) == family:
            same = f"the judge {model} is of the same family ({family}) as the model under test, {generator}"
        else:
            return []
        return [f"{same}: models favour answers of their own kind"]

    def identity(self) -> dict[str, Any]:
        """The model, its parameters and the repeats; prompts and modes stand in the definition of each metric."""
        return {**self.judge.identity, "repeats": self.config.judge_repeats}

    def facts(self) -> dict[str, Any]:
        """The block ``judge`` of the summary."""
        return {
            **self.identity(),
            "prompts": self.prompts.hashes,
            "faithfulness_mode": self.config.faithfulness_mode,
            "generator": self.generator,
            "served_by": sorted(self.judge.served_by),
            "notes": sorted(self.judge.notes),
        }

    def recall(self, scores: Iterable[Score]) -> None:
        """Take over from an earlier part of the run: which models judged, what they could not be told, what it took."""
        for score in scores:
            taken = score.details.get("usage")
            if taken:
                known = {name: taken[name] for name in ("calls", "input_tokens", "output_tokens", "cached")}
                self.judge.meter.add_earlier(score.name, Usage(**known))
            self.judge.recall(score.details.get("served_by", ()), score.details.get("notes", ()))

    async def aclose(self) -> None:
        """Close the connections, on the loop that made them."""
        await self.judge.aclose()

    def usage(self) -> dict[str, Any]:
        """The block ``usage`` of the summary."""
        meter = self.judge.meter
        return {**meter.total(), "budget_usd": meter.budget_usd, "by_metric": meter.by_metric()}


def judging_for(
    config: EvaluationConfig,
    rag: Any,
    pipeline: Pipeline,
    secrets: Collection[str] = (),
    llm_provider: Any = None,
) -> Judging | None:
    """The judge that the run needs; ``None`` where nothing is judged. No connection is opened.

    A judge is needed where a judged metric was asked for. Where no metrics were asked for, it is used
    if the settings or the pipeline offer one and the pipeline answers.

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
    model, lacking = _model(config, offered)
    is_own = offered is own and not any((config.llm_provider, config.base_url, config.llm_base_url))
    generator = _generator(rag) or (_text(model.identity.get("model")) if is_own else None)
    judge = make_judge(config, model, secrets=secrets)
    prompts = load_prompts(config.language, config.prompt_overrides)
    return Judging(config=config, judge=judge, prompts=prompts, generator=generator, lacking=lacking)


def _model(config: EvaluationConfig, own: Any) -> tuple[ChatModel, str | None]:
    """The model, and what a run would miss: a dry run asks nothing, and so needs no key."""
    try:
        return make_model(config, llm_provider=own), None
    except ConfigError as error:
        if not config.dry_run or config.api_key is not None:
            raise
        without = config.model_copy(update={"api_key": SecretStr(NO_KEY)})
        return make_model(without, llm_provider=own), str(error)


def _is_needed(config: EvaluationConfig, own: Any, pipeline: Pipeline) -> bool:
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
