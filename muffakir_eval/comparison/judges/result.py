"""What a comparison of judges says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muffakir_eval.comparison.judges.facts import JudgeFacts
from muffakir_eval.comparison.judges.figures import Figure
from muffakir_eval.comparison.judges.frontier import Offer
from muffakir_eval.comparison.judges.pairs import PairAgreement
from muffakir_eval.comparison.judges.people import PeopleAgreement
from muffakir_eval.comparison.judges.rivals import Rivals
from muffakir_eval.comparison.judges.rows import TABLES, columns_of, rows_of
from muffakir_eval.errors import ConfigError
from muffakir_eval.records.codec import json_value
from muffakir_eval.writers.csv_file import csv_chunks
from muffakir_eval.writers.frames import frame_of
from muffakir_eval.writers.json_file import json_chunks
from muffakir_eval.writers.judge_comparison_lines import judge_comparison_text
from muffakir_eval.writers.result_folder import write_result

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["JudgeComparison", "MetricAgreement"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricAgreement:
    """One metric, as all judges see it.

    Attributes:
        metric: Its name.
        low: Lowest value.
        high: Highest value.
        kind: ``binary``, ``rating`` or ``continuous``.
        threshold: Values from here on count as good, where one was given.
        alpha: Krippendorff's alpha of all judges, at the interval level; answers with at least two opinions.
        pairs: Every two judges.
        human_column: Where the human labels stand, ``None`` without any.
        people: Every judge against people.
        rivals: Every two judges: which agrees better with people.
        frontier: Quality against cost, cheapest first.
        frontier_reason: Why there is no frontier: ``no_people``, ``no_quality`` or ``no_cost``.
    """

    metric: str
    low: float
    high: float
    kind: str
    threshold: float | None
    alpha: Figure
    pairs: tuple[PairAgreement, ...]
    human_column: str | None = None
    people: tuple[PeopleAgreement, ...] = ()
    rivals: tuple[Rivals, ...] = ()
    frontier: tuple[Offer, ...] = ()
    frontier_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeComparison:
    """Several judges of the same answers. Printing it gives tables and sentences.

    Attributes:
        source: Where the answers come from.
        fingerprint: Of the dataset, ``None`` where it is not known.
        n_answers: Answers that were to be judged.
        judges: Each by itself.
        metrics: Each as all judges see it.
        confidence: Of the intervals.
        n_resamples: Draws of a bootstrap.
        seed: Of the draws.
        slice_by: Columns by whose values agreement is looked at, too.
        cluster_column: Answers with the same value in it are not independent.
        notes: What the user should know.
        dry_run: Of a rehearsal, what each judge would take; nothing was asked then.
        folder: Where it was saved first, ``None`` where it was not.
    """

    source: str
    fingerprint: str | None
    n_answers: int
    judges: tuple[JudgeFacts, ...]
    metrics: tuple[MetricAgreement, ...]
    confidence: float = 0.95
    n_resamples: int = 2_000
    seed: int = 0
    slice_by: tuple[str, ...] = ()
    cluster_column: str | None = None
    notes: tuple[str, ...] = ()
    dry_run: tuple[Mapping[str, Any], ...] | None = None
    folder: Path | None = field(default=None, compare=False)

    @property
    def complete(self) -> bool:
        """Every judge came to its end."""
        return all(judge.status == "complete" for judge in self.judges)

    def metric(self, name: str) -> MetricAgreement:
        """One metric.

        Raises:
            KeyError: It was not compared.
        """
        return {one.metric: one for one in self.metrics}[name]

    def judge(self, label: str) -> JudgeFacts:
        """One judge.

        Raises:
            KeyError: There is none of that label.
        """
        return {one.label: one for one in self.judges}[label]

    def pair(self, metric: str, a: str, b: str) -> PairAgreement:
        """Two judges, A and B as they were given.

        Raises:
            KeyError: They were not compared in this order.
        """
        return {(pair.a, pair.b): pair for pair in self.metric(metric).pairs}[a, b]

    def against_people(self, metric: str, judge: str) -> PeopleAgreement:
        """One judge against people.

        Raises:
            KeyError: They were not compared.
        """
        return {one.judge: one for one in self.metric(metric).people}[judge]

    def to_dict(self) -> dict[str, Any]:
        """The content of ``judges.json``."""
        found = asdict(self)
        del found["folder"]
        return {"kind": "judge_comparison", "complete": self.complete, **json_value(found)}

    def to_dataframe(self, table: str = "judges") -> pd.DataFrame:
        """One of the tables that :meth:`save` writes, as a frame.

        Args:
            table: ``judges`` (one row per judge and metric), ``pairs``, ``people``, ``slices``,
                ``disagreements``, ``confusion``, ``rivals`` or ``frontier``.

        Raises:
            ConfigError: There is no such table.
        """
        if table not in TABLES:
            raise ConfigError(f"there is no table {table!r}", expected=f"one of {', '.join(TABLES)}")
        return frame_of(rows_of(table, self.to_dict()), columns_of(table))

    def files(self) -> dict[str, Any]:
        """The content of the files, by name."""
        found = self.to_dict()
        tables = {
            f"{name}.csv": csv_chunks(rows_of(name, found), columns_of(name))
            for name in TABLES
            if name == "judges" or any(True for _ in rows_of(name, found))
        }
        return {**tables, "judges.json": json_chunks(found)}

    def save(self, output_dir: str | Path, *, html: bool = False) -> Path:
        """Write ``judges.json`` and the tables as CSV, each replaced in one step.

        Args:
            output_dir: The folder.
            html: Write the page ``report.html`` too.

        Raises:
            StorageError: A file cannot be written.
            RunExistsError: There is a ``report.html`` of somebody else's.
        """
        from muffakir_eval.writers.page import judge_comparison_page

        page = (lambda: judge_comparison_page(self.to_dict())) if html else None
        return write_result(output_dir, self.files(), page)

    def __str__(self) -> str:
        return judge_comparison_text(self.to_dict())

    def __repr__(self) -> str:
        labels = ", ".join(judge.label for judge in self.judges)
        return f"JudgeComparison({self.n_answers} answers, judges: {labels})"
