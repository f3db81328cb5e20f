"""Many questions at once: every one is there in the end, or the run says why it stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.errors import PipelineDownError, StorageError
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.metrics import resolve_metrics
from muffakir_eval.records import Pipeline, PipelineOutput, Sample, SampleResult, Trial
from muffakir_eval.runner import Item, RunPlan, run_items
from muffakir_eval.storage import RunFolder

ITEMS = [Item(key=f"k{n}", position=n, sample=Sample(sample_id=str(n), question=f"{n}")) for n in range(12)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunFolder]:
    run = RunFolder.open(tmp_path, {"run_id": "r", "identity": {}})
    yield run
    run.close()


async def answers(sample: Sample) -> PipelineOutput:
    await asyncio.sleep(0)
    return PipelineOutput(answer=sample.question)


def number(trial: Trial) -> float:
    return float(trial.output.answer or "nan")


def plan(call: Any = answers, metric: Any = number, **options: Any) -> RunPlan:
    pipeline = Pipeline(pipeline_id="p", call=lambda sample, k: call(sample), execution="async")
    metrics = resolve_metrics([metric], k=1)
    return RunPlan(pipeline=pipeline, metrics=metrics, matcher=ChunkMatcher(), k=1, depth=1, **options)


def run(store: RunFolder, of: RunPlan) -> list[SampleResult]:
    done: list[SampleResult] = []

    async def main() -> None:
        async with asyncio.timeout(30):
            await run_items(of, ITEMS, store, done.append)

    asyncio.run(main())
    return done


HOW = [{}, {"workers": 5}, {"scored_at_once": 3}, {"workers": 5, "scored_at_once": 2}]


@pytest.mark.parametrize("how", HOW)
def test_every_question_is_scored_once(store: RunFolder, how: dict[str, Any]) -> None:
    done = run(store, plan(**how))
    assert sorted(result.scores["number"].value or 0.0 for result in done) == list(map(float, range(12)))
    assert store.recorded.finished_keys() == {item.key for item in ITEMS}


@pytest.mark.parametrize("how", HOW)
def test_ctrl_c_inside_a_metric_ends_the_run_and_is_not_lost(store: RunFolder, how: dict[str, Any]) -> None:
    def interrupted(trial: Trial) -> float:
        if trial.sample.question == "4":
            raise KeyboardInterrupt
        return 1.0

    with pytest.raises(KeyboardInterrupt):
        run(store, plan(metric=interrupted, **how))
    assert len(store.recorded.finished_keys()) < len(ITEMS)
    assert "k4" not in store.recorded.finished_keys()


@pytest.mark.parametrize("how", HOW)
def test_a_record_that_cannot_be_written_ends_the_run(
    store: RunFolder, how: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    real, count = store.append_result, 0

    def fails(result: SampleResult) -> None:
        nonlocal count
        count += 1
        if count > 3:
            raise StorageError("the disk is full")
        real(result)

    monkeypatch.setattr(store, "append_result", fails)
    with pytest.raises(StorageError, match="full"):
        run(store, plan(**how))
    assert len(store.recorded.finished_keys()) == 3


@pytest.mark.parametrize("how", HOW)
def test_a_pipeline_that_is_down_ends_the_run_after_what_was_asked_is_recorded(
    store: RunFolder, how: dict[str, Any]
) -> None:
    async def down(sample: Sample) -> PipelineOutput:
        if int(sample.question) >= 4:
            raise ConnectionError("no route")
        return await answers(sample)

    with pytest.raises(PipelineDownError, match=r"3 questions in a row.*no route"):
        run(store, plan(call=down, max_errors_in_a_row=3, **how))
    said = [store.recorded.output(item.key) for item in ITEMS]
    assert [output.answer for output in said if output is not None][:4] == ["0", "1", "2", "3"]
    assert said[-1] is None


@pytest.mark.parametrize("how", HOW)
def test_a_cancelled_run_leaves_no_task_behind(store: RunFolder, how: dict[str, Any]) -> None:
    async def waits(trial: Trial) -> float:
        await asyncio.sleep(60)
        return 1.0

    async def main() -> int:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await run_items(plan(metric=waits, **how), ITEMS, store, lambda result: None)
        return len(asyncio.all_tasks())

    assert asyncio.run(main()) == 1
    assert store.recorded.finished_keys() == set()


def test_an_output_that_was_recorded_is_not_asked_for_again(store: RunFolder) -> None:
    store.append_output("k7", 7, ITEMS[7].sample, PipelineOutput(answer="70"))
    asked: list[str] = []

    async def counted(sample: Sample) -> PipelineOutput:
        asked.append(sample.question)
        return await answers(sample)

    done = {result.key: result.scores["number"].value for result in run(store, plan(call=counted))}
    assert done["k7"] == 70.0
    assert "7" not in asked
