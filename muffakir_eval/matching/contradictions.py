"""Differences that turn a statement into another one: a number or code for another, a *not* that came or went."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache, lru_cache

from rapidfuzz.distance import Levenshtein

from muffakir_eval.matching.number_words import number_value
from muffakir_eval.text.normalize import normalize_text

__all__ = ["CONTRADICTION", "at_odds"]

CONTRADICTION = 6
"""So many places without counterpart a contradiction weighs more than another difference: it is decisive in a
sentence, and one slip among others on a page."""

_NEGATIONS = (
    "لا لم لن ليس ليست ليسوا لست لسنا غير عدم دون بدون بلا "  # Arabic
    "نه نیست نیستند نبود نمی نباید بدون هیچ "  # Persian
    "نہیں نہ مت بغیر "  # Urdu
    "not no never none nor neither without cannot "
    "不 没 沒 无 無 未 非 别 "
    "ne pas non sans sin nunca não sem senza nicht kein keine ohne nie bez değil tidak bukan tanpa không "
    "не ни без нет немає δεν μη μην χωρίς नहीं नही मत बिना לא אין בלי 안 못 "
)
_DIGIT = re.compile(r"\d")
_ATTACHED = ("و", "ف")


@lru_cache(maxsize=65536)
def _is_negation(word: str) -> bool:
    return normalize_text(word) in _negations()


@cache
def _negations() -> frozenset[str]:
    plain = [normalize_text(word) for word in _NEGATIONS.split()]
    return frozenset(plain + [before + word for before in _ATTACHED for word in plain if "\u0600" <= word <= "\u06ff"])


def at_odds(ours: Collection[str], theirs: Collection[str]) -> int:
    """How many of the words that stand in the same place of two texts contradict each other.

    Args:
        ours: Words of one text that are not in the other.
        theirs: Words of the other text in that place, none of which are in the first.

    Returns:
        The numbers on either side, in digits or in words, as many as both have, unless their digits are the same
        in all (``3.5`` and ``3 5``); the codes that differ in their digits alone (``C17`` and ``C18``); and the
        negations of one side that no word of the other is within one letter of.

    >>> at_odds(["100"], ["1000"]), at_odds(["لا"], []), at_odds(["لا"], ["لآ"]), at_odds(["1", "5"], ["1.5"])
    (1, 1, 0, 0)
    """
    left, right = _numbers(ours), _numbers(theirs)
    numbers = 0 if "".join(left) == "".join(right) else min(len(left), len(right))
    codes = len(_codes(ours) & _codes(theirs))
    return numbers + codes + _lost_negations(ours, theirs) + _lost_negations(theirs, ours)


def _numbers(words: Collection[str]) -> list[str]:
    return [digits for word in words if (digits := _digits(word))]


@lru_cache(maxsize=65536)
def _digits(word: str) -> str:
    """The digits of a number, empty where ``word`` is none."""
    digits = word.replace(".", "")
    if digits.isdecimal():
        return digits
    value = number_value(word)
    return "" if value is None else str(value)


def _codes(words: Collection[str]) -> set[str]:
    """The words of letters and digits, with one sign for each digit."""
    return {_DIGIT.sub("0", word) for word in words if not word.isalpha() and not _digits(word) and _DIGIT.search(word)}


def _lost_negations(ours: Collection[str], theirs: Collection[str]) -> int:
    return sum(
        1
        for word in ours
        if _is_negation(word) and not any(Levenshtein.distance(word, other, score_cutoff=1) <= 1 for other in theirs)
    )
