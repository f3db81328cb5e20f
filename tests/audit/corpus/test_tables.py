"""Rows that bring their own columns, seen only in part when the columns are chosen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.audit.corpus import Corpus, open_corpus
from muffakir_eval.errors import DatasetColumnError

CAIRO = "القاهرة عاصمة مصر."
MANY = 1100
"""More rows than are looked at to choose the columns."""


def opened(folder: Path, *rows: Any, **options: str) -> Corpus:
    file = folder / "c.jsonl"
    file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    return open_corpus(file, **options)


def read(corpus: Corpus) -> list[Any]:
    return [chunk for batch in corpus.batches() for chunk in batch]


def test_columns_that_only_some_of_the_first_rows_have(tmp_path: Path) -> None:
    found = read(opened(tmp_path, {"text": CAIRO}, {"text": CAIRO, "id": 5, "title": "عنوان", "source": "أ.pdf"}))
    assert [(chunk.chunk_id, chunk.source) for chunk in found] == [(None, None), ("5", "أ.pdf")]
    assert found[1].text == f"عنوان\n{CAIRO}"


def test_columns_that_turn_up_late(tmp_path: Path) -> None:
    late = {"text": CAIRO, "id": 5, "title": "عنوان", "source": "أ.pdf", "metadata": {"page": 3}, "note": "ملاحظة"}
    found = read(opened(tmp_path, *[{"text": CAIRO}] * MANY, late))
    assert found[0].chunk_id is None
    last = found[-1]
    assert (last.chunk_id, last.source, last.text) == ("5", "أ.pdf", f"عنوان\n{CAIRO}")
    assert last.metadata == {"title": "عنوان", "page": 3, "note": "ملاحظة"}


def test_what_was_chosen_stays(tmp_path: Path) -> None:
    late = {"passage": "أ", "text": "ب", "doc_id": 1, "chunk_id": 2}
    found = read(opened(tmp_path, *[{"passage": CAIRO, "doc_id": 1}] * MANY, late))
    assert (found[-1].text, found[-1].chunk_id, found[-1].metadata) == ("أ", "1", {"text": "ب", "chunk_id": 2})


def test_a_row_whose_text_is_called_otherwise_is_set_aside(tmp_path: Path) -> None:
    corpus = opened(tmp_path, *[{"text": CAIRO}] * MANY, {"content": "ب"}, {"id": 3}, {"text": CAIRO})
    found = read(corpus)
    assert len(found) == MANY + 2
    assert (found[MANY].chunk_id, found[MANY].text) == ("3", "")
    (problem,) = corpus.problems
    assert (problem.row, problem.column) == (MANY + 1, "text")
    assert "no 'text', which holds the text of the rows before, but 'content'" in str(problem)


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([{"id": 1, "page": 2}], {}, r"no column holds the passages; the columns are 'id', 'page'"),
        ([{"text": "أ"}, {"content": "ب"}], {}, r"several columns could hold the passages"),
        ([{"text": "أ"}], {"text_column": "texts"}, r"did you mean 'text'\?"),
        ([{"text": "أ"}], {"id_column": "رمز"}, r"id_column names 'رمز'"),
    ],
)
def test_columns_that_leave_it_open(tmp_path: Path, rows: list[Any], options: dict[str, str], message: str) -> None:
    with pytest.raises(DatasetColumnError, match=message):
        read(opened(tmp_path, *rows, **options))


def test_named_columns(tmp_path: Path) -> None:
    corpus = opened(tmp_path, {"id": 1, "code": "م-1", "long": CAIRO}, text_column="long", id_column="code")
    (chunk,) = read(corpus)
    assert (chunk.text, chunk.chunk_id, chunk.metadata) == (CAIRO, "م-1", {"id": 1})


def test_vectors_are_left_out(tmp_path: Path) -> None:
    (chunk,) = read(opened(tmp_path, {"text": CAIRO, "Embedding": [0.5] * 4, "tags": ["أ"]}))
    assert chunk.metadata == {"tags": ["أ"]}
    (chunk,) = read(opened(tmp_path, {"vector": CAIRO}, text_column="vector"))
    assert chunk.text == CAIRO
