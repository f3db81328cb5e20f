"""One score from several judges."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from muffakir_eval import Score
from muffakir_eval.config import EvaluationConfig
from muffakir_eval.errors import JudgeKeyError, MetricError
from muffakir_eval.judges.panel import PanelJudge, PanelMember
from muffakir_eval.judges.protocol import Verdict
from muffakir_eval.metrics.judged import judged_metrics, refusal_by
from muffakir_eval.metrics.judged.panel import joined_score, majority
from muffakir_eval.prompts import load_prompts
from muffakir_eval.records import PipelineOutput, Refusal, Sample, Trial
from tests.metrics.judge_script import JudgeScript


def panel(*scripts: Any, method: Any = "median", quorum: int = 2) -> PanelJudge:
    members = [PanelMember(f"j{number}", script) for number, script in enumerate(scripts, 1)]
    return PanelJudge(members, method=method, quorum=quorum, name="لجنة")


def score(value: float | None, reason: str = "timeout", **details: Any) -> Score:
    if value is not None:
        return Score.measured("m", value, details)
    kind = Score.not_applicable if reason == "empty_answer" else Score.failed
    return kind("m", reason, details)


def joined(values: list[Any], **how: Any) -> Score:
    scores = [value if isinstance(value, Score) else score(value) for value in values]
    return joined_score("m", scores, panel(*[None] * len(scores), **how))


@pytest.mark.parametrize(
    ("method", "values", "expected"),
    [
        ("median", [1.0, 5.0, 4.0], 4.0),
        ("median", [1.0, 4.0], 2.5),
        ("mean", [1.0, 4.0, 4.0], 3.0),
        ("majority", [4.0, 4.0, 1.0], 4.0),
        ("majority", [5.0, 4.0, 1.0], 1.0),
        ("majority", [1.0, 0.0], 0.0),
        ("median", [None, 5.0, 4.0], 4.5),
        ("majority", [None, 5.0, 5.0], 5.0),
    ],
)
def test_values_become_one(method: str, values: list[float | None], expected: float) -> None:
    found = joined(values, method=method)
    assert found.value == pytest.approx(expected)
    told = found.details["jury"]
    assert told["n_valid"] == sum(value is not None for value in values)
    assert [part["value"] for part in told["members"]] == values


def test_a_tie_goes_to_the_lowest_label() -> None:
    assert majority([5.0, 5.0, 2.0, 2.0, 4.0]) == 2.0


def test_below_the_quorum_the_score_failed_and_says_why() -> None:
    found = joined([None, 3.0, score(None, "judge_refused", message="لا")], quorum=2)
    assert (found.state, found.reason) == ("failed", "timeout")
    assert "1 of 3 members gave a verdict, and 2 are needed" in found.details["message"]
    more = joined([score(None, "judge_refused", message="لا")] * 2 + [3.0], quorum=2)
    assert (more.reason, more.details["message"].endswith("; لا")) == ("judge_refused", True)
    assert joined([None, 3.0, None], quorum=1).value == 3.0


def test_nothing_to_judge_needs_more_than_half_of_those_with_a_say() -> None:
    empty = score(None, "empty_answer")
    assert joined([empty, empty, 1.0]).reason == "empty_answer"
    assert joined([empty, 0.5, 1.0]).value == 0.75
    assert joined([empty, 1.0, None]).value == 1.0


def test_the_reason_is_that_of_the_nearest_member() -> None:
    scores = [score(1.0, explanation="سيئ"), score(4.0, explanation="جيد"), score(5.0, explanation="ممتاز")]
    found = joined([*scores])
    assert found.details["explanation"] == "جيد"
    assert found.details["jury"]["range"] == 4.0


SAMPLE = Sample(sample_id="1", question="ما عاصمة عُمان؟", answers=("مسقط",))
TRIAL = Trial(sample=SAMPLE, output=PipelineOutput(answer="العاصمة هي مسقط."))


def rate(judge: PanelJudge, name: str = "llm_judge_rating", trial: Trial = TRIAL, **settings: Any) -> Score:
    config = EvaluationConfig.from_mapping(settings)
    metric = judged_metrics([name], judge=judge, prompts=load_prompts("ar", None), config=config)[0]

    async def compute() -> Score:
        found = metric.compute(trial)
        return found if isinstance(found, Score) else await found

    return asyncio.run(compute())


def says(value: int) -> JudgeScript:
    return JudgeScript(lambda prompt: {"reason": f"أرى {value}", "score": value})


def test_every_member_is_asked_and_what_it_took_is_added_up() -> None:
    scripts = [says(2), says(4), says(5)]
    found = rate(panel(*scripts))
    assert (found.value, [len(script.prompts) for script in scripts]) == (4.0, [1, 1, 1])
    assert (found.details["usage"]["calls"], found.details["usage"]["input_tokens"]) == (3, 300)
    assert found.details["explanation"] == "أرى 4"


def test_a_member_that_cannot_be_read_leaves_the_others() -> None:
    found = rate(panel(says(2), JudgeScript(lambda prompt: "كلام"), says(4)))
    assert found.value == 3.0
    assert found.details["jury"]["members"][1]["reason"] == "judge_unparseable"


def test_repeats_are_those_of_each_member() -> None:
    turns = JudgeScript([{"reason": "", "score": 1}, {"reason": "", "score": 5}])
    found = rate(panel(turns, says(4)), judge_repeats=2)
    assert found.value == pytest.approx(3.5)
    assert found.details["jury"]["members"][0]["repeats"]["values"] == [1.0, 5.0]


def test_what_the_case_decides_asks_nobody() -> None:
    scripts = [says(2), says(4)]
    refused = Trial(
        sample=SAMPLE,
        output=PipelineOutput(answer="لا أعلم"),
        refusal=Refusal(reason="insufficient_information", kind="x", phrase="", language="ar", span=(0, 1)),
    )
    assert rate(panel(*scripts), trial=refused).reason == "answer_refused"
    assert [script.prompts for script in scripts] == [[], []]


def test_a_rejected_key_of_a_member_ends_the_run() -> None:
    error = JudgeKeyError("the key was rejected")
    with pytest.raises(JudgeKeyError):
        rate(panel(says(2), JudgeScript([error]), says(4)))


def test_a_majority_needs_labels() -> None:
    assert rate(panel(says(2), says(2), method="majority")).value == 2.0
    with pytest.raises(MetricError, match="no labels to vote for"):
        rate(panel(says(2), says(2), method="majority"), "answer_correctness")
    with pytest.raises(MetricError, match="judged once"):
        rate(panel(says(2), says(2), method="majority"), judge_repeats=2)


def opinion(verdict: str) -> JudgeScript:
    return JudgeScript(lambda prompt: {"reason": f"{verdict}!", "quote": "", "verdict": verdict})


@pytest.mark.parametrize(
    ("verdicts", "refused", "said"),
    [(["yes", "yes", "no"], True, "yes!"), (["yes", "no", "no"], False, "no!"), (["yes", "no"], False, "no!")],
)
def test_a_panel_has_a_say_on_refusals(verdicts: list[str], refused: bool, said: str) -> None:
    judge = panel(*[opinion(verdict) for verdict in verdicts])
    found = asyncio.run(refusal_by("س", "جواب", judge=judge, prompts=load_prompts("ar", None)))
    assert (found.refusal is not None) is refused
    assert found.details["explanation"] == said
    assert found.details["usage"]["calls"] == len(verdicts)
    assert [part["judge"] for part in found.details["jury"]["members"]] == [
        f"j{n}" for n in range(1, len(verdicts) + 1)
    ]


def test_a_panel_without_a_quorum_has_no_say_on_refusals() -> None:
    silent = JudgeScript(lambda prompt: Verdict(reply=None, reason="timeout"))
    found = asyncio.run(
        refusal_by("س", "جواب", judge=panel(opinion("yes"), silent, silent), prompts=load_prompts("ar", None))
    )
    assert (found.refusal, found.reason) == (None, "timeout")
    blank = asyncio.run(refusal_by("س", " ", judge=panel(silent, silent), prompts=load_prompts("ar", None)))
    assert blank.reason is None and blank.refusal is None
