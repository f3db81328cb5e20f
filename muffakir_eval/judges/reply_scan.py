"""Where a judge's verdict stands in what it said: thinking taken out, JSON objects found, nothing guessed.

One pass from left to right. What a model thinks aloud is no part of its reply, wherever it stands; a
tag inside a JSON string is text. An object that begins and breaks off, or braces that hold no JSON after
the last object, make the whole reply unusable: a part of it, an object quoted inside it, or one before
it must never pass for the verdict.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

__all__ = ["FoundObject", "ReplyScan", "scan_reply"]

_TAGS = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
_TAG = re.compile(
    rf"<\s{{0,9}}(/?)\s{{0,9}}(?:{_TAGS})(?:\s[^<>]{{0,200}})?(?<!/)>|\[(/?)THINK\]|◁(/?)think▷", re.IGNORECASE
)
_EVENT = re.compile(rf"(?P<tag>{_TAG.pattern})|(?P<open>\{{)|(?P<array>\[)|(?P<close>\}})", re.IGNORECASE)
_OBJECT = re.compile(r'\{\s*["}]')
_ARRAY = re.compile(r'\[\s*\{\s*["}]')

_MAX_BREAKS = 8
"""So many broken objects inside thinking are skipped; a bound on the work that a hostile reply can cause."""

_LONG_NUMBER = 40
"""Digits from which a whole number is read as a float: Python refuses to convert very long ones."""


@dataclass(frozen=True, slots=True)
class FoundObject:
    """A JSON value that stands in a reply.

    Attributes:
        value: As decoded.
        fault: Why it cannot be a verdict whatever it says, such as a key that stands twice.
    """

    value: Any
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class ReplyScan:
    """What a reply is made of.

    Attributes:
        last: The last JSON object outside thinking.
        broken: An object began and broke off: what, in words.
        rest: The reply without thinking, objects included.
    """

    last: FoundObject | None
    broken: str | None
    rest: str


class _Decoder:
    """JSON with raw line breaks in strings; what must not occur in a verdict is noted as a fault."""

    def __init__(self) -> None:
        self._fault: str | None = None
        self._json = json.JSONDecoder(
            strict=False, object_pairs_hook=self._unique, parse_constant=self._constant, parse_int=_whole
        )

    def decode(self, text: str, start: int) -> tuple[FoundObject, int] | None:
        """The value that starts at ``start`` and its end, ``None`` where it breaks off."""
        self._fault = None
        try:
            value, end = self._json.raw_decode(text, start)
        except (ValueError, RecursionError):
            return None
        if not isinstance(value, dict):
            return FoundObject(value, "it is a list, where one JSON object is expected"), end
        return FoundObject(value, self._fault), end

    def _unique(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            self._fault = "a key stands twice in one object"
        return found

    def _constant(self, name: str) -> float:
        self._fault = f"{name} is no number"
        return 0.0


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < _LONG_NUMBER else float(digits)


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.decoder = _Decoder()
        self.place = 0
        self.breaks = 0
        self.braces = 0  # open ones that start no JSON
        self.loose = False  # such a brace has come since the last object
        self.start = 0  # of the piece that is being read
        self.pieces: list[str] = []
        self.last: FoundObject | None = None
        self.broken: str | None = None

    def run(self) -> ReplyScan:
        while self.broken is None and (event := _EVENT.search(self.text, self.place)) is not None:
            self._step(event)
        if self.last is not None and self.loose:
            self._break("braces that hold no JSON follow the last JSON object")
        return ReplyScan(self.last, self.broken, "".join([*self.pieces, self.text[self.start :]]))

    def _step(self, event: re.Match[str]) -> None:
        self.place = event.end()
        if event["tag"]:
            self._tag(event)
        elif event["close"]:
            self.braces = max(0, self.braces - 1)
        elif (_OBJECT if event["open"] else _ARRAY).match(self.text, event.start()):
            self._json(event.start())
        elif event["open"]:
            self.braces += 1
            self.loose = True

    def _tag(self, tag: re.Match[str]) -> None:
        if _closes(tag["tag"]):  # its opening tag was part of the prompt: all before it was thinking
            self._forget(tag.end())
            return
        self.pieces.append(self.text[self.start : tag.start()])
        self.start = self.place = _block_end(self.text, tag.end())

    def _forget(self, place: int) -> None:
        self.pieces, self.last, self.braces, self.loose = [], None, 0, False
        self.start = self.place = place

    def _json(self, start: int) -> None:
        found = None if self.braces else self.decoder.decode(self.text, start)
        if found is not None:
            self.last, self.place = found
            self.loose = False
            return
        closing = next((tag for tag in _TAG.finditer(self.text, start) if _closes(tag[0])), None)
        self.breaks += 1
        if closing is not None and self.breaks <= _MAX_BREAKS:
            self._forget(closing.end())
        else:
            self._break(f"the JSON that starts at character {start + 1} is not complete or not well-formed")

    def _break(self, message: str) -> None:
        self.broken, self.last = message, None


def _closes(tag: str) -> bool:
    return "/" in tag[:12]


def _block_end(text: str, start: int) -> int:
    """Where the thinking that began before ``start`` ends: the end of the text where nothing closes it."""
    depth, last = 1, len(text)
    for tag in _TAG.finditer(text, start):
        if not _closes(tag[0]):
            depth += 1
            continue
        depth -= 1
        last = tag.end()
        if depth == 0:
            break
    return last


def scan_reply(text: str) -> ReplyScan:
    """Take ``text`` apart; linear in its length, whatever it holds.

    >>> scan_reply('<think>maybe {"score": 1}</think>```json {"score": 4} ```').last
    FoundObject(value={'score': 4}, fault=None)
    >>> scan_reply('{"score": 4').broken
    'the JSON that starts at character 1 is not complete or not well-formed'
    """
    return _Scanner(text).run()
