from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.errors import MetricError
from muffakir_eval.metrics.judged import CriteriaMetric, judge_metric, judge_refusal, judged_metrics
from muffakir_eval.metrics.table import Metric
from muffakir_eval.prompts import load_prompts
from muffakir_eval.records import PipelineOutput, Sample, Score, Trial
from muffakir_eval.refusals import find_refusal
from tests.metrics.judge_script import JudgeScript


def bound(made: CriteriaMetric, replies: list[Any]) -> tuple[Metric, JudgeScript]:
    judge = JudgeScript(replies)
    (metric,) = judged_metrics([made], judge=judge, prompts=load_prompts("ar"), config=EvaluationConfig())
    return metric, judge


def run(metric: Metric, answer: str | None, golds: tuple[str, ...] = ()) -> Score:
    trial = Trial(
        sample=Sample(sample_id="1", question="كيف الحال؟", answers=golds),
        output=PipelineOutput(answer=answer),
        refusal=find_refusal(answer),
    )

    async def score() -> Score:
        found = metric.compute(trial)
        return await found if isinstance(found, Awaitable) else found

    return asyncio.run(score())


def test_a_metric_by_ones_own_criteria() -> None:
    made = judge_metric("politeness", "هل الإجابة مهذبة؟ {كذا}", rubric={"5": "مهذبة", 1: "فظة"})
    metric, judge = bound(made, [{"reason": "لطيفة", "score": "٤"}])
    found = run(metric, "بخير، شكرًا لك.")
    assert (found.name, found.value, found.details["explanation"]) == ("politeness", 4.0, "لطيفة")
    assert (metric.low, metric.high, metric.family) == (1, 5, "generation")
    assert metric.needs == {"judge", "answer"}
    system, user = judge.prompts[0].system, judge.prompts[0].user
    assert "هل الإجابة مهذبة؟ {كذا}" in system
    assert "1 = فظة\n5 = مهذبة" in system
    assert "الأعداد الصحيحة من 1 إلى 5" in system
    assert user.index("<<<question") < user.index("<<<answer")


def test_it_applies_where_what_it_shows_is_there() -> None:
    metric, judge = bound(judge_metric("x", "y", shows=("answer", "gold_answer", "chunks")), [])
    assert metric.needs == {"judge", "answer", "gold_answer", "chunks"}
    assert run(metric, "جواب").reason == "no_gold_answer"
    assert run(metric, "جواب", ("جواب",)).reason == "no_chunks"
    assert run(metric, "لا أعلم.", ("جواب",)).reason == "answer_refused"
    assert judge.prompts == []


def test_a_metric_about_the_question_alone() -> None:
    metric, _ = bound(judge_metric("clarity", "هل السؤال واضح؟", shows=["question"], scale=(0, 1)), ["1"])
    assert run(metric, None).value == 1.0
    assert metric.needs == {"judge"}


def test_fractions_where_they_are_allowed() -> None:
    metric, _ = bound(judge_metric("x", "y", scale=(0, 10), whole=False), [{"reason": "", "score": 7.5}])
    assert run(metric, "جواب").value == 7.5
    metric, _ = bound(judge_metric("x", "y", scale=(0, 10)), [{"reason": "", "score": 7.5}])
    assert run(metric, "جواب").reason == "judge_invalid"


def test_the_definition_knows_what_was_written() -> None:
    made = [
        judge_metric("x", "y"),
        judge_metric("x", "z"),
        judge_metric("x", "y", rubric={1: "a"}),
        judge_metric("x", "y", scale=(0, 5)),
        judge_metric("x", "y", whole=False),
        judge_metric("x", "y", shows=["answer"]),
    ]
    assert len({bound(each, [])[0].definition for each in made}) == len(made)


def test_it_cannot_be_called_without_a_judge() -> None:
    trial = Trial(sample=Sample(sample_id="1", question="؟"), output=PipelineOutput())
    with pytest.raises(MetricError, match="cannot be called by itself"):
        judge_metric("x", "y")(trial)
    assert EvaluationConfig(metrics=(judge_metric("x", "y"),)).public_dict()["metrics"] == ["x"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"name": " "}, "empty"),
        ({"criteria": "\n"}, "empty"),
        ({"scale": (5, 1)}, "the scale is (5, 1)"),
        ({"scale": (0, True)}, "the scale is (0, True)"),
        ({"scale": (0.5, 1)}, "the scale is (0.5, 1)"),
        ({"shows": ()}, "see nothing"),
        ({"shows": ("answers",)}, "see 'answers'"),
        ({"rubric": {6: "x"}}, "the score 6"),
        ({"rubric": {"good": "x"}}, "the score 'good'"),
        ({"rubric": {1: "x", "1": "y"}}, "the score '1'"),
    ],
)
def test_what_makes_no_metric(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(MetricError) as caught:
        judge_metric(**{"name": "x", "criteria": "y", **settings})
    assert words in str(caught.value)


ANSWER = "للأسف لم أجد ما يفيد."


@pytest.mark.parametrize(
    ("reply", "phrase", "span"),
    [
        ({"reason": "r", "quote": "لم أجد ما يفيد", "verdict": "yes"}, "لم أجد ما يفيد", (6, 20)),
        ({"reason": "r", "quote": "something else", "verdict": "yes"}, ANSWER, (0, len(ANSWER))),
        ({"reason": "r", "quote": "", "verdict": "نعم"}, ANSWER, (0, len(ANSWER))),
    ],
)
def test_a_judged_refusal(reply: dict[str, str], phrase: str, span: tuple[int, int]) -> None:
    judge = JudgeScript([reply])
    found = asyncio.run(judge_refusal("س؟", ANSWER, judge=judge, prompts=load_prompts("ar")))
    assert found.refusal is not None
    assert (found.refusal.kind, found.refusal.phrase, found.refusal.span) == ("judged", phrase, span)
    assert (found.reason, found.details["explanation"], found.details["usage"]["calls"]) == (None, "r", 1)
    assert judge.prompts[0].metric == "answer_refusal"


def test_an_answer_that_is_no_refusal_and_a_judge_that_does_not_say() -> None:
    prompts = load_prompts("en")
    judge = JudgeScript([{"reason": "r", "quote": "", "verdict": "no"}, "hm"])
    found = asyncio.run(judge_refusal("س؟", "لا.", judge=judge, prompts=prompts))
    assert (found.refusal, found.reason) == (None, None)
    found = asyncio.run(judge_refusal("س؟", "لا.", judge=judge, prompts=prompts))
    assert (found.refusal, found.reason, found.details["raw"]) == (None, "judge_unparseable", "hm")
    found = asyncio.run(judge_refusal("س؟", " ", judge=judge, prompts=prompts))
    assert (found.refusal, found.reason, len(judge.prompts)) == (None, None, 2)
