"""Metrics that a language model judges: by name, or by a user's own criteria."""

from muffakir_eval.metrics.judged.criteria import CriteriaMetric, judge_metric
from muffakir_eval.metrics.judged.injection import looks_like_injection
from muffakir_eval.metrics.judged.kinds import JUDGED_KINDS, judged_metrics
from muffakir_eval.metrics.judged.panel import refusal_by
from muffakir_eval.metrics.judged.refusals import JudgedRefusal, judge_refusal

__all__ = [
    "JUDGED_KINDS",
    "CriteriaMetric",
    "JudgedRefusal",
    "judge_metric",
    "judge_refusal",
    "judged_metrics",
    "looks_like_injection",
    "refusal_by",
]
