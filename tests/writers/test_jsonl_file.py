"""``samples.jsonl``: strict, complete, and a question set again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import MuffakirEvaluation, load_evaluation_dataset
from muffakir_eval.records import (
    ChunkMatch,
    PipelineOutput,
    Refusal,
    RetrievedChunk,
    Sample,
    SampleResult,
    Score,
)
from muffakir_eval.writers.jsonl_file import jsonl_chunks

SAMPLE = Sample(
    sample_id="s1",
    row=7,
    question="ما المدة؟ \ud83d",
    answers=("ثلاثون", "30"),
    contexts=("أ", "ب", "ج"),
    chunk_ids=("a", "b", "c"),
    groups=((0, 1), (2,)),
    grades=(2.0, 1.0),
    source_file="law.pdf",
    answerable=True,
    metadata={"topic": "عمل"},
)
OUTPUT = PipelineOutput(
    answer="=1+1",
    chunks=(
        RetrievedChunk(text="أ", chunk_id="a", source="law.pdf", score=0.5, metadata={"page": 3}),
        RetrievedChunk(text="x", chunk_id="z"),
    ),
    pipeline_latency_ms=12.5,
    stage_timings_ms={"retrieve": 5.0},
    transformed_query=("م١", "م٢"),
    query_transform_strategy="multi",
    metadata={"trace": "t"},
)
RESULT = SampleResult(
    key="k1",
    sample=SAMPLE,
    output=OUTPUT,
    matches=(
        ChunkMatch(rank=1, relevant=True, stage="id", score=1.0, gold_indices=(0,)),
        ChunkMatch(rank=2, relevant=False),
    ),
    scores={
        "recall_at_k": Score.measured("recall_at_k", 0.5),
        "faithfulness": Score.failed("faithfulness", "timeout", {"message": "no reply"}),
        "mrr": Score.not_applicable("mrr", "no_gold"),
    },
    refusal=Refusal(reason="policy", kind="policy", phrase="لا", language="ar", span=(0, 2), partial=True),
    refusal_check={"refused": False},
    answerable=True,
    latency_ms=20.0,
    pipeline_latency_ms=12.5,
    evaluation_overhead_ms=7.5,
)


def rows(*results: SampleResult) -> list[dict[str, Any]]:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    lines = b"".join(jsonl_chunks(results, "r1")).decode("utf-8").splitlines()
    return [json.loads(line, parse_constant=refuse) for line in lines]


def test_a_line_says_everything_that_is_known() -> None:
    (row,) = rows(RESULT)
    found = row.pop("sample_result")
    assert row == {
        "run_id": "r1",
        "sample_id": "s1",
        "question": "ما المدة؟ \ud83d",
        "gold_answers": ["ثلاثون", "30"],
        "gold_contexts": [["أ", "ب"], ["ج"]],
        "gold_chunk_ids": [["a", "b"], ["c"]],
        "grades": [2.0, 1.0],
        "source_file": "law.pdf",
        "answerable": True,
        "metadata": {"topic": "عمل"},
        "predicted_answer": "=1+1",
        "pipeline_latency_ms": 12.5,
        "retrieved_contexts": ["أ", "x"],
        "retrieved_chunk_ids": ["a", "z"],
        "retrieved_sources": ["law.pdf", None],
        "retrieved_scores": [0.5, None],
    }
    assert found == {
        "key": "k1",
        "row": 7,
        "answerable": True,
        "latency_ms": 20.0,
        "pipeline_latency_ms": 12.5,
        "evaluation_overhead_ms": 7.5,
        "golds": [
            {
                "index": 0,
                "grade": 2.0,
                "alternatives": [
                    {"chunk_id": "a", "text": "أ", "source": "law.pdf"},
                    {"chunk_id": "b", "text": "ب", "source": "law.pdf"},
                ],
            },
            {"index": 1, "grade": 1.0, "alternatives": [{"chunk_id": "c", "text": "ج", "source": "law.pdf"}]},
        ],
        "matches": [
            {"relevant": True, "rank": 1, "stage": "id", "score": 1.0, "gold_indices": [0]},
            {"relevant": False, "rank": 2},
        ],
        "scores": {
            "recall_at_k": {"value": 0.5, "state": "measured"},
            "faithfulness": {
                "value": None,
                "state": "failed",
                "reason": "timeout",
                "details": {"message": "no reply"},
            },
            "mrr": {"value": None, "state": "not_applicable", "reason": "no_gold"},
        },
        "refusal": {
            "reason": "policy",
            "kind": "policy",
            "phrase": "لا",
            "language": "ar",
            "span": [0, 2],
            "partial": True,
        },
        "refusal_check": {"refused": False},
        "output": {
            "stage_timings_ms": {"retrieve": 5.0},
            "transformed_query": ["م١", "م٢"],
            "query_transform_strategy": "multi",
            "metadata": {"trace": "t"},
            "chunks_metadata": [{"page": 3}, {}],
        },
    }


def test_golds_of_which_some_have_no_text_are_told_whole() -> None:
    sample = Sample(sample_id="1", question="س", contexts=("أ", ""), chunk_ids=("a", "b"))
    (row,) = rows(SampleResult(key="k", sample=sample, output=PipelineOutput(error="ConnectionError: x")))
    assert "gold_contexts" not in row
    assert row["sample_result"]["golds"] == [
        {"index": 0, "grade": 1.0, "alternatives": [{"chunk_id": "a", "text": "أ"}]},
        {"index": 1, "grade": 1.0, "alternatives": [{"chunk_id": "b"}]},
    ]
    assert row["sample_result"]["output"] == {"error": "ConnectionError: x"}


def test_golds_with_texts_only_have_no_identifiers() -> None:
    (row,) = rows(
        SampleResult(key="k", sample=Sample(sample_id="1", question="س", contexts=("أ",)), output=PipelineOutput())
    )
    assert row["sample_result"]["golds"] == [{"index": 0, "grade": 1.0, "alternatives": [{"text": "أ"}]}]


def test_there_is_no_byte_order_mark_and_one_object_a_line() -> None:
    content = b"".join(jsonl_chunks([RESULT, RESULT], "r1"))
    assert content.startswith(b'{"run_id": "r1"')
    assert content.count(b"\n") == 2


def test_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        list(jsonl_chunks([SampleResult(key="k", sample=SAMPLE, output=OUTPUT, latency_ms=float("nan"))], "r"))


def test_the_file_is_a_question_set_with_its_recorded_outputs(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_bytes(b"".join(jsonl_chunks([RESULT], "r1")))
    (sample,) = load_evaluation_dataset(path)
    assert (sample.sample_id, sample.question, sample.answers) == ("s1", SAMPLE.question, SAMPLE.answers)
    assert (sample.contexts, sample.chunk_ids, sample.groups) == (SAMPLE.contexts, SAMPLE.chunk_ids, SAMPLE.groups)
    assert (sample.grades, sample.metadata) == (SAMPLE.grades, SAMPLE.metadata)
    assert sample.recorded is not None
    assert sample.recorded.answer == "=1+1"
    assert [chunk.chunk_id for chunk in sample.recorded.chunks or ()] == ["a", "z"]
    again = MuffakirEvaluation({"metrics": ["recall"], "progress": False, "k": 2}).evaluate(None, path)
    assert again.summary() == {"recall_at_k": 0.5}
