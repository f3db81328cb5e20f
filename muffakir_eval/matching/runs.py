"""Runs of words of two texts that agree, in order, where the one is shifted against the other by so much."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from rapidfuzz.distance import LCSseq

from muffakir_eval.matching.shifts import LARGEST_GAP, Band

__all__ = ["Agree", "Block", "agreeing_runs"]

Agree = Callable[[str, str], bool]

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


def agreeing_runs(shorter: Sequence[str], longer: Sequence[str], band: Band, near: Agree | None) -> list[Block]:
    """Runs of equal words, and between them and at their ends what nearly agrees; the shorter text is the gold."""
    return _with_gaps(_same(shorter, longer, band), shorter, longer, near)


def _same(shorter: Sequence[str], longer: Sequence[str], band: Band) -> list[Block]:
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
    head = min(same[0].gold, same[0].chunk, LARGEST_GAP)
    here, there = same[0].gold - head, same[0].chunk - head
    for block in same:
        blocks += _gap(shorter[here : block.gold], longer[there : block.chunk], here, there, near)
        blocks.append(block)
        here, there = block.gold + block.gold_words, block.chunk + block.chunk_words
    tail = min(len(shorter) - here, len(longer) - there, LARGEST_GAP)
    return blocks + _gap(shorter[here : here + tail], longer[there : there + tail], here, there, near)


def _gap(ours: Sequence[str], theirs: Sequence[str], here: int, there: int, near: Agree) -> list[Block]:
    if not ours or not theirs or len(ours) > LARGEST_GAP or len(theirs) > LARGEST_GAP:
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
