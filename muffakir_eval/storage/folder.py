"""One run on disk, while it goes on."""

from __future__ import annotations

import contextlib
import os
import shutil
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from filelock import FileLock

from muffakir_eval.atomic import replace_file
from muffakir_eval.errors import RunMismatchError, StorageError
from muffakir_eval.records import PipelineOutput, Sample, SampleResult
from muffakir_eval.records.codec import encode
from muffakir_eval.storage.identity import refuse_other_settings
from muffakir_eval.storage.lines import FORMAT, RECORDS, to_line
from muffakir_eval.storage.place import (
    absolute,
    choose,
    lock_folder,
    refuse_unwritable,
    settle,
    swap,
)
from muffakir_eval.storage.report_files import remove_reports
from muffakir_eval.storage.run_records import RunRecords

__all__ = ["Prospect", "RunFolder"]


@dataclass(frozen=True, slots=True)
class Prospect:
    """What a run would find in a folder.

    Attributes:
        done: Questions that an unfinished run of the same settings has finished.
        replaces: A finished run would be replaced.
        recorded: What the unfinished run has recorded, where there is one.
    """

    done: frozenset[str]
    replaces: bool
    recorded: RunRecords | None = field(default=None, compare=False)


class RunFolder:
    """One run on disk, open for appending.

    Use :meth:`open`. The folder is locked against other runs until :meth:`close`.

    Attributes:
        folder: Where the run will stand.
        work: Where it is until it has finished.
        recorded: What it has recorded so far; stays readable after the run has ended.
        finished: It bears the mark of a finished run.
    """

    def __init__(self, folder: Path, work: Path, lock: FileLock) -> None:
        self.folder = folder
        self.work = work
        self.recorded = RunRecords(work / RECORDS)
        self.finished = False
        self._lock = lock
        self._file: BinaryIO | None = None
        self._size = 0

    @property
    def header(self) -> dict[str, Any]:
        """The first line: ``run_id``, ``identity``, and what else was worth keeping."""
        return self.recorded.header

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
            RunLockedError: Another run is writing into the folder.
            RunExistsError: ``on_existing`` is ``error`` and there is a run; or files of somebody else's
                would be replaced.
            RunMismatchError: The unfinished run was made with other settings.
            StorageError: The folder cannot be written, or its records are damaged.
        """
        folder = absolute(folder)
        lock = lock_folder(folder)
        try:
            place = choose(folder, on_existing)
            if not (place.cut and place.take_up and _fits(place.work, header, on_existing)):
                settle(folder)
                place = choose(folder, on_existing)
            run = cls(folder, place.work, lock)
            if place.take_up:
                run._take_up(header, extend=on_existing == "extend")
            if not run.header:
                run._start(header)
        except BaseException as error:
            lock.release()
            if isinstance(error, OSError):
                raise StorageError(f"the folder cannot be used ({error})", where=str(folder)) from error
            raise
        return run

    @staticmethod
    def look(folder: Path, header: Mapping[str, Any], *, on_existing: str = "resume") -> Prospect:
        """What :meth:`open` would find; touches nothing.

        Raises:
            As :meth:`open`, but for the lock.
        """
        folder = absolute(folder)
        try:
            refuse_unwritable(folder)
            place = choose(folder, on_existing)
            if not place.take_up or (place.cut and not _fits(place.work, header, on_existing)):
                return Prospect(frozenset(), place.replaces)
            found, _ = RunRecords.scan(place.work / RECORDS)
        except OSError as error:
            raise StorageError(f"the folder cannot be used ({error})", where=str(folder)) from error
        if found.header:
            _compare(found, header, extend=on_existing == "extend")
        return Prospect(frozenset(found.finished_keys()), place.replaces, found if found.header else None)

    # -- beginning ---------------------------------------------------------------------------------

    def _start(self, header: Mapping[str, Any]) -> None:
        if self.work != self.folder:
            shutil.rmtree(self.work, ignore_errors=True)
            self.work.mkdir()
        self._attach(self.records.open("w+b", buffering=0))
        self.recorded.header = {"kind": "run", "format": FORMAT, **header}
        self._append(self.header)

    def _take_up(self, header: Mapping[str, Any], *, extend: bool) -> None:
        found, size = RunRecords.scan(self.records)
        if not found.header:  # killed while it wrote the first line: nothing was done
            return
        _compare(found, header, extend=extend)
        self._attach(self.records.open("r+b", buffering=0))
        self._resize(size)
        self.recorded, self._size = found, size

    def _attach(self, file: BinaryIO) -> None:
        self._file = file
        weakref.finalize(self, file.close)

    def _resize(self, size: int) -> None:
        if self._file is not None:
            self._file.truncate(size)

    # -- writing -----------------------------------------------------------------------------------

    def _append(self, record: Mapping[str, Any]) -> None:
        line = to_line(record)
        if self._file is None:
            raise StorageError("the run is closed", where=str(self.records))
        offset = self._size
        try:
            self._file.seek(offset)
            written = self._file.write(line)
            while written < len(line):
                written += self._file.write(line[written:])
        except OSError as error:
            with contextlib.suppress(OSError):
                self._resize(offset)
            raise StorageError(
                f"a record could not be written ({error})",
                where=str(self.records),
                remedy="make room",
            ) from error
        self._size = offset + len(line)
        self.recorded.note(record, offset, len(line))

    def append_output(self, key: str, position: int, sample: Sample, output: PipelineOutput) -> None:
        """Keep what the pipeline said, before anything is scored."""
        stored = encode(sample, without={"recorded"})  # the output stands beside it
        self._append({"kind": "output", "key": key, "position": position, "sample": stored, "output": encode(output)})

    def append_result(self, result: SampleResult) -> None:
        """Keep the scores of one sample; its output must have been appended before."""
        self._append({"kind": "result", **encode(result, without={"sample", "output"})})

    # -- ending ------------------------------------------------------------------------------------

    def write_partial(self, files: Mapping[str, Iterable[bytes]]) -> None:
        """Write the files of a run that stopped early, beside its records."""
        for name, content in files.items():
            replace_file(self.work / name, content)

    def finish(self, files: Mapping[str, Iterable[bytes]]) -> None:
        """Write ``files`` into the folder, each replaced atomically, and mark the run as finished."""
        self.write_partial(files)
        self._append({"kind": "finished", "run_id": self.run_id})
        self.finished = True
        if self._file is not None:
            os.fsync(self._file.fileno())
            self._file.close()  # some systems move no open file
            self._file = None
        if self.work != self.folder:
            swap(self.work, self.folder)
            self.work = self.folder
        else:
            remove_reports(self.folder)

    def close(self) -> None:
        """Let other runs in. What was recorded can still be read."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._lock.release()

    def discard(self) -> None:
        """Remove the folder; what was recorded can still be read."""
        try:
            self.recorded.keep()
        except OSError as error:
            raise StorageError(f"the records cannot be kept ({error})", where=str(self.records)) from error
        shutil.rmtree(self.folder, ignore_errors=True)


def _fits(work: Path, header: Mapping[str, Any], on_existing: str) -> bool:
    """The records in ``work`` are those of a run of the same settings."""
    found, _ = RunRecords.scan(work / RECORDS)
    try:
        _compare(found, header, extend=on_existing == "extend")
    except RunMismatchError:
        return False
    return True


def _compare(found: RunRecords, header: Mapping[str, Any], *, extend: bool) -> None:
    refuse_other_settings(found.header, header, found.path, len(found.finished_keys()), extend=extend)
