"""The value of a metric for one sample, and the three states that it can be in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["FAILED_REASONS", "NOT_APPLICABLE_REASONS", "Score", "State"]

State = Literal["measured", "not_applicable", "failed"]
"""Whether a score was measured, does not apply to the sample, or could not be obtained."""

NOT_APPLICABLE_REASONS = frozenset(
    {
        "no_gold",
        "no_gold_answer",
        "no_answer",
        "no_chunks",
        "not_comparable",
        "answer_refused",
        "empty_answer",
        "unanswerable",
        "correct_abstention",
    }
)
"""Reasons of the built-in metrics for a score that does not apply to a sample."""

FAILED_REASONS = frozenset(
    {
        "pipeline_error",
        "metric_error",
        "judge_unparseable",
        "judge_invalid",
        "judge_cut_off",
        "judge_refused",
        "judge_filtered",
        "judge_empty",
        "judge_unavailable",
        "judge_bad_request",
        "timeout",
        "rate_limited",
        "over_budget",
        "interrupted",
    }
)
"""Reasons of the built-in metrics for a score that should exist and does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The value of one metric for one sample, or why there is none.

    >>> Score.measured("recall_at_k", 0.5).value
    0.5
    >>> Score.not_applicable("recall_at_k", "no_gold").value is None
    True
    """

    name: str
    value: float | None
    state: State
    reason: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.state == "measured":
            if self.value is None or not math.isfinite(self.value) or self.reason is not None:
                raise ValueError(
                    f"a measured {self.name} needs a finite value and no reason, "
                    f"not value={self.value!r}, reason={self.reason!r}"
                )
            if type(self.value) is not float:  # true, a Decimal, a Fraction, a numpy scalar
                object.__setattr__(self, "value", float(self.value))
        elif self.state not in ("not_applicable", "failed"):
            raise ValueError(f"{self.name}: no score is {self.state!r}")
        elif self.value is not None or not self.reason or not isinstance(self.reason, str):
            raise ValueError(f"{self.name} is {self.state}: it needs a reason and no value")

    @classmethod
    def measured(cls, name: str, value: float, details: Mapping[str, Any] | None = None) -> Score:
        """A score with a finite value."""
        return cls(name=name, value=value, state="measured", details=details or {})

    @classmethod
    def not_applicable(cls, name: str, reason: str, details: Mapping[str, Any] | None = None) -> Score:
        """The metric has nothing to say about this sample."""
        return cls(name=name, value=None, state="not_applicable", reason=reason, details=details or {})

    @classmethod
    def failed(cls, name: str, reason: str, details: Mapping[str, Any] | None = None) -> Score:
        """The metric should have a value and does not."""
        return cls(name=name, value=None, state="failed", reason=reason, details=details or {})
