"""TREC qrels in and out."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.datasets.trec import read_qrels, write_qrels
from muffakir_eval.errors import DatasetError, DatasetFormatError, DatasetNotFoundError, DatasetRowError

FIELD = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\r\x0b\x0c"), min_size=1, max_size=6
).filter(lambda text: not text.startswith("\ufeff"))
GRADE = st.one_of(st.integers(-2, 4), st.floats(allow_nan=False, allow_infinity=False))
QRELS = st.dictionaries(FIELD, st.dictionaries(FIELD, GRADE, min_size=1, max_size=4), max_size=4)


@settings(max_examples=100, deadline=None)
@given(QRELS)
def test_nothing_is_lost(qrels: dict[str, dict[str, float]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.qrels"
        write_qrels(path, qrels)
        again = read_qrels(path)
    assert again == qrels
    assert [list(judged) for judged in again.values()] == [list(judged) for judged in qrels.values()]


@pytest.mark.parametrize(
    "text",
    [
        "301 0 d-1 1\n301 0 d-2 -1\n",
        "301\t0\td-1\t1\r\n\r\n301\t0\td-2\t-1",
        "\ufeff301   Q0  d-1 1  \n  301 x\td-2 -1\n301 0 d-1 1\n",
        "301 0 d-1 1\r301 0 d-2 -1\r",
    ],
)
def test_forms(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.qrels"
    path.write_bytes(text.encode())
    assert read_qrels(path) == {"301": {"d-1": 1, "d-2": -1}}
    zipped = tmp_path / "a.txt.gz"
    zipped.write_bytes(gzip.compress(text.encode()))
    assert read_qrels(str(zipped)) == read_qrels(path)


def test_whole_grades_are_whole_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.qrels"
    path.write_text("007 0 12.0 2\n007 0 d 0.5\n", encoding="utf-8")
    grades = read_qrels(path)["007"]
    assert grades == {"12.0": 2, "d": 0.5}
    assert [type(grade) for grade in grades.values()] == [int, float]


def test_blanks_within_fields_where_tabs_separate_them(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("q 1\t0\tقانون العمل.pdf\t1\n", encoding="utf-8")
    assert read_qrels(path) == {"q 1": {"قانون العمل.pdf": 1}}


@pytest.mark.parametrize(
    ("text", "line", "parts"),
    [
        ("q 0 d 1\nq 0 e yes\n", 2, ["the grade is 'yes'", "a number"]),
        ("q 0 d 1\nq 0 e\n", 2, ["3 fields found in 'q 0 e'", "query iteration document grade"]),
        ("q d 1\n", 1, ["read_beir"]),
        ("q Q0 d 1 9.5 tag\n", 1, ["6 fields found", "read it with read_run"]),
        ("q\t0\t\t1\n", 1, ["3 fields found"]),
        ("q 0 d 1\n\nq 0 d 2\n", 3, ["'d' has the grade 2 for query 'q', and 1 in line 1", "one grade for each"]),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, text: str, line: int, parts: list[str]) -> None:
    path = tmp_path / "a.qrels"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DatasetRowError) as caught:
        read_qrels(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    for part in [*parts, "Expected:", "What to do:"]:
        assert part in str(caught.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        read_qrels(tmp_path / "gone")
    with pytest.raises(DatasetNotFoundError, match="this is a folder"):
        read_qrels(tmp_path)


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "a.qrels"
    path.write_bytes("q 0 وثيقة 1\n".encode("cp1256"))
    with pytest.raises(DatasetFormatError, match="cannot be decoded"):
        read_qrels(path)


@pytest.mark.parametrize(
    ("qrels", "said"),
    [
        ({"q 1": {"d": 1}}, "the query id is 'q 1'"),
        ({"q": {"a\tb": 1}}, "the document id is 'a\\tb'"),
        ({"q": {"": 1}}, "the document id is ''"),
        ({"q": {"\ufeffd": 1}}, "the document id is"),
        ({"q": {"\ud800": 1}}, "lone surrogate"),
        ({"q": {}}, "no judgement"),
        ({"q": {"d": "1"}}, "the grade is '1'"),
    ],
)
def test_what_no_file_can_hold_is_refused(tmp_path: Path, qrels: Any, said: str) -> None:
    path = tmp_path / "a.qrels"
    with pytest.raises(DatasetError) as caught:
        write_qrels(path, qrels)
    assert said in str(caught.value)
    assert not path.exists()


def test_real_files(data_dir: Path) -> None:
    trec = read_qrels(data_dir / "trec_eval" / "qrels.test")
    relevant = {query: sum(grade > 0 for grade in judged.values()) for query, judged in trec.items()}
    assert relevant == {"301": 474, "302": 77, "303": 10}
    miracl = read_qrels(data_dir / "miracl_ar" / "qrels.miracl-v1.0-ar-dev.tsv")
    assert (len(miracl), sum(map(len, miracl.values()))) == (2896, 29197)
