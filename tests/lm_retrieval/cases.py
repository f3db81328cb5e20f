"""Questions, what was retrieved for them, and judges that are told what to think of it."""

from __future__ import annotations

from typing import Any

from muffakir_eval import LMBasedRetrievalEvaluator, RAGData, Score, ScriptedModel

__all__ = [
    "CAPITAL",
    "attributed",
    "block",
    "failed",
    "judge",
    "judged",
    "measured",
    "missing",
    "rule",
    "scores",
    "useful",
]

CAPITAL = RAGData(
    query="What is the capital of France?",
    expected_response="Paris is the capital of France.",
    retrieved_context=[
        "Berlin is the capital of Germany.",
        "Paris is the capital city of France with a population of over 2 million people.",
        "London is the capital of the United Kingdom.",
    ],
)
"""The example of the reference."""


def useful(*words: str, reason: str = "") -> dict[str, Any]:
    """The judge's reply on the nodes in order: ``yes`` or ``no``."""
    return {"verdicts": [{"number": n, "reason": reason, "verdict": word} for n, word in enumerate(words, 1)]}


def attributed(*nodes: int | None, reason: str = "") -> dict[str, Any]:
    """The judge's reply on the statements in order: the node that supports each, or ``None``."""
    return {
        "verdicts": [
            {"number": n, "reason": reason, "chunk": node, "verdict": "yes" if node else "no"}
            for n, node in enumerate(nodes, 1)
        ]
    }


def judge(precision: Any = None, recall: Any = None, **others: Any) -> ScriptedModel:
    """A judge that says this of contextual precision and recall."""
    script = {"contextual_precision": precision, "contextual_recall": recall, **others}
    return ScriptedModel({metric: reply for metric, reply in script.items() if reply is not None})


def judged(data: Any, precision: Any = None, recall: Any = None, **settings: Any) -> dict[str, Any]:
    """The result for ``data`` under a judge that says this."""
    made = LMBasedRetrievalEvaluator(model=judge(precision, recall), cache_dir=None, **settings)
    result: dict[str, Any] = made.evaluate_sync(data)["lm_based_retrieval"]
    return result


def block(result: dict[str, Any], name: str) -> tuple[float | None, bool | None]:
    """Score and success of one block."""
    found = result[f"deepeval_contextual_{name}"]
    return found["score"], found["success"]


def measured(value: float, name: str = "contextual_recall") -> Score:
    return Score.measured(name, value)


def failed(reason: str = "judge_unparseable", name: str = "contextual_recall") -> Score:
    return Score.failed(name, reason)


def missing(reason: str = "no_chunks", name: str = "contextual_recall") -> Score:
    return Score.not_applicable(name, reason)


def scores(*given: Score) -> dict[str, Score]:
    return {score.name: score for score in given}


def rule(op: str, value: float, metric: str = "contextual_recall") -> dict[str, Any]:
    """A condition on one metric."""
    return {"metric": metric, "op": op, "value": value}
