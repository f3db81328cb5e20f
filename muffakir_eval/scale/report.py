"""The outcome of a distributed run: the figures in memory, the rows in Parquet files."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muffakir_eval.errors import StorageError
from muffakir_eval.writers.console import report_text

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DistributedReport"]


class DistributedReport:
    """What a distributed run found.

    Attributes:
        folder: Where it was saved, ``None`` where it was not.
        parts: The files of scored rows, in the order of the data set.
        notes: What the user should know about this run, in words.
    """

    def __init__(self, summary: Mapping[str, Any], *, folder: Path | None = None, parts: tuple[Path, ...] = ()) -> None:
        self._summary = dict(summary)
        self.folder = folder
        self.parts = parts
        self.notes: list[str] = list(self._summary.get("warnings", []))

    @property
    def n_samples(self) -> int:
        """Scored samples."""
        return int(self._summary["n_samples"])

    @property
    def run_id(self) -> str:
        """Identifies the run."""
        return str(self._summary["run_id"])

    @property
    def metrics(self) -> dict[str, dict[str, Any]]:
        """Per metric: ``mean`` or ``None`` with a ``reason``, ``interval``, ``n_scored`` of ``n_total``, and more."""
        return copy.deepcopy(self._summary["metrics"])

    @property
    def slices(self) -> dict[str, list[dict[str, Any]]]:
        """Per column of ``slice_by``: each value with ``n_samples`` and :attr:`metrics` of its samples."""
        return copy.deepcopy(self._summary["slices"])

    def summary(self) -> dict[str, float]:
        """Every mean that has a value, by metric name."""
        return dict(self._summary["summary"])

    def to_dict(self) -> dict[str, Any]:
        """The content of ``summary.json``."""
        return copy.deepcopy(self._summary)

    def frames(self) -> Iterator[pd.DataFrame]:
        """The scored rows, part by part.

        Raises:
            StorageError: The run was not saved.
        """
        import pandas as pd

        if self.folder is None:
            raise StorageError("the rows were not kept", where="frames", remedy="name a folder: output_dir=…")
        for part in self.parts:
            yield pd.read_parquet(part, dtype_backend="numpy_nullable")

    def __str__(self) -> str:
        return report_text(self._summary, encoding=getattr(sys.stdout, "encoding", None))

    def __repr__(self) -> str:
        lines = [f"DistributedReport(n={self.n_samples}, k={self._summary['k']})"]
        return "\n".join([*lines, *(f"  {name}={value:.4f}" for name, value in self.summary().items())])
