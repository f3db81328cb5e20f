"""Files that stay readable, however many there are and whatever happens to their names.

A report reads its samples from disk when it is asked for them. A process may keep thousands of reports
and may open only so many files; and the folder of a report may be replaced or removed while the report
is still in use. So at most :data:`LIMIT` files are open at a time. One that is closed to make room is
opened again by its name; where that name has gone, its content was copied before into one unnamed
temporary file that all of them share.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

__all__ = ["LIMIT", "KeptFile", "renaming"]

LIMIT = 32
"""Files that are open at a time."""

_OPEN_FILES_OUTLIVE_THEIR_NAME = os.name != "nt"
_pread = getattr(os, "pread", None)

_guard = threading.RLock()
_open: OrderedDict[int, weakref.ref[KeptFile]] = OrderedDict()
_all: weakref.WeakSet[KeptFile] = weakref.WeakSet()
_shared: weakref.ref[_SharedFile] | None = None


class _SharedFile:
    """One unnamed temporary file that holds the content of many; gone with the last of them."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.file: BinaryIO = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - lives as long as this object
        self.size = 0
        weakref.finalize(self, self.file.close)

    def take(self, source: BinaryIO) -> _Copy:
        """Copy ``source`` to the end."""
        start = self.size
        self.file.seek(start)
        shutil.copyfileobj(source, self.file, 1 << 20)
        self.size = self.file.tell()
        return _Copy(self, start, self.size - start)


class _Copy(NamedTuple):
    """Where in the shared file the content of one lies."""

    shared: _SharedFile
    start: int
    length: int

    def read(self, offset: int, length: int) -> bytes:
        return _read_at(self.shared.file, self.start + offset, min(length, self.length - offset))


def _shared_file() -> _SharedFile:
    global _shared  # noqa: PLW0603 - one for the process, made on first use
    current = _shared() if _shared is not None else None
    if current is None or current.pid != os.getpid():  # two processes must not append to one file
        current = _SharedFile()
        _shared = weakref.ref(current)
    return current


class KeptFile:
    """A file for reading at offsets, open only while there is room.

    Args:
        path: Where it lies; absolute.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._close: weakref.finalize[[int, BinaryIO], KeptFile] | None = None
        self._file: BinaryIO | None = None
        self._copy: _Copy | None = None
        with _guard:
            _all.add(self)

    @classmethod
    def holding(cls, content: BinaryIO, path: Path) -> KeptFile:
        """A file that never had a name of its own; ``path`` is for messages."""
        kept = cls(path)
        with _guard:
            kept._copy = _shared_file().take(content)
        return kept

    def read(self, offset: int, length: int) -> bytes:
        """The bytes at ``offset``; fewer than ``length`` where the file ends.

        Raises:
            OSError: The file is gone, or cannot be read.
        """
        with _guard:
            if self._copy is not None:
                return self._copy.read(offset, length)
            return _read_at(self._opened(), offset, length)

    def keep(self) -> None:
        """Stay readable, although the file is about to be replaced or removed.

        Raises:
            OSError: The file is gone already, or there is no room for a copy.
        """
        with _guard:
            if self._copy is not None:
                return
            file = self._opened()
            if not _OPEN_FILES_OUTLIVE_THEIR_NAME:
                self._copy_away(file)

    def release(self) -> None:
        """Close the file; the next reading opens it again."""
        with _guard:
            if self._close is not None:
                self._close()
            self._close = self._file = None

    def _opened(self) -> BinaryIO:
        if self._file is None:
            self._file = self.path.open("rb", buffering=0)
            self._close = weakref.finalize(self, _closed, id(self), self._file)
            _open[id(self)] = weakref.ref(self)
            _make_room()
        else:
            _open.move_to_end(id(self))
        return self._file

    def _copy_away(self, file: BinaryIO) -> None:
        file.seek(0)
        self._copy = _shared_file().take(file)
        self.release()

    def make_way(self) -> None:
        """Close the file, after copying it where it could not be opened again."""
        if self._file is not None and not _is_named(self._file, self.path):
            self._copy_away(self._file)
        self.release()


def _closed(identity: int, file: BinaryIO) -> None:
    with _guard:
        _open.pop(identity, None)
        file.close()


def _make_room() -> None:
    for oldest in list(_open.values())[: max(0, len(_open) - LIMIT)]:
        kept = oldest()
        if kept is not None:
            with contextlib.suppress(OSError):  # no room for a copy: it stays open
                kept.make_way()


def _is_named(file: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except OSError:
        return False


def _read_at(file: BinaryIO, offset: int, length: int) -> bytes:
    """Without moving the file's own position, which a forked process shares."""
    parts = []
    while length > 0:
        if _pread is not None:
            part = _pread(file.fileno(), length, offset)
        else:
            file.seek(offset)
            part = file.read(length)
        if not part:
            break
        parts.append(part)
        offset += len(part)
        length -= len(part)
    return b"".join(parts)


@contextlib.contextmanager
def renaming(source: Path, target: Path) -> Iterator[None]:
    """Around putting ``source`` in the place of ``target``: whoever reads either goes on reading the same."""
    with _guard:
        kept = list(_all)
        for file in kept:
            if file.path == target:
                with contextlib.suppress(OSError):  # gone already
                    file.keep()
        moving = [file for file in kept if file.path == source]
        for file in moving:
            file.release()
        yield
        for file in moving:
            file.path = target


def _new_guard() -> None:
    """A forked process has no other threads, so nobody would ever let go of the lock."""
    global _guard  # noqa: PLW0603 - see above
    _guard = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_guard)
