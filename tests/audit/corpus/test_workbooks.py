"""Workbooks, of which only the beginning is held, say the same as when they are read as a whole."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from muffakir_eval.audit.corpus import Corpus, open_corpus
from muffakir_eval.audit.records import CorpusChunk
from muffakir_eval.errors import DatasetFormatError
from muffakir_eval.pipelines import load_corpus

CAIRO = "القاهرة عاصمة مصر."


def workbook(path: Path, lines: list[list[Any]], **sheets: list[list[Any]]) -> Workbook:
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, rows in {"مقاطع": lines, **sheets}.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return book


def read(corpus: Corpus) -> list[CorpusChunk]:
    return [chunk for batch in corpus.batches() for chunk in batch]


def numbered(count: int) -> list[list[Any]]:
    return [[number, f"فقرة {number}"] for number in range(count)]


def test_a_title_above_the_header_and_blank_rows(tmp_path: Path) -> None:
    file = tmp_path / "c.xlsx"
    workbook(file, [["قوانين"], [], ["id", "text"], [], *numbered(30)])
    corpus = open_corpus(file)
    found = read(corpus)
    assert [chunk.chunk_id for chunk in found] == [str(number) for number in range(30)]
    assert found[0].place == "c.xlsx, sheet 'مقاطع', row 5"
    (warning,) = corpus.warnings
    assert "row 3 is the header; above it stood 'قوانين' in row 1" in warning
    with pytest.warns(UserWarning, match="row 3 is the header"):
        assert [chunk.text for chunk in load_corpus(file)] == [chunk.text for chunk in found]


def test_the_only_sheet_with_passages(tmp_path: Path) -> None:
    file = tmp_path / "c.xlsx"
    workbook(file, [["id", "text"], *numbered(20)], ملاحظات=[["ملاحظة"], ["لا شيء"]])
    assert len(read(open_corpus(file))) == 20
    assert [chunk.text for chunk in read(open_corpus(file, sheet=0))][19] == "فقرة 19"


def test_cells_beyond_the_header(tmp_path: Path) -> None:
    file = tmp_path / "c.xlsx"
    workbook(file, [["id", "text"], *numbered(20), [20, CAIRO, None, "حاشية"]])
    assert read(open_corpus(file))[20].metadata == {"column_4": "حاشية"}


def test_formulas_that_failed_are_told_wherever_they_stand(tmp_path: Path) -> None:
    file = tmp_path / "c.xlsx"
    workbook(file, [["id", "text", "note"], *numbered(20), [20, "#N/A", "#N/A"]])
    corpus = open_corpus(file)
    assert read(corpus)[20].text == "#N/A"
    assert corpus.warnings == (f"{file}, sheet 'مقاطع', cell B22: its formula failed, and #N/A is read as text",)


@pytest.mark.parametrize("before", [0, 20_000])
def test_sheets_with_formulas_or_merged_cells_are_read_as_a_whole(tmp_path: Path, before: int) -> None:
    file = tmp_path / "c.xlsx"
    workbook(file, [["id", "text"], *numbered(before), [-1, '="نص"&"آخر"']])
    corpus = open_corpus(file)
    assert read(corpus)[-1].text == '="نص"&"آخر"'
    assert "the file holds no value for its formula" in corpus.warnings[0]
    book = workbook(file, [["id", "text"], *numbered(20), [20, CAIRO], [21, None]])
    book.worksheets[0].merge_cells("B22:B23")
    book.save(file)
    corpus = open_corpus(file)
    assert [chunk.text for chunk in read(corpus)][20:] == [CAIRO, ""]
    assert "B22:B23: they are merged" in corpus.warnings[0]


def test_nobody_else_s_warnings_are_caught_between_two_batches(tmp_path: Path) -> None:
    file = tmp_path / "c.xlsx"
    workbook(file, [["id", "text"], *numbered(30)])
    batches = open_corpus(file).batches(size=10)
    next(batches)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        warnings.warn("تنبيه", UserWarning, stacklevel=1)
        assert len(list(batches)) == 2
    assert [str(each.message) for each in told] == ["تنبيه"]


def test_a_sheet_without_rows(tmp_path: Path) -> None:
    file = tmp_path / "c.xlsx"
    workbook(file, [["id", "text"]])
    with pytest.raises(DatasetFormatError, match="at least one chunk"):
        read(open_corpus(file))
    workbook(file, [])
    with pytest.raises(DatasetFormatError, match=r"the workbook is empty.*a table of passages"):
        read(open_corpus(file))


def test_a_damaged_workbook(tmp_path: Path) -> None:
    file = tmp_path / "c.xlsx"
    workbook(file, [["id", "text"], *numbered(3000)])
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DatasetFormatError, match=r"the workbook is damaged"):
        read(open_corpus(file))
