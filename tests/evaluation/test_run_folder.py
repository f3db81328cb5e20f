"""What a run leaves on disk, whatever happens to it."""

from __future__ import annotations

import csv
import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from muffakir_eval import MuffakirEvaluation, load_evaluation_dataset
from muffakir_eval.errors import RunExistsError, RunMismatchError
from muffakir_eval.records.rows import REFERENCE_COLUMNS

TEXT = "يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا بأجر كامل بعد إتمام سنة من الخدمة."
ROWS = [
    {"question": "كم مدة الإجازة؟", "answer": "ثلاثون يومًا", "context": TEXT},
    {"question": "متى تستحق؟", "answer": "بعد سنة", "context": "نص آخر لا علاقة له بما استرجع هنا أبدًا"},
]


def suite(**settings: Any) -> MuffakirEvaluation:
    return MuffakirEvaluation({"metrics": ["recall", "mrr"], "k": 2, "progress": False, **settings})


def rag(question: str, k: int) -> tuple[str, list[str]]:
    return f"جواب {question}", [TEXT]


def cells(folder: Path) -> list[dict[str, str]]:
    with (folder / "samples.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def summary(folder: Path) -> dict[str, Any]:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} in strict JSON")

    return dict(json.loads((folder / "summary.json").read_text(encoding="utf-8"), parse_constant=refuse))


def test_the_files_of_the_reference_are_there_and_hold_its_keys(tmp_path: Path) -> None:
    report = suite().evaluate(rag, ROWS, save=True, output_dir=tmp_path)
    assert {path.name for path in tmp_path.iterdir()} - {".lock"} == {
        "summary.json",
        "samples.csv",
        "error_rates.json",
        "run_config.yaml",
        "records.jsonl",
    }
    written = summary(tmp_path)
    assert written["n_samples"] == 2
    assert written["k"] == 2
    assert written["metrics_enabled"] == ["recall", "mrr"]
    assert written["retrieval"] == {"recall_at_k": 0.5, "mrr": 0.5}
    assert written["generation"] == {}
    assert written["summary"] == report.summary()
    assert tuple(cells(tmp_path)[0])[:20] == REFERENCE_COLUMNS
    assert {row["run_id"] for row in cells(tmp_path)} == {written["run_id"]} == {report.run_id}
    errors = json.loads((tmp_path / "error_rates.json").read_text(encoding="utf-8"))
    assert (errors["attempts"], errors["errors"], errors["answer_refusal_rate"]) == (2, {}, 0.0)


def test_saving_later_writes_the_same_files(tmp_path: Path) -> None:
    report = suite().evaluate(rag, ROWS, save=True, output_dir=tmp_path / "a")
    later = suite().evaluate(rag, ROWS)
    assert later.folder is None
    assert later.save(tmp_path / "b") == tmp_path / "b"
    assert summary(tmp_path / "b")["summary"] == summary(tmp_path / "a")["summary"]
    assert len(load_evaluation_dataset(tmp_path / "b")) == 2
    assert report.save(tmp_path / "a") == tmp_path / "a"
    assert len(load_evaluation_dataset(tmp_path / "a")) == 2


def test_not_saving_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    report = suite(cache_dir=str(tmp_path / "cache")).evaluate(rag, ROWS)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert report.samples[0].output.answer == "جواب كم مدة الإجازة؟"


def test_the_folder_of_an_earlier_run_is_a_dataset(tmp_path: Path) -> None:
    suite().evaluate(rag, ROWS, save=True, output_dir=tmp_path / "first")
    again = suite(metrics=["recall", "precision"]).evaluate(
        None, tmp_path / "first", save=True, output_dir=tmp_path / "two"
    )
    assert again.summary() == {"recall_at_k": 0.5, "precision_at_k": 0.25}
    assert [result.output.answer for result in again.samples] == ["جواب كم مدة الإجازة؟", "جواب متى تستحق؟"]


