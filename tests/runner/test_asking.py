"""Whatever a pipeline does, it is the error of one question, or an output that can be written down."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

import pytest

from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.pipelines import as_pipeline
from muffakir_eval.records import Pipeline, PipelineOutput, RetrievedChunk, Sample
from muffakir_eval.runner import RunPlan
from muffakir_eval.runner.asking import ask
from muffakir_eval.threads import CallThread

SAMPLE = Sample(sample_id="1", question="ما المدة؟")


class OwnError(BaseException):
    pass


def asked(pipeline: Pipeline, sample: Sample = SAMPLE, **options: Any) -> PipelineOutput:
    plan = RunPlan(pipeline=pipeline, metrics=(), matcher=ChunkMatcher(), k=2, depth=5, **options)

    async def main() -> PipelineOutput:
        thread = CallThread()
        try:
            return await ask(plan, sample, thread)
        finally:
            thread.close()

    return asyncio.run(main())


def raising(error: BaseException, kind: str) -> Pipeline:
    def plain(question: str) -> str:
        raise error

    async def waits(question: str) -> str:
        raise error

    def inline(sample: Sample, k: int) -> PipelineOutput:
        raise error

    if kind == "inline":
        return Pipeline(pipeline_id="inline", call=inline, execution="inline")
    return as_pipeline(plain if kind == "thread" else waits)


ERRORS = [
    ValueError("no"),
    SystemExit(3),
    GeneratorExit("g"),
    StopIteration(4),
    StopAsyncIteration(),
    OwnError("panicked"),
    BaseExceptionGroup("two", [ValueError("no"), SystemExit(1)]),
    asyncio.CancelledError("its own"),
    TimeoutError(),
    MemoryError(),
    RecursionError(),
]


@pytest.mark.parametrize("kind", ["thread", "async", "inline"])
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_whatever_a_pipeline_raises_is_the_questions_error(error: BaseException, kind: str) -> None:
    output = asked(raising(error, kind))
    assert type(error).__name__ in str(output.error)
    assert (output.answer, output.chunks) == (None, None)
    assert output.pipeline_latency_ms is not None


@pytest.mark.parametrize("kind", ["thread", "async", "inline"])
def test_ctrl_c_inside_a_pipeline_is_no_error_of_the_question(kind: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        asked(raising(KeyboardInterrupt(), kind))


def says(output: Any) -> Pipeline:
    return Pipeline(pipeline_id="said", call=lambda sample, k: output, execution="inline")


WRONG = [
    "text",
    None,
    PipelineOutput(answer=5),  # type: ignore[arg-type]
    PipelineOutput(answer="a", chunks=[RetrievedChunk()]),  # type: ignore[arg-type]
    PipelineOutput(answer="a", chunks=("x",)),  # type: ignore[arg-type]
    PipelineOutput(answer="a", chunks=(RetrievedChunk(text=None),)),  # type: ignore[arg-type]
    PipelineOutput(answer="a", chunks=(RetrievedChunk(chunk_id=7),)),  # type: ignore[arg-type]
    PipelineOutput(error=ValueError("x")),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("output", WRONG)
def test_an_output_that_cannot_be_scored_is_named(output: Any) -> None:
    said = asked(says(output))
    assert "said: " in str(said.error)
    assert "Expected: " in str(said.error)


@pytest.mark.parametrize("latency", [math.nan, math.inf, -1.0, "3"])
def test_a_duration_that_is_none_is_measured_here(latency: Any) -> None:
    output = asked(says(PipelineOutput(answer="a", pipeline_latency_ms=latency)))
    assert output.pipeline_latency_ms is not None
    assert 0 <= output.pipeline_latency_ms < 60_000


def test_a_recording_is_not_timed_and_its_nonsense_is_not_kept() -> None:
    for latency in (None, math.nan):
        recorded = PipelineOutput(answer="a", pipeline_latency_ms=latency)
        samples = [Sample(sample_id="1", question="؟", recorded=recorded), Sample(sample_id="2", question="؟")]
        pipeline = as_pipeline(None, samples=samples)
        assert [asked(pipeline, sample, timed=False).pipeline_latency_ms for sample in samples] == [None, None]


def test_the_error_that_a_pipeline_reports_is_cut_and_loses_its_secrets() -> None:
    output = asked(says(PipelineOutput(error="key sk-abcdefgh1234 " + "x" * 5_000)))
    assert output.error is not None
    assert "abcdefgh" not in output.error
    assert len(output.error) < 2_100
    said = PipelineOutput(error="short", pipeline_latency_ms=1.0)
    assert asked(says(said)) is said


@pytest.mark.parametrize("make", [lambda: asyncio.sleep(60), lambda: asyncio.Event().wait()])
def test_p42_a_call_that_never_returns_is_marked(make: Callable[[], Any]) -> None:
    async def waits(question: str) -> Any:
        await make()

    output = asked(as_pipeline(waits), sample_timeout_s=0.05)
    assert output.error == "TimeoutError: no output within 0.05 s"
    assert output.metadata == {"timeout": True}
