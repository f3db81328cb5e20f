"""Excel workbooks."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.datasets.reading.sheets import cell_name, sheet_value
from muffakir_eval.errors import DatasetColumnError, DatasetFormatError, DatasetRowError

Write = Callable[..., Path]


def edited(path: Path, part: str, change: Callable[[str], str]) -> Path:
    """The workbook with one of its parts rewritten."""
    result = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(result, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, change(data.decode()).encode() if name == part else data)
    path.write_bytes(result.getvalue())
    return path


# -- cells --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text", "raw"),
    [
        ("نص", "نص", "نص"),
        (" نص ", " نص ", " نص "),
        ("007", "007", "007"),
        (12, "12", 12),
        (12.0, "12", 12),
        (1.5, "1.5", 1.5),
        (0.1, "0.1", 0.1),
        (1e5, "100000", 100000),
        (True, "TRUE", True),
        (False, "FALSE", False),
        (datetime.date(2024, 1, 5), "2024-01-05", "2024-01-05"),
        (datetime.datetime.fromisoformat("2024-01-05"), "2024-01-05", "2024-01-05"),
        (datetime.datetime.fromisoformat("2024-01-05T13:30"), "2024-01-05T13:30:00", "2024-01-05T13:30:00"),
        (datetime.time(9, 30), "09:30:00", "09:30:00"),
        ("سطر\nثان", "سطر\nثان", "سطر\nثان"),
    ],
)
def test_cells_as_text_and_as_metadata(write_xlsx: Write, value: Any, text: str, raw: Any) -> None:
    (sample,) = load_evaluation_dataset(write_xlsx({"S": [["question", "answer", "note"], ["س", value, value]]}))
    assert sample.answer == text
    assert sample.metadata["note"] == raw
    assert type(sample.metadata["note"]) is type(raw)


def test_a_percentage_is_its_value(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["question", "share"])
    sheet.append(["س", 0.25])
    sheet["B2"].number_format = "0%"
    book.save(tmp_path / "q.xlsx")
    assert load_evaluation_dataset(tmp_path / "q.xlsx")[0].metadata == {"share": 0.25}


def test_control_characters_are_unescaped(write_xlsx: Write) -> None:
    path = write_xlsx({"S": [["question", "answer"], ["س", "أ_x000D_\nب _x0041_ _x000_"]]})
    assert load_evaluation_dataset(path)[0].answer == "أ\r\nب _x0041_ _x000_"


@pytest.mark.parametrize("value", [True, "TRUE", 1, "نعم"])
def test_answerable(write_xlsx: Write, value: Any) -> None:
    assert load_evaluation_dataset(write_xlsx({"S": [["question", "answerable"], ["س", value]]}))[0].answerable is True


def test_a_value_that_says_neither_names_the_cell(write_xlsx: Write) -> None:
    path = write_xlsx({"أسئلة": [["question", "answerable"], ["س", "ربما"]]})
    with pytest.raises(DatasetRowError) as caught:
        load_evaluation_dataset(path)
    assert str(caught.value).startswith(f"{path}, sheet 'أسئلة', row 2, column 'answerable': the cell says 'ربما'")


@pytest.mark.parametrize(
    ("row", "column", "name"), [(1, 1, "A1"), (2, 26, "Z2"), (3, 27, "AA3"), (10, 702, "ZZ10"), (1, 703, "AAA1")]
)
def test_names_of_cells(row: int, column: int, name: str) -> None:
    assert cell_name(row, column) == name


def test_values_of_cells() -> None:
    assert sheet_value("") is None
    assert (sheet_value(12.0), type(sheet_value(12.0))) == (12, int)
    assert sheet_value(1e20) == 1e20


# -- formulas -----------------------------------------------------------------------------------------


def with_formulas(tmp_path: Path, cells: dict[str, str]) -> Path:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "S"
    sheet.append(["question", "answer", "note"])
    for row in (2, 3, 4):
        sheet.append([f"س{row}", None, None])
    for name, formula in cells.items():
        sheet[name] = formula
    book.save(tmp_path / "q.xlsx")
    return tmp_path / "q.xlsx"


def test_a_formula_without_a_value_is_read_as_its_text_with_a_warning(tmp_path: Path) -> None:
    path = with_formulas(tmp_path, {"B2": "=1+1", "B4": '=CONCATENATE("أ", A4)', "C3": "=1/0"})
    dataset = load_evaluation_dataset(path)
    assert [sample.answers for sample in dataset] == [("=1+1",), (), ('=CONCATENATE("أ", A4)',)]
    assert dataset[1].metadata == {"note": None}  # no field is read from it
    assert len(dataset.warnings) == 2
    assert dataset.warnings[0].startswith(f"{path}, sheet 'S', cell B2: the file holds no value for its formula")
    assert "cell B4" in dataset.warnings[1]
    assert "open the file in a spreadsheet and save it" in dataset.warnings[0]


def test_a_formula_with_a_value_is_its_value(tmp_path: Path) -> None:
    path = with_formulas(tmp_path, {"B2": "=1+1", "B3": '="أ"', "B4": '=""'})

    def computed(xml: str) -> str:
        xml = re.sub(r'<c r="B2"([^>]*)><f>1\+1</f><v ?/></c>', r'<c r="B2"\1><f>1+1</f><v>2</v></c>', xml)
        xml = re.sub(r'<c r="B3"([^>]*)><f>"أ"</f><v ?/></c>', r'<c r="B3" t="str"><f>"أ"</f><v>أ</v></c>', xml)
        return re.sub(r'<c r="B4"([^>]*)><f>""</f><v ?/></c>', r'<c r="B4" t="str"><f>""</f><v></v></c>', xml)

    dataset = load_evaluation_dataset(edited(path, "xl/worksheets/sheet1.xml", computed))
    assert [sample.answers for sample in dataset] == [("2",), ("أ",), ()]
    assert dataset.warnings == []


def test_shared_formulas_are_translated(tmp_path: Path) -> None:
    path = with_formulas(tmp_path, {"B2": "=A2&1", "B3": "=A3&1", "B4": "=A4&1"})

    def shared(xml: str) -> str:
        xml = re.sub(
            r'<c r="B2"([^>]*)><f>A2&amp;1</f>', r'<c r="B2"\1><f t="shared" ref="B2:B4" si="0">A2&amp;1</f>', xml
        )
        return re.sub(r'<c r="B([34])"([^>]*)><f>A[34]&amp;1</f>', r'<c r="B\1"\2><f t="shared" si="0"/>', xml)

    dataset = load_evaluation_dataset(edited(path, "xl/worksheets/sheet1.xml", shared))
    assert [sample.answer for sample in dataset] == ["=A2&1", "=A3&1", "=A4&1"]


def test_an_error_value_is_text_with_a_warning(write_xlsx: Write) -> None:
    path = write_xlsx({"S": [["question", "answer", "note"], ["س", "#N/A", "#REF!"]]})
    dataset = load_evaluation_dataset(path)
    assert dataset[0].answer == "#N/A"
    (warning,) = dataset.warnings
    assert "cell B2: its formula failed, and #N/A is read as text" in warning


@pytest.mark.parametrize("text", ["م" * 32_767, "م" + "😀" * 16_383])
def test_a_cell_that_is_full_may_have_lost_its_end(write_xlsx: Write, text: str) -> None:
    found = load_evaluation_dataset(write_xlsx({"S": [["question", "answer"], ["س", text], ["س2", text[1:]]]}))
    assert len(found.warnings) == 1
    assert "cell B2: it holds 32,767 characters" in found.warnings[0]


def test_a_date_that_cannot_be_one_is_told(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["question", "answer"])
    sheet.append(["س", 1e9])
    sheet["B2"].number_format = "yyyy-mm-dd"
    book.save(tmp_path / "q.xlsx")
    dataset = load_evaluation_dataset(tmp_path / "q.xlsx")
    assert dataset[0].answer == "#VALUE!"
    assert any("B2" in warning and "date" in warning for warning in dataset.warnings)


# -- merged cells -------------------------------------------------------------------------------------


def merged(tmp_path: Path, *ranges: str) -> Path:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["question", "source_file", "note"])
    for row in (2, 3, 4):
        sheet.append([f"س{row}", "a.pdf", "x"])
    for name in ranges:
        sheet.merge_cells(name)
    book.save(tmp_path / "q.xlsx")
    return tmp_path / "q.xlsx"


def test_merged_cells_hold_their_value_once_with_a_warning(tmp_path: Path) -> None:
    dataset = load_evaluation_dataset(merged(tmp_path, "B2:B3", "C2:C4"))
    assert [sample.source_file for sample in dataset] == ["a.pdf", None, "a.pdf"]
    (warning,) = dataset.warnings
    assert "cells B2:B3: they are merged, so only the first holds the value" in warning
    assert "unmerge them and fill each" in warning


def test_a_merged_question_is_missing_in_the_rows_below(tmp_path: Path) -> None:
    with pytest.raises(DatasetRowError, match="row 3, column 'question': the question is missing"):
        load_evaluation_dataset(merged(tmp_path, "A2:A3"))
    dataset = load_evaluation_dataset(merged(tmp_path, "A2:A3"), fail_fast=False)
    assert "A2:A3" in dataset.warnings[0]


def test_a_merged_title_above_is_no_matter(write_xlsx: Write) -> None:
    dataset = load_evaluation_dataset(write_xlsx({"S": [[None], ["question", "answer"], ["س", "ج"]]}))
    assert dataset.warnings == []


# -- sheets -------------------------------------------------------------------------------------------

TWO: dict[str, Any] = {"LLM": [["Response", "score"], ["x", 1]], "Human": [["question", "answer"], ["س", "ج"]]}
BOTH: dict[str, Any] = {"A": [["question"], ["س1"]], "B": [["السؤال"], ["س2"]]}


def test_the_only_sheet_with_questions_is_taken(write_xlsx: Write) -> None:
    dataset = load_evaluation_dataset(write_xlsx(TWO))
    assert dataset[0].question == "س"
    assert "the sheet 'Human' is read, the only one with a question column" in dataset.notes


def test_the_mapping_counts_in_the_choice(write_xlsx: Write) -> None:
    dataset = load_evaluation_dataset(write_xlsx(TWO), column_mapping={"question": "Response"}, sheet="LLM")
    assert dataset[0].question == "x"


@pytest.mark.parametrize(("sheet", "question"), [("B", "س2"), ("b ", "س2"), (0, "س1"), (1, "س2"), (-1, "س2")])
def test_a_sheet_is_named_or_counted_from_0(write_xlsx: Write, sheet: str | int, question: str) -> None:
    assert load_evaluation_dataset(write_xlsx(BOTH), sheet=sheet)[0].question == question


def test_several_sheets_with_questions_must_be_chosen_from(write_xlsx: Write) -> None:
    path = write_xlsx(BOTH)
    with pytest.raises(DatasetFormatError) as caught:
        load_evaluation_dataset(path)
    message = str(caught.value)
    assert "2 of the 2 sheets could be the question set: 'A' with 'question'; 'B' with 'السؤال'" in message
    assert "choose one with sheet='A'" in message


def test_several_sheets_without_questions(write_xlsx: Write) -> None:
    path = write_xlsx({"A": [["x"], ["1"]], "B": [["y"], ["2"]]})
    with pytest.raises(
        DatasetFormatError, match=r"none of the 2 sheets.*choose one with sheet='A', and name its question column"
    ):
        load_evaluation_dataset(path)


@pytest.mark.parametrize("sheet", ["C", 2, -3])
def test_a_sheet_that_does_not_exist(write_xlsx: Write, sheet: str | int) -> None:
    with pytest.raises(
        DatasetFormatError, match=f"there is no sheet {sheet!r}.*the sheets are 'A', 'B'; a number counts from 0"
    ):
        load_evaluation_dataset(write_xlsx(BOTH), sheet=sheet)


def test_empty_and_hidden_sheets_stand_back(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["question"])
    sheet.append(["س"])
    book.create_sheet("Sheet2")
    hidden = book.create_sheet("Old")
    hidden.append(["question"])
    hidden.append(["قديم"])
    hidden.sheet_state = "hidden"
    book.save(tmp_path / "q.xlsx")
    assert load_evaluation_dataset(tmp_path / "q.xlsx")[0].question == "س"
    assert load_evaluation_dataset(tmp_path / "q.xlsx", sheet="Old")[0].question == "قديم"


@pytest.mark.parametrize(("sheet", "what"), [(None, "the workbook is empty"), ("S", "the sheet 'S' is empty")])
def test_an_empty_workbook(write_xlsx: Write, sheet: str | None, what: str) -> None:
    with pytest.raises(DatasetFormatError, match=what):
        load_evaluation_dataset(write_xlsx({"S": [], "T": []}), sheet=sheet)


def test_a_header_without_rows(write_xlsx: Write) -> None:
    with pytest.raises(DatasetFormatError, match="sheet 'S': there are no rows"):
        load_evaluation_dataset(write_xlsx({"S": [["question"]]}))


def test_one_sheet_without_questions(write_xlsx: Write) -> None:
    with pytest.raises(DatasetColumnError, match="sheet 'S': no column holds the question; the columns are 'Response'"):
        load_evaluation_dataset(write_xlsx({"S": [["Response"], ["x"]]}))


# -- the shape of the table ---------------------------------------------------------------------------


def test_blank_rows_and_columns_around_and_inside_the_table(write_xlsx: Write) -> None:
    rows = [
        [None],
        [None, None],
        [None, "question", None, "answer"],
        [None, "س1", None, "ج"],
        [],
        [None, " ", None, ""],
        [None, "س2", "x", "ج"],
    ]
    dataset = load_evaluation_dataset(write_xlsx({"S": rows}))
    assert [(sample.row, sample.question) for sample in dataset] == [(4, "س1"), (7, "س2")]
    assert [sample.metadata for sample in dataset] == [{}, {"column_3": "x"}]


def test_rows_shorter_than_the_header(write_xlsx: Write) -> None:
    dataset = load_evaluation_dataset(write_xlsx({"S": [["question", "answer", "note"], ["س"]]}))
    assert (dataset[0].answers, dataset[0].metadata) == ((), {"note": None})


def test_cells_beyond_the_header_are_metadata(write_xlsx: Write) -> None:
    dataset = load_evaluation_dataset(write_xlsx({"S": [["question"], ["س", None, "x"]]}))
    assert dataset[0].metadata == {"column_3": "x"}


def test_a_wrong_dimension_loses_no_rows(write_xlsx: Write) -> None:
    path = write_xlsx({"S": [["question", "answer"], ["س1", "ج"], ["س2", "ج"]]})
    edited(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace('ref="A1:B3"', 'ref="A1:A1"'))
    assert [sample.question for sample in load_evaluation_dataset(path)] == ["س1", "س2"]


@pytest.mark.parametrize("part", ["xl/workbook.xml", "xl/worksheets/sheet1.xml", "[Content_Types].xml"])
def test_a_damaged_workbook(write_xlsx: Write, part: str) -> None:
    path = edited(write_xlsx({"S": [["question"], ["س"]]}), part, lambda xml: xml[: len(xml) // 2])
    with pytest.raises(DatasetFormatError, match=r"the workbook is damaged.*save it again"):
        load_evaluation_dataset(path)


def test_a_workbook_that_is_cut_off(write_xlsx: Write) -> None:
    path = write_xlsx({"S": [["question"], ["س"]]})
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(DatasetFormatError, match="the workbook is damaged"):
        load_evaluation_dataset(path)


def test_another_zip_archive(write: Write) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("a.txt", "x")
    with pytest.raises(DatasetFormatError, match="the workbook is damaged"):
        load_evaluation_dataset(write("q.xlsx", data.getvalue()))


def test_a_workbook_with_macros(write_xlsx: Write) -> None:
    assert load_evaluation_dataset(write_xlsx({"S": [["question"], ["س"]]}, name="q.xlsm"))[0].question == "س"


def test_names_that_repeat(write_xlsx: Write) -> None:
    path = write_xlsx({"S": [["question", "answer", "answer"], ["س", "أ", "ب"]]})
    with pytest.raises(DatasetColumnError, match="several columns are called 'answer'"):
        load_evaluation_dataset(path)