def test_p45_the_csv_opens_in_excel_and_reads_back(tmp_path: Path) -> None:
    suite().evaluate(rag, ROWS, save=True, output_dir=tmp_path)
    assert (tmp_path / "samples.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    assert not (tmp_path / "summary.json").read_bytes().startswith(b"\xef\xbb\xbf")
    naive = pd.read_csv(tmp_path / "samples.csv")
    assert list(naive["question"]) == [row["question"] for row in ROWS]
    samples = load_evaluation_dataset(tmp_path / "samples.csv")
    assert [sample.question for sample in samples] == [row["question"] for row in ROWS]
    suite(csv_bom=False).evaluate(rag, ROWS, save=True, output_dir=tmp_path / "plain")
    assert (tmp_path / "plain" / "samples.csv").read_bytes().startswith(b'"question"')


HOSTILE = [
    '=HYPERLINK("http://x.test")',
    " =1+1",
    "\u200b=1+1",
    "@SUM(A1)",
    "- البند الأول",
    "'=1",
    "-0.5",
    "\t=1",
    "+1",
]


def test_p46_formulas_are_neutralised_numbers_stay_and_our_loader_restores(tmp_path: Path) -> None:
    rows = [{"question": f"س{n}", "answer": text, "context": TEXT} for n, text in enumerate(HOSTILE)]

    def minus(trial: Any) -> float:
        return -0.5

    report = suite(metrics=["mrr", minus]).evaluate(
        lambda question: (HOSTILE[int(question[1:])], [TEXT]), rows, save=True, output_dir=tmp_path
    )
    written = cells(tmp_path)
    assert all(row["predicted_answer"].startswith("'") for row in written)
    assert {row["minus"] for row in written} == {"-0.5"}
    restored = load_evaluation_dataset(tmp_path / "samples.csv")
    assert [sample.answer for sample in restored] == HOSTILE
    assert [sample.recorded.answer for sample in restored if sample.recorded] == HOSTILE
    assert [result.output.answer for result in report.samples] == HOSTILE


def test_p48_a_metric_that_could_not_be_computed_is_null_in_strict_json(tmp_path: Path) -> None:
    def nan(trial: Any) -> float:
        return float("nan")

    suite(metrics=["mrr", nan]).evaluate(rag, ROWS, save=True, output_dir=tmp_path)
    block = summary(tmp_path)["metrics"]["nan"]
    assert (block["mean"], block["reason"], block["n_scored"]) == (None, "metric_error", 0)
    assert {row["nan"] for row in cells(tmp_path)} == {""}


def test_p50_a_lone_surrogate_is_written_and_the_old_files_are_replaced(tmp_path: Path) -> None:
    suite().evaluate(rag, ROWS, save=True, output_dir=tmp_path)
    report = suite().evaluate(lambda question: ("\ud83d", [TEXT]), ROWS, save=True, output_dir=tmp_path)
    assert report.samples[0].output.answer == "\ud83d"
    assert {row["run_id"] for row in cells(tmp_path)} == {summary(tmp_path)["run_id"]} == {report.run_id}
    assert [s.recorded.answer for s in load_evaluation_dataset(tmp_path) if s.recorded] == ["\ud83d"] * 2


def test_a_finished_run_is_replaced_only_at_the_end(tmp_path: Path) -> None:
    first = suite().evaluate(rag, ROWS, save=True, output_dir=tmp_path)
    seen: list[str] = []

    def looks(question: str) -> list[str]:
        seen.append(summary(tmp_path)["run_id"])
        return [TEXT]

    second = suite(k=3).evaluate(looks, ROWS, save=True, output_dir=tmp_path)
    assert seen == [first.run_id] * 2
    assert summary(tmp_path)["run_id"] == second.run_id


def test_on_existing_error_refuses(tmp_path: Path) -> None:
    suite().evaluate(rag, ROWS, save=True, output_dir=tmp_path)
    with pytest.raises(RunExistsError):
        suite(on_existing="error").evaluate(rag, ROWS, save=True, output_dir=tmp_path)


def interrupted(folder: Path, rows: list[dict[str, Any]], after: int, **settings: Any) -> None:
    """Run with a pipeline that stops the run after so many questions."""
    asked = 0

    def pipeline(question: str) -> tuple[str, list[str]]:
        nonlocal asked
        asked += 1
        if asked > after:
            raise KeyboardInterrupt
        return f"جواب {question}", [TEXT]

    with pytest.raises(KeyboardInterrupt):
        suite(pipeline_id="same", **settings).evaluate(pipeline, rows, save=True, output_dir=folder)


def counted(calls: list[str]) -> Any:
    def pipeline(question: str) -> tuple[str, list[str]]:
        calls.append(question)
        return f"جواب {question}", [TEXT]

    return pipeline


MANY = [{"question": f"س{n}", "context": TEXT if n % 2 else "لا شيء من هذا هنا أبدًا"} for n in range(6)]


def test_p37_only_the_remaining_questions_are_asked(tmp_path: Path) -> None:
    interrupted(tmp_path, MANY, 4)
    calls: list[str] = []
    report = suite(pipeline_id="same").evaluate(counted(calls), MANY, save=True, output_dir=tmp_path)
    assert calls == ["س4", "س5"]
    assert report.summary() == {"recall_at_k": 0.5, "mrr": 0.5}
    assert [result.output.answer for result in report.samples] == [f"جواب س{n}" for n in range(6)]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"k": 3}, "k: 2 -> 3"),
        ({"metrics": ["recall"]}, "metrics.mrr"),
        ({"overlap_threshold": 0.7}, "matching.overlap_threshold: 0.55 -> 0.7"),
        ({"language": "en"}, "language: 'ar' -> 'en'"),
        ({"pipeline_id": "other"}, "pipeline.pipeline_id: 'same' -> 'other'"),
    ],
)
def test_p39_other_settings_refuse_and_name_the_difference(tmp_path: Path, change: dict[str, Any], named: str) -> None:
    interrupted(tmp_path, MANY, 4)
    with pytest.raises(RunMismatchError) as caught:
        suite(**{"pipeline_id": "same", **change}).evaluate(counted([]), MANY, save=True, output_dir=tmp_path)
    assert named in str(caught.value)


