"""A run against thresholds, and against an earlier run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from muffakir_eval.comparison.gate_baseline import Drop, drops
from muffakir_eval.comparison.gate_conditions import Condition, parse_condition
from muffakir_eval.comparison.gate_figures import Figure, figure_of
from muffakir_eval.comparison.gate_result import GateCheck, GateResult
from muffakir_eval.comparison.metric_names import listed
from muffakir_eval.comparison.runs_folder import read_summary, run_folder
from muffakir_eval.errors import ConfigError
from muffakir_eval.report import EvaluationReport
from muffakir_eval.writers.gate_lines import told_apart
from muffakir_eval.writers.terms import figure, reason_words

__all__ = ["Use", "assert_report", "check_gate"]

Use = Literal["mean", "lower"]
"""What is held against a limit: the mean, or the unfavourable end of its interval."""


def check_gate(  # noqa: PLR0913 - one parameter per setting
    run: EvaluationReport | str | Path,
    *conditions: str | Condition,
    baseline: EvaluationReport | str | Path | None = None,
    no_significant_drop: Sequence[str] | None = None,
    max_drop: Mapping[str, float] | None = None,
    min_coverage: float = 0.9,
    use: Use = "mean",
    allow_partial: bool = False,
    common_only: bool = False,
    confidence: float = 0.95,
    seed: int = 0,
) -> GateResult:
    """Hold a run against conditions. What was not measured never passes.

    A figure that rests on less than ``min_coverage`` of the questions that it applies to counts as not
    measured, whatever its value: failed scores, refused and empty answers, and what could not be
    compared count against it; questions without gold evidence, and those that were rightly refused, do
    not. Values are compared unrounded.

    Args:
        run: A report, or the folder of a run.
        conditions: Such as ``"recall_at_k >= 0.8"``; see
            :func:`~muffakir_eval.comparison.gate_figures.figure_of` for the names.
        baseline: An earlier run.
        no_significant_drop: Metrics that shall not be significantly worse than in the baseline: the
            paired test of :func:`~muffakir_eval.comparison.runs.compare_runs`, also with failures counted
            as the worst score.
        max_drop: Metrics to how much worse than the baseline they may be, on the common questions.
        min_coverage: Share of the questions that a figure applies to which must have been scored.
        use: ``lower`` holds the unfavourable end of the interval against a limit, not the mean.
        allow_partial: Look at a run that stopped early, too.
        common_only: Compare with a baseline of another dataset, on the questions that both have.
        confidence: Of the comparison with the baseline.
        seed: Of its draws.

    Raises:
        ConfigError: There is nothing to check, or a condition makes no sense.
        MetricError: The run has no such figure; with the name that may have been meant.
        StorageError: The folder holds no run, or a damaged one.
    """
    limits, held = max_drop or {}, listed(no_significant_drop or ())
    _refuse_nonsense(conditions, baseline, [*held, *limits], min_coverage, use)
    summary = _summary(run)
    parsed = [one if isinstance(one, Condition) else parse_condition(one) for one in conditions]
    figures = [figure_of(summary, condition.name) for condition in parsed]
    for condition, found in zip(parsed, figures, strict=True):
        _refuse_out_of_range(condition, found)
    drop = Drop(
        summary=summary,
        no_significant=held,
        limits=limits,
        min_coverage=min_coverage,
        use=use,
        common_only=common_only,
        confidence=confidence,
        seed=seed,
    )
    drop.check_names()
    whole = list(_whole(summary, allow_partial=allow_partial))
    if whole:
        return GateResult(run_id=summary["run_id"], checks=tuple(whole))
    checks = [_check(condition, found, min_coverage, use) for condition, found in zip(parsed, figures, strict=True)]
    if baseline is not None:
        checks += drops(run, baseline, drop)
    return GateResult(run_id=summary["run_id"], checks=tuple(checks))


def assert_report(  # noqa: PLR0913 - as check_gate
    run: EvaluationReport | str | Path,
    *conditions: str,
    baseline: EvaluationReport | str | Path | None = None,
    no_significant_drop: Sequence[str] | None = None,
    max_drop: Mapping[str, float] | None = None,
    min_coverage: float = 0.9,
    use: Use = "mean",
    allow_partial: bool = False,
    common_only: bool = False,
) -> GateResult:
    """:func:`check_gate` for a test: an ``AssertionError`` with value, interval and n where a condition does not hold.

    Raises:
        AssertionError: A condition does not hold, or could not be checked.
        ConfigError: As :func:`check_gate`; so the other errors.
    """
    __tracebackhide__ = True
    result = check_gate(
        run,
        *conditions,
        baseline=baseline,
        no_significant_drop=no_significant_drop,
        max_drop=max_drop,
        min_coverage=min_coverage,
        use=use,
        allow_partial=allow_partial,
        common_only=common_only,
    )
    if not result.passed:
        raise AssertionError(str(result))
    return result


def _summary(run: Any) -> dict[str, Any]:
    if isinstance(run, EvaluationReport):
        if run.dry_run:
            raise ConfigError("a dry run has no results to check", remedy="run again with dry_run off")
        return run.to_dict()
    if not isinstance(run, (str, Path)):
        raise ConfigError(
            f"a run is of type {type(run).__name__}", expected="a report of MuffakirEvaluation, or the folder of a run"
        )
    return read_summary(run_folder(run))


def _refuse_nonsense(
    conditions: Sequence[str | Condition], baseline: object, drops: Sequence[str], min_coverage: float, use: str
) -> None:
    if not conditions and not drops:
        raise ConfigError("there is nothing to check", remedy="give a condition such as 'recall_at_k >= 0.8'")
    if drops and baseline is None:
        raise ConfigError("a drop needs a run to compare with", remedy="give the earlier run as baseline")
    if baseline is not None and not drops:
        raise ConfigError(
            "a baseline was given, and nothing is compared with it",
            remedy="name metrics with no_significant_drop or max_drop, or leave it out",
        )
    if not 0.0 <= min_coverage <= 1.0:
        raise ConfigError(f"min_coverage is {min_coverage!r}", expected="a share between 0 and 1, such as 0.9")
    if use not in ("mean", "lower"):
        raise ConfigError(f"use is {use!r}", expected="'mean', or 'lower' for the unfavourable end of the interval")


def _refuse_out_of_range(condition: Condition, found: Figure) -> None:
    if found.scale is None:
        return
    low, high = found.scale
    if not low <= condition.limit <= high:
        percent = high == 1.0 and 1.0 < condition.limit <= 100.0
        raise ConfigError(
            f"{found.name} lies between {low:g} and {high:g}",
            where=f"condition {str(condition)!r}",
            expected="a limit in that range",
            remedy=f"did you mean {condition.limit / 100:g}?" if percent else None,
        )


def _whole(summary: Mapping[str, Any], *, allow_partial: bool) -> Iterator[GateCheck]:
    """Why nothing at all can be said of this run."""
    if not summary["n_samples"]:
        yield GateCheck(
            name="n_samples",
            condition="the run has questions",
            state="not_measured",
            message="the run holds no finished question",
        )
    elif summary["partial"] and not allow_partial:
        done, planned = summary["n_samples"], summary.get("n_planned")
        of = f" of {planned}" if planned is not None else ""
        yield GateCheck(
            name="partial",
            condition="the run is complete",
            state="not_measured",
            message=f"the run stopped early, with {done}{of} questions done; finish it, or allow a partial run",
        )


def _check(condition: Condition, found: Figure, min_coverage: float, use: Use) -> GateCheck:
    state: Literal["passed", "failed", "not_measured"]
    compared = None
    missing = _not_measured(found, min_coverage)
    if missing is None:
        compared, missing = _compared(condition, found, use)
    if missing is not None or compared is None:
        state, message = "not_measured", str(missing)
    else:
        state = "passed" if condition.holds(compared) else "failed"
        message = _measured(condition, found, compared)
    return GateCheck(
        name=found.name,
        condition=str(Condition(name=found.name, operator=condition.operator, limit=condition.limit)),
        state=state,
        message=message,
        value=found.value,
        compared=compared,
        limit=condition.limit,
        interval=found.interval,
        n_scored=found.n_scored,
        n_applicable=found.n_applicable,
        coverage=found.coverage,
    )


def _not_measured(found: Figure, min_coverage: float) -> str | None:
    """Why the figure says too little, ``None`` where it says enough."""
    reasons = ", ".join(f"{reason_words(reason)} ({count})" for reason, count in found.reasons.items())
    if found.value is None:
        unpriced = "price or tokens of the judge are not known" if found.name == "cost_usd" else ""
        return f"{found.name} was not measured: {reasons or unpriced or 'the run has no value of it'}"
    if found.coverage is not None and found.coverage < min_coverage:
        return (
            f"{found.name} was measured on {found.n_scored} of the {found.n_applicable} questions that it applies to "
            f"({found.coverage:.1%}); at least {min_coverage:.4g} of them are asked for: {reasons}"
        )
    return None


def _compared(condition: Condition, found: Figure, use: Use) -> tuple[float | None, str | None]:
    """What is held against the limit, or why there is nothing."""
    if use == "mean" or not found.has_interval:
        return found.value, None
    if found.interval is None:
        return None, f"{found.name} has no interval: one score is too few, or the run was written without intervals"
    return found.interval[0 if condition.wants_high else 1], None


def _measured(condition: Condition, found: Figure, compared: float) -> str:
    """The value with how sure it is."""
    value = 0.0 if found.value is None else found.value
    sure = f" ({' to '.join(figure(end) for end in found.interval)})" if found.interval else ""
    text = f"{found.name} is {told_apart(value, condition.limit)}{sure} over {found.n_scored} questions"
    if compared != value:
        end = "lower" if condition.wants_high else "upper"
        text += f"; the {end} end of the interval, {told_apart(compared, condition.limit)}, is held against the limit"
    return text
