"""The scores of a recorded run, column by column, without its texts.

Of a line of ``records.jsonl`` that holds what the pipeline said only the question is looked at, since
the retrieved passages are most of a run.
"""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from muffakir_eval.comparison.runs_columns import Answer, Columns, Missing
from muffakir_eval.comparison.runs_shapes import fault_in_header
from muffakir_eval.errors import StorageError
from muffakir_eval.records import Sample
from muffakir_eval.records.codec import strict_json
from muffakir_eval.report import EvaluationReport
from muffakir_eval.storage import RECORDS
from muffakir_eval.storage.lines import FORMAT, is_beginning, parse_line
from muffakir_eval.tally import group_value

__all__ = ["Question", "RunScores", "scores_of_folder", "scores_of_report"]

_OUTPUT_LINE, _RESULT_LINE = b'{"kind": "output", ', b'{"kind": "result", '
_CUT = b', "output": {'
_NO_CONTENT = ("sample_id", "row", "metadata", "recorded")
"""What a score does not depend on, or what is the system's and not the question's."""

_Ref = tuple[int, int] | str
_LARGEST = 1e300
"""Differences of larger numbers are no numbers any more."""
_REMEDY = "restore the file from a copy, or run again"


class Question(NamedTuple):
    """One question as it stands in the records.

    Attributes:
        sample_id: Of the dataset.
        row: As a spreadsheet or editor shows it.
        question: Its text.
        metadata: The other columns, as one text.
    """

    sample_id: str
    row: int
    question: str
    metadata: str


class RunScores:
    """What a run has measured.

    Attributes:
        header: First line of the records.
        where: Where they lie, for messages.
        content: Of each finished question, a hash of all that its scores depend on but for the pipeline.
        sample_ids: Its name in the dataset.
        positions: Its place in the dataset.
        columns: Its scores.
        groups: Column of the dataset to what each question has in it.
        unfinished: Hashes of the questions that were asked and not scored.
        column_names: Columns of the dataset, where any are asked for.
    """

    def __init__(self, header: Mapping[str, Any], where: str, groups: Sequence[str]) -> None:
        self.header = header
        self.where = where
        self.content: list[bytes] = []
        self.sample_ids: list[str] = []
        self.positions = array("q")
        self.columns = Columns(_metrics(header, where))
        self.groups: dict[str, list[str | None]] = {column: [] for column in groups}
        self.unfinished: set[bytes] = set()
        self.column_names: set[str] = {"source_file", "answerable"}
        self._refs: list[_Ref] = []
        self._read: Callable[[_Ref], bytes] = lambda _: b""

    def __len__(self) -> int:
        return len(self.content)

    def question(self, place: int) -> Question:
        """The question at ``place``, read again from the records."""
        record = _head(self._read(self._refs[place]))
        if record is None:
            raise StorageError("the records have changed while they were read", where=self.where)
        sample = record[0]["sample"]
        metadata = json.dumps(sample.get("metadata") or {}, sort_keys=True, ensure_ascii=False)
        return Question(str(sample["sample_id"]), sample.get("row", 0), sample["question"], metadata)


def scores_of_folder(folder: Path, groups: Sequence[str]) -> RunScores:
    """The scores of the run in ``folder``.

    Args:
        folder: Of the run.
        groups: Columns of the dataset whose values are kept.

    Raises:
        StorageError: The records are missing or damaged.
    """
    path = folder / RECORDS
    try:
        with path.open("rb") as lines:
            first = lines.readline()
            reader = _Reader(_header(first, str(path)), str(path), groups)
            offset = len(first)
            for number, line in enumerate(lines, start=2):
                if not line.endswith(b"\n"):
                    break  # what a killed process leaves
                reader.take(line, (offset, len(line)), number)
                offset += len(line)
    except OSError as error:
        raise StorageError(
            f"the records cannot be read ({error})", where=str(path), remedy="check the path and its permissions"
        ) from error

    def read(ref: _Ref) -> bytes:
        start, length = (int(part) for part in ref)
        with path.open("rb") as lines:
            lines.seek(start)
            return lines.read(length)

    return reader.finished(read)


def scores_of_report(report: EvaluationReport, groups: Sequence[str]) -> RunScores:
    """The scores of a report; see :func:`scores_of_folder`."""
    records = report.samples.records
    header = json.loads(strict_json(records.header))  # as it would be read from the file
    reader = _Reader(header, str(records.path), groups)
    for number, key in enumerate(report.samples.keys(), start=1):
        for line in records.lines_of(key):
            reader.take(line, key, number)
    return reader.finished(lambda ref: records.lines_of(str(ref))[0])


