"""Old Excel workbooks (.xls), through python-calamine (extra ``xls``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muffakir_eval.datasets.reading.files import SourceFile
from muffakir_eval.datasets.reading.sheets import (
    Grid,
    choose_sheet,
    is_blank,
    named_sheet,
    sheet_value,
    table_of,
)
from muffakir_eval.datasets.tables import RawTable, ReadOptions
from muffakir_eval.errors import DatasetFormatError, MissingExtraError

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

__all__ = ["read_xls"]


def read_xls(file: SourceFile, options: ReadOptions) -> RawTable:
    """A table over the rows of one sheet.

    Raises:
        MissingExtraError: python-calamine is not installed.
        DatasetFormatError: The workbook is damaged, or the sheet cannot be told.
    """
    try:
        from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum
    except ImportError:
        raise MissingExtraError(
            "reading .xls needs python-calamine, which is not installed",
            where=file.name,
            remedy='pip install "muffakir-eval[xls]", or save the file as .xlsx',
        ) from None
    try:
        with file.open_bytes() as raw, CalamineWorkbook.from_filelike(raw) as book:
            names = list(book.sheet_names)
            wanted = names if options.sheet is None else [named_sheet(options.sheet, names, file.name)]
            visible = {sheet.name: sheet.visible == SheetVisibleEnum.Visible for sheet in book.sheets_metadata}
            grids = [_grid(book.get_sheet_by_name(name), hidden=not visible[name]) for name in wanted]
    except DatasetFormatError:
        raise
    except BaseException as error:
        # a damaged file can make the library panic, which it raises as a BaseException that has no importable name
        if not isinstance(error, CalamineError) and type(error).__name__ != "PanicException":
            raise
        raise DatasetFormatError(
            f"the workbook is damaged or has a password ({error})",
            where=file.name,
            remedy="open it in a spreadsheet and save it as .xlsx",
        ) from None
    return table_of(choose_sheet(grids, file.name, options), file.name, options)


def _grid(sheet: CalamineSheet, *, hidden: bool) -> Grid:
    rows = []
    for number, cells in enumerate(sheet.to_python(skip_empty_area=False), start=1):
        values = [sheet_value(cell) for cell in cells]
        if not is_blank(values):
            rows.append((number, values))
    merges = [
        (top + 1, left + 1, bottom + 1, right + 1) for (top, left), (bottom, right) in sheet.merged_cell_ranges or ()
    ]
    return Grid(name=sheet.name, rows=rows, merges=lambda: merges, hidden=hidden)
