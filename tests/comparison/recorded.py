"""Runs whose scores are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muffakir_eval import EvaluationReport, MuffakirEvaluation, Score, Trial

__all__ = ["failed", "other", "quality", "questions", "run_of", "skipped"]

failed = "fail"
"""The metric raises."""
skipped = "skip"
"""The system refused, so that the metric does not apply."""
other = "none"
"""The question has nothing to be scored on."""

Value = float | str


def quality(trial: Trial) -> Any:
    """What the answer says, as a number."""
    text = trial.output.answer or ""
    if text == failed:
        raise ValueError("no number")
    if text == skipped:
        return Score.not_applicable("quality", "answer_refused")
    return None if text == other else float(text)


def questions(count: int, **cells: Any) -> list[dict[str, Any]]:
    """Questions by number."""
    return [{"question": f"السؤال رقم {number}", "answer": f"ج{number}", **cells} for number in range(count)]


def run_of(
    values: Sequence[Value] | Mapping[str, Value],
    *,
    rows: Sequence[Mapping[str, Any]] | None = None,
    folder: Path | None = None,
    **settings: Any,
) -> EvaluationReport:
    """A run with these scores of ``quality``, by question, or in the order of the questions."""
    asked = list(rows) if rows is not None else questions(len(values))
    by_question = (
        values
        if isinstance(values, Mapping)
        else {str(row["question"]): value for row, value in zip(asked, values, strict=True)}
    )

    def rag(question: str) -> str:
        value = by_question[question]
        if value == "down":
            raise ConnectionError("no route")
        return str(value)

    given = {"metrics": [quality], "progress": False, "pipeline_id": "rag", "max_pipeline_errors": 1000, **settings}
    return MuffakirEvaluation(given).evaluate(rag, asked, save=folder is not None, output_dir=folder)
