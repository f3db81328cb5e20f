"""The record of batches: on the disk before they are sent, whole or not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from muffakir_eval.errors import StorageError
from muffakir_eval.judges.batch.journal import BATCHES, Journal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / BATCHES


def test_nothing_is_made_before_the_first_batch(path: Path) -> None:
    Journal(path, "r").finish(path.parent / "none")
    assert not path.exists()


def test_what_was_written_down_is_read_again(path: Path) -> None:
    journal = Journal(path, "r")
    one, two, three = (journal.intend("j", [f"k{n}", "k"]) for n in range(3))
    journal.sent(one, "batch_1")
    journal.sent(two, "batch_2")
    journal.cancel(two)
    journal.end(one, "ended")
    journal.end(three, "void")
    again = Journal(path, "r").entries
    assert [(each.batch, each.status, each.cancelled) for each in again] == [
        ("batch_1", "ended", False),
        ("batch_2", "open", True),
        (None, "void", False),
    ]
    assert again[0].keys == ["k0", "k"]
    assert (again[0].token, again[0].at, again[0].judge) == (one.token, one.at, "j")


def test_an_end_is_written_once(path: Path) -> None:
    journal = Journal(path, "r")
    entry = journal.intend("j", ["k"])
    journal.end(entry, "ended")
    size = path.stat().st_size
    journal.end(entry, "ended")
    assert path.stat().st_size == size


def test_every_cut_leaves_whole_lines_and_is_written_over(path: Path) -> None:
    journal = Journal(path, "r")
    journal.sent(journal.intend("j", ["k1"]), "batch_1")
    journal.sent(journal.intend("j", ["k2"]), "batch_2")
    content = path.read_bytes()
    states = set()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        found = Journal(path, "r")
        states.add(tuple((each.keys[0], each.batch) for each in found.entries))
        found.intend("j", ["k3"])
        assert Journal(path, "r").entries[-1].keys == ["k3"]
    assert states == {
        (),
        (("k1", None),),
        (("k1", "batch_1"),),
        (("k1", "batch_1"), ("k2", None)),
    }


def test_a_finished_run_answers_nothing_any_more(path: Path) -> None:
    journal = Journal(path, "r")
    journal.sent(journal.intend("j", ["k"]), "batch_1")
    records = path.parent / "results.jsonl"
    with pytest.raises(StorageError, match="the records cannot be kept"):
        journal.finish(records)
    assert len(Journal(path, "r").entries) == 1
    records.touch()
    journal.finish(records)
    assert Journal(path, "r").entries == []
    assert json.loads(path.read_text(encoding="utf-8").splitlines()[-1]) == {"kind": "finished"}


def test_the_file_of_another_run_is_replaced_and_its_open_batches_are_named(path: Path) -> None:
    journal = Journal(path, "old")
    journal.sent(journal.intend("j", ["a"]), "batch_1")
    journal.end(journal.entries[0], "ended")
    journal.sent(journal.intend("j", ["b"]), "batch_2")
    lost = journal.intend("j", ["c"])
    following = Journal(path, "new")
    assert following.entries == []
    assert following.left == ["batch_2", f"(token {lost.token})"]
    following.intend("j", ["d"])
    assert [each.keys for each in Journal(path, "new").entries] == [["d"]]


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b'{"kind": "batches"}',
        b'{"kind": "sent", "token": "nobody", "batch": "b"}',
        b'{"kind": "intent", "token": "t", "judge": "j", "at": "yesterday", "keys": []}',
        b'{"kind": "intent", "token": "t"}',
    ],
)
def test_a_damaged_line_is_named(path: Path, line: bytes) -> None:
    Journal(path, "r").intend("j", ["k"])
    with path.open("ab") as file:
        file.write(line + b"\n")
    with pytest.raises(StorageError, match="line 3: ") as raised:
        Journal(path, "r")
    assert "what was sent is billed" in str(raised.value)


def test_a_file_that_is_no_record_of_batches_is_refused(path: Path) -> None:
    path.write_text('{"kind": "run"}\n', encoding="utf-8")
    with pytest.raises(StorageError, match="line 1: "):
        Journal(path, "r")


def test_a_folder_in_its_place_is_an_error(path: Path) -> None:
    path.mkdir()
    with pytest.raises(StorageError, match="cannot be read"):
        Journal(path, "r")


def test_a_batch_that_cannot_be_written_down_is_an_error(path: Path) -> None:
    journal = Journal(path, "r")
    path.mkdir()
    with pytest.raises(StorageError, match=r"cannot be written down.*make room"):
        journal.intend("j", ["k"])
