"""The workbook: every text comes back, nothing runs, nothing is lost in silence."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.utils import get_column_letter

from muffakir_eval import load_evaluation_dataset
from muffakir_eval.datasets.reading.sheets import sheet_value
from muffakir_eval.errors import StorageError
from muffakir_eval.records.rows import OWN_COLUMNS, REFERENCE_COLUMNS
from muffakir_eval.text.cells import CUT, LONGEST, restore_cell
from muffakir_eval.writers import samples_xlsx
from muffakir_eval.writers.samples_xlsx import cell_text, xlsx_chunks
from muffakir_eval.writers.words import Words

COLUMNS = [*REFERENCE_COLUMNS, *OWN_COLUMNS, "run_id"]
SUMMARY: dict[str, Any] = {
    "n_samples": 1,
    "k": 5,
    "run_id": "r1",
    "language": "ar",
    "confidence_level": 0.95,
    "metrics": {
        "recall_at_k": {
            "mean": 0.5,
            "interval": [0.25, 0.75],
            "n_scored": 1,
            "n_total": 2,
            "reasons": {"no_gold": 1},
            "mean_failures_as_zero": 0.25,
        },
        "faithfulness": {"mean": None, "reason": "timeout", "n_scored": 0, "n_total": 2},
    },
    "refusals": {
        "n_answers": 2,
        "n_refused": 1,
        "rate": 0.5,
        "table": {"answerable": {"answered": 1, "refused": 1}},
    },
    "latency_ms": {"total": {"n": 2, "mean": 1234.56, "p50": 1.0, "p90": 2.0, "p95": 2.0, "p99": 2.0}},
    "warnings": ["=1+1"],
    "config": {"k": 5, "matching": {"fuzzy": True}, "api_key": "***", "metrics": None, "k_values": [1, 3]},
}
HOSTILE = [
    '=HYPERLINK("http://x.test")',
    " =1+1",
    "\u200b=1+1",
    "@SUM(A1)",
    "- البند الأول",
    "-0.5",
    "'=1",
    "'",
    "#N/A",
    "TRUE",
    "007",
    "1e5",
    "\x00nul",
    "bell \x07 \x1f \r\n \t \x0b",
    "_x0007_ and _x005F_",
    "_x005F_x0007_",
    "نصف رمز \ud83d",
    "\\ud83d",
    "\ufffe\uffff",
    " يبدأ وينتهي بفراغ ",
    "أ\u2028ب\x85",
    "😀 ما عاصمة مصر؟",
]


def book(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = COLUMNS, **summary: Any) -> bytes:
    return b"".join(xlsx_chunks(rows, columns, {**SUMMARY, **summary}))


def opened(content: bytes) -> Any:
    return openpyxl.load_workbook(io.BytesIO(content))


def row(**cells: Any) -> dict[str, Any]:
    return {"question": "س", "retrieved_previews": "[]", "run_id": "r1", "answer_refusal": False, **cells}


@pytest.mark.parametrize("text", HOSTILE)
def test_every_text_comes_back_from_our_loader_and_none_is_a_formula(tmp_path: Path, text: str) -> None:
    path = tmp_path / "samples.xlsx"
    path.write_bytes(book([row(question=f"س {text}", gold_answer=text, predicted_answer=text, sample_id="1")]))
    (sample,) = load_evaluation_dataset(path)
    assert sample.question == f"س {text}"
    assert sample.answer == (None if not text.strip() else text)
    assert sample.recorded is not None
    assert sample.recorded.answer == text
    with zipfile.ZipFile(path) as archive:
        sheets = [archive.read(name) for name in archive.namelist() if name.startswith("xl/worksheets/")]
    assert all(b"<f>" not in sheet and b't="e"' not in sheet for sheet in sheets)


def test_formula_like_text_is_marked_as_text_so_that_editing_it_runs_nothing() -> None:
    sheet = opened(book([row(predicted_answer="=1+1", gold_answer="نص")]))["العينات"]
    answer, gold = sheet.cell(2, 6), sheet.cell(2, 4)
    assert (answer.value, answer.data_type, answer.quotePrefix) == ("=1+1", "s", True)
    assert not gold.quotePrefix


def test_numbers_and_truth_values_are_what_they_are() -> None:
    sheet = opened(book([row(recall_at_k=-0.5, latency_ms=12.25, row=2, answer_refusal=True, mrr=None)]))["العينات"]
    cells = {sheet.cell(1, at).value: sheet.cell(2, at) for at in range(1, len(COLUMNS) + 1)}
    assert (cells["recall_at_k"].value, cells["recall_at_k"].number_format) == (-0.5, "0.0000")
    assert (cells["latency_ms"].value, cells["latency_ms"].number_format) == (12.25, "#,##0.0")
    assert (cells["row"].value, cells["row"].number_format) == (2, "0")
    assert cells["answer_refusal"].value is True
    assert cells["mrr"].value is None


def test_the_sheet_is_made_to_be_read() -> None:
    workbook = opened(book([row(), row()]))
    sheet = workbook["العينات"]
    assert sheet.sheet_view.rightToLeft
    assert workbook["الملخص"].sheet_view.rightToLeft
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref == f"A1:{get_column_letter(len(COLUMNS))}3"
    assert sheet.column_dimensions["A"].width == 50
    assert sheet.cell(2, 1).alignment.wrap_text
    assert sheet.cell(1, 1).font.bold


def test_an_english_run_runs_from_left_to_right() -> None:
    workbook = opened(book([row()], language="en"))
    assert workbook.sheetnames == ["Summary", "Samples"]
    assert not workbook["Samples"].sheet_view.rightToLeft


@pytest.mark.parametrize("language", ["ar", "en"])
def test_the_summary_is_seen_first_and_the_samples_are_still_read(tmp_path: Path, language: str) -> None:
    slices = {"question": [{"value": "س", "n_samples": 1, "metrics": {}}]}
    path = tmp_path / "samples.xlsx"
    path.write_bytes(book([row(sample_id="q1"), row(sample_id="q2")], language=language, slices=slices))
    workbook = opened(path.read_bytes())
    assert workbook.sheetnames[0] == workbook.active.title == Words(language)["summary_sheet"]
    selected = [sheet.title for sheet in workbook if sheet.sheet_view.tabSelected]
    assert selected in ([], [workbook.sheetnames[0]])
    assert [sample.sample_id for sample in load_evaluation_dataset(path)] == ["q1", "q2"]


def test_the_figures_stand_on_a_sheet_of_their_own() -> None:
    sheet = opened(book([row()]))["الملخص"]
    rows = [[cell for cell in cells if cell is not None] for cells in sheet.iter_rows(values_only=True)]
    assert ["الاستدعاء (recall_at_k)", 0.5, "[0.2500, 0.7500]", "1/2", 0.25, "لا دليل مرجعي (1)"] in rows
    assert ["الالتزام بالسياق (faithfulness)", "0/2", "انتهت المهلة"] in rows
    assert ["نسبة الامتناع: 1 / 2 = 50.0%"] in rows
    assert ["matching.fuzzy", "true"] in rows
    assert ["k_values", "1, 3"] in rows
    assert ["=1+1"] in rows
    assert "metrics" not in [cells[0] for cells in rows if cells]


@pytest.mark.parametrize(
    "text", ["م" * 40_000, "😀" * 20_000, "\x07" * 10_000, "=_x0007_" * 5_000, "\ud83d" * 7_000, "a\r\n" * 15_000]
)
def test_a_text_that_is_too_long_is_cut_with_a_mark_and_counted(text: str) -> None:
    workbook = opened(book([row(predicted_answer=text)]))
    cell = workbook["العينات"].cell(2, 6).value
    assert len(cell.encode("utf-16-le")) // 2 <= LONGEST
    assert f"من {len(text):,} حرفًا]" in cell
    told = [cells[0] for cells in workbook["الملخص"].iter_rows(values_only=True)]
    at = told.index("خلايا أطول مما يسعه الجدول وقد قُصّت")
    assert told[at + 1] == "1"
    assert told[at + 3] == "أولها: predicted_answer, 2"
    kept = restore_cell(sheet_value(cell))
    assert text.startswith(kept[: kept.index(" … [")])


def test_the_longest_text_that_fits_is_not_cut() -> None:
    workbook = opened(book([row(predicted_answer="م" * LONGEST)]))
    assert workbook["العينات"].cell(2, 6).value == "م" * LONGEST


def test_a_list_that_is_too_long_stays_a_list() -> None:
    long = json.dumps(["قصير", "م" * 40_000, None], ensure_ascii=False)
    many = json.dumps(["مقطع"] * 9_000, ensure_ascii=False)
    (top, *_), cells = opened(book([row(gold_contexts=long, gold_answers=many)]))["العينات"].iter_rows(values_only=True)
    short, cut, nothing = json.loads(cells[COLUMNS.index("gold_contexts")])
    assert (short, nothing) == ("قصير", None)
    assert cut.endswith("حرفًا]")
    assert json.loads(cells[COLUMNS.index("gold_answers")]) == ["… (9000)"]
    assert top == "question"


def test_what_is_no_list_of_texts_is_cut_as_text() -> None:
    for text in ("[" + "x" * 40_000, json.dumps([1] * 20_000), "[" * 40_000):
        cell = opened(book([row(metadata=text)]))["العينات"].cell(2, COLUMNS.index("metadata") + 1).value
        assert "مقتطع" in cell


def test_more_rows_than_a_sheet_holds_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples_xlsx, "MOST_ROWS", 3)
    book([row()] * 2)
    with pytest.raises(StorageError, match=r"samples\.csv"):
        book([row()] * 3)


def test_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="None"):
        book([row(mrr=float("nan"))])


def test_rows_are_taken_one_at_a_time_and_no_text_is_kept() -> None:
    import tracemalloc

    def rows(n: int) -> Iterator[dict[str, Any]]:
        return (row(question=f"س{at}", gold_context=f"{at} " + "نص " * 3_000) for at in range(n))

    peaks = []
    for n in (20, 200):
        tracemalloc.start()
        for _ in xlsx_chunks(rows(n), COLUMNS, SUMMARY):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 1_000_000  # 180 more rows hold 3 MB


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(), max_size=20) | st.text("=+-@'_x05F7D\\u\r\x00\x07\ud83d \ufffe", max_size=16))
def test_a_cell_is_restored_exactly(text: str) -> None:
    cell = cell_text(text)
    cell.encode("utf-8")
    assert not openpyxl.cell.cell.ILLEGAL_CHARACTERS_RE.search(cell)
    assert restore_cell(sheet_value(cell) or "") == text


def test_what_libreoffice_takes_for_an_escape_is_escaped() -> None:
    """It is content with one to four digits, Excel asks for four."""
    assert [cell_text(text) for text in ("_x1_", "_x12_", "_xABC_", "_x_", "_x12345_")] == [
        *("_x005F_x1_", "_x005F_x12_", "_x005F_xABC_", "_x_", "_x12345_")
    ]


def test_the_mark_of_a_cut_is_known_in_both_languages() -> None:
    for language in ("ar", "en"):
        assert CUT.fullmatch(Words(language)["cut_mark"].format(n=f"{1234:,}", all=f"{40_000:,}"))


@pytest.mark.parametrize("language", ["ar", "en"])
def test_a_gold_that_was_cut_is_refused_and_an_answer_that_was_is_warned_of(tmp_path: Path, language: str) -> None:
    long = "م" * 40_000
    path = tmp_path / "samples.xlsx"
    path.write_bytes(
        book([row(predicted_answer=long), row(gold_context=long, gold_contexts=json.dumps([long]))], language=language)
    )
    found = load_evaluation_dataset(path, fail_fast=False)
    assert len(found) == 1
    assert "cut when the workbook was written" in str(found.problems[0])
    assert "samples.jsonl" in str(found.problems[0])
    assert any("cell F2: the text was too long" in warning for warning in found.warnings)


def test_fonts_are_named_so_that_every_program_takes_the_same() -> None:
    workbook = opened(book([row()]))
    names = {cell.font.name for sheet in workbook for cells in sheet.iter_rows() for cell in cells if cell.value}
    assert names == {"Calibri"}
