"""BEIR folders, made on the spot."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    """Callable[..., Path]s a BEIR folder; a part is text, rows, or bytes, and ``None`` leaves it out."""

    def _make(
        corpus: Any = ({"_id": "d1", "title": "", "text": "نص"},),
        queries: Any = ({"_id": "q1", "text": "سؤال"},),
        **qrels: Any,
    ) -> Path:
        parts = {"corpus.jsonl": corpus, "queries.jsonl": queries}
        parts |= {name.replace("__", "/").replace("_", "."): part for name, part in (qrels or PLAIN).items()}
        for name, part in parts.items():
            if part is None:
                continue
            rows = part if isinstance(part, (str, bytes)) else "".join(json.dumps(row) + "\n" for row in part)
            data = rows.encode() if isinstance(rows, str) else rows
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return tmp_path

    return _make


PLAIN = {"qrels_tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n"}
