"""The judge of a run: what it is asked with, what it has cost, and what it left under way."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.errors import ConfigError
from muffakir_eval.judges.batch.journal import BATCHES, Journal
from muffakir_eval.judges.batch.model import BatchModel
from muffakir_eval.judges.judge import ModelJudge
from muffakir_eval.judges.models import model_family
from muffakir_eval.judges.panel import PanelJudge, PanelMeter, seats
from muffakir_eval.judges.protocol import Usage
from muffakir_eval.metrics import Metric
from muffakir_eval.metrics.judged import CriteriaMetric, JudgedRefusal, judged_metrics, refusal_by
from muffakir_eval.prompts import PromptSet
from muffakir_eval.records import SampleResult

__all__ = ["Judging"]


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
