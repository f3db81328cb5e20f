"""Does a judge prefer long answers?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from muffakir_eval.comparison.judges.figures import Figure, influenced_figure
from muffakir_eval.comparison.judges.inputs import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LengthBias", "length_bias"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthBias:
    """How a judge's score goes with the length of the answer.

    Attributes:
        controlled: Only answers with the same human label were compared with each other; otherwise longer
            answers may simply be better ones.
        per_doubling: How much higher the score is for an answer of twice as many words.
        correlation: Pearson's r of score and logarithm of the length, within the human labels.
    """

    controlled: bool
    per_doubling: Figure
    correlation: Figure


def length_bias(
    scores: Sequence[float],
    n_words: Sequence[int],
    labels: Sequence[float] | None,
    settings: Settings,
    clusters: Sequence[Hashable] | None = None,
) -> LengthBias:
    """The slope of score on length, at equal human label where there is one.

    Least squares of the score on ``log2(words + 1)`` with an intercept of its own for each label. Labels
    that only one answer has add nothing. There is no figure (``too_few``) where one answer has more than half of
    the whole spread in length: its score alone would be the slope.

    Args:
        scores: Of the judge.
        n_words: Words of each answer.
        labels: Human labels; ``None`` compares all answers with each other.
        settings: Confidence.
        clusters: What each answer belongs to.
    """
    import numpy as np

    from muffakir_eval.statistics.influence import slope_interval, stratified_slope

    groups = [0.0] * len(scores) if labels is None else [float(label) for label in labels]
    sizes = Counter(groups)
    kept = [place for place, label in enumerate(groups) if sizes[label] > 1]
    controlled = labels is not None
    lengths = np.array([math.log2(n_words[place] + 1) for place in kept])
    strata = np.unique([groups[place] for place in kept], return_inverse=True)[1]
    if len(kept) < 3 or _one_decides(lengths, strata):
        nothing = Figure.none("too_few", len(kept))
        return LengthBias(controlled=controlled, per_doubling=nothing, correlation=nothing)
    slope, r = stratified_slope(lengths, np.array([scores[place] for place in kept], dtype=np.float64), strata)
    n, belongs = len(kept), None if clusters is None else [clusters[place] for place in kept]
    return LengthBias(
        controlled=controlled,
        per_doubling=influenced_figure(slope, n, settings, belongs, slope_interval),
        correlation=influenced_figure(r, n, settings, belongs),
    )


def _one_decides(lengths: NDArray[np.float64], strata: NDArray[np.intp]) -> bool:
    """Whether one answer has more than half of the squared deviations from the mean length of its label."""
    import numpy as np

    means = np.bincount(strata, lengths) / np.maximum(np.bincount(strata), 1)
    spread = (lengths - means[strata]) ** 2
    return bool(spread.size and 2 * spread.max() > spread.sum() * (1 + 1e-9))
