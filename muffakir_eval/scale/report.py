"""The outcome of a distributed run: the figures in memory, the rows in Parquet files."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muffakir_eval.errors import StorageError
from muffakir_eval.report import RunFigures
from muffakir_eval.writers.console import report_text

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DistributedReport"]


class DistributedReport(RunFigures):
    """What a distributed run found.

    Attributes:
        folder: Where it was saved, ``None`` where it was not.
        parts: The files of scored rows, in the order of the data set.
        notes: What the user should know about this run, in words.
    """

    def __init__(self, summary: Mapping[str, Any], *, folder: Path | None = None, parts: tuple[Path, ...] = ()) -> None:
        super().__init__(summary)
        self.folder = folder
        self.parts = parts

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
