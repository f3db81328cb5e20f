"""Scores: of our metrics, and of the user's, whatever they do."""

from __future__ import annotations

import asyncio
import decimal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.metrics import resolve_metrics
from muffakir_eval.records import Pipeline, PipelineOutput, RetrievedChunk, Sample, Score, Trial
from muffakir_eval.runner import RunPlan
from muffakir_eval.runner.scoring import Scorer

SAMPLE = Sample(sample_id="1", question="ما المدة؟", contexts=("مدة الإجازة ثلاثون يومًا",))
OUTPUT = PipelineOutput(answer="ثلاثون يومًا", chunks=(RetrievedChunk(text="مدة الإجازة ثلاثون يومًا"),))


def plan(*metrics: Any, **options: Any) -> RunPlan:
    pipeline = Pipeline(pipeline_id="none", call=lambda sample, k: OUTPUT, execution="inline")
    chosen = resolve_metrics(metrics, k=2)
    return RunPlan(pipeline=pipeline, metrics=chosen, matcher=ChunkMatcher(), k=2, depth=2, **options)


def scored(*metrics: Any, output: PipelineOutput = OUTPUT, **options: Any) -> dict[str, Score]:
    async def main() -> dict[str, Score]:
        scorer = Scorer(plan(*metrics, **options))
        try:
            return await scorer.scores(scorer.trial(SAMPLE, output))
        finally:
            scorer.close()

    return asyncio.run(main())


def named(function: Callable[[Trial], Any], name: str = "mine") -> Any:
    def metric(trial: Trial) -> Any:
        return function(trial)

    metric.name = name  # type: ignore[attr-defined]
    return metric


class OwnError(BaseException):
    pass


class UnreadableError(Exception):
    def __str__(self) -> str:
        raise LookupError


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no"),
        UnreadableError(),
        SystemExit(2),
        GeneratorExit(),
        StopIteration(),
        OwnError(),
        BaseExceptionGroup("two", [SystemExit(1)]),
        asyncio.CancelledError(),
        RecursionError(),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("kind", ["plain", "async"])
def test_whatever_a_metric_raises_is_its_own_failure(error: BaseException, kind: str) -> None:
    def plain(trial: Trial) -> float:
        raise error

    async def waits(trial: Trial) -> float:
        raise error

    scores = scored(named(plain if kind == "plain" else waits), "recall")
    assert (scores["mine"].state, scores["mine"].reason) == ("failed", "metric_error")
    assert scores["recall_at_k"].value == 1.0


def test_ctrl_c_inside_a_metric_ends_the_run() -> None:
    def interrupted(trial: Trial) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scored(interrupted)


def test_what_a_metric_says_loses_its_secrets_and_is_cut() -> None:
    def leaks(trial: Trial) -> float:
        raise ValueError("key sk-abcdefgh1234 " + "x" * 100_000)

    details = scored(leaks)["leaks"].details
    assert details["type"] == "ValueError"
    assert "abcdefgh" not in details["message"]
    assert len(details["message"]) < 2_100


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (decimal.Decimal("0.5"), 0.5),
        (True, 1.0),
        (3, 3.0),
        (Score.measured("x", decimal.Decimal("0.25")), 0.25),  # type: ignore[arg-type]
    ],
)
def test_every_kind_of_number_is_measured_as_a_float(value: Any, expected: float) -> None:
    score = scored(named(lambda trial: value))["mine"]
    assert (score.value, type(score.value), score.name) == (expected, float, "mine")


def test_details_that_cannot_be_written_down_do_not_cost_the_score() -> None:
    circle: dict[str, Any] = {}
    circle["self"] = circle
    good = {"list": [1, float("nan")], "object": (1, 2)}
    scores = scored(
        named(lambda trial: Score.measured("a", 1.0, circle), "a"),
        named(lambda trial: Score.measured("b", 1.0, ["no mapping"]), "b"),  # type: ignore[arg-type]
        named(lambda trial: Score.measured("c", 1.0, good), "c"),
    )
    assert [score.value for score in scores.values()] == [1.0, 1.0, 1.0]
    assert "cannot be written down" in scores["a"].details["message"]
    assert "cannot be written down" in scores["b"].details["message"]
    assert scores["c"].details == {"list": [1, None], "object": [1, 2]}


def test_a_plain_metric_may_run_a_loop_of_its_own() -> None:
    async def judged() -> float:
        await asyncio.sleep(0)
        return 0.5

    assert scored(named(lambda trial: asyncio.run(judged())))["mine"].value == 0.5


def test_p42_a_metric_that_never_returns_is_marked_and_the_next_one_runs() -> None:
    release = threading.Event()

    async def waits(trial: Trial) -> float:
        await asyncio.sleep(60)
        return 1.0

    scores = scored(
        named(lambda trial: release.wait(20), "stuck"), waits, named(lambda trial: 1.0, "good"), sample_timeout_s=0.1
    )
    release.set()
    assert {name: (score.value, score.reason) for name, score in scores.items()} == {
        "stuck": (None, "timeout"),
        "waits": (None, "timeout"),
        "good": (1.0, None),
    }


def test_plain_metrics_of_many_questions_share_one_thread_and_take_turns() -> None:
    threads: set[int] = set()
    inside = 0

    def counts(trial: Trial) -> float:
        nonlocal inside
        inside += 1
        assert inside == 1, "two at a time"
        threads.add(threading.get_ident())
        time.sleep(0.01)
        inside -= 1
        return 1.0

    arrived = 0

    async def side_by_side(trial: Trial) -> float:
        nonlocal arrived
        arrived += 1
        while arrived < 8:  # noqa: ASYNC110 - would wait for ever if they took turns
            await asyncio.sleep(0.01)
        return 1.0

    async def main() -> list[dict[str, Score]]:
        scorer = Scorer(plan(counts, side_by_side))
        trial = scorer.trial(SAMPLE, OUTPUT)
        try:
            async with asyncio.timeout(20):
                return await asyncio.gather(*(scorer.scores(trial) for _ in range(8)))
        finally:
            scorer.close()

    found = asyncio.run(main())
    assert [[score.value for score in scores.values()] for scores in found] == [[1.0, 1.0]] * 8
    assert len(threads) == 1
    assert threads.isdisjoint({threading.get_ident()})


def test_a_question_without_an_output_fails_with_its_reason() -> None:
    plain = scored("recall", named(lambda trial: 1.0), output=PipelineOutput(error="ValueError: x"))
    assert {score.reason for score in plain.values()} == {"pipeline_error"}
    late = scored("recall", named(lambda trial: 1.0), output=PipelineOutput(error="x", metadata={"timeout": True}))
    assert {score.reason for score in late.values()} == {"timeout"}
