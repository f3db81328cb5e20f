"""Conditions on the metrics of a run: a comparison, or several conditions joined by and, or, not.

A condition holds, does not hold, or is *open*: a metric that has no value leaves it open, unless it does
not depend on that metric (Kleene's logic: ``false and open`` is false, ``true or open`` is true). So a
missing value is never taken for a low one, and never for a high one either.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from muffakir_eval.lm_retrieval.naming import own_name
from muffakir_eval.records import Score

__all__ = ["All", "Any_", "Comparison", "Condition", "Finding", "Not", "WithoutValue", "beside", "examine", "leaves"]

Op = Literal[">=", ">", "<=", "<", "==", "!="]

_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}
_SPELLINGS = {"≥": ">=", "=>": ">=", "≤": "<=", "=<": "<=", "=": "==", "≠": "!=", "<>": "!="}


def beside(value: float, threshold: float) -> float:
    """``value`` as it is compared with the threshold: the threshold itself where only rounding keeps them apart.

    Useful nodes at the ranks 2, 3 and 9 are a contextual precision of one half, which the arithmetic misses by a bit.

    >>> beside((1 / 2 + 2 / 3 + 3 / 9) / 3, 0.5), beside(0.4999, 0.5)
    (0.5, 0.4999)
    """
    return threshold if math.isclose(value, threshold, rel_tol=1e-12, abs_tol=1e-12) else value


def _op(value: object) -> object:
    plain = value.strip() if isinstance(value, str) else value
    return _SPELLINGS.get(plain, plain) if isinstance(plain, str) else plain


def _name(value: object) -> object:
    return own_name(value) if isinstance(value, str) else value


MetricName = Annotated[str, BeforeValidator(_name), Field(min_length=1)]
"""A metric of the run; the reference's names are understood."""


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Comparison(_Form):
    """The value of one metric against a threshold; values are compared as they are, not as they are shown."""

    metric: MetricName
    op: Annotated[Op, BeforeValidator(_op)]
    value: Annotated[float, Field(strict=True)]

    def holds(self, value: float) -> bool:
        """Whether it holds for a metric of this value.

        >>> Comparison(metric="contextual_recall", op=">=", value=0.8).holds(0.79999)
        False
        """
        return _COMPARE[self.op](beside(value, self.value), self.value)


class WithoutValue(_Form):
    """The metric does not apply to the question, for this reason: ``no_chunks`` where nothing was retrieved."""

    metric: MetricName
    reason: str = Field(min_length=1)


class All(_Form):
    """Every one of the conditions holds."""

    conditions: tuple[Condition, ...] = Field(alias="and", min_length=1)


class Any_(_Form):  # noqa: N801 - `Any` is taken
    """At least one of the conditions holds."""

    conditions: tuple[Condition, ...] = Field(alias="or", min_length=1)


class Not(_Form):
    """The condition does not hold."""

    condition: Condition = Field(alias="not")


def _form(value: Any) -> str | None:
    """Which form is meant, by its most telling key; a comparison where nothing tells."""
    if isinstance(value, BaseModel):
        value = value.model_dump(by_alias=True)
    if not isinstance(value, Mapping):
        return None
    for key in ("and", "or", "not", "reason"):
        if key in value:
            return key
    return "comparison"


Condition = Annotated[
    Annotated[Comparison, Tag("comparison")]
    | Annotated[WithoutValue, Tag("reason")]
    | Annotated[All, Tag("and")]
    | Annotated[Any_, Tag("or")]
    | Annotated[Not, Tag("not")],
    Discriminator(
        _form,
        custom_error_type="condition",
        custom_error_message="a table with metric, op and value, or with and, or, or not",
    ),
]
"""A condition of any form."""

for _model in (All, Any_, Not):
    _model.model_rebuild()


@dataclass(frozen=True, slots=True)
class Finding:
    """What is known about a condition.

    Attributes:
        possible: What it may come to: ``True``, ``False``, or ``None`` where it stays open. A metric that does
            not apply leaves its comparison open for good; one that has failed might have come to either.
        open_for: The scores without a value that matter.
    """

    possible: frozenset[bool | None]
    open_for: tuple[Score, ...] = ()

    @property
    def holds(self) -> bool | None:
        """Whether it holds; ``None`` where that is not known."""
        return next(iter(self.possible)) if len(self.possible) == 1 else None

    @property
    def may_hold(self) -> bool:
        """It holds, or might hold if all metrics had a value."""
        return True in self.possible


_EITHER: frozenset[bool | None] = frozenset({True, False})
_OPEN: frozenset[bool | None] = frozenset({None})


def examine(condition: Condition, scores: Mapping[str, Score]) -> Finding:
    """What is known about ``condition`` from ``scores``, which have every metric that it names.

    >>> low = Comparison(metric="contextual_recall", op="<", value=0.5)
    >>> failed = {"contextual_recall": Score.failed("contextual_recall", "timeout")}
    >>> empty = {"contextual_recall": Score.not_applicable("contextual_recall", "no_chunks")}
    >>> examine(low, failed).may_hold, examine(low, empty).may_hold, examine(low, empty).holds is None
    (True, False, True)
    """
    if isinstance(condition, (Comparison, WithoutValue)):
        return _single(condition, scores[condition.metric])
    if isinstance(condition, Not):
        found = examine(condition.condition, scores)
        return Finding(frozenset(None if each is None else not each for each in found.possible), found.open_for)
    return _joined([examine(each, scores) for each in condition.conditions], enough=isinstance(condition, Any_))


def _single(condition: Comparison | WithoutValue, score: Score) -> Finding:
    if score.state == "failed":
        return Finding(_EITHER, (score,))
    if isinstance(condition, WithoutValue):
        return Finding(frozenset({score.reason == condition.reason}))
    if score.value is None:
        return Finding(_OPEN, (score,))
    return Finding(frozenset({condition.holds(score.value)}))


def _joined(findings: Sequence[Finding], *, enough: bool) -> Finding:
    """Several findings, of which one that is ``enough`` decides."""
    if any(found.holds is enough for found in findings):
        return Finding(frozenset({enough}))
    possible = findings[0].possible
    for found in findings[1:]:
        possible = frozenset(_kleene(one, other, enough) for one in possible for other in found.possible)
    missing = {score.name: score for found in findings for score in found.open_for}
    return Finding(possible, tuple(missing.values()))


def _kleene(one: bool | None, other: bool | None, enough: bool) -> bool | None:
    if one is enough or other is enough:
        return enough
    return None if one is None or other is None else not enough


def leaves(condition: Condition) -> Iterator[Comparison | WithoutValue]:
    """The single conditions on one metric, from left to right."""
    if isinstance(condition, (Comparison, WithoutValue)):
        yield condition
    elif isinstance(condition, Not):
        yield from leaves(condition.condition)
    else:
        for each in condition.conditions:
            yield from leaves(each)
