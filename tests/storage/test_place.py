"""Where in a folder a run goes, and whose files are there already."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from filelock import FileLock

from muffakir_eval.errors import RunExistsError, StorageError
from muffakir_eval.storage import place
from muffakir_eval.storage.lines import RECORDS
from muffakir_eval.storage.place import absolute, choose, lock_folder, refuse_foreign, refuse_unwritable, settle

RUN = b'{"kind": "run", "run_id": "r", "format": 1, "identity": {}}\n'
FINISHED = RUN + b'{"kind": "finished", "run_id": "r"}\n'
MUFFAKIR = {"n_samples": 50, "k": 5, "metrics_enabled": ["recall"], "retrieval": {}, "generation": {}, "summary": {}}


def test_an_empty_folder_and_none_at_all(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        for on_existing in ("resume", "extend", "overwrite", "error"):
            found = choose(folder, on_existing)
            assert (found.work, found.take_up, found.replaces) == (folder, False, False)


@pytest.mark.parametrize("torn", [b"", RUN[:5], RUN[:-1], RUN, RUN + b'{"kind": "out'])
def test_an_unfinished_run_is_taken_up(tmp_path: Path, torn: bytes) -> None:
    (tmp_path / RECORDS).write_bytes(torn)
    assert choose(tmp_path, "resume") == place.Place(tmp_path, take_up=True)
    assert choose(tmp_path, "overwrite") == place.Place(tmp_path, take_up=False)
    with pytest.raises(RunExistsError):
        choose(tmp_path, "error")


@pytest.mark.parametrize("name", ["summary.json", RECORDS])
def test_a_finished_run_stays_until_the_end_of_the_next(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(FINISHED if name == RECORDS else json.dumps(MUFFAKIR).encode())
    assert choose(tmp_path, "resume") == place.Place(tmp_path / ".next", take_up=False)
    assert choose(tmp_path, "resume").replaces
    with pytest.raises(RunExistsError):
        choose(tmp_path, "error")


def test_its_unfinished_successor_is_taken_up(tmp_path: Path) -> None:
    (tmp_path / RECORDS).write_bytes(FINISHED)
    (tmp_path / ".next").mkdir()
    (tmp_path / ".next" / RECORDS).write_bytes(RUN)
    assert choose(tmp_path, "resume") == place.Place(tmp_path / ".next", take_up=True)
    assert choose(tmp_path, "overwrite") == place.Place(tmp_path / ".next", take_up=False)
    (tmp_path / ".next" / RECORDS).write_bytes(FINISHED)
    assert choose(tmp_path, "resume") == place.Place(tmp_path / ".next", take_up=True, cut=True)


FOREIGN = {
    "summary.json": b'{"tool": "another"}',
    "samples.csv": "question,answer\nس,ج\n".encode(),
    "error_rates.json": b"[1]",
    RECORDS: b'{"question": "mine"}\n',
}


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("content", ["foreign", "broken", "folder", "dangling"])
def test_what_no_run_has_written_is_refused(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    if content == "folder":
        path.mkdir()
    elif content == "dangling":
        path.symlink_to(tmp_path / "nowhere")
    else:
        path.write_bytes(FOREIGN[name] if content == "foreign" else b"\xff\xfe{")
    with pytest.raises(RunExistsError, match=rf"{name}.*the remedy"):
        refuse_foreign(tmp_path, "the remedy")
    with pytest.raises(RunExistsError, match="on_existing='overwrite'"):
        choose(tmp_path, "resume")


def test_the_files_of_muffakirs_own_package_are_those_of_a_run(tmp_path: Path) -> None:
    header = "question,transformed_query,query_transform_strategy,gold_answer,gold_context,predicted_answer,"
    (tmp_path / "summary.json").write_text(json.dumps(MUFFAKIR), encoding="utf-8")
    (tmp_path / "samples.csv").write_text(f"\ufeff{header}retrieved_previews\n", encoding="utf-8")
    (tmp_path / "error_rates.json").write_text('{"answer_refusal_rate": 0.1}', encoding="utf-8")
    refuse_foreign(tmp_path, "the remedy")


def test_settling_takes_away_what_a_killed_process_has_left(tmp_path: Path) -> None:
    (tmp_path / ".next").mkdir()
    (tmp_path / ".next" / "summary.json").write_bytes(b"{}")
    for name in ("summary.json.0123abcd.tmp", "records.jsonl.ffffffff.tmp", "notes.0123abcd.tmp", "summary.json.tmp"):
        (tmp_path / name).write_bytes(b"half")
    settle(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.0123abcd.tmp", "summary.json.tmp"]


@pytest.mark.parametrize("fault", [NotImplementedError("no locks on this file system"), OSError(errno.EROFS, "ro")])
def test_a_file_system_without_locks_is_an_error_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    def fail(self: object) -> None:
        raise fault

    monkeypatch.setattr(FileLock, "acquire", fail)
    with pytest.raises(StorageError, match="another output_dir"):
        lock_folder(tmp_path)


def test_a_working_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> str:
        raise FileNotFoundError(errno.ENOENT, "No such file or directory")

    monkeypatch.setattr(os, "getcwd", gone)
    with pytest.raises(StorageError, match="working folder is gone"):
        absolute(Path("runs"))
    assert absolute(tmp_path) == tmp_path


def test_a_folder_that_cannot_be_written_is_found_out_without_touching_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_unwritable(tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(StorageError, match="not writable"):
        refuse_unwritable(tmp_path / "a")
