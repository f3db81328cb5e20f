"""JSON read without losing anything: duplicate keys are an error, numbers keep their spelling.

``NaN`` and infinities are no JSON, yet occur in real files: they read as missing and are reported.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

__all__ = ["DuplicateKeyError", "JsonReader", "SpelledFloat"]


class DuplicateKeyError(ValueError):
    """An object names a key twice, so that one of its values would be lost."""

    def __init__(self, key: object) -> None:
        super().__init__(f"the key {key!r} stands twice in one object")


class SpelledFloat(float):
    """A JSON number with a fraction or an exponent, and how the file spells it."""

    __slots__ = ("spelling",)
    spelling: str

    def __new__(cls, spelling: str) -> SpelledFloat:
        """The number that ``spelling`` spells."""
        number = super().__new__(cls, spelling)
        number.spelling = spelling
        return number

    def __reduce__(self) -> tuple[type[float], tuple[float]]:
        return float, (float(self),)


class JsonReader:
    """Decodes JSON texts.

    Attributes:
        constants: The non-finite numbers met since the list was last emptied.
    """

    def __init__(self) -> None:
        self.constants: list[str] = []
        self._decoder = json.JSONDecoder(
            object_pairs_hook=_unique, parse_float=SpelledFloat, parse_constant=self.constants.append
        )
        self._scan: Callable[[str, int], tuple[Any, int]] = vars(self._decoder)["scan_once"]

    def decode(self, text: str) -> Any:
        """The value of a whole JSON text.

        Raises:
            ValueError: It is not JSON, nests too deeply, or an object names a key twice.
        """
        try:
            value, end = self._scan(text, 0)
        except (StopIteration, json.JSONDecodeError):
            return self._decode_slowly(text)
        except RecursionError:
            raise ValueError("it nests too deeply") from None
        if end != len(text) and text[end:].strip(" \t\r\n"):
            return self._decode_slowly(text)
        return value

    def _decode_slowly(self, text: str) -> Any:
        """For leading white space and for the position of a mistake."""
        try:
            return self._decoder.decode(text)
        except RecursionError:
            raise ValueError("it nests too deeply") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise DuplicateKeyError(twice)
    return found
