"""How far two or more raters agree, beyond what chance would give.

Each coefficient is a :class:`Coefficient`: a value, or ``None`` with a reason where it is not defined.
Two raters are compared through their table (:func:`rating_table`), so that the labels are fixed and do
not depend on which of them occur.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from muffakir_eval.statistics.bootstrap import Interval

__all__ = [
    "Coefficient",
    "Level",
    "Weights",
    "cohen_kappa",
    "gwet_agreement",
    "krippendorff_alpha",
    "rating_table",
    "raw_agreement",
    "table_interval",
]

Floats = npt.NDArray[np.float64]
Weights = Literal["identity", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]


class Coefficient(NamedTuple):
    """A coefficient of agreement.

    Attributes:
        value: At most 1; 1 is perfect, 0 is what chance gives, below is worse. ``None`` where it is not defined.
        reason: Why not: ``no_pairs``, or ``one_label`` where only one label was ever given, so that there
            is nothing that chance could have got wrong.
        n: How many units it rests on.
    """

    value: float | None
    reason: str | None
    n: int


def rating_table(a: Sequence[float], b: Sequence[float], labels: Sequence[float]) -> Floats:
    """How often the first rater gave each label where the second gave each.

    Args:
        a: Ratings of the first rater.
        b: Ratings of the second of the same units in the same order.
        labels: All labels there are, in their order.

    Returns:
        Counts, shape ``(labels, labels)``: rows for ``a``, columns for ``b``.

    Raises:
        ValueError: A rating is not among the labels, or the two are not of one length.

    >>> rating_table([1, 1, 0], [1, 0, 0], [0, 1])
    array([[1., 0.],
           [1., 1.]])
    """
    places = {label: place for place, label in enumerate(labels)}
    table = np.zeros((len(labels), len(labels)))
    for first, second in zip(a, b, strict=True):
        if first not in places or second not in places:
            stray = first if first not in places else second
            raise ValueError(f"the rating {stray!r} is none of the labels {list(labels)!r}")
        table[places[first], places[second]] += 1
    return table


def raw_agreement(table: Floats) -> Coefficient:
    """Share of the units to which both raters gave the same label, in [0, 1].

    >>> raw_agreement(rating_table([1, 1, 0], [1, 0, 0], [0, 1]))
    Coefficient(value=0.6666666666666666, reason=None, n=3)
    """
    n = int(table.sum())
    return Coefficient(float(np.trace(table)) / n, None, n) if n else Coefficient(None, "no_pairs", 0)


def cohen_kappa(table: Floats, *, weights: Weights = "identity", labels: Sequence[float] | None = None) -> Coefficient:
    """Cohen's kappa: agreement beyond that of two raters who keep their own share of each label.

    Cohen, "A Coefficient of Agreement for Nominal Scales" (1960) and "Weighted Kappa" (1968).

    Args:
        table: From :func:`rating_table`.
        weights: ``identity`` counts only equal labels, the others give part credit to near ones.
        labels: The labels as numbers, for weights by their distance; by default they are equally spaced.

    >>> round(cohen_kappa(rating_table([1, 2, 3, 3], [1, 2, 3, 2], [1, 2, 3])).value, 4)
    0.6364
    """
    n = int(table.sum())
    if not n:
        return Coefficient(None, "no_pairs", 0)
    value = float(_kappas(table[None], _credit(len(table), weights, labels))[0])
    return Coefficient(None, "one_label", n) if np.isnan(value) else Coefficient(value, None, n)


def gwet_agreement(
    table: Floats, *, weights: Weights = "identity", labels: Sequence[float] | None = None
) -> Coefficient:
    """Gwet's AC1, with weights AC2: chance agreement that does not run away where one label prevails.

    Gwet, "Computing Inter-Rater Reliability and Its Variance in the Presence of High Agreement" (2008).

    >>> skewed = [1] * 18 + [1, 0], [1] * 18 + [0, 1]
    >>> table = rating_table(*skewed, labels=[0, 1])
    >>> round(cohen_kappa(table).value, 3), round(gwet_agreement(table).value, 3)
    (-0.053, 0.89)
    """
    n = int(table.sum())
    if not n:
        return Coefficient(None, "no_pairs", 0)
    value = float(_gwets(table[None], _credit(len(table), weights, labels))[0])
    return Coefficient(None, "one_label", n) if np.isnan(value) else Coefficient(value, None, n)


def table_interval(
    table: Floats,
    statistic: Literal["raw", "kappa", "gwet"],
    *,
    rng: np.random.Generator,
    weights: Weights = "identity",
    confidence: float = 0.95,
    n_resamples: int = 10_000,
) -> Interval | None:
    """Bootstrap percentile interval of a coefficient of two raters; the units are drawn.

    Samples in which the coefficient is not defined are left out; ``None`` where these are more than
    half, or there are fewer than two units.

    >>> table = rating_table([1, 1, 0, 0] * 10, [1, 1, 0, 1] * 10, [0, 1])
    >>> interval = table_interval(table, "raw", rng=np.random.default_rng(0))
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.6, 0.88)
    """
    n = int(table.sum())
    if n < 2:
        return None
    size = len(table)
    drawn = rng.multinomial(n, (table / n).ravel(), size=n_resamples).reshape(n_resamples, size, size)
    credit = _credit(size, "identity" if statistic == "raw" else weights, None)
    compute: dict[str, Callable[[Floats, Floats], Floats]] = {"raw": _observed, "kappa": _kappas, "gwet": _gwets}
    values = compute[statistic](drawn.astype(np.float64), credit)
    values = values[~np.isnan(values)]
    if len(values) * 2 < n_resamples:
        return None
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


def krippendorff_alpha(
    ratings: Sequence[Sequence[float | None]], *, level: Level = "nominal", labels: Sequence[float] | None = None
) -> Coefficient:
    """Krippendorff's alpha for any number of raters, where some ratings may be missing.

    Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011).

    Args:
        ratings: One row per rater, one entry per unit, ``None`` where the rater gave none.
        level: What a difference between two labels means: none but being different, their ranks, or
            their distance.
        labels: All labels in order; by default those that occur. Alpha does not depend on labels that
            nobody gave.

    Returns:
        The coefficient; ``n`` counts the units with at least two ratings.

    >>> round(krippendorff_alpha([[1, 2, 3, 3, None], [1, 2, 3, 2, 4]]).value, 4)
    0.6667
    """
    columns = [[rating for rating in unit if rating is not None] for unit in zip(*ratings, strict=True)]
    pairable = [unit for unit in columns if len(unit) > 1]
    if not pairable:
        return Coefficient(None, "no_pairs", 0)
    known = list(labels) if labels is not None else sorted({rating for unit in pairable for rating in unit})
    places = {label: place for place, label in enumerate(known)}
    coincidences = np.zeros((len(known), len(known)))
    for unit in pairable:
        counts = np.bincount([places[rating] for rating in unit], minlength=len(known)).astype(np.float64)
        coincidences += (np.outer(counts, counts) - np.diag(counts)) / (len(unit) - 1)
    margins = coincidences.sum(axis=1)
    distance = _distance(np.asarray(known, dtype=np.float64), margins, level)
    expected = float((np.outer(margins, margins) * distance).sum()) / (float(margins.sum()) - 1)
    if expected <= 0:
        return Coefficient(None, "one_label", len(pairable))
    return Coefficient(1.0 - float((coincidences * distance).sum()) / expected, None, len(pairable))


def _distance(labels: Floats, margins: Floats, level: Level) -> Floats:
    if level == "nominal":
        return 1.0 - np.eye(len(labels))
    if level == "interval":
        return np.asarray((labels[:, None] - labels[None, :]) ** 2)
    # Ordinal: how many ratings lie between the two, half of those on the two labels themselves.
    middles = margins.cumsum() - margins / 2
    return np.asarray((middles[:, None] - middles[None, :]) ** 2)


def _credit(size: int, weights: Weights, labels: Sequence[float] | None) -> Floats:
    """What two labels together are worth: 1 where they are equal, less the further apart they are."""
    if weights == "identity":
        return np.eye(size)
    scale = np.arange(size, dtype=np.float64) if labels is None else np.asarray(labels, dtype=np.float64)
    apart = np.abs(scale[:, None] - scale[None, :])
    widest = float(apart.max()) or 1.0
    return np.asarray(1.0 - (apart / widest) ** (1 if weights == "linear" else 2))


def _observed(tables: Floats, credit: Floats) -> Floats:
    return np.asarray((tables * credit).sum(axis=(1, 2)) / tables.sum(axis=(1, 2)))


def _beyond_chance(observed: Floats, chance: Floats) -> Floats:
    room = 1.0 - chance
    undefined = room < 1e-12
    return np.asarray(np.where(undefined, np.nan, (observed - chance) / np.where(undefined, 1.0, room)))


def _kappas(tables: Floats, credit: Floats) -> Floats:
    n = tables.sum(axis=(1, 2))
    rows, columns = tables.sum(axis=2) / n[:, None], tables.sum(axis=1) / n[:, None]
    return _beyond_chance(_observed(tables, credit), np.einsum("ti,ij,tj->t", rows, credit, columns))


def _gwets(tables: Floats, credit: Floats) -> Floats:
    size = len(credit)
    n = tables.sum(axis=(1, 2))
    shares = (tables.sum(axis=2) + tables.sum(axis=1)) / (2 * n[:, None])
    prevalence = (shares * (1.0 - shares)).sum(axis=1)
    chance = credit.sum() / (size * (size - 1)) * prevalence if size > 1 else np.ones_like(prevalence)
    return _beyond_chance(_observed(tables, credit), chance)
