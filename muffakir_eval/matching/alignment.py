"""Where two texts overlap, word by word, in the same order.

A passage lies in a chunk as two sheets lie on one another: one inside the other, or the end of one on the
beginning of the other. Either way every word of the part where they overlap has its place in both texts. A
slip, a lost line or an inserted header leaves a few places without a counterpart; two texts that share
their boilerplate and differ in what they say leave most of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from rapidfuzz.distance import LCSseq

from muffakir_eval.matching.contradictions import CONTRADICTION, at_odds

__all__ = ["Alignment", "Block", "align"]

Agree = Callable[[str, str], bool]
_Gap = tuple[list[str], list[str]]

_MOST_PLACES = 16
"""A pair of neighbours that stands in more places of a text does not tell where the texts overlap."""

_SEGMENT = 512
"""Words of the shorter text that are aligned at a time."""

_MARGIN = 8
"""Words beyond the place that the pairs of neighbours point to."""

_CLOSE_MARGIN = 2
"""The same, once the place is known."""

_LARGEST_GAP = 24
"""Words between two runs that are still compared one by one; more of them are other content."""

_ASSUMED = 2
"""Places without counterpart that every overlap has: five words in a row must agree as much as fifty of
seventy-five do."""


class Block(NamedTuple):
    """Words of the gold that agree with words of the chunk.

    Attributes:
        gold: Its first word in the gold.
        chunk: Its first word in the chunk.
        gold_words: How many words of the gold.
        chunk_words: How many words of the chunk.
        kind: ``same`` words, ``near`` ones, or the same letters with other spaces (``joined``).
    """

    gold: int
    chunk: int
    gold_words: int
    chunk_words: int
    kind: Literal["same", "near", "joined"]

    @property
    def places(self) -> int:
        """How many places of the overlap it fills."""
        return min(self.gold_words, self.chunk_words)

    def swapped(self) -> Block:
        """The same, seen from the other text."""
        return Block(self.chunk, self.gold, self.chunk_words, self.gold_words, self.kind)


class Alignment(NamedTuple):
    """The part where two texts overlap.

    Attributes:
        blocks: What agrees, in order.
        agreeing: Places at which the texts agree.
        places: All places of the overlap, to the end of whichever text ends first.
        at_odds: Places at which the texts contradict each other
            (:func:`~muffakir_eval.matching.contradictions.at_odds`).
        gold_words: Words of the gold from the first to the last that agrees.
        chunk_words: Words of the chunk from the first to the last that agrees.
    """

    blocks: tuple[Block, ...]
    agreeing: int
    places: int
    at_odds: int
    gold_words: int
    chunk_words: int

    @property
    def score(self) -> float:
        """Share of the places that agree.

        Two more are assumed that do not, since little agreement says little, and six for each contradiction.
        """
        return self.agreeing / (self.places + _ASSUMED + CONTRADICTION * self.at_odds)


def align(gold: list[str], chunk: list[str], near: Agree | None = None) -> Alignment | None:
    """The part where ``gold`` and ``chunk`` overlap, ``None`` where no two neighbours say where.

    1. Pairs of neighbouring words that both texts hold vote for how far one text is shifted against the
       other: the shift with most votes, and the window of shifts with most votes, a quarter of the shorter
       text wide.
    2. There, the longest common subsequence of words.
    3. Between its runs, the longest sequence of nearly agreeing words, or the same letters with other spaces.
    4. Of all that agrees, the stretch in which agreeing places outnumber the others most; it is looked for once
       more with the shifts of that stretch alone. What is left beyond its ends in *both* texts belongs to the
       overlap too, and does not agree.

    Swapping the texts swaps the result. Time grows with the sum of the lengths, and in step 2 with a 256th of the
    square of the shorter one, by operations on whole machine words: a second for 50,000 words.

    Args:
        gold: Words of the gold, single characters of scripts without spaces.
        chunk: The same of the chunk.
        near: Whether two different words nearly agree; ``None`` where only equal ones do.
    """
    swapped = (len(chunk), chunk) < (len(gold), gold)
    shorter, longer = (chunk, gold) if swapped else (gold, chunk)
    votes = _votes(shorter, longer)
    if not votes:
        return None
    wide = _Band(*_densest(votes, len(shorter) // 4 + _MARGIN), _MARGIN)
    narrow = _Band(*_densest(votes, 0), _MARGIN)
    stretch = max((_stretch(shorter, longer, band, near) for band in (wide, narrow)), key=_surplus)
    # Common words far off may have drawn the ends away from where the texts overlap: once more, close to it.
    shifts = [block.chunk - block.gold for block in stretch]
    closer = _stretch(shorter, longer, _Band(min(shifts), max(shifts), _CLOSE_MARGIN), near)
    stretch = max(stretch, closer, key=_surplus)
    gaps = _gaps(stretch, shorter, longer)
    places = _agreeing(stretch) + sum(max(len(ours), len(theirs)) for ours, theirs in gaps)
    odds = sum(at_odds(ours, theirs) for ours, theirs in [_head(stretch[0], shorter, longer, gaps[0]), *gaps[1:]])
    found = _whole_words(stretch)
    if swapped:
        stretch, found = [block.swapped() for block in stretch], found[::-1]
    return Alignment(tuple(stretch), _agreeing(stretch), places, odds, *found)


class _Band(NamedTuple):
    """How far the longer text may be shifted against the shorter one."""

    least: int
    most: int
    margin: int


def _stretch(shorter: list[str], longer: list[str], band: _Band, near: Agree | None) -> list[Block]:
    return _best_stretch(_with_gaps(_same(shorter, longer, band), shorter, longer, near))


def _agreeing(blocks: list[Block]) -> int:
    return sum(block.places for block in blocks)


def _surplus(blocks: list[Block]) -> int:
    """How many more places agree than do not."""
    return _agreeing(blocks) - sum(_between(one, other) for one, other in pairwise(blocks))


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


def _same(shorter: Sequence[str], longer: Sequence[str], band: _Band) -> list[Block]:
    """Runs of equal words, in order: the longest common subsequence, segment by segment."""
    blocks: list[Block] = []
    reached = 0
    for start in range(0, len(shorter), _SEGMENT):
        stop = min(start + _SEGMENT, len(shorter))
        begin = max(reached, start + band.least - band.margin)
        end = min(len(longer), stop + band.most + band.margin)
        if begin >= end:
            continue
        ours, theirs = _as_text(shorter[start:stop], longer[begin:end])
        for step in LCSseq.opcodes(ours, theirs):
            if step.tag == "equal":
                length = step.src_end - step.src_start
                blocks.append(Block(start + step.src_start, begin + step.dest_start, length, length, "same"))
                reached = begin + step.dest_end
    return blocks


def _as_text(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str]:
    """Each word as one character, the same for the same word."""
    codes: dict[str, str] = {}
    for word in ours:
        if word not in codes:
            codes[word] = chr(len(codes) + 1)
    return "".join(map(codes.__getitem__, ours)), "".join([codes.get(word, "\0") for word in theirs])


def _with_gaps(same: list[Block], shorter: Sequence[str], longer: Sequence[str], near: Agree | None) -> list[Block]:
    """The runs, and what nearly agrees between them and beyond the first and the last."""
    if near is None or not same:
        return same
    blocks: list[Block] = []
    head = min(same[0].gold, same[0].chunk, _LARGEST_GAP)
    here, there = same[0].gold - head, same[0].chunk - head
    for block in same:
        blocks += _gap(shorter[here : block.gold], longer[there : block.chunk], here, there, near)
        blocks.append(block)
        here, there = block.gold + block.gold_words, block.chunk + block.chunk_words
    tail = min(len(shorter) - here, len(longer) - there, _LARGEST_GAP)
    return blocks + _gap(shorter[here : here + tail], longer[there : there + tail], here, there, near)


def _gap(ours: Sequence[str], theirs: Sequence[str], here: int, there: int, near: Agree) -> list[Block]:
    if not ours or not theirs or len(ours) > _LARGEST_GAP or len(theirs) > _LARGEST_GAP:
        return []
    letters = "".join(ours)
    if letters == "".join(theirs) and not any(map(str.isdecimal, letters)):
        return [Block(here, there, len(ours), len(theirs), "joined")]
    return [Block(here + one, there + other, 1, 1, "near") for one, other in _in_order(ours, theirs, near)]


def _in_order(ours: Sequence[str], theirs: Sequence[str], near: Agree) -> list[tuple[int, int]]:
    """The longest sequence of pairs of places at which words agree, both rising."""
    agree = [[near(one, other) for other in theirs] for one in ours]
    if not any(map(any, agree)):
        return []
    longest = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for one in reversed(range(len(ours))):
        for other in reversed(range(len(theirs))):
            longest[one][other] = max(
                longest[one + 1][other], longest[one][other + 1], longest[one + 1][other + 1] + agree[one][other]
            )
    pairs = []
    one = other = 0
    while one < len(ours) and other < len(theirs) and longest[one][other]:
        if agree[one][other] and longest[one][other] == longest[one + 1][other + 1] + 1:
            pairs.append((one, other))
            one, other = one + 1, other + 1
        elif longest[one + 1][other] == longest[one][other]:
            one += 1
        else:
            other += 1
    return pairs


def _between(one: Block, other: Block) -> int:
    """Places between two blocks, none of which agrees."""
    return max(other.gold - one.gold - one.gold_words, other.chunk - one.chunk - one.chunk_words)


def _best_stretch(blocks: list[Block]) -> list[Block]:
    """The blocks in a row whose agreeing places outnumber the others between them most."""
    most = surplus = first = 0
    best = (0, 0)
    for place, block in enumerate(blocks):
        surplus = surplus - _between(blocks[place - 1], block) if place else 0
        if surplus < 0:
            surplus, first = 0, place
        surplus += block.places
        if surplus >= most:
            most, best = surplus, (first, place + 1)
    return blocks[slice(*best)]


def _whole_words(stretch: list[Block]) -> tuple[int, int]:
    first, last = stretch[0], stretch[-1]
    return last.gold + last.gold_words - first.gold, last.chunk + last.chunk_words - first.chunk


def _gaps(stretch: list[Block], shorter: list[str], longer: list[str]) -> list[_Gap]:
    """What stands between the blocks in either text, and what both have left before the first and after the last."""
    first = stretch[0]
    before = min(first.gold, first.chunk)
    here, there = first.gold - before, first.chunk - before
    gaps = []
    for block in stretch:
        gaps.append((shorter[here : block.gold], longer[there : block.chunk]))
        here, there = block.gold + block.gold_words, block.chunk + block.chunk_words
    after = min(len(shorter) - here, len(longer) - there)
    return [*gaps, (shorter[here : here + after], longer[there : there + after])]


def _head(first: Block, shorter: list[str], longer: list[str], gap: _Gap) -> _Gap:
    """What stands before the first block; where one text begins there, the word that the other one has."""
    if gap[0]:
        return gap
    return shorter[max(first.gold - 1, 0) : first.gold], longer[max(first.chunk - 1, 0) : first.chunk]
