r"""``samples.xlsx``: the rows of ``samples.csv`` as a workbook for Excel and LibreOffice, after a sheet of the figures.

- Sheets run from right to left where the language is Arabic; the header stays in sight and filters.
- Text is text, whatever it begins with: no cell is a formula, numbers and ``TRUE``/``FALSE`` are numbers and truth
  values. Control characters are spelled ``_x0007_``, as workbooks do it.
- A cell holds 32,767 characters: a longer text is cut with a mark at its end, and the sheet of the figures counts
  these cells. Lists are cut inside, and stay lists.
- Rows are written as they come: memory does not grow with them.

``load_evaluation_dataset`` restores every text that was not cut.
"""

from __future__ import annotations

import bisect
import json
import math
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from muffakir_eval.errors import StorageError
from muffakir_eval.records.rows import OWN_COLUMNS, REFERENCE_COLUMNS
from muffakir_eval.text.cells import LONGEST, neutralise_cell, restore_cell
from muffakir_eval.writers.outline import Section, outline
from muffakir_eval.writers.words import Words, words_of

if TYPE_CHECKING:
    from openpyxl import Workbook

__all__ = ["MOST_ROWS", "cell_text", "xlsx_chunks"]

MOST_ROWS = 1_048_576
"""Rows of a sheet, its header included."""
_BLOCK = 1 << 20
_SPECIAL = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{1,4}_)")
"""LibreOffice takes fewer than four digits for an escape, too."""
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")
_FORMULA = re.compile(r"\s*[=+\-@]")
_WIDE = {
    "question": 50,
    "gold_answer": 40,
    "gold_context": 60,
    "predicted_answer": 60,
    "retrieved_previews": 60,
    "error": 40,
    "gold_contexts": 40,
    "metadata": 30,
}
_USUAL, _NARROW = 20, 13
_LATENCIES = frozenset({"latency_ms", "pipeline_latency_ms", "evaluation_overhead_ms"})
_WHOLE = frozenset({"row", "first_relevant_rank"})
_TEXTS = frozenset({*REFERENCE_COLUMNS[:7], *REFERENCE_COLUMNS[17:], *OWN_COLUMNS, "run_id"}) - _WHOLE
_ROW_HEIGHT = 60.0
_FONT = "Calibri"
"""That of all other cells; a font without a name is another one in LibreOffice."""
_CUTS_NAMED = 20


class _Cuts:
    """Which cells were cut."""

    def __init__(self) -> None:
        self.n = 0
        self.first: list[str] = []

    def note(self, column: str, row: int) -> None:
        self.n += 1
        if len(self.first) < _CUTS_NAMED:
            self.first.append(f"{column}, {row}")


def xlsx_chunks(
    rows: Iterable[Mapping[str, Any]],
    columns: Sequence[str],
    summary: Mapping[str, Any],
    *,
    language: str | None = None,
) -> Iterator[bytes]:
    """The content of ``samples.xlsx``.

    Args:
        rows: Cells by column name; taken one at a time.
        columns: Names of the columns in their order.
        summary: The content of ``summary.json``.
        language: ``ar`` or ``en``; that of the run by default.

    Raises:
        ValueError: A number is NaN or infinite.
        StorageError: There are more rows than a sheet holds.
    """
    from openpyxl import Workbook

    words = words_of(summary, language)
    book = Workbook(write_only=True)
    book.properties.creator = "muffakir-eval"
    book.properties.title = str(summary["run_id"])
    cuts = _Cuts()
    try:
        _write_samples(book, rows, columns, words, cuts)
        _write_summary(book, summary, words, cuts)
        # The figures come first for those who open the file; they are written last, as they count what was cut.
        book.move_sheet(words["summary_sheet"], -1)
    except BaseException:
        _give_up(book)
        raise
    with tempfile.TemporaryFile() as file:
        book.save(file)
        file.seek(0)
        yield from _blocks(file)


def _give_up(book: Workbook) -> None:
    """Remove the temporary files in which openpyxl keeps the sheets."""
    for sheet in book.worksheets:
        held: Any = sheet
        held.close()
        held._writer.cleanup()


def _blocks(file: BinaryIO | Any) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        yield block


def cell_text(text: str) -> str:
    r"""``text`` as a workbook can hold it, such that our loader restores it.

    >>> cell_text("=1+1"), cell_text("bell \x07"), cell_text("_x0007_")
    ('=1+1', 'bell _x0007_', '_x005F_x0007_')
    """
    if _UNWRITABLE.search(text) or restore_cell(text) != text:
        text = neutralise_cell(text)
    return _SPECIAL.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


def _length(text: str) -> int:
    """In units of UTF-16, as spreadsheets count; but never less than what is written."""
    return len(text) + sum(char > "\uffff" for char in text)


def _fitting(text: str, words: Words) -> tuple[str, bool]:
    """``text`` as a cell holds it, and whether it was cut."""
    cell = cell_text(text)
    if len(cell) <= LONGEST // 2 or _length(cell) <= LONGEST:
        return cell, False
    listed = _list_in(text)
    if listed is not None:
        return _fitting_list(listed, words), True
    # Escapes, and characters beyond the first plane, make it longer than it looks.
    most = bisect.bisect_left(range(1, LONGEST), True, key=lambda n: _length(cell_text(_cut(text, n, words))) > LONGEST)
    return cell_text(_cut(text, most, words)), True


def _cut(text: str, most: int, words: Words) -> str:
    return text[:most] + words["cut_mark"].format(n=f"{most:,}", all=f"{len(text):,}")


