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
from itertools import chain, islice

from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.reading.beginning import Beginning, find_beginning
from muffakir_eval.datasets.reading.files import BOM, SourceFile
from muffakir_eval.datasets.reading.headers import Header, read_header
from muffakir_eval.datasets.tables import RawRow, RawTable, ReadOptions
from muffakir_eval.errors import DatasetFormatError, DatasetRowError

__all__ = ["read_delimited"]

_LIMIT = (1 << 31) - 1
_LIMIT_LOCK = threading.Lock()
_REMEDY = "close it, or write a quote inside a quoted cell twice; saving the file as .xlsx or .jsonl avoids quoting"


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
        if not self.record:
            line = line.lstrip(BOM)  # files that were joined have some in the middle
        self.record.append(line)
        return line


def read_delimited(file: SourceFile, options: ReadOptions) -> RawTable:
    """A table over the rows of a CSV or TSV file.

    Raises:
        DatasetFormatError: There is no header, a quote is never closed, or it cannot be decoded.
    """
    with file.reading(), file.open_text() as text:
        start = find_beginning(text, file, options)
        lines = _Lines(start.head, start.lines)
        _, _, cells = next(_parsed(lines, start, file, options.findings))
    header = read_header(cells)
    return RawTable(
        source=file.name,
        rows=_rows(file, start, header, options.findings),
        columns=header.columns,
        repeated=header.repeated,
        unnamed=header.unnamed,
        typed=True,
    )


def _rows(file: SourceFile, start: Beginning, header: Header, findings: Findings) -> Iterator[RawRow]:
    columns, width = header.columns, len(header.columns)
    named = max((at for at, name in enumerate(columns, start=1) if name not in header.unnamed), default=width)
    with file.reading(), file.open_text() as text:
        rest = islice(text, start.lines + len(start.head), None)
        records = _parsed(_Lines(chain(start.head, rest), start.lines), start, file, findings)
        next(records)
        for row, line, cells in records:
            if not any(cells) or not any(cell.strip() for cell in cells):
                continue
            if len(cells) != width and not _fit(cells, named, width):
                findings.reject(_shifted(cells, width, row, line, file))
                continue
            yield row, line, {name: cell or None for name, cell in zip(columns, cells, strict=True)}


def _fit(cells: list[str], named: int, width: int) -> bool:
    """Bring a row to the width of the header, where only empty cells beyond the last name are concerned."""
    while len(cells) > width and not cells[-1].strip():
        cells.pop()
    if named <= len(cells) < width:
        cells += [""] * (width - len(cells))
    return len(cells) == width


def _parsed(
    lines: _Lines, start: Beginning, file: SourceFile, findings: Findings
) -> Iterator[tuple[int, int, list[str]]]:
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
