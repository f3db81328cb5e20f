"""The run itself: question by question through the pipeline, the matcher and the metrics.

The only place that decides what happens at the same time as what.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from muffakir_eval.errors import MuffakirEvalError, PipelineDownError
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.metrics import Metric, evaluate_metric
from muffakir_eval.records import ChunkMatch, Pipeline, PipelineOutput, Sample, SampleResult, Score, Trial
from muffakir_eval.redaction import redact
from muffakir_eval.refusals import answerability, find_refusal
from muffakir_eval.storage import RunFolder
from muffakir_eval.threads import CallThread

__all__ = ["Item", "RunPlan", "run_items"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question of a run.

    Attributes:
        key: Identifies it by content.
        position: Its place in the dataset, from 0.
        sample: The question.
    """

    key: str
    position: int
    sample: Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """What to do with every question.

    Attributes:
        pipeline: What is under test.
        metrics: In the order of the report.
        matcher: Compares chunks with the gold evidence.
        k: Main cutoff.
        depth: Largest cutoff; a pipeline that allows it is called with this one.
        workers: Questions at once.
        sample_timeout_s: Wall-clock seconds for one call of the pipeline.
        max_errors_in_a_row: So many failing questions in a row stop the run.
        redact: Takes the secrets out of an error text.
    """

    pipeline: Pipeline
    metrics: tuple[Metric, ...]
    matcher: ChunkMatcher
    k: int
    depth: int
    workers: int = 1
    sample_timeout_s: float | None = None
    max_errors_in_a_row: int = 20
    redact: Callable[[str], str] = redact


class _ErrorStreak:
    """Counts questions in a row on which the pipeline failed."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.length = 0
        self.example: str | None = None

    def note(self, error: str | None) -> None:
        self.length = self.length + 1 if error else 0
        self.example = error or None

    @property
    def broken(self) -> bool:
        return self.length >= self.limit


async def run_items(
    plan: RunPlan, items: Sequence[Item], store: RunFolder, on_done: Callable[[SampleResult], None]
) -> None:
    """Work through ``items``; every finished one is in ``store`` before ``on_done`` hears of it.

    An exception of the pipeline is that question's error and not the end of the run.

    Raises:
        PipelineDownError: Too many questions in a row failed.
        StorageError: A record could not be written.
    """
    streak = _ErrorStreak(plan.max_errors_in_a_row)
    waiting = iter(items)
    workers = [
        asyncio.create_task(_work(plan, waiting, store, on_done, streak)) for _ in range(min(plan.workers, len(items)))
    ]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


async def _work(
    plan: RunPlan,
    waiting: Iterator[Item],
    store: RunFolder,
    on_done: Callable[[SampleResult], None],
    streak: _ErrorStreak,
) -> None:
    thread = CallThread()
    try:
        for item in waiting:
            if streak.broken:
                return
            result = await _one(plan, item, store, thread)
            store.append_result(result)
            on_done(result)
            streak.note(result.error)
            if streak.broken:
                raise PipelineDownError(
                    f"the pipeline failed on {streak.length} questions in a row; the last error was: {streak.example}",
                    where=plan.pipeline.pipeline_id,
                    remedy="mend the pipeline and start the same run again: finished questions are kept",
                )
            await asyncio.sleep(0)  # let an interruption in between questions that never wait
    finally:
        thread.close()


async def _one(plan: RunPlan, item: Item, store: RunFolder, thread: CallThread) -> SampleResult:
    output = store.output(item.key)
    if output is None:
        output = await _timed(plan, item.sample, thread)
        store.append_output(item.key, item.position, item.sample, output)
    started = time.perf_counter()
    trial = _trial(plan, item.sample, output)
    scores = await _scores(plan, trial)
    overhead = _ms_since(started)
    return SampleResult(
        key=item.key,
        sample=item.sample,
        output=output,
        matches=trial.matches,
        scores=scores,
        refusal=trial.refusal,
        answerable=trial.answerable,
        latency_ms=overhead + (output.pipeline_latency_ms or 0.0),
        pipeline_latency_ms=output.pipeline_latency_ms,
        evaluation_overhead_ms=overhead,
    )


async def _timed(plan: RunPlan, sample: Sample, thread: CallThread) -> PipelineOutput:
    """The pipeline's output, with our own clock where the pipeline has none; a recording is not timed."""
    started = time.perf_counter()
    output = await _ask(plan, sample, thread)
    if output.pipeline_latency_ms is None and output is not sample.recorded:
        return replace(output, pipeline_latency_ms=_ms_since(started))
    return output


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000.0


def _trial(plan: RunPlan, sample: Sample, output: PipelineOutput) -> Trial:
    matches: tuple[ChunkMatch, ...] = ()
    if output.chunks and sample.golds:
        matches = plan.matcher.match(output.chunks[: plan.depth], sample)
    return Trial(
        sample=sample,
        output=output,
        matches=matches,
        k=plan.k,
        refusal=find_refusal(output.answer),
        answerable=answerability(sample),
    )


async def _scores(plan: RunPlan, trial: Trial) -> dict[str, Score]:
    return {metric.name: await _score(metric, trial) for metric in plan.metrics}


async def _score(metric: Metric, trial: Trial) -> Score:
    """A metric of ours says itself whether it would have applied to a question without an output."""
    if trial.output.error is None:
        return await evaluate_metric(metric, trial)
    reason = "timeout" if trial.output.metadata.get("timeout") else "pipeline_error"
    if metric.family != "custom":
        score = await evaluate_metric(metric, trial)
        if score.state == "not_applicable":
            return score
    return Score.failed(metric.name, reason)


async def _ask(plan: RunPlan, sample: Sample, thread: CallThread) -> PipelineOutput:
    cutoff = plan.depth if plan.pipeline.any_k else plan.k
    limit = asyncio.timeout(plan.sample_timeout_s)
    try:
        async with limit:
            return await _call(plan.pipeline, sample, cutoff, thread)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it is this sample's error
        if limit.expired():
            return PipelineOutput(
                error=f"TimeoutError: no output within {plan.sample_timeout_s:g} s", metadata={"timeout": True}
            )
        return PipelineOutput(error=plan.redact(_describe(error)))


async def _call(pipeline: Pipeline, sample: Sample, k: int, thread: CallThread) -> PipelineOutput:
    if pipeline.execution == "thread":
        found = await thread.run(lambda: pipeline.call(sample, k))
    else:
        found = pipeline.call(sample, k)
    if inspect.isawaitable(found):
        return await found
    return found


def _describe(error: BaseException) -> str:
    if isinstance(error, MuffakirEvalError):
        return str(error)
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
