"""What every reader hands over: rows of raw cells, and how to speak of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from muffakir_eval.datasets.columns.mapping import MappingOptions, question_names
from muffakir_eval.datasets.findings import Findings

__all__ = ["RawRow", "RawTable", "ReadOptions"]

RawRow = tuple[int, int, dict[str, Any]]
"""Row as the spreadsheet or editor shows it, physical line (0 where there is none), cells by column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """What a reader needs to know.

    Attributes:
        findings: Where bad rows and warnings go.
        mapping: What the user says about columns; decides between sheets and separators.
        encoding: Encoding of text files, ``None`` to find out.
        sheet: Name or index (from 0) of the sheet of a workbook.
        streamed: Hold no more rows than needed; the rows are read while they are gone through.
    """

    findings: Findings
    mapping: MappingOptions = field(default_factory=MappingOptions)
    encoding: str | None = None
    sheet: str | int | None = None
    streamed: bool = False

    def questions(self, columns: Sequence[str]) -> list[str]:
        """Those of the columns that can be the question; none where this is no question set."""
        return question_names(columns, self.mapping)

    def ignored(self, option: str, value: object, where: str) -> None:
        """Warn that an option has no effect on this source."""
        self.findings.warn("option", f"{where}: {option}={value!r} has no meaning here and is ignored")


@dataclass(slots=True, kw_only=True)
class RawTable:
    """Rows of raw cells.

    Attributes:
        source: The file, as messages name it.
        rows: The rows; blank ones left out. May be read once.
        columns: Names of the columns, ``None`` where each row has its own and all must be seen first.
        repeated: Names that several columns bear.
        unnamed: Stand-ins for columns without a name.
        unit: What a row is called in messages.
        truth: How the file spells true and false.
        lossy_numbers: Numbers keep only 15 digits there.
        typed: Cells of a file in which spreadsheets could run text as formulas.
        on_mapped: Called with the mapped columns before the rows are read.
    """

    source: str
    rows: Iterator[RawRow]
    columns: tuple[str, ...] | None = None
    repeated: frozenset[str] = frozenset()
    unnamed: frozenset[str] = frozenset()
    unit: Literal["row", "line", "item"] = "row"
    truth: tuple[str, str] = ("True", "False")
    lossy_numbers: bool = False
    typed: bool = False
    on_mapped: Callable[[Collection[str]], None] | None = None

    def close(self) -> None:
        """Close the file behind the rows, where they were not read to their end."""
        close = getattr(self.rows, "close", None)
        if close is not None:
            close()

    def place(self, row: int, line: int = 0) -> str:
        """The row as a message names it.

        >>> RawTable(source="q.csv", rows=iter(())).place(3, 5)
        'row 3 (line 5)'
        """
        return f"{self.unit} {row} (line {line})" if line not in {0, row} else f"{self.unit} {row}"
