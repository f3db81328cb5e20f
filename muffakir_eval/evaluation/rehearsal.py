"""What a run would take, found out without taking it: calls of the pipeline, and calls, tokens and cost of the judge.

The prompts are those that the run would send. They are made of real outputs where there are any: those
of the dataset, or of an unfinished run in the folder. A pipeline that would have to be called is not;
an answer and chunks of stated lengths stand in for its output.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from muffakir_eval.evaluation.judging import Judging
from muffakir_eval.evaluation.settled import Settled
from muffakir_eval.judges.cache import reply_cache
from muffakir_eval.judges.judge import ModelJudge
from muffakir_eval.judges.panel import PanelJudge, PanelMember
from muffakir_eval.judges.prices import ASSUMED_OUTPUT_TOKENS, Meter, prompt_tokens
from muffakir_eval.judges.protocol import Prompt, ReplyT, Verdict
from muffakir_eval.metrics import Metric
from muffakir_eval.metrics.judged import CriteriaMetric, JudgedRefusal, judged_metrics, refusal_by
from muffakir_eval.records import Pipeline, PipelineOutput, RetrievedChunk, Sample, SampleResult, Trial
from muffakir_eval.refusals import answerability, find_refusal
from muffakir_eval.runner import Item
from muffakir_eval.runner.opinion import second_opinion
from muffakir_eval.storage import RunRecords

__all__ = ["ASSUMED_ANSWER_WORDS", "ASSUMED_CHUNK_WORDS", "rehearse", "unjudged"]

ASSUMED_ANSWER_WORDS = 60
"""Words of an answer that is not there yet: three or four sentences."""

ASSUMED_CHUNK_WORDS = 120
"""Words of a retrieved chunk that is not there yet: a paragraph."""

_FILLER = {
    "ar": "يستحق العامل عن كل سنة خدمة إجازة سنوية مدفوعة الأجر مدتها واحد وعشرون يومًا كاملة.",
    "en": "For every year of service the employee is entitled to a paid annual leave of twenty-one full days.",
}
"""Stands in for texts that are not there yet; one sentence, so that they fall into sentences as texts do."""

_FIGURES = ("calls", "input_tokens", "output_tokens", "cost_usd", "cached")


async def rehearse(settled: Settled, recorded: RunRecords | None) -> dict[str, Any]:
    """What the run that is ``settled`` would do.

    Args:
        settled: The run.
        recorded: What an unfinished run in its folder has recorded.

    Returns:
        ``n_done`` questions that need nothing more, ``n_to_ask`` that the pipeline would be asked, and
        ``judge`` (``None`` where nothing is judged): ``model``; ``calls``, ``input_tokens``,
        ``output_tokens``, ``cost_usd`` (``None`` without a price) and ``cached`` replies, which are no
        calls, in total and ``by_metric``; ``budget_usd``; and what was ``assumed``.
    """
    judged = {metric.name for metric in settled.plan.metrics if "judge" in metric.needs}
    finished = recorded.finished_keys() if recorded is not None else frozenset[str]()
    forecast = None if settled.judging is None else _Forecast(settled, settled.judging, judged)
    n_done = n_to_ask = 0
    for item in settled.items:
        output = None
        if recorded is not None:
            done, output = _taken_up(recorded, item, finished, judged)
            if done:
                n_done += 1
                continue
        n_to_ask += output is None
        if forecast is not None:
            await forecast.add(item.sample, output)
        await asyncio.sleep(0)  # let an interruption in
    return {"n_done": n_done, "n_to_ask": n_to_ask, "judge": None if forecast is None else forecast.figures()}


def _taken_up(
    recorded: RunRecords, item: Item, finished: Collection[str], judged: Collection[str]
) -> tuple[bool, PipelineOutput | None]:
    """Whether a run that goes on has nothing to do for ``item``, and the output that it need not ask for again."""
    if item.key not in finished:
        return False, recorded.output(item.key)
    result = recorded.result(item.key, item.sample)
    if result.error is not None:
        return False, None
    return not unjudged(result, judged), result.output


def unjudged(result: SampleResult, judged: Collection[str]) -> bool:
    """Whether a judge owes an answer about ``result``, and may give it when asked again."""
    failed = any(score.state == "failed" and score.name in judged for score in result.scores.values())
    return failed or bool(result.refusal_check.get("reason"))


class _Forecast:
    """What judging would take, one question after the other."""

    def __init__(self, settled: Settled, judging: Judging, judged: Collection[str]) -> None:
        cache = reply_cache(settled.config.cache_dir)
        # Opening a cache makes its file, and a dry run makes none.
        self._judge = _noting(judging.judge, look_up=cache is not None and cache.path.exists())
        self._judging = judging
        self._plan = settled.plan
        self._metrics = _bound(judging, self._judge, judged)
        self._stand_in = _stand_in(settled.plan.pipeline, settled.plan.k, settled.config.language)
        self._n_assumed = 0

    async def add(self, sample: Sample, output: PipelineOutput | None) -> None:
        """Have the metrics ask about ``sample``."""
        if output is None:
            output = self._expected(sample)
        trial = Trial(
            sample=sample,
            output=output,
            k=self._plan.k,
            refusal=find_refusal(output.answer, self._plan.lexicon),
            answerable=answerability(sample, self._plan.lexicon),
        )
        if self._plan.ask_refusal is not None:
            await second_opinion(trial, self._ask_refusal, self._plan.lexicon)
        for metric in self._metrics:
            score = metric.compute(trial)
            if inspect.isawaitable(score):
                await score

    async def _ask_refusal(self, question: str, answer: str) -> JudgedRefusal:
        return await refusal_by(question, answer, judge=self._judge, prompts=self._judging.prompts)

    def _expected(self, sample: Sample) -> PipelineOutput:
        if not self._plan.timed:  # nothing but recorded outputs
            return sample.recorded or PipelineOutput(error="no recorded output")
        self._n_assumed += 1
        return self._stand_in

    def figures(self) -> dict[str, Any]:
        """The block ``judge`` of the plan."""
        meter, identity = self._judge.meter, self._judge.identity
        answer, chunks = (self._stand_in.answer, self._stand_in.chunks) if self._n_assumed else (None, None)
        return {
            "model": identity.get("model") or identity.get("provider"),
            **self._judging.mode(),
            **_figures(meter.total()),
            "by_metric": {name: _figures(figures) for name, figures in meter.by_metric().items()},
            "budget_usd": self._judging.judge.meter.budget_usd,
            "assumed": {
                "reply_tokens": ASSUMED_OUTPUT_TOKENS,
                "n_outputs": self._n_assumed,
                "answer_words": None if answer is None else ASSUMED_ANSWER_WORDS,
                "chunks": None if chunks is None else len(chunks),
                "chunk_words": None if chunks is None else ASSUMED_CHUNK_WORDS,
            },
        }


def _figures(counted: Mapping[str, Any]) -> dict[str, Any]:
    return {name: counted[name] for name in _FIGURES}


def _noting(judge: ModelJudge | PanelJudge, *, look_up: bool) -> _Noting | PanelJudge:
    if not isinstance(judge, PanelJudge):
        return _Noting(judge, look_up=look_up)
    return judge.seated([PanelMember(each.label, _Noting(each.judge, look_up=look_up)) for each in judge.members])


def _bound(judging: Judging, judge: _Noting | PanelJudge, judged: Collection[str]) -> Sequence[Metric]:
    """The judged metrics of the run, with ``judge`` in place of its own."""
    own = {metric.name: metric for metric in judging.config.metrics or () if isinstance(metric, CriteriaMetric)}
    requests = [own.get(name, name) for name in judged]
    return judged_metrics(requests, judge=judge, prompts=judging.prompts, config=judging.config)


def _stand_in(pipeline: Pipeline, k: int, language: str) -> PipelineOutput:
    """What a call of ``pipeline`` is assumed to return."""
    chunk = RetrievedChunk(text=_words(ASSUMED_CHUNK_WORDS, language))
    return PipelineOutput(
        answer=None if pipeline.answers is False else _words(ASSUMED_ANSWER_WORDS, language),
        chunks=None if pipeline.retrieves is False else (chunk,) * k,
    )


def _words(count: int, language: str) -> str:
    return " ".join(itertools.islice(itertools.cycle(_FILLER[language].split()), count))


class _Noting:
    """Stands in for a judge: counts what it is asked, and gives no verdict.

    Args:
        judge: Would be asked.
        look_up: It has a cache that may hold replies.
    """

    def __init__(self, judge: ModelJudge, *, look_up: bool) -> None:
        self.meter = Meter(judge.meter.price)
        self._judge = judge
        self._look_up = look_up

    @property
    def identity(self) -> Mapping[str, Any]:
        """As the judge's."""
        return self._judge.identity

    async def ask(self, prompt: Prompt, reply_model: type[ReplyT], *, repeat: int = 0) -> Verdict[ReplyT]:
        """Count one call, or one reply of the cache."""
        if self._look_up and self._judge.is_cached(prompt, reply_model, repeat=repeat):
            self.meter.add_cached(prompt.metric)
        else:
            usage = prompt_tokens(prompt)
            self.meter.add_call(prompt.metric, usage, estimated=usage)
        return Verdict(reply=None, reason="interrupted", message="only counted")
