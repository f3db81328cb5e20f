"""Labels that people gave, as numbers: ``4``, ``٤/٥``, ``true``, ``نعم``, ``incorrect``."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from typing import Any, SupportsFloat

from muffakir_eval.errors import ConfigError
from muffakir_eval.text.normalize import normalize_text

__all__ = ["Label", "label_words", "read_label"]

_RIGHT = """
    true yes y t correct right pass passed good accept accepted supported faithful grounded relevant نعم صح صحيح صحيحة
    صواب صائب صائبة أجل موافق مقبول مقبولة مدعوم مدعومة
"""
_WRONG = """
    false no n f incorrect wrong fail failed bad reject rejected unsupported unfaithful ungrounded irrelevant لا خطأ
    خاطئ خاطئة خطا غلط مرفوض مرفوضة
    not_correct غير_صحيح غير_صحيحة ليس_صحيحا ليست_صحيحة غير_مقبول غير_مقبولة غير_مدعوم غير_مدعومة
"""
_NOTHING = frozenset(
    {
        "",
        "-",
        "—",
        "–",
        "n/a",
        "#n/a",
        "n.a.",
        "na",
        "none",
        "null",
        "nan",
        "not applicable",
        "لا يوجد",
        "لا ينطبق",
        "?",
        "؟",
    }
)
_AROUND = " .!:,;،؛\"'()[]"
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
"""``1,000`` is a thousand to some and 1 to others."""
_NUMBER = re.compile(r"([+-]?\d+(?:[.,\u066b]\d+)?)(?:\s*/\s*(\d+))?")


Label = tuple[float, bool]
"""A number, and whether it stands for right or wrong in words: then it is on a scale from 0 to 1."""


def label_words(given: Mapping[Any, float | None] | None = None) -> dict[str, Label | None]:
    """Words to labels: what is known of itself, with the user's own laid over it; ``None`` is no label.

    Raises:
        ConfigError: The user's own are no numbers.
    """
    known: dict[str, Label | None] = {_folded(word.replace("_", " ")): (1.0, True) for word in _RIGHT.split()}
    known |= {_folded(word.replace("_", " ")): (0.0, True) for word in _WRONG.split()}
    if given is not None and not isinstance(given, Mapping):
        raise ConfigError(f"human_labels is {type(given).__name__}", expected="words to numbers, {'partly': 0.5}")
    for word, value in (given or {}).items():
        if value is not None and not _is_number(value):
            raise ConfigError(
                f"human_labels says that {word!r} is {value!r}",
                expected="a number, or None where it is no label",
            )
        known[_spelled(word)] = None if value is None else (float(value), False)
    return known


def read_label(cell: Any, words: Mapping[str, Label | None], *, highest: float = 5.0) -> Label | None:
    """The number that a label stands for; ``None`` for no label.

    Args:
        cell: As it stands in the dataset.
        words: From :func:`label_words`.
        highest: End of the scale: ``4/5`` is understood where it ends at 5.

    Raises:
        ValueError: It is no label that is known.

    >>> words = label_words()
    >>> [read_label(cell, words) for cell in (True, "٤", "4 / 5", "صحيحة", "No", "")]
    [(1.0, True), (4.0, False), (4.0, False), (1.0, True), (0.0, True), None]
    """
    if cell is None:
        return None
    if isinstance(cell, bool):
        return words.get(_folded(str(cell)), (float(cell), True))
    if isinstance(cell, SupportsFloat) and not isinstance(cell, str):
        return _number(float(cell), words)
    if not isinstance(cell, str):
        raise ValueError(f"{type(cell).__name__} is no label")
    text = unicodedata.normalize("NFKC", cell).strip()
    folded = _folded(text)
    if folded in words:
        return words[folded]
    if text.casefold() in _NOTHING or folded in _NOTHING:
        return None
    found = _NUMBER.fullmatch(text)
    if found is None or (found[2] is not None and float(found[2]) != highest) or _THOUSANDS.fullmatch(found[1]):
        raise ValueError("it is no label that is known")
    return _number(float(found[1].replace(",", ".").replace("\u066b", ".")), words)


def _number(value: float, words: Mapping[str, Label | None]) -> Label | None:
    if math.isnan(value):
        return None
    spelled = _spelled(value)
    if spelled in words:
        return words[spelled]
    if math.isinf(value):
        raise ValueError("it is no label that is known")
    return value, False


def _is_number(value: Any) -> bool:
    return isinstance(value, SupportsFloat) and not isinstance(value, str) and math.isfinite(float(value))


def _spelled(word: Any) -> str:
    """A word or a number in the form in which it is looked up: 1, 1.0 and "1" are the same."""
    number = isinstance(word, (int, float)) and not isinstance(word, bool)
    return _folded(f"{word:g}" if number else str(word))


def _folded(text: str) -> str:
    return " ".join(normalize_text(text).split()).strip(_AROUND)
