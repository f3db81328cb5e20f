"""One question to the pipeline, and whatever comes back as an output that can be written down."""

from __future__ import annotations

import asyncio
import inspect
import math
import numbers
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from muffakir_eval.errors import PipelineOutputError
from muffakir_eval.records import Pipeline, PipelineOutput, RetrievedChunk, Sample
from muffakir_eval.runner.faults import describe, ends_the_run, shorten
from muffakir_eval.runner.plan import RunPlan
from muffakir_eval.threads import CallThread

__all__ = ["ask"]


async def ask(plan: RunPlan, sample: Sample, thread: CallThread) -> PipelineOutput:
    """The pipeline's output, with our own clock where the pipeline has none.

    An exception of the pipeline becomes the output's ``error``.
    """
    started = time.perf_counter()
    output = await _ask(plan, sample, thread)
    if plan.timed and output.pipeline_latency_ms is None:
        output = replace(output, pipeline_latency_ms=(time.perf_counter() - started) * 1000.0)
    return output


async def _ask(plan: RunPlan, sample: Sample, thread: CallThread) -> PipelineOutput:
    cutoff = plan.depth if plan.pipeline.any_k else plan.k
    limit = asyncio.timeout(plan.sample_timeout_s)
    try:
        async with limit:
            found = await _call(plan.pipeline, sample, cutoff, thread)
        return _checked(found, plan)
    except BaseException as error:
        if ends_the_run(error):
            raise
        if limit.expired():
            return PipelineOutput(
                error=f"TimeoutError: no output within {plan.sample_timeout_s:g} s", metadata={"timeout": True}
            )
        return PipelineOutput(error=describe(error, plan.redact))


async def _call(pipeline: Pipeline, sample: Sample, k: int, thread: CallThread) -> Any:
    if pipeline.execution == "thread":
        found = await thread.run(lambda: pipeline.call(sample, k))
    else:
        found = pipeline.call(sample, k)
    if inspect.isawaitable(found):
        return await found
    return found


def _checked(found: Any, plan: RunPlan) -> PipelineOutput:
    """``found`` as everything after this may rely on it.

    Raises:
        PipelineOutputError: A part that is scored is not what it should be.
    """
    if not isinstance(found, PipelineOutput):
        raise PipelineOutputError(
            f"it returned {type(found).__name__}", where=plan.pipeline.pipeline_id, expected="a PipelineOutput"
        )
    output: PipelineOutput = found
    for name, is_right, expected in _PARTS:
        if not is_right(getattr(output, name)):
            raise PipelineOutputError(
                f"{name!r} of its output is {type(getattr(output, name)).__name__}",
                where=plan.pipeline.pipeline_id,
                expected=expected,
            )
    if output.error is not None:
        shown = shorten(output.error, plan.redact)
        output = output if shown == output.error else replace(output, error=shown)
    if not _is_duration(output.pipeline_latency_ms):
        output = replace(output, pipeline_latency_ms=None)
    return output


def _is_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _are_chunks(value: Any) -> bool:
    return value is None or (isinstance(value, tuple) and all(_is_chunk(chunk) for chunk in value))


def _is_chunk(value: Any) -> bool:
    if not isinstance(value, RetrievedChunk):
        return False
    texts: tuple[Any, ...] = (value.text, value.chunk_id, value.source)
    return texts[0] is not None and all(map(_is_text, texts))


def _is_duration(value: Any) -> bool:
    return value is None or (isinstance(value, numbers.Real) and 0 <= float(value) < math.inf)


_PARTS: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("answer", _is_text, "a text, or None where there is no answer"),
    ("error", _is_text, "a text, or None where there was no error"),
    ("chunks", _are_chunks, "a tuple of RetrievedChunk with texts in them, or None"),
)
