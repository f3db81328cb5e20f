"""Access to the cells of one row by field, whatever the columns are called."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

from muffakir_eval.datasets.cells.lists import object_in_text, text_list_in_text
from muffakir_eval.datasets.cells.strict_json import SpelledFloat
from muffakir_eval.datasets.cells.text import SPECIAL, CellError, as_list, to_id, to_text
from muffakir_eval.datasets.columns.explicit import listed
from muffakir_eval.datasets.columns.mapping import ColumnMap
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.tables import RawRow, RawTable
from muffakir_eval.errors import DatasetColumnError, DatasetRowError
from muffakir_eval.text.cells import CUT, restore_cell
from muffakir_eval.text.identifiers import is_missing

__all__ = ["RowReader"]

_TOO_LONG = 10**15
"""A number of more than 15 digits has lost some of them in a spreadsheet or as a float."""

_OUTPUT = frozenset({"predicted_answer", "retrieved_contexts", "retrieved_chunk_ids", "error"})
_PLAIN = ("question", "answers", "contexts", "chunk_ids", "source_file")


class _Cell(NamedTuple):
    """Where one field is read from."""

    column: str
    get: Callable[[Mapping[str, Any]], Any]


class _Nested:
    """Reads ``column.key.key``, also through lists of objects, and remembers whether it ever found anything."""

    def __init__(self, name: str, column: str) -> None:
        self.name = name
        self.column = column
        self.keys = name[len(column) + 1 :].split(".")
        self.found = False
        self.seen: dict[str, None] = {}

    def __call__(self, values: Mapping[str, Any]) -> Any:
        return self._within(values.get(self.column), self.keys)

    def _within(self, value: Any, keys: Sequence[str]) -> Any:
        """What is under ``keys``; of a list, what is under them in each item."""
        if not keys:
            self.found = True
            return value
        if isinstance(value, str):
            spelled = object_in_text(value)
            value = text_list_in_text(value) if spelled is None else spelled
        items = as_list(value)
        if items is not None:
            return [inner for item in items if (inner := self._within(item, keys)) is not None]
        if not isinstance(value, Mapping):
            return None
        if keys[0] not in value:
            self.seen.update(dict.fromkeys(map(str, value)))
            return None
        return self._within(value[keys[0]], keys[1:])


@dataclass(frozen=True, slots=True)
class _Plan:
    """What to read from rows that have the same columns: made once, used for all of them."""

    cells: Mapping[str, tuple[_Cell, ...]]
    metadata: tuple[str, ...]
    recorded: bool
    plain: tuple[str | None, ...] | None


def _is_empty_list(value: Any) -> bool:
    return as_list(value) == [] or (isinstance(value, str) and value.strip() == "[]")


def _plain_columns(cells: Mapping[str, tuple[_Cell, ...]], columns: tuple[str, ...]) -> tuple[str | None, ...] | None:
    """The one column of each field in :data:`_PLAIN`; ``None`` where one has several, or one within another."""
    found = [cells.get(name, ()) for name in _PLAIN]
    if "grades" in cells or any(len(of) > 1 or (of and of[0].column not in columns) for of in found):
        return None
    return tuple(of[0].column if of else None for of in found)


class RowReader:
    """Reads the rows of one table, one after the other.

    Args:
        table: Where the rows come from.
        mapping: What each column is.
        findings: Where warnings go.

    Attributes:
        row: The row being read.
        values: Its raw cells.
        cells: Where each field is read from; a field is missing where the row has no such column.
        column: The column read last, for messages.
        metadata: Columns of the row that go into the metadata.
        recorded: The row has columns for an output.
        metadata_columns: Columns that went into the metadata so far.
    """

    def __init__(self, table: RawTable, mapping: ColumnMap, findings: Findings) -> None:
        self.table = table
        self.mapping = mapping
        self.row = 0
        self.values: Mapping[str, Any] = {}
        self.cells: Mapping[str, tuple[_Cell, ...]] = {}
        self.column: str | None = None
        self.metadata: tuple[str, ...] = ()
        self.recorded = False
        self.metadata_columns: dict[str, None] = {}
        self._line = 0
        self._plain: tuple[str | None, ...] | None = None
        self._findings = findings
        self._plans: dict[tuple[str, ...], _Plan] = {}
        self._nested: dict[str, _Nested] = {}
        self._hidden = mapping.columns | mapping.dropped
        self._restores = mapping.own and table.typed

    def start(self, raw: RawRow) -> None:
        """Go to the next row."""
        self.row, self._line, values = raw
        if self._restores:
            values = {name: restore_cell(cell) if isinstance(cell, str) else cell for name, cell in values.items()}
        key = tuple(values)
        plan = self._plans.get(key) or self._plan(key)
        self.values, self.cells, self.metadata, self.recorded = values, plan.cells, plan.metadata, plan.recorded
        self.column, self._plain = None, plan.plain

    def _plan(self, columns: tuple[str, ...]) -> _Plan:
        cells: dict[str, tuple[_Cell, ...]] = {}
        for name, wanted in self.mapping.fields.items():
            present = tuple(cell for column in wanted if (cell := self._cell(column, columns)) is not None)
            if present:
                cells[name] = present
        metadata = tuple(column for column in columns if column not in self._hidden)
        self.metadata_columns.update(dict.fromkeys(name for name in metadata if name not in self.table.unnamed))
        plan = _Plan(cells, metadata, not _OUTPUT.isdisjoint(cells), _plain_columns(cells, columns))
        self._plans[columns] = plan
        return plan

    def _cell(self, column: str, columns: tuple[str, ...]) -> _Cell | None:
        if column in columns:
            return _Cell(column, itemgetter(column))
        for outer in columns:
            if column.startswith(f"{outer}."):
                nested = self._nested.get(column) or self._nested.setdefault(column, _Nested(column, outer))
                return _Cell(column, nested)
        return None

    # -- reading -----------------------------------------------------------------------------------

    def plain(self) -> list[str | None] | None:
        """Question, answer, context, identifier and source of a row in which each is one plain text or missing.

        Most rows are like that, and this is the fast way through them; ``None`` where one needs a closer look.
        """
        if self._plain is None:
            return None
        values = self.values
        found: list[str | None] = []
        for column in self._plain:
            value = None if column is None else values[column]
            if type(value) is str:
                if value[:1] in SPECIAL or value.isspace():
                    return None
            elif type(value) is int and column == self._plain[3] and -_TOO_LONG < value < _TOO_LONG:
                value = str(value)
            elif value is not None:
                return None
            found.append(value)
        return found

    def first(self, name: str) -> Any:
        """The cell of a field; of several columns the first that is filled."""
        found = None
        for column, get in self.cells.get(name, ()):
            self.column = column
            found = get(self.values)
            if not is_missing(found):
                break
        return found

    def text(self, name: str) -> str | None:
        """:meth:`first` as text, ``None`` where it is missing."""
        return to_text(self.first(name), self.table.truth)

    def several(self, name: str) -> list[Any]:
        """The filled cells of a field; of two spellings of one name only the first that is filled."""
        paired = name in self.mapping.paired
        found: list[Any] = []
        for column, get in self.cells.get(name, ()):
            value = get(self.values)
            if is_missing(value) or (paired and _is_empty_list(value)):
                continue
            self.column = column
            found.append(value)
            if paired:
                break
        return found

    def other_spelling(self, name: str) -> list[Any]:
        """The cell of the second spelling of a name, where the row has both."""
        cells = self.cells.get(name, ())
        if len(cells) < 2 or name not in self.mapping.paired:
            return []
        value = cells[1].get(self.values)
        return [] if is_missing(value) or _is_empty_list(value) else [value]

    def refuse_difference(self, name: str) -> CellError:
        """The error for two spellings of one name that do not say the same."""
        first, second = self.cells[name]
        self.column = first.column
        if any(CUT.search(str(cell.get(self.values))) for cell in (first, second)):
            return CellError(
                "the text was too long for a spreadsheet, and was cut when the workbook was written",
                remedy="take the folder of the run or its samples.jsonl, which hold it whole",
            )
        return CellError(
            f"it does not say the same as the column {second.column!r}",
            expected="two spellings of one name to hold the same thing",
            remedy=f'pass column_mapping={{"{name}": {first.column!r}}}, or the other one',
        )

    def check_digits(self, found: list[Any]) -> None:
        """Warn of numeric identifiers that the file has damaged."""
        for value in found:
            if type(value) is str or (type(value) is int and -_TOO_LONG < value < _TOO_LONG):
                continue
            for item in as_list(value) or [value]:
                number = isinstance(item, (int, float)) and not isinstance(item, (bool, SpelledFloat))
                if number and abs(item) >= _TOO_LONG and (self.table.lossy_numbers or isinstance(item, float)):
                    self._findings.warn(
                        "identifier that has lost digits",
                        f"{self.where}, column {self.column!r}: the identifier {to_id(item)} is a number of more "
                        "than 15 digits, of which the file keeps only 15; enter it again, as text",
                    )

    def warn(self, kind: str, text: str) -> None:
        """Warn of something in the row."""
        self._findings.warn(kind, f"{self.where}: {text}")

    # -- messages ----------------------------------------------------------------------------------

    @property
    def where(self) -> str:
        """File and row, for messages."""
        return f"{self.table.source}, {self.table.place(self.row, self._line)}"

    def error(self, error: CellError) -> DatasetRowError:
        """``error`` with file, row and column."""
        return DatasetRowError(
            error.found,
            row=self.row,
            column=self.column,
            where=self.table.source,
            expected=error.expected,
            remedy=error.remedy or "correct the cell",
            place=self.table.place(self.row, self._line),
        )

    def check_nested(self, *, partial: bool) -> None:
        """Refuse a dotted name of the mapping under which no row had anything.

        Args:
            partial: Only the first rows were read, so that it may yet come: a warning will do.

        Raises:
            DatasetColumnError: There was none.
        """
        for nested in self._nested.values():
            if nested.found:
                continue
            found = f"column_mapping names {nested.name!r}, and no row has it"
            near = difflib.get_close_matches(nested.keys[-1], nested.seen, n=1, cutoff=0.5)
            remedy = f"the keys there are {listed(nested.seen)}" if nested.seen else "check the name"
            if near:
                remedy = f"did you mean {near[0]!r}? {remedy}"
            if not partial:
                raise DatasetColumnError(found, where=self.table.source, remedy=remedy)
            self._findings.warn("mapping", f"{self.table.source}: {found} of those read; {remedy}")
