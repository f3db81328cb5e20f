"""A part of a gold in a chunk: which of its words, and how pieces in neighbouring chunks make it whole."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import lt

from muffakir_eval.audit.records import Place
from muffakir_eval.matching.alignment import ASSUMED, Alignment
from muffakir_eval.matching.contradictions import CONTRADICTION, at_odds
from muffakir_eval.matching.golds import source_name, sources_agree
from muffakir_eval.matching.prepared import PreparedText

__all__ = ["SPLIT_SHARE", "Measure", "Piece", "Run", "held_words", "in_order", "joined", "linked", "span_of"]

SPLIT_SHARE = 0.9
"""Share of the words of a gold that neighbouring chunks must hold together. A cut in the middle of a word costs one
word, and a reader misses less than a tenth."""

_LEAST_WORDS = 4
"""A shorter run of words says nothing, not even beside another piece."""

_PART_WORDS, _PART_SHARE, _SHORT_SHARE = 8, 0.1, 1 / 3
"""A part worth telling: so many words in a row and such a share of the gold, or a third of a short one. Shorter ones
are turns of phrase."""

_HOLE, _LARGER_HOLE = 3, 6
"""So many words between two runs may be garbled; so many belong to the same piece, though they are not in it."""

_MOST_PLACES = 5000
"""Of a gold that says the same thing over and over, the order of its places tells nothing."""

_CUT_WORDS = 2
"""At the place of a cut, so many words may have been torn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """How the words of one gold are counted.

    Attributes:
        words: How many it has; characters of scripts without spaces.
        per_word: How many of them are one word: 2 in Chinese, 4 in Thai, else 1.
        decisive: The words, as bits, that make another statement if they change: numbers and negations.
        least_share: Share of the gold that the parts must span to be the gold.
        coverage: Share of the places that must agree.
    """

    words: int
    per_word: float
    decisive: int
    least_share: float
    coverage: float

    @classmethod
    def of(cls, gold: PreparedText, *, least_share: float, coverage: float) -> Measure:
        """That of a gold, as the cascade would see it."""
        words = gold.words
        decisive = [place for place, word in enumerate(words) if _is_decisive(word)]
        return cls(
            words=len(words),
            per_word=max(1.0, len(words) / gold.weight) if gold.weight else 1.0,
            decisive=_bits(decisive),
            least_share=least_share,
            coverage=coverage,
        )

    @property
    def least(self) -> int:
        """Words of the shortest run that is looked at."""
        return round(_LEAST_WORDS * self.per_word)

    @property
    def least_part(self) -> float:
        """Words of the shortest run that is worth telling by itself."""
        long = max(_PART_WORDS * self.per_word, _PART_SHARE * self.words)
        return min(long, max(self.least, _SHORT_SHARE * self.words))

    def run(self, triples: Iterable[int]) -> Run | None:
        """The longest run of the gold's words in a chunk, ``None`` where it is too short.

        Args:
            triples: Where in the gold three words begin that the chunk has in a row.

        >>> gold = PreparedText.split("واحد اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة")
        >>> run = Measure.of(gold, least_share=0.4, coverage=0.6).run([0, 1, 4])
        >>> span_of(run.held), run.same.bit_count(), run.odds
        ((0, 7), 7, 0)
        """
        bits = 0
        for place in triples:
            bits |= 7 << place
        runs = list(_runs(bits, round(_LARGER_HOLE * self.per_word)))
        same = max(runs, key=int.bit_count, default=0)
        if same.bit_count() < self.least:
            return None
        held = _filled(same, round(_HOLE * self.per_word))
        return Run(same=same, held=held, odds=(held & ~same & self.decisive).bit_count())


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Words of a gold that stand in a chunk, as bits.

    Attributes:
        same: Those that stand there as they are.
        held: With the garbled ones between them.
        odds: How many of those are decisive.
    """

    same: int
    held: int
    odds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A run, and where it is.

    Attributes:
        at: The chunk.
        run: The words.
        gold: How the gold is counted.
    """

    at: Place
    run: Run
    gold: Measure

    @property
    def is_part(self) -> bool:
        """Whether it is worth telling by itself."""
        return self.run.held.bit_count() >= self.gold.least_part


def in_order(found: Sequence[Sequence[int]]) -> list[int]:
    """Of the places in the gold of what a chunk has, as many as possible that come in its order.

    A phrase that the gold has twice stands in the chunk once, and only one of its places is meant. Of several ways, one
    in which they lie close together.

    Args:
        found: Of each triple of words of the chunk, in its order, where in the gold it stands, ascending.

    >>> in_order([[4, 10], [11], [12]]), in_order([[1], [2], [3]])
    ([10, 11, 12], [1, 2, 3])
    """
    first = [places[0] for places in found]
    if all(len(places) == 1 for places in found) and all(map(lt, first, first[1:])):
        return first
    if sum(map(len, found)) > _MOST_PLACES:
        return sorted(set(chain.from_iterable(found)))
    least: list[int] = []  # the smallest place at which so many end
    ends: list[list[int]] = []  # all places at which so many end, each smaller than the one before
    for places in found:
        for place in reversed(places):  # so that no triple comes after itself
            count = bisect_left(least, place)
            least[count : count + 1] = [place]
            if count == len(ends):
                ends.append([])
            if not ends[count] or ends[count][-1] != place:
                ends[count].append(place)
    return min((_back(ends, last) for last in (ends[-1][-1], ends[-1][0])), key=lambda way: way[-1] - way[0])


