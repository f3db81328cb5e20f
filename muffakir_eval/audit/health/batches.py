"""What is counted in the characters of a batch of chunks, for all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from muffakir_eval.audit.health.characters import ARABIC, LETTERS, Kind, kind_counts, kinds_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Batch"]

_ALEF, _LAM = 0x0627, 0x0644
_IN_WORDS = (*ARABIC, Kind.VOWELS, Kind.ARABIC_MARKS, Kind.TATWEEL, Kind.COMBINING)
_DIGITS = (Kind.DIGITS, Kind.ARABIC_DIGITS, Kind.PERSIAN_DIGITS)


@dataclass(frozen=True, slots=True)
class Batch:
    """Counts of a batch, one entry per chunk.

    Attributes:
        kinds: Characters of each :class:`~muffakir_eval.audit.health.characters.Kind`, chunks × kinds.
        arabic: Letters of the Arabic script.
        letters: Letters of any script.
        teh_first: Words of several letters that begin with ``ة``.
        singles: Arabic words of one letter.
        longest: Letters of the longest Arabic word.
        articles: Words that begin with ``ال``.
        articles_last: Words that end in ``لا``.
        years: Numbers of four digits that are years.
        years_backwards: Numbers of four digits that are years only when read from the other end.
    """

    kinds: NDArray[np.int64]
    arabic: NDArray[np.int64]
    letters: NDArray[np.int64]
    teh_first: NDArray[np.int64]
    singles: NDArray[np.int64]
    longest: NDArray[np.int64]
    articles: NDArray[np.int64]
    articles_last: NDArray[np.int64]
    years: NDArray[np.int64]
    years_backwards: NDArray[np.int64]

    def of(self, *kinds: Kind) -> NDArray[np.int64]:
        """Characters of some kinds."""
        if len(kinds) == 1:
            return self.kinds[:, kinds[0]]
        total: NDArray[np.int64] = self.kinds[:, list(kinds)].sum(axis=1)
        return total

    @classmethod
    def count(cls, texts: Sequence[str]) -> Batch:
        """Count in ``texts``."""
        import numpy as np

        n = len(texts)
        codes = np.frombuffer("".join([text + "\n" for text in texts]).encode("utf-32-le", "surrogatepass"), np.uint32)
        owners = np.repeat(np.arange(n), [len(text) + 1 for text in texts])
        kinds = kinds_of(codes)
        counts = kind_counts(kinds, owners, n)
        counts[:, Kind.NEWLINE] -= 1
        return cls(
            counts,
            counts[:, list(ARABIC)].sum(axis=1),
            counts[:, list(LETTERS)].sum(axis=1),
            *_words(codes, kinds, owners, n),
            *_years(codes, kinds, owners, n),
        )


def _runs(inside: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last place of each run; the row ends outside one."""
    import numpy as np

    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    if inside[0]:
        edges = np.concatenate([[0], edges])
    return edges[::2], edges[1::2] - 1


def _members(kinds: tuple[Kind, ...]) -> NDArray[np.bool_]:
    import numpy as np

    table = np.zeros(256, bool)
    table[list(kinds)] = True
    return table


def _words(
    codes: NDArray[np.uint32], kinds: NDArray[np.uint8], owners: NDArray[np.int64], n: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    import numpy as np

    starts, ends = _runs(_members(_IN_WORDS)[kinds])
    if not len(starts):
        none = np.zeros(n, np.int64)
        return none, none, none, none, none
    sums = np.concatenate([[0], np.cumsum(_members(ARABIC)[kinds])])
    sizes = sums[ends + 1] - sums[starts]
    of = owners[starts]

    def per_chunk(which: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(of[which], minlength=n)

    longest = np.zeros(n, np.int64)
    np.maximum.at(longest, of[sizes > 20], sizes[sizes > 20])
    first, last = kinds[starts], codes[ends]
    teh = ((first == Kind.TEH_MARBUTA) | (first == Kind.FORMS_TEH_MARBUTA)) & (sizes > 1)
    articles = (codes[starts] == _ALEF) & (codes[np.minimum(starts + 1, ends)] == _LAM) & (sizes > 3)
    articles_last = (last == _ALEF) & (codes[np.maximum(ends - 1, starts)] == _LAM) & (sizes > 4)
    return per_chunk(teh), per_chunk(sizes == 1), longest, per_chunk(articles), per_chunk(articles_last)


def _years(
    codes: NDArray[np.uint32], kinds: NDArray[np.uint8], owners: NDArray[np.int64], n: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    import numpy as np

    starts, ends = _runs(_members(_DIGITS)[kinds])
    starts = starts[ends - starts == 3]
    digits = [(codes[starts + place] & np.uint32(15)).astype(np.int64) for place in range(4)]
    value = digits[0] * 1000 + digits[1] * 100 + digits[2] * 10 + digits[3]
    backwards = digits[3] * 1000 + digits[2] * 100 + digits[1] * 10 + digits[0]
    is_year = (value >= 1000) & (value < 2100)
    was_year = ~is_year & (backwards >= 1900) & (backwards < 2030)
    of = owners[starts]
    return np.bincount(of[is_year], minlength=n), np.bincount(of[was_year], minlength=n)
