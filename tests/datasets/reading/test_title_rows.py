"""A title above the header, in every format that has one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.datasets.reading.sheets import Grid, table_of
from muffakir_eval.datasets.tables import ReadOptions
from muffakir_eval.errors import DatasetColumnError
from muffakir_eval.pipelines import load_corpus

Write = Callable[..., Path]
WriteBook = Callable[..., Path]
HEADER = ["question", "answer", "context"]
ROW = ["ما العاصمة؟", "مسقط", "عاصمة عُمان مسقط"]


@pytest.mark.parametrize(
    ("above", "row"),
    [
        ([["تقييم النظام"]], 3),
        ([["تقييم النظام"], []], 4),
        ([[], ["تقييم النظام"], ["نسخة أولى"], []], 6),
        ([[None, "تقييم النظام", None]], 3),
        ([[], []], 4),
        ([["الأسئلة"]], 3),  # a weak name of the question, alone above a whole header
        ([["question"]], 3),
        ([[f"سطر {number}"] for number in range(9)], 11),
    ],
)
def test_a_title_is_left_out_and_rows_keep_their_numbers(
    write: Write, write_xlsx: WriteBook, above: list[list[Any]], row: int
) -> None:
    text = "".join(",".join(str(cell or "") for cell in cells) + "\n" for cells in [*above, HEADER, ROW])
    for path in (write_xlsx({"Sheet": [*above, HEADER, ROW]}), write("q.csv", text)):
        dataset = load_evaluation_dataset(path)
        assert [(sample.row, sample.question, sample.answers, sample.contexts) for sample in dataset] == [
            (row, ROW[0], (ROW[1],), (ROW[2],))
        ]
        titles = [cell for cells in above for cell in cells if cell]
        assert len(dataset.warnings) == bool(titles)
        for title in titles:
            assert f"row {row - 1} is the header; above it stood" in dataset.warnings[0]
            assert repr(title) in dataset.warnings[0]


def test_what_is_above_may_have_other_separators_or_quotes(write: Write) -> None:
    path = write("q.csv", 'sep=;\n"تقرير\nمن سطرين"\nالسؤال;الجواب\nس;ج\n')
    dataset = load_evaluation_dataset(path)
    assert [(sample.row, sample.question, sample.answers) for sample in dataset] == [(3, "س", ("ج",))]
    assert load_evaluation_dataset(write("r.csv", "تقرير;;\nالسؤال;الجواب;م\nس;ج;7\n"))[0].sample_id == "7"
    assert load_evaluation_dataset(write("q.tsv", "تقرير\nالسؤال\tالجواب\nس\tج\n"))[0].answer == "ج"


def test_a_single_column_may_have_a_title(write: Write) -> None:
    dataset = load_evaluation_dataset(write("q.csv", "أسئلة الامتحان\nالسؤال\nس\n"))
    assert [(sample.row, sample.question) for sample in dataset] == [(3, "س")]


@pytest.mark.parametrize(
    "above",
    [
        [["التاريخ", "2024"]],
        [["تقييم"], ["المعد", "أحمد"]],
        [["أسئلة", None, "مراجع"]],
    ],
)
def test_more_than_a_title_is_an_error_that_names_the_row(
    write: Write, write_xlsx: WriteBook, above: list[list[Any]]
) -> None:
    text = "".join(",".join(str(cell or "") for cell in cells) + "\n" for cells in [*above, HEADER, ROW])
    number = len(above) + 1
    for path in (write_xlsx({"Sheet": [*above, HEADER, ROW]}), write("q.csv", text)):
        with pytest.raises(DatasetColumnError) as caught:
            load_evaluation_dataset(path)
        assert f"the header seems to be row {number}, which has 'question'" in str(caught.value)
        assert f"delete the rows above row {number}" in str(caught.value)


def test_beyond_ten_rows_no_header_is_looked_for(write: Write) -> None:
    text = "عنوان\n" * 10 + "question,answer\nس,ج\n"
    with pytest.raises(DatasetColumnError, match="no column holds the question"):
        load_evaluation_dataset(write("q.csv", text))


def test_a_cell_that_is_called_like_a_column_is_no_header(write: Write) -> None:
    dataset = load_evaluation_dataset(write("q.csv", "question,answer\nanswer,question\nquery,السؤال\n"))
    assert [sample.question for sample in dataset] == ["answer", "query"]
    assert dataset.warnings == []


def test_the_users_own_column_is_the_header_wherever_it_stands(write: Write) -> None:
    text = "تقييم\nنص,رد\nس,ج\n"
    dataset = load_evaluation_dataset(write("q.csv", text), column_mapping={"question": "نص", "answer": "رد"})
    assert [(sample.row, sample.question, sample.answer) for sample in dataset] == [(3, "س", "ج")]


def test_sheets_with_titles_are_told_apart(write_xlsx: WriteBook) -> None:
    sheets: dict[str, Sequence[Sequence[Any]]] = {
        "ملخص": [["تقرير"], ["المتوسط", 3]],
        "أسئلة": [["عنوان"], HEADER, ROW],
    }
    dataset = load_evaluation_dataset(write_xlsx(sheets))
    assert dataset[0].row == 3
    assert dataset.notes[0] == "the sheet 'أسئلة' is read, the only one with a question column"


def test_grids_of_any_library(options: ReadOptions) -> None:
    table = table_of(Grid(name="S", rows=[(1, ["عنوان"]), (3, HEADER), (4, ROW)]), "q.xls", options)
    assert table.columns == tuple(HEADER)
    assert [row for row, _, _ in table.rows] == [4]


def test_a_corpus_with_a_title(write: Write) -> None:
    path = write("c.csv", "قانون العمل,\nالمعرف,النص\n1,نص المادة\n")
    with pytest.warns(UserWarning, match="row 2 is the header; above it stood 'قانون العمل' in row 1"):
        passages = load_corpus(path)
    assert [(passage.chunk_id, passage.text) for passage in passages] == [("1", "نص المادة")]


def test_the_text_of_a_formula_is_said_to_be_the_gold(write_xlsx: WriteBook) -> None:
    path = write_xlsx({"S": [["question", "context", "x"], ["س", "=C2", "الدليل"]]})
    dataset = load_evaluation_dataset(path)
    assert dataset[0].contexts == ("=C2",)
    assert "cell B2" in dataset.warnings[0]
    assert "the text of the formula itself, as in =A1, is now what the cell says" in dataset.warnings[0]
