"""A run that is written into another folder, or once more into its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from muffakir_eval.atomic import replace_file
from muffakir_eval.errors import RunExistsError, StorageError
from muffakir_eval.storage.lines import RECORDS, is_unfinished
from muffakir_eval.storage.place import NEXT, absolute, lock_folder, refuse_foreign, settle, swap
from muffakir_eval.storage.run_records import RunRecords

__all__ = ["save_copy"]


def save_copy(
    folder: Path, files: Mapping[str, Iterable[bytes]], records: RunRecords, keys: Iterable[str], *, finished: bool
) -> None:
    """Write a run into ``folder``; a finished run that was there before is replaced.

    A run that stopped early is written as such: it can be gone on with there.

    Args:
        folder: Made where it does not exist.
        files: What goes beside the records.
        records: Of the run.
        keys: Its finished samples, in their order.
        finished: It did not stop early.

    Raises:
        RunExistsError: The folder holds another, unfinished run, or files of somebody else's.
        RunLockedError: A run is writing into the folder.
        StorageError: A file cannot be written.
    """
    folder = absolute(folder)
    lock = lock_folder(folder)
    try:
        settle(folder)
        refuse_foreign(folder, "save into another folder")
        unfinished = next((path for path in (folder / NEXT / RECORDS, folder / RECORDS) if is_unfinished(path)), None)
        work = folder / NEXT
        if unfinished is not None:
            _refuse_another(unfinished, records)
            work = unfinished.parent
        work.mkdir(exist_ok=True)
        for name, content in files.items():
            replace_file(work / name, content)
        if unfinished is None:
            replace_file(work / RECORDS, records.lines(keys, finished=finished))
            swap(work, folder)
    except OSError as error:
        raise StorageError(f"the folder cannot be used ({error})", where=str(folder)) from error
    finally:
        lock.release()


def _refuse_another(unfinished: Path, records: RunRecords) -> None:
    """The records of the run itself hold all that a copy would, and more: they stay as they are."""
    found, _ = RunRecords.scan(unfinished)
    if not found.header or found.header["run_id"] != records.header["run_id"]:
        raise RunExistsError(
            "the folder holds an unfinished run, and its finished questions would be lost",
            where=str(unfinished),
            remedy="save into another folder, or finish that run first",
        )
