"""Files beside those of a run that are made of it: known as ours by how they begin, and gone when the run is."""

from __future__ import annotations

import contextlib
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from muffakir_eval.errors import RunExistsError

__all__ = ["REPORT_FILES", "is_table", "refuse_foreign_report", "remove_reports"]

_HEAD = 1 << 16


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEAD)


def _properties(path: Path) -> bytes:
    """Of a workbook; nothing of what is none."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read("docProps/core.xml")
    except (zipfile.BadZipFile, KeyError):
        return b""


def _is_page(head: bytes) -> bool:
    return b'<meta name="generator" content="muffakir-eval">' in head


def _is_markdown(head: bytes) -> bool:
    return head.startswith(b"<!-- muffakir-eval ")


def _is_workbook(head: bytes) -> bool:
    return b"muffakir-eval" in head


def is_table(head: bytes) -> bool:
    """Whether a file that begins so is the ``samples.csv`` of a run, of Muffakir's own included."""
    header = head.split(b"\n", 1)[0]
    return all(name in header for name in (b"question", b"gold_answer", b"predicted_answer", b"retrieved_previews"))


def _is_lines(head: bytes) -> bool:
    return head.startswith(b'{"run_id": "')


class _Kind(NamedTuple):
    """Where a file says whose it is, and how it is known as ours."""

    says: Callable[[Path], bytes]
    is_ours: Callable[[bytes], bool]


REPORT_FILES: Mapping[str, _Kind] = {
    "report.html": _Kind(_head, _is_page),
    "report.md": _Kind(_head, _is_markdown),
    "samples.xlsx": _Kind(_properties, _is_workbook),
    "samples.jsonl": _Kind(_head, _is_lines),
}
"""What is made of a run on demand. Each names the run near its beginning, or in its properties."""
_KNOWN: Mapping[str, _Kind] = {**REPORT_FILES, "samples.csv": _Kind(_head, is_table)}
"""With the table, which belongs to every run, and is written elsewhere on demand."""


def refuse_foreign_report(path: Path) -> None:
    """Refuse to replace a file of somebody else's that has the name of ours.

    Raises:
        RunExistsError: It is one.
    """
    kind = _KNOWN.get(path.name)
    if kind is not None and path.is_file() and path.stat().st_size and not kind.is_ours(kind.says(path)):
        raise RunExistsError(
            f"there is a {path.name} that no run has written, and it would be replaced",
            where=str(path),
            remedy="choose another folder, or move the file away",
        )


def remove_reports(folder: Path, kept: str | None = None) -> None:
    """Take away what was made of a run that stood in ``folder`` before, or of an earlier part of this one.

    Args:
        folder: Of the run.
        kept: Identifies the run whose reports may stay.
    """
    for name, kind in REPORT_FILES.items():
        path = folder / name
        with contextlib.suppress(OSError):
            said = kind.says(path) if path.is_file() else b""
            if kind.is_ours(said) and (kept is None or kept.encode() not in said):
                path.unlink()
