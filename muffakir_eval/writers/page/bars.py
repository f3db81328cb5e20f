"""What is drawn in a chart: bars with their labels and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Bar", "Part", "Row", "Split"]

_LINE = 56
"""Characters that have room below a bar."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A horizontal bar.

    Attributes:
        label: What it is.
        value: Its length.
        told: The value in figures.
        low: Lower end of its interval, ``None`` without.
        high: Upper end.
    """

    label: str
    value: float
    told: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """Several figures of one thing, in the order of the series.

    Attributes:
        label: What it is.
        values: The figures.
        told: All of them in figures.
    """

    label: str
    values: Sequence[float]
    told: str


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a bar.

    Attributes:
        name: What it is.
        count: How many.
        colour: A class of the page.
    """

    name: str
    count: int
    colour: str

    @property
    def told(self) -> str:
        """Name and count."""
        return f"{self.name} {self.count}"


@dataclass(frozen=True, slots=True)
class Split:
    """A bar that is divided into parts.

    Attributes:
        label: What it is.
        parts: In the order in which the page is read.
    """

    label: str
    parts: Sequence[Part]

    @property
    def told(self) -> str:
        """Every part in words and figures."""
        return " · ".join(part.told for part in self.parts)

    @property
    def lines(self) -> list[str]:
        """The same in lines that fit below the bar.

        >>> Split("q", [Part("a" * 30, 1, "one"), Part("b" * 30, 2, "two"), Part("c", 3, "six")]).lines[1][-9:]
        'b 2 · c 3'
        """
        lines: list[str] = []
        for part in self.parts:
            longer = f"{lines[-1]} · {part.told}" if lines else ""
            if longer and len(longer) <= _LINE:
                lines[-1] = longer
            else:
                lines.append(part.told)
        return lines
