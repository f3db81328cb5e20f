"""A few chunks at a time, as numbers: which words of the golds stand in them, and which of those follow one another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple

from muffakir_eval.audit.reach.postings import Numbers, counted
from muffakir_eval.matching.agreement import Keys
from muffakir_eval.matching.prepared import PreparedText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

__all__ = ["Keyed", "Lexicon", "Page"]


class Keyed(NamedTuple):
    """Keys of the chunks of a page.

    Attributes:
        keys: The keys.
        rows: The chunk of each.
    """

    keys: Ints
    rows: Ints


class Page(NamedTuple):
    """Some chunks as numbers.

    Attributes:
        texts: The chunks.
        tokens: Those of their tokens that a gold has too.
        pairs: Their neighbouring words that are neighbours in a gold too.
        triples: The same for three words in a row.
    """

    texts: list[PreparedText]
    tokens: Keyed
    pairs: Keyed
    triples: Keyed


class Lexicon:
    """The tokens, words, pairs and triples of words that the golds have, each with its number.

    Args:
        golds: The golds.
        keys: What a word may be a form of; ``None`` where words are compared as they stand.
    """

    def __init__(self, golds: Sequence[PreparedText], keys: Keys | None = None) -> None:
        import numpy as np

        units = dict.fromkeys(chain.from_iterable(chain(gold.tokens, gold.words) for gold in golds))
        self.units = {unit: number for number, unit in enumerate(units)}
        self._keys = keys
        self._by_key: dict[str, list[int]] = {}
        if keys is not None:
            for unit, number in self.units.items():
                for key in {unit, *keys(unit)}:
                    self._by_key.setdefault(key, []).append(number)
        words = [np.array([self.units[word] for word in gold.words], dtype=np.int64) for gold in golds]
        self._base = max(len(self.units), 1)
        pairs = [found[:-1] * self._base + found[1:] for found in words]
        self.pairs = Numbers(chain.from_iterable(found.tolist() for found in pairs))
        self.pairs_of = [self.pairs.of(found) for found in pairs]
        base = self._pair_base = max(len(self.pairs), 1)
        triples = [found[:-1] * base + found[1:] for found in self.pairs_of]
        self.triples = Numbers(chain.from_iterable(found.tolist() for found in triples))
        self.triples_of = [self.triples.of(found) for found in triples]
        self.tokens_of = [[self.units[token] for token in gold.distinct] for gold in golds]

    def read(self, texts: Sequence[PreparedText]) -> Page:
        """The chunks as numbers."""
        import numpy as np

        # One more after each chunk keeps its last word from being the neighbour of the next chunk's first.
        words = chain.from_iterable((*text.words, "") for text in texts)
        rows = np.repeat(np.arange(len(texts)), [len(text.words) + 1 for text in texts])
        flat = np.fromiter(map(self.units.get, words, repeat(-1)), np.int64, len(rows))
        pairs = counted(flat[:-1], flat[1:], self._base, self.pairs)
        triples = counted(pairs[:-1], pairs[1:], self._pair_base, self.triples)
        if self._keys is not None:
            tokens = _keyed({row: self._agreeing(text, self._keys) for row, text in enumerate(texts)})
        else:
            tokens = self._tokens(texts, flat, rows)
        return Page(list(texts), tokens, _known(pairs, rows), _known(triples, rows))

    def _tokens(self, texts: Sequence[PreparedText], words: Ints, rows: Ints) -> Keyed:
        """The tokens: the words, but for the chunks in scripts without spaces."""
        import numpy as np

        of_pairs = [row for row, text in enumerate(texts) if text.spaceless]
        if not of_pairs:
            return _known(words, rows)
        spaced = _known(np.where(np.isin(rows, of_pairs), -1, words), rows)
        further = _keyed({row: map(self.units.get, texts[row].tokens, repeat(-1)) for row in of_pairs})
        return Keyed(*map(np.concatenate, zip(spaced, further, strict=True)))

    def _agreeing(self, text: PreparedText, keys: Keys) -> set[int]:
        """The tokens of golds that stand in the chunk, or share a key with a token of it."""
        by_key = self._by_key
        return set(chain.from_iterable(by_key.get(key, ()) for key in text.keys_by(keys)))


def _keyed(found: Mapping[int, Iterable[int]]) -> Keyed:
    import numpy as np

    lists = {row: list(numbers) for row, numbers in found.items()}
    flat = np.fromiter(chain.from_iterable(lists.values()), np.int64)
    rows = np.repeat(np.fromiter(lists, np.int64), [len(numbers) for numbers in lists.values()])
    return _known(flat, rows)


def _known(keys: Ints, rows: Ints) -> Keyed:
    import numpy as np

    known = np.flatnonzero(keys >= 0)
    return Keyed(keys[known], rows[known])
