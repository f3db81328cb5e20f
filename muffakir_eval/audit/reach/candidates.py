"""Which golds a chunk may hold, told from how many of their words it has: never fewer than it does hold.

What a stage of the cascade accepts has so many different tokens in common, of n tokens of the gold and m of the chunk:

===========  =========================================================================================
stage        shared tokens s
===========  =========================================================================================
containment  all of the one inside the other; all but two where a token at its ends may be a piece
Jaccard      s / (n + m - s) is at least half of ``overlap_threshold``, words that nearly agree aside
coverage     the share of :func:`~muffakir_eval.matching.rules.token_share` of n or of m, and of neighbouring words
             that of :func:`~muffakir_eval.matching.rules.neighbour_share`
===========  =========================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from muffakir_eval.audit.reach.pages import Lexicon, Page
from muffakir_eval.audit.reach.postings import Postings
from muffakir_eval.matching.prepared import PreparedText
from muffakir_eval.matching.rules import Rules, neighbour_share, token_share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

__all__ = ["Candidates"]

_LONG, _CUT_TOKENS = 12, 2
"""Of so many tokens and more, so many may be missing in a text that holds it: pieces of words at its ends."""

_ROUNDING = 1e-6


class _Texts(NamedTuple):
    """What the bounds ask of golds or chunks."""

    size: Ints
    tokens: Ints
    spaceless: Flags
    missing: Ints
    """How many of its tokens another text need not have to hold it; -1 where it has none to be held."""
    least_tokens: Floats
    """Different tokens that another text needs, for the two to be laid on one another."""
    least_pairs: Floats
    """The same for neighbouring words; of chunks a lower bound, which costs less."""


class Candidates:
    """Finds the pairs of a chunk and a gold that the cascade has to decide.

    Args:
        golds: The golds.
        lexicon: Their words.
        rules: How texts are compared.
    """

    def __init__(self, golds: Sequence[PreparedText], lexicon: Lexicon, rules: Rules) -> None:
        self._rules = rules
        self._golds = _texts(golds, [len(gold.neighbours) for gold in golds])
        self._tokens = Postings(lexicon.tokens_of, len(lexicon.units))
        self._pairs = Postings([found.tolist() for found in lexicon.pairs_of], len(lexicon.pairs))
        self._jaccard = rules.floor / (1 + rules.floor)
        self._smallest = min((gold.size for gold in golds), default=0)

    def find(self, page: Page) -> list[tuple[int, int, bool]]:
        """Chunk of the page and gold, in order, and whether only the coverage may accept the pair."""
        import numpy as np

        chunks = _texts(page.texts, [_least_pairs(text) for text in page.texts])
        shared = self._tokens.shared(*page.tokens, len(page.texts)).toarray()
        rows, golds = self._of_words(shared, chunks)
        further = self._laid_on(shared, chunks, page)
        wordless = np.nonzero((chunks.tokens == 0)[:, None] & (self._golds.tokens == 0)[None, :])
        n_golds = shared.shape[1]
        by_words = np.concatenate([row * n_golds + gold for row, gold in ((rows, golds), wordless)])
        found = np.unique(np.concatenate([by_words, further[0] * n_golds + further[1]]))
        rows, golds = np.divmod(found, n_golds)
        return list(zip(rows.tolist(), golds.tolist(), (~np.isin(found, by_words)).tolist(), strict=True))

    def _of_words(self, shared: Ints, chunks: _Texts) -> tuple[Ints, Ints]:
        """The pairs that the containment or the Jaccard may accept."""
        import numpy as np

        # Less than any pair needs, by the gold or by the chunk alone: two comparisons for each cell, and few are left.
        smallest = self._jaccard * (self._smallest + chunks.size) - _ROUNDING
        by_chunk = np.ceil(np.minimum(chunks.size - chunks.missing, smallest)).astype(np.int32)
        by_gold = (self._golds.size - self._golds.missing).astype(np.int32)
        rows, golds = np.nonzero((shared >= by_chunk[:, None]) | (shared >= by_gold[None, :]))
        kept = self._contained(shared[rows, golds], _at(self._golds, golds), _at(chunks, rows))
        kept |= self._similar(shared[rows, golds], _at(self._golds, golds), _at(chunks, rows))
        return rows[kept], golds[kept]

    def _contained(self, shared: Ints, golds: _Texts, chunks: _Texts) -> Flags:
        import numpy as np

        settings = self._rules.settings
        both = golds.spaceless & chunks.spaceless
        ours = np.where((golds.tokens >= _LONG) | both, golds.missing, 0)
        theirs = np.where((chunks.tokens >= _LONG) | both, chunks.missing, 0)
        least = np.minimum(settings.min_gold_share * golds.tokens - _ROUNDING, settings.min_inside_tokens)
        inside = (shared >= golds.size - ours) | ((shared >= chunks.size - theirs) & (chunks.tokens >= least))
        equal = (shared == golds.size) & (shared == chunks.size)
        found: Flags = np.where(golds.tokens < settings.min_gold_tokens, equal, inside)
        return found

    def _similar(self, shared: Ints, golds: _Texts, chunks: _Texts) -> Flags:
        settings, floor = self._rules.settings, self._rules.floor
        found: Flags = shared * (1 + floor) >= floor * (golds.size + chunks.size) - _ROUNDING
        found &= golds.tokens >= settings.min_gold_tokens
        return found & (chunks.size >= settings.min_gold_share * golds.size - _ROUNDING)

    def _laid_on(self, shared: Ints, chunks: _Texts, page: Page) -> tuple[Ints, Ints]:
        """The pairs that the coverage may accept."""
        import numpy as np

        if "coverage" not in self._rules.settings.stages:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        if self._rules.keys is not None:  # then words that follow one another may be other ones
            needed = np.minimum(self._golds.least_tokens[None, :], chunks.least_tokens[:, None])
            rows, golds = np.nonzero((shared > 0) & (shared >= needed - _ROUNDING))
        else:
            neighbours = self._pairs.shared(*page.pairs, len(page.texts))
            rows, golds = _places(neighbours)
            needed = np.maximum(1, np.minimum(self._golds.least_pairs[golds], chunks.least_pairs[rows]))
            enough = neighbours.data >= needed - _ROUNDING
            rows, golds = rows[enough], golds[enough]
            needed = np.minimum(self._golds.least_tokens[golds], chunks.least_tokens[rows])
            enough = shared[rows, golds] >= needed - _ROUNDING
            rows, golds = rows[enough], golds[enough]
        enough = self._golds.tokens[golds] >= self._rules.settings.min_gold_tokens
        return rows[enough], golds[enough]


def _texts(texts: Sequence[PreparedText], pairs: Sequence[int]) -> _Texts:
    import numpy as np

    spaceless = np.array([text.spaceless for text in texts], dtype=np.bool_)
    tokens = np.array([text.count for text in texts], dtype=np.int64)
    return _Texts(
        size=np.array([text.size for text in texts], dtype=np.int64),
        tokens=tokens,
        spaceless=spaceless,
        missing=np.where(tokens == 0, -1, np.where((tokens >= _LONG) | spaceless, _CUT_TOKENS, 0)),
        least_tokens=np.array([token_share(text.length) * text.size for text in texts]),
        least_pairs=np.array([neighbour_share(text.length) * n for text, n in zip(texts, pairs, strict=True)]),
    )


def _at(texts: _Texts, places: Ints) -> _Texts:
    return _Texts._make(column[places] for column in texts)


def _least_pairs(text: PreparedText) -> int:
    """At least so many different pairs of neighbours: each different word but the last has one behind it."""
    return len(text.neighbours) if text.spaceless else max(text.size - 1, 0)


def _places(matrix: csr_matrix) -> tuple[Ints, Ints]:
    import numpy as np

    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return rows, matrix.indices.astype(np.int64)
