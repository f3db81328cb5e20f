"""Answers that decline to answer: found by phrases, explained, and set against what could be answered."""

from muffakir_eval.refusals.detect import detect_answer_refusal, find_refusal
from muffakir_eval.refusals.doubt import is_unsure
from muffakir_eval.refusals.lexicon import Lexicon, built_in_lexicon
from muffakir_eval.refusals.outcomes import (
    answer_state,
    answerability,
    refusal_cell,
    refusal_table,
)
from muffakir_eval.refusals.user_phrases import lexicon_with

__all__ = [
    "Lexicon",
    "answer_state",
    "answerability",
    "built_in_lexicon",
    "detect_answer_refusal",
    "find_refusal",
    "is_unsure",
    "lexicon_with",
    "refusal_cell",
    "refusal_table",
]
