"""Words that stand for numbers: two of them that differ are two numbers, however alike they look.

*The fourth* and *the seventh* article differ by one letter in Arabic (الرابعة, السابعة), seventeen and
seventy by two in English, *sesenta* and *setenta* by one in Spanish.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cache

from muffakir_eval.matching.number_tables import ARABIC, IDEOGRAPHS, OTHERS
from muffakir_eval.text.normalize import normalize_text

__all__ = ["amount", "number_value", "roman_value"]

_BEFORE = re.compile("[وف]?(?:[بك]?ال|لل|[بكل])?")
"""Particles and the article that Arabic writes in front of a word."""
_MOST_BEFORE = 4
_ROMAN = re.compile("(x{0,3})(ix|iv|v?i{0,3})")
_ROMAN_VALUE = {"ix": 9, "iv": 4}


def _by_word(*tables: dict[int, str]) -> dict[str, int]:
    return {normalize_text(word): value for table in tables for value, words in table.items() for word in words.split()}


@cache
def _arabic() -> dict[str, int]:
    return _by_word(ARABIC)


@cache
def _values() -> dict[str, int]:
    ideographs = {value: " ".join(signs) for value, signs in IDEOGRAPHS.items()}
    return _by_word(*OTHERS, ideographs) | _arabic()


def number_value(word: str) -> int | None:
    """The number that ``word`` stands for, ``None`` where it is not known to stand for any.

    A Roman number needs two letters; see :func:`roman_value`.

    >>> number_value("والسابعة"), number_value("seventieth"), number_value("xviii"), number_value("كتاب")
    (7, 70, 18, None)
    """
    values, plain = _values(), normalize_text(word)
    if plain in values:
        return values[plain]
    for length in range(min(_MOST_BEFORE, len(plain) - 1), 0, -1):
        value = _arabic().get(plain[length:])
        if value is not None and _BEFORE.fullmatch(plain, 0, length):
            return value
    return roman_value(plain) if len(plain) > 1 else None


def roman_value(word: str) -> int | None:
    """The value of a Roman number of the letters i, v and x, ``None`` for any other word.

    >>> roman_value("xiv"), roman_value("v"), roman_value("vix")
    (14, 5, None)
    """
    found = _ROMAN.fullmatch(word)
    if not found or not word:
        return None
    tens, ones = found.groups()
    return 10 * len(tens) + _ROMAN_VALUE.get(ones, 5 * ones.count("v") + ones.count("i"))


def amount(numbers: Sequence[tuple[Decimal, bool]]) -> Decimal:
    """What several numbers in a row make together, as one says them.

    Args:
        numbers: Each with whether it is a character of Chinese or Japanese: there two and ten are twenty.

    >>> [amount([(Decimal(value), False) for value in values]) for values in ((5, 20), (3, 100, 5), (2, 1000, 20))]
    [Decimal('25'), Decimal('305'), Decimal('2020')]
    >>> amount([(Decimal(2), True), (Decimal(10), True), (Decimal(5), True)])
    Decimal('25')
    """
    total = hundreds = rest = Decimal(0)
    for value, ideograph in numbers:
        if value >= 1000 and value == 10 ** value.adjusted():
            counted = hundreds + rest
            total = (total + counted or 1) * value if value > total else total + (counted or 1) * value
            hundreds = rest = Decimal(0)
        elif value == 100 or (value == 10 and ideograph):
            hundreds += (rest or 1) * value
            rest = Decimal(0)
        else:
            rest += value
    return total + hundreds + rest
