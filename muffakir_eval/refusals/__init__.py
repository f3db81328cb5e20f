"""Answers that decline to answer: found by phrases, explained, and set against what could be answered."""

from muffakir_eval.refusals.detect import detect_answer_refusal, find_refusal
from muffakir_eval.refusals.outcomes import (
    answer_state,
    answerability,
    refusal_cell,
    refusal_table,
)

__all__ = [
    "answer_state",
    "answerability",
    "detect_answer_refusal",
    "find_refusal",
    "refusal_cell",
    "refusal_table",
]