def _back(ends: Sequence[Sequence[int]], last: int) -> list[int]:
    """The places before the last one, each as late as can be."""
    way = [last]
    for places in reversed(ends[:-1]):
        way.append(next(place for place in places if place < way[-1]))
    return way[::-1]


def linked(one: Piece, other: Piece) -> bool:
    """``other`` goes on where ``one`` ends, in the next chunk of the same document."""
    if one.at.ordinal + 1 != other.at.ordinal:
        return False
    if not sources_agree(source_name(one.at.source), source_name(other.at.source)):
        return False
    first, last = span_of(one.run.held)
    begin, end = span_of(other.run.held)
    gap = max(_CUT_WORDS * one.gold.per_word, (1 - SPLIT_SHARE) * one.gold.words)
    return first < begin <= last + gap and last < end


def joined(pieces: Sequence[Piece]) -> tuple[tuple[Piece, ...], float] | None:
    """The neighbours of a chain that hold the gold together, and the share of it; ``None`` where they do not.

    They hold nine tenths of its words, span ``min_gold_share`` of it, and the coverage of their texts put
    together, two places more than the gold has and six words for each number or negation that is garbled, is what
    the cascade asks for. At either end of the gold, words that are too few to be a piece are not asked for: they may
    stand in one chunk more. Pieces at either end that add nothing are left out; one chunk alone is no split.
    """
    window = tuple(pieces)
    share = _share_of(window) if window else None
    if share is None:
        return None
    for shorter in (slice(1, None), slice(None, -1)):
        while len(window) > 1 and (_share_of(window[shorter]) or 0.0) >= share:
            window = window[shorter]
    return (window, share) if len(window) > 1 else None


def _share_of(window: tuple[Piece, ...]) -> float | None:
    gold = window[0].gold
    same = held = odds = 0
    for piece in window:
        begin, _ = span_of(piece.run.held)
        torn = begin - held.bit_length()
        if held and 0 < torn <= round(_CUT_WORDS * gold.per_word):
            held |= ((1 << torn) - 1) << held.bit_length()
        same |= piece.run.same
        held |= piece.run.held
        odds += piece.run.odds
    first, last = span_of(held)
    unseen = sum(min(words, gold.least - 1) for words in (first, gold.words - last))
    places = gold.words + ASSUMED + CONTRADICTION * gold.per_word * odds
    enough = held.bit_count() >= SPLIT_SHARE * (gold.words - unseen)
    enough &= (last - first) / gold.words >= gold.least_share and same.bit_count() >= gold.coverage * places
    return held.bit_count() / gold.words if enough else None


def held_words(alignment: Alignment, gold_words: int, chunk_words: int) -> int:
    """The words of the gold in the overlap, as bits: those that agree, and garbled ones between them.

    What only the gold has between two blocks is missing in the chunk. At either end of the overlap, two words may
    be garbled.
    """
    bits, here, there = 0, 0, 0
    for place, block in enumerate(alignment.blocks):
        ours, theirs = block.gold - here, block.chunk - there
        garbled = 2 * theirs >= ours if place else ours <= _CUT_WORDS and theirs >= ours
        first = here if garbled else block.gold
        here, there = block.gold + block.gold_words, block.chunk + block.chunk_words
        bits |= _between(first, here)
    ours = gold_words - here
    if ours <= _CUT_WORDS and chunk_words - there >= ours:
        bits |= _between(here, gold_words)
    return bits


def span_of(bits: int) -> tuple[int, int]:
    """First of the words, and the one after the last.

    >>> span_of(0b0110)
    (1, 3)
    """
    return (bits & -bits).bit_length() - 1 if bits else 0, bits.bit_length()


def _is_decisive(word: str) -> bool:
    return any(map(str.isdecimal, word)) or at_odds([word], []) > 0


def _bits(places: Iterable[int]) -> int:
    return sum(1 << place for place in set(places))


def _between(first: int, end: int) -> int:
    return (1 << end) - (1 << first)


def _runs(bits: int, hole: int) -> Iterator[int]:
    """The bits in groups with at most so many zeros in a row."""
    while bits:
        grown = bits
        for _ in range(hole):
            grown |= grown << 1
        first, _ = span_of(grown)
        rest = grown >> first
        end = first + (~rest & (rest + 1)).bit_length() - 1
        group = bits & _between(first, end)
        yield group
        bits &= ~group


def _filled(bits: int, hole: int) -> int:
    """The bits, and holes of at most so many zeros between them."""
    found, last = 0, None
    for run in _runs(bits, 0):
        first, end = span_of(run)
        found |= _between(last if last is not None and first - last <= hole else first, end)
        last = end
    return found
