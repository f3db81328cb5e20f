"""TREC runs in and out."""

from __future__ import annotations

import gzip
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.datasets.trec import read_run, write_run
from muffakir_eval.errors import DatasetError, DatasetNotFoundError, DatasetRowError
from tests.datasets.trec.test_qrels import FIELD

RUN = st.dictionaries(
    FIELD,
    st.lists(st.tuples(FIELD, st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=5),
    max_size=3,
)


@settings(max_examples=100, deadline=None)
@given(RUN)
def test_nothing_is_lost(run: dict[str, list[tuple[str, float]]]) -> None:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "a.run"
        write_run(path, run)
        assert read_run(path) == run


def test_the_three_forms_of_a_ranking(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    write_run(path, {"q1": ["b", "a"], "q2": [("b", 0.5), ("a", 0.25)], "q3": {"b": 2, "a": 1}, "q4": []}, tag="bm25")
    assert path.read_text(encoding="utf-8").splitlines() == [
        "q1 Q0 b 1 2.0 bm25",
        "q1 Q0 a 2 1.0 bm25",
        "q2 Q0 b 1 0.5 bm25",
        "q2 Q0 a 2 0.25 bm25",
        "q3 Q0 b 1 2.0 bm25",
        "q3 Q0 a 2 1.0 bm25",
    ]


def test_the_rank_decides_and_not_the_line(tmp_path: Path) -> None:
    path = tmp_path / "a.run.gz"
    path.write_bytes(gzip.compress(b"q Q0 c 3 1.5 t\r\nq\tQ0\ta\t1\t3\tt\r\n\nq Q0 b 2 2e0 t\n"))
    assert read_run(path) == {"q": [("a", 3.0), ("b", 2.0), ("c", 1.5)]}


@pytest.mark.parametrize(
    ("text", "ranking", "said"),
    [
        ("q Q0 a 1 1 t\nq Q0 b 2 5 t\n", ["a", "b"], "higher score than one of a better rank"),
        ("q Q0 a 0 1 t\nq Q0 b 0 5 t\nq Q0 c 0 5 t\n", ["b", "c", "a"], "several documents share a rank"),
        ("q Q0 a 1 5 t\nq Q0 b 2 4 t\nq Q0 a 3 3 t\n", ["a", "b", "a"], "stands more than once"),
    ],
)
def test_what_may_not_be_meant_is_told(tmp_path: Path, text: str, ranking: list[str], said: str) -> None:
    path = tmp_path / "a.run"
    path.write_text(text + "other Q0 a 1 1 t\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="in 1 of 2 queries") as caught:
        run = read_run(path)
    assert [document for document, _ in run["q"]] == ranking
    (warning,) = caught
    assert said in str(warning.message)
    assert f"{path}: in 1 of 2 queries (first: 'q')" in str(warning.message)
    assert warning.filename == __file__


@pytest.mark.parametrize(
    ("text", "line", "parts"),
    [
        ("q Q0 a 1 1 t\nq Q0 b two 1 t\n", 2, ["rank and score are 'two' and '1'", "a whole number and a number"]),
        ("q Q0 a 1.5 1 t\n", 1, ["rank and score are '1.5' and '1'"]),
        ("q Q0 a 1 nan t\n", 1, ["'1' and 'nan'"]),
        ("q Q0 a 1 1_0 t\n", 1, ["'1' and '1_0'"]),
        ("q Q0 a 1 1\n", 1, ["5 fields found", "query Q0 document rank score tag"]),
        ("q Q0 a 1 1 my run\n", 1, ["7 fields found", "take the white space out of the tag"]),
        ("q 0 a 1\n", 1, ["4 fields found", "read it with read_qrels"]),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, text: str, line: int, parts: list[str]) -> None:
    path = tmp_path / "a.run"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DatasetRowError) as caught:
        read_run(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    for part in parts:
        assert part in str(caught.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(DatasetNotFoundError):
        read_run(tmp_path / "gone")


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ({"q 1": ["a"]}, "the query id is 'q 1'"),
        ({1: ["a"]}, "the query id is 1"),
        ({"q": ["a b"]}, "the document id is 'a b'"),
        ({"q": [7]}, "the document id is 7"),
        ({"q": [("a", "x")]}, "the score is 'x'"),
        ({"q": "abc"}, "the documents are 'abc'"),
        ({"q": 5}, "the documents are 5"),
        ({"q": {"a", "b"}}, "the documents are {"),
        ({"q": {"a": float("nan")}}, "the score is nan"),
        ({"q": {"a": 10**5000}}, "the score is a whole number of more than 308 digits"),
        (["a"], "run is of the type list"),
    ],
)
def test_what_no_file_can_hold_is_refused(tmp_path: Path, run: Any, said: str) -> None:
    with pytest.raises(DatasetError) as caught:
        write_run(tmp_path / "a.run", run)
    assert said in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_infinite_scores_are_kept(tmp_path: Path) -> None:
    run = {"q": [("a", float("inf")), ("b", 1e308), ("c", float("-inf"))]}
    write_run(tmp_path / "a.run", run)
    assert read_run(tmp_path / "a.run") == run


def test_digits_and_tags_of_any_script(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("س١\tQ0\tوثيقة\t٢\t٣\tتجربة أولى\n", encoding="utf-8")
    assert read_run(path) == {"س١": [("وثيقة", 3.0)]}


def test_a_tag_is_one_word(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="the tag is 'my run'"):
        write_run(tmp_path / "a.run", {}, tag="my run")


def test_a_large_file_is_written_in_pieces(tmp_path: Path) -> None:
    run = {f"q{query}": [f"d{rank}" for rank in range(100)] for query in range(25)}
    write_run(tmp_path / "a.run", run)
    read = read_run(tmp_path / "a.run")
    assert {query: [document for document, _ in ranking] for query, ranking in read.items()} == run
