"""The words of a batch of chunks as numbers: for counting, joining, and comparing.

The words of all chunks stand in one row of code points, one space between two words. A polynomial over the
code points gives each span of the row a number from two prefix sums, and the number of two words put together
from those of the words.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["WordRow", "joined", "mixed"]

_FACTOR = 0x9E3779B97F4A7C15
_INVERSE = pow(_FACTOR, -1, 1 << 64)


@functools.lru_cache(maxsize=4)
def _powers(base: int, size: int) -> NDArray[np.uint64]:
    import numpy as np

    powers = np.full(size, base, np.uint64)
    powers[0] = 1
    result: NDArray[np.uint64] = np.cumprod(powers, dtype=np.uint64)
    return result


def _powers_to(base: int, size: int) -> NDArray[np.uint64]:
    return _powers(base, 1 << max(12, size.bit_length()))[:size]


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers spread evenly: the finaliser of SplitMix64, one to one."""
    import numpy as np

    spread = numbers ^ (numbers >> np.uint64(30))
    spread *= np.uint64(0xBF58476D1CE4E5B9)
    spread ^= spread >> np.uint64(27)
    spread *= np.uint64(0x94D049BB133111EB)
    spread ^= spread >> np.uint64(31)
    return spread


def joined(first: NDArray[np.uint64], length: NDArray[np.uint16], second: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The numbers of words put together from those of their halves.

    Args:
        first: Numbers of the words before.
        length: Their characters.
        second: Numbers of the words after.
    """
    return first + _powers(_FACTOR, 1 << 16)[length] * second


@dataclass(frozen=True, slots=True)
class WordRow:
    """The words of some chunks.

    Attributes:
        numbers: A number for each word.
        lengths: Characters of each word.
        offsets: First word of each chunk, and the number of words after the last.
        starts: First character of each word in the row.
        sums: Prefix sums over the row.
    """

    numbers: NDArray[np.uint64]
    lengths: NDArray[np.int64]
    offsets: NDArray[np.int64]
    starts: NDArray[np.int64]
    sums: NDArray[np.uint64]

    @classmethod
    def of(cls, chunks: Sequence[str], counts: Sequence[int]) -> WordRow:
        """The row of some chunks.

        Args:
            chunks: The words of each chunk, one space between two.
            counts: How many words each has.
        """
        import numpy as np

        offsets = np.concatenate([[0], np.cumsum(np.asarray(counts, np.int64))])
        row = " ".join([chunk for chunk in chunks if chunk])
        codes = np.frombuffer(row.encode("utf-32-le", "surrogatepass"), np.uint32)
        spaces = np.flatnonzero(codes == 32)
        n_words = int(offsets[-1])
        starts = np.concatenate([[0], spaces + 1])[:n_words]
        ends = np.concatenate([spaces, [len(codes)]])[:n_words]
        products = codes * _powers_to(_FACTOR, len(codes))
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(products, dtype=np.uint64)])
        numbers = cls._spans(sums, starts, ends)
        return cls(numbers, ends - starts, offsets, starts, sums)

    @staticmethod
    def _spans(sums: NDArray[np.uint64], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.uint64]:
        spans: NDArray[np.uint64] = (sums[ends] - sums[starts]) * _powers_to(_INVERSE, len(sums))[starts]
        return spans

    def shingles(self, size: int) -> NDArray[np.uint64]:
        """The number of each run of ``size`` words, by its first word; those over two chunks included."""
        ends = self.starts[size - 1 :] + self.lengths[size - 1 :]
        return self._spans(self.sums, self.starts[: len(ends)], ends)

    def inner(self) -> NDArray[np.uint64]:
        """The numbers of all words that are neither the first nor the last of their chunk."""
        import numpy as np

        keep = np.ones(len(self.numbers), bool)
        filled = self.offsets[:-1] < self.offsets[1:]
        keep[self.offsets[:-1][filled]] = False
        keep[self.offsets[1:][filled] - 1] = False
        return self.numbers[keep]
