"""Whole runs with the lexical metrics: no judge, no key."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import BM25Retriever, MetricError, MuffakirEvaluation, Sample, load_corpus
from muffakir_eval.metrics.lexical import LEXICAL_METRICS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = list(LEXICAL_METRICS)


def evaluation(**settings: Any) -> MuffakirEvaluation:
    return MuffakirEvaluation({"metrics": NAMES, "progress": False, **settings})


def test_the_example_corpus_with_recorded_answers(tmp_path: Path) -> None:
    retriever = BM25Retriever(load_corpus(EXAMPLES / "corpus.jsonl"))

    def rag(sample: Sample, k: int) -> dict[str, Any]:
        answer = sample.recorded.answer if sample.recorded else None
        return {"answer": answer, "retrieved_documents": retriever.search(sample.question, k=k)}

    report = evaluation(k=3, k_values=[1]).evaluate(
        rag, EXAMPLES / "questions.jsonl", save=True, output_dir=tmp_path / "run"
    )
    assert list(report.metrics) == [
        "exact_match",
        "token_f1",
        "context_recall_lexical",
        "context_recall_lexical@1",
        "context_precision_lexical",
        "context_precision_lexical@1",
    ]
    assert list(report.generation) == ["exact_match", "token_f1"]
    means = report.summary()
    assert 0 <= means["exact_match"] < means["token_f1"] < 1
    assert means["context_recall_lexical@1"] <= means["context_recall_lexical"]
    f1 = report.metrics["token_f1"]
    assert f1["n_scored"] + sum(f1["reasons"].values()) == report.n_samples
    assert set(f1["reasons"]) <= {"unanswerable", "correct_abstention", "no_gold_answer", "no_answer", "empty_answer"}
    assert "2 x common words / words of both" in f1["definition"]
    assert f1["k"] is None

    summary = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    assert summary["generation"] == report.generation
    assert summary["metrics"]["context_recall_lexical"]["k"] == 3
    rows = list(csv.DictReader((tmp_path / "run" / "samples.csv").read_text(encoding="utf-8-sig").splitlines()))
    measured = [float(row["token_f1"]) for row in rows if row["token_f1"]]
    assert len(measured) == f1["n_scored"]
    assert sum(measured) / len(measured) == pytest.approx(means["token_f1"])
    text = str(report)
    assert "token_f1" in text
    assert "استدعاء السياق باللفظ" in text


def test_recorded_outputs() -> None:
    rows = [
        {
            "question": "ما عاصمة السعودية؟",
            "gold_answer": "الرياض",
            "predicted_answer": "الرِّياض.",
            "retrieved_contexts": ["عاصمة السعودية الرياض", "جدة"],
        },
        {
            "question": "متى تأسست؟",
            "gold_answer": "1932",
            "predicted_answer": "عام ١٩٣٢",
            "retrieved_contexts": [],
        },
    ]
    assert evaluation().evaluate(dataset=rows).summary() == {
        "exact_match": 0.5,
        "token_f1": pytest.approx((1 + 2 / 3) / 2),
        "context_recall_lexical": 0.5,
        "context_precision_lexical": 0.25,
    }


def test_the_profile_of_the_run_says_which_letters_are_the_same() -> None:
    rows = [{"question": "؟", "gold_answer": "آب", "predicted_answer": "اب", "retrieved_contexts": ["اب"]}]
    assert set(evaluation().evaluate(dataset=rows).summary().values()) == {1.0}
    report = evaluation(matching={"profile": "persian"}).evaluate(dataset=rows)
    assert set(report.summary().values()) == {0.0}
    assert "(profile persian)" in report.metrics["token_f1"]["definition"]


QUESTIONS = [{"question": "ما عاصمة السعودية؟", "answer": "الرياض", "context": "عاصمة السعودية هي الرياض."}]


def only_chunks(question: str, k: int) -> list[str]:
    return ["عاصمة السعودية هي الرياض."]


def test_retrieval_only_takes_the_metrics_on_contexts() -> None:
    found = evaluation(metrics=["recall", *NAMES[2:]], pipeline_mode="retrieval_only").evaluate(only_chunks, QUESTIONS)
    assert found.summary() == {
        "recall_at_k": 1.0,
        "context_recall_lexical": 1.0,
        "context_precision_lexical": 1.0,
    }
    assert found.retrieval == found.summary()


@pytest.mark.parametrize("name", NAMES[:2])
def test_retrieval_only_refuses_the_metrics_on_answers(name: str) -> None:
    with pytest.raises(MetricError, match=f"'{name}' needs an answer, and the pipeline only retrieves"):
        evaluation(metrics=[name], pipeline_mode="retrieval_only").evaluate(only_chunks, QUESTIONS)


@pytest.mark.parametrize("name", NAMES)
def test_a_dataset_without_gold_answers_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"question": "س", "context": "نص"}\n', encoding="utf-8")
    with pytest.raises(MetricError, match=f"'{name}' needs gold answers: a column 'answer'"):
        evaluation(metrics=[name]).evaluate(lambda question: ("نعم", ["نص"]), tmp_path / "q.jsonl")


def test_a_failing_pipeline_is_no_zero() -> None:
    def rag(question: str) -> str:
        raise RuntimeError("down")

    report = evaluation().evaluate(rag, QUESTIONS)
    assert report.summary() == {}
    assert {block["reason"] for block in report.metrics.values()} == {"pipeline_error"}


def test_names_that_may_be_lexical_or_judged_are_refused_before_anything_runs() -> None:
    with pytest.raises(MetricError, match="'context_recall' may mean two metrics"):
        evaluation(metrics=["context_recall"]).evaluate(only_chunks, QUESTIONS)
