"""What a metric is, for the runner: a name, what it needs, and a function of one trial."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from muffakir_eval.records import Score, Trial

__all__ = ["Metric", "Need"]

Need = Literal["gold", "chunks", "answer", "gold_answer", "judge"]
"""What a metric must find in the trial (or, for ``judge``, in the configuration)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One column of the report.

    Attributes:
        name: Key in the scores, the summary and ``samples.csv``: ``recall_at_k``, ``recall@10``.
        requested_as: Name that selects it in the configuration: ``recall``.
        family: Block of ``summary.json`` that it belongs to.
        needs: What it must find in the trial.
        compute: The metric itself; an ``async`` one returns an awaitable.
        k: Its cutoff, where it has one.
        definition: The formula and its variant in one line, written into ``summary.json``.
        low: Lowest possible value, ``None`` where there is none.
        high: Highest possible value, ``None`` where there is none.
        binary: It only takes the values 0 and 1.
        function: What the user wrote, where ``compute`` wraps it.
    """

    name: str
    requested_as: str
    family: Literal["retrieval", "generation", "custom"]
    needs: frozenset[Need]
    compute: Callable[[Trial], Score | Awaitable[Score]]
    k: int | None = None
    definition: str = ""
    low: float | None = 0.0
    high: float | None = 1.0
    binary: bool = False
    function: Callable[..., Any] | None = None
