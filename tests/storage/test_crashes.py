"""A process that dies at any step of writing leaves whole files, and the next one goes on from there."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from muffakir_eval.records import PipelineOutput, Sample, SampleResult
from muffakir_eval.storage import RECORDS, RunFolder, save_copy

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
]

SAMPLES = [Sample(sample_id=str(n), question=f"السؤال {n}") for n in range(3)]
STEPS = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "shutil.rmtree")
OURS = {".lock", RECORDS, "summary.json", "samples.csv"}


def files(name: str) -> Mapping[str, list[bytes]]:
    summary = json.dumps({"n_samples": 3, "summary": {}, "name": name}).encode()
    columns = b"question,gold_answer,predicted_answer,retrieved_previews\r\n"
    return {"samples.csv": [columns, f"{name},,,\r\n".encode()], "summary.json": [summary]}


def work(folder: Path, name: str) -> int:
    """Start or take up the run ``name``; return how many questions had to be asked."""
    run = RunFolder.open(folder, {"run_id": name, "identity": {"name": name}})
    asked = 0
    for n, sample in enumerate(SAMPLES):
        if f"k{n}" in run.recorded.finished_keys():
            continue
        output = run.recorded.output(f"k{n}")
        if output is None:
            asked += 1
            output = PipelineOutput(answer=name)
            run.append_output(f"k{n}", n, sample, output)
        run.append_result(SampleResult(key=f"k{n}", sample=sample, output=output))
    run.finish(files(name))
    run.close()
    return asked


def save(folder: Path, name: str) -> None:
    """Save a report into ``folder``."""
    run = RunFolder.open(folder.with_name("source"), {"run_id": name, "identity": {"name": name}})
    for n, sample in enumerate(SAMPLES):
        run.append_output(f"k{n}", n, sample, PipelineOutput(answer=name))
        run.append_result(SampleResult(key=f"k{n}", sample=sample, output=PipelineOutput(answer=name)))
    run.close()
    save_copy(folder, files(name), run.recorded, ["k0", "k1", "k2"], finished=True)


def names(folder: Path) -> list[str]:
    """Whose files lie there: records, table, summary; each is whole or not there."""
    found = []
    if (folder / RECORDS).exists():
        *lines, torn = (folder / RECORDS).read_bytes().split(b"\n")
        assert torn == b"" or not json.dumps(torn.decode("utf-8", "replace")).endswith("}"), "torn, or whole"
        found += [json.loads(line)["run_id"] for line in lines[:1]]
        assert all(json.loads(line) for line in lines)
    if (folder / "samples.csv").exists():
        found.append((folder / "samples.csv").read_text(encoding="utf-8").splitlines()[1].partition(",")[0])
    if (folder / "summary.json").exists():
        found.append(json.loads((folder / "summary.json").read_bytes())["name"])
    return found


def dies_at(step: int, action: Callable[[], object], folder: Path) -> bool:
    """Run ``action`` in a child that is gone at the given step; tell whether it came so far."""
    child = os.fork()
    if child == 0:
        steps = itertools.count(1)

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            if event in STEPS and (str(folder) in str(arguments[0]) or event == "os.truncate") and next(steps) == step:
                os._exit(9)

        sys.addaudithook(hook)
        try:
            action()
        except BaseException:
            os._exit(1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 9)
    return code == 9


def crashes(folder: Path, prepare: Callable[[], object], action: Callable[[], object]) -> Iterator[int]:
    for step in itertools.count(1):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(folder.with_name("source"), ignore_errors=True)
        prepare()
        if not dies_at(step, action, folder):
            assert step > 10, "the steps were seen"
            return
        yield step


def test_a_first_run_goes_on_wherever_it_died(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    for step in crashes(folder, lambda: None, lambda: work(folder, "new")):
        assert set(names(folder)) <= {"new"}, step
        work(folder, "new")
        assert names(folder) == ["new"] * 3, step
        assert {path.name for path in folder.iterdir()} == OURS, step


def test_a_run_that_replaces_another_one_loses_neither(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    for step in crashes(folder, lambda: work(folder, "old"), lambda: work(folder, "new")):
        found = names(folder)
        assert len(found) == 3, step
        moved = found[0] == "new"
        asked = work(folder, "new")
        if not moved:  # a new run would replace the finished one once more
            recorded = (3 - asked) if "new" in found[1:] else None
            assert recorded in (None, 3), f"nothing is asked again once the moving had begun, step {step}"
        assert names(folder) == ["new"] * 3, step
        assert {path.name for path in folder.iterdir()} == OURS, step


def test_another_run_after_the_crash_replaces_what_was_finished(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    for step in crashes(folder, lambda: work(folder, "old"), lambda: work(folder, "new")):
        try:
            work(folder, "third")
        except Exception as error:
            assert "made with other settings" in str(error), step
            assert names(folder) == ["old"] * 3, step
        else:
            assert names(folder) == ["third"] * 3, step
            assert {path.name for path in folder.iterdir()} == OURS, step


def test_a_report_that_is_saved_over_a_run_loses_neither(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    for step in crashes(folder, lambda: work(folder, "old"), lambda: save(folder, "new")):
        assert len(names(folder)) == 3, step
        shutil.rmtree(folder.with_name("source"), ignore_errors=True)
        save(folder, "new")
        assert names(folder) == ["new"] * 3, step
        assert {path.name for path in folder.iterdir()} == OURS, step
