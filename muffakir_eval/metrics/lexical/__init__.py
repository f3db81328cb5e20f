"""Lexical metrics: words in common, without a judge."""

from muffakir_eval.metrics.lexical.overlap import context_precision, context_recall, exact_match, token_f1
from muffakir_eval.metrics.lexical.scoring import LEXICAL_METRICS, LOOK_ALIKES, lexical_metric

__all__ = [
    "LEXICAL_METRICS",
    "LOOK_ALIKES",
    "context_precision",
    "context_recall",
    "exact_match",
    "lexical_metric",
    "token_f1",
]
