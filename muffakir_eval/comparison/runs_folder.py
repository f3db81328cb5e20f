"""The folder of a run, read back."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from muffakir_eval.comparison.runs_shapes import fault_in_summary
from muffakir_eval.errors import StorageError
from muffakir_eval.records.codec import decode_sample
from muffakir_eval.report import EvaluationReport, Results
from muffakir_eval.runner import Item
from muffakir_eval.storage import RECORDS, RunRecords

__all__ = ["load_report", "read_summary", "run_folder"]

SUMMARY = "summary.json"
_REMEDY = "restore the file from a copy, or run again"


def load_report(folder: str | Path) -> EvaluationReport:
    """The report of a run that lies in ``folder``.

    Its figures are those of ``summary.json``; its samples are read from ``records.jsonl`` when they are
    asked for. A summary that was written before there were intervals or slices has none.

    Args:
        folder: Of the run, or its ``summary.json``.

    Raises:
        StorageError: There is no run, a file is damaged, or the two files belong to different runs.
    """
    place = run_folder(folder)
    summary = read_summary(place)
    path = place / RECORDS
    records = scan(path)
    if records.header.get("run_id") != summary["run_id"]:
        raise StorageError(
            f"{SUMMARY} belongs to the run {summary['run_id']} and {RECORDS} to {records.header.get('run_id')}",
            where=str(place),
            remedy="restore the two files from one copy, or run again",
        )
    items = sorted((_item(records, key) for key in records.finished_keys()), key=lambda item: (item.position, item.key))
    if len(items) != summary["n_samples"]:
        raise StorageError(
            f"{SUMMARY} counts {summary['n_samples']} finished questions, and {RECORDS} holds {len(items)}",
            where=str(place),
            remedy="start the run again to finish it" if summary["partial"] else _REMEDY,
        )
    bom = (summary.get("config") or {}).get("csv_bom", True)
    return EvaluationReport(summary, Results(records, items), folder=place, csv_bom=bool(bom))


def run_folder(folder: str | Path) -> Path:
    """The folder that is meant by its own name, or by that of its summary or records.

    Raises:
        StorageError: There is none, or no run in it.
    """
    path = Path(folder)
    place = path.parent if path.name in (SUMMARY, RECORDS) else path
    if not place.is_dir():
        found = "there is no such folder" if not place.exists() else "this is no folder"
        raise StorageError(found, where=str(folder), expected="the folder of a run", remedy="check the path")
    if not (place / SUMMARY).is_file() and not (place / RECORDS).is_file():
        raise StorageError(
            f"the folder holds no run ({SUMMARY} and {RECORDS} are missing)",
            where=str(place),
            remedy="name the folder that muffakir-eval run wrote, or that report.save was given",
        )
    return place


def read_summary(folder: Path) -> dict[str, Any]:
    """The content of ``summary.json``, checked as far as it is used; what older versions did not write is ``None``.

    Raises:
        StorageError: It is missing or damaged.
    """
    path = folder / SUMMARY
    if not path.is_file():
        raise StorageError(
            "the run has no summary: it was interrupted before one was written",
            where=str(path),
            remedy="start the same run again to finish it",
        )
    try:
        summary = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refused, parse_float=_finite)
    except (OSError, ValueError, RecursionError) as error:
        raise StorageError(f"the summary cannot be read ({error})", where=str(path), remedy=_REMEDY) from error
    fault = fault_in_summary(summary)
    if fault is not None:
        raise StorageError(fault.found, where=str(path), expected=fault.expected, remedy=_REMEDY)
    summary["slices"] = summary.get("slices") or {}
    summary["warnings"] = summary.get("warnings") or []
    parts = [part for slices in summary["slices"].values() for part in slices if "metrics" in part]
    for part in parts:
        part.setdefault("value", None)
    for holder in (summary, *parts):
        for block in holder["metrics"].values():
            for name in ("mean", "reason", "interval"):
                block.setdefault(name, None)
    return dict(summary)


def _refused(word: str) -> float:
    raise ValueError(f"{word} is no number")


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refused(text)


def scan(path: Path) -> RunRecords:
    """The records of a run.

    Raises:
        StorageError: They are missing, damaged, or not of this package.
    """
    try:
        records, _ = RunRecords.scan(path)
    except OSError as error:
        raise StorageError(f"the records cannot be read ({error})", where=str(path), remedy=_REMEDY) from error
    if not records.header:
        raise StorageError("the records are empty", where=str(path), remedy=_REMEDY)
    return records


def _item(records: RunRecords, key: str) -> Item:
    line, _ = records.lines_of(key)
    record = json.loads(line)
    try:
        return Item(key=key, position=record["position"], sample=decode_sample(record["sample"]))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StorageError(
            f"the record of sample {key} cannot be understood ({type(error).__name__}: {error})",
            where=str(records.path),
            remedy="read it with the version of muffakir_eval that wrote it, or run again",
        ) from error
