"""The judge of a run: made from the settings, or from the pipeline's own model."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from muffakir_eval.config import EvaluationConfig, Jury
from muffakir_eval.errors import ConfigError
from muffakir_eval.judges.batch.journal import BATCHES, Journal
from muffakir_eval.judges.batch.model import BatchModel
from muffakir_eval.judges.endpoint import NO_KEY
from muffakir_eval.judges.judge import ModelJudge
from muffakir_eval.judges.making import make_judge, price_of
from muffakir_eval.judges.models import make_model, model_family
from muffakir_eval.judges.panel import PanelJudge, PanelMember, PanelMeter, Purse, seats
from muffakir_eval.judges.protocol import ChatModel, Usage
from muffakir_eval.metrics import Metric, needs_judge
from muffakir_eval.metrics.judged import CriteriaMetric, JudgedRefusal, judged_metrics, refusal_by
from muffakir_eval.pipelines.settings import config_of
from muffakir_eval.prompts import PromptSet, load_prompts
from muffakir_eval.records import Pipeline, SampleResult

__all__ = ["Judging", "judge_settings", "judging_for", "with_jury"]

_JUDGE_KEYS = ("jury", "llm_provider", "llm_model", "base_url", "llm_base_url")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """A judge and its prompts.

    Attributes:
        config: The settings.
        judge: Is asked.
        prompts: What it is asked.
        generator: Name of the model under test, where the pipeline tells it.
        lacking: What a run would miss and a dry run does without, in words.
        batches: The models that are asked in batches.
    """

    config: EvaluationConfig
    judge: ModelJudge | PanelJudge
    prompts: PromptSet
    generator: str | None = None
    lacking: str | None = None
    batches: tuple[BatchModel, ...] = ()
    _journals: list[Journal] = field(default_factory=list, init=False, repr=False)

    def bind(self, request: str | CriteriaMetric) -> Metric:
        """A judged metric with this judge."""
        return judged_metrics([request], judge=self.judge, prompts=self.prompts, config=self.config)[0]

    async def refusal_opinion(self, question: str, answer: str) -> JudgedRefusal:
        """Whether ``answer`` declines to answer ``question``, by this judge."""
        return await refusal_by(question, answer, judge=self.judge, prompts=self.prompts)

    def warnings(self) -> list[str]:
        """What a run would miss, and why this judge may not be impartial."""
        lacking = [f"a run would stop here: {self.lacking}"] if self.lacking else []
        return [*lacking, *self._kinship(), *self._reckoning()]

    def _reckoning(self) -> list[str]:
        if not self.batches or self.config.prices is None:
            return []
        return [f"judged in batches: costs are reckoned at {self.config.batch_price_factor:g} of the prices"]

    def _kinship(self) -> list[str]:
        parts = self.judge.identity.get("members") or [self.judge.identity]
        return [line for part in parts for line in self._kin(str(part.get("model") or ""))]

    def _kin(self, model: str) -> list[str]:
        generator = self.generator
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
            **self.mode(),
            **({"batches": self._sent()} if self.batches else {}),
        }

    def mode(self) -> dict[str, Any]:
        """How the judge is asked, and at which share of its prices; nothing of one that is asked live."""
        return {"mode": "batch", "price_factor": self.config.batch_price_factor} if self.batches else {}

    def _sent(self) -> list[str]:
        entries = (entry for journal in self._journals for entry in journal.entries)
        return [entry.batch for entry in entries if entry.batch is not None and entry.status != "void"]

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Around something that may lead to further questions to the judge."""
        with contextlib.ExitStack() as stack:
            for model in self.batches:
                stack.enter_context(model.asking())
            yield

    def open_batches(self, folder: Path, run_id: str, say: Callable[[str], None]) -> list[str]:
        """Begin with the batches of a run, or go on with those that it has sent before.

        Args:
            folder: Of the run.
            run_id: What it is called.
            say: Tells the user.

        Returns:
            Batches of a run in the same folder that was given up, and that may go on at the provider.

        Raises:
            ConfigError: There are such batches, and the judge is to be asked live.
            StorageError: The record of the batches cannot be read.
        """
        if not self.batches and not (folder / BATCHES).exists():
            return []
        journal = Journal(folder / BATCHES, run_id)
        if not self.batches:
            _refuse_paying_twice(journal)
            return journal.left
        for model in self.batches:
            model.open(journal, say)
        self._journals.append(journal)
        return journal.left

    async def interrupted(self) -> list[str]:
        """What becomes of the batches that are under way when a run is interrupted, in words."""
        cancel = self.config.batch_cancel_on_interrupt
        return [note for model in self.batches for note in await model.interrupted(cancel=cancel)]

    def finish_batches(self, records: Path) -> None:
        """The run has everything that it has asked for, in ``records``."""
        for journal in self._journals:
            journal.finish(records)

    def recall(self, result: SampleResult, judged: Collection[str]) -> None:
        """Take over from an earlier part of the run: which models judged, what they could not be told, what it took.

        Args:
            result: A sample that was finished.
            judged: The metrics that a judge was asked about.
        """
        self._recall("answer_refusal", result.refusal_check)
        for name in judged:
            self._recall(name, result.scores[name].details)

    def _recall(self, name: str, details: Mapping[str, Any]) -> None:
        for judge, told in seats(self.judge, details):
            taken = told.get("usage")
            if taken:
                known = {figure: taken[figure] for figure in ("calls", "input_tokens", "output_tokens", "cached")}
                judge.meter.add_earlier(name, Usage(**known))
            judge.recall(told.get("served_by", ()), told.get("notes", ()))

    async def aclose(self) -> None:
        """Close the connections, on the loop that made them."""
        await self.judge.aclose()

    def usage(self) -> dict[str, Any]:
        """The block ``usage`` of the summary."""
        meter = self.judge.meter
        found = {**meter.total(), "budget_usd": meter.budget_usd, "by_metric": meter.by_metric()}
        return {**found, "by_member": meter.by_member()} if isinstance(meter, PanelMeter) else found


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


def _refuse_paying_twice(journal: Journal) -> None:
    """Before a run is resumed live whose batches are under way."""
    going = [entry.batch or entry.token for entry in journal.entries if entry.status == "open"]
    if going:
        raise ConfigError(
            f"the run has batches that are not collected, and are billed: {', '.join(going)}",
            where="config, key 'judge_mode'",
            expected="'batch', which collects them",
            remedy=f"set it so, or remove {journal.path} to have the same asked, and billed, once more",
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
