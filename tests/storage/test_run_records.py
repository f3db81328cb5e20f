"""What a run has recorded: found again, read one by one, and readable as long as anybody wants to."""

from __future__ import annotations

import copy
import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.errors import StorageError
from muffakir_eval.records import PipelineOutput, Sample, SampleResult, Score
from muffakir_eval.storage import RECORDS, RunFolder, RunRecords

SAMPLE = Sample(sample_id="1", row=2, question="ما المدة؟", contexts=("النص",))
SAID = PipelineOutput(answer="سنة", pipeline_latency_ms=3)
RESULT = SampleResult(key="k", sample=SAMPLE, output=SAID, scores={"mrr": Score.measured("mrr", 0.5)}, answerable=True)


def recorded(folder: Path) -> Path:
    """An unfinished run over one finished sample and one that has an output only."""
    run = RunFolder.open(folder, {"run_id": "r1", "identity": {"k": 5}})
    run.append_output("k", 0, SAMPLE, SAID)
    run.append_result(RESULT)
    run.append_output("half", 1, SAMPLE, SAID)
    run.close()
    return folder / RECORDS


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def test_it_knows_what_is_finished_and_where_it_stood(tmp_path: Path) -> None:
    found, size = RunRecords.scan(recorded(tmp_path))
    assert size == (tmp_path / RECORDS).stat().st_size
    assert (found.header["run_id"], found.is_empty) == ("r1", False)
    assert found.finished_keys() == {"k"}
    assert found.result("k", SAMPLE) == RESULT
    assert (found.output("half"), found.output("none"), found.placed("none")) == (SAID, None, None)
    assert found.placed("k") == (0, "1", 2)
    for key in ("half", "none"):
        with pytest.raises(StorageError, match="not finished"):
            found.result(key, SAMPLE)


def test_the_lines_of_a_sample_as_they_stand(tmp_path: Path) -> None:
    path = recorded(tmp_path)
    found, _ = RunRecords.scan(path)
    assert b"".join(found.lines_of("k")) == b"".join(path.read_bytes().splitlines(keepends=True)[1:3])
    with pytest.raises(StorageError, match="not finished"):
        found.lines_of("half")
    found.release()
    path.unlink()
    with pytest.raises(StorageError, match="cannot be read any more"):
        found.lines_of("k")


