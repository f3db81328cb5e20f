"""What the tests of datasets share: files written on the spot."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.datasets.columns.mapping import MappingOptions
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.tables import ReadOptions

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes text or bytes into a file of the given name; ``.gz`` compresses."""

    def _write(name: str, content: str | bytes, encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        data = content.encode(encoding) if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data) if name.lower().endswith(".gz") else data)
        return path

    return _write


@pytest.fixture
def write_jsonl(write: Write) -> Callable[..., Path]:
    """Writes rows as JSON Lines."""

    def _write(*rows: Any, name: str = "q.jsonl") -> Path:
        return write(name, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))

    return _write


@pytest.fixture
def write_xlsx(tmp_path: Path) -> Callable[..., Path]:
    """Writes sheets (name to rows) as a workbook."""

    def _write(sheets: dict[str, Sequence[Sequence[Any]]], name: str = "q.xlsx") -> Path:
        from openpyxl import Workbook

        book = Workbook()
        book.remove(book.active)  # type: ignore[arg-type]
        for title, rows in sheets.items():
            sheet = book.create_sheet(title)
            for row in rows:
                sheet.append(list(row))
        path = tmp_path / name
        book.save(path)
        return path

    return _write


@pytest.fixture
def options() -> ReadOptions:
    """Options of a reader, strict, with nothing said by the user."""
    return ReadOptions(findings=Findings(fail_fast=True), mapping=MappingOptions())
