"""The outcome of an evaluation of retrieval."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muffakir_eval.atomic import make_folder
from muffakir_eval.retrieval_evaluation.layout import aligned, number, printable
from muffakir_eval.retrieval_evaluation.measures import definition_of
from muffakir_eval.writers.csv_file import write_samples_csv
from muffakir_eval.writers.frames import frame_of
from muffakir_eval.writers.json_file import write_json

if TYPE_CHECKING:
    import pandas as pd

    from muffakir_eval.statistics.intervals import MeanInterval

__all__ = ["RetrievalEvalReport"]


@dataclass(frozen=True, slots=True, repr=False)
class RetrievalEvalReport:
    """The outcome of ``evaluate_retrieval``: means over the scored queries, and the values behind them.

    Attributes:
        metrics: ``"<name>@<k>"`` to the mean over the queries that it applies to, in [0, 1]; one that
            applies to none is left out.
        per_query: Query to the same keys; one that does not apply to a query is left out there.
        n_queries: Queries that were scored.
        k_values: The cutoffs.
        n_judged: Queries with judgements, the skipped and the failed ones included.
        coverage: Per metric, how many queries its mean covers.
        skipped: Queries that cannot be scored: ``no_gold`` (no document judged relevant) or
            ``no_query_text``.
        failed: Queries on which the retriever raised, with the message; they are in no mean.
        failures_as_zero: Where queries failed, the means with 0 for those; without ``distractor_share``,
            where 0 is the best value.
        warnings: What the figures do not tell about how they came about.

    >>> report = RetrievalEvalReport(
    ...     metrics={'ndcg@10': 0.83}, per_query={}, n_queries=12, k_values=(10,))
    >>> report.primary
    0.83
    """

    metrics: Mapping[str, float]
    per_query: Mapping[str, Mapping[str, float]]
    n_queries: int
    k_values: tuple[int, ...]
    n_judged: int = field(default=0, kw_only=True)
    coverage: Mapping[str, int] = field(default_factory=dict, kw_only=True)
    skipped: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    failed: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    failures_as_zero: Mapping[str, float] = field(default_factory=dict, kw_only=True)
    warnings: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def primary(self) -> float | None:
        """The mean nDCG@10; ``None`` where it was not computed."""
        return self.primary_at(10)

    def primary_at(self, k: int) -> float | None:
        """The mean nDCG at cutoff ``k``; ``None`` where it was not computed."""
        return self.metrics.get(f"ndcg@{k}")

    def intervals(
        self, *, confidence: float = 0.95, n_resamples: int = 10_000, seed: int = 0
    ) -> dict[str, MeanInterval]:
        """How sure the means are: the interval of each, over the values per query.

        Args:
            confidence: In (0, 1).
            n_resamples: Draws of the bootstrap; metrics that only take 0 and 1 have Wilson's interval.
            seed: Of the draws; the same seed gives the same ends.

        Returns:
            Metric to mean, ``low``, ``high`` (``None`` where there are too few queries) and ``n``.
        """
        return self._intervals(list(self.metrics), confidence, n_resamples, seed)

    def _intervals(
        self, keys: Sequence[str], confidence: float = 0.95, n_resamples: int = 10_000, seed: int = 0
    ) -> dict[str, MeanInterval]:
        import numpy as np

        from muffakir_eval.statistics.intervals import mean_intervals

        columns = {key: [values.get(key) for values in self.per_query.values()] for key in keys}
        rng = np.random.default_rng(seed)
        return mean_intervals(columns, rng=rng, confidence=confidence, n_resamples=n_resamples)

    def summary(self) -> dict[str, float]:
        """Every mean that has a value, by metric."""
        return dict(self.metrics)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the values per query, as plain values: the content of ``retrieval_summary.json``."""
        ends = {
            key: [found.low, found.high] if found.low is not None and found.high is not None else None
            for key, found in self.intervals().items()
        }
        return {
            "n_judged": self.n_judged,
            "n_queries": self.n_queries,
            "n_skipped": len(self.skipped),
            "n_failed": len(self.failed),
            "k_values": list(self.k_values),
            "summary": self.summary(),
            "metrics": {
                key: {
                    "mean": self.metrics.get(key),
                    "interval": ends.get(key),
                    "n_scored": self.coverage.get(key, self.n_queries),
                    "definition": definition_of(key),
                    "mean_failures_as_zero": (self.failures_as_zero if self.failed else self.metrics).get(key),
                }
                for key in dict.fromkeys([*self.coverage, *self.metrics])
            },
            "skipped": {str(query): reason for query, reason in self.skipped.items()},
            "failed": {str(query): message for query, message in self.failed.items()},
            "warnings": list(self.warnings),
        }

    def columns(self) -> list[str]:
        """The columns of :meth:`rows`."""
        return ["query_id", *dict.fromkeys([*self.coverage, *self.metrics]), "state", "reason"]

    def rows(self) -> Iterator[dict[str, Any]]:
        """One per judged query, the scored ones first; what has no value is ``None``."""
        for query, values in self.per_query.items():
            yield {**dict.fromkeys(self.columns()), "query_id": str(query), **values, "state": "measured"}
        for state, reasons in (("failed", self.failed), ("not_applicable", self.skipped)):
            for query, reason in reasons.items():
                yield {
                    **dict.fromkeys(self.columns()),
                    "query_id": str(query),
                    "state": state,
                    "reason": reason,
                }

    def to_dataframe(self) -> pd.DataFrame:
        """One row per judged query: its values, whether it was ``measured``, and why not."""
        import pandas as pd

        frame = frame_of(self.rows(), self.columns())
        for name in self.columns()[1:-2]:
            frame[name] = pd.to_numeric(frame[name]).astype("float64")
        return frame

    def save(self, output_dir: str | Path) -> Path:
        """Write ``retrieval_summary.json`` and ``retrieval_queries.csv`` into a folder, each in one step.

        The folder is made where it does not exist; earlier files of these names are replaced.

        Raises:
            StorageError: A file cannot be written.
        """
        folder = make_folder(output_dir)
        write_samples_csv(folder / "retrieval_queries.csv", self.rows(), self.columns())
        write_json(folder / "retrieval_summary.json", self.to_dict())
        return folder

    def __repr__(self) -> str:
        lines = [f"RetrievalEvalReport(n={self.n_queries})"]
        return "\n".join([*lines, *(f"  {key}={value:.4f}" for key, value in self.metrics.items())])

    def __str__(self) -> str:
        return printable("\n".join(self._lines()), getattr(sys.stdout, "encoding", None))

    def _lines(self) -> Iterator[str]:
        parts = [f"{self.n_queries} queries scored"]
        parts += [f"{len(self.skipped)} skipped"] if self.skipped else []
        parts += [f"{len(self.failed)} failed"] if self.failed else []
        yield f"Retrieval evaluation: {', '.join(parts)}"
        yield ""
        yield from aligned(["metric", *(f"@{k}" for k in self.k_values), *self._further_heading()], self._table())
        yield from self._sureness()
        examples = [f"  {query}: {message}" for query, message in list(self.failed.items())[:3]]
        if examples:
            yield from ("", "Failed, and in no mean", *examples)
        if self.warnings:
            yield from ("", *(f"warning: {warning}" for warning in self.warnings))

    def _sureness(self) -> Iterator[str]:
        """The interval of the primary metric, or of the first that there is."""
        key = "ndcg@10" if self.primary is not None else next(iter(self.metrics), None)
        for name, found in self._intervals([key] if key else []).items():
            if found.low is not None and found.high is not None:
                yield from ("", f"{name} {found.mean:.4f}, 95 % interval {found.low:.4f} to {found.high:.4f}")

    def _further_heading(self) -> list[str]:
        return ["queries"] if self.coverage else []

    def _table(self) -> Iterator[list[str]]:
        """One line per metric, one column per cutoff."""
        names = dict.fromkeys(key.rpartition("@")[0] for key in dict.fromkeys([*self.coverage, *self.metrics]))
        for name in names:
            keys = [f"{name}@{k}" for k in self.k_values]
            cells = [name, *(number(self.metrics.get(key)) for key in keys)]
            if self.coverage:
                counts = dict.fromkeys(str(self.coverage[key]) for key in keys if key in self.coverage)
                cells.append(" / ".join(counts))
            yield cells