def _list_in(text: str) -> list[Any] | None:
    if not text.startswith("["):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) and all(item is None or isinstance(item, str) for item in found) else None


def _fitting_list(texts: list[str | None], words: Words) -> str:
    """The list with its longest texts cut, so that it still is one."""
    share = max(LONGEST // (2 * max(len(texts), 1)), 1)
    while True:
        kept = [_shortened(text, share, words) for text in texts]
        cell = cell_text(json.dumps(kept, ensure_ascii=False))
        if _length(cell) <= LONGEST or share == 1:
            return cell if _length(cell) <= LONGEST else cell_text(json.dumps([f"… ({len(texts)})"]))
        share = max(share // 2, 1)


def _shortened(text: str | None, most: int, words: Words) -> str | None:
    return text if text is None or len(text) <= most else _cut(text, most, words)


def _write_samples(
    book: Workbook, rows: Iterable[Mapping[str, Any]], columns: Sequence[str], words: Words, cuts: _Cuts
) -> None:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    sheet: Any = book.create_sheet(words["samples_sheet"])
    sheet.sheet_view.rightToLeft = words.arabic
    sheet.freeze_panes = "A2"
    sheet.sheet_format.defaultRowHeight = _ROW_HEIGHT
    sheet.sheet_format.customHeight = True
    for number, name in enumerate(columns, start=1):
        sheet.column_dimensions[get_column_letter(number)].width = _width(name)
    bold, top = Font(name=_FONT, bold=True), Alignment(vertical="top", wrap_text=True)

    def header(name: str) -> Any:
        cell = WriteOnlyCell(sheet)
        _set(cell, name, words)
        cell.font, cell.alignment = bold, top
        return cell

    sheet.append([header(name) for name in columns])
    formats = [_number_format(name) for name in columns]
    styled: dict[str, Any] = {number_format: WriteOnlyCell(sheet) for number_format in {"@", *formats}}
    for number_format, model in styled.items():
        model.alignment = top
        model.number_format = number_format
    quoted: Any = WriteOnlyCell(sheet)
    quoted.alignment, quoted.number_format, quoted.quotePrefix = top, "@", True

    def filled(value: Any, number: int, name: str, number_format: str) -> Any:
        if value is None or value == "":
            return None
        cell: Any = WriteOnlyCell(sheet)
        if _set(cell, value, words):
            cuts.note(name, number)
        is_text = cell.data_type == "s"
        runs = is_text and _FORMULA.match(cell.value or "")
        cell._style = (quoted if runs else styled["@" if is_text else number_format])._style
        return cell

    number = 1
    for number, row in enumerate(rows, start=2):
        if number > MOST_ROWS:
            raise StorageError(
                f"a sheet holds {MOST_ROWS:,} rows, and the run has more questions",
                where="samples.xlsx",
                remedy="take samples.csv",
            )
        sheet.append([filled(row.get(name), number, name, form) for name, form in zip(columns, formats, strict=True)])
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(columns))}{number}"


def _set(cell: Any, value: Any, words: Words) -> bool:
    """Put ``value`` into ``cell`` as what it is; whether it was cut."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no value; what was not measured is None")
    if isinstance(value, (bool, int, float)):
        cell.value = value
        return False
    text, cut = _fitting(value if isinstance(value, str) else str(value), words)
    cell.value = text
    cell.data_type = "s"  # openpyxl takes what begins with = for a formula, and #N/A for an error
    return cut


def _width(column: str) -> int:
    return _WIDE.get(column, _USUAL if column in _TEXTS else _NARROW)


def _number_format(column: str) -> str:
    if column in _LATENCIES:
        return "#,##0.0"
    if column in _WHOLE:
        return "0"
    return "General" if column in _TEXTS or column == "llm_judge_rating" else "0.0000"


def _write_summary(book: Workbook, summary: Mapping[str, Any], words: Words, cuts: _Cuts) -> None:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Font

    sheet: Any = book.create_sheet(words["summary_sheet"])
    sheet.sheet_view.rightToLeft = words.arabic
    sheet.column_dimensions["A"].width = 44
    for letter, width in zip("BCDEFGH", (30, *[24] * 6), strict=True):  # an identifier of a run stands in B
        sheet.column_dimensions[letter].width = width
    top = Alignment(vertical="top", wrap_text=True)
    title, bold = Font(name=_FONT, bold=True, size=14), Font(name=_FONT, bold=True)

    def line(values: Sequence[Any], font: Font | None = None, decimals: int = 4) -> None:
        cells = []
        for value in values:
            cell = WriteOnlyCell(sheet)
            _set(cell, "" if value is None else value, words)
            cell.alignment = top
            if isinstance(value, float):
                cell.number_format = f"0.{'0' * decimals}"
            if font is not None:
                cell.font = font
            cells.append(cell)
        sheet.append(cells)

    for section in [*outline(summary, words, settings=True), *_about_cuts(cuts, words)]:
        line([section.title], title)
        for text in section.lines:
            line([text])
        if section.columns and section.rows:
            line(section.columns, bold)
        for row in section.rows:
            line(row, decimals=section.decimals)
        sheet.append([])


def _about_cuts(cuts: _Cuts, words: Words) -> list[Section]:
    if not cuts.n:
        return []
    lines = [str(cuts.n), words["cut_remedy"], f"{words['cut_where']}: {'; '.join(cuts.first)}"]
    return [Section(title=words["cut"], lines=lines, warning=True)]
