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
from muffakir_eval.storage import RECORDS, Prospect, RunFolder

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


def files(name: str) -> dict[str, list[bytes]]:
    """The least that is known as the files of a run."""
    summary = {"n_samples": 1, "summary": {}, "name": name}
    columns = f"question,gold_answer,predicted_answer,retrieved_previews\r\n{name},,,\r\n"
    return {"samples.csv": [columns.encode()], "summary.json": [json.dumps(summary).encode()]}


def named(folder: Path) -> set[str]:
    """Whose files lie in the folder."""
    lines = (folder / "samples.csv").read_text(encoding="utf-8").splitlines()
    return {json.loads((folder / "summary.json").read_bytes())["name"], lines[1].partition(",")[0]}


def finished(folder: Path, name: str = "old") -> None:
    run = RunFolder.open(folder, HEADER)
    add(run, SAMPLES[0])
    run.finish(files(name))
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
    assert run.recorded.result("key1", SAMPLES[0]) == result("key1", SAMPLES[0])
    run.close()


def test_an_unfinished_run_is_taken_up(tmp_path: Path) -> None:
    unfinished(tmp_path)
    run = RunFolder.open(tmp_path, {**HEADER, "run_id": "another"})
    assert run.run_id == "r1"
    assert run.recorded.finished_keys() == {"key1", "key2"}
    assert run.recorded.output("key2") == output(SAMPLES[1])
    assert run.recorded.output("key3") is None
    add(run, SAMPLES[2])
    assert run.recorded.result("key3", SAMPLES[2]).scores["mrr"].value == 0.75
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
    assert run.recorded.finished_keys() == {"key1"}
    assert run.recorded.output("key2") == output(SAMPLES[1])
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
    with pytest.raises(StorageError, match=r"line 3 is damaged.*delete that line"):
        RunFolder.open(tmp_path, HEADER)
    assert (tmp_path / RECORDS).read_bytes() == damaged


def test_a_file_that_is_not_ours_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / RECORDS).write_text('{"question": "mine"}', encoding="utf-8")
    with pytest.raises(RunExistsError, match="no run has written"):
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
    assert run.recorded.finished_keys() == {"key1", "key2"}
    run.close()


def test_overwrite_throws_an_unfinished_run_away(tmp_path: Path) -> None:
    unfinished(tmp_path)
    run = RunFolder.open(tmp_path, {**HEADER, "run_id": "r2"}, on_existing="overwrite")
    assert (run.run_id, run.recorded.finished_keys()) == ("r2", set())
    run.close()


def test_error_refuses_any_run(tmp_path: Path) -> None:
    unfinished(tmp_path)
    with pytest.raises(RunExistsError, match="another output_dir"):
        RunFolder.open(tmp_path, HEADER, on_existing="error")


def test_a_finished_run_stays_until_the_new_one_is_finished(tmp_path: Path) -> None:
    finished(tmp_path)
    before = (tmp_path / RECORDS).read_bytes()
    run = RunFolder.open(tmp_path, {**HEADER, "run_id": "r2", "identity": {"k": 9}})
    assert run.recorded.finished_keys() == set()
    add(run, SAMPLES[1])
    assert (tmp_path / RECORDS).read_bytes() == before
    assert named(tmp_path) == {"old"}
    run.finish(files("new"))
    run.close()
    assert named(tmp_path) == {"new"}
    assert b'"r2"' in (tmp_path / RECORDS).read_bytes()
    assert not (tmp_path / ".next").exists()
    assert run.recorded.result("key2", SAMPLES[1]).scores["mrr"].value == 0.5


def test_an_unfinished_successor_of_a_finished_run_is_taken_up(tmp_path: Path) -> None:
    finished(tmp_path)
    run = RunFolder.open(tmp_path, {**HEADER, "run_id": "r2"})
    add(run, SAMPLES[1])
    run.close()
    again = RunFolder.open(tmp_path, {**HEADER, "run_id": "r3"})
    assert (again.run_id, again.recorded.finished_keys()) == ("r2", {"key2"})
    again.close()


