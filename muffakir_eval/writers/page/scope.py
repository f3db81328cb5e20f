"""What the run measured and what it did not, in plain words at the top of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muffakir_eval.writers.page.wording import Wording

__all__ = ["scope"]

_RETRIEVAL = {"recall", "precision", "hit_rate", "mrr", "map", "ndcg"}
_ASPECTS = {
    "retrieval": _RETRIEVAL,
    "right": {"answer_correctness"},
    "rated": {"llm_judge_rating"},
    "words": {"exact_match", "token_f1"},
    "supported": {"faithfulness"},
    "relevant": {"answer_relevancy"},
    "context": {"contextual_precision", "contextual_recall"},
    "context_words": {"context_recall_lexical", "context_precision_lexical"},
    "refusals": {"answer_refusal_rate", "answer_refusal_rate_answerable", "abstention_rate_unanswerable"},
}
_ABOUT_ANSWERS = {"right": {"right", "rated"}, "supported": {"supported"}}
"""What a reader may take for measured when it was not, and the aspects that would cover it."""


def scope(metrics: Mapping[str, Mapping[str, Any]], words: Wording) -> str:
    """One or two sentences, which say nothing about good or bad.

    Args:
        metrics: Of the summary; those without any value count as not measured.
        words: Of the page.

    >>> from muffakir_eval.writers.page.wording import wording
    >>> scope({"recall_at_k": {"mean": 0.5}, "faithfulness": {"mean": None}}, wording("en"))
    'Only retrieval was measured; whether the answers are right was not judged.'
    """
    measured = {
        name.partition("@")[0].removesuffix("_at_k") for name, block in metrics.items() if block.get("mean") is not None
    }
    aspects = [aspect for aspect, names in _ASPECTS.items() if measured & names]
    own = len(measured - set().union(*_ASPECTS.values()) - {"pipeline_latency_ms"})
    if not aspects and not own:
        return words.plain("scope.nothing")
    if aspects == ["retrieval"] and not own:
        return words.plain("scope.retrieval_only")
    told = [words.plain(f"scope.{aspect}") for aspect in aspects] + [words.plain("scope.own")] * bool(own)
    absent = [] if _RETRIEVAL & measured else [words.plain("scope.retrieval")]
    absent += [words.plain(f"scope.{aspect}") for aspect, by in _ABOUT_ANSWERS.items() if not by & set(aspects)]
    comma = "، " if words.language == "ar" else ", "
    sentences = [words.labelled("scope.measured", aspects=comma.join(told))]
    if absent:
        sentences.append(words.labelled("scope.not_measured", aspects=comma.join(absent)))
    return " ".join(sentences)
