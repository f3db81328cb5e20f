"""CSV files read back exactly, in three readers."""

from __future__ import annotations

import csv
import datetime
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.text.cells import restore_cell
from muffakir_eval.writers.csv_file import csv_chunks, write_samples_csv

TEXTS = [
    "ما عاصمة مصر؟",
    '=HYPERLINK("http://x.test")',
    " =1+1",
    "\u200b=1+1",
    "@SUM(A1)",
    "- البند الأول\n- البند الثاني\r\n- الثالث\rالرابع",
    'قال: "نعم"، ثم "لا"',
    "a,b;c\td",
    "",
    " ",
    "NA",
    "007",
    "1e5",
    "TRUE",
    "نصف رمز \ud83d",
    "nul \x00 here",
    "\\ud83d",
    "C:\\new\\table",
    "'=1",
    "'",
    "\ufeffafter a mark",
    "\x1a\x01\x85\u2028",
    "😀" * 20_000,
]


def _one_line(rows: list[Mapping[str, Any]], columns: list[str]) -> str:
    lines = b"".join(csv_chunks(rows, columns, bom=False)).decode("utf-8").split("\r\n")
    return lines[1]


def _read_with_csv(content: bytes) -> list[dict[str, str]]:
    limit = csv.field_size_limit(10_000_000)
    try:
        return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    finally:
        csv.field_size_limit(limit)


def test_hostile_text_comes_back_exactly_in_csv_and_pandas(tmp_path: Path) -> None:
    path = tmp_path / "samples.csv"
    write_samples_csv(path, ({"السؤال": text, "mrr": 0.5} for text in TEXTS), ["السؤال", "mrr"])
    content = path.read_bytes()
    assert [restore_cell(row["السؤال"]) for row in _read_with_csv(content)] == TEXTS
    frame = pd.read_csv(path, encoding="utf-8-sig", dtype={"السؤال": str}, keep_default_na=False)
    assert [restore_cell(text) for text in frame["السؤال"]] == TEXTS
    assert frame["mrr"].tolist() == [0.5] * len(TEXTS)


def test_no_written_cell_starts_a_formula() -> None:
    content = b"".join(csv_chunks([{"a": text} for text in TEXTS], ["a"]))
    for row in _read_with_csv(content):
        assert not row["a"].lstrip("\u200b\ufeff ").startswith(("=", "+", "-", "@", "\t", "\r"))


def test_the_byte_order_mark_can_be_left_out(tmp_path: Path) -> None:
    write_samples_csv(tmp_path / "with.csv", [], ["السؤال"])
    write_samples_csv(tmp_path / "without.csv", [], ["السؤال"], bom=False)
    assert (tmp_path / "with.csv").read_bytes() == '\ufeff"السؤال"\r\n'.encode()
    assert (tmp_path / "without.csv").read_bytes() == '"السؤال"\r\n'.encode()


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (-0.5, "-0.5"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1.0, "1.0"),
        (-3, "-3"),
        (10**30, "1000000000000000000000000000000"),
        (True, "True"),
        (False, "False"),
        (None, ""),
        ("", '""'),
        ("-0.5", '"\'-0.5"'),
        (np.float64(0.5), "0.5"),
        (np.float32(0.5), "0.5"),
        (np.int64(7), "7"),
        (np.bool_(True), "True"),
        (["أ", None, 1], '"[""أ"", null, 1]"'),
        (("a", "b"), '"[""a"", ""b""]"'),
        ([], '"[]"'),
        ({"ms": 1.5}, '"{""ms"": 1.5}"'),
        (MappingProxyType({"ms": 1.5}), '"{""ms"": 1.5}"'),
        (np.array([1, 2]), '"[1, 2]"'),
        (frozenset({"x"}), '"[""x""]"'),
        (datetime.date(2024, 5, 6), '"2024-05-06"'),
        (datetime.datetime(2024, 5, 6, 7, 8, tzinfo=datetime.UTC), '"2024-05-06T07:08:00+00:00"'),
        (Path("x"), '"x"'),
    ],
)
def test_each_kind_of_value_has_one_form(value: object, cell: str) -> None:
    assert _one_line([{"a": value}], ["a"]) == cell


def test_missing_cells_are_empty_and_unknown_columns_are_an_error() -> None:
    assert _one_line([{"b": 1}], ["a", "b", "c"]) == ",1,"
    with pytest.raises(ValueError, match="row 2 has columns that the file does not: 'd'"):
        list(csv_chunks([{"d": 1}], ["a"]))


def test_headers_are_text_too() -> None:
    assert b"".join(csv_chunks([], ["=cmd", 'a"b'], bom=False)) == b'"\'=cmd","a""b"\r\n'


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), np.float32("nan"), [0.5, float("nan")], np.array([np.nan])]
)
def test_nan_is_an_error_that_leaves_the_old_file(tmp_path: Path, value: object) -> None:
    path = tmp_path / "samples.csv"
    path.write_bytes(b"old")
    with pytest.raises(ValueError, match="row 3, column 'mrr'"):
        write_samples_csv(path, [{"mrr": 1.0}, {"mrr": value}], ["mrr"])
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_rows_are_taken_one_at_a_time() -> None:
    taken: list[int] = []

    def rows() -> Iterator[dict[str, int]]:
        for number in range(3):
            taken.append(number)
            yield {"a": number}

    chunks = csv_chunks(rows(), ["a"])
    next(chunks)
    assert taken == []
    assert next(chunks) == b"0\r\n"
    assert taken == [0]


def test_lists_with_hostile_text_come_back() -> None:
    texts = ["=1", "\ud83d", "\x00", "\\ud83d", '"', "\\", "سطر\nآخر"]
    content = b"".join(csv_chunks([{"a": texts}], ["a"]))
    (row,) = _read_with_csv(content)
    assert json.loads(restore_cell(row["a"])) == texts


CELLS = st.one_of(
    st.text(st.characters(), max_size=20),
    st.text("=+-@'\"\\u0d83,;\r\n\t \u200b\x00\ud83dا", max_size=12),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS), max_size=5), st.booleans())
def test_every_text_comes_back(pairs: list[tuple[str, str]], bom: bool) -> None:
    content = b"".join(csv_chunks([{"a": a, "b": b} for a, b in pairs], ["a", "b"], bom=bom))
    rows = _read_with_csv(content)
    assert [(restore_cell(row["a"]), restore_cell(row["b"])) for row in rows] == pairs
