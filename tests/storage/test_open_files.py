"""Files that stay readable, however many there are and whatever happens to their names."""

from __future__ import annotations

import gc
import io
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from muffakir_eval.storage import open_files
from muffakir_eval.storage.open_files import LIMIT, KeptFile, renaming


@pytest.fixture(autouse=True)
def nothing_open_before() -> Iterator[None]:
    gc.collect()
    yield


def written(path: Path, content: bytes = b"0123456789") -> KeptFile:
    path.write_bytes(content)
    return KeptFile(path)


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_it_reads_at_offsets_and_stops_at_the_end(tmp_path: Path) -> None:
    file = written(tmp_path / "a")
    assert (file.read(3, 4), file.read(8, 10), file.read(20, 1)) == (b"3456", b"89", b"")


def test_a_system_that_cannot_read_at_an_offset_does_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_files, "_pread", None)
    file = written(tmp_path / "a")
    assert (file.read(3, 4), file.read(0, 2)) == (b"3456", b"01")


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no list of open files on this system")
def test_a_thousand_files_need_a_few_descriptors(tmp_path: Path) -> None:
    before = descriptors()
    files = [written(tmp_path / f"{n}", f"{n:04}".encode()) for n in range(1000)]
    assert [int(file.read(0, 4)) for file in files] == list(range(1000))
    assert descriptors() <= before + LIMIT + 1
    assert [int(file.read(0, 4)) for file in files] == list(range(1000)), "opened again by name"
    del files
    gc.collect()
    assert descriptors() <= before + 1


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no list of open files on this system")
def test_files_that_have_lost_their_name_share_one_copy_when_room_is_needed(tmp_path: Path) -> None:
    before = descriptors()
    files = []
    for n in range(3 * LIMIT):
        files.append(written(tmp_path / f"{n}", f"{n:04}".encode()))
        files[-1].keep()
        (tmp_path / f"{n}").unlink()
    assert [int(file.read(0, 4)) for file in files] == list(range(3 * LIMIT))
    assert descriptors() <= before + LIMIT + 2
    del files
    gc.collect()
    assert descriptors() <= before + 1


def test_a_file_that_was_replaced_by_another_one_is_read_as_it_was(tmp_path: Path) -> None:
    file = written(tmp_path / "a", b"old")
    assert file.read(0, 3) == b"old"
    (tmp_path / "b").write_bytes(b"new")
    (tmp_path / "b").replace(tmp_path / "a")
    others = [written(tmp_path / f"{n}") for n in range(LIMIT + 5)]
    assert [other.read(0, 1) for other in others] == [b"0"] * len(others)
    assert file.read(0, 3) == b"old"


def test_keeping_copies_where_an_open_file_cannot_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_files, "_OPEN_FILES_OUTLIVE_THEIR_NAME", False)
    file = written(tmp_path / "a")
    file.keep()
    assert file._file is None, "closed, so that it can be removed"
    (tmp_path / "a").unlink()
    file.keep()
    assert file.read(2, 3) == b"234"


def test_a_file_that_is_gone_cannot_be_kept_or_read(tmp_path: Path) -> None:
    file = KeptFile(tmp_path / "gone")
    for action in (file.keep, lambda: file.read(0, 1)):
        with pytest.raises(FileNotFoundError):
            action()


def test_content_without_a_file(tmp_path: Path) -> None:
    first = KeptFile.holding(io.BytesIO(b"first"), tmp_path / "x")
    second = KeptFile.holding(io.BytesIO(b"second"), tmp_path / "x")
    assert (first.read(0, 9), second.read(1, 3)) == (b"first", b"eco")


def test_around_a_renaming_everybody_goes_on_reading_the_same(tmp_path: Path) -> None:
    old, new = written(tmp_path / "old", b"old"), written(tmp_path / "new", b"new")
    assert new.read(0, 3) == b"new"
    with renaming(tmp_path / "new", tmp_path / "old"):
        (tmp_path / "new").replace(tmp_path / "old")
    assert (old.read(0, 3), new.read(0, 3), new.path) == (b"old", b"new", tmp_path / "old")
    new.release()
    assert new.read(0, 3) == b"new"


def test_a_renaming_that_fails_changes_nothing(tmp_path: Path) -> None:
    new, gone = written(tmp_path / "new", b"new"), KeptFile(tmp_path / "old")
    with pytest.raises(PermissionError), renaming(tmp_path / "new", tmp_path / "old"):
        raise PermissionError
    assert (new.path, new.read(0, 3), gone.path) == (tmp_path / "new", b"new", tmp_path / "old")


def test_no_room_for_a_copy_leaves_the_file_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path / "a", b"old")
    file.keep()
    (tmp_path / "a").unlink()

    def full() -> object:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(open_files, "_shared_file", full)
    others = [written(tmp_path / f"{n}") for n in range(LIMIT + 5)]
    assert [other.read(0, 1) for other in others] == [b"0"] * len(others)
    assert file.read(0, 3) == b"old"


def test_many_threads_read_at_once(tmp_path: Path) -> None:
    files = [written(tmp_path / f"{n}", f"{n:04}".encode() * 100) for n in range(2 * LIMIT)]
    wrong: list[int] = []

    def read() -> None:
        for n, file in enumerate(files):
            if file.read(4 * (n % 100), 4) != f"{n:04}".encode():
                wrong.append(n)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert wrong == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_process_reads_what_its_parent_kept_and_copies_into_a_file_of_its_own(tmp_path: Path) -> None:
    kept = KeptFile.holding(io.BytesIO(b"parent"), tmp_path / "x")
    child = os.fork()
    if child == 0:
        own = KeptFile.holding(io.BytesIO(b"child!"), tmp_path / "y")
        os._exit(0 if (kept.read(0, 6), own.read(0, 6)) == (b"parent", b"child!") else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    later = KeptFile.holding(io.BytesIO(b"later"), tmp_path / "z")
    assert (kept.read(0, 6), later.read(0, 5)) == (b"parent", b"later")
