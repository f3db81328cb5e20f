"""Files of judgements, found and opened whatever stands there."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import load_evaluation_dataset, load_trec, read_beir, read_qrels, read_run
from muffakir_eval.datasets.judged_file import existing_file, is_same_file, judged_file
from muffakir_eval.errors import DatasetFormatError, DatasetNotFoundError

LINES = "س1 0 وثيقة 1\n"
READERS = (read_qrels, read_run, read_beir, lambda path: load_trec({"q": {"d": 1}}, queries=path))


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("path", ["x" * 5000, "a\0b", "a\ud800b", "gone"])
def test_what_is_no_path_is_not_found(read: Callable[[str], Any], path: str, tmp_path: Path) -> None:
    with pytest.raises(DatasetNotFoundError) as caught:
        read(f"{tmp_path}/{path}")
    assert "What to do: check the path" in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_a_path_that_is_too_long_is_no_data_set_either() -> None:
    with pytest.raises(DatasetNotFoundError):
        load_evaluation_dataset("x" * 5000)


def test_a_folder_is_called_one(tmp_path: Path) -> None:
    with pytest.raises(DatasetNotFoundError, match=r"this is a folder\. Expected: a text\."):
        existing_file(tmp_path, "a text")


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (LINES.encode("cp1256"), "the file is not UTF-8"),
        (LINES.encode("utf-16-le"), "UTF-16 without a byte-order mark"),
        (LINES.encode("utf-16-be"), "UTF-16 without a byte-order mark"),
    ],
)
def test_an_option_that_is_not_there_is_not_advised(tmp_path: Path, data: bytes, found: str) -> None:
    path = tmp_path / "a.qrels"
    path.write_bytes(data)
    with pytest.raises(DatasetFormatError) as caught:
        read_qrels(path)
    assert found in str(caught.value)
    assert str(caught.value).endswith("What to do: save it as UTF-8.")


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.qrels", gzip.compress(LINES.encode(), mtime=0), "rename it to a.qrels.gz"),
        ("a.qrels", b"PK\x03\x04" + bytes(60), "a zip archive, as Excel workbooks"),
        ("a.qrels.gz", LINES.encode(), "cannot be read"),
        ("a.qrels.gz", gzip.compress(LINES.encode(), mtime=0)[:-9], "cannot be read"),
    ],
)
def test_a_file_that_is_something_else(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(DatasetFormatError, match=said):
        read_qrels(path)


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"\n \n"])
def test_an_empty_file_holds_no_judgement(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.qrels"
    path.write_bytes(data)
    assert read_qrels(path) == {}
    assert judged_file(path, "tsv").head() == data


def test_one_file_by_several_names(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").symlink_to("a")
    assert is_same_file(tmp_path / "a", tmp_path / "b")
    assert not is_same_file(tmp_path / "a", tmp_path / "c")
    assert not is_same_file("a\0b", "x" * 5000)
