"""One run from its settled plan to its report: the folder, the questions, the figures."""

from __future__ import annotations

import asyncio
import platform
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from muffakir_eval.config import EvaluationConfig, metric_name
from muffakir_eval.errors import MuffakirEvalError, PipelineDownError, StorageError
from muffakir_eval.evaluation.planning import fingerprint, identity
from muffakir_eval.metrics import Metric
from muffakir_eval.records import Pipeline, SampleResult
from muffakir_eval.report import EvaluationReport, Results, build_summary
from muffakir_eval.runner import Item, RunPlan, run_items
from muffakir_eval.storage import RunFolder
from muffakir_eval.tally import Tally
from muffakir_eval.writers.progress import note, progress_bar

__all__ = ["Session"]

PACKAGE = "muffakir-eval"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Everything that is settled before the first question is asked.

    Attributes:
        config: The settings.
        plan: What to do with every question.
        items: The questions.
        dataset: What was read, for the summary: source and mapping.
        warnings: What the user should know, for the summary.
        folder: Where the run goes.
        keep: Whether it stays there; otherwise it is removed once the run has succeeded.
    """

    config: EvaluationConfig
    plan: RunPlan
    items: Sequence[Item]
    dataset: Mapping[str, Any]
    folder: Path
    keep: bool
    warnings: Sequence[str] = field(default=())

    async def run(self) -> EvaluationReport:
        """Work through the questions and write the files.

        Raises:
            PipelineDownError: Too many questions in a row failed; a partial report is on disk.
            StorageError: The folder cannot be written.
        """
        started = datetime.now(UTC)
        header = {
            "run_id": f"{started:%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}",
            "started_at": started.isoformat(timespec="seconds"),
            "identity": self._identity(),
            "dataset": dict(self.dataset),
        }
        on_existing = self.config.on_existing if self.keep else "overwrite"
        store = RunFolder.open(self.folder, header, on_existing=on_existing)
        try:
            report = await self._work(store)
        finally:
            store.close()
        if not self.keep:
            store.discard()
        return report

    async def _work(self, store: RunFolder) -> EvaluationReport:
        tally = Tally(self.plan.metrics)
        waiting = self._take_over(store, tally)
        done = len(self.items) - len(waiting)
        if done:
            self._note(f"Resumed run {store.run_id}: {done} of {len(self.items)} questions were already done.")
        try:
            with progress_bar(len(self.items), done, enabled=self.config.progress) as advance:

                def on_done(result: SampleResult) -> None:
                    tally.add(result)
                    advance(failed=result.error is not None)

                await run_items(self.plan, waiting, store, on_done)
        except (PipelineDownError, StorageError) as error:
            raise self._stopped(error, store, tally) from error
        except (asyncio.CancelledError, KeyboardInterrupt):
            self._write_partial(store, tally)
            self._note(f"Interrupted: {self._where_kept(store, tally)}")
            raise
        report = self._report(store, tally, partial=False)
        store.finish(report.files())
        return report

    def _take_over(self, store: RunFolder, tally: Tally) -> list[Item]:
        """Count what an earlier part of the run has finished; return what is left to do."""
        finished = store.finished_keys()
        waiting = []
        for item in self.items:
            if item.key not in finished:
                waiting.append(item)
                continue
            result = store.result(item.key, item.sample)
            if result.error is not None:  # it may work this time
                store.forget(item.key)
                waiting.append(item)
                continue
            if store.placed(item.key) != (item.position, item.sample.sample_id, item.sample.row):
                store.append_output(item.key, item.position, item.sample, result.output)
            tally.add(result)
        return waiting

    def _identity(self) -> dict[str, Any]:
        return identity(self.config, self.plan.pipeline, self.plan.metrics, self.items, version(PACKAGE))

    def _report(self, store: RunFolder, tally: Tally, *, partial: bool) -> EvaluationReport:
        finished = store.finished_keys()
        items = [item for item in self.items if item.key in finished]
        facts = {
            "run_id": store.run_id,
            "k": self.config.k,
            "metrics_enabled": _requested(self.config, self.plan.metrics),
            "partial": partial,
            "n_planned": len(self.items),
            "language": self.config.language,
            "started_at": store.header["started_at"],
            "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "dataset": {**self.dataset, "fingerprint": fingerprint(self.items), "n_samples": len(self.items)},
            "pipeline": _pipeline_facts(self.plan.pipeline),
            "matching": self.config.match_settings.model_dump(),
            "judge": None,
            "config": self.config.public_dict(),
            "versions": {PACKAGE: version(PACKAGE), "python": platform.python_version()},
            "warnings": list(self.warnings),
        }
        return EvaluationReport(
            build_summary(tally, facts),
            Results(store, items),
            folder=self.folder if self.keep else None,
            csv_bom=self.config.csv_bom,
        )

    def _write_partial(self, store: RunFolder, tally: Tally) -> EvaluationReport:
        report = self._report(store, tally, partial=True)
        store.write_partial(report.files())
        return report

    def _stopped(self, error: MuffakirEvalError, store: RunFolder, tally: Tally) -> MuffakirEvalError:
        """``error`` with what was kept, and where; the partial report hangs on it."""
        try:
            report: EvaluationReport | None = self._write_partial(store, tally)
        except StorageError:
            report = None
        stopped = type(error)(
            error.found, where=error.where, expected=error.expected, remedy=self._where_kept(store, tally)
        )
        stopped.report = report
        return stopped

    def _where_kept(self, store: RunFolder, tally: Tally) -> str:
        kept = f"{tally.n_samples} of {len(self.items)} questions are done and kept in {store.records}"
        if self.keep:
            return f"{kept}; start the same run again to go on from there"
        return f"{kept}; run again with save=True and output_dir={str(self.folder)!r} to go on from there"

    def _note(self, text: str) -> None:
        note(text, enabled=self.config.progress)


def _requested(config: EvaluationConfig, metrics: Sequence[Metric]) -> list[str]:
    if config.metrics is not None:
        return list(dict.fromkeys(metric_name(metric) for metric in config.metrics))
    return list(dict.fromkeys(metric.requested_as for metric in metrics))


def _pipeline_facts(pipeline: Pipeline) -> dict[str, Any]:
    return {"pipeline_id": pipeline.pipeline_id, "settings": dict(pipeline.settings)}


def with_redaction(plan: RunPlan, config: EvaluationConfig) -> RunPlan:
    """The plan with the configured key taken out of every error text."""
    if config.api_key is None:
        return plan
    key, plain = config.api_key.get_secret_value(), plan.redact
    return replace(plan, redact=lambda text: plain(text.replace(key, "***") if key else text))
