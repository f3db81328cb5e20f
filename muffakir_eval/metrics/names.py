"""Names of metrics: what a configuration may ask for."""

from __future__ import annotations

__all__ = ["ALL_METRICS", "DEFAULT_METRICS", "GENERATION_METRICS", "JUDGED_METRICS"]

ALL_METRICS = (
    "recall",
    "precision",
    "mrr",
    "ndcg",
    "faithfulness",
    "answer_correctness",
    "llm_judge_rating",
)
"""The metrics of Muffakir's own package."""

DEFAULT_METRICS = tuple(name for name in ALL_METRICS if name != "llm_judge_rating")
"""What a run measures where nothing is asked for, as far as pipeline, dataset and judge allow."""

GENERATION_METRICS = frozenset({"faithfulness", "answer_correctness", "llm_judge_rating"})
"""The metrics of :data:`ALL_METRICS` that judge an answer."""

JUDGED_METRICS = GENERATION_METRICS | {"contextual_precision", "contextual_recall", "answer_relevancy"}
"""Every metric that needs a judge."""
