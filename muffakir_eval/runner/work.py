"""Workers that take one question after the other."""

from __future__ import annotations

import asyncio
import operator
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from muffakir_eval.errors import PipelineDownError, StorageError
from muffakir_eval.records import PipelineOutput, SampleResult
from muffakir_eval.runner.asking import ask
from muffakir_eval.runner.faults import describe
from muffakir_eval.runner.plan import Item, RunPlan
from muffakir_eval.runner.scoring import Scorer
from muffakir_eval.runner.store import Store
from muffakir_eval.threads import CallThread

__all__ = ["run_items"]


class _ErrorStreak:
    """Counts questions in a row on which the pipeline failed."""

    def __init__(self, limit: int | None) -> None:
        self.limit = limit
        self.length = 0
        self.example: str | None = None

    def note(self, error: str | None) -> None:
        self.length = self.length + 1 if error else 0
        self.example = error or None

    @property
    def broken(self) -> bool:
        return self.limit is not None and self.length >= self.limit


class _Desk:
    """What the workers of one run share."""

    def __init__(
        self, plan: RunPlan, items: Sequence[Item], store: Store, on_done: Callable[[SampleResult], None]
    ) -> None:
        self.plan = plan
        self.waiting = iter(items)
        self.store = store
        self.scorer = Scorer(plan)
        self.streak = _ErrorStreak(plan.max_errors_in_a_row)
        self.fault: BaseException | None = None
        self._on_done = on_done
        self._places = asyncio.Semaphore(max(1, plan.scored_at_once))
        self._scoring: set[asyncio.Task[None]] = set()
        self._workers: list[asyncio.Task[None]] = []

    async def run(self) -> None:
        count = min(self.plan.workers, operator.length_hint(self.waiting))
        self._workers = [asyncio.create_task(_work(self)) for _ in range(count)]
        try:
            await asyncio.gather(*self._workers)
            await asyncio.gather(*self._scoring)
        except asyncio.CancelledError:
            if self.fault is None:
                raise
        finally:
            tasks = [*self._workers, *self._scoring]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.scorer.close()
        if self.fault is not None:
            raise self.fault

    async def hand_over(self, item: Item, output: PipelineOutput) -> None:
        """Have ``output`` scored: at once, or beside the pipeline where scores are waited for."""
        if not self.plan.scored_at_once:
            await self._score(item, output)
            return
        await self._places.acquire()
        task = asyncio.create_task(self._score_aside(item, output))
        self._scoring.add(task)
        task.add_done_callback(self._scoring.discard)

    async def _score_aside(self, item: Item, output: PipelineOutput) -> None:
        try:
            await self._score(item, output)
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - it ends the run, which raises it
            if self.fault is None:
                self.fault = error
                for worker in self._workers:
                    worker.cancel()
        finally:
            self._places.release()

    async def _score(self, item: Item, output: PipelineOutput) -> None:
        started = time.perf_counter()
        trial, refusal_check = await self.scorer.checked(self.scorer.trial(item.sample, output))
        scores = await self.scorer.scores(trial)
        overhead = (time.perf_counter() - started) * 1000.0
        result = SampleResult(
            key=item.key,
            sample=item.sample,
            output=output,
            matches=trial.matches,
            scores=scores,
            refusal=trial.refusal,
            refusal_check=refusal_check,
            answerable=trial.answerable,
            latency_ms=overhead + (output.pipeline_latency_ms or 0.0),
            pipeline_latency_ms=output.pipeline_latency_ms,
            evaluation_overhead_ms=overhead,
        )
        self.store.append_result(result)
        self._on_done(result)


async def run_items(
    plan: RunPlan, items: Sequence[Item], store: Store, on_done: Callable[[SampleResult], None]
) -> None:
    """Work through ``items``; every finished one is in ``store`` before ``on_done`` hears of it.

    An exception of the pipeline is that question's error and not the end of the run.

    Raises:
        PipelineDownError: Too many questions in a row failed.
        JudgeKeyError: The key of the judge was rejected.
        StorageError: A record could not be written.
    """
    await _Desk(plan, items, store, on_done).run()


async def _work(desk: _Desk) -> None:
    thread, streak = CallThread(), desk.streak
    try:
        for item in desk.waiting:
            if streak.broken:
                return
            output = desk.store.recorded.output(item.key)
            if output is None:
                with desk.plan.asking():
                    output = await ask(desk.plan, item.sample, thread)
                output = _written(desk, item, output)
            streak.note(output.error)  # before it may wait for a place, while others go on asking
            await desk.hand_over(item, output)
            if streak.broken:
                raise PipelineDownError(
                    f"the pipeline failed on {streak.length} questions in a row; the last error was: "
                    f"{streak.example.removesuffix('.')}",
                    where=desk.plan.pipeline.pipeline_id,
                    remedy="mend the pipeline",
                )
            await asyncio.sleep(0)  # let an interruption in between questions that never wait
    finally:
        thread.close()


def _bare(output: PipelineOutput, fault: str) -> PipelineOutput:
    """Metadata are of no use to a metric: an output does without."""
    chunks = output.chunks and tuple(replace(chunk, metadata={}) for chunk in output.chunks)
    return replace(output, chunks=chunks, metadata={"left_out": fault})


def _failed(output: PipelineOutput, fault: str) -> PipelineOutput:
    return PipelineOutput(error=fault, pipeline_latency_ms=output.pipeline_latency_ms)


_LESSER = (_bare, _failed)


def _written(
    desk: _Desk,
    item: Item,
    output: PipelineOutput,
    lesser: Sequence[Callable[[PipelineOutput, str], PipelineOutput]] = _LESSER,
) -> PipelineOutput:
    """``output`` once it is on disk, or what of it can be written down: without its metadata, or only as an error."""
    try:
        desk.store.append_output(item.key, item.position, item.sample, output)
    except StorageError:
        raise
    except Exception as error:
        if not lesser:
            raise
        # Writing calls str() on whatever the pipeline put there, so anything may be raised.
        fault = f"what the pipeline returned cannot be written down: {describe(error, desk.plan.redact)}"
        return _written(desk, item, lesser[0](output, fault), lesser[1:])
    return output
