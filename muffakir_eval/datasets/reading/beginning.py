"""How a CSV or TSV file begins: a line ``sep=;``, blank lines, perhaps a title, the header, the separator."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from muffakir_eval.datasets.reading.files import BOM, SourceFile, nothing_in
from muffakir_eval.datasets.reading.headers import PEEK, HeaderRow, find_header, is_header
from muffakir_eval.datasets.tables import ReadOptions

__all__ = ["Beginning", "find_beginning"]

_SEPARATORS = {"csv": (",", ";", "\t"), "tsv": ("\t",)}
_BLANK = ' \t\r\n,;"' + BOM
"""A line of nothing else is a blank row."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """How the file begins.

    Attributes:
        head: The lines of the header, and what else was read to find it.
        lines: How many lines stand before it.
        rows: How many rows stand before it, as a spreadsheet counts.
        separator: What separates the cells.
    """

    head: list[str]
    lines: int
    rows: int
    separator: str


@dataclass(frozen=True, slots=True)
class _Record:
    """The lines of one row, as far as quotes tell where it ends, and its cells."""

    line: int
    row: int
    separator: str
    cells: list[str]


def find_beginning(text: Iterator[str], file: SourceFile, options: ReadOptions) -> Beginning:
    """Find the header and the separator.

    Raises:
        DatasetFormatError: There is nothing but blank lines.
        DatasetColumnError: The header is not the first row, and what stands above it is no title.
    """
    lines: list[str] = []
    records: list[_Record] = []
    header = HeaderRow(0)
    for record in islice(_records(text, lines, file, options), PEEK):
        records.append(record)
        header = find_header([each.cells for each in records], options.questions)
        if header.at or is_header(records[0].cells, options.questions):
            break
    if not records:
        raise nothing_in("the file", file.name)
    header.check([(record.row, record.cells) for record in records], file.name, options)
    start = records[header.at]
    return Beginning(lines[start.line :], start.line, start.row - 1, start.separator)


def _records(text: Iterator[str], lines: list[str], file: SourceFile, options: ReadOptions) -> Iterator[_Record]:
    """The first rows; every line that is read is added to ``lines``."""
    row, declared = 0, None
    for raw in text:
        at = len(lines)
        lines.append(raw if lines else raw.lstrip(BOM))
        said = lines[0].rstrip("\r\n").strip('"').lower()
        if not at and len(said) == 5 and said.startswith("sep="):
            declared = said[4]
            continue
        row += 1
        if not lines[at].strip(_BLANK):
            continue
        is_open = _is_odd(raw)
        while is_open and (more := next(text, "")):
            lines.append(more)
            is_open ^= _is_odd(more)
        separator = declared or _separator(lines[at:], file, options)
        yield _Record(at, row, separator, _cells(lines[at:], separator))


def _is_odd(line: str) -> bool:
    """A quoted cell begins or ends in the line, and the other end is elsewhere."""
    return line.count('"') % 2 == 1


def _separator(header: Sequence[str], file: SourceFile, options: ReadOptions) -> str:
    usual, *others = _SEPARATORS[file.format]
    columns = {separator: _cells(header, separator) for separator in (usual, *others)}
    if len(columns[usual]) > 1 and options.questions(columns[usual]):
        return usual
    better = [other for other in others if len(columns[other]) > 1]
    if len(columns[usual]) > 1:
        better = [other for other in better if options.questions(columns[other])]
    return better[0] if len(better) == 1 else usual


def _cells(header: Sequence[str], separator: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader(header, delimiter=separator), [])]
    except csv.Error:  # quotes that make no sense with this separator
        return []