class _Reader:
    """Lines to columns; of what was recorded twice the last counts."""

    def __init__(self, header: Mapping[str, Any], where: str, groups: Sequence[str]) -> None:
        self._scores = RunScores(header, where, groups)
        self._named = {str(column): field for field, column in _mapping(header) if isinstance(column, str)}
        self._places: dict[str, int] = {}
        self._answers: list[Answer] = []
        self._done: list[bool] = []

    def take(self, line: bytes, ref: _Ref, number: int) -> None:
        try:
            if line.startswith(_RESULT_LINE):
                self._take_result(json.loads(line))
                return
            head = _head(line) if line.startswith(_OUTPUT_LINE) else None
            record = head[0] if head is not None else parse_line(line)
            if record is None:
                raise ValueError("no record")
            if record["kind"] == "output":
                self._take_output(record, head[1] if head is not None else _answer(record["output"]), ref)
            elif record["kind"] == "result":
                self._take_result(record)
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError, RecursionError) as error:
            raise StorageError(
                f"line {number} is damaged ({type(error).__name__}: {error})",
                where=self._scores.where,
                remedy=_REMEDY,
            ) from error

    def _take_output(self, record: Mapping[str, Any], answer: Answer, ref: _Ref) -> None:
        scores, sample = self._scores, record["sample"]
        if not isinstance(sample["question"], str) or not isinstance(sample.get("row", 0), int):
            raise ValueError("the question or its row is of another kind")
        place = self._places.setdefault(record["key"], len(self._places))
        if place == len(scores.content):
            scores.content.append(b"")
            scores.sample_ids.append("")
            scores.positions.append(0)
            scores._refs.append(ref)
            scores.columns.grow()
            self._answers.append(answer)
            self._done.append(False)
            for values in scores.groups.values():
                values.append(None)
        content = {name: value for name, value in sample.items() if name not in _NO_CONTENT}
        scores.content[place] = blake2b(json.dumps(content, sort_keys=True).encode("ascii"), digest_size=16).digest()
        scores.sample_ids[place] = str(sample["sample_id"])
        scores.positions[place] = record["position"]
        scores._refs[place] = ref
        self._answers[place] = answer
        if scores.groups:
            scores.column_names.update(sample.get("metadata") or ())
            known = Sample(
                sample_id="",
                question="",
                source_file=sample.get("source_file"),
                answerable=sample.get("answerable"),
                metadata=sample.get("metadata") or {},
            )
            for column, values in scores.groups.items():
                value = group_value(known, column)
                values[place] = group_value(known, self._named.get(column, column)) if value is None else value

    def _take_result(self, record: Mapping[str, Any]) -> None:
        place = self._places[record["key"]]
        columns, found = self._scores.columns, record.get("scores") or {}
        for name in columns.names:
            score = found[name]
            if score["state"] == "measured":
                value = float(score["value"])
                if not abs(value) < _LARGEST:
                    raise ValueError(f"{name} is {value}, which is out of range")
                columns.put(name, place, value)
            else:
                columns.put_missing(name, place, Missing(str(score["reason"]), score["state"] == "failed"))
            if name not in columns.judged and "usage" in (score.get("details") or {}):
                columns.judged.add(name)
        refusal = record.get("refusal")
        refused = refusal is not None and not refusal.get("partial", False)
        columns.put_outcome(place, self._answers[place], refused, record.get("answerable"))
        latency = record.get("pipeline_latency_ms")
        if latency is not None and not math.isfinite(latency):
            raise ValueError(f"pipeline_latency_ms is {latency}")
        columns.put_latency(place, latency)
        self._done[place] = True

    def finished(self, read: Callable[[_Ref], bytes]) -> RunScores:
        scores = self._scores
        scores._read = read
        if all(self._done):
            return scores
        kept = [place for place, done in enumerate(self._done) if done]
        scores.unfinished = {scores.content[place] for place, done in enumerate(self._done) if not done}
        for name in ("content", "sample_ids", "_refs"):
            setattr(scores, name, [getattr(scores, name)[place] for place in kept])
        scores.positions = array("q", [scores.positions[place] for place in kept])
        scores.groups = {name: [values[place] for place in kept] for name, values in scores.groups.items()}
        scores.columns.keep(kept)
        return scores


def _header(line: bytes, where: str) -> dict[str, Any]:
    record = parse_line(line)
    if record is None or record["kind"] != "run" or record.get("format") != FORMAT:
        later = record is not None and is_beginning(line)
        raise StorageError(
            f"the run was recorded in the layout {record.get('format')!r}"
            if later and record is not None
            else "the first line does not begin a run: the file is damaged, or not of this package",
            where=where,
            expected=f"layout {FORMAT}" if later else None,
            remedy="read it with the version of muffakir_eval that wrote it" if later else "check the path",
        )
    fault = fault_in_header(record)
    if fault is not None:
        raise StorageError(f"line 1: {fault.found}", where=where, expected=fault.expected, remedy=_REMEDY)
    return record


def _metrics(header: Mapping[str, Any], where: str) -> tuple[str, ...]:
    metrics = (header.get("identity") or {}).get("metrics")
    if not isinstance(metrics, dict) or not metrics:
        raise StorageError("the first line names no metrics", where=where, remedy="run again")
    return tuple(metrics)


def _mapping(header: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from ((header.get("dataset") or {}).get("mapping") or {}).items()


def _head(line: bytes) -> tuple[dict[str, Any], Answer] | None:
    """The record of an output without the output, and whether that holds an answer; ``None`` where it is none."""
    cut = line.find(_CUT)
    said = line[cut + len(_CUT) - 1 :]
    # The order of the keys is that of the writer; whatever looks different is read as a whole.
    if cut < 0 or b'"error": ' in said:
        return _whole(line)
    try:
        record = json.loads(line[:cut] + b"}")
    except ValueError:  # a column of the dataset is called "output"
        return _whole(line)
    return record, "given" if said.startswith(b'{"answer": ') else "none"


def _whole(line: bytes) -> tuple[dict[str, Any], Answer] | None:
    record = parse_line(line)
    return None if record is None or record["kind"] != "output" else (record, _answer(record["output"]))


def _answer(output: Mapping[str, Any]) -> Answer:
    if output.get("error") is not None:
        return "error"
    return "none" if output.get("answer") is None else "given"
