"""Parquet files."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.errors import DatasetColumnError, DatasetFormatError, MissingExtraError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
Write = Callable[..., Path]


def written(tmp_path: Path, columns: dict[str, Any]) -> Path:
    path = tmp_path / "q.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def test_columns_keep_their_types(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {
            "question": ["س1", "س2"],
            "chunk_id": pa.array([9007199254740993, None]),
            "answers": [{"text": ["أ", "ب"], "answer_start": [0, 3]}, {"text": [], "answer_start": []}],
            "contexts": [["نص"], []],
            "day": [datetime.date(2024, 1, 5), None],
            "share": [0.5, float("nan")],
        },
    )
    first, second = load_evaluation_dataset(path)
    assert (first.row, first.chunk_ids, first.answers, first.contexts) == (
        1,
        ("9007199254740993",),
        ("أ", "ب"),
        ("نص",),
    )
    assert first.metadata == {"day": "2024-01-05", "share": 0.5}
    assert (second.chunk_ids, second.answers, second.contexts) == ((), (), ())
    assert second.metadata == {"day": None, "share": None}


def test_many_batches(tmp_path: Path) -> None:
    path = tmp_path / "q.parquet"
    pq.write_table(pa.table({"question": [f"س{number}" for number in range(5000)]}), path, row_group_size=100)
    dataset = load_evaluation_dataset(path)
    assert [dataset[0].row, dataset[-1].row, dataset[-1].question] == [1, 5000, "س4999"]
    assert len(load_evaluation_dataset(path, max_samples=3)) == 3


def test_no_question(tmp_path: Path) -> None:
    with pytest.raises(DatasetColumnError, match="the columns are 'text'"):
        load_evaluation_dataset(written(tmp_path, {"text": ["x"]}))


def test_no_rows(tmp_path: Path) -> None:
    with pytest.raises(DatasetFormatError, match="there are no rows"):
        load_evaluation_dataset(written(tmp_path, {"question": pa.array([], pa.string())}))


def test_a_damaged_file(tmp_path: Path, write: Write) -> None:
    data = written(tmp_path, {"question": ["س"] * 100}).read_bytes()
    with pytest.raises(DatasetFormatError, match=r"the file is damaged.*write it again"):
        load_evaluation_dataset(write("cut.parquet", data[:-20]))
    flipped = bytearray(data)
    flipped[4:40] = b"\xff" * 36
    with pytest.raises(DatasetFormatError, match=r"the file is damaged"):
        load_evaluation_dataset(write("flipped.parquet", bytes(flipped)))


def test_without_the_extra_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, {"question": ["س"]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r'pip install "muffakir-eval\[parquet\]", or save the file as .jsonl'):
        load_evaluation_dataset(path)
