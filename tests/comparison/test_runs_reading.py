"""Records read for their scores: what is looked at, what is passed over, and what is damaged."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import PipelineDownError, compare_runs
from muffakir_eval.comparison.runs_reading import scores_of_folder, scores_of_report
from muffakir_eval.errors import StorageError
from tests.comparison.recorded import failed, questions, run_of

JUDGE = {"provider": "openai", "model": "m-1", "repeats": 1}


def written(
    folder: Path,
    values: list[float | None],
    *,
    run_id: str = "r1",
    judge: Any = None,
    metric: str = "quality",
    **record: Any,
) -> Path:
    """A run folder by hand: one question for each value, ``None`` for a failed one."""
    identity = {
        "version": "1",
        "k": 5,
        "metrics": {metric: "as the user has it"},
        "matching": {},
        "judge": judge,
        "dataset": {"n_samples": len(values)},
    }
    lines: list[dict[str, Any]] = [{"kind": "run", "format": 1, "run_id": run_id, "identity": identity, "dataset": {}}]
    for place, value in enumerate(values):
        key, sample = f"k{place}", {"sample_id": f"q{place}", "question": f"س{place}", "row": place + 1}
        score: dict[str, Any] = {"name": metric, "state": "failed", "reason": "judge_empty"}
        if value is not None:
            score = {"name": metric, "value": value, "state": "measured"}
        lines.append({"kind": "output", "key": key, "position": place, "sample": sample, "output": {"answer": "ج"}})
        lines.append({"kind": "result", "key": key, "scores": {metric: score}, **record})
    lines.append({"kind": "finished", "run_id": run_id})
    folder.mkdir(parents=True)
    (folder / "records.jsonl").write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8"
    )
    return folder


def lines_of(folder: Path) -> list[str]:
    return (folder / "records.jsonl").read_text(encoding="utf-8").splitlines()


def put(folder: Path, lines: list[str], end: str = "\n") -> Path:
    (folder / "records.jsonl").write_text("\n".join(lines) + end, encoding="utf-8")
    return folder


def test_a_report_and_its_folder_read_alike(tmp_path: Path) -> None:
    rows = questions(5, topic="x", output={"answer": 1})
    report = run_of([0.5, failed, "down", "none", 1.0], rows=rows, folder=tmp_path / "run")
    kept, read = scores_of_report(report, ["topic"]), scores_of_folder(tmp_path / "run", ["topic"])
    assert len(kept) == len(read) == 5
    for name in (*kept.columns.names, *kept.columns.derived()):
        assert kept.columns.values(name).tolist() == read.columns.values(name).tolist()
        assert kept.columns.why(name).tolist() == read.columns.why(name).tolist()
    assert kept.content == read.content
    assert kept.groups == read.groups == {"topic": ["x"] * 5}
    assert [kept.question(place) for place in range(5)] == [read.question(place) for place in range(5)]
    assert kept.question(2).question == "السؤال رقم 2"
    reasons = [read.columns.reasons[code - 1] if code else None for code in read.columns.why("quality").tolist()]
    assert [None if one is None else (one.reason, one.failed) for one in reasons] == [
        None,
        ("metric_error", True),
        ("pipeline_error", True),
        ("no_value", False),
        None,
    ]
    refused = [read.columns.reasons[code - 1] if code else None for code in read.columns.why("answer_refusal_rate")]
    assert [None if one is None else one.reason for one in refused] == [None, None, "pipeline_error", None, None]


def test_a_run_that_was_not_saved_can_be_compared() -> None:
    assert compare_runs(run_of([0.5, 1.0]), run_of([0.5, 1.0]))["quality"].verdict == "identical"


def test_what_was_recorded_twice_counts_once_and_the_last_wins(tmp_path: Path) -> None:
    folder = written(tmp_path / "a", [0.25, 0.5])
    lines = lines_of(folder)
    again = json.loads(lines[1]) | {"position": 7}
    better = json.loads(lines[2])
    better["scores"]["quality"]["value"] = 0.75
    put(folder, [*lines[:-1], json.dumps(again), json.dumps(better), '{"kind": "later", "note": 1}', lines[-1]])
    scores = scores_of_folder(folder, ())
    assert scores.columns.values("quality").tolist() == [0.75, 0.5]
    assert scores.positions.tolist() == [7, 1]


def test_lines_of_another_shape_are_read_as_a_whole(tmp_path: Path) -> None:
    folder = written(tmp_path / "a", [0.25, 0.5])
    lines = [json.dumps(dict(reversed(json.loads(line).items()))) for line in lines_of(folder)]
    lines[0] = lines_of(folder)[0]
    scores = scores_of_folder(put(folder, lines), ())
    assert scores.columns.values("quality").tolist() == [0.25, 0.5]
    assert scores.question(1).question == "س1"


def test_a_torn_last_line_is_passed_over_and_its_question_was_not_finished(tmp_path: Path) -> None:
    folder = written(tmp_path / "a", [0.25, 0.5])
    put(folder, [*lines_of(folder)[:-2], '{"kind": "result", "key": "k1", "sco'], end="")
    scores = scores_of_folder(folder, ())
    assert (len(scores), len(scores.unfinished)) == (1, 1)
    pair = compare_runs(written(tmp_path / "b", [0.25, 0.5], run_id="r2"), folder).pairs[0]
    assert (pair.n_common, pair.only_in_a.n, pair.only_in_a.unfinished, pair.same_questions) == (1, 1, 1, True)
    assert pair.notes == (
        "B stopped early: 1 of 2 questions are done",
        "1 questions are only in A (1 were not finished in the other run)",
    )
    # The coverage counts what was not finished.
    assert (pair["quality"].n, pair["quality"].n_applicable) == (1, 2)


def test_a_run_that_stopped_early_is_no_other_dataset(tmp_path: Path) -> None:
    values: list[Any] = [0.5] * 60
    with pytest.raises(PipelineDownError):
        run_of([0.5] * 57 + ["down"] * 3, folder=tmp_path / "b", max_pipeline_errors=2)
    pair = compare_runs(run_of(values), tmp_path / "b", n_resamples=100).pairs[0]
    assert pair.same_questions
    assert "B stopped early" in pair.notes[0]


@pytest.mark.parametrize(
    ("line", "text", "said"),
    [
        (2, '{"kind": "result", "key": "k0", "scores": {"quality": {"state": "measured", "value": 1e999}}}', "line 3"),
        (2, '{"kind": "result", "key": "k0", "scores": {}}', "line 3 is damaged .KeyError: 'quality'"),
        (2, '{"kind": "result", "key": "unknown", "scores": {}}', "line 3"),
        (1, '{"kind": "output", "key": "k0"}', "line 2"),
        (1, "no json", "line 2 is damaged"),
        (1, '{"kind": "output", "key": "k0", "position": 0, "sample": {}, "output": {"answer": "ج"}}', "line 2"),
        (0, "no json", "the first line does not begin a run"),
        (0, '{"kind": "run", "format": 99, "run_id": "r"}', "layout 99"),
        (0, '{"kind": "run", "format": 1, "run_id": "r"}', "names no metrics"),
        (0, '{"kind": "run", "format": 1, "run_id": "r", "identity": 7}', "line 1: the key 'identity' holds int"),
        (0, '{"kind": "run", "format": 1, "run_id": "r", "dataset": {"mapping": 7}}', "'dataset.mapping' holds int"),
        (
            1,
            '{"kind": "output", "key": "k0", "position": 1e999, "sample": {"sample_id": "1", "question": "س"}}',
            "line 2 is damaged",
        ),
        (
            1,
            '{"kind": "output", "key": "k0", "position": 0, "sample": {"sample_id": "1", "question": 7}, "output": {}}',
            "line 2 is damaged.*of another kind",
        ),
    ],
)
def test_what_is_damaged_is_said_with_its_line(tmp_path: Path, line: int, text: str, said: str) -> None:
    folder = written(tmp_path / "a", [0.25, 0.5])
    lines = lines_of(folder)
    lines[line] = text
    with pytest.raises(StorageError, match=said):
        compare_runs(put(folder, lines), folder)


def test_folders_without_a_run(tmp_path: Path) -> None:
    for place, said in ((tmp_path / "gone", "no such folder"), (tmp_path, "holds no run")):
        with pytest.raises(StorageError, match=said):
            compare_runs(place, place)
    (tmp_path / "only").mkdir()
    run_of([0.5], folder=tmp_path / "run")
    shutil.copy(tmp_path / "run" / "summary.json", tmp_path / "only")
    with pytest.raises(StorageError, match="records cannot be read"):
        compare_runs(tmp_path / "only", tmp_path / "run")


def test_files_of_two_runs_in_one_folder_are_noticed(tmp_path: Path) -> None:
    run_of([0.5], folder=tmp_path / "a")
    run_of([0.5], folder=tmp_path / "b")
    shutil.copy(tmp_path / "a" / "summary.json", tmp_path / "b" / "summary.json")
    with pytest.raises(StorageError, match="belongs to the run"):
        compare_runs(tmp_path / "a", tmp_path / "b")


def test_records_that_change_while_they_are_read_are_noticed(tmp_path: Path) -> None:
    folder = written(tmp_path / "a", [0.25, 0.5])
    scores = scores_of_folder(folder, ())
    put(folder, ["x" * 400] * 5)
    with pytest.raises(StorageError, match="have changed"):
        scores.question(0)


def test_scores_of_different_judges_are_not_compared(tmp_path: Path) -> None:
    a = written(tmp_path / "a", [0.0, 1.0], judge=JUDGE, metric="faithfulness")
    b = written(tmp_path / "b", [0.0, 1.0], judge=JUDGE | {"model": "m-2"}, metric="faithfulness", run_id="r2")
    found = compare_runs(a, b)
    (left_out,) = found.pairs[0].not_compared
    assert (left_out.reason, left_out.detail) == ("other_judge", "judge.model: 'm-1' -> 'm-2'")
    assert found.pairs[0].metrics[0].metric == "answer_refusal_rate"
    more = written(tmp_path / "c", [0.0, 1.0], judge=JUDGE | {"repeats": 3}, metric="faithfulness", run_id="r3")
    same = compare_runs(a, more).pairs[0]
    assert (same.not_compared, same["faithfulness"].verdict) == ((), "identical")
    assert same.settings == ("judge.repeats: 1 -> 3",)


def test_a_rating_has_its_own_range_and_its_failures_count_as_0(tmp_path: Path) -> None:
    a = written(tmp_path / "a", [3.0] * 30, metric="llm_judge_rating")
    b = written(tmp_path / "b", [5.0] * 29 + [None], metric="llm_judge_rating", run_id="r2")
    found = compare_runs(a, b, detect=0.05, margin=0.1)["llm_judge_rating"]
    assert (found.detect, found.verdict) == (0.2, "better")
    assert found.with_failures is not None
    assert (found.with_failures.counted_as, found.with_failures.n_failed_b) == (0.0, 1)
    assert found.non_inferiority is not None
    assert found.non_inferiority.margin == 0.4


def test_partial_refusals_are_answers(tmp_path: Path) -> None:
    refusal = {"reason": "r", "kind": "k", "phrase": "p", "language": "ar", "span": [0, 1]}
    whole = written(tmp_path / "a", [1.0] * 3, refusal=refusal)
    part = written(tmp_path / "b", [1.0] * 3, refusal=refusal | {"partial": True}, run_id="r2")
    found = compare_runs(whole, part)["answer_refusal_rate"]
    assert (found.mean_a, found.mean_b) == (1.0, 0.0)


def test_records_that_were_cut_in_the_middle_are_no_smaller_run(tmp_path: Path) -> None:
    run_of([0.5] * 6, folder=tmp_path / "a")
    run_of([0.5] * 6, folder=tmp_path / "b")
    path = tmp_path / "a" / "records.jsonl"
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(StorageError, match="counts 6 finished questions, and the records hold"):
        compare_runs(tmp_path / "a", tmp_path / "b")


def test_a_latency_that_is_no_number_is_noticed(tmp_path: Path) -> None:
    folder = written(tmp_path / "a", [0.25, 0.5])
    lines = lines_of(folder)
    lines[2] = lines[2].rstrip()[:-1] + ', "pipeline_latency_ms": 1e999}'
    with pytest.raises(StorageError, match="pipeline_latency_ms is inf"):
        compare_runs(put(folder, lines), folder)
