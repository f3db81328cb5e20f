"""Where in a folder a run goes, and what is there already."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from muffakir_eval.atomic import move_file
from muffakir_eval.errors import RunExistsError, RunLockedError, StorageError
from muffakir_eval.storage.lines import RECORDS, is_beginning, is_unfinished, parse_line
from muffakir_eval.storage.open_files import renaming
from muffakir_eval.storage.report_files import REPORT_FILES, is_table, remove_reports

__all__ = ["Place", "absolute", "choose", "lock_folder", "refuse_foreign", "refuse_unwritable", "settle", "swap"]

NEXT = ".next"
LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the records of a run go.

    Attributes:
        work: The folder itself, or its subfolder ``.next`` where a finished run stays until the end.
        take_up: There is an unfinished run to go on with.
        cut: The run in ``.next`` has finished, and was not moved into place: that was cut off, or failed.
    """

    work: Path
    take_up: bool
    cut: bool = False

    @property
    def replaces(self) -> bool:
        """A finished run, or the files of one, will be replaced."""
        return self.work.name == NEXT


def absolute(folder: Path) -> Path:
    """``folder`` from the root, so that a pipeline may change the working folder.

    Raises:
        StorageError: The working folder is gone.
    """
    try:
        return Path(os.path.abspath(os.path.expanduser(folder)))  # noqa: PTH100, PTH111 - links stay, no home is no error
    except OSError as error:
        raise StorageError(f"the working folder is gone ({error})", where=str(folder)) from error


def lock_folder(folder: Path) -> FileLock:
    """Make ``folder``, and keep other processes and other runs of this one out of it.

    Raises:
        RunLockedError: A run is writing into it.
        StorageError: It cannot be made or written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / LOCK, blocking=False)
        lock.acquire()
    except Timeout:
        raise RunLockedError(
            "another run is writing into this folder",
            where=str(folder),
            remedy="wait for it, or choose another output_dir",
        ) from None
    except (OSError, NotImplementedError, ValueError) as error:
        raise StorageError(
            f"the folder cannot be written ({error})", where=str(folder), remedy="choose another output_dir"
        ) from error
    return lock


def refuse_unwritable(folder: Path) -> None:
    """What :func:`lock_folder` would find out, without making anything.

    Raises:
        StorageError: ``folder`` cannot be made or written.
    """
    nearest = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        reason = "not a folder" if not nearest.is_dir() else "not writable"
        raise StorageError(
            f"the folder cannot be written ({nearest} is {reason})",
            where=str(folder),
            remedy="choose another output_dir",
        )


def choose(folder: Path, on_existing: str) -> Place:
    """Where a run in ``folder`` goes; touches nothing.

    Args:
        folder: Holds nothing, an unfinished run, a finished one, or a finished one and its successor.
        on_existing: ``resume``, ``extend``, ``overwrite`` or ``error`` (see the configuration).

    Raises:
        RunExistsError: ``on_existing`` is ``error`` and there is a run; or there are files of somebody
            else's under the names of ours.
    """
    here, following = folder / RECORDS, folder / NEXT / RECORDS
    if on_existing == "error" and (here.exists() or following.exists() or (folder / "summary.json").exists()):
        raise RunExistsError(
            "the folder already holds a run",
            where=str(folder),
            remedy="choose another output_dir, or set on_existing to 'resume' or 'overwrite'",
        )
    if on_existing != "overwrite":
        refuse_foreign(folder, "choose another output_dir, or set on_existing='overwrite' to replace it")
    unfinished = is_unfinished(here)
    in_next = following.exists() or ((folder / "summary.json").exists() and not unfinished)
    in_next = in_next or (here.exists() and not unfinished)
    cut = following.exists() and not is_unfinished(following)
    take_up = on_existing != "overwrite" and (cut or is_unfinished(following if in_next else here))
    return Place(folder / NEXT if in_next else folder, take_up, cut)


def refuse_foreign(folder: Path, remedy: str) -> None:
    """Refuse to replace files that have the names of ours, and are not.

    Raises:
        RunExistsError: There is one.
    """
    for name, is_ours in _OURS.items():
        path = folder / name
        if os.path.lexists(path) and not (path.is_file() and is_ours(path)):
            raise RunExistsError(
                f"there is a {name} that no run has written, or that is damaged, and it would be replaced",
                where=str(path),
                remedy=remedy,
            )


def _keys(path: Path) -> Mapping[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _is_summary(path: Path) -> bool:
    return {"n_samples", "summary"} <= _keys(path).keys()


def _is_error_rates(path: Path) -> bool:
    return "answer_refusal_rate" in _keys(path)


def _first_line(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.readline(1 << 16)


def _is_samples(path: Path) -> bool:
    return is_table(_first_line(path))


def _is_records(path: Path) -> bool:
    return is_beginning(_first_line(path))


def _is_settings(path: Path) -> bool:
    return _first_line(path).startswith(b"# Settings of the run ")


_OURS: Mapping[str, Callable[[Path], bool]] = {
    "summary.json": _is_summary,
    "samples.csv": _is_samples,
    "error_rates.json": _is_error_rates,
    "run_config.yaml": _is_settings,
    RECORDS: _is_records,
}
"""The files of a run, Muffakir's own included, and how they are known."""


def settle(folder: Path) -> None:
    """Complete a swap that was cut; take away what writing that was cut has left."""
    following = folder / NEXT / RECORDS
    if not following.exists():
        shutil.rmtree(folder / NEXT, ignore_errors=True)
    elif not is_unfinished(following):
        swap(folder / NEXT, folder)
    for name in (*_OURS, *REPORT_FILES):
        for torn in folder.glob(f"{name}.{'[0-9a-f]' * 8}.tmp"):
            torn.unlink(missing_ok=True)


def swap(work: Path, folder: Path) -> None:
    """Move the files of a run into place, its records last: until then they say what to do.

    Raises:
        StorageError: A file cannot be moved; nothing is lost, and the next run completes the swap.
    """
    files = [path for path in work.iterdir() if path.suffix != ".tmp"]
    for file in sorted(files, key=lambda path: path.name == RECORDS):
        with renaming(file, folder / file.name):
            move_file(file, folder / file.name)
    header = parse_line(_first_line(folder / RECORDS)) if (folder / RECORDS).exists() else None
    if header is not None:
        remove_reports(folder, kept=str(header.get("run_id")))
    shutil.rmtree(work, ignore_errors=True)
