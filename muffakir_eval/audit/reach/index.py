"""The texts of the golds, laid out so that a chunk is compared with the few that it may hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from muffakir_eval.audit.reach.candidates import Candidates
from muffakir_eval.audit.reach.pages import Lexicon, Page
from muffakir_eval.audit.reach.pieces import Measure, Run, held_words, in_order, span_of
from muffakir_eval.audit.reach.postings import Postings
from muffakir_eval.matching.matcher import ChunkMatcher
from muffakir_eval.matching.overlap import may_overlap
from muffakir_eval.matching.prepared import PreparedText
from muffakir_eval.matching.stages import aligned, shared_tokens
from muffakir_eval.records import Stage

__all__ = ["GoldIndex", "Held", "Seen"]

_CELLS = 1 << 18
_MOST_CHUNKS = 256
"""Chunks that are looked at together: as many as make so many pairs with a gold, and no more than these."""


class Held(NamedTuple):
    """A gold text that a chunk holds.

    Attributes:
        stage: The stage that said yes.
        score: Its score.
        covered: Share of the words of the gold that lie in the chunk.
        span: From which word of the gold to which, where that is not all of it.
    """

    stage: Stage
    score: float
    covered: float
    span: tuple[int, int] | None


class Seen(NamedTuple):
    """What a chunk has of the gold texts.

    Attributes:
        held: Those that it holds, as the cascade decides.
        runs: Runs of words of others.
    """

    held: dict[int, Held]
    runs: dict[int, Run]


class GoldIndex:
    """An inverted index of gold texts.

    Args:
        texts: The texts, all different.
        matcher: Decides.
    """

    def __init__(self, texts: Sequence[str], matcher: ChunkMatcher) -> None:
        import numpy as np

        self._matcher = matcher
        self._golds = [matcher.prepare(text) for text in texts]
        rules = matcher.rules
        lexicon = self._lexicon = Lexicon(self._golds, rules.keys)
        self._candidates = Candidates(self._golds, lexicon, rules)
        triples = [found[found >= 0].tolist() for found in lexicon.triples_of]
        self._triples = Postings(triples, len(lexicon.triples))
        common = _in_many(triples)
        self._telling = Postings([set(found) - common for found in triples], len(lexicon.triples))
        self._places = [_places_of(found.tolist()) for found in lexicon.triples_of]
        coverage = rules.coverage if "coverage" in rules.settings.stages else 1.0 - _TORN
        self.measures = [
            Measure.of(gold, least_share=rules.settings.min_gold_share, coverage=coverage) for gold in self._golds
        ]
        self._least = np.array([measure.least - 2 for measure in self.measures])
        self._least_part = np.array([max(measure.least - 2, measure.least_part // 2 - 1) for measure in self.measures])
        self._together = max(1, min(_MOST_CHUNKS, _CELLS // max(len(texts), 1)))

    def comparable(self, text: int) -> bool:
        """Whether a gold text is long enough to be found inside another text."""
        return self._golds[text].count >= self._matcher.settings.min_gold_tokens

    def look(self, texts: Sequence[str]) -> Iterator[Seen]:
        """What each of the chunks has of the gold texts."""
        for first in range(0, len(texts), self._together):
            prepared = [self._matcher.prepare(text) for text in texts[first : first + self._together]]
            page = self._lexicon.read(prepared)
            seen = [Seen({}, {}) for _ in prepared]
            for row, gold, overlapping in self._candidates.find(page):
                held = self._held(gold, prepared[row], overlapping)
                if held is not None:
                    seen[row].held[gold] = held
            for row, gold, triples in self._common_triples(page):
                if gold not in seen[row].held:
                    run = self.measures[gold].run(triples)
                    if run is not None:
                        seen[row].runs[gold] = run
            yield from seen

    def _held(self, number: int, chunk: PreparedText, overlapping: bool) -> Held | None:
        """What the cascade says; it is asked for the coverage alone where nothing else may say yes."""
        gold, rules = self._golds[number], self._matcher.rules
        if overlapping and rules.keys is None and not may_overlap(gold, chunk, rules):
            return None
        stage, score = self._matcher.compare(gold, chunk)
        if stage is None:
            return None
        covered, span = self._covered(gold, chunk, stage)
        return Held(stage, score or 0.0, covered, span)

    def _covered(self, gold: PreparedText, chunk: PreparedText, stage: Stage) -> tuple[float, tuple[int, int] | None]:
        """Share of the words of a gold that a chunk which was accepted has, and from which to which."""
        if gold.sequence in chunk.sequence:
            return 1.0, None
        rules = self._matcher.rules
        alignment = aligned(gold, chunk, rules)
        bits = held_words(alignment, len(gold.words), len(chunk.words)) if alignment else 0
        covered = bits.bit_count() / len(gold.words)
        if stage == "jaccard":  # its words may stand in another order
            covered = max(covered, shared_tokens(gold, chunk, rules) / gold.size)
        return covered, span_of(bits) if bits and covered < 1 else None

    def _common_triples(self, page: Page) -> Iterator[tuple[int, int, list[int]]]:
        """Chunks and golds with enough triples in common, and where in the gold these begin.

        Few are enough beside another such chunk, or where the next one is not at hand. A chunk that shares with a
        gold only what many golds have shares boilerplate.
        """
        import numpy as np

        telling = self._telling.shared(*page.triples, len(page.texts))
        if not telling.nnz:
            return
        shared = self._triples.shared(*page.triples, len(page.texts)).multiply(telling > 0).tocoo()
        enough = shared.data >= self._least[shared.col]
        rows, golds, count = shared.row[enough], shared.col[enough], shared.data[enough]
        last, n_golds = len(page.texts) - 1, len(self._golds)
        cells = rows.astype(np.int64) * n_golds + golds
        linked = np.isin(cells - n_golds, cells) | np.isin(cells + n_golds, cells)
        worth = np.flatnonzero(linked | (count >= self._least_part[golds]) | (rows == 0) | (rows == last))
        ends = np.searchsorted(page.triples.rows, np.arange(len(page.texts) + 1))
        for row, gold in zip(rows[worth].tolist(), golds[worth].tolist(), strict=True):
            places = self._places[gold]
            triples = page.triples.keys[ends[row] : ends[row + 1]].tolist()
            yield row, gold, in_order([places[triple] for triple in triples if triple in places])


_MANY, _MANY_SHARE = 50, 0.1
"""What more golds than these have, and a larger share of them, tells none of them apart."""


def _in_many(triples: Sequence[Sequence[int]]) -> set[int]:
    """The triples that many golds have."""
    counts = Counter(chain.from_iterable(set(found) for found in triples))
    return {triple for triple, count in counts.items() if count > max(_MANY, _MANY_SHARE * len(triples))}


_TORN = 0.1
"""Without the coverage stage, so few words may be torn where the parts were cut."""


def _places_of(triples: list[int]) -> dict[int, list[int]]:
    places: dict[int, list[int]] = {}
    for place, triple in enumerate(triples):
        places.setdefault(triple, []).append(place)
    return places
