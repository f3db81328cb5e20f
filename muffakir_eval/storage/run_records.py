"""What a run has recorded: an index in memory, the lines themselves on disk."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from muffakir_eval.errors import StorageError
from muffakir_eval.records import PipelineOutput, Sample, SampleResult
from muffakir_eval.records.codec import decode_output, decode_result
from muffakir_eval.storage.lines import FORMAT, is_beginning, parse_line, to_line
from muffakir_eval.storage.open_files import KeptFile

__all__ = ["RunRecords"]

_Span = tuple[int, int]


@dataclass(slots=True)
class _Lines:
    """Offset and length of the lines about one sample."""

    output: _Span | None = None
    result: _Span | None = None


class RunRecords:
    """The records of one run, read from disk when asked for.

    They can be read as long as this object lives, also after their folder was replaced or removed by
    this process. A pickle holds the lines themselves.

    Args:
        path: Where they lie.
    """

    def __init__(self, path: Path) -> None:
        self.header: dict[str, Any] = {}
        self._index: dict[str, _Lines] = {}
        self._file = KeptFile(path)

    @property
    def path(self) -> Path:
        """Where they lie now."""
        return self._file.path

    @classmethod
    def scan(cls, path: Path) -> tuple[RunRecords, int]:
        """The records in ``path``, and how many bytes of it are whole lines.

        What a killed process leaves of its last line is no part of them; without a whole first line
        there is nothing, and the header is empty.

        Raises:
            StorageError: A line is damaged, or was written by a later version.
        """
        records = cls(path)
        with path.open("rb") as lines:
            return records, records._read_index(lines)

    def _read_index(self, lines: BinaryIO) -> int:
        offset = 0
        for number, line in enumerate(lines, start=1):
            record = parse_line(line)
            is_header = record is not None and record["kind"] == "run"
            if record is None or is_header != (number == 1):
                if line.endswith(b"\n") or (number == 1 and not is_beginning(line)):
                    raise self._damaged(number)
                break
            if is_header:
                self.header = self._checked(record)
            else:
                self.note(record, offset, len(line))
            offset += len(line)
        return offset

    def _checked(self, header: dict[str, Any]) -> dict[str, Any]:
        if header.get("format") != FORMAT or not isinstance(header.get("identity", {}), dict):
            raise StorageError(
                f"the run was recorded in the layout {header.get('format')!r}",
                where=str(self.path),
                expected=f"layout {FORMAT}",
                remedy="go on with the version of muffakir_eval that began it, or choose another output_dir",
            )
        return header

    def _damaged(self, number: int) -> StorageError:
        if number == 1:
            return StorageError(
                "the first line does not begin a run: the file is damaged, or not of this package",
                where=str(self.path),
                remedy="choose another output_dir, or set on_existing='overwrite' to replace the file",
            )
        return StorageError(
            f"line {number} is damaged",
            where=str(self.path),
            remedy="delete that line and start again: only its question is asked once more; or restore the file, "
            "or set on_existing='overwrite' to start anew",
        )

    # -- the index ---------------------------------------------------------------------------------

    def note(self, record: Mapping[str, Any], offset: int, length: int) -> None:
        """A record was found or written at ``offset``."""
        if record["kind"] == "output":
            self._index.setdefault(record["key"], _Lines()).output = offset, length
        elif record["kind"] == "result":
            self._index.setdefault(record["key"], _Lines()).result = offset, length

    @property
    def is_empty(self) -> bool:
        """There is neither an output nor a result."""
        return not self._index

    def finished_keys(self) -> set[str]:
        """Samples that have an output and a result."""
        return {key for key, lines in self._index.items() if lines.output is not None and lines.result is not None}

    def forget(self, key: str) -> None:
        """Have the sample ``key`` run again; its next records win."""
        self._index.pop(key, None)

    def forget_scores(self, key: str) -> None:
        """Have the output of the sample ``key`` scored again; its next scores win."""
        self._index[key].result = None

    # -- reading -----------------------------------------------------------------------------------

    def _record(self, key: str, span: _Span | None) -> dict[str, Any]:
        if span is None:
            raise StorageError(f"sample {key} is not finished", where=str(self.path))
        try:
            record = parse_line(self._file.read(*span))
        except OSError as error:
            raise self._gone(str(error)) from error
        if record is None or record.get("key") != key:
            raise self._gone("something else stands in their place")
        return record

    def _gone(self, reason: str) -> StorageError:
        return StorageError(
            f"the samples of run {self.header.get('run_id')} cannot be read any more ({reason})",
            where=str(self.path),
            remedy="keep the folder of a run as long as its report is used, or save the report elsewhere",
        )

    def output(self, key: str) -> PipelineOutput | None:
        """What the pipeline said in an earlier part of this run.

        Raises:
            StorageError: The record cannot be read.
        """
        lines = self._index.get(key)
        if lines is None or lines.output is None:
            return None
        record = self._record(key, lines.output)
        try:
            return decode_output(record["output"])
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise self._unreadable(key, error) from error

    def result(self, key: str, sample: Sample) -> SampleResult:
        """The finished sample ``key``, as ``sample`` stands in the dataset now.

        Raises:
            StorageError: It is not finished, or its records cannot be read.
        """
        lines = self._index.get(key, _Lines())
        stored, output = self._record(key, lines.result), self._record(key, lines.output)["output"]
        del stored["kind"]
        try:
            return decode_result({**stored, "sample": sample, "output": output})
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise self._unreadable(key, error) from error

    def _unreadable(self, key: str, error: Exception) -> StorageError:
        return StorageError(
            f"the record of sample {key} cannot be understood ({type(error).__name__}: {error})",
            where=str(self.path),
            remedy=f"delete the lines with the key {json.dumps(key)} and start again, or restore the file",
        )

    def placed(self, key: str) -> tuple[Any, Any, Any] | None:
        """Position, id and row under which the sample was recorded."""
        lines = self._index.get(key)
        if lines is None or lines.output is None:
            return None
        stored = self._record(key, lines.output)
        return stored["position"], stored["sample"].get("sample_id"), stored["sample"].get("row", 0)

    def lines_of(self, key: str) -> tuple[bytes, bytes]:
        """Output and result of the finished sample ``key`` as they stand in the file, not looked at.

        Raises:
            StorageError: It is not finished, or the file cannot be read.
        """
        lines = self._index.get(key, _Lines())
        if lines.output is None or lines.result is None:
            raise StorageError(f"sample {key} is not finished", where=str(self.path))
        try:
            return self._file.read(*lines.output), self._file.read(*lines.result)
        except OSError as error:
            raise self._gone(str(error)) from error

    def lines(self, keys: Iterable[str] = (), *, finished: bool) -> Iterator[bytes]:
        """The records as they stand in the file, those over ``keys`` first and in their order.

        Args:
            keys: Samples.
            finished: Only those, and then the mark of a finished run; otherwise whatever there is.
        """
        yield to_line(self.header)
        ordered = dict.fromkeys(keys)
        for key in ordered if finished else ordered | dict.fromkeys(self._index):
            lines = self._index[key]
            for span in (lines.output, lines.result):
                if span is not None:
                    yield to_line(self._record(key, span))
        if finished:
            yield to_line({"kind": "finished", "run_id": self.header["run_id"]})

    # -- outliving the file ------------------------------------------------------------------------

    def keep(self) -> None:
        """Stay readable although the file is about to be removed.

        Raises:
            OSError: It is gone already, or there is no room for a copy.
        """
        self._file.keep()

    def release(self) -> None:
        """Close the file until the next reading."""
        self._file.release()

    def __deepcopy__(self, memo: dict[int, Any]) -> RunRecords:
        return self  # nobody changes the records of a run that has ended

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_lines, (b"".join(self.lines(finished=False)), str(self.path))


def _from_lines(content: bytes, path: str) -> RunRecords:
    records = RunRecords(Path(path))
    records._file = KeptFile.holding(io.BytesIO(content), Path(path))
    records._read_index(io.BytesIO(content))
    return records
