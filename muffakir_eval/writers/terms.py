"""The words of a report: reasons, names of metrics, figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["ARABIC_NAMES", "REASONS", "figure", "interval_title", "metric_value", "reason_words"]

REASONS = {
    "no_gold": "no gold evidence",
    "no_gold_answer": "no gold answer",
    "no_answer": "no answer from the pipeline",
    "no_chunks": "no retrieved chunks",
    "not_comparable": "gold and chunks have nothing to compare",
    "answer_refused": "answer refused",
    "empty_answer": "empty answer",
    "unanswerable": "unanswerable question",
    "correct_abstention": "rightly refused",
    "pipeline_error": "pipeline error",
    "metric_error": "error in the metric",
    "no_value": "the metric gave no value",
    "judge_unparseable": "judge's reply is no JSON",
    "judge_invalid": "judge's reply breaks the schema",
    "judge_cut_off": "judge's reply was cut off",
    "judge_refused": "judge refused",
    "judge_filtered": "judge's provider filtered it",
    "judge_empty": "judge's reply is empty",
    "judge_unavailable": "judge cannot be reached",
    "judge_bad_request": "judge's server refuses the request",
    "timeout": "timeout",
    "rate_limited": "rate limit",
    "over_budget": "over budget",
    "interrupted": "interrupted",
    "no_samples": "no questions",
}
"""Why a score is missing, in words."""

ARABIC_NAMES = {
    "recall": "الاستدعاء",
    "precision": "الدقة",
    "hit_rate": "معدل الإصابة",
    "mrr": "متوسط مقلوب الرتبة",
    "map": "متوسط الدقة المتوسطة",
    "ndcg": "جودة الترتيب",
    "faithfulness": "الالتزام بالسياق",
    "answer_correctness": "صحة الإجابة",
    "answer_relevancy": "صلة الإجابة بالسؤال",
    "contextual_precision": "دقة السياق",
    "contextual_recall": "استدعاء السياق",
    "llm_judge_rating": "تقييم الحَكَم",
    "exact_match": "التطابق التام",
    "token_f1": "تطابق الكلمات",
    "context_recall_lexical": "استدعاء السياق باللفظ",
    "context_precision_lexical": "دقة السياق باللفظ",
}

"""Arabic names of metrics, by the name that asks for them."""


def reason_words(reason: object) -> str:
    """A reason in words; one that is not known as it stands."""
    return REASONS.get(str(reason), str(reason).replace("_", " "))


def metric_value(name: str, mean: float | None) -> str:
    """The value of a metric as people read it."""
    if mean is None:
        return "none"
    return f"{mean:.2f} / 5" if name == "llm_judge_rating" else figure(mean)


def figure(value: float) -> str:
    """Four decimals, for a user's own metric as many digits as show anything."""
    return f"{value:.4f}" if value == 0 or 5e-5 <= abs(value) < 1e9 else f"{value:.5g}"


def interval_title(summary: Mapping[str, Any]) -> str:
    """What the column of intervals is called.

    >>> interval_title({"confidence_level": 0.95})
    '95 % interval'
    """
    return f"{100 * float(summary.get('confidence_level') or 0.95):.4g} % interval"
