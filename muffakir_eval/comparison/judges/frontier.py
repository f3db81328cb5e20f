"""Which judges are worth their price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Offer", "frontier"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What a judge gives and takes.

    Attributes:
        judge: Its label.
        quality: How far it agrees with people, in [-1, 1].
        quality_is: ``kappa``, ``concordance`` or ``spearman``.
        n: Answers that the quality rests on.
        cost_per_1000: US dollars for 1,000 answers.
        on_frontier: No other judge is at least as good and at most as dear, and better in one of the two;
            ``None`` where the cost is unknown.
        beaten_by: A judge that is.
    """

    judge: str
    quality: float
    quality_is: str
    n: int
    cost_per_1000: float | None
    on_frontier: bool | None = None
    beaten_by: str | None = None


def frontier(offers: Sequence[Offer]) -> tuple[Offer, ...]:
    """The offers, cheapest first, each with whether it lies on the frontier; unknown costs stand last.

    >>> cheap, dear = (Offer(judge=name, quality=q, quality_is="kappa", n=9, cost_per_1000=c)
    ...                for name, q, c in (("cheap", 0.8, 1.0), ("dear", 0.7, 2.0)))
    >>> [(offer.judge, offer.on_frontier, offer.beaten_by) for offer in frontier([dear, cheap])]
    [('cheap', True, None), ('dear', False, 'cheap')]
    """
    known = [offer for offer in offers if offer.cost_per_1000 is not None]
    placed = []
    for offer in offers:
        if offer.cost_per_1000 is None:
            placed.append(offer)
            continue
        better = [other for other in known if _beats(other, offer)]
        best = max(better, key=lambda other: (other.quality, other.judge)).judge if better else None
        placed.append(
            Offer(
                judge=offer.judge,
                quality=offer.quality,
                quality_is=offer.quality_is,
                n=offer.n,
                cost_per_1000=offer.cost_per_1000,
                on_frontier=best is None,
                beaten_by=best,
            )
        )
    return tuple(sorted(placed, key=_order))


def _order(offer: Offer) -> tuple[bool, float, float, str]:
    cost = offer.cost_per_1000
    return cost is None, cost or 0.0, -offer.quality, offer.judge


def _beats(one: Offer, other: Offer) -> bool:
    cheap, dear = one.cost_per_1000 or 0.0, other.cost_per_1000 or 0.0
    return (one.quality >= other.quality and cheap <= dear) and (one.quality > other.quality or cheap < dear)
