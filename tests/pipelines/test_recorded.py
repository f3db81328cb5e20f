"""Outputs that the dataset carries."""

from __future__ import annotations

import pytest

from muffakir_eval.errors import ConfigError
from muffakir_eval.pipelines.recorded import recorded_pipeline
from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample

ANSWERED = Sample(sample_id="1", row=2, question="س١", recorded=PipelineOutput(answer="ج١"))
RETRIEVED = Sample(sample_id="2", row=3, question="س٢", recorded=PipelineOutput(chunks=(RetrievedChunk(text="ف"),)))
EMPTY = Sample(sample_id="3", row=4, question="س٣", recorded=PipelineOutput(answer="", chunks=()))
BARE = Sample(sample_id="4", row=5, question="س٤")


def test_every_sample_says_what_it_carries_whatever_k_is() -> None:
    pipeline = recorded_pipeline([ANSWERED, RETRIEVED, EMPTY])
    for sample in (ANSWERED, RETRIEVED, EMPTY):
        for k in (1, 100):
            assert pipeline.call(sample, k) is sample.recorded
    assert (pipeline.execution, pipeline.any_k, pipeline.pipeline_id) == ("inline", True, "recorded")


@pytest.mark.parametrize(
    ("samples", "answers", "retrieves"),
    [
        ([ANSWERED], True, False),
        ([RETRIEVED], False, True),
        ([ANSWERED, RETRIEVED], True, True),
        ([EMPTY], True, True),
        ([BARE, ANSWERED], True, False),
    ],
)
def test_what_is_recorded_anywhere_is_a_capability(samples: list[Sample], answers: bool, retrieves: bool) -> None:
    pipeline = recorded_pipeline(samples)
    assert (pipeline.answers, pipeline.retrieves) == (answers, retrieves)


def test_a_sample_without_an_output_failed_and_is_neither_empty_nor_wrong() -> None:
    output = recorded_pipeline([ANSWERED, BARE]).call(BARE, 5)
    assert isinstance(output, PipelineOutput)
    assert (output.answer, output.chunks) == (None, None)
    assert output.error is not None
    assert output.error.startswith("no recorded output: row 5 has none of the columns predicted_answer")


@pytest.mark.parametrize("samples", [[], [BARE], [BARE, BARE]])
def test_no_recorded_output_at_all_is_an_error_that_names_the_columns(samples: list[Sample]) -> None:
    with pytest.raises(ConfigError, match=r"none of the \d samples.*rag=….*predicted_answer \(or response\)"):
        recorded_pipeline(samples)
