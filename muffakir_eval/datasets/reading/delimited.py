"""CSV and TSV, read strictly: no row is repaired, shifted or cut in silence.

The separator is what the suffix says: a comma, or a tab. A ``.csv`` file may also be separated by
semicolons or tabs, as Excel writes it in some countries; that is decided by the header alone, and only
where it leaves no doubt: the header makes a single column with a comma, or only the other separator gives
it a column for the question. A first line ``sep=;`` is obeyed.

Rows are counted as a spreadsheet counts them, with the header as row 1; messages also name the line of
the file, which differs once a cell holds line breaks.
"""

from __future__ import annotations

import csv
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.reading.files import BOM, SourceFile, nothing_in
from muffakir_eval.datasets.reading.headers import Header, read_header
from muffakir_eval.datasets.tables import RawRow, RawTable, ReadOptions
from muffakir_eval.errors import DatasetFormatError, DatasetRowError

__all__ = ["read_delimited"]

_SEPARATORS = {"csv": (",", ";", "\t"), "tsv": ("\t",)}
_BLANK = ' \t\r\n,;"' + BOM
"""A line of nothing else is a blank row."""
_LIMIT = (1 << 31) - 1
_LIMIT_LOCK = threading.Lock()
_REMEDY = "close it, or write a quote inside a quoted cell twice; saving the file as .xlsx or .jsonl avoids quoting"


@dataclass(frozen=True, slots=True)
class _Start:
    """How the file begins.

    Attributes:
        head: The lines of the header.
        lines: How many lines stand before it.
        rows: How many rows stand before it, as a spreadsheet counts.
        separator: What separates the cells.
    """

    head: list[str]
    lines: int
    rows: int
    separator: str


class _Lines:
    """The lines of a file, counted, with those of the current record at hand for messages."""

    def __init__(self, lines: Iterable[str], number: int) -> None:
        self._lines = iter(lines)
        self.number = number
        self.record: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.number += 1
        self.record.append(line)
        return line


def read_delimited(file: SourceFile, options: ReadOptions) -> RawTable:
    """A table over the rows of a CSV or TSV file.

    Raises:
        DatasetFormatError: There is no header, a quote is never closed, or it cannot be decoded.
    """
    with file.reading(), file.open_text() as text:
        start = _beginning(text, file, options)
        lines = _Lines(start.head, start.lines)
        _, _, cells = next(_parsed(lines, start, file, options.findings))
    header = read_header(cells)
    return RawTable(
        source=file.name,
        rows=_rows(file, header, options),
        columns=header.columns,
        repeated=header.repeated,
        unnamed=header.unnamed,
        typed=True,
    )


def _rows(file: SourceFile, header: Header, options: ReadOptions) -> Iterator[RawRow]:
    columns, width = header.columns, len(header.columns)
    named = max((at for at, name in enumerate(columns, start=1) if name not in header.unnamed), default=width)
    with file.reading(), file.open_text() as text:
        start = _beginning(text, file, options)
        records = _parsed(_Lines(chain(start.head, text), start.lines), start, file, options.findings)
        next(records)
        for row, line, cells in records:
            if not any(cells) or not any(cell.strip() for cell in cells):
                continue
            if len(cells) != width and not _fit(cells, named, width):
                options.findings.reject(_shifted(cells, width, row, line, file))
                continue
            yield row, line, {name: cell or None for name, cell in zip(columns, cells, strict=True)}


def _fit(cells: list[str], named: int, width: int) -> bool:
    """Bring a row to the width of the header, where only empty cells beyond the last name are concerned."""
    while len(cells) > width and not cells[-1].strip():
        cells.pop()
    if named <= len(cells) < width:
        cells += [""] * (width - len(cells))
    return len(cells) == width


