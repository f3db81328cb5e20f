"""What a gate found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from muffakir_eval.writers.gate_lines import gate_markdown, gate_text
from muffakir_eval.writers.junit import junit_xml

__all__ = ["GateCheck", "GateResult", "State"]

State = Literal["passed", "failed", "not_measured"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCheck:
    """One condition, and how the run stands to it.

    Attributes:
        name: What is checked, as the run calls it.
        condition: The condition in words.
        state: ``not_measured`` where too little is known for an answer.
        message: Why, in words, with value, interval and n.
        value: What was measured; for a drop, how much the run has dropped against the baseline.
        compared: What was held against the limit: the value, or the unfavourable end of its interval.
        limit: The bound, ``None`` where there is none.
        interval: Of the value.
        n_scored: Questions that it rests on.
        n_applicable: Questions that it could have rested on.
        coverage: Their ratio.
    """

    name: str
    condition: str
    state: State
    message: str
    value: float | None = None
    compared: float | None = None
    limit: float | None = None
    interval: tuple[float, float] | None = None
    n_scored: int = 0
    n_applicable: int = 0
    coverage: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """All conditions of a gate.

    Attributes:
        run_id: Of the run.
        checks: In the order in which they were given.
    """

    run_id: str
    checks: tuple[GateCheck, ...]

    @property
    def passed(self) -> bool:
        """Every condition holds."""
        return all(check.state == "passed" for check in self.checks)

    @property
    def exit_code(self) -> int:
        """0 where every condition holds, 1 where one does not, else 3: too little was measured to say."""
        states = {check.state for check in self.checks}
        return 1 if "failed" in states else 3 if "not_measured" in states else 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, with ``passed`` and ``exit_code``."""
        return {"run_id": self.run_id, "passed": self.passed, "exit_code": self.exit_code} | {
            "checks": [asdict(check) for check in self.checks]
        }

    def junit(self) -> str:
        """JUnit XML: a condition that does not hold is a failure, one that could not be checked an error."""
        return junit_xml(self.to_dict())

    def markdown(self) -> str:
        """A table in Markdown, for the summary of a CI job."""
        return gate_markdown(self.to_dict())

    def __str__(self) -> str:
        return gate_text(self.to_dict())
