"""JSON read without losing anything: duplicate keys are an error, numbers keep their spelling.

``NaN`` and infinities are no JSON, yet occur in real files: they read as missing and are reported.
"""

from __future__ import annotations

import json
import re
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
        except ValueError as error:
            raise _without_hint(error) from None
        rest = text[end:]
        if rest and rest != "\n" and rest.strip(" \t\r\n"):
            return self._decode_slowly(text)
        return value

    def _decode_slowly(self, text: str) -> Any:
        """For leading white space and for the position of a mistake."""
        try:
            return self._decoder.decode(text)
        except json.JSONDecodeError as error:
            raise _explained(error) from None
        except RecursionError:
            raise ValueError("it nests too deeply") from None
        except ValueError as error:
            raise _without_hint(error) from None


def _without_hint(error: ValueError) -> ValueError:
    """``error``, without advice about the interpreter's own limit on digits."""
    return ValueError("a number has too many digits; write it as text") if "digits" in str(error) else error


_TRAILING = re.compile(r",\s*[\]}]")
_MISTAKES = {
    "'": "single quotes, where JSON has double ones",
    "/": "a comment, which JSON does not have",
    "#": "a comment, which JSON does not have",
    "True": "True, which is Python; JSON has true",
    "False": "False, which is Python; JSON has false",
    "None": "None, which is Python; JSON has null",
}


def _explained(error: json.JSONDecodeError) -> json.JSONDecodeError:
    """``error``, saying what the usual mistakes are rather than what the parser waits for."""
    text, at = error.doc, error.pos
    comma = at if text.startswith(",", at) else text.rfind(",", 0, at)
    trailing = _TRAILING.match(text, comma) if comma >= 0 else None
    if trailing and (comma == at or trailing.end() == at + 1):
        return json.JSONDecodeError("a trailing comma, with nothing after it", text, comma)
    told = next((told for start, told in _MISTAKES.items() if text.startswith(start, at)), None)
    return json.JSONDecodeError(told, text, at) if told else error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise DuplicateKeyError(twice)
    return found
