"""Inputs that broke other tools, with the right behaviour, each with its neighbours."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.errors import DatasetError, DatasetFormatError, DatasetRowError
from muffakir_eval.records import Sample
from muffakir_eval.text.cells import neutralise_cell

Write = Callable[..., Path]
AS_TYPED = ["None", "NA", "null", "nan", "لا", "True", "1e5", "2024-01-05"]
AS_TYPED_TOO = ["N/A", "NaN", "-", "0", "00", "1.0", "1.50", "FALSE", "=1+1", "3/4", "+966", "\u200fنعم", " نعم "]


# -- P02: a list typed into a cell -------------------------------------------------------------------


def test_p02_both_spellings_of_a_list_are_two_ids_and_an_empty_cell_is_none(write: Write) -> None:
    path = write("q.csv", 'question,chunk_id\nس1,"[""c1"",""c2""]"\nس2,"[\'c1\', \'c2\']"\nس3,\n')
    assert [sample.chunk_ids for sample in load_evaluation_dataset(path)] == [("c1", "c2"), ("c1", "c2"), ()]


def test_p02_the_same_in_a_workbook(write_xlsx: Write) -> None:
    path = write_xlsx({"S": [["question", "chunk_id"], ["س1", '["c1","c2"]'], ["س2", "['c1', 'c2']"], ["س3", None]]})
    assert [sample.chunk_ids for sample in load_evaluation_dataset(path)] == [("c1", "c2"), ("c1", "c2"), ()]


@pytest.mark.parametrize(
    "cell", ["[c1, c2]", '["c1", "c2]', "['c1' 'c2']", "['c1', nan]", '["c1",, "c2"]', "[1, 2"[:-1] + "x]"]
)
def test_p02_a_list_that_does_not_parse_names_file_row_and_column(write: Write, cell: str) -> None:
    quoted = cell.replace('"', '""')
    path = write("q.csv", f'question,chunk_id\nس1,c1\nس2,"{quoted}"\n')
    with pytest.raises(DatasetRowError) as caught:
        load_evaluation_dataset(path)
    assert (caught.value.row, caught.value.column) == (3, "chunk_id")
    message = str(caught.value)
    assert str(path) in message
    assert "row 3" in message
    assert "looks like a list and does not parse" in message
    assert 'write it as JSON, ["a", "b"]' in message


@pytest.mark.parametrize(
    ("cell", "ids"),
    [
        ("[]", ()),
        ('["c1"]', ("c1",)),
        ("[1, 2.0, '007']", ("1", "2", "007")),
        ('[9007199254740993, "x"]', ("9007199254740993", "x")),
        ("c1|c2", ("c1|c2",)),
        ("c1, c2", ("c1, c2",)),
        ("('c1', 'c2')", ("('c1', 'c2')",)),
        (' ["c1"] ', ("c1",)),
        ("[مادة] 5", ("[مادة] 5",)),
    ],
)
def test_p02_neighbours_that_are_or_are_no_list(write_jsonl: Write, cell: str, ids: tuple[str, ...]) -> None:
    path = write_jsonl({"question": "س", "chunk_id": cell})
    assert load_evaluation_dataset(path)[0].chunk_ids == ids


def test_p02_one_row_with_an_empty_list_does_not_fail_the_dataset(write_jsonl: Write) -> None:
    path = write_jsonl(
        {"question": "س1", "contexts": ["نص أول", "نص ثان"]},
        {"question": "س2", "contexts": []},
        {"question": "س3", "contexts": [""]},
    )
    assert [sample.contexts for sample in load_evaluation_dataset(path)] == [("نص أول", "نص ثان"), (), ()]


def test_p02_any_of_and_all_of(write_jsonl: Write) -> None:
    path = write_jsonl({"question": "س", "chunk_ids": [["a", "b"], ["c"]]})
    (sample,) = load_evaluation_dataset(path)
    assert (sample.chunk_ids, sample.groups) == (("a", "b", "c"), ((0, 1), (2,)))


# -- P03: a byte-order mark sticks to the first column ----------------------------------------------


@pytest.mark.parametrize("marks", [0, 1, 2, 3])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("q.csv", "question,answer\nما العاصمة؟,الرياض\n"),
        ("q.csv", '"question","answer"\n"ما العاصمة؟","الرياض"\n'),
        ("q.tsv", "question\tanswer\nما العاصمة؟\tالرياض\n"),
        ("q.csv", "sep=;\nquestion;answer\nما العاصمة؟;الرياض\n"),
        ("q.jsonl", '{"question": "ما العاصمة؟", "answer": "الرياض"}\n'),
        ("q.json", '[{"question": "ما العاصمة؟", "answer": "الرياض"}]'),
        ("q.jsonl.gz", '{"question": "ما العاصمة؟", "answer": "الرياض"}\n'),
        ("q.csv.gz", "question,answer\nما العاصمة؟,الرياض\n"),
    ],
)
def test_p03_marks_before_the_text_do_not_count(write: Write, name: str, content: str, marks: int) -> None:
    (sample,) = load_evaluation_dataset(write(name, "\ufeff" * marks + content))
    assert (sample.question, sample.answer) == ("ما العاصمة؟", "الرياض")


def test_p03_files_that_were_joined_have_marks_in_the_middle(write: Write) -> None:
    one, two = '{"question": "س1"}\n', '{"question": "س2"}\n'
    path = write("q.jsonl", f"\ufeff{one}\ufeff{two}\ufeff\n")
    assert [sample.question for sample in load_evaluation_dataset(path)] == ["س1", "س2"]


# -- P04: code page 1256, UTF-16 and other encodings ------------------------------------------------

ARABIC_CSV = "question,answer\nما هي العاصمة؟,الرياض\n"


def test_p04_code_page_1256_is_an_error_that_names_the_byte_and_the_option(write: Write) -> None:
    path = write("q.csv", ARABIC_CSV, "cp1256")
    with pytest.raises(DatasetFormatError) as caught:
        load_evaluation_dataset(path)
    message = str(caught.value)
    assert str(path) in message
    assert "byte 0xE3 at offset 16 (line 2)" in message
    assert 'encoding="cp1256"' in message
    (sample,) = load_evaluation_dataset(path, encoding="cp1256")
    assert (sample.question, sample.answer) == ("ما هي العاصمة؟", "الرياض")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_p04_a_byte_order_mark_tells_the_encoding(write: Write, encoding: str) -> None:
    (sample,) = load_evaluation_dataset(write("q.csv", ARABIC_CSV, encoding))
    assert (sample.question, sample.answer) == ("ما هي العاصمة؟", "الرياض")


def test_p04_utf_16_from_both_ends(write: Write) -> None:
    for mark, encoding in (("\ufeff", "utf-16-le"), ("\ufeff", "utf-16-be")):
        (sample,) = load_evaluation_dataset(write("q.csv", mark + ARABIC_CSV, encoding))
        assert sample.answer == "الرياض"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("content", ["question,answer\nq,a\n", "السؤال,الإجابة\nما العاصمة؟,الرياض\n"])
def test_p04_utf_16_without_a_mark_says_so(write: Write, content: str, encoding: str) -> None:
    path = write("q.csv", content, encoding)
    with pytest.raises(DatasetFormatError, match=f'UTF-16 without a byte-order mark.*encoding="{encoding}"'):
        load_evaluation_dataset(path)
    assert load_evaluation_dataset(path, encoding=encoding)[0].answer in {"a", "الرياض"}


@pytest.mark.parametrize("name", ["q.jsonl", "q.json", "q.jsonl.gz"])
def test_p04_the_same_for_json(write: Write, name: str) -> None:
    text = '{"question": "ما هي العاصمة؟"}\n'
    with pytest.raises(DatasetFormatError, match=r'offset 14 .line 1.*encoding="cp1256"'):
        load_evaluation_dataset(write(name, text, "cp1256"))
    assert load_evaluation_dataset(write(name, text, "cp1256"), encoding="cp1256")[0].question == "ما هي العاصمة؟"


def test_p04_the_byte_is_found_far_into_the_file(write: Write) -> None:
    good = "".join(f"سؤال {number},جواب\n" for number in range(20_000))
    data = f"question,answer\n{good}".encode()
    path = write("q.csv", data + b"\xff\n")
    with pytest.raises(DatasetFormatError, match=f"byte 0xFF at offset {len(data)} .line 20002"):
        load_evaluation_dataset(path)


def test_p04_a_file_cut_inside_a_letter(write: Write) -> None:
    data = "question,answer\nس,ج".encode()
    with pytest.raises(DatasetFormatError, match=f"offset {len(data) - 2} "):
        load_evaluation_dataset(write("q.csv", data[:-1]))


def test_p04_a_wrong_encoding_of_the_users_is_an_error_too(write: Write) -> None:
    path = write("q.csv", ARABIC_CSV)
    with pytest.raises(DatasetFormatError, match=r"not ASCII.*offset 16"):
        load_evaluation_dataset(path, encoding="ascii")
    with pytest.raises(DatasetFormatError, match=r"no encoding 'cp1265'.*did you mean 'cp"):
        load_evaluation_dataset(path, encoding="cp1265")


# -- P05: answers that look like nothing ------------------------------------------------------------


@pytest.mark.parametrize("typed", AS_TYPED + AS_TYPED_TOO)
def test_p05_csv_text_arrives_as_typed(write: Write, typed: str) -> None:
    path = write("q.csv", f'question,answer,note\nس,"{typed}","{typed}"\n')
    (sample,) = load_evaluation_dataset(path)
    assert (sample.answer, sample.metadata["note"]) == (typed, typed)


@pytest.mark.parametrize("typed", [text for text in AS_TYPED + AS_TYPED_TOO if not text.startswith("=")])
def test_p05_xlsx_text_cells_arrive_as_typed(write_xlsx: Write, typed: str) -> None:
    (sample,) = load_evaluation_dataset(write_xlsx({"S": [["question", "answer", "note"], ["س", typed, typed]]}))
    assert (sample.answer, sample.metadata["note"]) == (typed, typed)


def test_p05_a_column_of_them_together_keeps_each(write: Write) -> None:
    path = write("q.csv", "question,answer\n" + "".join(f"س{n},{typed}\n" for n, typed in enumerate(AS_TYPED)))
    assert [sample.answer for sample in load_evaluation_dataset(path)] == AS_TYPED


@pytest.mark.parametrize("cell", ["", " ", "\t", '""', '" "'])
def test_p05_only_an_empty_cell_is_missing(write: Write, cell: str) -> None:
    (sample,) = load_evaluation_dataset(write("q.csv", f"question,answer\nس,{cell}\n"))
    assert sample.answers == ()


def test_p05_a_question_of_null_is_a_question(write: Write) -> None:
    assert load_evaluation_dataset(write("q.csv", "question,answer\nnull,None\n"))[0].question == "null"


# -- P06: identifiers change type on the way in -----------------------------------------------------

IDS = ["007", "12", "", "9007199254740993"]
RIGHT = [("007",), ("12",), (), ("9007199254740993",)]


def test_p06_csv(write: Write) -> None:
    path = write("q.csv", "question,chunk_id\n" + "".join(f"س{n},{name}\n" for n, name in enumerate(IDS)))
    assert [sample.chunk_ids for sample in load_evaluation_dataset(path)] == RIGHT


def test_p06_json_numbers(write: Write) -> None:
    path = write(
        "q.json",
        '[{"question":"1","chunk_id":"007"},{"question":"2","chunk_id":12.0},{"question":"3","chunk_id":null},'
        '{"question":"4","chunk_id":9007199254740993}]',
    )
    dataset = load_evaluation_dataset(path)
    assert [sample.chunk_ids for sample in dataset] == RIGHT
    assert dataset.warnings == []


def test_p06_json_numbers_are_spelled_as_in_the_file(write: Write) -> None:
    path = write("q.jsonl", '{"question": "س", "chunk_ids": [1.10, 1.1, 7.0, 9007199254740993.0, 1e3]}\n')
    dataset = load_evaluation_dataset(path)
    assert dataset[0].chunk_ids == ("1.10", "1.1", "7", "9007199254740993", "1000")
    assert dataset.warnings == []


def test_p06_xlsx_numbers_lose_their_fraction_and_long_ones_are_warned_of(write_xlsx: Write) -> None:
    path = write_xlsx(
        {"S": [["question", "chunk_id"], ["س1", "007"], ["س2", 12.0], ["س3", None], ["س4", 12345678901234567]]}
    )
    dataset = load_evaluation_dataset(path)
    assert [sample.chunk_ids for sample in dataset][:3] == RIGHT[:3]
    (warning,) = dataset.warnings
    assert "row 5, column 'chunk_id'" in warning
    assert "more than 15 digits" in warning
    assert "as text" in warning


def test_p06_fifteen_digits_are_whole(write_xlsx: Write) -> None:
    dataset = load_evaluation_dataset(write_xlsx({"S": [["question", "chunk_id"], ["س", 999999999999999]]}))
    assert dataset[0].chunk_ids == ("999999999999999",)
    assert dataset.warnings == []


def test_p06_a_frame_with_a_blank_turned_its_ids_into_floats() -> None:
    frame = pd.DataFrame({"question": ["س1", "س2", "س3"], "chunk_id": [7, None, 12]})
    assert frame["chunk_id"].dtype == float
    assert [sample.chunk_ids for sample in load_evaluation_dataset(frame)] == [("7",), (), ("12",)]


def test_p06_a_frame_that_lost_digits_is_warned_of() -> None:
    frame = pd.DataFrame({"question": ["س1", "س2"], "chunk_id": [9007199254740993, None]})
    dataset = load_evaluation_dataset(frame)
    assert dataset[0].chunk_ids == ("9007199254740992",)
    assert "item 1, column 'chunk_id'" in dataset.warnings[0]


def test_p06_a_frame_with_nullable_integers_keeps_them() -> None:
    frame = pd.DataFrame({"question": ["س1", "س2"], "chunk_id": pd.array([9007199254740993, None], dtype="Int64")})
    dataset = load_evaluation_dataset(frame)
    assert [sample.chunk_ids for sample in dataset] == [("9007199254740993",), ()]
    assert dataset.warnings == []


def test_p06_sample_ids_and_retrieved_ids_are_text_too(write_jsonl: Write) -> None:
    path = write_jsonl({"id": 7.0, "question": "س", "retrieved_chunk_ids": ["007", 12, "12.0", None]})
    (sample,) = load_evaluation_dataset(path)
    assert sample.sample_id == "7"
    assert sample.recorded is not None
    assert sample.recorded.chunks is not None
    assert [chunk.chunk_id for chunk in sample.recorded.chunks] == ["007", "12", "12", None]


# -- P09: the same question twice -------------------------------------------------------------------


def test_p09_the_same_question_twice_is_two_samples(write_jsonl: Write) -> None:
    path = write_jsonl(
        {"question": "ما هي المدة؟", "answer": "شهر", "source_file": "a.pdf"},
        {"question": "ما هي المدة؟", "answer": "سنة", "source_file": "b.pdf"},
    )
    dataset = load_evaluation_dataset(path)
    assert [(sample.sample_id, sample.answer, sample.source_file) for sample in dataset] == [
        ("1", "شهر", "a.pdf"),
        ("2", "سنة", "b.pdf"),
    ]


def test_p09_even_when_everything_is_the_same(write_jsonl: Write) -> None:
    row = {"question": "ما هي المدة؟", "answer": "شهر"}
    assert [sample.row for sample in load_evaluation_dataset(write_jsonl(row, row))] == [1, 2]


def test_p09_repeated_explicit_ids_are_an_error_that_lists_them(write_jsonl: Write) -> None:
    rows: list[Any] = [
        {"id": name, "question": "س", "method": method} for name in ("q1", "q2") for method in ("raw", "cut")
    ]
    path = write_jsonl(*rows, {"id": "q3", "question": "س", "method": "raw"})
    with pytest.raises(DatasetError) as caught:
        load_evaluation_dataset(path)
    message = str(caught.value)
    assert "'q1' (lines 1, 2), 'q2' (lines 3, 4)" in message
    assert "'q3'" not in message
    assert 'id_columns=["id", "method"]' in message
    dataset = load_evaluation_dataset(path, id_columns=["id", "method"])
    assert [sample.sample_id for sample in dataset] == ["q1|raw", "q1|cut", "q2|raw", "q2|cut", "q3|raw"]


def test_p09_ids_of_different_types_can_be_the_same(write_jsonl: Write) -> None:
    with pytest.raises(DatasetError, match=r"'7' .lines 1, 2."):
        load_evaluation_dataset(write_jsonl({"id": 7, "question": "س"}, {"id": "7.0", "question": "ص"}))


# -- P45, P46: our own files read back ---------------------------------------------------------------

RUNNABLE = [
    '=HYPERLINK("http://x.test")', " =1+1", "\u200b=1+1", "@SUM(A1)", "- البند الأول", "'=1+1", "\t=1", "+1", "نص عادي",
    '"=', "'", "=1\r\n=2",
]  # fmt: skip
OWN = (
    "question", "transformed_query", "query_transform_strategy", "gold_answer", "gold_context", "predicted_answer",
    "retrieved_previews", "run_id",
)  # fmt: skip


@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_p45_a_csv_with_or_without_the_mark_reads_the_same(write: Write, bom: str) -> None:
    (sample,) = load_evaluation_dataset(write("q.csv", f"{bom}السؤال,الإجابة\nما العاصمة؟,الرياض\n"))
    assert (sample.question, sample.answer) == ("ما العاصمة؟", "الرياض")


@pytest.mark.parametrize("text", RUNNABLE)
def test_p46_neutralised_cells_of_our_own_file_are_restored(tmp_path: Path, text: str) -> None:
    path = tmp_path / "samples.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(OWN)
        cell = neutralise_cell(text)
        writer.writerow([neutralise_cell(f"س {text}"), "", "", cell, cell, cell, "[]", "run"])
    (sample,) = load_evaluation_dataset(path)
    assert (sample.answer, sample.context) == (text, text)
    assert sample.recorded is not None
    assert sample.question == f"س {text}"


@pytest.mark.parametrize("text", ["'=1+1", "'- البند"])
def test_p46_a_file_of_somebody_else_is_left_alone(write: Write, text: str) -> None:
    assert load_evaluation_dataset(write("q.csv", f"question,answer\nس,{text}\n"))[0].answer == text


# -- also seen ---------------------------------------------------------------------------------------


def test_a_cell_longer_than_the_limit_of_the_csv_module(write: Write) -> None:
    before = csv.field_size_limit()
    long = "نص طويل " * 40_000
    (sample,) = load_evaluation_dataset(write("q.csv", f'question,context\nس,"{long}"\n'))
    assert sample.context == long
    assert csv.field_size_limit() == before


def test_p06_identifiers_of_samples_made_by_hand_are_text() -> None:
    given: list[Any] = [7, "7.0", "007"]
    samples = [Sample(sample_id=str(identifier), question="س", chunk_ids=(identifier,)) for identifier in given]
    assert [sample.chunk_ids for sample in load_evaluation_dataset(samples)] == [("7",), ("7",), ("007",)]