def test_a_forgotten_sample_is_as_if_it_had_never_run(tmp_path: Path) -> None:
    found, _ = RunRecords.scan(recorded(tmp_path))
    found.forget("k")
    assert (found.finished_keys(), found.output("k")) == (set(), None)


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole.replace(b"\n", b"\r\n"),
        lambda whole: b"\xef\xbb\xbf" + whole,
        lambda whole: whole + b'{"kind": "later", "of": "another version"}\n',
        lambda whole: whole + b"\0" * 4096,
        lambda whole: whole + b'{"kind": "result", "key": "ha',
        lambda whole: whole + "نصف".encode()[:3],
    ],
    ids=["Windows line ends", "byte-order mark", "unknown kind", "zeros after a power cut", "torn", "torn in a letter"],
)
def test_what_other_programs_and_a_crash_leave_is_read(tmp_path: Path, damage: Any) -> None:
    path = recorded(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    assert RunRecords.scan(path)[0].result("k", SAMPLE) == RESULT


@pytest.mark.parametrize(
    ("number", "change"),
    [
        (2, {"key": None}),
        (2, {"output": "سنة"}),
        (2, {"position": "0"}),
        (3, {"key": 5}),
        (3, {"kind": 5}),
        (3, {"kind": "run", "run_id": "r2"}),
    ],
)
def test_a_line_that_lacks_what_its_kind_needs_is_damaged(tmp_path: Path, number: int, change: dict[str, Any]) -> None:
    path = recorded(tmp_path)
    records = lines(path)
    records[number - 1] |= change
    write(path, records)
    with pytest.raises(StorageError, match=rf"line {number} is damaged.*delete that line"):
        RunRecords.scan(path)


def test_a_line_nested_too_deeply_is_damaged(tmp_path: Path) -> None:
    path = recorded(tmp_path)
    with path.open("ab") as file:
        file.write(b'{"kind": ' + b"[" * 100_000 + b"\n")
    with pytest.raises(StorageError, match="line 5 is damaged"):
        RunRecords.scan(path)


def test_after_deleting_the_damaged_line_only_its_question_is_open(tmp_path: Path) -> None:
    path = recorded(tmp_path)
    records = lines(path)
    write(path, [records[0], records[2], records[3]])
    assert RunRecords.scan(path)[0].finished_keys() == set()


@pytest.mark.parametrize("header", [{"format": 2}, {"format": None}, {"identity": []}])
def test_another_layout_is_refused_by_name(tmp_path: Path, header: dict[str, Any]) -> None:
    path = recorded(tmp_path)
    records = lines(path)
    records[0] |= header
    write(path, records)
    with pytest.raises(StorageError, match=r"layout.*another output_dir"):
        RunRecords.scan(path)


@pytest.mark.parametrize(
    ("number", "change"),
    [
        (1, {"output": {"answer": 5}}),
        (1, {"output": {"chunks": [{"text": None}]}}),
        (1, {"output": {"chunks": 7}}),
        (1, {"output": {"surprise": 1}}),
        (2, {"latency_ms": "long"}),
        (2, {"scores": {"mrr": {"name": "mrr", "value": "0.5", "state": "measured"}}}),
        (2, {"scores": [1]}),
        (2, {"refusal": {"reason": 1}}),
        (2, {"matches": [{"rank": "1", "relevant": True}]}),
        (2, {"answerable": 5}),
    ],
)
def test_a_record_that_cannot_be_understood_names_its_sample(
    tmp_path: Path, number: int, change: dict[str, Any]
) -> None:
    path = recorded(tmp_path)
    records = lines(path)
    records[number] |= change
    write(path, records)
    found, _ = RunRecords.scan(path)
    with pytest.raises(StorageError, match=r"record of sample k cannot be understood.*delete the lines"):
        found.result("k", SAMPLE)


def test_an_output_that_cannot_be_understood_is_no_output_of_another_kind(tmp_path: Path) -> None:
    path = recorded(tmp_path)
    records = lines(path)
    records[3]["output"] = {"answer": 5}
    write(path, records)
    with pytest.raises(StorageError, match="sample half"):
        RunRecords.scan(path)[0].output("half")


def test_records_that_were_removed_or_exchanged_by_somebody_else_are_an_error(tmp_path: Path) -> None:
    found, _ = RunRecords.scan(recorded(tmp_path / "a"))
    write(tmp_path / "a" / RECORDS, [{"kind": "run", "run_id": "other", "padding": "x" * 10_000}])
    with pytest.raises(StorageError, match=r"run r1 cannot be read.*something else"):
        found.result("k", SAMPLE)
    found.release()
    shutil.rmtree(tmp_path / "a")
    with pytest.raises(StorageError, match=r"cannot be read.*No such file"):
        found.result("k", SAMPLE)


def test_a_pickle_holds_the_lines_and_a_deep_copy_shares_them(tmp_path: Path) -> None:
    found, _ = RunRecords.scan(recorded(tmp_path / "a"))
    pickled = pickle.dumps(found)
    assert copy.deepcopy(found) is found
    shutil.rmtree(tmp_path / "a")
    restored = pickle.loads(pickled)
    assert restored.result("k", SAMPLE) == RESULT
    assert (restored.output("half"), restored.header["run_id"]) == (SAID, "r1")
    assert pickle.loads(pickle.dumps(restored)).result("k", SAMPLE) == RESULT


def test_the_lines_of_a_finished_run_and_of_one_that_stopped(tmp_path: Path) -> None:
    found, _ = RunRecords.scan(recorded(tmp_path))
    kinds = [json.loads(line)["kind"] for line in found.lines(["k"], finished=True)]
    assert kinds == ["run", "output", "result", "finished"]
    stopped = [json.loads(line) for line in found.lines(["k"], finished=False)]
    assert [(line["kind"], line.get("key")) for line in stopped] == [
        ("run", None),
        ("output", "k"),
        ("result", "k"),
        ("output", "half"),
    ]


@given(
    place=st.floats(min_value=0, max_value=1),
    taken=st.integers(min_value=0, max_value=300),
    put=st.binary(max_size=5) | st.sampled_from([b"\0" * 50, b"\n", b"null", b"[]", b"{}", b'"', b"5"]),
)
def test_whatever_is_damaged_it_is_an_error_of_ours_or_nothing_is_lost(
    place: float, taken: int, put: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = recorded(tmp_path_factory.mktemp("run"))
    whole = path.read_bytes()
    start = int(place * len(whole))
    path.write_bytes(whole[:start] + put + whole[start + taken :])
    try:
        found, _ = RunRecords.scan(path)
        for key in found.finished_keys():
            assert found.result(key, SAMPLE).key == key
        if found.header:
            assert list(found.lines(finished=False))
    except StorageError as error:
        assert str(path) in str(error)
