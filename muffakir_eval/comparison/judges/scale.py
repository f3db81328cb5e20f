"""What values a metric may take, and what that means for comparing those who gave them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Kind", "Scale", "seen_scale"]

Kind = Literal["binary", "rating", "continuous"]
_MOST_LABELS = 21


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The values of a metric.

    Attributes:
        low: Lowest value.
        high: Highest value.
        whole: Only whole numbers are values.

    >>> Scale(low=0, high=1, whole=True).kind, Scale(low=1, high=5, whole=True).labels
    ('binary', (1.0, 2.0, 3.0, 4.0, 5.0))
    """

    low: float
    high: float
    whole: bool = False

    @property
    def kind(self) -> Kind:
        """``binary`` for 0 and 1, ``rating`` for a few whole numbers, else ``continuous``."""
        if not self.whole or self.high - self.low >= _MOST_LABELS:
            return "continuous"
        return "binary" if (self.low, self.high) == (0, 1) else "rating"

    @property
    def labels(self) -> tuple[float, ...] | None:
        """All values in their order, ``None`` where there is no end of them."""
        if self.kind == "continuous":
            return None
        return tuple(float(value) for value in range(int(self.low), int(self.high) + 1))

    @property
    def weights(self) -> Literal["identity", "quadratic"] | None:
        """How far two different labels agree: not at all, or less with the square of their distance."""
        return {"binary": "identity", "rating": "quadratic", "continuous": None}[self.kind]

    def holds(self, values: Iterable[float]) -> bool:
        """Every one of the values lies between the ends."""
        return all(self.low <= value <= self.high for value in values)

    def rescaled(self, values: Sequence[float], low: float, high: float) -> list[float]:
        """Values of a scale from ``low`` to ``high``, moved in a straight line onto this one.

        >>> Scale(low=0, high=1).rescaled([1, 3, 5], 1, 5)
        [0.0, 0.5, 1.0]
        """
        return [self.low + (value - low) * (self.high - self.low) / (high - low) for value in values]


def seen_scale(values: Iterable[float]) -> Scale:
    """The scale of a metric of which nothing but its values is known.

    >>> seen_scale([2, 4, 5]), seen_scale([0.5, 1.0])
    (Scale(low=1, high=5, whole=True), Scale(low=0, high=1, whole=False))
    """
    known = set(values)
    whole = all(float(value).is_integer() for value in known)
    if known <= {0.0, 1.0}:
        return Scale(low=0, high=1, whole=True)
    if whole and known <= {1.0, 2.0, 3.0, 4.0, 5.0}:
        return Scale(low=1, high=5, whole=True)
    if all(0 <= value <= 1 for value in known):
        return Scale(low=0, high=1)
    return Scale(low=min(known), high=max(known), whole=whole)
