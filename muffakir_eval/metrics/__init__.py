"""Metrics: pure functions from one trial to one score, and the table of their names."""

from muffakir_eval.metrics.custom import custom_metric, evaluate_metric
from muffakir_eval.metrics.lexical import context_precision, context_recall, exact_match, token_f1
from muffakir_eval.metrics.names import ALL_METRICS, DEFAULT_METRICS, GENERATION_METRICS, JUDGED_METRICS
from muffakir_eval.metrics.resolve import Bind, left_out_defaults, needs_judge, resolve_metrics
from muffakir_eval.metrics.retrieval import (
    RETRIEVAL_METRICS,
    Qrels,
    average_precision,
    dcg_at_k,
    distractor_share_at_k,
    hard_recall_at_k,
    hit_rate_at_k,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
)
from muffakir_eval.metrics.table import Metric, Need

__all__ = [
    "ALL_METRICS",
    "DEFAULT_METRICS",
    "GENERATION_METRICS",
    "JUDGED_METRICS",
    "RETRIEVAL_METRICS",
    "Bind",
    "Metric",
    "Need",
    "Qrels",
    "average_precision",
    "context_precision",
    "context_recall",
    "custom_metric",
    "dcg_at_k",
    "distractor_share_at_k",
    "evaluate_metric",
    "exact_match",
    "hard_recall_at_k",
    "hit_rate_at_k",
    "left_out_defaults",
    "ndcg_at_k",
    "needs_judge",
    "precision_at_k",
    "recall_at_k",
    "reciprocal_rank",
    "resolve_metrics",
    "token_f1",
]
