"""What a comparison of runs says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muffakir_eval.comparison.runs_comparable import NotCompared
from muffakir_eval.comparison.runs_findings import MetricComparison, MovedQuestion, SliceComparison
from muffakir_eval.comparison.runs_pairing import OnlyIn
from muffakir_eval.writers.comparison_lines import comparison_text
from muffakir_eval.writers.csv_file import csv_chunks
from muffakir_eval.writers.frames import frame_of
from muffakir_eval.writers.json_file import json_chunks
from muffakir_eval.writers.result_folder import write_result

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PairComparison", "RunComparison", "RunFacts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """One of the runs.

    Attributes:
        label: ``A``, ``B``, …
        name: What it is called here: its folder, or what it was named.
        run_id: Identifies it.
        pipeline_id: What was under test.
        n_questions: Questions that were finished.
        n_planned: Questions that there were.
        partial: It stopped early.
        language: Of its labels and prompts, ``None`` where it does not say.
    """

    label: str
    name: str
    run_id: str
    pipeline_id: str | None
    n_questions: int
    n_planned: int
    partial: bool
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairComparison:
    """Two of the runs.

    Attributes:
        a: Label of the first.
        b: Label of the second; differences are B minus A.
        n_common: Questions that both have.
        only_in_a: Questions that only A has.
        only_in_b: Questions that only B has.
        same_questions: Both have the same dataset, apart from questions that a run did not finish.
        settings: What else differs, as ``name: A -> B``.
        cluster_column: Questions with the same value in it were not taken as independent.
        metrics: By metric.
        not_compared: Metrics that the runs did not measure in the same way.
        slices: By column, value and metric.
        notes: What the user should know, in words.
    """

    a: str
    b: str
    n_common: int
    only_in_a: OnlyIn
    only_in_b: OnlyIn
    same_questions: bool
    settings: tuple[str, ...]
    cluster_column: str | None
    metrics: tuple[MetricComparison, ...]
    not_compared: tuple[NotCompared, ...]
    slices: tuple[SliceComparison, ...]
    notes: tuple[str, ...]

    def __getitem__(self, metric: str) -> MetricComparison:
        """The comparison of one metric.

        Raises:
            KeyError: It was not compared.
        """
        for found in self.metrics:
            if found.metric == metric:
                return found
        raise KeyError(metric)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """Two or more runs, pair by pair.

    Attributes:
        runs: In the order in which they were given.
        pairs: A and B; with more runs, every pair.
        confidence: Of the intervals; a verdict needs an adjusted p-value below ``1 - confidence``.
        min_coverage: Below it there is no verdict.
        n_tests: Over how many tests of quality Holm was applied.
    """

    runs: tuple[RunFacts, ...]
    pairs: tuple[PairComparison, ...]
    confidence: float
    min_coverage: float
    n_tests: int

    @property
    def metrics(self) -> tuple[MetricComparison, ...]:
        """The metrics of the first pair."""
        return self.pairs[0].metrics

    def __getitem__(self, metric: str) -> MetricComparison:
        """One metric of the first pair.

        Raises:
            KeyError: It was not compared.
        """
        return self.pairs[0][metric]

    @property
    def any_verdict(self) -> bool:
        """Something may be said about at least one metric of one pair."""
        return any(metric.verdict != "no_verdict" for pair in self.pairs for metric in pair.metrics)

    def to_dict(self) -> dict[str, Any]:
        """The content of ``comparison.json``."""
        return asdict(self)

    def to_dataframe(self) -> pd.DataFrame:
        """One row per pair and metric, with slices also one per value; what is missing is missing."""
        import pandas as pd

        frame = frame_of(self._rows(), _COLUMNS)
        for name in _NUMBERS:
            frame[name] = pd.to_numeric(frame[name]).astype("float64")
        return frame

    def _rows(self) -> Iterator[dict[str, Any]]:
        for pair in self.pairs:
            compared: tuple[MetricComparison | SliceComparison, ...] = (*pair.metrics, *pair.slices)
            for found in compared:
                low, high = found.interval or (None, None)
                known = {field.name for field in fields(found)}
                row = {name: getattr(found, name) for name in _COLUMNS if name in known}
                yield {"a": pair.a, "b": pair.b, **row, "low": low, "high": high}

    def moved_rows(self) -> Iterator[dict[str, Any]]:
        """The rows of ``moved.csv``: the questions that moved most, by pair and metric."""
        for pair in self.pairs:
            for metric in pair.metrics:
                for moved in metric.moved:
                    yield {"a": pair.a, "b": pair.b, "metric": metric.metric, **asdict(moved)}

    def save(self, output_dir: str | Path, *, html: bool = False) -> Path:
        """Write ``comparison.json`` and ``moved.csv`` into a folder, which is made where it does not exist.

        Args:
            output_dir: The folder.
            html: Write the page ``report.html`` too.

        Raises:
            StorageError: A file cannot be written.
            RunExistsError: There is a ``report.html`` of somebody else's.
        """
        from muffakir_eval.writers.page import comparison_page

        page = (lambda: comparison_page(self.to_dict())) if html else None
        columns = ["a", "b", "metric", *(field.name for field in fields(MovedQuestion))]
        files = {
            "moved.csv": csv_chunks(self.moved_rows(), columns),
            "comparison.json": json_chunks(self.to_dict()),
        }
        return write_result(output_dir, files, page)

    def __str__(self) -> str:
        return comparison_text(self.to_dict())


_NUMBERS = (
    "mean_a",
    "mean_b",
    "difference",
    "low",
    "high",
    "p_value",
    "p_adjusted",
    "coverage",
    "effect_size",
)
_COLUMNS = (
    "a",
    "b",
    "column",
    "value",
    "metric",
    "direction",
    "n",
    "n_applicable",
    *_NUMBERS,
    "wins",
    "ties",
    "losses",
    "verdict",
    "reason",
)
