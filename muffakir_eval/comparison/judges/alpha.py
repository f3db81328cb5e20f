"""How far several raters agree at once: all judges, or one judge with itself."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from muffakir_eval.comparison.judges.figures import Figure, influenced_figure
from muffakir_eval.comparison.judges.inputs import Settings

__all__ = ["alpha_figure"]


def alpha_figure(
    units: Sequence[Sequence[float]], settings: Settings, clusters: Sequence[Hashable] | None = None
) -> Figure:
    """Krippendorff's alpha at the interval level, over the answers that at least two have rated.

    Args:
        units: The ratings of each answer by those who rated it, in any order.
        settings: Confidence.
        clusters: What each answer belongs to.

    >>> round(alpha_figure([[1, 1], [2, 2], [3, 3], [3, 2]], Settings()).value, 4)
    0.8205
    """
    from muffakir_eval.statistics.influence import alpha

    kept = [place for place, unit in enumerate(units) if len(unit) > 1]
    found = alpha([units[place] for place in kept])
    belongs = None if clusters is None else [clusters[place] for place in kept]
    return influenced_figure(found, len(kept), settings, belongs)
