"""Where two texts overlap, word by word, in the same order.

A passage lies in a chunk as two sheets lie on one another: one inside the other, or the end of one on the
beginning of the other. Either way every word of the part where they overlap has its place in both texts. A
slip, a lost line or an inserted header leaves a few places without a counterpart; two texts that share
their boilerplate and differ in what they say leave most of them.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

from muffakir_eval.matching.contradictions import CONTRADICTION, at_odds
from muffakir_eval.matching.runs import Agree, Block, Runs
from muffakir_eval.matching.shifts import LARGEST_GAP, Band, likely_bands

__all__ = ["ASSUMED", "INSERTION", "Alignment", "align"]

_Gap = tuple[list[str], list[str]]
_Stretch = tuple[int, list[Block]]

_CLOSE_MARGIN = 2
"""Words beyond the shifts of a stretch within which it is looked for once more."""

ASSUMED = 2
"""Places without counterpart that every overlap has: five words in a row must agree as much as fifty of
seventy-five do."""

INSERTION = 3
"""So many places an insertion counts for at most where nothing of the other text is lost: the header and footer of a
page, a caption, the address of a link. Longer ones than the largest gap count in full."""

_OWN_TEXT = 6
"""An insertion of more words is a text by itself: a *not* in it does not deny what stands around it."""

_BEGINNING = 4
"""A *not* among so many words at the beginning of a text is missed where the other text begins behind it."""


class Alignment(NamedTuple):
    """The part where two texts overlap.

    Attributes:
        blocks: What agrees, in order.
        agreeing: Places at which the texts agree.
        places: All places of the overlap, to the end of whichever text ends first; an insertion into one text counts
            for three at most.
        at_odds: Places at which the texts contradict each other
            (:func:`~muffakir_eval.matching.contradictions.at_odds`).
        per_word: How many places a word takes: one, and several in scripts without spaces.
        gold_words: Words of the gold from the first to the last that agrees.
        chunk_words: Words of the chunk from the first to the last that agrees.
    """

    blocks: tuple[Block, ...]
    agreeing: int
    places: int
    at_odds: int
    per_word: float
    gold_words: int
    chunk_words: int

    @property
    def score(self) -> float:
        """Share of the places that agree.

        Two more are assumed that do not, since little agreement says little, and those of six words for each
        contradiction.
        """
        return self.agreeing / (self.places + ASSUMED + CONTRADICTION * self.per_word * self.at_odds)


def align(
    gold: list[str], chunk: list[str], near: Agree | None = None, least: float = 0.0, per_word: float = 1.0
) -> Alignment | None:
    """The part where ``gold`` and ``chunk`` overlap, ``None`` where no two neighbours say where.

    1. Pairs of neighbouring words that both texts hold vote for how far one text is shifted against the other
       (:mod:`~muffakir_eval.matching.shifts`).
    2. Within each likely band of shifts, the longest common subsequence of words, and between its runs the longest
       sequence of nearly agreeing words, or the same letters with other spaces (:mod:`~muffakir_eval.matching.runs`).
    3. Of all that agrees, the stretch in which agreeing places outnumber the others most; it is looked for once
       more with the shifts of that stretch alone, and goes on at its ends as long as the words are the same. What is
       left beyond its ends in *both* texts belongs to the overlap too, and does not agree.

    Swapping the texts swaps the result. Time grows with the sum of the lengths, and in step 2 with a 256th of the
    square of the shorter one, by operations on whole machine words: a second for 50,000 words.

    Args:
        gold: Words of the gold, single characters of scripts without spaces.
        chunk: The same of the chunk.
        near: Which words of two texts nearly agree; ``None`` where only equal ones do.
        least: The lowest score that is of interest; ``None`` is returned below it.
        per_word: How many places a word takes.
    """
    swapped = (len(chunk), chunk) < (len(gold), gold)
    shorter, longer = (chunk, gold) if swapped else (gold, chunk)
    runs = Runs(shorter, longer, near)
    bands = likely_bands(*runs.coded)
    if not bands:
        return None
    best = max((_best_stretch(runs.within(band)) for band in bands), key=_surplus)
    # Common words far off may have drawn the ends away from where the texts overlap: once more, close to it.
    shifts = [block.chunk - block.gold for block in best[1]]
    closer = _best_stretch(runs.within(Band(min(shifts), max(shifts), _CLOSE_MARGIN)))
    stretch = _extended(max(best, closer, key=_surplus)[1], shorter, longer)
    agreeing, places = _counted(stretch, len(shorter), len(longer))
    if agreeing / (places + ASSUMED) < least:
        return None
    gaps = _gaps(stretch, shorter, longer)
    odds = sum(itertools.starmap(_odds, [_head(stretch, shorter, longer, gaps[0]), *gaps[1:]]))
    found = _whole_words(stretch)
    if swapped:
        stretch, found = [block.swapped() for block in stretch], found[::-1]
    made = Alignment(tuple(stretch), agreeing, places, odds, per_word, *found)
    return made if made.score >= least else None


def _surplus(stretch: _Stretch) -> int:
    return stretch[0]


def _counted(stretch: list[Block], n_shorter: int, n_longer: int) -> tuple[int, int]:
    """Places that agree, and all places of the overlap."""
    first, last = stretch[0], stretch[-1]
    agreeing = sum([block.places for block in stretch])
    before = min(first.gold, first.chunk)
    after = min(n_shorter - last.gold - last.gold_words, n_longer - last.chunk - last.chunk_words)
    return agreeing, agreeing + before + sum(itertools.starmap(_between, itertools.pairwise(stretch))) + after


def _between(one: Block, other: Block) -> int:
    """Places between two blocks, none of which agrees."""
    return _places(other.gold - one.gold - one.gold_words, other.chunk - one.chunk - one.chunk_words)


def _places(ours: int, theirs: int) -> int:
    """How many places of the overlap so many words of either text are that do not agree."""
    more = max(ours, theirs)
    return min(more, INSERTION) if not min(ours, theirs) and more <= LARGEST_GAP else more


def _best_stretch(blocks: list[Block]) -> _Stretch:
    """The blocks in a row whose agreeing places outnumber the others between them most, and by how many."""
    most = surplus = first = 0
    best = (0, 0)
    for place, block in enumerate(blocks):
        surplus = surplus - _between(blocks[place - 1], block) if place else 0
        if surplus < 0:
            surplus, first = 0, place
        surplus += block.places
        if surplus >= most:
            most, best = surplus, (first, place + 1)
    return most, blocks[slice(*best)]


def _odds(ours: list[str], theirs: list[str]) -> int:
    inserted = max(len(ours), len(theirs)) if not (ours and theirs) else 0
    return 0 if inserted > _OWN_TEXT else at_odds(ours, theirs)


def _extended(stretch: list[Block], shorter: list[str], longer: list[str]) -> list[Block]:
    """The stretch, as long at both ends as the words are the same.

    Of two equally long subsequences, the one that was found may have a word of the end elsewhere.
    """
    first, last = stretch[0], stretch[-1]
    head = _equal_words(shorter[: first.gold][::-1], longer[: first.chunk][::-1])
    here, there = last.gold + last.gold_words, last.chunk + last.chunk_words
    tail = _equal_words(shorter[here:], longer[there:])
    before = [Block(first.gold - head, first.chunk - head, head, head, "same")] if head else []
    return [*before, *stretch, *([Block(here, there, tail, tail, "same")] if tail else [])]


def _equal_words(ours: list[str], theirs: list[str]) -> int:
    """With how many equal words two texts begin."""
    return next(
        (place for place, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other),
        min(len(ours), len(theirs)),
    )


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


def _head(stretch: list[Block], shorter: list[str], longer: list[str], gap: _Gap) -> _Gap:
    """What stands before the first block; where one text begins there, the word that the other one has.

    Not where a chunk that goes on beyond the other text begins in the middle of it, behind a *not* by chance.
    """
    first, last = stretch[0], stretch[-1]
    here = len(shorter) - last.gold - last.gold_words
    there = len(longer) - last.chunk - last.chunk_words
    cut = first.gold > _BEGINNING and here < there, first.chunk > _BEGINNING and there < here
    if gap[0] or any(cut):
        return gap
    return shorter[max(first.gold - 1, 0) : first.gold], longer[max(first.chunk - 1, 0) : first.chunk]
