"""Parts that come back in any order, added up in the order of the data set."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

from muffakir_eval.records.fingerprint import ContentSum
from muffakir_eval.scale.scoring import Counted
from muffakir_eval.tally import Tally

__all__ = ["Total", "repeated_ids"]

_PROBLEMS_SHOWN, _WARNINGS_SHOWN = 20, 20


class Total:
    """What all parts add up to.

    Args:
        tally: The figures, of none yet.
    """

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.files: list[str] = []
        self._content = ContentSum()
        self._n_bad_rows = 0
        self._problems: list[str] = []
        self._warnings: dict[str, None] = {}
        self._waiting: dict[int, Counted] = {}
        self._next = 0

    def add(self, number: int, counted: Counted) -> None:
        """Take what part ``number`` adds up to; it counts once all parts before it have come."""
        self._waiting[number] = counted
        while self._next in self._waiting:
            self._count(self._waiting.pop(self._next))
            self._next += 1

    def _count(self, counted: Counted) -> None:
        self.tally.merge(counted.tally)
        self._content.merge(counted.content)
        self._n_bad_rows += counted.n_bad_rows
        self._problems += counted.problems[: _PROBLEMS_SHOWN - len(self._problems)]
        if len(self._warnings) < _WARNINGS_SHOWN:
            self._warnings |= dict.fromkeys(counted.warnings[: _WARNINGS_SHOWN - len(self._warnings)])
        if counted.file is not None:
            self.files.append(counted.file)

    def told(self) -> dict[str, Any]:
        """What the summary says beside the figures."""
        lines = [*self._warnings, *(f"left out, bad row: {problem}" for problem in self._problems)]
        if self._n_bad_rows > len(self._problems):
            lines.append(f"left out, {self._n_bad_rows - len(self._problems)} more bad rows")
        return {
            "n_samples": self.tally.n_samples,
            "n_bad_rows": self._n_bad_rows,
            "fingerprint": str(self._content),
            "warnings": lines,
        }


def repeated_ids(ids: Iterable[array[int]]) -> dict[int, frozenset[int]]:
    """The places, part by part, of samples that bear the name of an earlier one; parts without any are left out.

    >>> repeated_ids([array("Q", [1, 2, 1]), array("Q", [3, 2])])
    {0: frozenset({2}), 1: frozenset({1})}
    """
    import numpy as np

    columns = [np.frombuffer(part, dtype=np.uint64) if part else np.empty(0, dtype=np.uint64) for part in ids]
    everything = np.concatenate(columns) if columns else np.empty(0, dtype=np.uint64)
    first = np.zeros(len(everything), dtype=bool)
    first[np.unique(everything, return_index=True)[1]] = True
    found, start = {}, 0
    for number, column in enumerate(columns):
        again = np.flatnonzero(~first[start : start + len(column)])
        start += len(column)
        if len(again):
            found[number] = frozenset(again.tolist())
    return found