def _beginning(text: Iterator[str], file: SourceFile, options: ReadOptions) -> _Start:
    """Find the header and the separator."""
    before = rows = 0
    separator = None
    for number, raw in enumerate(text):
        line = raw.lstrip(BOM) if number == 0 else raw
        declared = line.rstrip("\r\n").strip('"').lower()
        if number == 0 and len(declared) == 5 and declared.startswith("sep="):
            separator, before = declared[4], 1
        elif not line.strip(_BLANK):
            before, rows = before + 1, rows + 1
        else:
            head = [line]
            while _is_open("".join(head)) and (more := next(text, "")):
                head.append(more)
            return _Start(head, before, rows, separator or _separator(head, file, options))
    raise nothing_in("the file", file.name)


def _is_open(text: str) -> bool:
    """A quoted cell goes on after the end of ``text``."""
    return text.count('"') % 2 == 1


def _separator(header: Sequence[str], file: SourceFile, options: ReadOptions) -> str:
    usual, *others = _SEPARATORS[file.format]
    columns = {separator: _header_cells(header, separator) for separator in (usual, *others)}
    if len(columns[usual]) > 1 and options.questions(columns[usual]):
        return usual
    better = [other for other in others if len(columns[other]) > 1]
    if len(columns[usual]) > 1:
        better = [other for other in better if options.questions(columns[other])]
    return better[0] if len(better) == 1 else usual


def _header_cells(header: Sequence[str], separator: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader(header, delimiter=separator), [])]
    except csv.Error:  # quotes that make no sense with this separator
        return []


def _parsed(lines: _Lines, start: _Start, file: SourceFile, findings: Findings) -> Iterator[tuple[int, int, list[str]]]:
    """Row, first line and cells of every record; a record that does not parse is a bad row."""
    reader = csv.reader(lines, delimiter=start.separator, strict=True)
    row = start.rows
    while True:
        lines.record.clear()
        first = lines.number + 1
        row += 1
        try:
            cells = _next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            fault = _misquoted(error, row, first, lines.record, start.separator, file.name)
            if row == start.rows + 1 or "end of data" in str(error):  # nothing good can follow
                raise DatasetFormatError(fault.found, where=f"{file.name}, row {row}", remedy=_REMEDY) from None
            findings.reject(fault)
            continue
        yield row, first, cells


def _next(reader: Iterator[list[str]]) -> list[str]:
    """The next record, however long its cells; the limit of the csv module is one for the whole process."""
    with _LIMIT_LOCK:
        before = csv.field_size_limit(_LIMIT)
        try:
            return next(reader)
        finally:
            csv.field_size_limit(before)


def _misquoted(
    error: csv.Error, row: int, first: int, record: Sequence[str], separator: str, source: str
) -> DatasetRowError:
    opened = first + _opened_at(record, separator)
    if "end of data" in str(error):
        found = f"the quote that opens in line {opened} is never closed"
    else:
        found = (
            f"the quote that opens in line {opened} closes in the middle of a cell, in line {first + len(record) - 1}"
        )
    return DatasetRowError(found, row=row, where=source, remedy=_REMEDY, place=f"row {row} (line {first})")


def _opened_at(record: Sequence[str], separator: str) -> int:
    """In which line of the record, from 0, the last quoted cell begins."""
    opened = 0
    inside, at_start = False, True
    for number, line in enumerate(record):
        skip = False
        for position, char in enumerate(line):
            if skip:
                skip = False
            elif inside:
                if char == '"':
                    skip = line[position + 1 : position + 2] == '"'
                    inside = skip
            elif char == '"' and at_start:
                inside, opened = True, number
            at_start = not inside and char in {separator, "\r", "\n"}
    return opened


def _shifted(cells: Sequence[str], width: int, row: int, line: int, file: SourceFile) -> DatasetRowError:
    return DatasetRowError(
        f"{len(cells)} fields found, {width} expected, so the columns are shifted; the row begins {cells[0][:40]!r}",
        row=row,
        where=file.name,
        expected=f"{width} fields, as in the header",
        remedy="quote the cells that hold the separator, a quote or a line break",
        place=f"row {row} (line {line})",
    )
