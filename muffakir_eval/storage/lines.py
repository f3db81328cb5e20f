"""The lines of ``records.jsonl``: whole, torn, or not ours."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from muffakir_eval.records.codec import strict_json

__all__ = ["RECORDS", "is_torn", "is_unfinished", "parse_line", "to_line"]

RECORDS = "records.jsonl"


def to_line(record: Mapping[str, Any]) -> bytes:
    """``record`` as one line of the file."""
    return strict_json(record).encode("utf-8") + b"\n"


def parse_line(line: bytes) -> dict[str, Any] | None:
    """The record in ``line``, or ``None`` where it is torn or damaged."""
    if not line.endswith(b"\n"):
        return None
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and "kind" in record else None


def is_torn(line: bytes) -> bool:
    """``line`` is the beginning of a record of ours, not a file of somebody else's."""
    start = b'{"kind": "'
    return start.startswith(line[: len(start)])


def _last_line(path: Path) -> bytes:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 4096))
        return file.read().rstrip(b"\n").rpartition(b"\n")[2]


def is_unfinished(path: Path) -> bool:
    """There are records, and they do not end with the mark of a finished run."""
    if not path.exists():
        return False
    record = parse_line(_last_line(path) + b"\n")
    return record is None or record["kind"] != "finished"
