"""Files that are either the old one or the new one, whatever happens in between.

The new content is written beside the file, forced to disk, and put in its place in one step. A
process killed at any moment, a full disk or text that fails to encode leaves the old file as it was;
at worst a file ending in ``.tmp`` stays behind.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from muffakir_eval.errors import StorageError

__all__ = ["make_folder", "move_file", "replace_file"]

_FIRST_WAIT_S = 0.05


def replace_file(
    path: str | Path,
    chunks: Iterable[bytes],
    *,
    attempts: int = 5,
    wait: Callable[[float], None] = time.sleep,
) -> None:
    r"""Write ``chunks`` to ``path``, replacing what is there in one step.

    The chunks are written as they come, so a large file is never held in memory. An exception raised
    by ``chunks`` passes through, after the temporary file was removed. A new file gets the permissions
    that the umask allows, an existing one keeps its own, and a symbolic link keeps pointing to it.

    Args:
        path: The file to write; its folder must exist.
        chunks: The content.
        attempts: How often the last step is tried while another program has the file open.
        wait: Called with the seconds to wait between two attempts.

    Raises:
        StorageError: The path names no file, the content cannot be written (the old file is untouched), or
            the file cannot be replaced (both are kept and the message names them).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     replace_file(f"{folder}/a.txt", [b"one\n", b"two\n"])
    ...     Path(folder, "a.txt").read_bytes()
    b'one\ntwo\n'
    """
    target = _target(path)
    fresh = _fresh_name(target)
    try:
        _write(fresh, chunks)
        _copy_permissions(target, fresh)
    except BaseException as fault:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
        if isinstance(fault, OSError):
            raise StorageError(
                f"the file cannot be written: {_reason(fault)}",
                where=str(path),
                remedy="check the folder, its permissions and the free space; what was there before is untouched",
            ) from fault
        raise
    try:
        move_file(fresh, target, attempts=attempts, wait=wait)
    except StorageError as fault:
        raise StorageError(
            f"the file cannot be replaced: {_reason(fault.__cause__)}",
            where=str(path),
            remedy=f"close the program that has it open; the old file is untouched, the new data is in {fresh}",
        ) from fault.__cause__


def move_file(
    source: str | Path,
    target: str | Path,
    *,
    attempts: int = 5,
    wait: Callable[[float], None] = time.sleep,
) -> None:
    """Put ``source`` in the place of ``target`` in one step; both lie on the same file system.

    Where another program (a virus scanner, a spreadsheet) has one of them open, the step is tried
    again after a short wait that doubles each time.

    Args:
        source: The file to move.
        target: Where it goes; what was there is replaced.
        attempts: How often the step is tried.
        wait: Called with the seconds to wait between two attempts.

    Raises:
        StorageError: The file cannot be moved; both are as they were.
    """
    attempt = 0
    while True:
        attempt += 1
        try:
            Path(source).replace(target)
            break
        except OSError as fault:
            if not isinstance(fault, PermissionError) or attempt >= attempts:
                raise StorageError(
                    f"the file cannot be moved to {target}: {_reason(fault)}",
                    where=str(source),
                    remedy="close the program that has it open, or check the permissions; nothing was lost",
                ) from fault
        wait(_FIRST_WAIT_S * 2 ** (attempt - 1))
    _sync_folder(Path(target).parent)


def _target(path: str | Path) -> Path:
    """The file that ``path`` stands for, behind links; it need not exist."""
    try:
        target = Path(os.path.realpath(path))
        is_folder = target.is_dir()
    except (OSError, ValueError) as fault:  # too long, a NUL, a character that the system has no bytes for
        raise StorageError(f"the path cannot be used: {_reason(fault)}", where=ascii(str(path))) from fault
    if is_folder:
        raise StorageError(
            "the path is a folder" if str(path) else "the path is empty",
            where=str(path),
            expected="the name of a file",
        )
    return target


def _fresh_name(target: Path) -> Path:
    # File systems allow 255 bytes, and one character can take four.
    return target.with_name(f"{target.name[:50]}.{secrets.token_hex(4)}.tmp")


def _write(path: Path, chunks: Iterable[bytes]) -> None:
    with path.open("xb") as file:
        for chunk in chunks:
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())


def _copy_permissions(old: Path, new: Path) -> None:
    """Give ``new`` the permissions of ``old``; without an old file those of the umask stay."""
    with contextlib.suppress(OSError):
        new.chmod(stat.S_IMODE(old.stat().st_mode))


def _sync_folder(folder: Path) -> None:
    """Force the new name to disk, where the system can do that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _reason(fault: BaseException | None) -> str:
    return getattr(fault, "strerror", None) or str(fault)


def make_folder(folder: str | Path) -> Path:
    """``folder``, made with its parents where it is not there yet.

    Raises:
        StorageError: It cannot be made.
    """
    made = Path(folder)
    try:
        made.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"the folder cannot be made ({error.strerror or error})", where=str(made)) from error
    return made
