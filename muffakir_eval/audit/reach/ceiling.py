"""The highest recall that any retriever could reach on an index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from muffakir_eval.audit.records import GoldReach

__all__ = ["Ceiling", "ceiling_at"]

_MOST_SETS = 2000
"""So many sets of golds are followed up; beyond, an upper bound is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """The highest recall at one cutoff.

    Attributes:
        k: The cutoff.
        recall: The mean over the questions, ``None`` where there are none.
        n: How many questions: those whose golds could all be compared with the index.
        exact: Whether it is exact; otherwise no retriever reaches more, and maybe none as much.
    """

    k: int
    recall: float | None
    n: int
    exact: bool


def ceiling_at(reaches: Iterable[GoldReach], ks: Sequence[int]) -> list[Ceiling]:
    """The highest recall@k that any retriever could reach on this index, with one chunk at each rank.

    Of each question, the most of its golds that k chunks can hold, over its golds; golds that one chunk holds
    together need one rank. The golds are those of the recall of a run. The figure is exact, but for questions with more
    golds within reach than k where one of these is in more chunks than are listed, or where the sets of golds are too
    many; then it is an upper bound.

    Args:
        reaches: Where the golds are.
        ks: The cutoffs.

    >>> from muffakir_eval.audit.records import Place, Sighting
    >>> at = [Sighting(at=Place(ordinal=place), stage="id") for place in range(3)]
    >>> golds = [GoldReach(sample=0, gold=gold, presence="whole", sightings=(at[gold],), n_chunks=1) for gold in (0, 1)]
    >>> lost = GoldReach(sample=0, gold=2, presence="nowhere")
    >>> [(found.k, round(found.recall, 2), found.exact) for found in ceiling_at([*golds, lost], [1, 2, 10])]
    [(1, 0.33, True), (2, 0.67, True), (10, 0.67, True)]
    """
    by_sample: dict[int, list[GoldReach]] = {}
    for reach in reaches:
        by_sample.setdefault(reach.sample, []).append(reach)
    questions = [golds for golds in by_sample.values() if all(gold.presence != "not_compared" for gold in golds)]
    return [_ceiling(questions, k) for k in ks]


def _ceiling(questions: Sequence[Sequence[GoldReach]], k: int) -> Ceiling:
    found = [_most(golds, k) for golds in questions]
    shares = [most / len(golds) for (most, _), golds in zip(found, questions, strict=True)]
    return Ceiling(
        k=k,
        recall=sum(shares) / len(shares) if shares else None,
        n=len(shares),
        exact=all(exact for _, exact in found),
    )


def _most(golds: Sequence[GoldReach], k: int) -> tuple[int, bool]:
    """The most golds that k chunks can hold, and whether that is exact."""
    there = [gold for gold in golds if gold.presence == "whole"]
    if len(there) <= k:
        return len(there), True
    listed = [gold for gold in there if gold.n_chunks <= len(gold.sightings)]
    chunks: dict[int, int] = {}
    for bit, gold in enumerate(listed):
        for sighting in gold.sightings:
            chunks[sighting.at.ordinal] = chunks.get(sighting.at.ordinal, 0) | 1 << bit
    most, exact = _most_of(_largest(chunks.values()), k)
    unlisted = len(there) - len(listed)
    return min(len(there), most + unlisted), exact and not unlisted


def _most_of(sets: list[int], k: int) -> tuple[int, bool]:
    """The most bits that k of the sets have together."""
    unions = {0}
    for _ in range(min(k, len(sets))):
        unions = set(_largest(union | one for union in unions for one in sets))
        if len(unions) * len(sets) > _MOST_SETS:
            sizes = sorted((one.bit_count() for one in sets), reverse=True)
            return min(sum(sizes[:k]), _together(sets)), False
    return max(map(int.bit_count, unions)), True


def _together(sets: Iterable[int]) -> int:
    union = 0
    for one in sets:
        union |= one
    return union.bit_count()


def _largest(sets: Iterable[int]) -> list[int]:
    """The sets that lie inside no other one."""
    kept: list[int] = []
    for one in sorted(set(sets), key=lambda one: (-one.bit_count(), one)):
        if all(one | other != other for other in kept):
            kept.append(one)
    return kept
