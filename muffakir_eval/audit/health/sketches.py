"""Near duplicates: MinHash over runs of words, and a banded index of the sketches.

A sketch is :data:`SIZE` bytes: of each of as many hash functions, the last byte of the smallest value among the
chunk's runs of :data:`SHINGLE` words (b-bit MinHash, Li and König, *b-Bit Minwise Hashing*, WWW 2010). The share
of equal bytes estimates the Jaccard similarity J of two chunks with a standard error of
``sqrt(J (1 - J) / SIZE)``, 0.027 at J = 0.9. Chunks that agree in all bytes of one band of :data:`ROWS` are
compared: with J = 0.9 that finds 99.99 % of the pairs, with J = 0.5 it compares 6 %.

Windows that overlap by half share a third of their runs of words, and by four fifths two thirds: no near
duplicates. Those that overlap by more than 95 % are.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from muffakir_eval.audit.health.words import WordRow

__all__ = ["MIN_SHINGLES", "SHINGLE", "SIZE", "jaccard", "near_groups", "sketches"]

SIZE = 128
ROWS = 8
SHINGLE = 3
MIN_SHINGLES = 10
"""A chunk with fewer runs of words takes no part: one word more or less is too much of it."""

_BLOCK = 4096
_COMPARED_AT_ONCE = 1 << 16


@functools.cache
def _functions() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    import numpy as np

    generator = np.random.Generator(np.random.PCG64(20261130))
    factors = generator.integers(0, 1 << 31, (SIZE, 1), dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return factors, generator.integers(0, 1 << 32, (SIZE, 1), dtype=np.uint32)


def sketches(row: WordRow) -> NDArray[np.uint8]:
    """The sketch of each chunk; zeros where it has too few runs of words. Chunks × :data:`SIZE`."""
    import numpy as np

    from muffakir_eval.audit.health.words import mixed

    n_chunks = len(row.offsets) - 1
    found = np.zeros((n_chunks, SIZE), np.uint8)
    values = (mixed(row.shingles(SHINGLE)) >> np.uint64(32)).astype(np.uint32)
    bounds = row.offsets.tolist()
    for chunk in range(n_chunks):
        first, last = bounds[chunk], bounds[chunk + 1] - SHINGLE + 1
        if last - first >= MIN_SHINGLES:
            found[chunk] = _smallest(values[first:last])
    return found


def _smallest(values: NDArray[np.uint32]) -> NDArray[np.uint8]:
    import numpy as np

    factors, offsets = _functions()
    smallest = np.full(SIZE, 0xFFFFFFFF, np.uint32)
    for first in range(0, len(values), _BLOCK):
        hashed = factors * values[first : first + _BLOCK]
        hashed += offsets
        smallest = np.minimum(smallest, hashed.min(axis=1))
    return smallest.astype(np.uint8)


def jaccard(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Estimated similarity of sketches, row by row, without what agrees by chance: 1 byte in 256."""
    import numpy as np

    agreeing = np.mean(one == other, axis=-1)
    estimate: NDArray[np.float64] = np.clip((agreeing - 1 / 256) / (1 - 1 / 256), 0.0, 1.0)
    return estimate


def near_groups(sketched: NDArray[np.uint8], taking: NDArray[np.int64], threshold: float) -> NDArray[np.int64]:
    """Who is a near duplicate of whom.

    Within a band's bucket each chunk is compared with the first of them, and those unlike it among
    themselves in the same way. Groups are closed: what is near to a member belongs to the group.

    Args:
        sketched: Sketches, chunks × :data:`SIZE`.
        taking: The chunks that take part, ascending.
        threshold: Estimated Jaccard similarity from which two are near.

    Returns:
        For each chunk the first chunk of its group; itself where it takes no part.
    """
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(sketched)
    pairs = [edges for band in range(0, SIZE, ROWS) for edges in _edges(sketched, taking, band, threshold)]
    if not pairs:
        return np.arange(n)
    both = np.concatenate(pairs, axis=1)
    graph = coo_array((np.ones(both.shape[1], bool), (both[0], both[1])), shape=(n, n))
    _, labels = connected_components(graph, directed=False)
    _, firsts, group = np.unique(labels, return_index=True, return_inverse=True)
    result: NDArray[np.int64] = firsts[group]
    return result


def _edges(
    sketched: NDArray[np.uint8], taking: NDArray[np.int64], band: int, threshold: float
) -> list[NDArray[np.int64]]:
    """Pairs of near duplicates that agree in one band, 2 × pairs each."""
    import numpy as np

    keys = np.ascontiguousarray(sketched[:, band : band + ROWS]).view(np.uint64)[:, 0]
    rows = taking[np.argsort(keys[taking], kind="stable")]
    found = []
    while len(rows) > 1:
        starts = np.flatnonzero(np.concatenate([[True], keys[rows[1:]] != keys[rows[:-1]]]))
        sizes = np.diff(np.concatenate([starts, [len(rows)]]))
        leaders = np.repeat(rows[starts], sizes)
        others = rows != leaders
        leaders, rows = leaders[others], rows[others]
        near = _near(sketched, leaders, rows, threshold)
        found.append(np.stack([leaders[near], rows[near]]))
        rows = rows[~near]
    return found


def _near(
    sketched: NDArray[np.uint8], ones: NDArray[np.int64], others: NDArray[np.int64], threshold: float
) -> NDArray[np.bool_]:
    import numpy as np

    blocks = [slice(first, first + _COMPARED_AT_ONCE) for first in range(0, len(ones), _COMPARED_AT_ONCE)]
    parts = [jaccard(sketched[ones[block]], sketched[others[block]]) >= threshold for block in blocks]
    return np.concatenate([np.zeros(0, bool), *parts])
