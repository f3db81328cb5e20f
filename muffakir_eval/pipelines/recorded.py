"""Outputs that the dataset itself carries: no pipeline is called."""

from __future__ import annotations

from collections.abc import Sequence

from muffakir_eval.errors import ConfigError
from muffakir_eval.records import Pipeline, PipelineOutput, Sample

__all__ = ["recorded_output", "recorded_pipeline"]

_COLUMNS = "predicted_answer (or response), retrieved_contexts, retrieved_chunk_ids"


def recorded_pipeline(samples: Sequence[Sample], *, pipeline_id: str | None = None) -> Pipeline:
    """A pipeline that says what the samples carry.

    A sample without a recorded output gets an output whose ``error`` says so: it counts as failed, and
    neither as an empty answer nor as an empty result.

    Raises:
        ConfigError: No sample carries an output.

    >>> said = PipelineOutput(answer="نعم")
    >>> pipeline = recorded_pipeline([Sample(sample_id="1", question="؟", recorded=said)])
    >>> pipeline.answers, pipeline.retrieves
    (True, False)
    """
    outputs = [sample.recorded for sample in samples if sample.recorded is not None]
    if not outputs:
        raise ConfigError(
            f"no pipeline was given, and none of the {len(samples)} samples carries an output",
            where="rag=None",
            remedy=f"pass rag=…, or add one of these columns to the dataset: {_COLUMNS}",
        )
    return Pipeline(
        pipeline_id=pipeline_id or "recorded",
        call=_recorded,
        execution="inline",
        answers=any(output.answer is not None for output in outputs),
        retrieves=any(output.chunks is not None for output in outputs),
        any_k=True,
    )


def _recorded(sample: Sample, k: int) -> PipelineOutput:  # noqa: ARG001 - the chunks are what they are
    return recorded_output(sample)


def recorded_output(sample: Sample) -> PipelineOutput:
    """What ``sample`` carries, or an output whose ``error`` says that it carries none."""
    if sample.recorded is not None:
        return sample.recorded
    return PipelineOutput(
        error=f"no recorded output: row {sample.row} has none of the columns {_COLUMNS}, while other rows have"
    )
