"""Judges against each other."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from muffakir_eval.comparison.judges.agreement import Agreement, Raters, agreement
from muffakir_eval.comparison.judges.disagreements import Disagreement, disagreements
from muffakir_eval.comparison.judges.inputs import Answers, Judged, Rating, Settings, no_opinion
from muffakir_eval.comparison.judges.people import SliceAgreement, sliced

__all__ = ["NoOpinion", "PairAgreement", "pairs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoOpinion:
    """Answers on which two judges cannot be compared.

    Attributes:
        n: How many.
        in_a: Why A has no opinion, ``None`` where it has one.
        in_b: Why B has none.
    """

    n: int
    in_a: str | None
    in_b: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAgreement:
    """Two judges, for one metric, on the answers that both have an opinion on.

    Attributes:
        a: Label of A.
        b: Label of B.
        agreement: Of the two; a bias above 0 says that A is the more lenient one.
        slices: Agreement per value of the columns of ``slice_by``.
        disagreements: Those worth reading first.
        left_out: Answers without two opinions, and what is missing.
    """

    a: str
    b: str
    agreement: Agreement
    slices: tuple[SliceAgreement, ...]
    disagreements: tuple[Disagreement, ...]
    left_out: tuple[NoOpinion, ...]


def pairs(given: Answers, metric: str, settings: Settings) -> tuple[PairAgreement, ...]:
    """Every two judges that have the metric."""
    judges = [judge for judge in given.judges if metric in judge.ratings]
    return tuple(_pair(given, a, b, metric, settings) for a, b in itertools.combinations(judges, 2))


def _pair(given: Answers, a: Judged, b: Judged, metric: str, settings: Settings) -> PairAgreement:
    ratings_a, ratings_b = a.ratings[metric], b.ratings[metric]
    opinions = [_opinions(ratings) for ratings in (ratings_a, ratings_b)]
    both = [
        place for place, (one, other) in enumerate(zip(*opinions, strict=True)) if one is not None and other is not None
    ]

    def raters(places: Sequence[int]) -> Raters:
        return Raters(
            a=[float(opinions[0][place] or 0.0) for place in places],
            b=[float(opinions[1][place] or 0.0) for place in places],
            scale=given.scales[metric],
            threshold=settings.thresholds.get(metric),
            clusters=given.clusters(places),
        )

    others = {
        judge.label: _opinions(judge.ratings[metric])
        for judge in given.judges
        if judge.label not in (a.label, b.label) and metric in judge.ratings
    }
    return PairAgreement(
        a=a.label,
        b=b.label,
        agreement=agreement(raters(both), settings),
        slices=sliced(given, both, raters, settings),
        disagreements=disagreements(given, _with(ratings_a), _with(ratings_b), others, settings.n_disagreements),
        left_out=_left_out(ratings_a, ratings_b),
    )


def _opinions(ratings: Sequence[Rating | None]) -> list[float | None]:
    return [None if rating is None else rating.opinion for rating in ratings]


def _with(ratings: Sequence[Rating | None]) -> list[tuple[float, Rating | None] | None]:
    return [None if rating is None or (value := rating.opinion) is None else (value, rating) for rating in ratings]


def _left_out(a: Sequence[Rating | None], b: Sequence[Rating | None]) -> tuple[NoOpinion, ...]:
    counted = Counter((no_opinion(one), no_opinion(other)) for one, other in zip(a, b, strict=True))
    del counted["", ""]
    ordered = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(NoOpinion(n=n, in_a=in_a or None, in_b=in_b or None) for (in_a, in_b), n in ordered)
