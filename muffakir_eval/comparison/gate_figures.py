"""The figures of a run that a gate can look at, by name."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from muffakir_eval.comparison.metric_names import metric_named
from muffakir_eval.comparison.runs_columns import ABSTENTION, REFUSALS, REFUSALS_ANSWERABLE, Missing, applies
from muffakir_eval.errors import MetricError, StorageError
from muffakir_eval.records import NOT_APPLICABLE_REASONS

__all__ = ["Figure", "figure_of"]

_LATENCIES = {"latency_ms": "total", "pipeline_latency_ms": "pipeline", "evaluation_latency_ms": "evaluation"}
_OVER_ANSWERS = {
    REFUSALS: ("answerable", "unanswerable", "unknown"),
    REFUSALS_ANSWERABLE: ("answerable", "unknown"),
    ABSTENTION: ("unanswerable",),
}
_ANSWERS = ("answered", "partial", "refused", "empty")
_SHARE = (0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of a run.

    Attributes:
        name: What the run calls it.
        value: ``None`` where it was not measured.
        interval: How sure it is, ``None`` where that is not known.
        n_scored: Questions that it rests on.
        n_applicable: Questions that it could have rested on.
        reasons: Why it has no value on the others, with their numbers, and what does not count against it left out.
        has_interval: It is a figure of the kind that has an interval.
        scale: Lowest and highest possible value, where they are known.
    """

    name: str
    value: float | None
    interval: tuple[float, float] | None = None
    n_scored: int = 0
    n_applicable: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    has_interval: bool = True
    scale: tuple[float, float] | None = None

    @property
    def coverage(self) -> float | None:
        """Share of the questions that the figure applies to which it rests on; ``None`` of nothing."""
        return self.n_scored / self.n_applicable if self.n_applicable else None


def figure_of(summary: Mapping[str, Any], name: str) -> Figure:
    """The figure that is meant by ``name``.

    Metrics by their key or as they are asked for (``recall``, ``Recall@5``); the rates
    ``answer_refusal_rate``, ``answer_refusal_rate_answerable``, ``abstention_rate_unanswerable`` and
    ``pipeline_error_rate``; ``latency_ms``, ``pipeline_latency_ms`` and ``evaluation_latency_ms``, alone
    for the mean or with ``.p50``, ``.p90``, ``.p95``, ``.p99``, ``.max``; ``cost_usd``; ``n_samples``.

    Raises:
        MetricError: The run has no such figure.
        StorageError: The counts of the summary contradict each other.
    """
    key = metric_named(name, summary["metrics"], summary["k"])
    if key is not None:
        return _metric(summary, key)
    plain = name.strip().lower()
    if plain in _OVER_ANSWERS:
        return _rate(summary, plain)
    base, _, part = plain.partition(".")
    if base in _LATENCIES and part in ("", "mean", "p50", "p90", "p95", "p99", "max"):
        block = summary["latency_ms"].get(_LATENCIES[base]) or {}
        n = int(block.get("n") or 0)
        return Figure(name=plain, value=block.get(part or "mean"), n_scored=n, n_applicable=n, has_interval=False)
    if plain == "pipeline_error_rate":
        n, failed = summary["n_samples"], _counted(summary, _OVER_ANSWERS[REFUSALS], ("error",))
        return _share(summary, plain, failed, n, of=n)
    if plain == "cost_usd":
        cost = (summary.get("usage") or {}).get("cost_usd")
        n = summary["n_samples"]
        return Figure(name=plain, value=cost, n_scored=n, n_applicable=n, has_interval=False)
    if plain == "n_samples":
        n = summary["n_samples"]
        return Figure(name=plain, value=float(n), n_scored=n, n_applicable=n, has_interval=False)
    raise _unknown(summary, name)


def _metric(summary: Mapping[str, Any], key: str) -> Figure:
    block = summary["metrics"][key]
    # Failed scores and those that do not apply stand in one list; how many failed is counted beside it.
    against = {reason: count for reason, count in block["reasons"].items() if applies(Missing(reason, failed=False))}
    failed = {reason: count for reason, count in block["reasons"].items() if reason not in NOT_APPLICABLE_REASONS}
    built_in = summary["retrieval"].keys() | summary["generation"].keys()
    scale = (1.0, 5.0) if key == "llm_judge_rating" else _SHARE if key in built_in else None
    mean = block["mean"]
    return Figure(
        name=key,
        value=None if mean is None else float(mean),
        interval=_ends(block.get("interval")),
        n_scored=block["n_scored"],
        n_applicable=min(block["n_total"], block["n_scored"] + block["n_failed"] + sum(against.values())),
        reasons=dict(block["reasons"]) if mean is None else {**failed, **against},
        scale=scale,
    )


def _rate(summary: Mapping[str, Any], name: str) -> Figure:
    rows = _OVER_ANSWERS[name]
    answers, errors = _counted(summary, rows, _ANSWERS), _counted(summary, rows, ("error",))
    refused = _counted(summary, rows, ("refused",))
    reasons = {"pipeline_error": errors} if errors else {} if answers else {"no_answer": _counted(summary, rows, None)}
    found = _share(summary, name, refused, answers, of=answers + errors, reasons=reasons)
    known = _ends(summary["refusals"].get("interval")) if name == REFUSALS else None
    return found if known is None else replace(found, interval=known)  # the run's knows of clusters


def _share(
    summary: Mapping[str, Any], name: str, count: int, n: int, *, of: int, reasons: Mapping[str, int] | None = None
) -> Figure:
    if not n:
        return Figure(name=name, value=None, n_applicable=of, reasons=reasons or {}, scale=_SHARE)
    if count > n:
        raise StorageError(
            f"the summary counts {count} of {n} for {name}", expected="a share", remedy="restore the file from a copy"
        )
    from muffakir_eval.statistics.intervals import wilson_interval

    low, high = wilson_interval(count, n, confidence=float(summary.get("confidence_level") or 0.95))
    return Figure(
        name=name,
        value=count / n,
        interval=(low, high),
        n_scored=n,
        n_applicable=of,
        reasons=reasons or {},
        scale=_SHARE,
    )


def _counted(summary: Mapping[str, Any], rows: tuple[str, ...], columns: tuple[str, ...] | None) -> int:
    table = summary["refusals"].get("table") or {}
    parts = [table.get(row) or {} for row in rows]
    return sum(int(count) for part in parts for column, count in part.items() if columns is None or column in columns)


def _ends(interval: Any) -> tuple[float, float] | None:
    return None if not interval else (float(interval[0]), float(interval[1]))


def _unknown(summary: Mapping[str, Any], name: str) -> MetricError:
    others = [*_OVER_ANSWERS, "pipeline_error_rate", *(f"{base}.p95" for base in _LATENCIES), "cost_usd", "n_samples"]
    known = [*summary["metrics"], *others]
    near = difflib.get_close_matches(name.strip().lower(), known, n=1, cutoff=0.5)
    return MetricError(
        f"the run has no figure {name!r}",
        expected=f"one of {', '.join(known)}",
        remedy=f"did you mean {near[0]!r}?" if near else "check the spelling, or run with that metric",
    )
