"""A figure, how sure it is, and what it rests on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from muffakir_eval.comparison.judges.inputs import Settings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from muffakir_eval.statistics.bootstrap import Interval
    from muffakir_eval.statistics.influence import Influenced

    Floats = npt.NDArray[np.float64]

__all__ = ["Figure", "influenced_figure", "mean_figure"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure, how sure it is, and what it rests on.

    Attributes:
        value: ``None`` where it is not defined.
        low: Lower end of its interval, ``None`` where none can be had.
        high: Upper end.
        n: How many answers.
        reason: Why there is no value: ``no_pairs``, ``too_few``, ``one_label``, ``constant``, ``continuous`` (no
            labels), ``between_labels`` (means of repeats), ``not_binary``, ``other_scale``, …
    """

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    @classmethod
    def none(cls, reason: str, n: int) -> Figure:
        """Not defined."""
        return cls(value=None, n=n, reason=reason)

    def negated(self) -> Figure:
        """The same seen from the other side.

        >>> Figure(value=0.5, low=0.25, high=1.0, n=4).negated()
        Figure(value=-0.5, n=4, low=-1.0, high=-0.25, reason=None)
        """
        value, low, high = (None if each is None else 0.0 - each for each in (self.value, self.high, self.low))
        return Figure(value=value, n=self.n, low=low, high=high, reason=self.reason)


def mean_figure(
    values: Floats, settings: Settings, clusters: Sequence[Hashable] | None = None, *, share: bool = False
) -> Figure:
    """The mean, with the interval that means have everywhere else.

    Args:
        values: One per answer.
        settings: Confidence, draws and seed.
        clusters: What each answer belongs to.
        share: They can only be 0 or 1. A rating that never left two neighbouring values is no share.
    """
    import numpy as np

    from muffakir_eval.statistics.intervals import mean_interval

    n = len(values)
    if not n:
        return Figure.none("no_pairs", 0)
    # Two higher, values that happen to be 0 and 1 are not taken for a share.
    offset = 0.0 if share or not bool(np.isin(values, (0.0, 1.0)).all()) else 2.0
    found = mean_interval(
        values + offset,
        rng=np.random.default_rng(settings.seed),
        clusters=clusters,
        confidence=settings.confidence,
        n_resamples=settings.n_resamples,
    )
    low, high = (None if end is None else end - offset for end in (found.low, found.high))
    return Figure(value=found.mean - offset, low=low, high=high, n=n)


def influenced_figure(
    found: Influenced,
    n: int,
    settings: Settings,
    clusters: Sequence[Hashable] | None = None,
    interval: Callable[..., Interval | None] | None = None,
) -> Figure:
    """A figure whose interval follows from what each answer adds to it.

    Args:
        found: The figure, and what each answer adds.
        n: How many answers.
        settings: Confidence.
        clusters: What each answer belongs to.
        interval: Which interval; by default that of a coefficient from -1 to 1.
    """
    from muffakir_eval.statistics.influence import coefficient_interval

    if found.value is None:
        return Figure.none(found.reason or "no_pairs", n)
    ends = (interval or coefficient_interval)(found, confidence=settings.confidence, clusters=clusters)
    value = round(found.value, 12) + 0.0  # of a rater who gave one label only, kappa is 0 up to rounding
    if ends is None:
        return Figure(value=value, n=n)
    return Figure(value=value, low=ends.low, high=ends.high, n=n)
