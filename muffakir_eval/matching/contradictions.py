"""Differences that turn a statement into another one: a number or code for another, a *not* that came or went."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from muffakir_eval.matching.agreement import letters_of
from muffakir_eval.matching.number_words import amount, number_value, roman_value
from muffakir_eval.text.normalize import normalize_text

__all__ = ["CONTRADICTION", "at_odds"]

CONTRADICTION = 6
"""So many places without counterpart a contradiction weighs more than another difference: it is decisive in a
sentence, and one slip among others on a page."""

_NEGATIONS = (
    "لا لم لن ليس ليست ليسوا لست لسنا غير عدم دون بدون بلا مش "  # Arabic
    "نه نیست نیستند نبود نمی نباید بدون هیچ "  # Persian
    "نہیں نہ مت بغیر "  # Urdu
    "not no never none nor neither without cannot "
    "t "  # what is left of "don't"
    "不 没 沒 无 無 未 非 别 "
    "ne pas non jamais aucun aucune sans sin nunca ningún ninguno ninguna não sem senza nicht kein keine keinen "
    "keinem keiner ohne nie niet geen inte ikke bez nem değil tidak bukan tanpa không "
    "не ни без нет немає δεν μη μην χωρίς नहीं नही मत बिना না নেই לא אין בלי 안 못 "
)
_STEMS = ("않", "없", "아니", "못하")
"""Korean words that begin so deny."""
_SIGNS = ("ない", "なかった", "ません", "ไม่", "มิได้", "ບໍ່", "មិន", "ពុំ")
"""What denies in scripts without spaces, of several characters."""
_FIRST_SPACELESS = "\u0e00"
_DIGIT = re.compile(r"\d")
_ATTACHED = ("و", "ف")
_MOST_SAID = 12
"""A number of more words than these is none."""


class _Number(NamedTuple):
    """A number in digits or words.

    Attributes:
        digits: Its digits as they stand.
        plain: The same without zeros that change nothing.
        value: Its value.
        said: It stands in words.
        ideograph: It is a character of Chinese or Japanese.
    """

    digits: str
    plain: str
    value: Decimal
    said: bool = False
    ideograph: bool = False


@lru_cache(maxsize=65536)
def _is_negation(word: str) -> bool:
    plain = normalize_text(word)
    return plain in _negations() or plain.startswith(_STEMS)


@cache
def _negations() -> frozenset[str]:
    plain = [normalize_text(word) for word in _NEGATIONS.split()]
    return frozenset(plain + [before + word for before in _ATTACHED for word in plain if "\u0600" <= word <= "\u06ff"])


@cache
def _signs() -> tuple[str, ...]:
    return tuple(map(normalize_text, _SIGNS))


def at_odds(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """How many of the words that stand in the same place of two texts contradict each other.

    Args:
        ours: Words of one text that are not in the other, in order.
        theirs: Words of the other text in that place, in order; none of them are in the first.

    Returns:
        The numbers on either side, in digits or in words, that are not on the other, as many as both have, unless
        they are the same in all (``3.5`` and ``3 5``, ``25`` and ``twenty five``); the codes that differ in their
        digits alone (``C17`` and ``C18``); and by how many negations one side has more, of those that no word of the
        other is within one letter of.

    >>> at_odds(["100"], ["1000"]), at_odds(["لا"], []), at_odds(["لا"], ["لآ"]), at_odds(["1", "5"], ["1.5"])
    (1, 1, 0, 0)
    >>> at_odds(["خمسة", "وعشرون"], ["25"]), at_odds(["05", "3"], ["5", "03"]), at_odds(["do", "not"], ["don", "t"])
    (0, 0, 0)
    """
    return _other_numbers(ours, theirs) + len(_codes(ours) & _codes(theirs)) + _lost_negations(ours, theirs)


def _other_numbers(ours: Sequence[str], theirs: Sequence[str]) -> int:
    left, right = _numbers(ours), _numbers(theirs)
    if not (left and right):
        if left:
            right = _roman_letters(theirs) if _any_roman(ours) else []
        elif right:
            left = _roman_letters(ours) if _any_roman(theirs) else []
        return min(len(left), len(right))
    if _digits(left) == _digits(right):
        return 0
    both = Counter(number.plain for number in left) & Counter(number.plain for number in right)
    left, right = _without(left, both), _without(right, both)
    if _plain(left) == _plain(right) or _said_alike(left, right):
        return 0
    return min(len(left), len(right))


def _numbers(words: Iterable[str]) -> list[_Number]:
    return [number for word in words if (number := _number(word))]


@lru_cache(maxsize=65536)
def _number(word: str) -> _Number | None:
    digits = word.replace(".", "")
    if digits.isdecimal():
        whole, _, fraction = word.partition(".")
        whole, fraction = whole.lstrip("0"), fraction if "." in fraction else fraction.rstrip("0")
        if fraction:
            whole = whole or "0"
        return _Number(digits, (whole + fraction).replace(".", "") or "0", _decimal(word))
    value = number_value(word)
    if value is None:
        return None
    return _Number(str(value), str(value), Decimal(value), said=True, ideograph=len(word) == 1 and word > "\u2e80")


def _decimal(word: str) -> Decimal:
    whole, *rest = word.split(".")
    return Decimal(f"{whole or 0}.{''.join(rest)}") if len(rest) == 1 else Decimal(whole + "".join(rest))


def _any_roman(words: Iterable[str]) -> bool:
    return any(len(word) > 1 and roman_value(word) for word in words)


def _roman_letters(words: Iterable[str]) -> list[_Number]:
    """Single letters that are Roman numbers, where the other text has one of several letters."""
    return [_Number(str(value), str(value), Decimal(value)) for word in words if (value := roman_value(word))]


def _digits(numbers: list[_Number]) -> str:
    return "".join([number.digits for number in numbers])


def _plain(numbers: list[_Number]) -> str:
    return "".join([number.plain for number in numbers])


def _without(numbers: list[_Number], both: Counter[str]) -> list[_Number]:
    """Those that are not among what both texts have."""
    left, kept = both.copy(), []
    for number in numbers:
        if left[number.plain] > 0:
            left[number.plain] -= 1
        else:
            kept.append(number)
    return kept


def _said_alike(left: list[_Number], right: list[_Number]) -> bool:
    """Whether both make the same amount, and words are among them."""
    if len(left) + len(right) > _MOST_SAID or not any(number.said for number in [*left, *right]):
        return False
    one, other = (amount([(number.value, number.ideograph) for number in side]) for side in (left, right))
    return one == other


def _codes(words: Iterable[str]) -> set[str]:
    """The words of letters and digits, with one sign for each digit."""
    return {_DIGIT.sub("0", word) for word in words if not word.isalpha() and not _number(word) and _DIGIT.search(word)}


def _lost_negations(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """By how many negations one side has more."""
    lost = abs(_lost_words(ours, theirs) - _lost_words(theirs, ours))
    lost += abs(_lost_signs(ours, theirs) - _lost_signs(theirs, ours))
    return lost if lost and "".join(ours) != "".join(theirs) else 0


def _lost_words(ours: Sequence[str], theirs: Sequence[str]) -> int:
    return sum(1 for word in ours if _is_negation(word) and not any(_may_be_a_slip(word, other) for other in theirs))


def _may_be_a_slip(one: str, other: str) -> bool:
    return Levenshtein.distance(letters_of(one), letters_of(other), score_cutoff=1) <= 1


def _lost_signs(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """Negations that are written in several characters, each a word by itself, and that the other text lacks."""
    if not any(len(word) == 1 and word >= _FIRST_SPACELESS for word in ours):
        return 0
    here, there = "".join(ours), "".join(theirs)
    return sum(1 for sign in _signs() if sign in here and sign not in there)
