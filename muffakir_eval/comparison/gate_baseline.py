"""A run against an earlier one: has a metric dropped?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from muffakir_eval.comparison.gate_conditions import Condition
from muffakir_eval.comparison.gate_figures import figure_of
from muffakir_eval.comparison.gate_result import GateCheck, State
from muffakir_eval.comparison.metric_names import metric_named
from muffakir_eval.comparison.runs import compare_runs
from muffakir_eval.comparison.runs_columns import ABSTENTION, LATENCY, REFUSALS, REFUSALS_ANSWERABLE
from muffakir_eval.comparison.runs_findings import MetricComparison
from muffakir_eval.comparison.runs_result import PairComparison
from muffakir_eval.errors import ConfigError, MetricError
from muffakir_eval.report import EvaluationReport
from muffakir_eval.writers.gate_lines import told_apart
from muffakir_eval.writers.terms import figure, reason_words

__all__ = ["Drop", "drops"]

_REASONS = {
    "nothing_in_common": "no question was scored in both runs",
    "too_few": "only one question was scored in both runs",
    "other_questions": "the datasets differ; allow common_only to look at the questions that both have",
    "low_coverage": "too few of the questions were scored in both runs",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """What shall not have dropped; see :func:`~muffakir_eval.comparison.gate.check_gate`."""

    summary: Mapping[str, Any]
    no_significant: tuple[str, ...]
    limits: Mapping[str, float]
    min_coverage: float
    use: Literal["mean", "lower"]
    common_only: bool
    confidence: float
    seed: int

    def check_names(self) -> None:
        """Refuse what the run does not have.

        Raises:
            MetricError: A metric is unknown.
            ConfigError: A limit is no size.
        """
        for name in (*self.no_significant, *self.limits):
            self.key(name)
        for name, limit in self.limits.items():
            if not (limit >= 0 and math.isfinite(limit)):
                raise ConfigError(f"the largest drop of {name} is {limit!r}", expected="a number, at least 0")

    def key(self, name: str) -> str:
        """What the run calls a metric, or what is compared beside the metrics."""
        key = metric_named(name, self.summary["metrics"], self.summary["k"])
        if key is not None:
            return key
        plain = figure_of(self.summary, name).name
        if plain not in (REFUSALS, REFUSALS_ANSWERABLE, ABSTENTION, LATENCY):
            raise MetricError(
                f"{plain} is not known question by question",
                expected="a metric of the run, a rate of refusals, or pipeline_latency_ms",
            )
        return plain


def drops(run: EvaluationReport | str | Path, baseline: EvaluationReport | str | Path, drop: Drop) -> list[GateCheck]:
    """Each metric on the questions that both runs have.

    Raises:
        StorageError: A folder holds no run, or a damaged one.
    """
    wanted = dict.fromkeys(drop.key(name) for name in (*drop.no_significant, *drop.limits))
    compared = compare_runs(
        baseline,
        run,
        metrics=list(wanted),
        slice_by=(),
        min_coverage=drop.min_coverage,
        common_only=drop.common_only,
        confidence=drop.confidence,
        n_moved=0,
        seed=drop.seed,
    ).pairs[0]
    return list(_checks(compared, drop))


def _checks(compared: PairComparison, drop: Drop) -> Iterator[GateCheck]:
    for name in drop.no_significant:
        key = drop.key(name)
        yield _significant(key, compared, drop)
    for name, limit in drop.limits.items():
        key = drop.key(name)
        yield _sized(key, limit, compared, drop)


def _significant(key: str, compared: PairComparison, drop: Drop) -> GateCheck:
    condition = f"no significant drop of {key}"
    found, missing = _found(key, compared)
    if found is None or missing is not None:
        return _unknown(key, condition, str(missing), found)
    alpha = 1.0 - drop.confidence
    dropped = [
        (size, p_value, kind)
        for size, _, p_value, kind in _sizes(found)
        if size > 0 and p_value is not None and p_value < alpha
    ]
    state: State = "failed" if dropped else "passed"
    size, p_value, kind = dropped[0] if dropped else (_sizes(found)[0][0], found.p_adjusted, "")
    chance = "" if p_value is None else f", p = {p_value:.4g}"
    message = f"{_means(found)}{chance} over {found.n} common questions{kind}"
    if state == "passed" and found.verdict == "not_distinguishable" and found.smallest_difference is not None:
        message += f"; so many questions would show a difference of {figure(found.smallest_difference)}"
    return _known(key, condition, state, message, found, value=size, compared=size, limit=None)


def _sized(key: str, limit: float, compared: PairComparison, drop: Drop) -> GateCheck:
    bound = Condition(name=f"drop of {key}", operator="<=", limit=limit)
    condition = str(bound)
    found, missing = _found(key, compared)
    if found is None or missing is not None:
        return _unknown(key, condition, str(missing), found)
    sizes = [(size if drop.use == "mean" else end, size, kind) for size, end, _, kind in _sizes(found)]
    if any(one[0] is None for one in sizes):
        return _unknown(key, condition, "there is no interval of the difference", found)
    held, size, kind = max(((float(held or 0.0), size, kind) for held, size, kind in sizes), key=lambda one: one[0])
    state: State = "passed" if bound.holds(held) else "failed"
    message = f"{_means(found)}, a drop of {told_apart(size, limit)} over {found.n} common questions{kind}"
    if drop.use == "lower":
        message += f"; the unfavourable end of its interval, {told_apart(held, limit)}, is held against the limit"
    return _known(key, condition, state, message, found, value=size, compared=held, limit=limit)


def _found(key: str, compared: PairComparison) -> tuple[MetricComparison | None, str | None]:
    """The comparison of a metric, and why it may not be used."""
    for left_out in compared.not_compared:
        if left_out.metric == key:
            return (
                None,
                f"{key} was not measured in the same way in the baseline (A) and the run (B): {left_out.detail}",
            )
    found = next((one for one in compared.metrics if one.metric == key), None)
    if found is None:
        return None, f"{key} was not measured in the baseline"
    if found.direction == "neutral":
        raise ConfigError(
            f"neither more nor less of {key} is a drop where some questions have no answer",
            expected=f"{REFUSALS_ANSWERABLE} or {ABSTENTION}",
        )
    if found.reason in _REASONS:
        why = ", ".join(
            f"{label}: {reason_words(reason)} ({part.n})"
            for part in found.left_out
            if part.counts
            for label, reason in (("baseline", part.in_a), ("run", part.in_b))
            if reason is not None
        )
        share = f" ({found.n} of {found.n_applicable})" if found.reason == "low_coverage" else ""
        return found, f"{_REASONS[found.reason]}{share}" + (f": {why}" if why else "")
    return found, None


def _sizes(found: MetricComparison) -> list[tuple[float, float | None, float | None, str]]:
    """How much the run has dropped, at most by the interval, and its p-value: as scored, and with failures counted."""
    sign = 1.0 if found.direction == "lower" else -1.0
    sides = [(found.difference or 0.0, found.interval, found.p_adjusted, "")]
    if found.with_failures is not None:
        counted = found.with_failures
        sides.append((counted.difference, counted.interval, counted.p_adjusted, ", with failures counted as the worst"))
    return [
        (sign * size + 0.0, None if ends is None else max(sign * end for end in ends), p_value, kind)
        for size, ends, p_value, kind in sides
    ]


def _of_drop(found: MetricComparison) -> tuple[float, float] | None:
    """The interval of the difference as that of a drop."""
    if found.interval is None:
        return None
    low, high = found.interval
    return (low, high) if found.direction == "lower" else (-high + 0.0, -low + 0.0)


def _means(found: MetricComparison) -> str:
    before, after = (0.0 if mean is None else mean for mean in (found.mean_a, found.mean_b))
    return f"{found.metric} was {figure(before)} and is {told_apart(after, before)}"


def _known(  # noqa: PLR0913 - the fields of a check
    key: str,
    condition: str,
    state: State,
    message: str,
    found: MetricComparison,
    *,
    value: float,
    compared: float,
    limit: float | None,
) -> GateCheck:
    return GateCheck(
        name=key,
        condition=condition,
        state=state,
        message=message,
        value=value,
        compared=compared,
        limit=limit,
        interval=_of_drop(found),
        n_scored=found.n,
        n_applicable=found.n_applicable,
        coverage=found.coverage,
    )


def _unknown(key: str, condition: str, why: str, found: MetricComparison | None) -> GateCheck:
    return GateCheck(
        name=key,
        condition=condition,
        state="not_measured",
        message=why,
        n_scored=found.n if found else 0,
        n_applicable=found.n_applicable if found else 0,
        coverage=found.coverage if found else None,
    )
