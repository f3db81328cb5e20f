"""One door to every format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.datasets import ReadOptions, read_table
from muffakir_eval.datasets.findings import Findings

Write = Callable[..., Path]


def options(**given: Any) -> ReadOptions:
    return ReadOptions(findings=Findings(fail_fast=True), **given)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.jsonl", '{"a": "1", "b": "x"}\n'),
        ("q.json.gz", '[{"a": "1", "b": "x"}]'),
        ("q.csv", "a,b\n1,x\n"),
        ("q.tsv", "a\tb\n1\tx\n"),
    ],
)
def test_rows_of_any_kind_whatever_their_columns_mean(write: Write, name: str, text: str) -> None:
    table = read_table(write(name, text), options())
    assert [cells for _, _, cells in table.rows] == [{"a": "1", "b": "x"}]


def test_options_without_meaning_are_warned_of(write: Write, write_xlsx: Callable[..., Path]) -> None:
    given = options(sheet="x", encoding="utf-8")
    path = write("q.csv", "a\n1\n")
    read_table(path, given)
    assert given.findings.warnings == [f"{path}: sheet='x' has no meaning here and is ignored"]
    given = options(sheet=0, encoding="cp1256")
    book = write_xlsx({"S": [["a"], [1]]})
    read_table(book, given)
    assert given.findings.warnings == [f"{book}: encoding='cp1256' has no meaning here and is ignored"]


def test_a_table_that_is_not_read_to_its_end_can_be_closed(write: Write) -> None:
    table = read_table(write("q.csv", "a\n1\n2\n"), options())
    next(table.rows)
    table.close()
    assert list(table.rows) == []