def cut_swap(folder: Path) -> None:
    """A run that had finished and was killed while its files were moved into place."""
    finished(folder)
    run = RunFolder.open(folder, {**HEADER, "run_id": "r2"})
    for sample in SAMPLES:
        add(run, sample)
    run._append({"kind": "finished", "run_id": "r2"})
    run.close()
    for name, content in files("new").items():
        (folder / ".next" / name).write_bytes(content[0])
    (folder / ".next" / "summary.json").replace(folder / "summary.json")
    (folder / ".next" / "samples.csv.1234abcd.tmp").write_bytes(b"half")


@pytest.mark.parametrize("change", [{"identity": {"k": 1}}, {}], ids=["other settings", "overwrite"])
def test_a_swap_that_was_cut_is_completed_before_another_run_begins(tmp_path: Path, change: dict[str, Any]) -> None:
    cut_swap(tmp_path)
    on_existing = "resume" if change else "overwrite"
    third = RunFolder.open(tmp_path, {**HEADER, "run_id": "r3", **change}, on_existing=on_existing)
    assert named(tmp_path) == {"new"}
    assert b'"r2"' in (tmp_path / RECORDS).read_bytes()
    assert not list(tmp_path.rglob("*.tmp"))
    assert (third.run_id, third.recorded.finished_keys()) == ("r3", set())
    third.close()


def test_the_same_run_again_after_a_cut_swap_has_nothing_left_to_ask(tmp_path: Path) -> None:
    cut_swap(tmp_path)
    assert RunFolder.look(tmp_path, HEADER).done == {"key1", "key2", "key3"}
    again = RunFolder.open(tmp_path, {**HEADER, "run_id": "r3"})
    assert (again.run_id, again.recorded.finished_keys()) == ("r2", {"key1", "key2", "key3"})
    again.finish(files("again"))
    again.close()
    assert named(tmp_path) == {"again"}
    assert not (tmp_path / ".next").exists()


def test_a_swap_that_fails_is_completed_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finished(tmp_path)
    run = RunFolder.open(tmp_path, {**HEADER, "run_id": "r2"})
    add(run, SAMPLES[1])
    real = Path.replace

    def locked(source: Path, target: Path) -> Path:
        if Path(target) == tmp_path / "samples.csv":
            raise OSError(16, "Device or resource busy")
        return real(source, target)

    monkeypatch.setattr(Path, "replace", locked)
    with pytest.raises(StorageError, match="busy"):
        run.finish(files("new"))
    assert run.finished
    run.close()
    monkeypatch.undo()
    assert run.recorded.result("key2", SAMPLES[1]).scores["mrr"].value == 0.5
    again = RunFolder.open(tmp_path, {**HEADER, "run_id": "r3"})
    assert again.recorded.finished_keys() == {"key2"}
    again.finish(files("new"))
    again.close()
    assert named(tmp_path) == {"new"}


def test_two_processes_never_write_into_one_folder(tmp_path: Path) -> None:
    other = FileLock(tmp_path / ".lock")
    with other, pytest.raises(RunLockedError, match="another run"):
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
    assert run.recorded.result("key1", SAMPLES[0]).output.answer == "جواب 1"


def test_a_full_disk_is_said_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = RunFolder.open(tmp_path, HEADER)
    add(run, SAMPLES[0])
    whole = run.records.read_bytes()
    file: Any = run._file

    class Full:
        closed, close, truncate = False, file.close, file.truncate

        def seek(self, offset: int) -> int:
            return int(file.seek(offset))

        def write(self, data: bytes) -> int:
            file.write(data[:10])
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(run, "_file", Full())
    with pytest.raises(StorageError, match=r"No space left.*make room"):
        run.append_output("key2", 2, SAMPLES[1], output(SAMPLES[1]))
    assert run.records.read_bytes() == whole, "the torn line is taken back"
    run.close()
    again = RunFolder.open(tmp_path, HEADER)
    assert again.recorded.finished_keys() == {"key1"}
    again.close()


