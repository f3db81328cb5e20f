"""What is written is read back the same, and by the rules of other tools too."""

from __future__ import annotations

import csv
import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.datasets.beir import read_beir, write_beir
from muffakir_eval.errors import DatasetError, StorageError
from muffakir_eval.text.identifiers import clean_id

HOSTILE = ["\t", '"', '""', "\n", "\r", "\r\n", " ", "\u2028", "\x85", "\x00", "\ufeff", "\u200f", "\x0b", "\x1c", "#"]
TEXT = st.lists(
    st.one_of(
        st.sampled_from(HOSTILE),
        st.sampled_from(["007", "12", "12.0", "نص", "معرّف", "query-id", "_id", "null", "1e5"]),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
    ),
    max_size=4,
).map("".join)
GRADE = st.one_of(st.integers(-3, 5), st.integers(), st.floats(allow_nan=False, allow_infinity=False))
QRELS = st.dictionaries(TEXT, st.dictionaries(TEXT, GRADE, min_size=1, max_size=4), max_size=4)


def there_and_back(corpus: Any, queries: Any, qrels: Any) -> tuple[Any, Any, Any]:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write_beir(folder, corpus, queries, qrels)
        return read_beir(folder)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(TEXT, TEXT, max_size=4), st.dictionaries(TEXT, TEXT, max_size=4), QRELS)
def test_nothing_is_lost(corpus: dict[str, str], queries: dict[str, str], qrels: dict[str, dict[str, float]]) -> None:
    again = there_and_back(corpus, queries, qrels)
    assert again == (corpus, queries, qrels)
    assert [list(part) for part in again] == [list(corpus), list(queries), list(qrels)]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_judgements_of_what_is_there(data: st.DataObject) -> None:
    queries = data.draw(st.dictionaries(TEXT, TEXT, min_size=1, max_size=3))
    corpus = data.draw(st.dictionaries(TEXT, TEXT, min_size=1, max_size=3))
    judged = st.dictionaries(st.sampled_from([*corpus]), GRADE, min_size=1)
    qrels = data.draw(st.dictionaries(st.sampled_from([*queries]), judged))
    assert there_and_back(corpus, queries, qrels) == (corpus, queries, qrels)


def plain_loader(folder: Path) -> tuple[dict[str, Any], dict[str, str], dict[str, dict[str, int]]]:
    """The loader that BEIR itself has, by its rules: a header that is skipped, quotes as in CSV, whole grades."""
    corpus, queries = {}, {}
    qrels: dict[str, dict[str, int]] = {}
    with (folder / "corpus.jsonl").open(encoding="utf8") as lines:
        for row in map(json.loads, lines):
            corpus[row.get("_id")] = {"text": row.get("text"), "title": row.get("title")}
    with (folder / "queries.jsonl").open(encoding="utf8") as lines:
        for row in map(json.loads, lines):
            queries[row.get("_id")] = row.get("text")
    with (folder / "qrels.tsv").open(encoding="utf-8") as lines:
        reader = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_MINIMAL)
        next(reader)
        for cells in reader:
            qrels.setdefault(cells[0], {})[cells[1]] = int(cells[2])
    return corpus, {query: queries[query] for query in qrels}, qrels


def test_the_loader_of_beir_reads_plain_identifiers(tmp_path: Path) -> None:
    corpus = {"007": "نص أول", "doc 2": "سطر\u2028سطر\n", "قانون-١": "", "12.0": "x"}
    queries = {"q1": "ما المدة؟", "٢": "س"}
    qrels: dict[str, dict[str, float]] = {"q1": {"007": 2.0, "doc 2": 0, "12.0": 1}, "٢": {"قانون-١": 1.0}}
    write_beir(tmp_path, corpus, queries, qrels)
    read = plain_loader(tmp_path)
    assert {key: doc["text"] for key, doc in read[0].items()} == corpus
    assert all((doc["title"] + " " + doc["text"]).strip() == doc["text"].strip() for doc in read[0].values())
    assert read[1:] == (queries, qrels)
    assert (tmp_path / "qrels.tsv").read_bytes().decode().splitlines()[:3] == [
        "query-id\tcorpus-id\tscore",
        "q1\t007\t2",
        "q1\tdoc 2\t0",
    ]


@pytest.mark.parametrize("identifier", ["a\tb", 'the "first"', "a\nb", " a", "a ", "", "a\u2028b", "\u200fa", "a\x00"])
def test_identifiers_that_others_may_misread_come_with_a_warning(tmp_path: Path, identifier: str) -> None:
    with pytest.warns(UserWarning, match="1 identifier is quoted in qrels.tsv, and other tools") as caught:
        write_beir(tmp_path, {identifier: "x"}, {"q": "س"}, {"q": {identifier: 1}})
    assert ascii(identifier) in str(caught[0].message)
    assert caught[0].filename == __file__


def test_plain_identifiers_come_without(tmp_path: Path) -> None:
    write_beir(tmp_path, {"007": "x"}, {"س ١": "س"}, {"س ١": {"007": 1, "12.0": 1, "a'b": 1, "doc#2": 1}})


