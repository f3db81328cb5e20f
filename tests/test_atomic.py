"""Files are replaced whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from muffakir_eval.atomic import move_file, replace_file
from muffakir_eval.errors import StorageError


class _Locked:
    """``Path.replace`` as it behaves while another program has the file open."""

    def __init__(self, failures: int, fault: OSError | None = None) -> None:
        self.failures = failures
        self.fault = fault or PermissionError(errno.EACCES, "Permission denied")
        self.calls = 0
        self.real = Path.replace

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def replace(source: Path, target: Path) -> Path:
            self.calls += 1
            if self.calls <= self.failures:
                raise self.fault
            return self.real(source, target)

        monkeypatch.setattr(Path, "replace", replace)


def test_a_new_file_is_written(tmp_path: Path) -> None:
    replace_file(tmp_path / "ملف.json", [b"{", b"}"])
    assert (tmp_path / "ملف.json").read_bytes() == b"{}"
    assert [path.name for path in tmp_path.iterdir()] == ["ملف.json"]


def test_an_old_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    path.write_bytes(b"a much longer old content")
    replace_file(str(path), [b"new"])
    assert path.read_bytes() == b"new"


def test_no_chunks_make_an_empty_file(tmp_path: Path) -> None:
    replace_file(tmp_path / "empty", [])
    assert (tmp_path / "empty").read_bytes() == b""


def test_a_fault_in_the_middle_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "samples.csv"
    path.write_bytes(b"old")

    def rows() -> Iterator[bytes]:
        yield b"half of the new data"
        raise ValueError("a value that cannot be written")

    with pytest.raises(ValueError, match="cannot be written"):
        replace_file(path, rows())
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupt_in_the_middle_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "samples.csv"
    path.write_bytes(b"old")

    def rows() -> Iterator[bytes]:
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace_file(path, rows())
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_leaves_the_old_file_and_is_named(tmp_path: Path) -> None:
    path = tmp_path / "samples.csv"
    path.write_bytes(b"old")

    def rows() -> Iterator[bytes]:
        yield b"half"
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(StorageError, match="No space left on device") as caught:
        replace_file(path, rows())
    assert str(path) in str(caught.value)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "no" / "summary.json"
    with pytest.raises(StorageError, match="cannot be written") as caught:
        replace_file(path, [b"x"])
    assert str(path) in str(caught.value)


def test_a_lock_that_goes_away_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "summary.json"
    path.write_bytes(b"old")
    lock = _Locked(failures=2)
    lock.install(monkeypatch)
    waits: list[float] = []
    replace_file(path, [b"new"], wait=waits.append)
    assert path.read_bytes() == b"new"
    assert waits == [0.05, 0.1]
    assert list(tmp_path.iterdir()) == [path]


def test_a_lock_that_stays_keeps_both_files_and_names_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "summary.json"
    path.write_bytes(b"old")
    lock = _Locked(failures=100)
    lock.install(monkeypatch)
    waits: list[float] = []
    with pytest.raises(StorageError, match="Permission denied") as caught:
        replace_file(path, [b"new"], attempts=4, wait=waits.append)
    assert lock.calls == 4
    assert waits == [0.05, 0.1, 0.2]
    assert path.read_bytes() == b"old"
    (kept,) = (other for other in tmp_path.iterdir() if other != path)
    assert kept.read_bytes() == b"new"
    assert str(kept) in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_folder_in_the_way_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    path.mkdir()
    (path / "inside").write_text("x")
    waits: list[float] = []
    with pytest.raises(StorageError, match="the path is a folder"):
        replace_file(path, [b"new"], wait=waits.append)
    assert waits == []
    assert list(tmp_path.rglob("*")) == [path, path / "inside"]


@pytest.mark.parametrize("name", ["a\x00b", "a\ud83db", "ع" * 200])
def test_a_name_that_no_file_can_have_is_an_error_of_ours(tmp_path: Path, name: str) -> None:
    with pytest.raises(StorageError, match="the path cannot be used") as caught:
        replace_file(tmp_path / name, [b"new"])
    assert str(caught.value).encode()
    assert list(tmp_path.iterdir()) == []


def test_an_empty_path_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StorageError, match="the path is empty"):
        replace_file("", [b"new"])
    assert list(tmp_path.parent.glob("*.tmp")) == []


def test_the_longest_file_name_works(tmp_path: Path) -> None:
    path = tmp_path / ("ع" * 127)
    replace_file(path, [b"x"])
    assert path.read_bytes() == b"x"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_a_new_file_follows_the_umask_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        replace_file(tmp_path / "new", [b"x"])
        (tmp_path / "private").write_bytes(b"x")
        (tmp_path / "private").chmod(0o600)
        replace_file(tmp_path / "private", [b"y"])
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o644
    assert stat.S_IMODE((tmp_path / "private").stat().st_mode) == 0o600


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need rights on Windows")
def test_a_link_keeps_pointing_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    replace_file(tmp_path / "link", [b"new"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_move_puts_a_file_in_the_place_of_another(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"new")
    (tmp_path / "b").write_bytes(b"old")
    move_file(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == b"new"
    assert not (tmp_path / "a").exists()


def test_move_names_both_when_it_fails(tmp_path: Path) -> None:
    with pytest.raises(StorageError) as caught:
        move_file(tmp_path / "a", tmp_path / "b")
    assert str(tmp_path / "a") in str(caught.value)
    assert str(tmp_path / "b") in str(caught.value)
