"""All thresholds that can be chosen, and what each of them accepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from muffakir_eval.calibration.limits import Limits, lowest_threshold
from muffakir_eval.config import MatchSettings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]
    Places = npt.NDArray[np.int64]

__all__ = ["Cell", "Counts", "Heights", "Space"]


class Cell(NamedTuple):
    """One choice: the place of a way in :attr:`Space.fuzzy`, and of both thresholds in :attr:`Space.thresholds`."""

    way: int
    overlap: int
    coverage: int


class Heights(NamedTuple):
    """The limits of pairs, as how many of the thresholds they reach; shape ``(ways, pairs)``.

    Attributes:
        overlap: Of the token Jaccard; all of them for a contained pair.
        coverage: Of the overlap.
    """

    overlap: Places
    coverage: Places


class Counts(NamedTuple):
    """What every cell accepts; shape ``(ways, thresholds, thresholds)``.

    Attributes:
        tp: Relevant pairs.
        fp: Pairs that are not relevant.
        n_relevant: How many relevant pairs there are.
    """

    tp: Numbers
    fp: Numbers
    n_relevant: int

    def without(self, part: Counts) -> Counts:
        """The counts of the pairs that are not in ``part``."""
        return Counts(self.tp - part.tp, self.fp - part.fp, self.n_relevant - part.n_relevant)


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """The thresholds 0.10, 0.11, …, 1, and those of the present settings, for both stages.

    Attributes:
        settings: The present settings.
        thresholds: Rising.
        fuzzy: Words that nearly agree count or not, the present way first.
    """

    settings: MatchSettings
    thresholds: tuple[float, ...]
    fuzzy: tuple[bool, ...]

    @classmethod
    def around(cls, settings: MatchSettings) -> Space:
        """All choices, the present one among them.

        >>> space = Space.around(MatchSettings())
        >>> len(space.thresholds), space.settings_at(space.current) == MatchSettings()
        (91, True)
        """
        overlap = settings.overlap_threshold
        needed = max(overlap, settings.coverage_threshold)
        steps = [place / 100 for place in range(10, 101)]
        thresholds = sorted({*steps, overlap, needed, lowest_threshold(settings)})
        return cls(settings=settings, thresholds=tuple(thresholds), fuzzy=(settings.fuzzy, not settings.fuzzy))

    @property
    def has_overlap(self) -> bool:
        """The token Jaccard is asked."""
        return "jaccard" in self.settings.stages

    @property
    def has_coverage(self) -> bool:
        """The overlap is asked."""
        return "coverage" in self.settings.stages

    @property
    def current(self) -> Cell:
        """The present settings."""
        overlap = self.thresholds.index(self.settings.overlap_threshold) if self.has_overlap else 0
        needed = max(self.settings.overlap_threshold, self.settings.coverage_threshold)
        coverage = self.thresholds.index(needed) if self.has_coverage else len(self.thresholds) - 1
        return Cell(0, overlap, coverage)

    def settings_at(self, cell: Cell) -> MatchSettings:
        """The settings that a cell stands for; the threshold of a stage that is off stays out of the way."""
        if cell == self.current:
            return self.settings
        coverage = self.thresholds[cell.coverage] if self.has_coverage else self.settings.coverage_threshold
        overlap = self.thresholds[cell.overlap]
        if not self.has_overlap:  # the coverage that is asked for is never below it
            overlap = min(self.settings.overlap_threshold, coverage)
        chosen = {"overlap_threshold": overlap, "coverage_threshold": coverage, "fuzzy": self.fuzzy[cell.way]}
        return MatchSettings.model_validate(self.settings.model_dump() | chosen)

    def heights(self, limits: Sequence[tuple[Limits, ...]]) -> Heights:
        """Which thresholds the pairs reach."""
        import numpy as np

        steps = np.array(self.thresholds)
        by_way = np.array(limits, dtype=np.float64).transpose(1, 2, 0)  # (ways, parts of a limit, pairs)
        contained, overlap, coverage = by_way[:, 0], by_way[:, 1], by_way[:, 2]
        reached = np.searchsorted(steps, overlap, side="right")
        reached[contained > 0] = len(steps)
        return Heights(reached, np.searchsorted(steps, coverage, side="right"))

    def accepts(self, heights: Heights, cell: Cell) -> npt.NDArray[np.bool_]:
        """The verdict on every pair at one cell."""
        import numpy as np

        overlap, coverage = heights.overlap[cell.way], heights.coverage[cell.way]
        return np.asarray((overlap > cell.overlap) | (coverage > max(cell.overlap, cell.coverage)))

    def count(self, heights: Heights, relevant: npt.NDArray[np.bool_]) -> Counts:
        """How many pairs every cell accepts."""
        import numpy as np

        def of(mask: npt.NDArray[np.bool_]) -> Numbers:
            return np.stack(
                [
                    self._accepted(overlap[mask], coverage[mask])
                    for overlap, coverage in zip(heights.overlap, heights.coverage, strict=True)
                ]
            )

        return Counts(of(relevant), of(~relevant), int(relevant.sum()))

    def _accepted(self, overlap: Places, coverage: Places) -> Numbers:
        import numpy as np

        size = len(self.thresholds)
        table = np.zeros((size + 1, size + 1))
        np.add.at(table, (overlap, coverage), 1.0)
        # Pairs that the token Jaccard does not accept at i, by the least coverage that they reach.
        left = table.cumsum(axis=0)[:, ::-1].cumsum(axis=1)[:, ::-1]
        row, column = np.indices((size, size))
        return np.asarray(len(overlap) - left[row, 0] + left[row, np.maximum(row, column) + 1])
