"""The nouns of an evaluation: what flows from the dataset to the report.

Everything here is frozen, keyword-only and free of behaviour beyond checks and shorthands, so that
a record can be shared between threads, compared, and written down as it is.
"""

from muffakir_eval.records.results import ChunkMatch, Pipeline, Refusal, SampleResult, Stage, Trial
from muffakir_eval.records.samples import Gold, PipelineOutput, RetrievedChunk, Sample
from muffakir_eval.records.scores import FAILED_REASONS, NOT_APPLICABLE_REASONS, Score, State

__all__ = [
    "FAILED_REASONS",
    "NOT_APPLICABLE_REASONS",
    "ChunkMatch",
    "Gold",
    "Pipeline",
    "PipelineOutput",
    "Refusal",
    "RetrievedChunk",
    "Sample",
    "SampleResult",
    "Score",
    "Stage",
    "State",
    "Trial",
]
