"""The secrets that a run knows of, so that no error text can carry one out."""

from __future__ import annotations

from typing import Any

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.pipelines.secrets import pipeline_secrets
from muffakir_eval.redaction import secrets_in

__all__ = ["known_secrets"]


def known_secrets(config: EvaluationConfig, rag: Any) -> frozenset[str]:
    """Keys and passwords in the settings, in the pipeline's settings and attributes, and in the environment.

    >>> def rag(question: str) -> str:
    ...     return "نعم"
    >>> "zebra" in known_secrets(EvaluationConfig(api_key="zebra"), rag)
    True
    """
    return frozenset(secrets_in(config.model_dump(mode="python"))) | pipeline_secrets(rag)
