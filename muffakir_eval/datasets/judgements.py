"""Relevance judgements in memory, and how a grade is written.

Judgements are ``{query: {document: grade}}``: a grade above 0 says that the document is relevant, 0 or less
that it was looked at and is not.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping
from typing import Any

from muffakir_eval.datasets.cells.text import shown
from muffakir_eval.errors import DatasetError

__all__ = [
    "Judgements",
    "checked_grade",
    "checked_judgements",
    "checked_score",
    "checked_text",
    "checked_texts",
    "parse_grade",
    "spell_grade",
]

Judgements = dict[str, dict[str, float]]

_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_WHOLE = re.compile(r"[-+]?\d+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_EXACT = 2**53
_HIGHEST = int(sys.float_info.max)


def parse_grade(text: str) -> float:
    """The grade that ``text`` spells, in digits of any script: a whole number where it is written as one.

    Raises:
        ValueError: It is no finite number.

    >>> parse_grade("2"), parse_grade("0.5"), parse_grade("-1"), parse_grade("\u0663")
    (2, 0.5, -1, 3)
    """
    if not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        raise ValueError(f"{text!r} is no finite number")
    return int(text) if _WHOLE.fullmatch(text) else float(text)


def spell_grade(grade: float) -> str:
    """``grade`` so that it is read back equal, whole numbers without a fraction, as other tools want them.

    >>> spell_grade(2.0), spell_grade(0.1)
    ('2', '0.1')
    """
    if isinstance(grade, int) or (grade.is_integer() and abs(grade) < _EXACT):
        return str(int(grade))
    return repr(float(grade))


def checked_grade(value: Any, where: str) -> float:
    """``value`` as a number, numpy's included.

    Raises:
        DatasetError: It is no finite number.
    """
    number = _number(value)
    if number is None or not math.isfinite(number):
        raise DatasetError(f"the grade is {_told(value)}", where=where, expected="a finite number")
    return number


def checked_score(value: Any, where: str) -> float:
    """``value`` as the score of a document, which may be infinite: it is kept, and never decides the order.

    Raises:
        DatasetError: It is no number.
    """
    number = _number(value)
    if number is None or math.isnan(number):
        raise DatasetError(f"the score is {_told(value)}", where=where, expected="a number")
    return float(number)


def _number(value: Any) -> float | None:
    """``value``, numpy's included, where a ``float`` can hold it."""
    item = getattr(value, "item", None)
    number = item() if callable(item) and getattr(value, "ndim", None) == 0 else value
    if not isinstance(number, (int, float)) or (isinstance(number, int) and abs(number) > _HIGHEST):
        return None
    return int(number) if isinstance(number, bool) else number


def _told(value: Any) -> str:
    # Python refuses to write out the longest whole numbers.
    return "a whole number of more than 308 digits" if isinstance(value, int) else shown(value)


def checked_text(value: Any, what: str, where: str) -> str:
    """``value``, once it is sure that it is a text that a file can hold.

    Raises:
        DatasetError: It is no text, or holds half a character.
    """
    if not isinstance(value, str):
        number = isinstance(value, (int, float))
        raise DatasetError(
            f"{what} is {value!r}, of the type {type(value).__name__}",
            where=where,
            expected="a text",
            remedy=f"write {str(value)!r}: identifiers are text from start to end" if number else "turn it into a text",
        )
    found = _SURROGATE.search(value)
    if found is not None:
        raise DatasetError(
            f"{what} holds the lone surrogate U+{ord(found[0]):04X} at position {found.start()}: half of a character "
            "that was cut in two, which UTF-8 cannot hold",
            where=where,
            expected="whole characters",
            remedy="take it out, or mend the text where it was cut",
        )
    return value


def checked_texts(texts: Any, what: str) -> None:
    """See that a file can hold ``texts``.

    Raises:
        DatasetError: It cannot.
    """
    if not isinstance(texts, Mapping):
        raise DatasetError(f"{what} is of the type {type(texts).__name__}", where=what, expected="{id: text}")
    for identifier, text in texts.items():
        checked_text(identifier, "the identifier", what)
        checked_text(text, "the text", f"{what}, id {identifier!a}")


def checked_judgements(qrels: Any, where: str = "qrels") -> Judgements:
    """``qrels`` with plain numbers, once it is sure that a file can hold them.

    Raises:
        DatasetError: It is no mapping of mappings, an identifier is no text, a grade is no number, or a query
            has no judgement at all, which no line of a file can say.
    """
    if not isinstance(qrels, Mapping):
        raise DatasetError(
            f"qrels is of the type {type(qrels).__name__}", where=where, expected="{query id: {document id: grade}}"
        )
    checked: Judgements = {}
    for query, judged in qrels.items():
        place = f"{where}, query {query!a}"
        checked_text(query, "the query id", where)
        if not isinstance(judged, Mapping):
            raise DatasetError(
                f"the judgements are of the type {type(judged).__name__}",
                where=place,
                expected="{document id: grade}",
                remedy="give every relevant document the grade 1" if isinstance(judged, (list, set, tuple)) else None,
            )
        if not judged:
            raise DatasetError(
                "the query has no judgement, and a file has one line for each judgement: the query would be lost",
                where=place,
                expected="at least one document with its grade, 0 where it is not relevant",
                remedy="leave the query out of qrels; its text may stay among the queries",
            )
        checked[query] = {
            checked_text(document, "the document id", place): checked_grade(grade, f"{place}, document {document!a}")
            for document, grade in judged.items()
        }
    return checked
