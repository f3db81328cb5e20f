"""The samples of a dataset, with what is known about how they were read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from muffakir_eval.errors import DatasetRowError
from muffakir_eval.records import Sample

__all__ = ["EvaluationDataset"]


class EvaluationDataset(list[Sample]):
    """A list of samples. It compares, pickles and slices as a list does.

    Attributes:
        source: Where the samples come from, for messages.
        mapping: Columns by field; may be passed as ``column_mapping``.
        unmapped: Columns that went into the metadata.
        problems: Bad rows that were set aside.
        warnings: What was read, but may not be what was meant.
        notes: Decisions that were taken about columns.
        n_rows: Rows that were read, bad ones included, blank ones not.
        match_by: How a run compares chunks with the gold unless its settings say otherwise: ``"id"`` for
            relevance judgements, ``None`` where the samples leave it to the settings.
    """

    def __init__(
        self,
        samples: Iterable[Sample] = (),
        *,
        source: str = "",
        mapping: Mapping[str, Sequence[str]] | None = None,
        n_rows: int | None = None,
    ) -> None:
        super().__init__(samples)
        self.source = source
        self.mapping: dict[str, str | list[str]] = {
            field: columns[0] if len(columns) == 1 else list(columns) for field, columns in (mapping or {}).items()
        }
        self.unmapped: list[str] = []
        self.problems: list[DatasetRowError] = []
        self.warnings: list[str] = []
        self.notes: list[str] = []
        self.n_rows = len(self) if n_rows is None else n_rows
        self.match_by: Literal["auto", "id", "text"] | None = None

    def describe(self) -> str:
        """What was read and how the columns were understood, in a few lines.

        Warnings and problems are left to whoever shows this.
        """
        aside = f", {len(self.problems)} set aside" if self.problems else ""
        lines = [f"{self.source}: {len(self)} samples from {self.n_rows} rows{aside}"]
        width = max((len(field) for field in self.mapping), default=0)
        for field, columns in self.mapping.items():
            named = columns if isinstance(columns, str) else " + ".join(columns)
            lines.append(f"  {field:<{width}} <- {named}")
        if self.unmapped:
            lines.append(f"  kept as metadata: {', '.join(self.unmapped)}")
        lines += [f"  note: {note}" for note in self.notes]
        if self:
            lines.append(f"  {self._coverage()}")
        return "\n".join(lines)

    def _coverage(self) -> str:
        """How many samples carry what the metrics need."""
        counts = {
            "a gold answer": sum(bool(sample.answers) for sample in self),
            "gold passages": sum(bool(sample.contexts and sample.golds) for sample in self),
            "gold ids": sum(bool(sample.chunk_ids and sample.golds) for sample in self),
            "a recorded output": sum(sample.recorded is not None for sample in self),
            "marked unanswerable": sum(sample.answerable is False for sample in self),
        }
        return ", ".join(f"{what}: {count}" for what, count in counts.items())
