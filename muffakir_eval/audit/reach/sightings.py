"""What was seen of the golds in a stretch of the index; stretches that follow one another are put together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import islice

from muffakir_eval.audit.reach.pieces import Piece, joined, linked
from muffakir_eval.audit.records import Sighting

__all__ = ["KEPT", "Holders", "Parts", "Sightings"]

KEPT = 20
"""So many chunks are kept for each gold; of all others only the number."""

_KEPT_IDS = 5


@dataclass(slots=True)
class Holders:
    """The chunks that hold one gold, by its text or by an identifier.

    Attributes:
        count: How many.
        first: The first ones.
        covered: The largest share of its words in any one of them.
        known: Which of its alternatives have an identifier of the index, as bits.
        readable: Of which of those the chunk has a text.
        right: Of which of those the chunk holds the text of the gold, or a part of it.
        padded: Alternative to identifiers of the index that differ in padding only.
    """

    count: int = 0
    first: list[Sighting] = field(default_factory=list)
    covered: float = 0.0
    known: int = 0
    readable: int = 0
    right: int = 0
    padded: dict[int, list[str]] = field(default_factory=dict)

    def see(self, sighting: Sighting, covered: float) -> None:
        """One more chunk, later in the index than all before."""
        self.count += 1
        self.covered = max(self.covered, covered)
        if len(self.first) < KEPT:
            self.first.append(sighting)

    def see_padded(self, alternative: int, ids: Iterable[str]) -> None:
        """More identifiers that differ in padding only."""
        known = self.padded.setdefault(alternative, [])
        known += [found for found in dict.fromkeys(ids) if found not in known][: _KEPT_IDS - len(known)]

    def add(self, other: Holders) -> None:
        """What was seen later in the index."""
        self.count += other.count
        self.covered = max(self.covered, other.covered)
        self.first += other.first[: KEPT - len(self.first)]
        self.known |= other.known
        self.readable |= other.readable
        self.right |= other.right
        for alternative, ids in other.padded.items():
            self.see_padded(alternative, ids)


@dataclass(slots=True)
class Parts:
    """The parts of one gold text.

    A chain is a row of pieces in neighbouring chunks, each going on where the one before it ends. One that begins with
    the first chunk of the stretch, or ends with the last, may go on beyond it.

    Attributes:
        longest: The longest pieces, the longest first.
        split: Of the chains that have come to their end, the neighbours that hold most of the gold together.
        covered: How much.
        head: The chain from the first chunk on.
        tail: The chain to the last chunk; the same as ``head`` where it goes through.
    """

    longest: list[Piece] = field(default_factory=list)
    split: tuple[Piece, ...] = ()
    covered: float = 0.0
    head: tuple[Piece, ...] = ()
    tail: tuple[Piece, ...] = ()

    def end(self, chain: tuple[Piece, ...]) -> None:
        """A chain that does not go on."""
        found = joined(chain)
        if found is not None:
            self._keep(*found)

    def ended(self) -> Parts:
        """As it is if nothing comes before or after."""
        made = Parts(longest=self.longest, split=self.split, covered=self.covered)
        made.end(self.head)
        if self.tail != self.head:
            made.end(self.tail)
        return made

    def see(self, pieces: list[Piece]) -> None:
        """More pieces, later in the index."""
        if pieces:
            self.longest = list(islice(merge(self.longest, sorted(pieces, key=_rank), key=_rank), KEPT))

    def add(self, other: Parts, *, through: bool, through_other: bool, adjacent: bool) -> None:
        """What was seen later in the index.

        Args:
            other: It.
            through: Whether the tail goes through all of this stretch.
            through_other: Whether the head of the other goes through all of that one.
            adjacent: Whether the other one begins where this one ends.
        """
        self.see(other.longest)
        if other.split:
            self._keep(other.split, other.covered)
        if adjacent and self.tail and other.head and linked(self.tail[-1], other.head[0]):
            chain = self.tail + other.head
            if not (through or through_other):
                self.end(chain)
            self.head = chain if through else self.head
            self.tail = chain if through_other else other.tail
            return
        if not through:
            self.end(self.tail)
        if not through_other:
            self.end(other.head)
        self.tail = other.tail

    def _keep(self, split: tuple[Piece, ...], covered: float) -> None:
        if not self.split or _merit(split, covered) > _merit(self.split, self.covered):
            self.split, self.covered = split, covered


def _rank(piece: Piece) -> tuple[int, int]:
    return -piece.run.held.bit_count(), piece.at.ordinal


def _merit(split: tuple[Piece, ...], covered: float) -> tuple[float, int, int]:
    return covered, -len(split), -split[0].at.ordinal


@dataclass(slots=True)
class Sightings:
    """What was seen in a stretch of the index.

    Attributes:
        begin: The first chunk.
        end: The one after the last; the same as ``begin`` where there are none.
        n_chunks: Chunks seen.
        n_ids: How many of them have an identifier.
        n_texts: How many of them have a text.
        holders: Gold to the chunks that hold it.
        parts: Gold text to its parts.
        going_on: The texts of which a chain goes on to the end.
    """

    begin: int = 0
    end: int = 0
    n_chunks: int = 0
    n_ids: int = 0
    n_texts: int = 0
    holders: dict[int, Holders] = field(default_factory=dict)
    parts: dict[int, Parts] = field(default_factory=dict)
    going_on: set[int] = field(default_factory=set)

    def add(self, other: Sightings) -> None:
        """What was seen in a stretch that comes later in the index; in which steps makes no difference.

        Raises:
            ValueError: The other stretch begins before the end of this one.
        """
        if not other.n_chunks:
            return
        if not self.n_chunks:
            self.begin = self.end = other.begin
            self.parts = {text: replace(parts) for text, parts in other.parts.items()}
        elif other.begin < self.end:
            raise ValueError(
                f"sightings are put together in the order of the index: chunk {other.begin} comes before {self.end}"
            )
        else:
            self._add_parts(other)
        for target, holders in other.holders.items():
            self.holders.setdefault(target, Holders()).add(holders)
        self.going_on = set(other.going_on)
        self.n_chunks += other.n_chunks
        self.n_ids += other.n_ids
        self.n_texts += other.n_texts
        self.end = other.end

    def _add_parts(self, other: Sightings) -> None:
        adjacent = self.end == other.begin
        ours, theirs = self.end - self.begin, other.end - other.begin
        nothing = Parts()
        for text in sorted(self.going_on | other.parts.keys()):
            further = other.parts.get(text, nothing)
            parts = self.parts.setdefault(text, Parts())
            through, through_other = len(parts.tail) == ours, len(further.head) == theirs
            parts.add(further, through=through, through_other=through_other, adjacent=adjacent)
