"""Two raters of the same answers: how far they agree, and which of them is the more lenient."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from muffakir_eval.comparison.judges.figures import Figure, influenced_figure, mean_figure
from muffakir_eval.comparison.judges.inputs import Settings
from muffakir_eval.comparison.judges.scale import Scale

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from muffakir_eval.statistics.bootstrap import Interval
    from muffakir_eval.statistics.influence import Influenced

    Floats = npt.NDArray[np.float64]

__all__ = ["Agreement", "Raters", "agreement", "influence_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What there is to say about two raters, A and B, from the answers that both rated.

    Attributes:
        n: How many answers.
        mean_a: Mean of A.
        mean_b: Mean of B.
        bias: Mean of A minus B: how much more lenient A is.
        mae: Mean distance between the two.
        higher: Answers that A rates above B.
        same: Answers that both rate the same.
        lower: Answers that A rates below B.
        raw: Share of the answers with the same label.
        kappa: Cohen's kappa, with quadratic weights on a rating.
        gwet: Gwet's AC1, on a rating AC2 with quadratic weights: it holds where one label prevails.
        concordance: Lin's coefficient of concordance, for which no labels are needed.
        spearman: Spearman's rho.
        kendall: Kendall's tau-b.
        auc: Where B only says right or wrong: how often A rates a right answer above a wrong one.
        labels: The labels of kappa, ``None`` without labels.
        weights: Those of kappa: ``identity`` or ``quadratic``.
        threshold: Values from here on are the label 1, the others 0; ``None`` where labels are the values.
        table: How often A gave each label (rows) where B gave each (columns).
    """

    n: int
    mean_a: float | None
    mean_b: float | None
    bias: Figure
    mae: Figure
    higher: int | None
    same: int | None
    lower: int | None
    raw: Figure
    kappa: Figure
    gwet: Figure
    concordance: Figure
    spearman: Figure
    kendall: Figure
    auc: Figure
    labels: tuple[float, ...] | None = None
    weights: str | None = None
    threshold: float | None = None
    table: tuple[tuple[int, ...], ...] | None = None

    def figures(self) -> dict[str, Figure]:
        """All figures with an interval, by name."""
        return {name: value for name in self.__slots__ if isinstance(value := getattr(self, name), Figure)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Raters:
    """Two raters whose values are to be compared.

    Attributes:
        a: Values of A.
        b: Values of B, of the same answers.
        scale: Of the metric.
        same_scale: Both are on it; otherwise only ranks can be compared.
        threshold: Values from here on are good.
        clusters: What each answer belongs to.
    """

    a: Sequence[float]
    b: Sequence[float]
    scale: Scale
    same_scale: bool = True
    threshold: float | None = None
    clusters: Sequence[Hashable] | None = None


def agreement(raters: Raters, settings: Settings) -> Agreement:
    """Compare two raters.

    Neither the order of the answers nor which of the two is called A changes a figure, but for the
    sign of what has one. Intervals: mean difference, distance and share as any mean, the others from what each
    answer adds to them (:mod:`muffakir_eval.statistics.influence`).

    Args:
        raters: Their values; two equally long columns.
        settings: Confidence, draws and seed.
    """
    n = len(raters.a)
    if not n:
        nothing = Figure.none("no_pairs", 0)
        return Agreement(
            n=0, mean_a=None, mean_b=None, bias=nothing, mae=nothing, higher=None, same=None, lower=None, raw=nothing,
            kappa=nothing, gwet=nothing, concordance=nothing, spearman=nothing, kendall=nothing, auc=nothing,
            threshold=raters.threshold,
        )  # fmt: skip
    pair = _Pair.of(raters, settings)
    return Agreement(
        n=n,
        mean_a=float(pair.a.mean()),
        mean_b=float(pair.b.mean()),
        **_values(pair, raters),
        **_ranks(pair),
        auc=_auc(pair),
        **_labelled(pair, raters),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """Two columns in an order of their own, so that no sum depends on that of the answers or of the raters.

    ``first`` and ``second`` are ``a`` and ``b``, the other way round where they are ``turned``.
    """

    a: Floats
    b: Floats
    turned: bool
    clusters: list[Hashable] | None
    settings: Settings

    @classmethod
    def of(cls, raters: Raters, settings: Settings) -> _Pair:
        import numpy as np

        rows = np.column_stack([raters.a, raters.b]).astype(np.float64)
        upright, reverse = np.lexsort(rows.T[::-1]), np.lexsort(rows.T)
        differ = np.flatnonzero((rows[upright] != rows[reverse][:, ::-1]).ravel())
        at = int(differ[0]) if len(differ) else 0
        turned = bool(rows[reverse][:, ::-1].ravel()[at] > rows[upright].ravel()[at])
        order = reverse if turned else upright
        belongs = None if raters.clusters is None else [raters.clusters[int(place)] for place in order]
        return cls(a=rows[order, 0], b=rows[order, 1], turned=turned, clusters=belongs, settings=settings)

    @property
    def first(self) -> Floats:
        return self.b if self.turned else self.a

    @property
    def second(self) -> Floats:
        return self.a if self.turned else self.b

    def mean(self, values: Floats, *, share: bool = False) -> Figure:
        return mean_figure(values, self.settings, self.clusters, share=share)

    def figure(self, found: Influenced, interval: Callable[..., Interval | None] | None = None) -> Figure:
        return influenced_figure(found, len(self.a), self.settings, self.clusters, interval)


def _values(pair: _Pair, raters: Raters) -> dict[str, Any]:
    import numpy as np

    from muffakir_eval.statistics.influence import concordance

    a, b = pair.a, pair.b
    if not raters.same_scale:
        other = Figure.none("other_scale", len(a))
        return {"bias": other, "mae": other, "concordance": other, "higher": None, "same": None, "lower": None}
    return {
        "bias": _bias(pair),
        "mae": pair.mean(np.abs(_difference(a, b)), share=_apart_by_labels(a, b, raters.scale)),
        "concordance": pair.figure(concordance(pair.first, pair.second)),
        "higher": int((a > b).sum()),
        "same": int((a == b).sum()),
        "lower": int((a < b).sum()),
    }


def _bias(pair: _Pair) -> Figure:
    """Mean of A minus B, the same but for its sign whoever is called A."""
    import numpy as np

    apart = _difference(pair.first, pair.second)
    found = pair.mean(apart)
    if found.low is not None and found.high is not None and np.array_equal(np.sort(apart), np.sort(-apart)):
        reach = (found.high - found.low) / 2  # as often above as below: so are the ends
        found = Figure(value=0.0, low=-reach, high=reach, n=found.n)
    return found.negated() if pair.turned else found


def _difference(a: Floats, b: Floats) -> Floats:
    """Without the last digits: 0.8 - 0.5 and 0.6 - 0.3 are the same."""
    import numpy as np

    return np.asarray(np.round(a - b, 12) + 0.0)


def _apart_by_labels(a: Floats, b: Floats, scale: Scale) -> bool:
    """The two can only be equal or 1 apart."""
    import numpy as np

    return scale.kind == "binary" and bool(np.isin(a, (0.0, 1.0)).all() and np.isin(b, (0.0, 1.0)).all())


def _ranks(pair: _Pair) -> dict[str, Any]:
    from muffakir_eval.statistics.influence import kendall, spearman

    return {
        "spearman": pair.figure(spearman(pair.first, pair.second)),
        "kendall": pair.figure(kendall(pair.first, pair.second)),
    }


def _auc(pair: _Pair) -> Figure:
    import numpy as np

    from muffakir_eval.statistics.influence import area_interval, area_under_curve

    if not bool(np.isin(pair.b, (0.0, 1.0)).all()):
        return Figure.none("not_binary", len(pair.b))
    return pair.figure(area_under_curve(pair.a, pair.b), area_interval)


def _labelled(pair: _Pair, raters: Raters) -> dict[str, Any]:
    a, b, labels, why = _label_columns(pair.a, pair.b, raters)
    if labels is None:
        missing = Figure.none(why or "continuous", len(a))
        return {"raw": missing, "kappa": missing, "gwet": missing, "threshold": raters.threshold}
    return {**_of_labels(a, b, labels, _weights(raters), pair), "threshold": raters.threshold}


def _weights(raters: Raters) -> Literal["identity", "quadratic"]:
    return "identity" if raters.threshold is not None else raters.scale.weights or "identity"


def _label_columns(a: Floats, b: Floats, raters: Raters) -> tuple[Floats, Floats, tuple[float, ...] | None, str | None]:
    """The two columns as labels, which there are, and why there are none."""
    import numpy as np

    if raters.threshold is not None:
        binary = bool(np.isin(b, (0.0, 1.0)).all()) and not raters.same_scale
        if not raters.same_scale and not binary:
            return a, b, None, "other_scale"
        good = b if binary else (b >= raters.threshold).astype(float)
        return (a >= raters.threshold).astype(float), good, (0.0, 1.0), None
    labels = raters.scale.labels
    if labels is None:
        return a, b, None, "continuous"
    if not raters.same_scale:
        return a, b, None, "other_scale"
    if not bool(np.isin(a, labels).all() and np.isin(b, labels).all()):
        return a, b, None, "between_labels"
    return a, b, labels, None


def influence_of(raters: Raters, measure: Literal["kappa", "concordance", "spearman"]) -> Influenced:
    """One figure of two raters, and what each answer adds to it, in their order."""
    import numpy as np

    from muffakir_eval.statistics.influence import Influenced, concordance, label_agreement, spearman

    a, b = np.asarray(raters.a, dtype=np.float64), np.asarray(raters.b, dtype=np.float64)
    if measure == "spearman" or not len(a):
        return spearman(a, b)
    if measure == "concordance":
        return concordance(a, b) if raters.same_scale else Influenced(None, "other_scale", np.zeros(0))
    a, b, labels, why = _label_columns(a, b, raters)
    if labels is None:
        return Influenced(None, why, np.zeros(0))
    places = np.searchsorted(labels, a), np.searchsorted(labels, b)
    return label_agreement(*places, n_labels=len(labels), statistic="kappa", weights=_weights(raters))


def _of_labels(
    a: Floats, b: Floats, labels: tuple[float, ...], weights: Literal["identity", "quadratic"], pair: _Pair
) -> dict[str, Any]:
    import numpy as np

    from muffakir_eval.statistics.agreement import rating_table
    from muffakir_eval.statistics.influence import label_agreement

    first, second = (np.searchsorted(labels, column) for column in ((b, a) if pair.turned else (a, b)))
    kappa = label_agreement(first, second, len(labels), statistic="kappa", weights=weights)
    gwet = label_agreement(first, second, len(labels), statistic="gwet", weights=weights)
    return {
        "raw": pair.mean((a == b).astype(np.float64), share=True),
        "kappa": pair.figure(kappa),
        "gwet": pair.figure(gwet),
        "labels": tuple(labels),
        "weights": weights,
        "table": tuple(tuple(int(count) for count in row) for row in rating_table(a.tolist(), b.tolist(), labels)),
    }
