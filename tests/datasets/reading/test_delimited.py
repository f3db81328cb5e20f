"""CSV and TSV."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.errors import DatasetColumnError, DatasetFormatError, DatasetRowError

Write = Callable[..., Path]


# -- separators ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("q.csv", "question,answer\nس,ج\n"),
        ("q.csv", "question;answer\nس;ج\n"),
        ("q.csv", "question\tanswer\nس\tج\n"),
        ("q.csv", '"question";"answer"\n"س";"ج"\n'),
        ("q.csv", "السؤال;الإجابة\nس;ج\n"),
        ("q.csv", "sep=;\nquestion;answer\nس;ج\n"),
        ("q.csv", '"sep=|"\nquestion|answer\nس|ج\n'),
        ("q.csv", "SEP=\t\nquestion\tanswer\nس\tج\n"),
        ("q.csv", "question;answer;a,b\nس;ج;x\n"),
        ("q.tsv", "question\tanswer\nس\tج\n"),
        ("q.csv", "question,answer\r\nس,ج\r\n"),
        ("q.csv", "question,answer\rس,ج\r"),
    ],
)
def test_separators(write: Write, name: str, content: str) -> None:
    (sample,) = load_evaluation_dataset(write(name, content))
    assert (sample.question, sample.answer, sample.row) == ("س", "ج", 2)


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("question,note;text", ["note;text"]),  # the comma gives a question column already
        ("question;x,answer;y", ["question;x"]),  # neither reading of it is better: the suffix counts
    ],
)
def test_a_header_that_could_be_either_is_read_as_the_suffix_says(
    write: Write, header: str, columns: list[str]
) -> None:
    path = write("q.csv", f"{header}\nس,ج\n")
    mapping = {"question": header.split(",")[0]}
    assert load_evaluation_dataset(path, column_mapping=mapping).unmapped == [header.split(",")[1]]


def test_only_the_header_decides(write: Write) -> None:
    path = write("q.csv", "question\nما الفرق؛ بين أ;ب;ج؟\n")
    assert load_evaluation_dataset(path)[0].question == "ما الفرق؛ بين أ;ب;ج؟"


def test_a_tab_in_tsv_only(write: Write) -> None:
    with pytest.raises(DatasetColumnError, match="the columns are 'question,answer'"):
        load_evaluation_dataset(write("q.tsv", "question,answer\nس,ج\n"))


# -- rows and lines -----------------------------------------------------------------------------------


def test_rows_are_counted_as_a_spreadsheet_counts_them(write: Write) -> None:
    path = write("q.csv", 'question,answer\n"س\nفي سطرين",ج\n\n,\nس2,ج2\n')
    assert [(sample.row, sample.question) for sample in load_evaluation_dataset(path)] == [
        (2, "س\nفي سطرين"),
        (5, "س2"),
    ]


def test_blank_rows_before_the_header_are_rows(write: Write) -> None:
    path = write("q.csv", "\n,,\nquestion,answer\nس,ج\n")
    assert load_evaluation_dataset(path)[0].row == 4


def test_the_line_of_the_separator_is_none(write: Write) -> None:
    path = write("q.csv", "sep=;\nquestion;answer\nس;ج\nص\n")
    assert load_evaluation_dataset(path, fail_fast=False)[0].row == 2
    with pytest.raises(DatasetRowError, match=r"row 3 \(line 4\)"):
        load_evaluation_dataset(path)


def test_text_is_verbatim_within_quotes(write: Write) -> None:
    text = ' أول،\r\nثان "مقتبس" ; | \t\u2028 '
    quoted = text.replace('"', '""')
    (sample,) = load_evaluation_dataset(write("q.csv", f'question,context\nس,"{quoted}"\n'))
    assert sample.context == text


@pytest.mark.parametrize(
    ("row", "found"),
    [("س,ج,نص,زائد", 4), ("س,ج", 2), ("س", 1), ("س,ج,نص,,x", 5)],
)
def test_shifted_columns_name_row_line_and_counts(write: Write, row: str, found: int) -> None:
    path = write("q.csv", f'question,answer,context\n"س\n1",ج,نص\n{row}\nس3,ج,نص\n')
    with pytest.raises(DatasetRowError) as caught:
        load_evaluation_dataset(path)
    message = str(caught.value)
    assert message.startswith(f"{path}, row 3 (line 4): {found} fields found, 3 expected, so the columns are shifted")
    assert "the row begins 'س" in message
    assert "What to do: quote the cells" in message
    dataset = load_evaluation_dataset(path, fail_fast=False)
    assert [sample.row for sample in dataset] == [2, 4]
    assert [problem.row for problem in dataset.problems] == [3]


@pytest.mark.parametrize("row", ["س,ج,نص,", "س,ج,نص,,,", "س,ج,نص, ,\t"])
def test_empty_fields_beyond_the_header_are_no_shift(write: Write, row: str) -> None:
    assert load_evaluation_dataset(write("q.csv", f"question,answer,context\n{row}\n"))[0].context == "نص"


def test_empty_headers_at_the_end_need_no_fields(write: Write) -> None:
    path = write("q.csv", "question,answer,,\nس1,ج\nس2,ج,\nس3,ج,,\nس4,ج,x,\n")
    dataset = load_evaluation_dataset(path)
    assert [sample.metadata for sample in dataset] == [{}, {}, {}, {"column_3": "x"}]
    assert dataset.unmapped == ["column_3"]
    with pytest.raises(DatasetRowError, match="1 fields found, 4 expected"):
        load_evaluation_dataset(write("q.csv", "question,answer,,\nس1\n"))


def test_an_empty_header_with_data_is_metadata(write: Write) -> None:
    dataset = load_evaluation_dataset(write("q.csv", ",question,,answer\n0,س1,,ج\n1,س2,ملاحظة,ج\n"))
    assert [sample.metadata for sample in dataset] == [{"column_1": "0"}, {"column_1": "1", "column_3": "ملاحظة"}]
    assert dataset.unmapped == ["column_1", "column_3"]


def test_names_that_repeat(write: Write) -> None:
    path = write("q.csv", "question,note,note\nس,أ,ب\n")
    assert load_evaluation_dataset(path)[0].metadata == {"note": "أ", "note_2": "ب"}
    with pytest.raises(DatasetColumnError, match="several columns are called 'answer'"):
        load_evaluation_dataset(write("q.csv", "question,answer,answer\nس,أ,ب\n"))


def test_an_empty_cell_of_another_column_is_missing(write: Write) -> None:
    assert load_evaluation_dataset(write("q.csv", "question,note\nس,\n"))[0].metadata == {"note": None}


# -- quotes -------------------------------------------------------------------------------------------


def test_a_quote_that_is_never_closed_names_where_it_opens(write: Write) -> None:
    rows = "".join(f"س{number},ج\n" for number in range(50))
    path = write("q.csv", f'question,answer\nس,"في\nسطرين"\nص,"لا نهاية\n{rows}')
    for fail_fast in (True, False):
        with pytest.raises(DatasetFormatError) as caught:
            load_evaluation_dataset(path, fail_fast=fail_fast)
        message = str(caught.value)
        assert message.startswith(f"{path}, row 3: the quote that opens in line 4 is never closed")
        assert "What to do: close it" in message


def test_the_quote_of_a_later_cell_in_a_later_line(write: Write) -> None:
    path = write("q.csv", 'question,answer,context\n"س\nب","ج\nد\nه","نص\n')
    with pytest.raises(DatasetFormatError, match="row 2: the quote that opens in line 5 is never closed"):
        load_evaluation_dataset(path)


def test_doubled_quotes_before_it_are_no_opening(write: Write) -> None:
    path = write("q.csv", 'question,answer\n"قال ""نعم""\nثم","سكت ""\n\n')
    with pytest.raises(DatasetFormatError, match="row 2: the quote that opens in line 3 is never closed"):
        load_evaluation_dataset(path)


def test_a_quote_that_closes_in_the_middle_of_a_cell(write: Write) -> None:
    path = write("q.csv", 'question,answer\nس1,ج\nس2,"مجلة "العربي" الشهرية"\nس3,ج\n')
    with pytest.raises(DatasetRowError) as caught:
        load_evaluation_dataset(path)
    assert str(caught.value).startswith(
        f"{path}, row 3 (line 3): the quote that opens in line 3 closes in the middle of a cell, in line 3"
    )
    assert "write a quote inside a quoted cell twice" in str(caught.value)
    dataset = load_evaluation_dataset(path, fail_fast=False)
    assert [sample.question for sample in dataset] == ["س1", "س3"]


def test_quotes_inside_plain_cells_are_text(write: Write) -> None:
    path = write("q.csv", 'question,answer\nما معنى "القانون" هنا؟,طول 5" فقط\n')
    (sample,) = load_evaluation_dataset(path)
    assert (sample.question, sample.answer) == ('ما معنى "القانون" هنا؟', 'طول 5" فقط')


def test_a_quote_in_the_header_that_is_never_closed(write: Write) -> None:
    with pytest.raises(DatasetFormatError, match="row 1: the quote that opens in line 1 is never closed"):
        load_evaluation_dataset(write("q.csv", 'question,"answer\nس,ج\n'))


def test_a_header_over_several_lines(write: Write) -> None:
    path = write("q.csv", '"question","answer\n(gold)"\nس,ج\n')
    dataset = load_evaluation_dataset(path)
    assert dataset.unmapped == ["answer\n(gold)"]
    assert dataset[0].row == 2


# -- the csv module -----------------------------------------------------------------------------------


def test_the_limit_of_the_csv_module_is_restored_even_after_an_error(write: Write) -> None:
    before = csv.field_size_limit(1000)
    try:
        with pytest.raises(DatasetRowError):
            load_evaluation_dataset(write("q.csv", f'question,answer\n{"س" * 2000},ج\n"a"b,ج\n'))
        assert csv.field_size_limit() == 1000
    finally:
        csv.field_size_limit(before)


def test_a_name_longer_than_the_limit(write: Write) -> None:
    path = write("q.csv", f"question,{'n' * 200_000}\nس,x\n")
    assert load_evaluation_dataset(path)[0].question == "س"


def test_headerless_files_say_that_names_are_missing(write: Write) -> None:
    with pytest.raises(
        DatasetColumnError, match=r"the columns are '0', 'ما السبب\?'.*names of columns in the first row"
    ):
        load_evaluation_dataset(write("q.tsv", "0\tما السبب?\n1\tوما النتيجة؟\n"))


def test_reading_stops_once_there_are_enough_rows(write: Write) -> None:
    path = write("q.csv", "question,answer\nس1,ج\nس2,ج\nس3\n")
    assert len(load_evaluation_dataset(path, max_samples=2)) == 2
