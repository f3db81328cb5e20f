"""What is kept of a sample."""

from __future__ import annotations

from typing import Any

from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample, SampleResult, Score
from muffakir_eval.writers.page.marks import Marker
from muffakir_eval.writers.page.sample_rows import KEPT, Details, first_rank, flags_of, index_row


def details(**fields: Any) -> dict[str, Any]:
    given = {"sample": Sample(sample_id="1", question="س"), "output": PipelineOutput(answer="ج"), **fields}
    return Details(Marker(), len).of(SampleResult(key="k", **given))


def test_claims_of_a_judge() -> None:
    verdicts = [
        {"number": 1, "statement": "أ", "verdict": "yes", "reason": "نعم", "chunks": [1, 2]},
        {"number": 2, "statement": "ب", "verdict": "no", "reason": "", "chunk": 3},
        "not a verdict",
    ]
    score = Score.measured("faithfulness", 0.5, {"explanation": "نصفها", "verdicts": verdicts})
    assert details(scores={"faithfulness": score})["scores"] == [
        {
            "name": "faithfulness",
            "value": 0.5,
            "says": "نصفها",
            "verdicts": [
                {"number": 1, "statement": "أ", "verdict": "yes", "says": "نعم", "chunks": [1, 2]},
                {"number": 2, "statement": "ب", "verdict": "no", "chunks": [3]},
            ],
        }
    ]


def test_opinions_of_a_jury_and_failures() -> None:
    members = [
        {"judge": "a", "value": 4.0, "state": "measured", "reason": None, "explanation": "حسن"},
        {"judge": "b", "value": None, "state": "failed", "reason": "timeout", "message": "30 s"},
    ]
    scores = {
        "llm_judge_rating": Score.measured("llm_judge_rating", 4, {"members": members, "unsupported": []}),
        "faithfulness": Score.failed("faithfulness", "timeout", {"message": "too late", "verdicts": 3}),
    }
    assert details(scores=scores)["scores"] == [
        {
            "name": "llm_judge_rating",
            "value": 4.0,
            "members": [
                {"judge": "a", "value": 4.0, "says": "حسن"},
                {"judge": "b", "reason": "timeout", "message": "30 s"},
            ],
        },
        {"name": "faithfulness", "reason": "timeout", "failed": True, "message": "too late"},
    ]


def test_golds_with_alternatives_and_identifiers() -> None:
    sample = Sample(
        sample_id="1",
        question="س",
        contexts=("نص أول", "نص"),
        chunk_ids=("a", "b"),
        groups=((0, 1),),
        source_file="law.pdf",
    )
    found = details(sample=sample, output=PipelineOutput(chunks=(RetrievedChunk(chunk_id="x", score=0.123456789),)))
    assert found["golds"] == [
        {
            "n": 1,
            "found": False,
            "any": [{"id": "a", "text": 6, "source": "law.pdf"}, {"id": "b", "text": 2, "source": "law.pdf"}],
        }
    ]
    assert found["chunks"] == [{"id": "x", "own": 0.123457}]


def test_several_queries_and_long_questions() -> None:
    sample = Sample(sample_id="1", question="س" * (KEPT + 1))
    found = details(sample=sample, output=PipelineOutput(answer="", transformed_query=("أ", "ب"), chunks=()))
    assert (found["query"], found["question"], found["chunks"], found["answer"]) == (
        ["أ", "ب"],
        sample.question,
        [],
        "",
    )
    assert len(index_row(SampleResult(key="k", sample=sample, output=PipelineOutput()), ["m"], 5)[2]) == KEPT


def test_nobody_knows_the_rank_of_what_cannot_be_compared() -> None:
    sample = Sample(sample_id="1", question="س", contexts=("نص",))
    output = PipelineOutput(chunks=(RetrievedChunk(chunk_id="1"),))
    scores = {"mrr": Score.not_applicable("mrr", "not_comparable")}
    result = SampleResult(key="k", sample=sample, output=output, scores=scores)
    assert first_rank(result) is None
    assert flags_of(result, 5) == 0


def test_a_low_rating_is_a_wrong_answer() -> None:
    scores = {"llm_judge_rating": Score.measured("llm_judge_rating", 2)}
    result = SampleResult(key="k", sample=Sample(sample_id="1", question="س"), output=PipelineOutput(), scores=scores)
    assert flags_of(result, 5) == 16
