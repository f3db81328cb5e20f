"""How far one text is shifted against the other where they overlap."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

__all__ = ["LARGEST_GAP", "Band", "likely_bands"]

LARGEST_GAP = 24
"""So many words may stand between two runs of one overlap; more of them are other content."""

_MOST_PLACES = 16
"""A pair of neighbours that stands in more places of a text does not tell where the texts overlap."""

_MARGIN = 8
"""Words beyond the place that the pairs of neighbours point to."""


class Band(NamedTuple):
    """How far the longer text may be shifted against the shorter one."""

    least: int
    most: int
    margin: int


def likely_bands(shorter: Sequence[str], longer: Sequence[str]) -> list[Band]:
    """Where the texts may overlap; none where no two neighbours say where.

    Pairs of neighbouring words that both texts hold vote for a shift. The window of shifts with most votes, a quarter
    of the shorter text and an insertion wide; the shift with most votes; and the window with most of the votes
    outside the first one, since boilerplate may have had more.
    """
    votes = _votes(shorter, longer)
    if not votes:
        return []
    width = len(shorter) // 4 + LARGEST_GAP
    windows = [_densest(votes, width), _densest(votes, 0)]
    first, last = windows[0]
    others = [vote for vote in votes if not first <= vote[0] <= last]
    if len(others) > 1:
        windows.append(_densest(others, width))
    return [Band(least, most, _MARGIN) for least, most in windows]


def _votes(shorter: Sequence[str], longer: Sequence[str]) -> list[tuple[int, int]]:
    """For each pair of neighbours in both texts, the shift and its place in the shorter one; sorted."""
    places: dict[tuple[str, str], list[int]] = {}
    for place, pair in enumerate(pairwise(shorter)):
        places.setdefault(pair, []).append(place)
    places = {pair: found for pair, found in places.items() if len(found) <= _MOST_PLACES}
    hits: dict[tuple[str, str], list[int]] = {}
    for place, pair in enumerate(pairwise(longer)):
        if pair in places:
            hits.setdefault(pair, []).append(place)
    return sorted(
        (there - here, here)
        for pair, found in hits.items()
        if len(found) <= _MOST_PLACES
        for there in found
        for here in places[pair]
    )


def _densest(votes: list[tuple[int, int]], width: int) -> tuple[int, int]:
    """The window of shifts in which most words of the shorter text have a vote, the first of several."""
    counts: dict[int, int] = {}
    most, best, first = 0, (0, 0), 0
    for shift, here in votes:
        counts[here] = counts.get(here, 0) + 1
        while shift - votes[first][0] > width:
            gone = votes[first][1]
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
            first += 1
        if len(counts) > most:
            most, best = len(counts), (votes[first][0], shift)
    return best
