"""Evaluation of retrieval-augmented generation in Arabic and other languages.

Public names are resolved on first use, so that importing the package loads neither pandas nor an SDK.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import Any

_HOME = {
    "ChunkMatch": "records",
    "EvaluationConfig": "config",
    "MatchSettings": "config",
    "Pipeline": "records",
    "PipelineOutput": "records",
    "Refusal": "records",
    "RetrievedChunk": "records",
    "Sample": "records",
    "SampleResult": "records",
    "Score": "records",
    "Trial": "records",
}
