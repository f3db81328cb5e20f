"""What a judged metric shows to the judge and asks of a trial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from muffakir_eval.metrics.table import Need

__all__ = ["Shown", "Traits"]

Shown = Literal["question", "answer", "gold_answer", "chunks"]
"""A text of the trial that a judge may see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a judged metric shows and asks.

    Attributes:
        shows: In this order. A gold answer that is shown is needed.
        statements_of: The text that is cut into numbered statements.
        items: The placeholder whose texts get one verdict each: ``chunks`` or ``statements``.
        abstaining: Value of a refused or empty answer to a question that is not known to be
            unanswerable; ``None`` where the metric does not apply to it.
    """

    shows: tuple[Shown, ...]
    statements_of: Literal["answer", "gold_answer"] | None = None
    items: Literal["chunks", "statements"] | None = None
    abstaining: float | None = None

    @property
    def about_answer(self) -> bool:
        """It judges the answer, and so does not apply where there is none."""
        return "answer" in self.shows or self.statements_of == "answer"

    @property
    def needs_gold(self) -> bool:
        """It compares with an accepted answer."""
        return "gold_answer" in self.shows or self.statements_of == "gold_answer"

    @property
    def needs(self) -> frozenset[Need]:
        """As the table of metrics has it."""
        found: set[Need] = {"judge"}
        if self.about_answer:
            found.add("answer")
        if self.needs_gold:
            found.add("gold_answer")
        if "chunks" in self.shows:
            found.add("chunks")
        return frozenset(found)
