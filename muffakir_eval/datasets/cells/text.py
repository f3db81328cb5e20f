"""Single values: text, numbers, truth values, and what goes into the metadata."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from typing import Any

from muffakir_eval.datasets.cells.strict_json import SpelledFloat
from muffakir_eval.records.codec import json_value
from muffakir_eval.text.identifiers import clean_id, is_missing

__all__ = [
    "PYTHON_TRUTH",
    "SPECIAL",
    "CellError",
    "as_list",
    "is_plain",
    "iso_text",
    "metadata_value",
    "shown",
    "to_bool",
    "to_id",
    "to_number",
    "to_text",
]

TRUE_WORDS = frozenset({"true", "yes", "1", "نعم"})
FALSE_WORDS = frozenset({"false", "no", "0", "لا"})
PYTHON_TRUTH = ("True", "False")
"""How values in memory spell true and false."""
SPECIAL = frozenset({"", "[", "{", " ", "\t", "\r", "\n"})
"""First characters of a text that may be less or more than a plain text."""
_SCALARS = frozenset({str, int, bool, float, type(None), dict, bytes})
_MIDNIGHT = datetime.time()
_EXACT_WHOLE = 1e16
"""Beyond this a float is written with its exponent, as its digits are no longer exact."""


class CellError(ValueError):
    """A cell that cannot be what its column says; row and column are added by whoever reads the row.

    Args:
        found: What was found.
        expected: What was expected instead.
        remedy: What the user can do.
    """

    def __init__(self, found: str, *, expected: str | None = None, remedy: str | None = None) -> None:
        super().__init__(found)
        self.found = found
        self.expected = expected
        self.remedy = remedy


def is_plain(value: Any) -> bool:
    """``value`` is a text that is neither blank nor can be a list or an object: what most cells hold.

    >>> is_plain("الرياض"), is_plain("[1] الرياض"), is_plain(" "), is_plain(7)
    (True, False, False, False)
    """
    return type(value) is str and value[:1] not in SPECIAL and not value.isspace()


def shown(value: object, length: int = 60) -> str:
    """``value`` for a message, cut to ``length`` characters.

    >>> shown(["a", "b"])
    "['a', 'b']"
    """
    try:
        text = repr(value)
    except RecursionError:
        text = f"{type(value).__name__}, nested too deeply to show"
    return text if len(text) <= length else f"{text[:length]}…"


def as_list(value: Any) -> list[Any] | None:
    """The items of a list, tuple, set, array or series; ``None`` for everything else."""
    if type(value) in _SCALARS:
        return None
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if isinstance(value, (str, bytes, Mapping)):
        return None
    tolist = getattr(value, "tolist", None)
    if callable(tolist) and getattr(value, "ndim", 0) != 0:
        items = tolist()
        return items if isinstance(items, list) else None
    return None


def iso_text(value: datetime.date | datetime.time | datetime.timedelta) -> str:
    """A date or time as ISO 8601; midnight, as spreadsheets store plain dates, is left out.

    >>> iso_text(datetime.datetime(2024, 1, 5)), iso_text(datetime.datetime(2024, 1, 5, 9, 30))
    ('2024-01-05', '2024-01-05T09:30:00')
    """
    if isinstance(value, datetime.datetime):
        if value.time() == _MIDNIGHT and value.tzinfo is None:
            return value.date().isoformat()
        return value.isoformat()
    return str(value) if isinstance(value, datetime.timedelta) else value.isoformat()


def to_text(value: Any, truth: tuple[str, str] = PYTHON_TRUTH) -> str | None:
    """The text of a cell, verbatim; ``None`` for a missing one.

    Args:
        value: As the file holds it.
        truth: How the file spells true and false.

    Raises:
        CellError: The cell holds a list, an object or bytes.

    >>> to_text("1e5"), to_text(7.0), to_text(True, ("TRUE", "FALSE")), to_text(" ")
    ('1e5', '7', 'TRUE', None)
    """
    if isinstance(value, str):
        return None if not value or value.isspace() else str(value)
    if isinstance(value, bool):
        return truth[0] if value else truth[1]
    if isinstance(value, SpelledFloat):
        return value.spelling
    if is_missing(value):
        return None
    if isinstance(value, float):
        whole = value.is_integer() and abs(value) < _EXACT_WHOLE
        return str(int(value)) if whole else repr(float(value))
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return iso_text(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise CellError("the cell holds bytes", expected="text", remedy="decode it first")
    if as_list(value) is not None or isinstance(value, Mapping):
        kind = "an object" if isinstance(value, Mapping) else "a list"
        raise CellError(f"the cell holds {kind}, {shown(value)}", expected="one text")
    return _other_text(value, truth)


def _other_text(value: Any, truth: tuple[str, str]) -> str | None:
    item = getattr(value, "item", None)  # numpy scalars
    if callable(item) and getattr(value, "ndim", None) == 0:
        return to_text(item(), truth)
    has_text = isinstance(value, int) or "__str__" in {name for kind in type(value).__mro__[:-1] for name in vars(kind)}
    if not has_text:  # only the name of a type and an address
        raise CellError(f"the cell holds an object of the type {type(value).__name__}", expected="one text")
    return str(value)


def to_id(value: Any) -> str | None:
    """The identifier in a cell; a number of a JSON file is taken as it is spelled there.

    >>> to_id(SpelledFloat("1.10")), to_id(SpelledFloat("7.0")), to_id(1.10), to_id(" 007 ")
    ('1.10', '7', '1.1', '007')
    """
    if isinstance(value, SpelledFloat) and "e" not in value.spelling.lower():
        return clean_id(value.spelling)
    return clean_id(value)


def to_bool(value: Any) -> bool | None:
    """Whether a cell says yes; ``None`` for a missing one.

    Raises:
        CellError: It says neither yes nor no.

    >>> to_bool("نعم"), to_bool("FALSE"), to_bool(1.0), to_bool(None)
    (True, False, True, None)
    """
    if isinstance(value, bool):
        return value
    text = to_text(value)
    if text is None:
        return None
    word = (str(int(value)) if isinstance(value, float) and value.is_integer() else text).strip().casefold()
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise CellError(
        f"the cell says {shown(text)}",
        expected="true or false, yes or no, 1 or 0, نعم or لا",
        remedy="correct the cell",
    )


def to_number(value: Any) -> float | None:
    """The number in a cell; ``None`` for a missing one.

    Raises:
        CellError: It is no finite number.
    """
    if isinstance(value, bool):
        raise CellError(f"the cell says {value}", expected="a number")
    text = to_text(value)
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in text:
        raise CellError(f"the cell says {shown(text)}", expected="a number", remedy="correct the cell, or empty it")
    return number


def metadata_value(value: Any) -> Any:
    """``value`` as it is kept in the metadata: raw where JSON can hold it, a missing one as ``None``."""
    if value is None or type(value) in {str, int, bool}:
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): metadata_value(item) for key, item in value.items()}
    items = as_list(value)
    if items is not None:
        return [metadata_value(item) for item in items]
    if is_missing(value) and not isinstance(value, str):
        return None
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return iso_text(value)
    return json_value(value)
