"""What a report says of itself."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas as pd
import pytest

from muffakir_eval import RetrievalEvalReport, StorageError, evaluate_retrieval
from muffakir_eval.retrieval_evaluation.layout import printable

QRELS = {"q1": {"d1": 1, "d2": 1}, "q2": {"d3": 1}, "q3": {"d1": 0}, "سؤال": {"d4": 2}}
RUN = {"q1": ["d1", "x"], "q2": ["y", "d3"], "سؤال": [None]}


@pytest.fixture
def report() -> RetrievalEvalReport:
    return evaluate_retrieval(RUN, QRELS, k_values=[1, 2], metrics=["recall", "mrr@5"], on_error="record")


def test_the_report_of_the_reference() -> None:
    report = RetrievalEvalReport({"ndcg@10": 0.83, "ndcg@5": 0.5}, {}, 12, (5, 10))
    assert (report.primary, report.primary_at(5), report.primary_at(1)) == (0.83, 0.5, None)
    assert report.summary() == {"ndcg@10": 0.83, "ndcg@5": 0.5}
    assert str(report).startswith("Retrieval evaluation: 12 queries scored")
    assert repr(report) == "RetrievalEvalReport(n=12)\n  ndcg@10=0.8300\n  ndcg@5=0.5000"
    assert report.to_dict()["metrics"]["ndcg@10"]["mean"] == 0.83
    assert report.intervals() == {}


def test_a_report_cannot_be_changed(report: RetrievalEvalReport) -> None:
    with pytest.raises(AttributeError):
        report.n_queries = 3  # type: ignore[misc]


def test_every_mean_says_what_it_covers(report: RetrievalEvalReport) -> None:
    assert report.coverage == {"recall@1": 2, "recall@2": 2, "mrr@5": 2}
    block = report.to_dict()["metrics"]["recall@2"]
    assert (block["mean"], block["n_scored"], block["mean_failures_as_zero"]) == (0.75, 2, 0.5)
    assert block["definition"] == "k=2: relevant documents in the first k ranks / all relevant documents"
    assert (report.n_judged, report.n_queries, len(report.skipped), len(report.failed)) == (4, 2, 1, 1)
    assert report.k_values == (1, 2, 5)


def test_the_text(report: RetrievalEvalReport) -> None:
    assert printable(str(report), None).splitlines()[:6] == [
        "Retrieval evaluation: 2 queries scored, 1 skipped, 1 failed",
        "",
        "metric      @1      @2      @5  queries",
        "---------------------------------------",
        "recall  0.2500  0.7500                2",
        "mrr                     0.7500        2",
    ]
    assert "Failed, and in no mean" in str(report)
    assert "warning: skipped 1 judged queries" in str(report)


def test_the_primary_metric_comes_with_its_interval() -> None:
    qrels = {f"q{n}": {"d": 1} for n in range(40)}
    run = {f"q{n}": ["x"] * (n % 3) + ["d"] for n in range(40)}
    report = evaluate_retrieval({query: list(dict.fromkeys(r)) for query, r in run.items()}, qrels, k_values=[10])
    found = report.intervals()["ndcg@10"]
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.mean < found.high
    assert f"ndcg@10 {found.mean:.4f}, 95 % interval {found.low:.4f} to {found.high:.4f}" in str(report)
    assert report.to_dict()["metrics"]["ndcg@10"]["interval"] == [found.low, found.high]
    assert report.intervals(confidence=0.5)["ndcg@10"].low > found.low  # type: ignore[operator]


def test_what_steers_a_terminal_is_not_printed() -> None:
    qrels = {"q1": {"a": 1}, "q\x1b[2J\u202e": {"a": 0}}
    text = str(evaluate_retrieval({"q1": ["a"]}, qrels, k_values=[1]))
    assert not {"\x1b", "\u202e"} & set(text)
    assert printable("س", "ascii") == "?"


def test_no_mean_with_zero_for_failures_where_zero_is_best() -> None:
    def retriever(query: str) -> list[str]:
        return {"a": ["bait", "d"]}[query]

    report = evaluate_retrieval(
        retriever,
        {"q1": {"d": 1}, "q2": {"d": 1}},
        {"q1": "a", "q2": "b"},
        metrics=["recall"],
        k_values=[2],
        distractors={"q1": ["bait"], "q2": ["bait"]},
        on_error="record",
    )
    means = {key: one["mean_failures_as_zero"] for key, one in report.to_dict()["metrics"].items()}
    assert means == {"recall@2": 0.5, "distractor_share@2": None}


def test_the_frame(report: RetrievalEvalReport) -> None:
    frame = report.to_dataframe()
    assert list(frame.columns) == ["query_id", "recall@1", "recall@2", "mrr@5", "state", "reason"]
    assert list(frame["query_id"]) == ["q1", "q2", "سؤال", "q3"]
    assert list(frame["state"]) == ["measured", "measured", "failed", "not_applicable"]
    assert frame["recall@2"].tolist()[:2] == [0.5, 1.0]
    assert frame["recall@2"].isna().tolist() == [False, False, True, True]
    assert frame["reason"].iloc[3] == "no_gold"
    assert "no identifier" in frame["reason"].iloc[2]
    assert pd.api.types.is_float_dtype(frame["mrr@5"])


def test_the_files(report: RetrievalEvalReport, tmp_path: Path) -> None:
    folder = report.save(tmp_path / "new" / "run")
    summary = json.loads((folder / "retrieval_summary.json").read_text(encoding="utf-8"))
    assert summary["summary"] == report.metrics
    assert summary["failed"] == dict(report.failed)
    with (folder / "retrieval_queries.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["query_id"] for row in rows] == ["q1", "q2", "سؤال", "q3"]
    assert [row["recall@2"] for row in rows] == ["0.5", "1.0", "", ""]
    assert report.save(folder) == folder


def test_a_folder_that_cannot_be_made(report: RetrievalEvalReport, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="the folder cannot be made"):
        report.save(tmp_path / "file" / "run")