def test_a_file_that_takes_little_at_a_time_gets_the_whole_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RunFolder.open(tmp_path, HEADER)
    file: Any = run._file

    class Slow:
        closed, close, seek = False, file.close, file.seek

        def write(self, data: bytes) -> int:
            return int(file.write(data[:7]))

    monkeypatch.setattr(run, "_file", Slow())
    add(run, SAMPLES[0])
    assert run.recorded.result("key1", SAMPLES[0]) == result("key1", SAMPLES[0])
    run.close()


def test_nothing_can_be_appended_to_a_run_that_was_closed(tmp_path: Path) -> None:
    run = RunFolder.open(tmp_path, HEADER)
    run.close()
    with pytest.raises(StorageError, match="closed"):
        run.append_output("key1", 1, SAMPLES[0], output(SAMPLES[0]))


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
    assert again.recorded.result("k", sample) == SampleResult(key="k", sample=sample, output=said)
    again.close()


def test_lone_surrogates_round_trip(tmp_path: Path) -> None:
    run = RunFolder.open(tmp_path, HEADER)
    said = PipelineOutput(answer="\ud83d")
    run.append_output("k", 0, SAMPLES[0], said)
    assert run.recorded.output("k") == said
    run.close()


def test_looking_touches_nothing(tmp_path: Path) -> None:
    assert RunFolder.look(tmp_path / "new", HEADER) == Prospect(frozenset(), replaces=False)
    assert not (tmp_path / "new").exists()
    before = unfinished(tmp_path)
    assert RunFolder.look(tmp_path, HEADER) == Prospect(frozenset({"key1", "key2"}), replaces=False)
    with pytest.raises(RunMismatchError, match="k: 5 -> 6"):
        RunFolder.look(tmp_path, {"run_id": "r", "identity": {**HEADER["identity"], "k": 6}})  # type: ignore[dict-item]
    assert RunFolder.look(tmp_path, HEADER, on_existing="overwrite").done == frozenset()
    with pytest.raises(RunExistsError):
        RunFolder.look(tmp_path, HEADER, on_existing="error")
    assert (tmp_path / RECORDS).read_bytes() == before
    (tmp_path / RECORDS).write_bytes(b"")
    assert RunFolder.look(tmp_path, HEADER).done == frozenset()
    (tmp_path / "file").write_bytes(b"")
    for place in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(StorageError, match="is not a folder"):
            RunFolder.look(place, HEADER)


def test_looking_at_a_finished_run_says_that_it_would_be_replaced(tmp_path: Path) -> None:
    finished(tmp_path)
    assert RunFolder.look(tmp_path, HEADER) == Prospect(frozenset(), replaces=True)


def test_the_working_folder_may_change_while_a_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = RunFolder.open(Path("here"), HEADER)
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "there")
    add(run, SAMPLES[0])
    run.finish(files("new"))
    run.close()
    assert named(tmp_path / "here") == {"new"}
    assert run.recorded.result("key1", SAMPLES[0]) == result("key1", SAMPLES[0])


def test_the_home_folder_may_be_written_as_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    RunFolder.open(Path("~/runs/first"), HEADER).close()
    assert (tmp_path / "runs" / "first" / RECORDS).exists()


def test_a_records_file_that_is_a_folder_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / RECORDS).mkdir()
    with pytest.raises(RunExistsError, match=RECORDS):
        RunFolder.open(tmp_path, HEADER)
    with pytest.raises(StorageError, match="cannot be used"):
        RunFolder.open(tmp_path, HEADER, on_existing="overwrite")
    with pytest.raises(StorageError, match="cannot be used"):
        RunFolder.look(tmp_path, HEADER, on_existing="overwrite")
    (tmp_path / RECORDS).rmdir()
    RunFolder.open(tmp_path, HEADER).close()
