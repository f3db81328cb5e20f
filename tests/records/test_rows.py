"""One row of ``samples.csv``."""

from __future__ import annotations

import json

from muffakir_eval.records import ChunkMatch, PipelineOutput, Refusal, RetrievedChunk, Sample, SampleResult, Score
from muffakir_eval.records.rows import OWN_COLUMNS, REFERENCE_COLUMNS

SAMPLE = Sample(
    sample_id="q1",
    row=2,
    question="ما مدة الإجازة؟",
    answers=("ثلاثون يومًا", "٣٠ يومًا"),
    contexts=("أ", "ب", "ج"),
    groups=((0, 1), (2,)),
    source_file="labour.pdf",
    metadata={"subject": "العمل"},
)


def test_the_columns_of_the_reference_come_first_and_in_order() -> None:
    row = SampleResult(key="k", sample=SAMPLE, output=PipelineOutput()).to_flat_dict()
    assert tuple(row)[: len(REFERENCE_COLUMNS)] == REFERENCE_COLUMNS
    expected = (
        "question transformed_query query_transform_strategy gold_answer gold_context predicted_answer "
        "retrieved_previews latency_ms pipeline_latency_ms evaluation_overhead_ms recall_at_k precision_at_k mrr "
        "ndcg_at_k faithfulness answer_correctness llm_judge_rating answer_refusal answer_refusal_reason error"
    )
    assert " ".join(REFERENCE_COLUMNS) == expected
    assert set(OWN_COLUMNS) <= row.keys()


def test_everything_that_is_known_stands_in_the_row() -> None:
    output = PipelineOutput(
        answer="لا أعلم",
        chunks=(RetrievedChunk(text="س" * 300, chunk_id="c1", source="labour.pdf"), RetrievedChunk(text="ص")),
        transformed_query=("أ", "ب"),
        stage_timings_ms={"retrieve": 3.5},
    )
    result = SampleResult(
        key="k",
        sample=SAMPLE,
        output=output,
        matches=(
            ChunkMatch(rank=1, relevant=False, score=0.2),
            ChunkMatch(rank=2, relevant=True, stage="jaccard", score=0.75, gold_indices=(0,)),
        ),
        scores={
            "mrr": Score.measured("mrr", 0.5),
            "recall_at_k": Score.not_applicable("recall_at_k", "no_gold"),
            "recall@3": Score.measured("recall@3", 0.5),
        },
        refusal=Refusal(
            reason="insufficient_information", kind="unknown", phrase="لا أعلم", language="ar", span=(0, 7)
        ),
        answerable=True,
        latency_ms=4.0,
    )
    row = result.to_flat_dict()
    assert (row["mrr"], row["recall_at_k"], row["recall@3"], row["faithfulness"]) == (0.5, None, 0.5, None)
    assert json.loads(row["score_reasons"]) == {"recall_at_k": "no_gold"}
    assert [len(preview) for preview in json.loads(row["retrieved_previews"])] == [201, 1]
    assert json.loads(row["transformed_query"]) == ["أ", "ب"]
    assert (row["answer_refusal"], row["answer_refusal_reason"]) == (True, "insufficient_information")
    assert (row["first_relevant_rank"], json.loads(row["match_stages"])) == (2, [None, "jaccard"])
    assert json.loads(row["retrieved_chunk_ids"]) == ["c1", None]
    assert json.loads(row["gold_contexts"]) == [["أ", "ب"], ["ج"]]
    assert json.loads(row["gold_answers"]) == ["ثلاثون يومًا", "٣٠ يومًا"]
    assert (row["source_file"], json.loads(row["metadata"])) == ("labour.pdf", {"subject": "العمل"})


def test_no_answer_is_neither_refused_nor_not_refused() -> None:
    row = SampleResult(key="k", sample=SAMPLE, output=PipelineOutput(chunks=())).to_flat_dict()
    assert (row["answer_refusal"], row["retrieved_previews"]) == (None, "[]")
    assert SampleResult(key="k", sample=SAMPLE, output=PipelineOutput()).to_flat_dict()["retrieved_previews"] is None
