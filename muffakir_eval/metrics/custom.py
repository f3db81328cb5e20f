"""Metrics that the user writes: a function of one trial, sync or async."""

from __future__ import annotations

import inspect
import math
import numbers
from collections.abc import Awaitable, Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from muffakir_eval.config import metric_name
from muffakir_eval.errors import JudgeError, MetricError
from muffakir_eval.metrics.table import Metric
from muffakir_eval.records import Score, Trial

__all__ = ["custom_metric", "evaluate_metric", "score_of"]

_EXPECTED = "a number, True or False, None (not applicable), or a Score"


def custom_metric(function: Callable[[Trial], Any]) -> Metric:
    """``function`` as a metric, under the name that it carries.

    That is its attribute ``name``, else its ``__name__`` (of a ``functools.partial``, that of the
    function inside), else the name of its class.

    Raises:
        MetricError: It is a class, or a lambda, or does not take exactly one argument.

    >>> def answer_length(trial):
    ...     return len(trial.output.answer or "")
    >>> custom_metric(answer_length).name
    'answer_length'
    """
    name = metric_name(function).strip()
    if isinstance(function, type):
        raise MetricError(
            f"the metric {name!r} is a class", expected="a function of a Trial", remedy=f"pass {name}(...) instead"
        )
    if not name or name == "<lambda>":
        raise MetricError(
            "a lambda has no name for the report",
            expected="a function with a name",
            remedy="use def, or set the attribute 'name' on it",
        )
    _check_signature(function, name)

    def compute(trial: Trial) -> Score | Awaitable[Score]:
        value = function(trial)
        return _awaited(name, value) if inspect.isawaitable(value) else score_of(name, value)

    return Metric(
        name=name,
        requested_as=name,
        family="custom",
        needs=frozenset(),
        compute=compute,
        definition=f"{name}: defined by the user",
        low=None,
        high=None,
        function=function,
    )


async def _awaited(name: str, value: Awaitable[Any]) -> Score:
    return score_of(name, await value)


def _check_signature(function: Callable[..., Any], name: str) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # written in C: the call will tell
    try:
        signature.bind(None)
    except TypeError:
        raise MetricError(
            f"the metric {name!r} cannot be called with one argument: {name}{signature}",
            expected="a function of a Trial",
        ) from None


def score_of(name: str, value: Any) -> Score:
    """What a user's metric returned, as a score.

    Numbers and truth values are measured (true is 1); ``None`` is not applicable with the reason
    ``no_value``; a :class:`Score` stays what it is under the metric's own name; everything else, NaN
    and infinities included, has failed with ``metric_error``.

    >>> score_of("m", True).value, score_of("m", None).reason, score_of("m", "good").reason
    (1.0, 'no_value', 'metric_error')
    """
    if isinstance(value, Score):
        if value.name == name and isinstance(value.value, (float, type(None))):
            return value
        return replace(value, name=name, value=None if value.value is None else float(value.value))
    if value is None:
        return Score.not_applicable(name, "no_value")
    if getattr(value, "ndim", None) == 0 and callable(getattr(value, "item", None)):
        value = value.item()  # numpy scalars, tensors without a dimension
    if not isinstance(value, (numbers.Real, Decimal)):
        return _failed(name, f"it returned {_shown(value)} of type {type(value).__name__}")
    try:
        number = float(value)
    except (OverflowError, ValueError):
        number = math.nan  # too large for a float, or a Decimal that signals
    if not math.isfinite(number):
        return _failed(name, f"it returned {_shown(value)}, which is no finite number")
    return Score.measured(name, number)


def _failed(name: str, message: str) -> Score:
    return Score.failed(name, "metric_error", {"type": "ValueError", "message": f"{message}; expected {_EXPECTED}"})


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - a broken __repr__ of the user's is no reason to stop
        text = f"<unprintable: {type(error).__name__}>"
    return text if len(text) <= 80 else f"{text[:79]}…"


async def evaluate_metric(metric: Metric, trial: Trial) -> Score:
    """The score of ``metric`` for ``trial``, awaited where it is async.

    An exception becomes a score that failed with ``metric_error``, with its type and message in the
    details: one metric of one sample never stops a run.
    """
    try:
        score = metric.compute(trial)
        return score if isinstance(score, Score) else await score
    except JudgeError:
        raise  # it concerns every sample
    except Exception as error:  # noqa: BLE001 - the border to the user's code
        return Score.failed(metric.name, "metric_error", {"type": type(error).__name__, "message": str(error)})
