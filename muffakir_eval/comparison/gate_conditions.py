"""What a run shall reach, as people write it: ``recall_at_k >= 0.8``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from muffakir_eval.errors import ConfigError

__all__ = ["Condition", "Operator", "parse_condition", "threshold"]

Operator = Literal[">=", "<=", ">", "<"]

_CONDITION = re.compile(r"\s*(?P<name>[^<>=!≤≥]*?)\s*(?P<operator>[<>=!≤≥]+)\s*(?P<limit>[^<>=!≤≥]*?)\s*")
_OPERATORS: dict[str, Operator] = {">=": ">=", "<=": "<=", ">": ">", "<": "<", "≥": ">=", "≤": "<="}
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_EXPECTED = "a metric, one of >= <= > <, and a number, such as 'recall_at_k >= 0.8'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A bound on one figure of a run.

    Attributes:
        name: The figure.
        operator: How the figure shall compare with the limit.
        limit: The bound, in the unit of the figure.
    """

    name: str
    operator: Operator
    limit: float

    def holds(self, value: float) -> bool:
        """Whether ``value`` keeps to the bound, unrounded but for what the addition of floats leaves over.

        >>> condition = Condition(name="recall_at_k", operator=">=", limit=0.8)
        >>> condition.holds(0.79999), condition.holds((0.1 + 0.7) / 2 + 0.4)
        (False, True)
        """
        if math.isclose(value, self.limit, rel_tol=1e-12, abs_tol=1e-12):
            return self.operator in (">=", "<=")
        return (value > self.limit) is self.wants_high

    @property
    def wants_high(self) -> bool:
        """Higher values are safer."""
        return self.operator in (">=", ">")

    def __str__(self) -> str:
        return f"{self.name} {self.operator} {repr(float(self.limit)).removesuffix('.0')}"


def parse_condition(text: str) -> Condition:
    """Read a condition.

    Raises:
        ConfigError: It is none; the message says what it lacks.

    >>> parse_condition("recall_at_k>=0.8")
    Condition(name='recall_at_k', operator='>=', limit=0.8)
    >>> parse_condition("recall_at_k = 0.8")
    Traceback (most recent call last):
    ...
    muffakir_eval.errors.ConfigError: condition 'recall_at_k = 0.8': '=' is no comparison that a mean can pass. \
Expected: a metric, one of >= <= > <, and a number, such as 'recall_at_k >= 0.8'.
    """
    if not isinstance(text, str):
        raise ConfigError(f"a condition is of type {type(text).__name__}", expected=_EXPECTED)
    where = f"condition {text!r}"
    match = _CONDITION.fullmatch(text)
    if match is None:
        several = len(re.findall(r"[<>=!≤≥]+", text)) > 1
        found = "there are several comparisons in it" if several else "there is no comparison in it"
        raise ConfigError(
            found, where=where, expected=_EXPECTED, remedy="write one condition for each bound" if several else None
        )
    name, operator = match["name"], match["operator"]
    if not name or _NUMBER.fullmatch(name):
        raise ConfigError("no metric stands before the comparison", where=where, expected=_EXPECTED)
    if operator not in _OPERATORS:
        raise ConfigError(f"{operator!r} is no comparison that a mean can pass", where=where, expected=_EXPECTED)
    return Condition(name=name, operator=_OPERATORS[operator], limit=threshold(match["limit"], where))


def threshold(text: str, where: str) -> float:
    """The number of a condition.

    Raises:
        ConfigError: It is none, or not finite.
    """
    if not _NUMBER.fullmatch(text.strip()):
        percent = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*[%٪]\s*", text, re.ASCII)
        remedy = f"write {float(percent[1]) / 100:g}" if percent else None
        raise ConfigError(f"{text!r} is no number", where=where, expected="a number such as 0.8", remedy=remedy)
    value = float(text)
    if not math.isfinite(value):
        raise ConfigError(f"{text!r} is not finite", where=where, expected="a number such as 0.8")
    return value
