"""What a dry run found out, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muffakir_eval.writers.judge_lines import plan_lines

__all__ = ["rehearsal_text"]


def rehearsal_text(summary: Mapping[str, Any]) -> str:
    """What the run of a dry run's ``summary`` would do, in a few lines."""
    plan, dataset = summary["dry_run"], summary["dataset"]
    questions = f"{dataset['n_samples']} from {dataset['source']}"
    if plan["n_done"]:
        questions += f"; an unfinished run in the folder has done {plan['n_done']} of them"
    cutoffs = f"k = {summary['k']}"
    if plan["largest_cutoff"] != summary["k"]:
        cutoffs += f", the largest {plan['largest_cutoff']}"
    folder = plan["folder"] or "none: nothing would be kept"
    if plan["folder"] and plan["replaces_a_finished_run"]:
        folder += "; the finished run in it would be replaced at the end"
    lines = {
        "questions": questions,
        "pipeline": f"{summary['pipeline']['pipeline_id']}, {plan['n_to_ask']} calls, {plan['workers']} at once",
        "metrics": ", ".join(summary["metrics"]),
        "cutoffs": cutoffs,
        "folder": folder,
    }
    if plan["judge"] is not None:
        lines.update(plan_lines(plan["judge"]))
    notes = [f"  note: {warning}" for warning in summary["warnings"][1:]]
    body = [f"  {name:<{max(map(len, lines))}}  {text}" for name, text in lines.items()]
    return "\n".join(["Dry run: no question was asked and nothing was written.", *body, *notes])
