"""When two words count as the same although they are spelled differently."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property, lru_cache

from rapidfuzz.distance import Indel

from muffakir_eval.matching.number_words import number_value

__all__ = ["Keys", "NearWords", "letters_of", "may_slip", "nearly_agree", "pair_by_keys", "pair_nearly", "words_near"]

Keys = Callable[[str], frozenset[str]]
"""A word to what it may be a form of: its lemmas, or itself without its clitics."""

_Shape = tuple[int, int]
"""Number of letters, and which, as bits; letters may share a bit."""

_MOST_SHAPES = 100_000

_MOST_PAIRS = 250_000
"""So many words of one text times words of the other are compared, and no more: 500 in either."""

_NEGATING = frozenset(
    [
        *("un", "in", "im", "il", "ir", "non", "dis", "des", "anti", "fe", "a", "an", "ne", "na", "nie", "epä"),
        *("لا", "نا", "بي", "غير", "ن", "ما"),
        *("не", "без", "бес", "анти", "α", "αν", "अ", "अन", "ना", "बे", "गैर", "불", "부", "비", "무", "미"),
    ]
)
"""What makes another word of a word by standing in front of it; ``fe`` for male and female."""

_SYLLABLE = re.compile("[\uac00-\ud7a3]+")
_ARTICLE = "ال"
_ROUNDING = 1e-6


@lru_cache(maxsize=65536)
def nearly_agree(one: str, other: str, similarity: float, min_letters: int) -> bool:
    """Whether two different words may be one word with a slip or another spelling.

    Both have ``min_letters`` letters (marks do not count; a Korean syllable is two or three) and no digit, and their
    normalised Indel similarity, 2 × (letters that they share in order) / (all letters), is at least ``similarity``.
    A word never agrees with its negation (``legal``, ``illegal``), nor one number word with another (``seventy``,
    ``seventh``).

    >>> nearly_agree("المدني", "المدنى", 0.8, 4), nearly_agree("2024", "2025", 0.5, 1)
    (True, False)
    >>> nearly_agree("الرابعه", "السابعه", 0.8, 4), nearly_agree("legal", "illegal", 0.8, 4)
    (False, False)
    """
    if not (may_slip(one, min_letters) and may_slip(other, min_letters)):
        return False
    least = similarity - _ROUNDING
    if Indel.normalized_similarity(letters_of(one), letters_of(other), score_cutoff=least) < least:
        return False
    return not _means_something_else(one, other)


@lru_cache(maxsize=65536)
def letters_of(word: str) -> str:
    """The word letter by letter: a syllable of Korean is two or three of them."""
    return _SYLLABLE.sub(lambda syllable: unicodedata.normalize("NFD", syllable[0]), word)


@lru_cache(maxsize=65536)
def may_slip(word: str, min_letters: int) -> bool:
    """Whether a word is one that may nearly agree with another: it has enough letters, and no digit."""
    return sum(map(str.isalpha, letters_of(word))) >= min_letters and not any(map(str.isdecimal, word))


class _Shapes(dict[str, _Shape | None]):
    """Word to its shape, made when it is asked for; ``None`` for a word that may not slip."""

    def __init__(self, min_letters: int) -> None:
        super().__init__()
        self._min_letters = min_letters

    def __missing__(self, word: str) -> _Shape | None:
        if len(self) >= _MOST_SHAPES:
            self.clear()
        shape = None
        if may_slip(word, self._min_letters):
            letters, bits = letters_of(word), 0
            for letter in letters:
                bits |= 1 << (ord(letter) & 63)
            shape = len(letters), bits
        self[word] = shape
        return shape


@lru_cache(maxsize=8)
def _shapes(min_letters: int) -> _Shapes:
    return _Shapes(min_letters)


class NearWords:
    """Which words of two texts nearly agree, or are the same and could slip, stretch by stretch.

    Args:
        ours: The words of one text.
        theirs: Those of the other one.
        similarity: As for :func:`nearly_agree`.
        min_letters: As there.

    >>> near = NearWords(["القانون", "المدنى"], ["المدني", "في", "القانوني"], 0.8, 4)
    >>> near(slice(0, 2), slice(0, 3)), near(slice(0, 2), slice(1, 3))
    ([(0, 2), (1, 0)], [(0, 2)])
    """

    def __init__(self, ours: Sequence[str], theirs: Sequence[str], similarity: float, min_letters: int) -> None:
        self._words = ours, theirs
        self._similarity, self._min_letters = similarity, min_letters

    @cached_property
    def _shapes(self) -> tuple[list[_Shape | None], list[_Shape | None]]:
        shape_of = _shapes(self._min_letters).__getitem__
        return list(map(shape_of, self._words[0])), list(map(shape_of, self._words[1]))

    def __call__(self, here: slice, there: slice) -> list[tuple[int, int]]:
        """The pairs of places in these stretches of the texts, in rising order."""
        ours, theirs = self._shapes
        left = [(place, *shape) for place, shape in enumerate(ours[here], here.start) if shape]
        if not left:
            return []
        right = [(place, *shape) for place, shape in enumerate(theirs[there], there.start) if shape]
        # Each letter that only one of two words has is a letter that they do not share.
        unshared = 1 - self._similarity + 2 * _ROUNDING
        maybe = [
            (one, other)
            for one, length, bits in left
            for other, size, others in right
            if (bits ^ others).bit_count() <= unshared * (length + size)
        ]
        return [(one, other) for one, other in maybe if self._agree(one, other)] if maybe else maybe

    def _agree(self, one: int, other: int) -> bool:
        return nearly_agree(self._words[0][one], self._words[1][other], self._similarity, self._min_letters)


def _means_something_else(one: str, other: str) -> bool:
    shorter, longer = (one, other) if len(one) < len(other) else (other, one)
    for article in ("", _ARTICLE):
        if shorter.startswith(article) and longer.startswith(article):
            before, rest = longer[len(article) : len(longer) - len(shorter) + len(article)], shorter[len(article) :]
            if before in _NEGATING and longer.endswith(rest):
                return True
    first = number_value(one)
    return first is not None and number_value(other) not in {None, first}


def pair_nearly(
    ours: Collection[str], theirs: Collection[str], similarity: float, min_letters: int
) -> list[tuple[str, str]]:
    """Words of one text with words of the other that nearly agree with them, each used once.

    The most similar ones are paired first, and of equally similar ones the first in the order of their code
    points. Where there are more than 250,000 pairs to compare, none is made.
    """
    near = _near_pairs(sorted(ours), sorted(theirs), similarity, min_letters) or []
    # The texts may be compared in either order: what decides between equals must not depend on it.
    near.sort(key=lambda pair: (pair[0], sorted(pair[1:])))
    return _one_to_one((one, other) for _, one, other in near)


def words_near(ours: Collection[str], theirs: Collection[str], similarity: float, min_letters: int) -> frozenset[str]:
    """The words of one text that nearly agree with any of the other; where these are too many to compare, all.

    >>> sorted(words_near(["المدنى", "العقد"], ["المدني", "القانون"], 0.8, 4))
    ['المدنى']
    """
    near = _near_pairs(ours, theirs, similarity, min_letters)
    return frozenset(ours) if near is None else frozenset([word for _, word, _ in near])


def _near_pairs(
    ours: Collection[str], theirs: Collection[str], similarity: float, min_letters: int
) -> list[tuple[float, str, str]] | None:
    """Words that nearly agree, the negative of their similarity before them; ``None`` where they are too many."""
    may = _shapes(min_letters).__getitem__
    left, right = list(filter(may, ours)), list(filter(may, theirs))
    if not left or not right:
        return []
    if len(left) * len(right) > _MOST_PAIRS:
        return None
    from rapidfuzz.process import cdist

    spelled = [[letters_of(word) for word in words] for words in (left, right)]
    found = cdist(*spelled, scorer=Indel.normalized_similarity, score_cutoff=similarity - _ROUNDING)
    return [
        (-float(found[row, column]), left[row], right[column])
        for row, column in zip(*(places.tolist() for places in found.nonzero()), strict=True)
        if nearly_agree(left[row], right[column], similarity, min_letters)
    ]


def pair_by_keys(ours: Collection[str], theirs: Collection[str], keys: Keys) -> list[tuple[str, str]]:
    """Words of one text with words of the other that share a key with them, each used once."""
    holders: dict[str, list[str]] = {}
    for word in theirs:
        for key in keys(word):
            holders.setdefault(key, []).append(word)
    found = {(word, other) for word in ours for key in keys(word) for other in holders.get(key, ())}
    return _one_to_one(sorted(found, key=lambda pair: (sorted(pair), pair)))


def _one_to_one(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    ours: set[str] = set()
    theirs: set[str] = set()
    made = []
    for one, other in pairs:
        if one not in ours and other not in theirs:
            ours.add(one)
            theirs.add(other)
            made.append((one, other))
    return made