@pytest.mark.parametrize(
    ("corpus", "queries", "qrels", "parts"),
    [
        ({"\ud83d": "x"}, {}, {}, ["corpus", "lone surrogate U+D83D at position 0"]),
        ({"d": "نص \udc00"}, {}, {}, ["id 'd'", "the text holds the lone surrogate U+DC00 at position 3"]),
        ({}, {"q": "\udfff"}, {}, ["queries", "lone surrogate"]),
        ({}, {}, {"\ud800": {"d": 1}}, ["qrels", "lone surrogate"]),
        ({}, {}, {"q": {"\ud800": 1}}, ["qrels, query 'q'", "lone surrogate"]),
        ({}, {"q": "س"}, {"q": {}}, ["qrels, query 'q'", "no judgement", "leave the query out of qrels"]),
        ({7: "x"}, {}, {}, ["the identifier is 7, of the type int", "write '7'"]),
        ({"d": None}, {}, {}, ["the text is None"]),
        ({"d": {"text": "x"}}, {}, {}, ["the text is {'text': 'x'}"]),
        ([("d", "x")], {}, {}, ["corpus is of the type list", "{id: text}"]),
        ({}, {}, [("q", "d", 1)], ["qrels is of the type list", "{query id: {document id: grade}}"]),
        ({}, {}, {"q": ["d"]}, ["query 'q'", "of the type list", "grade 1"]),
        ({}, {}, {"q": "d"}, ["of the type str"]),
        ({}, {}, {1: {"d": 1}}, ["the query id is 1"]),
        ({}, {}, {"q": {2: 1}}, ["the document id is 2"]),
        ({}, {}, {"q": {"d": float("nan")}}, ["query 'q', document 'd'", "the grade is nan", "finite"]),
        ({}, {}, {"q": {"d": float("inf")}}, ["the grade is inf"]),
        ({}, {}, {"q": {"d": "1"}}, ["the grade is '1'"]),
        ({}, {}, {"q": {"d": 10**400}}, ["the grade is a whole number of more than 308 digits"]),
        ({}, {}, {"q": {"d": -(10**5000)}}, ["the grade is a whole number of more than 308 digits"]),
        ({}, {}, {"q": {"d": None}}, ["the grade is None"]),
    ],
)
def test_what_no_file_can_hold_is_refused_before_anything_is_written(
    tmp_path: Path, corpus: Any, queries: Any, qrels: Any, parts: list[str]
) -> None:
    folder = tmp_path / "set"
    with pytest.raises(DatasetError) as caught:
        write_beir(folder, corpus, queries, qrels)
    for part in parts:
        assert part in str(caught.value)
    assert not folder.exists()


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    grades: Any = {"a": np.float32(0.5), "b": np.int64(2), "c": True}
    write_beir(tmp_path, {}, {"q": "س"}, {"q": grades})
    assert (tmp_path / "qrels.tsv").read_text().splitlines()[1:] == ["q\ta\t0.5", "q\tb\t2", "q\tc\t1"]


def test_other_files_stay_and_old_ones_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    write_beir(tmp_path, {"d": "قديم"}, {"q": "س"}, {"q": {"d": 1}})
    write_beir(str(tmp_path), {"d": "جديد"}, {"q": "س"}, {})
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "corpus.jsonl",
        "notes.txt",
        "qrels.tsv",
        "queries.jsonl",
    ]
    assert read_beir(tmp_path) == ({"d": "جديد"}, {"q": "س"}, {})


def test_folders_above_are_made(tmp_path: Path) -> None:
    write_beir(tmp_path / "a" / "b", {}, {}, {})
    assert read_beir(tmp_path / "a" / "b") == ({}, {}, {})


def test_a_failure_leaves_the_old_files_and_no_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_beir(tmp_path, {"d": "قديم"}, {"q": "س"}, {"q": {"d": 1}})
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    calls: list[str] = []

    def full(path: Path, chunks: Any) -> None:
        calls.append(Path(path).name)
        if len(calls) == 2:
            raise StorageError("the disk is full")
        Path(path).write_bytes(b"".join(chunks))

    monkeypatch.setattr("muffakir_eval.datasets.beir.writing.replace_file", full)
    with pytest.raises(StorageError, match="full"):
        write_beir(tmp_path, {"d": "جديد"}, {"q": "س"}, {"q": {"d": 1}})
    assert len(calls) == 2
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "set").write_text("x")
    with pytest.raises(StorageError, match="the folder cannot be written"):
        write_beir(tmp_path / "set", {}, {}, {})


def test_a_large_corpus_is_written_in_pieces(tmp_path: Path) -> None:
    corpus = {str(number): f"نص {number}" for number in range(2500)}
    write_beir(tmp_path, corpus, {}, {})
    assert read_beir(tmp_path)[0] == corpus
    assert all(clean_id(key) == key for key in corpus)


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_folder_in_the_place_of_a_file_is_seen_before_anything_is_replaced(tmp_path: Path, name: str) -> None:
    write_beir(tmp_path, {"d": "قديم"}, {"q": "س"}, {"q": {"d": 1}})
    (tmp_path / name).unlink()
    (tmp_path / name).mkdir()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    with pytest.raises(StorageError, match=f"{name}: this is a folder"):
        write_beir(tmp_path, {"d": "جديد"}, {"q": "س"}, {"q": {"d": 2}})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def test_a_file_that_is_kept_open_is_named_with_what_was_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_beir(tmp_path, {"d": "قديم"}, {"q": "س"}, {"q": {"d": 1}})
    replace = Path.replace

    def held(path: Path, target: Path) -> Path:
        if path.name == "queries.jsonl":
            raise OSError(5, "it is open")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", held)
    with pytest.raises(StorageError) as caught:
        write_beir(tmp_path, {"d": "جديد"}, {"q": "س"}, {"q": {"d": 2}})
    assert f"{tmp_path / 'queries.jsonl'}: the file cannot be replaced (it is open)" in str(caught.value)
    assert "Still the old: queries.jsonl, qrels.tsv, and new already: corpus.jsonl" in str(caught.value)
    assert read_beir(tmp_path) == ({"d": "جديد"}, {"q": "س"}, {"q": {"d": 1.0}})
    assert len(list(tmp_path.iterdir())) == 3
