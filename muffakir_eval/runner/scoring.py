"""The scores of one output."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from muffakir_eval.errors import JudgeError
from muffakir_eval.metrics import Metric, evaluate_metric
from muffakir_eval.metrics.scoring import TrialMaker, after_fault, failure_of
from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample, Score, Trial
from muffakir_eval.records.codec import json_value
from muffakir_eval.runner.faults import describe, ends_the_run, shorten
from muffakir_eval.runner.opinion import second_opinion
from muffakir_eval.runner.plan import RunPlan
from muffakir_eval.threads import CallThread

__all__ = ["Scorer"]


class Scorer:
    """Matches outputs with the gold evidence, and asks the metrics.

    The user's own metrics run in one thread of their own, one at a time: they may block, run a loop of
    their own, or keep things per thread, and none of them has to be safe for threads.
    """

    def __init__(self, plan: RunPlan) -> None:
        self._plan = plan
        self._maker = TrialMaker(matcher=plan.matcher, k=plan.k, depth=plan.depth, lexicon=plan.lexicon)
        self._thread = CallThread()
        self._turn = asyncio.Lock()
        self._warm_up()

    def close(self) -> None:
        """Let the thread end."""
        self._thread.close()

    def trial(self, sample: Sample, output: PipelineOutput) -> Trial:
        """All evidence about one sample."""
        return self._maker.trial(sample, output)

    async def checked(self, trial: Trial) -> tuple[Trial, Mapping[str, Any]]:
        """``trial`` after a judge's word on its refusal, where the run asks for one, and what there is to record."""
        if self._plan.ask_refusal is None:
            return trial, {}
        trial, record = await second_opinion(trial, self._plan.ask_refusal, self._plan.lexicon)
        if record.get("reason") and self._plan.judge_must_answer:
            raise self._unanswered("answer_refusal", trial, str(record["reason"]), record)
        return trial, record

    def _unanswered(self, name: str, trial: Trial, reason: str, details: Mapping[str, Any]) -> JudgeError:
        return JudgeError(
            f"{name} failed with {reason}: {details.get('message') or 'no more is known'}",
            where=f"sample {trial.sample.sample_id!r}",
            remedy="mend the cause, or set fail_on_judge_error to false to have it counted",
        )

    def _warm_up(self) -> None:
        """What is read or imported on first use is no time of the first question."""
        text = "تمهيد"
        output = PipelineOutput(answer=text, chunks=(RetrievedChunk(text=text),))
        self.trial(Sample(sample_id="", question="", contexts=(f"{text} لا غير",)), output)

    async def scores(self, trial: Trial) -> dict[str, Score]:
        """The score of every metric of the run; the judged ones are asked for side by side."""
        judged = [metric for metric in self._plan.metrics if "judge" in metric.needs]
        scores = dict(zip((metric.name for metric in judged), await self._side_by_side(judged, trial), strict=True))
        for metric in self._plan.metrics:
            if metric.name not in scores:
                scores[metric.name] = await self._score(metric, trial)
        return {metric.name: scores[metric.name] for metric in self._plan.metrics}

    async def _side_by_side(self, metrics: Sequence[Metric], trial: Trial) -> Sequence[Score]:
        """The scores of ``metrics``; where one of them ends the run, none of the others outlives it."""
        tasks = [asyncio.create_task(self._score(metric, trial)) for metric in metrics]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _score(self, metric: Metric, trial: Trial) -> Score:
        if metric.family == "custom":
            users = trial.output.error is None
            return await self._users(metric, trial) if users else failure_of(metric, trial.output)
        score = after_fault(metric, trial, await evaluate_metric(metric, trial))
        if trial.output.error is not None:
            return score
        if score.state == "failed" and self._plan.judge_must_answer and "judge" in metric.needs:
            raise self._unanswered(metric.name, trial, str(score.reason), score.details)
        return score

    async def _users(self, metric: Metric, trial: Trial) -> Score:
        """The score of a metric that the user wrote: nothing that it does ends the run."""
        limit = asyncio.timeout(None)

        async def compute(trial: Trial) -> Score:
            async with self._turn:  # the time that it waits for others is not its own
                if self._plan.sample_timeout_s is not None:
                    limit.reschedule(asyncio.get_running_loop().time() + self._plan.sample_timeout_s)
                found = await self._thread.run(lambda: metric.compute(trial))
            return found if isinstance(found, Score) else await found

        try:
            async with limit:
                score = await evaluate_metric(replace(metric, compute=compute), trial)
            return replace(score, details=self._details(score.details))
        except BaseException as error:
            if ends_the_run(error):
                raise
            if limit.expired():
                return Score.failed(metric.name, "timeout")
            message = describe(error, self._plan.redact)
            return Score.failed(metric.name, "metric_error", {"type": type(error).__name__, "message": message})

    def _details(self, details: Mapping[str, Any]) -> Mapping[str, Any]:
        """As plain values; what an error says without secrets."""
        try:
            plain = {str(name): json_value(value) for name, value in details.items()}
        except Exception as error:  # noqa: BLE001 - whatever the user's function put there
            return {"message": f"the details cannot be written down: {describe(error, self._plan.redact)}"}
        if isinstance(plain.get("message"), str):
            plain["message"] = shorten(plain["message"], self._plan.redact)
        return plain
