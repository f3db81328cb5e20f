"""Questions with recorded answers, a judge that knows what it thinks of each, and runs against it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from muffakir_eval import EvaluationReport, MuffakirEvaluation, Score
from tests.judges.answers import Seen
from tests.judges.server import JudgeServer

__all__ = [
    "KEY",
    "asked_about",
    "comparable",
    "judges",
    "metric_of",
    "opinion",
    "rows",
    "score_of",
    "suite",
    "worth",
    "written",
]

KEY = "zq7Rk2Wm9Xv4Tb6Yn3Lp8Hd5"
"""A key in which no word occurs."""


def rows(count: int, *, recorded: bool = True, **cells: Any) -> list[dict[str, Any]]:
    """Questions by number; with ``recorded`` they carry an answer and what was retrieved."""
    made = []
    for number in range(count):
        text = f"المادة {number}: يستحق الموظف إجازة سنوية مدتها {number + 10} يومًا بأجر كامل."
        row: dict[str, Any] = {
            "question": f"السؤال رقم {number} عن الإجازة",
            "answer": f"{number + 10} يومًا",
            "context": text,
        }
        if recorded:
            row |= {"predicted_answer": f"مدتها {number + 10} يومًا.", "retrieved_contexts": [text, "نص آخر."]}
        made.append({**row, **cells})
    return made


def suite(server: JudgeServer | None = None, **settings: Any) -> MuffakirEvaluation:
    """An evaluation that is judged by ``server``, without a cache unless one is named."""
    given: dict[str, Any] = {"metrics": ["llm_judge_rating"], "k": 2, "progress": False, "cache_dir": None}
    if server is not None:
        given |= {"llm_provider": "openai", "llm_model": "judge-1", "api_key": KEY, "base_url": server.openai_url}
    return MuffakirEvaluation({"pipeline_id": "rag", **given, **settings})


def asked_about(seen: Seen) -> int:
    """The number of the question that a request is about."""
    found = re.search(r"السؤال رقم (\d+)", seen.user)
    assert found is not None, seen.user
    return int(found[1])


def metric_of(seen: Seen) -> str:
    """The judged metric that asks, by the form of the reply that it asks for."""
    if seen.dialect == "messages":
        schema = seen.body["output_config"]["format"]["schema"]["properties"]
    else:
        schema = seen.body["response_format"]["json_schema"]["schema"]["properties"]
    if "unsupported" in schema:
        return "faithfulness"
    return "llm_judge_rating" if "enum" in schema["score"] else "answer_correctness"


def worth(number: int, metric: str) -> float:
    """What this judge always thinks of a question, whoever asks and in whatever order."""
    if metric == "faithfulness":
        return float(number % 3 != 0)
    return number % 5 + 1.0 if metric == "llm_judge_rating" else number % 11 / 10


def opinion(seen: Seen) -> dict[str, Any]:
    """A server's behaviour: :func:`worth` as a reply."""
    metric = metric_of(seen)
    value = worth(asked_about(seen), metric)
    if metric == "faithfulness":
        unsupported = [] if value else ["مدتها"]
        return {"reason": "قورنت بالنص", "unsupported": unsupported, "verdict": "yes" if value else "no"}
    return {"reason": "قورنت بالجواب", "score": int(value) if metric == "llm_judge_rating" else value}


def judges(opinions: Callable[[int], Any]) -> Callable[[Seen], Any]:
    """A server's behaviour: what ``opinions`` says about the question of that number."""
    return lambda seen: opinions(asked_about(seen))


def score_of(report: EvaluationReport, number: int, metric: str = "llm_judge_rating") -> Score:
    """The score of one sample."""
    return report.samples[number].scores[metric]


def written(folder: Path) -> dict[str, Any]:
    """The summary in ``folder``."""
    return dict(json.loads((folder / "summary.json").read_text(encoding="utf-8")))


def comparable(summary: dict[str, Any], *, without: Iterable[str] = ()) -> dict[str, Any]:
    """A summary without what differs between two runs that found the same."""
    times = ("run_id", "started_at", "finished_at", "latency_ms", "usage", *without)
    return {name: value for name, value in summary.items() if name not in times}
