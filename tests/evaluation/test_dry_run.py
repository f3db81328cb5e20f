"""A dry run checks everything, asks nothing, writes nothing, and says what would be done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import ConfigError, DatasetError, EvalRunner, MuffakirEvaluation
from muffakir_eval.errors import RunExistsError, RunMismatchError, StorageError

TEXT = "يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا بأجر كامل."
ROWS = [{"question": f"س{n}", "context": TEXT} for n in range(5)]


def never(question: str, k: int) -> list[str]:
    raise AssertionError("a dry run asks nothing")


def suite(**settings: Any) -> MuffakirEvaluation:
    return MuffakirEvaluation({"metrics": ["recall", "mrr@1"], "progress": False, "pipeline_id": "rag", **settings})


def interrupted(folder: Path, after: int) -> None:
    asked = 0

    def rag(question: str, k: int) -> list[str]:
        nonlocal asked
        asked += 1
        if asked > after:
            raise KeyboardInterrupt
        return [TEXT]

    with pytest.raises(KeyboardInterrupt):
        suite().evaluate(rag, ROWS, save=True, output_dir=folder)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_it_asks_nothing_writes_nothing_and_says_the_plan(tmp_path: Path) -> None:
    report = suite(dry_run=True).evaluate(never, ROWS, save=True, output_dir=tmp_path / "new")
    assert list(tmp_path.iterdir()) == []
    assert (report.dry_run, report.partial, report.n_samples, report.summary()) == (True, True, 0, {})
    assert (list(report.samples), len(report.to_dataframe()), report.folder) == ([], 0, None)
    assert str(report).splitlines() == [
        "Dry run: no question was asked and nothing was written.",
        "  questions  5 from the list",
        "  pipeline   rag, 5 calls, 1 at once",
        "  metrics    recall_at_k, mrr@1",
        "  cutoffs    k = 5",
        f"  folder     {tmp_path / 'new'}",
    ]
    assert "dry run" in report.notes[0]
    assert report.to_dict()["dry_run"]["n_to_ask"] == 5
    with pytest.raises(StorageError, match="dry run has no results"):
        report.save(tmp_path / "saved")


def test_it_counts_what_an_unfinished_run_has_done(tmp_path: Path) -> None:
    interrupted(tmp_path, 3)
    before = files(tmp_path)
    report = suite(dry_run=True).evaluate(never, ROWS, save=True, output_dir=tmp_path)
    assert (report.to_dict()["dry_run"]["n_done"], report.to_dict()["dry_run"]["n_to_ask"]) == (3, 2)
    assert "5 from the list; an unfinished run in the folder has done 3 of them" in str(report)
    assert "rag, 2 calls" in str(report)
    assert files(tmp_path) == before
    assert suite(dry_run=True, on_existing="overwrite").evaluate(
        never, ROWS, save=True, output_dir=tmp_path
    ).to_dict()["dry_run"]["n_done"] == 0  # fmt: skip


def test_it_says_that_a_finished_run_would_be_replaced(tmp_path: Path) -> None:
    suite().evaluate(lambda question, k: [TEXT], ROWS, save=True, output_dir=tmp_path)
    before = files(tmp_path)
    report = suite(dry_run=True, k_values=[9]).evaluate(
        type("Index", (), {"search": lambda self, query, k: never(query, k)})(), ROWS, save=True, output_dir=tmp_path
    )
    assert "the finished run in it would be replaced at the end" in str(report)
    assert "k = 5, the largest 9" in str(report)
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    ("settings", "rows", "error"),
    [
        ({"metrics": ["faithfulness"]}, ROWS, ConfigError),
        ({"metrics": ["recal"]}, ROWS, ConfigError),
        ({"k_values": [50]}, ROWS, ConfigError),
        ({}, [], DatasetError),
        ({}, [{"question": ""}], DatasetError),
        ({"on_existing": "error"}, ROWS, RunExistsError),
        ({"k": 3}, ROWS, RunMismatchError),
        ({}, ROWS[:4], RunMismatchError),
    ],
)
def test_it_finds_what_a_run_would_find(tmp_path: Path, settings: dict[str, Any], rows: Any, error: Any) -> None:
    interrupted(tmp_path, 2)
    with pytest.raises(error):
        suite(dry_run=True, **settings).evaluate(never, rows, save=True, output_dir=tmp_path)


def test_it_finds_out_that_the_folder_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError, match="not a folder"):
        suite(dry_run=True).evaluate(never, ROWS, save=True, output_dir=tmp_path / "file")


def test_without_saving_the_plan_says_that_nothing_would_be_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = tmp_path / "cache"
    runner = EvalRunner(never, metrics=["recall"], dry_run=True, cache_dir=str(cache), max_workers=3)
    report = runner.run([*ROWS, {"question": "بلا", "context": ""}])
    assert "none: nothing would be kept" in str(report)
    assert "6 calls, 3 at once" in str(report)
    assert str(report) in capsys.readouterr().err, "shown like the other notes, unless progress is off"
    assert not cache.exists()


def test_warnings_of_the_dataset_stand_below_the_plan() -> None:
    report = suite(dry_run=True, fail_fast_dataset=False).evaluate(never, [*ROWS, {"question": ""}])
    assert "\n  note: left out" in str(report)
