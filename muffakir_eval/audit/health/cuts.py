"""Which chunks begin or end inside a word, decided with the words of the whole corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from muffakir_eval.audit.health.borders import Border

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from muffakir_eval.audit.health.part import HealthPart

__all__ = ["Cuts", "cut_words"]

_ODDS = 30.0
"""How many times more often the two halves must be one word than they would be neighbours by chance."""
_SHARE_OF_CORPUS = 0.05
_SHARE_OF_SOURCE = 0.2
_FEWEST_IN_SOURCE = 2
_SHARE_OF_FULL_LENGTH = 0.5
_FEWEST_OF_FULL_LENGTH = 5
_SHORTEST_FULL = 60


@dataclass(frozen=True, slots=True)
class Cuts:
    """The verdict on each chunk.

    Attributes:
        begins: It begins inside a word.
        ends: It ends inside a word.
        certain: How many borders are cut beyond doubt: an overlap or a mark shows it.
        inferred: How many are cut by the words of the corpus.
        judged: How many borders could be judged by either.
    """

    begins: NDArray[np.bool_]
    ends: NDArray[np.bool_]
    certain: int
    inferred: int
    judged: int


def cut_words(part: HealthPart) -> Cuts:
    """Decide for all borders.

    A border of touching chunks is cut if the two words together occur inside a chunk (first and last words of
    chunks do not count: they may be pieces themselves) :data:`_ODDS` times more often than chance would put the
    two side by side. By itself that may be a coincidence (``ما`` and ``زال``), so it counts only where a splitter
    is at work: in a twentieth of all such borders, or a fifth of those of one source. Once it is, the length of
    the chunks, of all or of those of a source, may show that it counts characters, and then words count that occur
    nowhere else.
    """
    import numpy as np

    flags = part.borders.numpy().astype(np.int64)
    begins = ((flags & Border.BEGINS_INSIDE_WORD) > 0) | (part.marks.numpy() > 0)
    ends = np.zeros(len(flags), bool)
    ends[:-1] = (flags[1:] & Border.ENDS_INSIDE_WORD) > 0
    certain = int(np.count_nonzero(begins)) + int(np.count_nonzero(ends))
    touching = np.flatnonzero(flags & Border.TOUCHING_LETTERS)
    overlapping = int(np.count_nonzero(flags & Border.OVERLAP))
    cut = touching[_splits(part, touching)]
    begins[cut] = True
    ends[cut - 1] = True
    return Cuts(begins, ends, certain, len(cut), len(touching) + overlapping)


def _splits(part: HealthPart, touching: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the touching borders are taken to be cuts."""
    import numpy as np

    from muffakir_eval.audit.health.words import joined

    last = part.last_word.numpy()[touching - 1]
    first = part.first_word.numpy()[touching]
    whole = joined(last, part.last_length.numpy()[touching - 1], first)
    words, counts = part.vocabulary.table()
    total = float(counts.sum())
    together = _count(words, counts, whole)
    alone = _count(words, counts, last) * _count(words, counts, first)
    cut: NDArray[np.bool_] = (together * total > _ODDS * alone) & (together > 0)
    if not np.any(cut):
        return cut
    if np.mean(cut) >= _SHARE_OF_CORPUS:
        cut |= _at_full_length(part, touching)
    else:
        sources = part.source.numpy()[touching]
        all_of = np.bincount(sources)
        cut_of = np.bincount(sources[cut], minlength=len(all_of))
        cut &= ((cut_of >= _FEWEST_IN_SOURCE) & (cut_of >= _SHARE_OF_SOURCE * all_of))[sources]
    return cut | _in_even_sources(part, touching) if np.any(cut) else cut


def _in_even_sources(part: HealthPart, touching: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Borders between two chunks of the full length of their source, which most of its chunks have, and a few at least.

    No other splitter makes them so; what was stripped of a space is shorter.
    """
    import numpy as np

    sources, lengths = part.source.numpy(), part.characters.numpy()
    full = np.zeros(len(part.sources), np.int64)
    np.maximum.at(full, sources, lengths)
    is_full = lengths == full[sources]
    full_of = np.bincount(sources[is_full], minlength=len(full))
    all_of = np.bincount(sources, minlength=len(full))
    is_even = (full_of >= _FEWEST_IN_SOURCE + 1) & (full_of > _SHARE_OF_FULL_LENGTH * all_of) & (full >= _SHORTEST_FULL)
    is_cut: NDArray[np.bool_] = is_full[touching - 1] & is_full[touching] & is_even[sources[touching]]
    return is_cut


def _at_full_length(part: HealthPart, touching: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Borders of a splitter that counts characters: most of the chunks before them have one and the same length.

    Where it strips no spaces, letters on both sides are a cut; where it does, only between two chunks of full
    length, which lost none.
    """
    import numpy as np

    lengths = part.characters.numpy()
    before, after = lengths[touching - 1], lengths[touching]
    sizes, counts = np.unique(before, return_counts=True)
    full = sizes[counts.argmax()]
    if counts.max() < _SHARE_OF_FULL_LENGTH * len(touching) or counts.max() < _FEWEST_OF_FULL_LENGTH:
        return np.zeros(len(touching), bool)
    is_cut: NDArray[np.bool_] = (before == full) & ((after == full) | (part.totals["spaces_at_ends"] > 0))
    return is_cut


def _count(words: NDArray[np.uint32], counts: NDArray[np.int64], wanted: NDArray[np.uint64]) -> NDArray[np.float64]:
    import numpy as np

    from muffakir_eval.audit.health.vocabulary import word_keys

    keys = word_keys(wanted)
    places = np.searchsorted(words, keys)
    places[places == len(words)] = 0
    if not len(words):
        return np.zeros(len(keys))
    return np.where(words[places] == keys, counts[places], 0).astype(np.float64)
