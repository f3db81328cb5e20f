"""What goes wrong, or nearly so, while a dataset is read."""

from __future__ import annotations

from muffakir_eval.errors import DatasetRowError

__all__ = ["Findings"]

_SHOWN = 5


class Findings:
    """Collects bad rows and warnings.

    Args:
        fail_fast: Raise on the first bad row instead of setting it aside.
    """

    def __init__(self, *, fail_fast: bool) -> None:
        self.fail_fast = fail_fast
        self.problems: list[DatasetRowError] = []
        self.notes: list[str] = []
        self._warnings: dict[str, list[str]] = {}
        self._counts: dict[str, int] = {}

    def reject(self, error: DatasetRowError) -> None:
        """Set a bad row aside, or raise ``error`` where the first one ends it all."""
        if self.fail_fast:
            raise error
        self.problems.append(error)

    def warn(self, kind: str, text: str) -> None:
        """Keep a warning; of one kind only the first five are told in full, the others are counted."""
        told = self._warnings.setdefault(kind, [])
        self._counts[kind] = self._counts.get(kind, 0) + 1
        if len(told) < _SHOWN:
            told.append(text)

    @property
    def warnings(self) -> list[str]:
        """The warnings, those of one kind together."""
        lines: list[str] = []
        for kind, told in self._warnings.items():
            lines += told
            rest = self._counts[kind] - len(told)
            if rest:
                lines.append(f"… and {rest} more of the kind: {kind}")
        return lines
