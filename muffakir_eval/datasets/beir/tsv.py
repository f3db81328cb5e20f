r"""The cells of a qrels file: tabs between them, quotes only where nothing else will do.

A cell is quoted as in CSV, ``"`` before and after and each ``"`` within it doubled, where it holds a tab, a
quote or a line break, is empty, has white space or an invisible mark at an end, or is a number such as
``12.0`` that could be taken for another spelling of ``12``. What is quoted means exactly what it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from muffakir_eval.text.identifiers import clean_id

__all__ = ["Cell", "Record", "TsvError", "is_awkward", "quote", "read_records"]

_QUOTED = re.compile(r'"((?:[^"]|"")*+)"')
_AWKWARD = re.compile('[\x00-\x1f"\x7f\x85\u2028\u2029]')


class TsvError(ValueError):
    """A quote that makes no sense.

    Args:
        line: Where it stands.
        found: What is wrong, as one sentence.
    """

    def __init__(self, line: int, found: str) -> None:
        super().__init__(found)
        self.line = line


class Cell(NamedTuple):
    """One cell, and whether it was quoted."""

    text: str
    quoted: bool = False


class Record(NamedTuple):
    """The cells of one record, and the line on which it begins."""

    line: int
    cells: list[Cell]


def is_awkward(identifier: str) -> bool:
    r"""Other tools may read ``identifier`` as something else.

    >>> [is_awkward(text) for text in ("doc 7", "a\tb", 'the "first"', " 7", "")]
    [False, True, True, True, True]
    """
    bare = clean_id(f"{identifier}x")  # so that a number keeps its spelling
    return not identifier or bare != f"{identifier}x" or _ends_blank(identifier) or bool(_AWKWARD.search(identifier))


def _ends_blank(text: str) -> bool:
    return clean_id(f"x{text}") != f"x{text}"


def quote(identifier: str) -> str:
    r"""``identifier`` as a cell.

    >>> quote("007"), quote("a\tb"), quote('the "first" one'), quote("12.0")
    ('007', '"a\tb"', '"the ""first"" one"', '"12.0"')
    """
    if clean_id(identifier) == identifier and not _AWKWARD.search(identifier):
        return identifier
    doubled = identifier.replace('"', '""')
    return f'"{doubled}"'


def read_records(lines: Iterable[str]) -> Iterator[Record]:
    """The records of a file, blank lines left out.

    Args:
        lines: With their ends; a quoted cell may go over several.

    Raises:
        TsvError: A quote is never closed, or something follows it.
    """
    numbered = enumerate(lines, start=1)
    for number, line in numbered:
        if not line or line.isspace():
            continue
        if '"' not in line:
            yield Record(number, [Cell(text) for text in line.rstrip("\r\n").split("\t")])
            continue
        held = [line]
        while (cells := _cells("".join(held), number)) is None:
            held += _to_next_quote(numbered, number)
        yield Record(number, cells)


def _to_next_quote(lines: Iterator[tuple[int, str]], opened: int) -> list[str]:
    """The lines up to the next one with a quote, which may close the one that is open."""
    held: list[str] = []
    for _, line in lines:
        held.append(line)
        if '"' in line:
            return held
    raise TsvError(opened, "the quote that opens here is never closed")


def _cells(text: str, number: int) -> list[Cell] | None:
    """The cells of a record; ``None`` where a quote is still open."""
    cells: list[Cell] = []
    at, end = 0, len(text)
    while True:
        if text.startswith('"', at):
            match = _QUOTED.match(text, at)
            if match is None:
                return None
            cells.append(Cell(match[1].replace('""', '"'), quoted=True))
            at = match.end()
            if at < end and text[at] not in "\t\r\n":
                raise TsvError(number, "something follows the quote that closes a cell")
        else:
            stop = text.find("\t", at)
            stop = end if stop < 0 else stop
            cells.append(Cell(text[at:stop].rstrip("\r\n")))
            at = stop
        if at >= end or text[at] != "\t":
            return cells
        at += 1
