"""A comparison of runs, one of judges, and an audit, for the tests of their pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from muffakir_eval import ScriptedModel, audit_index, compare_judges, compare_runs
from muffakir_eval.records import RetrievedChunk, Sample
from tests.writers.page.runs import ANSWERS, HOSTILE, LEAVE, NOTICE, OTHER, ROWS, evaluated, taken_ms


def compared(folder: Path, *, second: Mapping[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    """Two runs; ``second`` are settings of the second one."""

    def better(sample: Sample, k: int) -> dict[str, Any]:
        return {
            "answer": ANSWERS.get(sample.sample_id),
            "retrieved_documents": [sample.context or LEAVE, OTHER],
            "pipeline_latency_ms": taken_ms(sample),
        }

    settings: dict[str, Any] = {"metrics": ["recall", "mrr"], "pipeline_id": "first <b>"}
    evaluated(**settings).save(folder / "a")
    evaluated(rag=better, **{**settings, "pipeline_id": "second", **(second or {})}).save(folder / "b")
    return compare_runs(folder / "a", folder / "b", n_resamples=500, **options).to_dict()


def judged(**options: Any) -> dict[str, Any]:
    """Two judges, and people unless ``human_column`` says otherwise."""

    def rating(score: int) -> dict[str, Any]:
        return {"reason": "تعليل <i>", "score": score}

    given = iter([5, 4, 2, 1] * 10)
    models = [
        ScriptedModel({"*": lambda prompt: rating(3 + len(prompt.user) % 2)}, name="one"),
        ScriptedModel({"*": lambda prompt: rating(next(given))}, name="two"),
    ]
    rows = [
        {
            "id": f"q{n}",
            "question": f"س{n}{'؟' * n}",
            "answer": "ج",
            "predicted_answer": "جواب" * (n % 5 + 1),
            "people": n % 5 + 1,
            "kind": "a" if n % 2 else "b",
        }
        for n in range(12)
    ]
    config = {"cache_dir": None, "progress": False}
    asked = {"human_column": "people", "slice_by": "kind", "output_dir": None, **options}
    return compare_judges(rows, models, metrics="llm_judge_rating", config=config, **asked).to_dict()


def audited() -> dict[str, Any]:
    """An index that lacks some of the evidence."""
    index = [
        RetrievedChunk(text=text, chunk_id=f"c{n}") for n, text in enumerate((LEAVE, NOTICE, OTHER, "", HOSTILE[0]))
    ]
    rows = [{key: row[key] for key in ("id", "question", "answer", "context", "topic") if key in row} for row in ROWS]
    return audit_index(index, rows, lambda question, k: index[:2], k=2, slice_by="topic", progress=False).to_dict()