def test_p39_results_are_keyed_by_content_and_not_by_row(tmp_path: Path) -> None:
    interrupted(tmp_path, MANY[:3], 2)
    longer = [{"question": "جديد", "context": TEXT}, *MANY[:3]]
    with pytest.raises(RunMismatchError, match=r"dataset.*n_samples: 3 -> 4.*extend"):
        suite(pipeline_id="same").evaluate(counted([]), longer, save=True, output_dir=tmp_path)
    calls: list[str] = []
    report = suite(pipeline_id="same", on_existing="extend").evaluate(
        counted(calls), longer, save=True, output_dir=tmp_path
    )
    assert calls == ["جديد", "س2"]
    assert [row["question"] for row in cells(tmp_path)] == ["جديد", "س0", "س1", "س2"]
    assert [row["row"] for row in cells(tmp_path)] == ["1", "2", "3", "4"]
    assert [sample.question for sample in load_evaluation_dataset(tmp_path)] == ["جديد", "س0", "س1", "س2"]
    assert report.n_samples == 4


def test_p39_reordered_rows_resume_and_take_their_new_places(tmp_path: Path) -> None:
    interrupted(tmp_path, MANY, 4)
    calls: list[str] = []
    suite(pipeline_id="same").evaluate(counted(calls), MANY[::-1], save=True, output_dir=tmp_path)
    assert sorted(calls) == ["س4", "س5"]
    assert [row["question"] for row in cells(tmp_path)] == [f"س{n}" for n in range(5, -1, -1)]
    assert [sample.question for sample in load_evaluation_dataset(tmp_path)] == [f"س{n}" for n in range(5, -1, -1)]


