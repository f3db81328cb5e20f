"""When two words count as the same although they are spelled differently."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache

from rapidfuzz.distance import Indel

from muffakir_eval.matching.number_words import number_value

__all__ = ["Keys", "nearly_agree", "pair_by_keys", "pair_nearly"]

Keys = Callable[[str], frozenset[str]]
"""A word to what it may be a form of: its lemmas, or itself without its clitics."""

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
    if not (_may_slip(one, min_letters) and _may_slip(other, min_letters)):
        return False
    least = similarity - _ROUNDING
    if Indel.normalized_similarity(_letters(one), _letters(other), score_cutoff=least) < least:
        return False
    return not _means_something_else(one, other)


@lru_cache(maxsize=65536)
def _letters(word: str) -> str:
    """The word letter by letter: a syllable of Korean is two or three of them."""
    return _SYLLABLE.sub(lambda syllable: unicodedata.normalize("NFD", syllable[0]), word)


@lru_cache(maxsize=65536)
def _may_slip(word: str, min_letters: int) -> bool:
    return sum(map(str.isalpha, _letters(word))) >= min_letters and not any(map(str.isdecimal, word))


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
    left = sorted(word for word in ours if _may_slip(word, min_letters))
    right = sorted(word for word in theirs if _may_slip(word, min_letters))
    if not left or not right or len(left) * len(right) > _MOST_PAIRS:
        return []
    from rapidfuzz.process import cdist

    spelled = [[_letters(word) for word in words] for words in (left, right)]
    found = cdist(*spelled, scorer=Indel.normalized_similarity, score_cutoff=similarity - _ROUNDING)
    near = [
        (-float(found[row, column]), left[row], right[column])
        for row, column in zip(*(places.tolist() for places in found.nonzero()), strict=True)
        if nearly_agree(left[row], right[column], similarity, min_letters)
    ]
    # The texts may be compared in either order: what decides between equals must not depend on it.
    near.sort(key=lambda pair: (pair[0], sorted(pair[1:])))
    return _one_to_one((one, other) for _, one, other in near)


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
