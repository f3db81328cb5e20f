"""The figures of a run, however it was made."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

__all__ = ["RunFigures"]


class RunFigures:
    """The figures in ``summary.json``.

    Attributes:
        n_samples: Finished samples.
        k: Main cutoff.
        metrics: Per metric the mean (or ``None`` with a reason), what it covers and its definition.
        notes: What the user should know about this run, in words.
    """

    def __init__(self, summary: Mapping[str, Any]) -> None:
        self._summary = dict(summary)
        self.notes: list[str] = list(self._summary.get("warnings", []))

    @property
    def n_samples(self) -> int:
        """Finished samples."""
        return int(self._summary["n_samples"])

    @property
    def k(self) -> int:
        """Main cutoff."""
        return int(self._summary["k"])

    @property
    def run_id(self) -> str:
        """Identifies the run in every file that belongs to it."""
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

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__}(n={self.n_samples}, k={self.k})"]
        return "\n".join([*lines, *(f"  {name}={value:.4f}" for name, value in self.summary().items())])
