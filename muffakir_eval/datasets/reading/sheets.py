"""What all workbooks have in common: which sheet, where the header is, and what a cell says.

Blank rows and columns around the table are left out, and so is a title above the header. Text
is verbatim; whole numbers have no ``.0``, dates are ISO 8601, and true and false are ``TRUE`` and
``FALSE`` where they stand for text.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from muffakir_eval.datasets.cells.text import iso_text
from muffakir_eval.datasets.columns.explicit import listed
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.reading.files import nothing_in
from muffakir_eval.datasets.reading.headers import PEEK, Header, HeaderRow, find_header, read_header
from muffakir_eval.datasets.tables import RawRow, RawTable, ReadOptions
from muffakir_eval.errors import DatasetFormatError
from muffakir_eval.text.cells import CUT, LONGEST

__all__ = [
    "Grid",
    "Merge",
    "SheetRow",
    "cell_name",
    "choose_sheet",
    "is_blank",
    "named_sheet",
    "sheet_value",
    "streamed_table_of",
    "table_of",
]

SheetRow = tuple[int, list[Any]]
"""Row number from 1, and the cells from column A on."""

Merge = tuple[int, int, int, int]
"""First row, first column, last row and last column of merged cells, from 1."""

_ESCAPED_CONTROL = re.compile(r"_x(00[01][0-9A-Fa-f]|005[Ff]|[Ff]{3}[EeFf])_")
"""How workbooks spell control characters: a carriage return is ``_x000D_``; a text that says this itself begins
with ``_x005F_``."""

_ERRORS = frozenset({"#N/A", "#REF!", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#VALUE!", "#SPILL!", "#CALC!"})


@dataclass(slots=True, kw_only=True)
class Grid:
    """One sheet.

    Attributes:
        name: Name of the sheet.
        rows: Its rows, blank ones left out.
        merges: Finds its merged cells.
        fill_formulas: Puts the text of formulas without a stored value into the empty cells of the
            given columns (from 0), and names these cells.
        hidden: The user does not see the sheet.
    """

    name: str
    rows: list[SheetRow]
    merges: Callable[[], Sequence[Merge]] = tuple
    fill_formulas: Callable[[Sequence[SheetRow], Collection[int]], list[str]] | None = None
    hidden: bool = False


def cell_name(row: int, column: int) -> str:
    """The name of a cell as spreadsheets show it; both count from 1.

    >>> cell_name(3, 28)
    'AB3'
    """
    letters = ""
    while column:
        column, digit = divmod(column - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return f"{letters}{row}"


def sheet_value(value: Any) -> Any:
    """A cell as it is read from the workbook; ``None`` for an empty one."""
    if isinstance(value, str):
        if not value:
            return None
        return _ESCAPED_CONTROL.sub(lambda found: chr(int(found[1], 16)), value) if "_x" in value else value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return int(value)
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return iso_text(value)
    return value


def is_blank(cells: Sequence[Any]) -> bool:
    """The row holds nothing, or only white space."""
    return all(cell is None or (isinstance(cell, str) and cell.isspace()) for cell in cells)


def named_sheet(sheet: str | int, names: Sequence[str], source: str) -> str:
    """The sheet that the user means, by name or by index from 0.

    Raises:
        DatasetFormatError: There is no such sheet.
    """
    if isinstance(sheet, str):
        folded = sheet.strip().casefold()
        found = [name for name in names if name == sheet] or [name for name in names if name.casefold() == folded]
        if found:
            return found[0]
    elif -len(names) <= sheet < len(names):
        return names[sheet]
    raise DatasetFormatError(
        f"there is no sheet {sheet!r}",
        where=source,
        remedy=f"the sheets are {listed(names)}; a number counts from 0",
    )


def choose_sheet(grids: Sequence[Grid], source: str, options: ReadOptions) -> Grid:
    """The only sheet, or the only one that holds questions; empty and hidden sheets stand back.

    Raises:
        DatasetFormatError: Several sheets hold questions, or several sheets and none of them does.
    """
    filled = [grid for grid in grids if grid.rows]
    shown = [grid for grid in filled if not grid.hidden] or filled
    if not shown:
        what = "the workbook" if options.sheet is None else f"the sheet {options.sheet!r}"
        raise nothing_in(what, source)
    if len(shown) == 1:
        return shown[0]
    suited = [grid for grid in shown if options.questions(_columns(grid, options))]
    if len(suited) == 1:
        options.findings.notes.append(f"the sheet {suited[0].name!r} is read, the only one with a question column")
        return suited[0]
    told = "; ".join(f"{grid.name!r} with {listed(_columns(grid, options), limit=6)}" for grid in shown)
    remedy = f"choose one with sheet={(suited or shown)[0].name!r}"
    raise DatasetFormatError(
        f"{len(suited) or 'none'} of the {len(shown)} sheets could be the question set: {told}",
        where=source,
        expected="one sheet with a column for the question",
        remedy=remedy if suited else f"{remedy}, and name its question column with column_mapping",
    )


def _header_row(grid: Grid, options: ReadOptions) -> HeaderRow:
    return find_header([cells for _, cells in grid.rows[:PEEK]], options.questions)


def _columns(grid: Grid, options: ReadOptions) -> tuple[str, ...]:
    return read_header(grid.rows[_header_row(grid, options).at][1]).columns


def table_of(grid: Grid, source: str, options: ReadOptions) -> RawTable:
    """The rows below the header."""
    where = f"{source}, sheet {grid.name!r}"
    found = _header_row(grid, options)
    found.check(grid.rows[:PEEK], where, options)
    (top, cells), *rows = grid.rows[found.at :]
    width = max(len(values) for _, values in grid.rows)
    header = read_header([*cells, *[None] * (width - len(cells))])

    def look_closer(mapped: Collection[str]) -> None:
        positions = {at for at, name in enumerate(header.columns) if name in mapped}
        _warn_of_formulas(grid, rows, positions, where, options.findings)
        _warn_of_merges(grid, top, positions, where, options.findings)
        _warn_of_errors(rows, positions, where, options.findings)
        _warn_of_cuts(rows, positions, where, options.findings)

    return RawTable(
        source=where,
        rows=_rows(rows, header),
        columns=header.columns,
        repeated=header.repeated,
        unnamed=header.unnamed,
        truth=("TRUE", "FALSE"),
        lossy_numbers=True,
        typed=True,
        on_mapped=look_closer,
    )


def streamed_table_of(
    head: Grid, rows: Callable[[], Iterator[SheetRow]], source: str, options: ReadOptions
) -> RawTable:
    """The rows below the header of a sheet that is not held.

    Args:
        head: The sheet with its first rows alone.
        rows: Goes through all of its rows; no cell of theirs is merged or computed.
        source: The file.
        options: Where warnings go.
    """
    table = table_of(head, source, options)
    top = head.rows[_header_row(head, options).at][0]
    columns = table.columns or ()
    positions: set[int] = set()

    def below() -> Iterator[RawRow]:
        for number, cells in rows():
            if number > top:
                _warn_of_errors([(number, cells)], positions, table.source, options.findings)
                _warn_of_cuts([(number, cells)], positions, table.source, options.findings)
                values: dict[str, Any] = dict.fromkeys(columns)
                values.update(zip(columns, cells, strict=False))
                beyond = enumerate(cells[len(columns) :], start=len(columns) + 1)
                values.update((f"column_{at}", cell) for at, cell in beyond if cell is not None)
                yield number, 0, values

    def look_closer(mapped: Collection[str]) -> None:
        positions.update(at for at, name in enumerate(columns) if name in mapped)

    return replace(table, rows=below(), on_mapped=look_closer)


def _rows(rows: Sequence[SheetRow], header: Header) -> Iterator[RawRow]:
    for number, cells in rows:
        values: dict[str, Any] = dict.fromkeys(header.columns)
        values.update(zip(header.columns, cells, strict=False))
        yield number, 0, values


def _warn_of_formulas(
    grid: Grid, rows: Sequence[SheetRow], positions: Collection[int], where: str, findings: Findings
) -> None:
    for cell in grid.fill_formulas(rows, positions) if grid.fill_formulas is not None else ():
        findings.warn(
            "formula without a value",
            f"{where}, cell {cell}: the file holds no value for its formula, so that the text of the formula "
            "itself, as in =A1, is now what the cell says; open the file in a spreadsheet and save it",
        )


def _warn_of_merges(grid: Grid, header_row: int, positions: Collection[int], where: str, findings: Findings) -> None:
    for top, left, bottom, right in grid.merges():
        if bottom >= header_row and not set(range(left - 1, right)).isdisjoint(positions):
            findings.warn(
                "merged cells",
                f"{where}, cells {cell_name(top, left)}:{cell_name(bottom, right)}: they are merged, so only the "
                "first holds the value and the others read as empty; unmerge them and fill each",
            )


def _warn_of_errors(rows: Sequence[SheetRow], positions: Collection[int], where: str, findings: Findings) -> None:
    for number, cells in rows:
        for at in positions:
            if at < len(cells) and type(cells[at]) is str and cells[at] in _ERRORS:
                findings.warn(
                    "error value",
                    f"{where}, cell {cell_name(number, at + 1)}: its formula failed, and {cells[at]} is read as text",
                )


def _warn_of_cuts(rows: Sequence[SheetRow], positions: Collection[int], where: str, findings: Findings) -> None:
    for number, cells in rows:
        for at in positions:
            cell = cells[at] if at < len(cells) else None
            if type(cell) is not str or len(cell) <= LONGEST // 8:  # an escape has seven characters
                continue
            place = f"{where}, cell {cell_name(number, at + 1)}"
            if CUT.search(cell):
                findings.warn(
                    "text that was cut",
                    f"{place}: the text was too long for a spreadsheet, and was cut when the workbook was written; "
                    "the folder of the run and its samples.jsonl hold it whole",
                )
            elif len(cell) + sum(char > "\uffff" for char in cell) == LONGEST:
                findings.warn(
                    "cell that is full",
                    f"{place}: it holds {LONGEST:,} characters, the most that a spreadsheet can; if the text was "
                    "longer, its end was lost when the workbook was written",
                )
