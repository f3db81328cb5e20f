"""A report that is saved: where to, over what, and never over what would be lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from filelock import FileLock

from muffakir_eval.errors import RunExistsError, RunLockedError, StorageError
from muffakir_eval.records import PipelineOutput, Sample, SampleResult
from muffakir_eval.storage import RECORDS, RunFolder, RunRecords, save_copy

SAMPLES = [Sample(sample_id=str(n), question=f"السؤال {n}") for n in range(3)]
KEYS = ["key0", "key1", "key2"]
FILES = {"summary.json": [b'{"n_samples": 3, "summary": {}}']}


def run(folder: Path, *, run_id: str = "r1", finished: bool = True) -> RunRecords:
    """A run whose samples finished in the order 2, 1, 0."""
    store = RunFolder.open(folder, {"run_id": run_id, "identity": {}})
    for n in (2, 1, 0):
        output = PipelineOutput(answer=f"جواب {n}")
        store.append_output(f"key{n}", n, SAMPLES[n], output)
        store.append_result(SampleResult(key=f"key{n}", sample=SAMPLES[n], output=output))
    if finished:
        store.finish(FILES)
    store.close()
    return store.recorded


def keys(folder: Path) -> list[str | None]:
    return [json.loads(line).get("key") for line in (folder / RECORDS).read_text(encoding="utf-8").splitlines()]


def answers(records: RunRecords) -> list[str | None]:
    return [records.result(f"key{n}", SAMPLES[n]).output.answer for n in range(3)]


def test_a_copy_holds_the_records_in_the_order_of_the_samples(tmp_path: Path) -> None:
    records = run(tmp_path / "a")
    save_copy(tmp_path / "b", FILES, records, KEYS, finished=True)
    assert keys(tmp_path / "b") == [None, "key0", "key0", "key1", "key1", "key2", "key2", None]
    assert sorted(path.name for path in (tmp_path / "b").iterdir()) == [".lock", RECORDS, "summary.json"]
    save_copy(tmp_path / "b", FILES, records, KEYS, finished=True)
    assert keys(tmp_path / "b")[1] == "key0"


def test_saving_into_its_own_folder_does_not_confuse_the_report(tmp_path: Path) -> None:
    records = run(tmp_path / "a")
    assert answers(records) == ["جواب 0", "جواب 1", "جواب 2"]
    save_copy(tmp_path / "a", FILES, records, KEYS, finished=True)
    assert keys(tmp_path / "a") == [None, "key0", "key0", "key1", "key1", "key2", "key2", None]
    assert answers(records) == ["جواب 0", "جواب 1", "جواب 2"]


def test_a_finished_run_is_replaced_and_its_report_stays_readable(tmp_path: Path) -> None:
    old, new = run(tmp_path / "a", run_id="old"), run(tmp_path / "b", run_id="new")
    save_copy(tmp_path / "a", FILES, new, KEYS, finished=True)
    assert b'"new"' in (tmp_path / "a" / RECORDS).read_bytes()
    assert answers(old) == ["جواب 0", "جواب 1", "جواب 2"]


def test_another_unfinished_run_is_never_destroyed(tmp_path: Path) -> None:
    run(tmp_path / "a", run_id="other", finished=False)
    before = (tmp_path / "a" / RECORDS).read_bytes()
    with pytest.raises(RunExistsError, match=r"unfinished.*another folder"):
        save_copy(tmp_path / "a", FILES, run(tmp_path / "b"), KEYS, finished=True)
    assert (tmp_path / "a" / RECORDS).read_bytes() == before


def test_a_run_that_stopped_is_saved_as_such_and_goes_on_there(tmp_path: Path) -> None:
    records = run(tmp_path / "a", finished=False)
    save_copy(tmp_path / "b", FILES, records, KEYS[:2], finished=False)
    again = RunFolder.open(tmp_path / "b", {"run_id": "r2", "identity": {}})
    assert (again.run_id, again.recorded.finished_keys()) == ("r1", set(KEYS))
    again.close()


def test_saving_a_run_that_stopped_where_it_lies_keeps_its_records(tmp_path: Path) -> None:
    records = run(tmp_path / "a", finished=False)
    before = (tmp_path / "a" / RECORDS).read_bytes()
    save_copy(tmp_path / "a", FILES, records, KEYS[:1], finished=False)
    assert (tmp_path / "a" / RECORDS).read_bytes() == before
    assert (tmp_path / "a" / "summary.json").exists()


def test_files_of_somebody_elses_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "samples.csv").write_text("question,answer\nس,ج\n", encoding="utf-8")
    with pytest.raises(RunExistsError, match=r"samples\.csv.*save into another folder"):
        save_copy(tmp_path, FILES, run(tmp_path / "a"), KEYS, finished=True)
    assert (tmp_path / "samples.csv").read_text(encoding="utf-8") == "question,answer\nس,ج\n"


def test_a_folder_in_use_or_none_at_all(tmp_path: Path) -> None:
    records = run(tmp_path / "a")
    with FileLock(tmp_path / "a" / ".lock"), pytest.raises(RunLockedError):
        save_copy(tmp_path / "a", FILES, records, KEYS, finished=True)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError, match="file"):
        save_copy(tmp_path / "file", FILES, records, KEYS, finished=True)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / ".next").write_bytes(b"")
    with pytest.raises(StorageError, match="cannot be used"):
        save_copy(tmp_path / "b", FILES, records, KEYS, finished=True)
