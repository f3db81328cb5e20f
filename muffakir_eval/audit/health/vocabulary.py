"""How often each word occurs inside the chunks of the corpus, by number."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Vocabulary", "word_keys"]

_PENDING = 1 << 21


def word_keys(numbers: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Keys of 32 bits for the numbers of words; of a million words, one in four thousand shares its key."""
    import numpy as np

    from muffakir_eval.audit.health.words import mixed

    return (mixed(numbers) >> np.uint64(32)).astype(np.uint32)


class Vocabulary:
    """Keys of words with their counts; exact sums, whatever the order in which they come."""

    __slots__ = ("_pending", "_tables")

    def __init__(self) -> None:
        self._tables: list[tuple[NDArray[np.uint32], NDArray[np.int64]]] = []
        self._pending = 0

    def count(self, numbers: NDArray[np.uint64]) -> None:
        """Count words."""
        import numpy as np

        keys, counts = np.unique(word_keys(numbers), return_counts=True)
        self._append(keys, counts)

    def add(self, other: Vocabulary) -> None:
        """Add another's counts."""
        for keys, counts in other._tables:
            self._append(keys, counts)

    def _append(self, keys: NDArray[np.uint32], counts: NDArray[np.int64]) -> None:
        self._tables.append((keys, counts))
        self._pending += len(keys)
        if self._pending > max(_PENDING, len(self._tables[0][0])):
            self.table()

    def table(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """The keys in order, and the count of each."""
        import numpy as np

        if len(self._tables) != 1:
            keys = np.concatenate([np.zeros(0, np.uint32), *(table[0] for table in self._tables)])
            counts = np.concatenate([np.zeros(0, np.int64), *(table[1] for table in self._tables)])
            order = np.argsort(keys, kind="stable")
            keys, counts = keys[order], counts[order]
            starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else order
            self._tables = [(keys[starts], np.add.reduceat(counts, starts) if len(keys) else counts)]
        self._pending = 0
        return self._tables[0]