def test_a_changed_metric_of_the_users_refuses_to_mix(tmp_path: Path) -> None:
    def mine(trial: Any) -> float:
        return 1.0

    first = mine
    interrupted(tmp_path, MANY, 2, metrics=["recall", first])

    def mine(trial: Any) -> float:  # type: ignore[no-redef]
        return 0.5

    with pytest.raises(RunMismatchError, match=r"metrics\.mine"):
        suite(pipeline_id="same", metrics=["recall", mine]).evaluate(counted([]), MANY, save=True, output_dir=tmp_path)


PROGRAM = textwrap.dedent(
    """
    import sys, time
    from pathlib import Path
    from muffakir_eval import MuffakirEvaluation

    folder, calls = Path(sys.argv[1]), Path(sys.argv[2])

    def rag(question, k):
        with calls.open("a", encoding="utf-8") as file:
            file.write(question + "\\n")
        time.sleep(0.01)
        return "جواب " + question, ["النص " + question[1:] + " من النصوص المسترجعة"]

    gold = [f"النص {n if n % 3 else 'غير ذلك'} من النصوص المسترجعة" for n in range(40)]
    rows = [{"question": f"س{n}", "context": text} for n, text in enumerate(gold)]
    print("ready", flush=True)
    MuffakirEvaluation({"metrics": ["recall", "precision", "mrr", "ndcg", "map"], "k": 2, "progress": False,
                        "pipeline_id": "rag"}).evaluate(rag, rows, save=True, output_dir=folder)
    """
)


def start(program: Path, folder: Path, calls: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, str(program), str(folder), str(calls)], stdout=subprocess.PIPE)


def without_times(folder: Path) -> dict[str, Any]:
    kept = summary(folder)
    for name in ("run_id", "started_at", "finished_at", "latency_ms"):
        del kept[name]
    return kept


def whole(folder: Path) -> None:
    """Every file is whole, whenever the process was killed."""
    for name in ("summary.json", "error_rates.json"):
        if (folder / name).exists():
            json.loads((folder / name).read_text(encoding="utf-8"))
    if (folder / "samples.csv").exists():
        assert all(len(row) == len(cells(folder)[0]) for row in cells(folder))
    if (folder / "records.jsonl").exists():
        lines = (folder / "records.jsonl").read_bytes().split(b"\n")
        for line in lines[:-1]:
            json.loads(line)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_kill_9_at_any_moment_loses_at_most_what_was_in_flight(tmp_path: Path) -> None:
    program, calls = tmp_path / "program.py", tmp_path / "calls.txt"
    program.write_text(PROGRAM, encoding="utf-8")
    with start(program, tmp_path / "whole", tmp_path / "unused.txt") as process:
        assert process.wait(60) == 0
    rng = random.Random(20)
    kills = 0
    while kills < 10:
        with start(program, tmp_path / "run", calls) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(rng.uniform(0.01, 0.12))
            if process.poll() is not None:
                break
            os.kill(process.pid, signal.SIGKILL)
        kills += 1
        whole(tmp_path / "run")
    with start(program, tmp_path / "run", calls) as process:
        assert process.wait(60) == 0
    whole(tmp_path / "run")
    assert kills >= 3
    assert without_times(tmp_path / "run") == without_times(tmp_path / "whole")
    asked = calls.read_text(encoding="utf-8").split()
    assert set(asked) == {f"س{n}" for n in range(40)}
    assert len(asked) <= 40 + kills, "one question in flight per kill at the most"


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a child on this system")
def test_ctrl_c_writes_the_partial_report(tmp_path: Path) -> None:
    program, calls = tmp_path / "program.py", tmp_path / "calls.txt"
    program.write_text(PROGRAM.replace("0.01", "0.05"), encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, str(program), str(tmp_path / "run"), str(calls)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    while not calls.exists() or len(calls.read_text(encoding="utf-8").split()) < 3:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert b"KeyboardInterrupt" in errors
    partial = summary(tmp_path / "run")
    assert partial["partial"] is True
    assert 1 <= partial["n_samples"] < 40
    assert len(cells(tmp_path / "run")) == partial["n_samples"]
