"""One run from what is settled to its report: the folder, the questions, the figures."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from muffakir_eval.errors import JudgeError, MuffakirEvalError, PipelineDownError, StorageError
from muffakir_eval.evaluation.rehearsal import rehearse, unjudged
from muffakir_eval.evaluation.settled import Settled
from muffakir_eval.records import SampleResult
from muffakir_eval.report import EvaluationReport, Results, build_summary
from muffakir_eval.runner import Item, run_items
from muffakir_eval.storage import RECORDS, RunFolder, RunRecords
from muffakir_eval.tally import Tally
from muffakir_eval.writers.progress import note, progress_bar

__all__ = ["run_settled"]

_log = logging.getLogger("muffakir_eval.run")


async def run_settled(settled: Settled) -> EvaluationReport:
    """Work through the questions and write the files; with ``dry_run`` only say what would be done.

    Raises:
        PipelineDownError: Too many questions in a row failed; a partial report is on disk.
        JudgeKeyError: The key of the judge was rejected; likewise.
        StorageError: The folder cannot be written.
    """
    if settled.config.dry_run:
        return await _rehearse(settled)
    store = RunFolder.open(settled.folder, settled.header(), on_existing=settled.on_existing)
    try:
        settled = _with_batches(settled, store)
        report = await _Session(settled, store).run()
    except BaseException:
        store.close()
        if not settled.keep and store.recorded.is_empty:
            store.discard()
        raise
    finally:
        if settled.judging is not None:
            await settled.judging.aclose()
    store.close()
    _log.info("run %s is finished: %d questions", report.run_id, report.n_samples)
    if not settled.keep:
        store.discard()
    elif settled.config.report_formats:
        _export(report, settled.config.report_formats)
    return report


def _export(report: EvaluationReport, formats: Sequence[str]) -> None:
    """Make the further files; the run itself is safe whatever becomes of them."""
    try:
        report.export(*formats)
    except StorageError as error:
        error.report = report
        error.add_note(f"The run itself is finished and lies in {report.folder}.")
        raise


def _with_batches(settled: Settled, store: RunFolder) -> Settled:
    """The run with the batches that an earlier part of it has sent."""
    if settled.judging is None:
        return settled
    enabled = settled.config.progress
    left = settled.judging.open_batches(store.work, store.run_id, lambda text: note(text, enabled=enabled))
    if not left:
        return settled
    told = f"batches of a run that was given up may go on, and are billed: {', '.join(left)}"
    note(told, enabled=enabled)
    return replace(settled, warnings=[*settled.warnings, told])


async def _rehearse(settled: Settled) -> EvaluationReport:
    """A report over no sample that says what a run would do; nobody is asked, nothing is written."""
    header = settled.header()
    prospect = RunFolder.look(settled.folder, header, on_existing=settled.on_existing)
    try:
        expected = await rehearse(settled, prospect.recorded)
    finally:
        if settled.judging is not None:
            await settled.judging.aclose()
    facts = settled.facts(header, partial=True)
    facts["warnings"].insert(0, "dry run: no question was asked and nothing was written")
    facts["dry_run"] = {
        **expected,
        "workers": settled.plan.workers,
        "largest_cutoff": settled.plan.depth,
        "folder": str(settled.folder) if settled.keep else None,
        "replaces_a_finished_run": prospect.replaces,
    }
    figures = Tally(settled.plan.metrics, settled.group_by, k=settled.config.k)
    report = EvaluationReport(build_summary(figures, facts), Results(RunRecords(settled.folder / RECORDS), []))
    note(str(report), enabled=settled.config.progress)
    return report


def _log_faults(result: SampleResult) -> None:
    """What failed on one question, for whoever keeps a log."""
    faults = [] if result.error is None else [result.error]
    for name, score in result.scores.items():
        if score.state == "failed" and score.reason != "pipeline_error":
            faults.append(f"{name}: {score.reason} {score.details.get('message') or ''}".rstrip())
    for fault in faults:
        _log.info("question %s (row %s): %s", result.sample.sample_id, result.sample.row, fault)


class _Session:
    """A run that goes on."""

    def __init__(self, settled: Settled, store: RunFolder) -> None:
        self._settled = settled
        self._store = store
        self._tally = Tally(settled.plan.metrics, settled.group_by, k=settled.config.k)
        self._judged = {metric.name for metric in settled.plan.metrics if "judge" in metric.needs}

    async def run(self) -> EvaluationReport:
        waiting = self._take_over()
        try:
            await self._ask(waiting)
            report = self._report(partial=False)
            if self._settled.judging is not None:
                self._settled.judging.finish_batches(self._store.records)
            self._store.finish(report.files())
        except (PipelineDownError, JudgeError, StorageError) as error:
            raise self._stopped(error) from error
        except (asyncio.CancelledError, KeyboardInterrupt) as error:
            error.add_note(self._leave())
            for line in await self._let_go():
                error.add_note(line)
            raise
        except BaseException as error:
            error.add_note(self._where_kept())
            raise
        return report

    async def _ask(self, waiting: Sequence[Item]) -> None:
        total, done = len(self._settled.items), len(self._settled.items) - len(waiting)
        if done:
            self._note(
                f"Resumed run {self._store.run_id}: {done} of {total} questions were already done. If your pipeline "
                "has changed since, start anew with on_existing='overwrite'."
            )
        elif self._store.work != self._store.folder:
            self._note(f"The finished run in {self._store.folder} is replaced at the end.")
        with progress_bar(total, done, enabled=self._settled.config.progress, cost=self._cost) as advance:

            def on_done(result: SampleResult) -> None:
                self._tally.add(result)
                _log_faults(result)
                advance(failed=result.error is not None)

            await run_items(self._settled.plan, waiting, self._store, on_done)

    def _cost(self) -> float | None:
        """US dollars that judging has cost so far."""
        usage = {} if self._settled.judging is None else self._settled.judging.usage()
        cost = usage.get("cost_usd")
        return usage.get("cost_estimate_usd") if cost is None else cost

    def _take_over(self) -> list[Item]:
        """Count what an earlier part of the run has finished; return what is left to do."""
        recorded = self._store.recorded
        finished = recorded.finished_keys()
        waiting = []
        for item in self._settled.items:
            if item.key not in finished:
                waiting.append(item)
                continue
            result = recorded.result(item.key, item.sample)
            self._check(result)
            if result.error is not None:  # it may work this time
                recorded.forget(item.key)
                waiting.append(item)
                continue
            owed = unjudged(result, self._judged)
            if self._settled.judging is not None and not (owed and self._settled.judging.batches):
                self._settled.judging.recall(result, self._judged)  # what is owed in batches is counted as it comes
            if owed:
                recorded.forget_scores(item.key)  # the judge may answer this time; the pipeline has
                waiting.append(item)
                continue
            if recorded.placed(item.key) != (item.position, item.sample.sample_id, item.sample.row):
                self._store.append_output(item.key, item.position, item.sample, result.output)
            self._tally.add(result)
        return waiting

    def _check(self, result: SampleResult) -> None:
        if result.scores.keys() != {metric.name for metric in self._settled.plan.metrics}:
            raise StorageError(
                f"the record of sample {result.sample.sample_id!r} has other scores than this run: "
                f"{', '.join(result.scores) or 'none'}",
                where=str(self._store.records),
                remedy="restore the file, or set on_existing='overwrite' to start anew",
            )

    def _report(self, *, partial: bool) -> EvaluationReport:
        finished = self._store.recorded.finished_keys()
        return EvaluationReport(
            build_summary(self._tally, self._settled.facts(self._store.header, partial=partial)),
            Results(self._store.recorded, [item for item in self._settled.items if item.key in finished]),
            folder=self._settled.folder if self._settled.keep else None,
            csv_bom=self._settled.config.csv_bom,
        )

    async def _let_go(self) -> list[str]:
        """What becomes of the batches that are under way."""
        return [] if self._settled.judging is None else await self._settled.judging.interrupted()

    def _leave(self) -> str:
        """Write the partial report of a run that stops; say where everything is."""
        kept = self._where_kept()
        if not self._store.finished:
            try:
                self._store.write_partial(self._report(partial=True).files())
            except StorageError as error:
                return f"{kept}; the partial report could not be written: {error.found}"
        return kept

    def _stopped(self, error: MuffakirEvalError) -> MuffakirEvalError:
        """``error`` with what was kept, and where; the report hangs on it."""
        remedy = "; ".join(part for part in (error.remedy, self._leave()) if part)
        stopped = type(error)(error.found, where=error.where, expected=error.expected, remedy=remedy)
        stopped.report = self._report(partial=not self._store.finished)
        return stopped

    def _where_kept(self) -> str:
        if self._store.finished:
            return f"the run is finished and lies in {self._store.work}; start it again to have it moved into place"
        done, total = self._tally.n_samples, len(self._settled.items)
        if not self._settled.keep and self._store.recorded.is_empty:
            return f"{done} of {total} questions are done, and nothing is kept"
        kept = f"{done} of {total} questions are done and kept in {self._store.records}"
        if self._settled.keep:
            return f"{kept}; start the same run again to go on from there"
        folder = str(self._settled.folder)
        return f"{kept}; run again with save=True and output_dir={folder!r} to go on from there"

    def _note(self, text: str) -> None:
        note(text, enabled=self._settled.config.progress)
