"""The lines of ``records.jsonl``: whole, torn, or not ours."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from muffakir_eval.records.codec import strict_json

__all__ = ["FORMAT", "RECORDS", "is_beginning", "is_unfinished", "parse_line", "to_line"]

RECORDS = "records.jsonl"
FORMAT = 1
"""Version of the layout, written into the first line."""

_BEGINNING = b'{"kind": "run"'
_NEEDED: Mapping[str, Mapping[str, type]] = {
    "run": {"run_id": str},
    "output": {"key": str, "position": int, "sample": dict, "output": dict},
    "result": {"key": str},
}
"""What a record of each kind must hold; kinds that are not here are passed over."""


def to_line(record: Mapping[str, Any]) -> bytes:
    """``record`` as one line of the file."""
    return strict_json(record).encode("utf-8") + b"\n"


def parse_line(line: bytes) -> dict[str, Any] | None:
    """The record in ``line``, or ``None`` where it is torn, damaged or no record."""
    if not line.endswith(b"\n"):
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not isinstance(record.get("kind"), str):
        return None
    needed = _NEEDED.get(record["kind"], {})
    return record if all(isinstance(record.get(name), kind) for name, kind in needed.items()) else None


def is_beginning(line: bytes) -> bool:
    """``line`` is what a killed process may leave of the first line of a run."""
    return line.startswith(_BEGINNING) or _BEGINNING.startswith(line)


def _last_line(path: Path) -> bytes:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 4096))
        return file.read().rstrip(b"\r\n").rpartition(b"\n")[2]


def is_unfinished(path: Path) -> bool:
    """There are records, and they do not end with the mark of a finished run."""
    if not path.exists():
        return False
    record = parse_line(_last_line(path) + b"\n")
    return record is None or record["kind"] != "finished"
