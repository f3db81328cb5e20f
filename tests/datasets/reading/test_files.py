"""Files found, recognised and opened."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.datasets.reading.finding import find_file
from muffakir_eval.errors import DatasetError, DatasetFormatError, DatasetNotFoundError

Write = Callable[..., Path]
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
ZIP = b"PK\x03\x04" + b"\0" * 600


@pytest.mark.parametrize(
    ("name", "kind", "zipped"),
    [
        ("q.jsonl", "jsonl", False),
        ("q.NDJSON", "jsonl", False),
        ("q.v2.json", "json", False),
        ("q.Csv", "csv", False),
        ("q.tsv", "tsv", False),
        ("q.jsonl.gz", "jsonl", True),
        ("q.CSV.GZ", "csv", True),
    ],
)
def test_the_suffix_tells_the_format_in_any_case(write: Write, name: str, kind: str, zipped: bool) -> None:
    file = find_file(write(name, "x"), None)
    assert (file.format, file.zipped) == (kind, zipped)


@pytest.mark.parametrize("name", ["q.JSONL", "q.jsonl.GZ", "Q.NdJson"])
def test_it_is_read_so(write: Write, name: str) -> None:
    assert load_evaluation_dataset(write(name, '{"question": "س"}\n'))[0].question == "س"
    assert load_evaluation_dataset(str(write(name, '{"question": "س"}\n')))[0].question == "س"


def test_an_object_that_is_a_path(write: Write) -> None:
    class Entry(os.PathLike[str]):
        def __fspath__(self) -> str:
            return str(path)

    path = write("q.jsonl", '{"question": "س"}\n')
    assert load_evaluation_dataset(Entry()).source == str(path)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("q.txt", ["the suffix .txt is not known", ".jsonl", "rename it to .csv, .tsv or .jsonl"]),
        ("q.ods", ["the suffix .ods is not known", "save it as .xlsx"]),
        ("q", ["the suffix (none) is not known", "rename the file"]),
        ("q.gz", ["the suffix .gz is not known"]),
        ("q.xlsx.gz", ["the suffix .xlsx.gz is not known"]),
        ("q.zip", ["the suffix .zip is not known", "unpack it first"]),
    ],
)
def test_an_unknown_suffix_lists_the_known_ones(write: Write, name: str, parts: list[str]) -> None:
    path = write(name, "x")
    with pytest.raises(DatasetFormatError) as caught:
        load_evaluation_dataset(path)
    assert str(caught.value).startswith(f"{path}: ")
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "there", "meant"),
    [
        ("question.jsonl", "questions.jsonl", "questions.jsonl"),
        ("Questions.jsonl", "questions.jsonl", "questions.jsonl"),
        ("q.jsonl", "q.jsonl.gz", "q.jsonl.gz"),
        ("أسئله.csv", "أسئلة.csv", "أسئلة.csv"),
    ],
)
def test_a_missing_file_proposes_its_neighbour(write: Write, asked: str, there: str, meant: str) -> None:
    folder = write(there, "x").parent
    with pytest.raises(DatasetNotFoundError) as caught:
        load_evaluation_dataset(folder / asked)
    assert f"did you mean {meant!r}?" in str(caught.value)
    assert isinstance(caught.value, FileNotFoundError)


def test_a_missing_file_without_a_neighbour(tmp_path: Path) -> None:
    with pytest.raises(DatasetNotFoundError, match="there is no such file in ") as caught:
        load_evaluation_dataset(tmp_path / "q.csv")
    assert str(tmp_path.resolve()) in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "there"),
    [("nope.csv", "unquoted.csv"), ("a.csv", "b.csv"), ("qa", "eval_qa.jsonl"), ("q.json", "x.json")],
)
def test_a_file_that_is_only_a_little_alike_is_not_proposed(write: Write, asked: str, there: str) -> None:
    folder = write(there, "x").parent
    with pytest.raises(DatasetNotFoundError, match="check the path") as caught:
        load_evaluation_dataset(folder / asked)
    assert there not in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "there", "meant"),
    [
        ("q.json", ["q.jsonl", "r.json"], "q.jsonl"),
        ("q.csv", ["q.csv.gz", "q.jsonl", "qq.csv"], "q.csv.gz"),
        ("questions", ["answers.csv", "questions_v2.csv"], "questions_v2.csv"),
        ("\u0623سئلة.csv", ["\u0627\u0654سئلة.csv"], "\u0627\u0654سئلة.csv"),
    ],
)
def test_the_nearest_of_several_is_proposed(tmp_path: Path, asked: str, there: list[str], meant: str) -> None:
    for name in there:
        (tmp_path / name).write_text("x")
    with pytest.raises(DatasetNotFoundError) as caught:
        load_evaluation_dataset(tmp_path / asked)
    assert f"did you mean {meant!r}?" in str(caught.value)


def test_a_pipe_is_no_file_and_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "q.jsonl")
    with pytest.raises(DatasetFormatError, match=r"this is a pipe or a device.*pass the path of a file"):
        load_evaluation_dataset(tmp_path / "q.jsonl")


def test_a_link_is_followed_and_a_broken_one_is_no_file(write: Write, tmp_path: Path) -> None:
    (tmp_path / "link.jsonl").symlink_to(write("q.jsonl", '{"question": "س"}\n'))
    (tmp_path / "broken.jsonl").symlink_to(tmp_path / "gone")
    assert load_evaluation_dataset(tmp_path / "link.jsonl")[0].question == "س"
    with pytest.raises(DatasetNotFoundError, match="there is no such file"):
        load_evaluation_dataset(tmp_path / "broken.jsonl")


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(DatasetNotFoundError, match=r"there is no folder '.*nowhere'.*check the path"):
        load_evaluation_dataset(tmp_path / "nowhere" / "q.csv")


@pytest.mark.parametrize("address", ["https://x.test/q.csv", "hf://datasets/x", "s3://bucket/q.jsonl"])
def test_an_address_is_no_file(address: str) -> None:
    with pytest.raises(DatasetNotFoundError, match=r"an address, not a file.*download it first"):
        load_evaluation_dataset(address)


@pytest.mark.parametrize("text", ['[{"question": "س"}]', "س" * 5_000])
def test_text_in_place_of_a_path(text: str) -> None:
    with pytest.raises(DatasetNotFoundError):
        load_evaluation_dataset(text)


def test_a_folder_that_holds_no_run_names_its_files(write: Write) -> None:
    folder = write("q.csv", "x").parent
    with pytest.raises(DatasetFormatError, match=r"the folder holds no run.*name the file itself: 'q.csv'"):
        load_evaluation_dataset(folder)


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(DatasetFormatError, match=r"the folder holds no run.*name a file"):
        load_evaluation_dataset(tmp_path)


@pytest.mark.parametrize("name", ["q.jsonl", "q.json", "q.csv", "q.tsv", "q.xlsx", "q.xls", "q.parquet", "q.csv.gz"])
def test_an_empty_file(write: Write, name: str) -> None:
    with pytest.raises(DatasetFormatError, match=r"the file is empty.*at least one question"):
        load_evaluation_dataset(write(name, b""))


@pytest.mark.parametrize("name", ["q.jsonl", "q.json", "q.csv", "q.tsv", "q.csv.gz"])
@pytest.mark.parametrize("content", ["\ufeff", "\n \n", "\ufeff\n\n"])
def test_a_file_of_nothing_but_white_space(write: Write, name: str, content: str) -> None:
    with pytest.raises(DatasetFormatError, match=r"(the file is empty|there are no rows).*at least one question"):
        load_evaluation_dataset(write(name, content))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("q.csv", "question,answer\n"),
        ("q.csv", "question,answer\n,\n\n , \n"),
        ("q.tsv", "question\tanswer"),
        ("q.json", "[]"),
        ("q.json", "{}"),
        ("q.json", '{"data": []}'),
        ("q.json", '{"question": [], "answer": []}'),
    ],
)
def test_a_header_without_rows(write: Write, name: str, content: str) -> None:
    with pytest.raises(DatasetFormatError, match="there are no rows"):
        load_evaluation_dataset(write(name, content))


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("q.csv", ZIP, ["the file is called .csv, but it is a zip archive", "rename it to .xlsx"]),
        ("q.jsonl", ZIP, ["called .jsonl, but it is a zip archive"]),
        ("q.xls", ZIP, ["called .xls, but it is a zip archive, as Excel workbooks (.xlsx) are", "rename it to .xlsx"]),
        (
            "q.xlsx",
            OLE,
            ["called .xlsx, but it is an old Excel workbook (.xls), or one with a password", "take the password off"],
        ),
        ("q.csv", OLE, ["called .csv, but it is an old Excel workbook"]),
        ("q.xlsx", b"<!DOCTYPE html><table>", ["called .xlsx, but it is an HTML page", "save it as .xlsx or .csv"]),
        ("q.xls", b"\xef\xbb\xbf\n<html xmlns:x=''>", ["called .xls, but it is an HTML page"]),
        ("q.json", b"<html>404</html>", ["called .json, but it is an HTML page"]),
        ("q.xls", b"<?xml version='1.0'?><Workbook>", ["called .xls, but it is XML"]),
        ("q.json", b"PAR1\0\0", ["but it is a Parquet file", "rename it to .parquet"]),
        ("q.csv", b"%PDF-1.7", ["but it is a PDF"]),
        ("q.xlsx", b"question,answer\n", ["called .xlsx, but it is plain text, as in .csv", "rename it to .csv"]),
        ("q.xlsx", "السؤال;الجواب\r\nس;ج".encode("utf-16"), ["is plain text, as in .csv", "rename it to .csv"]),
        ("q.xls", b"question\tanswer\r\n", ["called .xls, but it is plain text, as in .tsv", "rename it to .tsv"]),
        ("q.xlsx", "\ufeffسؤال".encode(), ["but it is plain text.", "rename it after what it holds"]),
        ("q.xlsx", b'{"question": "q"}\n', ["but it is text that looks like JSON", "an object per line"]),
        ("q.xlsx", b'[\n{"question": "q"}]', ["but it is text that looks like JSON", "rename it to .json"]),
        ("q.xlsx", "السؤال,الجواب\n".encode("cp1256"), ["but it is no Excel workbook (.xlsx)", "save it again"]),
        ("q.parquet", b"\x01\x02", ["but it is no Parquet file", "save it again"]),
        ("q.csv", b'\xef\xbb\xbf{"question": "q"}\n', ["called .csv, but it is JSON", "rename it to .jsonl"]),
        ("q.tsv", b'[ {"question": "q"}]', ["called .tsv, but it is JSON", "or to .json"]),
        (
            "q.jsonl",
            gzip.compress(b"{}", mtime=0),
            ["called .jsonl, but it is gzip-compressed", "rename it to q.jsonl.gz"],
        ),
    ],
)
def test_content_of_another_format(write: Write, name: str, content: bytes, parts: list[str]) -> None:
    path = write(name, content)
    with pytest.raises(DatasetFormatError) as caught:
        load_evaluation_dataset(path)
    for part in [str(path), "What to do:", *parts]:
        assert part in str(caught.value)


def test_a_file_called_gz_that_is_not_compressed(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl.gz"
    path.write_bytes(b'{"question": "q"}\n')
    with pytest.raises(
        DatasetFormatError, match=r"called .jsonl.gz, but it is not gzip-compressed.*rename it to q.jsonl\."
    ):
        load_evaluation_dataset(path)


@pytest.mark.parametrize("name", ["q.jsonl.gz", "q.json.gz", "q.csv.gz"])
def test_a_compressed_file_that_is_cut_off(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(os.urandom(50_000).hex().encode())[:20_000])
    with pytest.raises(DatasetFormatError, match=r"the file cannot be read.*check that it is whole"):
        load_evaluation_dataset(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(write: Write) -> None:
    path = write("q.csv", "question\nس\n")
    path.chmod(0)
    with pytest.raises(DatasetError, match="cannot be read"):
        load_evaluation_dataset(path)


@pytest.mark.parametrize("encoding", ["base64", "rot13", "no such"])
def test_an_encoding_that_is_none_of_text(write: Write, encoding: str) -> None:
    with pytest.raises(DatasetFormatError, match=f"there is no encoding {encoding!r}.*What to do"):
        load_evaluation_dataset(write("q.csv", "question\nس\n"), encoding=encoding)


@pytest.mark.parametrize("name", ["q.csv", "q.jsonl", "q.json"])
def test_utf_16_without_the_mark_that_it_needs(write: Write, name: str) -> None:
    with pytest.raises(DatasetFormatError, match=r'not utf-16 .*does not start with BOM.*encoding="utf-16-le"'):
        load_evaluation_dataset(write(name, "question\nس\n", "utf-16-le"), encoding="utf-16")


@pytest.mark.parametrize("name", ["q.jsonl", "q.csv"])
def test_options_that_have_no_meaning_are_told(write: Write, name: str) -> None:
    content = '{"question": "س"}\n' if name == "q.jsonl" else "question\nس\n"
    dataset = load_evaluation_dataset(write(name, content), sheet="Sheet1")
    assert "sheet='Sheet1' has no meaning here and is ignored" in dataset.warnings[0]


def test_an_encoding_has_no_meaning_for_a_workbook(write_xlsx: Write) -> None:
    dataset = load_evaluation_dataset(write_xlsx({"S": [["question"], ["س"]]}), encoding="utf-8")
    assert "encoding='utf-8' has no meaning here" in dataset.warnings[0]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "cp1256", "iso8859-6"])
def test_the_users_encoding_wins(write: Write, encoding: str) -> None:
    path = write("q.csv", "question,answer\nسؤال,جواب\n", encoding)
    assert load_evaluation_dataset(path, encoding=encoding)[0].answer == "جواب"
