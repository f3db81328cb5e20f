"""The outcome of a comparison of several retrievers."""

from __future__ import annotations

import dataclasses
import itertools
import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from muffakir_eval.retrieval_evaluation.layout import aligned, number, printable
from muffakir_eval.retrieval_evaluation.report import RetrievalEvalReport

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["UNDECIDED", "RetrieverComparison", "RetrieverDifference"]

UNDECIDED = "not distinguishable at this size"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieverDifference:
    """One metric of two retrievers, on the queries that both were scored on.

    Attributes:
        metric: ``ndcg@10``.
        first: Name of one retriever.
        second: Name of the other.
        difference: Mean of the second minus mean of the first.
        low: Lower end of the interval of the difference, ``None`` where there are too few queries for one.
        high: Upper end.
        p_value: Two-sided, of this comparison alone.
        p_adjusted: The same after Holm's adjustment for all comparisons together.
        n: Queries that both were scored on.
        wins: Queries on which the second scores higher.
        ties: Queries on which both score the same.
        losses: Queries on which the first scores higher.
        verdict: ``"<name> is better"`` where ``p_adjusted`` says so, else ``"not distinguishable at this size"``.
    """

    metric: str
    first: str
    second: str
    difference: float
    low: float | None
    high: float | None
    p_value: float
    p_adjusted: float
    n: int
    wins: int
    ties: int
    losses: int
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieverComparison:
    """Several retrievers on the same judged queries.

    Attributes:
        reports: Name to the report of each retriever.
        differences: Each metric of each pair, in the order of the retrievers and metrics.
        confidence: Of the intervals.
        warnings: Of the single reports, with their names, and of the comparison.
    """

    reports: Mapping[str, RetrievalEvalReport]
    differences: tuple[RetrieverDifference, ...]
    confidence: float = 0.95
    warnings: tuple[str, ...] = ()

    def to_dataframe(self) -> pd.DataFrame:
        """One row per pair and metric, with the columns of :class:`RetrieverDifference`."""
        import pandas as pd

        columns = [field.name for field in dataclasses.fields(RetrieverDifference)]
        frame = pd.DataFrame([dataclasses.asdict(difference) for difference in self.differences], columns=columns)
        for name in ("difference", "low", "high", "p_value", "p_adjusted"):
            frame[name] = pd.to_numeric(frame[name]).astype("float64")
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "reports": {name: report.to_dict() for name, report in self.reports.items()},
            "differences": [dataclasses.asdict(difference) for difference in self.differences],
            "confidence": self.confidence,
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        return printable("\n".join(self._lines()), getattr(sys.stdout, "encoding", None))

    def _lines(self) -> Iterator[str]:
        yield f"Comparison of {len(self.reports)} retrievers"
        yield ""
        yield from aligned(*self._means())
        yield from self._pairs()
        if self.warnings:
            yield from ("", *(f"warning: {warning}" for warning in self.warnings))

    def _means(self) -> tuple[list[str], list[list[str]]]:
        """Heading and rows of the means; where queries failed, over those alone that all were scored on."""
        reports = self.reports.values()
        keys = list(dict.fromkeys(key for report in reports for key in report.metrics))
        failed = any(report.failed for report in reports)
        heading = ["retriever", *(["failed", "common queries"] if failed else ["queries"]), *keys]
        first = next(iter(reports)).per_query if reports else {}
        common = [query for query in first if all(query in report.per_query for report in reports)]
        rows = []
        for name, report in self.reports.items():
            counts = [str(len(report.failed)), str(len(common))] if failed else [str(report.n_queries)]
            means: Mapping[str, float | None] = report.metrics
            if failed:
                means = {key: _mean(report.per_query[query].get(key) for query in common) for key in keys}
            rows.append([name, *counts, *(number(means.get(key)) for key in keys)])
        return heading, rows

    def _pairs(self) -> Iterator[str]:
        heading = [
            "metric",
            "difference",
            f"{100 * self.confidence:.4g} % interval",
            "p",
            "p adjusted",
            "wins/ties/losses",
            "verdict",
        ]
        for (first, second), found in itertools.groupby(self.differences, lambda one: (one.first, one.second)):
            pair = list(found)
            yield ""
            yield f"{second} against {first}, on {_numbers(one.n for one in pair)} queries"
            yield from aligned(heading, (_cells(one) for one in pair))


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def _numbers(counts: Iterator[int]) -> str:
    return " / ".join(str(count) for count in dict.fromkeys(counts))


def _cells(one: RetrieverDifference) -> list[str]:
    interval = "" if one.low is None or one.high is None else f"{one.low:+.4f} to {one.high:+.4f}"
    return [
        one.metric,
        f"{one.difference:+.4f}",
        interval,
        _chance(one.p_value),
        _chance(one.p_adjusted),
        f"{one.wins}/{one.ties}/{one.losses}",
        one.verdict,
    ]


def _chance(p_value: float) -> str:
    return "<0.0001" if p_value < 0.0001 else number(p_value)
