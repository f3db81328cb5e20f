"""One run on disk."""

from __future__ import annotations

import json
import os
import shutil
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from filelock import FileLock, Timeout

from muffakir_eval.atomic import move_file, replace_file
from muffakir_eval.errors import RunExistsError, RunLockedError, StorageError
from muffakir_eval.records import PipelineOutput, Sample, SampleResult
from muffakir_eval.records.codec import decode_output, decode_result, encode
from muffakir_eval.storage.identity import refuse_other_settings
from muffakir_eval.storage.lines import RECORDS, is_torn, is_unfinished, parse_line, to_line

__all__ = ["RunFolder"]

_NEXT = ".next"
_LOCK = ".lock"


@dataclass(slots=True)
class _Lines:
    """Where the lines about one sample stand in the records."""

    output: int | None = None
    result: int | None = None


class RunFolder:
    """One run on disk, open for appending.

    Use :meth:`open`. The folder is locked against other processes until :meth:`close`.
    """

    def __init__(self, folder: Path, work: Path, lock: FileLock) -> None:
        self.folder = folder
        self.work = work
        self.header: dict[str, Any] = {}
        self._lock = lock
        self._index: dict[str, _Lines] = {}
        self._file: BinaryIO | None = None
        self._size = 0
        self._reading = threading.Lock()

    @property
    def run_id(self) -> str:
        """Identifies the run in every file that belongs to it."""
        return str(self.header["run_id"])

    @property
    def records(self) -> Path:
        """Where the records lie now."""
        return self.work / RECORDS

    @classmethod
    def open(cls, folder: Path, header: Mapping[str, Any], *, on_existing: str = "resume") -> RunFolder:
        """Open ``folder`` for the run that ``header`` describes, or take up the unfinished one in it.

        Args:
            folder: Made where it does not exist.
            header: ``run_id``, ``identity`` (everything that must be equal for results to mix), and
                whatever else is worth keeping.
            on_existing: ``resume``, ``extend``, ``overwrite`` or ``error`` (see the configuration).

        Raises:
            RunLockedError: Another process is writing into the folder.
            RunExistsError: ``on_existing`` is ``error`` and there is a run.
            RunMismatchError: The unfinished run was made with other settings.
            StorageError: The folder cannot be written, or its records are damaged.
        """
        lock = _lock(folder)
        try:
            return cls._open_locked(folder, header, on_existing, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def _open_locked(cls, folder: Path, header: Mapping[str, Any], on_existing: str, lock: FileLock) -> RunFolder:
        here, following = folder / RECORDS, folder / _NEXT / RECORDS
        if on_existing == "error" and (here.exists() or following.exists() or (folder / "summary.json").exists()):
            raise RunExistsError(
                "the folder already holds a run",
                where=str(folder),
                remedy="choose another output_dir, or set on_existing to 'resume' or 'overwrite'",
            )
        if on_existing == "overwrite":
            shutil.rmtree(folder / _NEXT, ignore_errors=True)
        elif following.exists() and not is_unfinished(following):
            _swap(folder / _NEXT, folder)  # killed in the middle of its swap
        work = folder
        if following.exists() or ((folder / "summary.json").exists() and not is_unfinished(here)):
            work = folder / _NEXT
        run = cls(folder, work, lock)
        if run.records.exists() and (on_existing != "overwrite" or work != folder):
            run._take_up(header, extend=on_existing == "extend")
        if not run.header:
            run._start(header)
        return run

    # -- writing -----------------------------------------------------------------------------------

    def _start(self, header: Mapping[str, Any]) -> None:
        self.work.mkdir(parents=True, exist_ok=True)
        self._attach(self.records.open("w+b", buffering=0))
        self.header = {"kind": "run", "format": 1, **header}
        self._append(self.header)

    def _attach(self, file: BinaryIO) -> None:
        self._file = file
        weakref.finalize(self, file.close)

    def _append(self, record: Mapping[str, Any]) -> int:
        line = to_line(record)
        if self._file is None:
            raise StorageError("the run is closed", where=str(self.records))
        offset = self._size
        try:
            with self._reading:
                self._file.seek(offset)
                written = self._file.write(line)
                while written < len(line):
                    written += self._file.write(line[written:])
        except OSError as error:
            raise StorageError(
                f"a record could not be written ({error})",
                where=str(self.records),
                remedy="make room and start the same run again: finished questions are kept",
            ) from error
        self._size = offset + len(line)
        return offset

    def append_output(self, key: str, position: int, sample: Sample, output: PipelineOutput) -> None:
        """Keep what the pipeline said, before anything is scored."""
        stored = encode(sample)
        stored.pop("recorded", None)  # the output stands beside it
        offset = self._append(
            {"kind": "output", "key": key, "position": position, "sample": stored, "output": encode(output)}
        )
        self._index.setdefault(key, _Lines()).output = offset

    def append_result(self, result: SampleResult) -> None:
        """Keep the scores of one sample; its output must have been appended before."""
        stored = encode(result)
        del stored["sample"], stored["output"]
        self._index[result.key].result = self._append({"kind": "result", **stored})

    # -- reading -----------------------------------------------------------------------------------

    def _record(self, offset: int) -> dict[str, Any]:
        if self._file is None:
            raise StorageError("the run is closed", where=str(self.records))
        parts = []
        with self._reading:
            self._file.seek(offset)
            while chunk := self._file.read(65536):
                end = chunk.find(b"\n")
                parts.append(chunk if end < 0 else chunk[:end])
                if end >= 0:
                    break
        return dict(json.loads(b"".join(parts)))

    def finished_keys(self) -> set[str]:
        """Samples that have a result."""
        return {key for key, lines in self._index.items() if lines.result is not None}

    def output(self, key: str) -> PipelineOutput | None:
        """What the pipeline said in an earlier part of this run."""
        lines = self._index.get(key)
        if lines is None or lines.output is None:
            return None
        return decode_output(self._record(lines.output)["output"])

    def result(self, key: str, sample: Sample) -> SampleResult:
        """The finished sample ``key``, as ``sample`` stands in the dataset now."""
        lines = self._index[key]
        if lines.output is None or lines.result is None:
            raise StorageError(f"sample {key} is not finished", where=str(self.records))
        stored = self._record(lines.result)
        del stored["kind"]
        return decode_result({**stored, "sample": sample, "output": self._record(lines.output)["output"]})

    def forget(self, key: str) -> None:
        """Have the sample ``key`` run again; its next records win."""
        self._index.pop(key, None)

    def placed(self, key: str) -> tuple[int, str, int] | None:
        """Position, id and row under which the sample was recorded."""
        lines = self._index.get(key)
        if lines is None or lines.output is None:
            return None
        stored = self._record(lines.output)
        return stored["position"], stored["sample"]["sample_id"], stored["sample"].get("row", 0)

    # -- taking up an unfinished run ---------------------------------------------------------------

    def _take_up(self, header: Mapping[str, Any], *, extend: bool) -> None:
        file = self.records.open("r+b", buffering=0)
        try:
            found = self._scan()
            if found:
                refuse_other_settings(found, header, self.records, len(self._index), extend=extend)
        except BaseException:
            file.close()
            raise
        if not found:  # killed while it wrote the first line: nothing was done
            file.close()
            return
        file.truncate(self._size)
        self.header = found
        self._attach(file)

    def _scan(self) -> dict[str, Any]:
        header: dict[str, Any] = {}
        with self.records.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                record = parse_line(line)
                if record is None:
                    if lines.read(1) or not is_torn(line):
                        raise StorageError(
                            f"line {number} is damaged",
                            where=str(self.records),
                            remedy="set on_existing='overwrite' to start anew, or restore the file",
                        )
                    break
                self._note(record, self._size)
                if record["kind"] == "run":
                    header = record
                self._size += len(line)
        return header

    def _note(self, record: Mapping[str, Any], offset: int) -> None:
        if record["kind"] == "output":
            self._index.setdefault(record["key"], _Lines()).output = offset
        elif record["kind"] == "result":
            self._index.setdefault(record["key"], _Lines()).result = offset

    # -- ending ------------------------------------------------------------------------------------

    def write_partial(self, files: Mapping[str, Iterable[bytes]]) -> None:
        """Write the files of a run that stopped early, beside its records."""
        for name, content in files.items():
            replace_file(self.work / name, content)

    def finish(self, files: Mapping[str, Iterable[bytes]]) -> None:
        """Write ``files`` into the folder, each replaced atomically, and mark the run as finished."""
        for name, content in files.items():
            replace_file(self.work / name, content)
        self._append({"kind": "finished", "run_id": self.run_id})
        if self._file is not None:
            os.fsync(self._file.fileno())
        if self.work != self.folder:
            _swap(self.work, self.folder)
            self.work = self.folder

    def lines(self, keys: Iterable[str]) -> Iterator[bytes]:
        """The records of a finished run over ``keys``, in their order, as they stand in the file."""
        yield to_line(self.header)
        for key in keys:
            lines = self._index[key]
            for offset in (lines.output, lines.result):
                if offset is not None:
                    yield to_line(self._record(offset))
        yield to_line({"kind": "finished", "run_id": self.run_id})

    @classmethod
    def save_copy(cls, folder: Path, files: Mapping[str, Iterable[bytes]], records: Iterable[bytes]) -> None:
        """Write a finished run into ``folder``; a finished run that was there before is replaced.

        Raises:
            RunExistsError: The folder holds another, unfinished run.
            RunLockedError: Another process is writing into the folder.
            StorageError: A file cannot be written.
        """
        lock = _lock(folder)
        try:
            unfinished = [path for path in (folder / RECORDS, folder / _NEXT / RECORDS) if is_unfinished(path)]
            if unfinished:
                raise RunExistsError(
                    "the folder holds an unfinished run, and its finished questions would be lost",
                    where=str(unfinished[0]),
                    remedy="save into another folder, or finish that run first",
                )
            work = folder / _NEXT
            work.mkdir(exist_ok=True)
            for name, content in {**files, RECORDS: records}.items():
                replace_file(work / name, content)
            _swap(work, folder)
        finally:
            lock.release()

    def close(self) -> None:
        """Let other processes in. Finished samples can still be read through this object."""
        self._lock.release()

    def discard(self) -> None:
        """Remove the folder; what it held can still be read through this object."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _lock(folder: Path) -> FileLock:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / _LOCK, blocking=False)
        lock.acquire()
    except Timeout:
        raise RunLockedError(
            "another process is writing into this folder",
            where=str(folder),
            remedy="wait for it, or choose another output_dir",
        ) from None
    except OSError as error:
        raise StorageError(f"the folder cannot be written ({error})", where=str(folder)) from error
    return lock


def _swap(work: Path, folder: Path) -> None:
    """Move the files of a finished run into place, its records last: until then they say what to do."""
    files = [path for path in work.iterdir() if path.suffix != ".tmp"]
    for file in sorted(files, key=lambda path: path.name == RECORDS):
        move_file(file, folder / file.name)
    shutil.rmtree(work, ignore_errors=True)
