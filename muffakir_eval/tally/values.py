"""The values of one metric, sample by sample."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from muffakir_eval.records import Score

__all__ = ["Column", "exact_mean"]


def exact_mean(values: Sequence[float], count: int) -> float | None:
    """The sum of ``values`` over ``count``; ``None`` over nothing."""
    if not count:
        return None
    try:
        return math.fsum(values) / count
    except OverflowError:  # the sum is out of range, the mean is not
        return math.fsum(value / count for value in values)


@dataclass(frozen=True, slots=True)
class _Missing:
    reason: str
    failed: bool


class Column:
    """Values and reasons of one metric; 10 bytes a sample, whatever it holds."""

    def __init__(self) -> None:
        self._values = array("d")
        self._why = array("h")  # 0 for a value, else one more than the place of the reason
        self._reasons: dict[_Missing, int] = {}

    def add(self, score: Score) -> None:
        """Note the score of the next sample."""
        if score.value is not None:
            self._values.append(score.value)
            self._why.append(0)
            return
        missing = _Missing(str(score.reason), score.state == "failed")
        self._values.append(0.0)
        self._why.append(self._reasons.setdefault(missing, len(self._reasons)) + 1)

    def values(self, places: Iterable[int] | None = None) -> list[float | None]:
        """Value or ``None`` of every sample, or of those at ``places``."""
        chosen = range(len(self._values)) if places is None else places
        return [None if self._why[place] else self._values[place] for place in chosen]

    def figures(self, places: Sequence[int] | None = None) -> dict[str, Any]:
        """Mean or ``None`` with a reason, what it covers, and why the rest is missing."""
        chosen = range(len(self._values)) if places is None else places
        values = [self._values[place] for place in chosen if not self._why[place]]
        known = list(self._reasons)
        missing = Counter(self._why[place] for place in chosen if self._why[place])
        reasons: Counter[str] = Counter()
        failed = 0
        for code, count in missing.items():
            reasons[known[code - 1].reason] += count
            failed += count * known[code - 1].failed
        ranked = dict(sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0])))
        nothing = next(iter(ranked), "no_samples")
        return {
            "mean": exact_mean(values, len(values)),
            "reason": None if values else nothing,
            "n_scored": len(values),
            "n_total": len(chosen),
            "n_failed": failed,
            "reasons": ranked,
            "mean_failures_as_zero": exact_mean(values, len(values) + failed),
        }
