"""Excel workbooks (.xlsx), through openpyxl.

The sheet is streamed. What the stream does not tell is looked up in the sheet's XML, and only where it
matters: merged cells, and formulas that have no stored value because no spreadsheet has computed them.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

from muffakir_eval.datasets.reading.files import SourceFile
from muffakir_eval.datasets.reading.headers import PEEK
from muffakir_eval.datasets.reading.sheets import (
    Grid,
    Merge,
    SheetRow,
    cell_name,
    choose_sheet,
    is_blank,
    named_sheet,
    sheet_value,
    streamed_table_of,
    table_of,
)
from muffakir_eval.datasets.tables import RawTable, ReadOptions
from muffakir_eval.errors import DatasetFormatError

if TYPE_CHECKING:
    from openpyxl import Workbook

__all__ = ["read_xlsx"]

_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^>]*?\bref=[\"']([A-Z]+\d+:[A-Z]+\d+)[\"']")
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_NOT_PLAIN = re.compile(rb"<(?:\w+:)?(?:f[\s/>]|mergeCell[\s/>])")
_SCANNED = 1 << 20
_OVERLAP = 64
_BLOCK = 500
"""Rows of a streamed sheet that are read at a time."""


def read_xlsx(file: SourceFile, options: ReadOptions) -> RawTable:
    """A table over the rows of one sheet.

    Raises:
        DatasetFormatError: The workbook is damaged, or the sheet cannot be told.
    """
    with _opened(file, options) as book:
        names = [sheet.title for sheet in book.worksheets]
        wanted = names if options.sheet is None else [named_sheet(options.sheet, names, file.name)]
        if options.streamed and all(_part(book, name, file).is_plain() for name in wanted):
            heads = [_grid(book, name, file, limit=PEEK + 1) for name in wanted]
            head = choose_sheet(heads, file.name, options)
            return streamed_table_of(head, lambda: _streamed(file, head.name, options), file.name, options)
        grids = [_grid(book, name, file) for name in wanted]
    return table_of(choose_sheet(grids, file.name, options), file.name, options)


@contextmanager
def _opened(file: SourceFile, options: ReadOptions) -> Iterator[Workbook]:
    with _reading(file), file.open_bytes() as raw, _listening(file, options):
        book = _loaded(raw)
        try:
            yield book
        finally:
            book.close()


def _streamed(file: SourceFile, name: str, options: ReadOptions) -> Iterator[SheetRow]:
    """The rows of a sheet, in blocks: between them nobody listens to the warnings of others."""
    with _reading(file), file.open_bytes() as raw:
        with _listening(file, options):
            book = _loaded(raw)
        try:
            rows = _sheet_rows(book, name)
            while True:
                with _listening(file, options):
                    block = list(islice(rows, _BLOCK))
                if not block:
                    return
                yield from block
        finally:
            book.close()


def _loaded(raw: BinaryIO) -> Workbook:
    from openpyxl import load_workbook

    return load_workbook(raw, read_only=True, data_only=True)


@contextmanager
def _reading(file: SourceFile) -> Iterator[None]:
    """Turn what a damaged workbook raises into errors that name the file."""
    with file.reading():
        try:
            yield
        except DatasetFormatError:
            raise
        # SyntaxError comes from the parser of XML, RuntimeError from archives that are encrypted
        except (zipfile.BadZipFile, zlib.error, LookupError, TypeError, ValueError, SyntaxError, RuntimeError) as error:
            raise DatasetFormatError(
                f"the workbook is damaged ({type(error).__name__}: {error})",
                where=file.name,
                remedy="open it in a spreadsheet and save it again",
            ) from None


@contextmanager
def _listening(file: SourceFile, options: ReadOptions) -> Iterator[None]:
    """Pass on what openpyxl says about cells."""
    import warnings

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        yield
    for warning in told:
        if str(warning.message).startswith("Cell "):  # the others are about styles and the like
            options.findings.warn("cell that cannot be read", f"{file.name}: {warning.message}")


def _sheet_rows(book: Workbook, name: str) -> Iterator[SheetRow]:
    """The rows of a sheet, blank ones left out."""
    sheet: Any = book[name]
    sheet.reset_dimensions()  # some programs write wrong ones, and rows would be lost
    for number, cells in enumerate(sheet.iter_rows(min_row=1, min_col=1, values_only=True), start=1):
        values = [sheet_value(cell) for cell in cells]
        if not is_blank(values):
            yield number, values


def _grid(book: Workbook, name: str, file: SourceFile, limit: int | None = None) -> Grid:
    part = _part(book, name, file)
    return Grid(
        name=name,
        rows=list(islice(_sheet_rows(book, name), limit)),
        merges=part.merges,
        fill_formulas=part.fill_formulas,
        hidden=book[name].sheet_state != "visible",
    )


def _part(book: Workbook, name: str, file: SourceFile) -> _SheetPart:
    sheet: Any = book[name]
    return _SheetPart(file, sheet._worksheet_path)


class _SheetPart:
    """The XML of one sheet, read only when something is looked up in it."""

    def __init__(self, file: SourceFile, path: str) -> None:
        self._file = file
        self._path = path

    @cached_property
    def _xml(self) -> bytes:
        with self._file.reading(), self._file.open_bytes() as raw, zipfile.ZipFile(raw) as archive:
            return archive.read(self._path)

    def is_plain(self) -> bool:
        """No cell is merged or computed; the XML is looked through without holding it."""
        with (
            self._file.reading(),
            self._file.open_bytes() as raw,
            zipfile.ZipFile(raw) as archive,
            archive.open(self._path) as xml,
        ):
            tail = b""
            while block := xml.read(_SCANNED):
                if _NOT_PLAIN.search(tail + block):
                    return False
                tail = block[-_OVERLAP:]
        return True

    def merges(self) -> list[Merge]:
        """The merged cells of the sheet."""
        from openpyxl.utils.cell import range_boundaries

        found = []
        for match in _MERGED.finditer(self._xml):
            left, top, right, bottom = range_boundaries(match[1].decode("ascii"))
            found.append((int(top or 1), int(left or 1), int(bottom or 1), int(right or 1)))
        return found

    def fill_formulas(self, rows: Sequence[SheetRow], positions: Collection[int]) -> list[str]:
        """Put the text of a formula into each empty cell of the columns that has one and no stored value."""
        empty = [
            (cell_name(number, at + 1), cells, at)
            for number, cells in rows
            for at in sorted(positions)
            if at < len(cells) and cells[at] is None
        ]
        if not empty or _FORMULA.search(self._xml) is None:
            return []
        formulas = self._uncomputed()
        filled = []
        for cell, cells, at in empty:
            if cell in formulas:
                cells[at] = formulas[cell]
                filled.append(cell)
        return filled

    def _uncomputed(self) -> dict[str, str]:
        """The text of every formula that has no stored value, by cell."""
        from openpyxl.formula.translate import Translator
        from openpyxl.xml.functions import iterparse

        found: dict[str, str] = {}
        shared: dict[str, Translator] = {}
        for _, element in iterparse(BytesIO(self._xml)):
            if _local(element.tag) != "c":
                continue
            parts = {_local(child.tag): child for child in element}
            formula, value = parts.get("f"), parts.get("v")
            if formula is not None:
                cell, text, key = element.get("r"), f"={formula.text or ''}", formula.get("si")
                if key is not None and formula.get("t") == "shared":
                    if key not in shared:
                        shared[key] = Translator(text, origin=cell)
                    text = shared[key].translate_formula(cell)
                has_value = value is not None and (value.text or element.get("t") == "str")
                if not has_value and cell and text != "=":
                    found[cell] = text
            element.clear()
        return found


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]
