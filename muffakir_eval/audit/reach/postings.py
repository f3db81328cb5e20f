"""How many of its keys each gold shares with each chunk of a page: an inverted index of the golds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    Ints = NDArray[np.int64]

__all__ = ["Numbers", "Postings", "counted"]


_PER_KEY, _LEAST_BITS, _MOST_BITS = 16, 12, 24
"""Slots for each key, of a table of so many bits; a slot takes a byte."""

_SPREAD = 0x9E3779B97F4A7C15
"""An odd number whose multiples fill the slots evenly."""


class Postings:
    """Key to the golds that have it.

    Args:
        golds: The keys of each gold, numbered from 0.
        n_keys: How many different keys there are.
    """

    def __init__(self, golds: Sequence[Iterable[int]], n_keys: int) -> None:
        import numpy as np
        from scipy.sparse import csr_matrix

        keys = [sorted(set(gold)) for gold in golds]
        flat = np.fromiter((key for gold in keys for key in gold), np.int64)
        holders = np.repeat(np.arange(len(keys)), [len(gold) for gold in keys])
        ones = np.ones(len(flat), np.int32)
        self._n_keys = n_keys
        self._matrix = csr_matrix((ones, (flat, holders)), shape=(n_keys, len(keys)))

    def shared(self, keys: Ints, rows: Ints, n_rows: int) -> csr_matrix:
        """Chunks times golds: how many different keys are in both.

        Args:
            keys: The keys of all chunks; each may come several times.
            rows: The chunk of each, from 0.
            n_rows: How many chunks.
        """
        import numpy as np
        from scipy.sparse import csr_matrix

        chunks = csr_matrix((np.ones(len(keys), np.int32), (rows, keys)), shape=(n_rows, self._n_keys))
        chunks.data.fill(1)  # those that came several times have been summed
        return chunks @ self._matrix


class Numbers:
    """Numbers for the keys of the golds, looked up for whole pages at once.

    Args:
        keys: The keys, as numbers of any size.
    """

    def __init__(self, keys: Iterable[int]) -> None:
        import numpy as np

        self._sorted = np.array(sorted(set(keys)), dtype=np.int64)
        self._bits = min(max(_LEAST_BITS, (_PER_KEY * len(self._sorted)).bit_length()), _MOST_BITS)
        self._maybe = np.zeros(1 << self._bits, dtype=np.bool_)
        self._maybe[_slots(self._sorted, self._bits)] = True

    def __len__(self) -> int:
        return len(self._sorted)

    def of(self, keys: Ints) -> Ints:
        """The number of each key, -1 for one that no gold has."""
        import numpy as np

        found = np.full(len(keys), -1, dtype=np.int64)
        maybe = np.flatnonzero(self._maybe[_slots(keys, self._bits)])  # most are in no gold, and few of these pass
        places = np.searchsorted(self._sorted, keys[maybe])
        places[places == len(self._sorted)] = 0
        known = self._sorted[places] == keys[maybe]
        found[maybe[known]] = places[known]
        return found


def _slots(keys: Ints, bits: int) -> Ints:
    """For each key one of ``2**bits`` slots; other keys may have it too."""
    import numpy as np

    spread = keys.astype(np.uint64) * np.uint64(_SPREAD)
    return (spread >> np.uint64(64 - bits)).astype(np.int64)


def counted(firsts: Ints, seconds: Ints, base: int, numbers: Numbers) -> Ints:
    """The numbers of pairs of keys, -1 where either key or the pair is none of the golds'."""
    import numpy as np

    found = np.full(len(firsts), -1, dtype=np.int64)
    both = np.flatnonzero((firsts >= 0) & (seconds >= 0))
    found[both] = numbers.of(firsts[both] * base + seconds[both])
    return found
