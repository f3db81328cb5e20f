"""The folder of an earlier run: its questions, with what the pipeline said as recorded outputs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from muffakir_eval.datasets.columns.explicit import listed
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.reading.files import SUFFIXES
from muffakir_eval.errors import DatasetFormatError
from muffakir_eval.records import Sample
from muffakir_eval.records.codec import decode_output, decode_sample

__all__ = ["RECORDS", "RecordedRun", "is_run_file", "read_run"]

RECORDS = "records.jsonl"
_SUMMARY = "summary.json"
_REMEDY = "restore the file from a copy, or run again"


def is_run_file(path: Path) -> bool:
    """The file is the records of a run, and no dataset of that name."""
    if path.name != RECORDS or not path.is_file():
        return False
    with path.open("rb") as lines:
        first = _record(lines.readline())
    return first is not None and first.get("kind") == "run"


class RecordedRun(NamedTuple):
    """What a run was about.

    Attributes:
        samples: In their order, each with its output.
        match_by: How chunks were compared with the gold, where that was not left to both.
    """

    samples: list[Sample]
    match_by: Literal["id", "text"] | None


def read_run(folder: Path, findings: Findings) -> RecordedRun:
    """The samples of a run in their order, each with its output, and how the run compared them.

    Where an output was recorded twice the last one counts. A last line that is torn, since the run was
    killed in the middle of it, is left out with a warning.

    Raises:
        DatasetFormatError: The folder holds no run, or its records are damaged.
    """
    path = folder / RECORDS
    if not path.is_file():
        raise _no_run(folder)
    header: dict[str, Any] = {}
    outputs: dict[str, dict[str, Any]] = {}
    finished = False
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            record = _record(line)
            if record is None:
                if lines.read(1):
                    raise DatasetFormatError(f"line {number} is damaged", where=str(path), remedy=_REMEDY)
                findings.warn("torn line", f"{path}: the last line is torn, as the run was killed, and is left out")
                break
            kind = record.get("kind")
            if kind == "run":
                header = record
            elif kind == "output":
                outputs[record["key"]] = record
            finished = finished or kind == "finished"
    if not header:
        raise DatasetFormatError("the first line does not describe a run", where=str(path), remedy=_REMEDY)
    if not finished:
        findings.warn("unfinished run", f"{path}: the run was not finished; it holds {len(outputs)} outputs")
    _compare_summary(folder, header, findings)
    ordered = sorted(outputs.values(), key=lambda record: int(record.get("position", 0)))
    return RecordedRun([_sample(record, path) for record in ordered], _match_by(header))


def _match_by(header: Mapping[str, Any]) -> Literal["id", "text"] | None:
    identity = header.get("identity")
    matching = identity.get("matching") if isinstance(identity, dict) else None
    found = matching.get("match_by") if isinstance(matching, dict) else None
    return found if found in ("id", "text") else None


def _record(line: bytes) -> dict[str, Any] | None:
    if not line.endswith(b"\n"):
        return None
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _sample(record: Mapping[str, Any], path: Path) -> Sample:
    try:
        return replace(decode_sample(record["sample"]), recorded=decode_output(record["output"]))
    except (KeyError, TypeError) as error:
        raise DatasetFormatError(
            f"the output of sample {record.get('key')!r} cannot be read ({error})",
            where=str(path),
            remedy="read it with the version of muffakir_eval that wrote it, or run again",
        ) from None


def _compare_summary(folder: Path, header: Mapping[str, Any], findings: Findings) -> None:
    path = folder / _SUMMARY
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    found = summary.get("run_id") if isinstance(summary, dict) else None
    if found != header.get("run_id"):
        findings.warn(
            "mismatched files",
            f"{path} belongs to the run {found!r}, and {RECORDS} to {header.get('run_id')!r}: the outputs are read "
            "from the latter",
        )


def _no_run(folder: Path) -> DatasetFormatError:
    names = sorted(entry.name for entry in folder.iterdir() if entry.suffix.lower() in SUFFIXES)
    return DatasetFormatError(
        f"the folder holds no run ({RECORDS} is missing)",
        where=str(folder),
        expected="a dataset file, the folder of an earlier run, or a BEIR folder (queries.jsonl and qrels.tsv)",
        remedy=f"name the file itself: {listed(names, limit=8)}" if names else "name a file",
    )
