"""Runs of words of two texts that agree, in order, where the one is shifted against the other by so much."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Literal, NamedTuple

from rapidfuzz.distance import LCSseq

from muffakir_eval.matching.shifts import LARGEST_GAP, Band

__all__ = ["Agree", "Block", "Runs"]

Agree = Callable[[Sequence[str], Sequence[str]], Callable[[slice, slice], list[tuple[int, int]]]]
"""From the words of two texts, what finds the places in stretches of them at which words nearly agree; in rising
order."""

_NUMBER = re.compile(r"[\d.]+")

_SEGMENT = 512
"""Words of the shorter text that are aligned at a time."""


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


class Runs:
    """Runs of words of two texts that agree, in order; the shorter text is the gold.

    Args:
        shorter: The words of one text.
        longer: Those of the other one.
        near: Which different words nearly agree; ``None`` where only equal ones do.
    """

    def __init__(self, shorter: Sequence[str], longer: Sequence[str], near: Agree | None) -> None:
        self._shorter, self._longer = shorter, longer
        self._near = near(shorter, longer) if near else None
        self._one_segment = len(shorter) <= _SEGMENT
        self.coded: tuple[Sequence[str], Sequence[str]] = (
            _as_text(shorter, longer) if self._one_segment else (shorter, longer)
        )
        self._made: dict[tuple[int, int], list[Block]] = {}
        self._gaps: dict[tuple[int, ...], list[Block]] = {}

    def within(self, band: Band) -> list[Block]:
        """Runs of equal words, and between them and at their ends what nearly agrees."""
        shifts = band.least - band.margin, band.most + band.margin
        if self._one_segment:  # beyond the ends of the longer text there is nothing
            shifts = max(shifts[0], 0), min(shifts[1], len(self._longer) - len(self._shorter))
        if shifts not in self._made:
            self._made[shifts] = self._with_gaps(self._same(*shifts))
        return self._made[shifts]

    def _same(self, least: int, most: int) -> list[Block]:
        """Runs of equal words, in order: the longest common subsequence, segment by segment."""
        blocks: list[Block] = []
        reached = 0
        for start in range(0, len(self._shorter), _SEGMENT):
            stop = min(start + _SEGMENT, len(self._shorter))
            begin, end = max(reached, start + least), min(len(self._longer), stop + most)
            if begin >= end:
                continue
            if self._one_segment:
                ours, theirs = self.coded[0], self.coded[1][begin:end]
            else:
                ours, theirs = _as_text(self._shorter[start:stop], self._longer[begin:end])
            for here, there, length in LCSseq.editops(ours, theirs).as_matching_blocks()[:-1]:
                blocks.append(Block(start + here, begin + there, length, length, "same"))
                reached = begin + there + length
        return blocks

    def _with_gaps(self, same: list[Block]) -> list[Block]:
        """The runs, and what nearly agrees between them and beyond the first and the last."""
        if self._near is None or not same:
            return same
        blocks: list[Block] = []
        head = min(same[0].gold, same[0].chunk, LARGEST_GAP)
        here, there = same[0].gold - head, same[0].chunk - head
        for block in same:
            if here < block.gold and there < block.chunk:
                blocks += self._gap(here, block.gold, there, block.chunk)
            blocks.append(block)
            here, there = block.gold + block.gold_words, block.chunk + block.chunk_words
        tail = min(len(self._shorter) - here, len(self._longer) - there, LARGEST_GAP)
        return blocks + self._gap(here, here + tail, there, there + tail) if tail > 0 else blocks

    def _gap(self, *places: int) -> list[Block]:
        """What agrees in a stretch of either text: first place and end in the one, then in the other."""
        found = self._gaps.get(places)
        if found is None:
            here, there = slice(*places[:2]), slice(*places[2:])
            found = self._gaps[places] = self._agreeing(here, there)
        return found

    def _agreeing(self, here: slice, there: slice) -> list[Block]:
        if self._near is None or here.stop - here.start > LARGEST_GAP or there.stop - there.start > LARGEST_GAP:
            return []
        ours, theirs = self._shorter[here], self._longer[there]
        if _same_letters(ours, theirs):
            return [Block(here.start, there.start, len(ours), len(theirs), "joined")]
        return [Block(one, other, 1, 1, "near") for one, other in _in_order(self._near(here, there), there)]


def _as_text(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str]:
    """Each word as one character, the same for the same word."""
    codes = {word: chr(number) for number, word in enumerate(dict.fromkeys(ours), 1)}
    return "".join(map(codes.__getitem__, ours)), "".join(map(codes.get, theirs, repeat("\0")))


def _same_letters(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """The same letters with other spaces, which cut and join no number: ``article 12`` and ``article12``."""
    if not (ours[0].startswith(theirs[0]) or theirs[0].startswith(ours[0])):
        return False
    return "".join(ours) == "".join(theirs) and _numbers_in(ours) == _numbers_in(theirs)


def _numbers_in(words: Sequence[str]) -> list[str]:
    return _NUMBER.findall(" ".join(words))


def _in_order(agree: list[tuple[int, int]], there: slice) -> list[tuple[int, int]]:
    """The longest sequence of pairs of places at which words agree, both rising.

    Args:
        agree: All such pairs, in rising order.
        there: The stretch of the second text in which they are.
    """
    if len(agree) < 2:
        return agree
    rows: dict[int, set[int]] = {}  # our words that agree with none change nothing
    for one, other in agree:
        rows.setdefault(one, set()).add(other)
    nothing = dict.fromkeys(range(there.start, there.stop + 1), 0)
    longest = [nothing]
    for found in reversed(rows.values()):
        after, row = longest[-1], nothing.copy()
        for other in reversed(range(there.start, there.stop)):
            row[other] = max(after[other], row[other + 1], after[other + 1] + (other in found))
        longest.append(row)
    row, other, pairs = longest.pop(), there.start, []
    for one, found in rows.items():
        after = longest.pop()
        while not (agrees := other in found and row[other] == after[other + 1] + 1) and row[other] > after[other]:
            other += 1
        if agrees:
            pairs.append((one, other))
            other += 1
        row = after
    return pairs
