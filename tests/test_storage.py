"""The run folder: appending, being killed, resuming, replacing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.errors import RunExistsError, RunLockedError, RunMismatchError, StorageError
from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample, SampleResult, Score
from muffakir_eval.storage import RECORDS, RunFolder
from muffakir_eval.storage.identity import differences

HEADER = {"run_id": "r1", "identity": {"k": 5, "dataset": {"fingerprint": "f", "n_samples": 3}}}
SAMPLES = [Sample(sample_id=str(n), row=n, question=f"السؤال {n}", contexts=(f"النص {n}",)) for n in range(1, 4)]


def output(sample: Sample) -> PipelineOutput:
    return PipelineOutput(answer=f"جواب {sample.sample_id}", chunks=(RetrievedChunk(text=sample.contexts[0]),))


def result(key: str, sample: Sample) -> SampleResult:
    score = Score.measured("mrr", int(sample.sample_id) / 4)
    return SampleResult(key=key, sample=sample, output=output(sample), scores={"mrr": score}, latency_ms=1.5)


def add(run: RunFolder, sample: Sample) -> None:
    run.append_output(f"key{sample.sample_id}", sample.row, sample, output(sample))
    run.append_result(result(f"key{sample.sample_id}", sample))


def unfinished(folder: Path, n: int = 2, header: dict[str, Any] = HEADER) -> bytes:
    run = RunFolder.open(folder, header)
    for sample in SAMPLES[:n]:
        add(run, sample)
    run.close()
    return run.records.read_bytes()


def finished(folder: Path, content: bytes = b"old") -> None:
    run = RunFolder.open(folder, HEADER)
    add(run, SAMPLES[0])
    run.finish({"summary.json": [content], "samples.csv": [content]})
    run.close()


def test_what_is_appended_is_on_disk_at_once(tmp_path: Path) -> None:
    run = RunFolder.open(tmp_path, HEADER)
    add(run, SAMPLES[0])
    lines = [json.loads(line) for line in (tmp_path / RECORDS).read_text(encoding="utf-8").splitlines()]
    assert [line["kind"] for line in lines] == ["run", "output", "result"]
    assert lines[1]["sample"]["question"] == "السؤال 1"
    run.close()


def test_a_result_reads_back_equal(tmp_path: Path) -> None:
    run = RunFolder.open(tmp_path, HEADER)
    add(run, SAMPLES[0])
    assert run.result("key1", SAMPLES[0]) == result("key1", SAMPLES[0])
    run.close()


def test_an_unfinished_run_is_taken_up(tmp_path: Path) -> None:
    unfinished(tmp_path)
    run = RunFolder.open(tmp_path, {**HEADER, "run_id": "another"})
    assert run.run_id == "r1"
    assert run.finished_keys() == {"key1", "key2"}
    assert run.output("key2") == output(SAMPLES[1])
    assert run.output("key3") is None
    add(run, SAMPLES[2])
    assert run.result("key3", SAMPLES[2]).scores["mrr"].value == 0.75
    run.close()


@given(cut=st.integers(min_value=1, max_value=10_000))
def test_a_record_cut_anywhere_in_its_last_line_still_resumes(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("run")
    whole = unfinished(folder)
    last = len(whole) - whole[:-1].rindex(b"\n") - 1
    torn = whole[: len(whole) - 1 - cut % last]
    (folder / RECORDS).write_bytes(torn)
    run = RunFolder.open(folder, HEADER)
    assert run.finished_keys() == {"key1"}
    assert run.output("key2") == output(SAMPLES[1])
    run.append_result(result("key2", SAMPLES[1]))
    run.close()
    assert (folder / RECORDS).read_bytes() == whole


@given(length=st.integers(min_value=0, max_value=200))
def test_a_torn_first_line_starts_anew(length: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("run")
    first = unfinished(folder, 0)
    (folder / RECORDS).write_bytes(first[: min(length, len(first) - 1)])
    run = RunFolder.open(folder, {**HEADER, "run_id": "r2"})
    assert run.run_id == "r2"
    run.close()


def test_damage_in_the_middle_is_an_error_and_not_overwritten(tmp_path: Path) -> None:
    lines = unfinished(tmp_path).splitlines(keepends=True)
    damaged = b"".join([*lines[:2], b"\x00\x00\n", *lines[3:]])
    (tmp_path / RECORDS).write_bytes(damaged)
    with pytest.raises(StorageError, match=r"line 3 is damaged.*overwrite"):
        RunFolder.open(tmp_path, HEADER)
    assert (tmp_path / RECORDS).read_bytes() == damaged


def test_a_file_that_is_not_ours_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / RECORDS).write_text('{"question": "mine"}', encoding="utf-8")
    with pytest.raises(StorageError, match="line 1"):
        RunFolder.open(tmp_path, HEADER)
    assert (tmp_path / RECORDS).read_text(encoding="utf-8") == '{"question": "mine"}'


def test_other_settings_refuse_to_mix_and_name_the_difference(tmp_path: Path) -> None:
    before = unfinished(tmp_path)
    other = {**HEADER, "identity": {**HEADER["identity"], "k": 10}}  # type: ignore[dict-item]
    with pytest.raises(RunMismatchError, match=r"2 questions done.*k: 5 -> 10.*overwrite"):
        RunFolder.open(tmp_path, other)
    assert (tmp_path / RECORDS).read_bytes() == before


def test_another_dataset_refuses_and_extend_accepts(tmp_path: Path) -> None:
    unfinished(tmp_path)
    other = {**HEADER, "identity": {"k": 5, "dataset": {"fingerprint": "g", "n_samples": 4}}}
    with pytest.raises(RunMismatchError, match=r"n_samples: 3 -> 4.*extend"):
        RunFolder.open(tmp_path, other)
    run = RunFolder.open(tmp_path, other, on_existing="extend")
    assert run.finished_keys() == {"key1", "key2"}
    run.close()


def test_overwrite_throws_an_unfinished_run_away(tmp_path: Path) -> None:
    unfinished(tmp_path)
    run = RunFolder.open(tmp_path, {**HEADER, "run_id": "r2"}, on_existing="overwrite")
    assert (run.run_id, run.finished_keys()) == ("r2", set())
    run.close()


def test_error_refuses_any_run(tmp_path: Path) -> None:
    unfinished(tmp_path)
    with pytest.raises(RunExistsError, match="another output_dir"):
        RunFolder.open(tmp_path, HEADER, on_existing="error")


def test_a_finished_run_stays_until_the_new_one_is_finished(tmp_path: Path) -> None:
    finished(tmp_path)
    before = (tmp_path / RECORDS).read_bytes()
    run = RunFolder.open(tmp_path, {**HEADER, "run_id": "r2", "identity": {"k": 9}})
    assert run.finished_keys() == set()
    add(run, SAMPLES[1])
    assert (tmp_path / RECORDS).read_bytes() == before
    assert (tmp_path / "summary.json").read_bytes() == b"old"
    run.finish({"summary.json": [b"new"], "samples.csv": [b"new"]})
    run.close()
    assert (tmp_path / "summary.json").read_bytes() == b"new"
    assert b'"r2"' in (tmp_path / RECORDS).read_bytes()
    assert not (tmp_path / ".next").exists()
    assert run.result("key2", SAMPLES[1]).scores["mrr"].value == 0.5


def test_an_unfinished_successor_of_a_finished_run_is_taken_up(tmp_path: Path) -> None:
    finished(tmp_path)
    run = RunFolder.open(tmp_path, {**HEADER, "run_id": "r2"})
    add(run, SAMPLES[1])
    run.close()
    again = RunFolder.open(tmp_path, {**HEADER, "run_id": "r3"})
    assert (again.run_id, again.finished_keys()) == ("r2", {"key2"})
    again.close()


def test_a_swap_that_was_cut_is_completed(tmp_path: Path) -> None:
    finished(tmp_path)
    run = RunFolder.open(tmp_path, {**HEADER, "run_id": "r2"})
    add(run, SAMPLES[1])
    run.append_result(result("key2", SAMPLES[1]))
    run._append({"kind": "finished", "run_id": "r2"})
    run.close()
    (tmp_path / "summary.json").write_bytes(b"new")  # moved already
    (tmp_path / ".next" / "samples.csv").write_bytes(b"new")
    (tmp_path / ".next" / "samples.csv.1234.tmp").write_bytes(b"half")
    third = RunFolder.open(tmp_path, {**HEADER, "run_id": "r3", "identity": {"k": 1}})
    assert (tmp_path / "samples.csv").read_bytes() == b"new"
    assert b'"r2"' in (tmp_path / RECORDS).read_bytes()
    assert not list(tmp_path.glob("*.tmp"))
    assert third.run_id == "r3"
    third.close()


def test_two_processes_never_write_into_one_folder(tmp_path: Path) -> None:
    other = FileLock(tmp_path / ".lock")
    with other, pytest.raises(RunLockedError, match="another process"):
        RunFolder.open(tmp_path, HEADER)
    RunFolder.open(tmp_path, HEADER).close()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StorageError, match="file"):
        RunFolder.open(tmp_path / "file" / "run", HEADER)


def test_a_discarded_run_can_still_be_read(tmp_path: Path) -> None:
    run = RunFolder.open(tmp_path / "gone", HEADER)
    add(run, SAMPLES[0])
    run.close()
    run.discard()
    assert not (tmp_path / "gone").exists()
    assert run.result("key1", SAMPLES[0]).output.answer == "جواب 1"


def test_a_copy_holds_the_records_in_the_order_asked_for(tmp_path: Path) -> None:
    run = RunFolder.open(tmp_path / "a", HEADER)
    for sample in reversed(SAMPLES):
        add(run, sample)
    run.close()
    RunFolder.save_copy(tmp_path / "b", {"summary.json": [b"{}"]}, run.lines(["key1", "key2", "key3"]))
    lines = [json.loads(line) for line in (tmp_path / "b" / RECORDS).read_text(encoding="utf-8").splitlines()]
    assert [line.get("key") for line in lines] == [None, "key1", "key1", "key2", "key2", "key3", "key3", None]
    assert lines[-1]["kind"] == "finished"


def test_a_copy_never_destroys_an_unfinished_run(tmp_path: Path) -> None:
    before = unfinished(tmp_path)
    with pytest.raises(RunExistsError, match="unfinished"):
        RunFolder.save_copy(tmp_path, {}, [])
    assert (tmp_path / RECORDS).read_bytes() == before


def test_a_full_disk_is_said_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = RunFolder.open(tmp_path, HEADER)
    add(run, SAMPLES[0])
    file: Any = run._file

    class Full:
        def seek(self, offset: int) -> int:
            return int(file.seek(offset))

        def write(self, data: bytes) -> int:
            file.write(data[:10])
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(run, "_file", Full())
    with pytest.raises(StorageError, match=r"No space left.*make room"):
        run.append_output("key2", 2, SAMPLES[1], output(SAMPLES[1]))
    run.close()
    again = RunFolder.open(tmp_path, HEADER)
    assert again.finished_keys() == {"key1"}
    again.close()


@given(text=st.text())
def test_whatever_text_a_sample_holds_it_round_trips(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    sample = Sample(sample_id=text, question=text, answers=(text,), metadata={"note": text})
    folder = tmp_path_factory.mktemp("run")
    run = RunFolder.open(folder, HEADER)
    said = PipelineOutput(answer=text, chunks=(RetrievedChunk(text=text, chunk_id=text),), error=text)
    run.append_output("k", 0, sample, said)
    run.append_result(SampleResult(key="k", sample=sample, output=said))
    run.close()
    again = RunFolder.open(folder, HEADER)
    assert again.result("k", sample) == SampleResult(key="k", sample=sample, output=said)
    again.close()


def test_lone_surrogates_round_trip(tmp_path: Path) -> None:
    run = RunFolder.open(tmp_path, HEADER)
    said = PipelineOutput(answer="\ud83d")
    run.append_output("k", 0, SAMPLES[0], said)
    assert run.output("k") == said
    run.close()


def test_differences_are_named_deeply() -> None:
    before = {"k": 5, "matching": {"overlap_threshold": 0.5, "match_by": "id"}}
    now = {"k": 5, "matching": {"overlap_threshold": 0.6, "match_by": "id"}, "language": "ar"}
    assert list(differences(before, now)) == ["language: None -> 'ar'", "matching.overlap_threshold: 0.5 -> 0.6"]
