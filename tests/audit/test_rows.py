"""The rows of the two tables."""

from __future__ import annotations

from muffakir_eval.audit.asking import Retrieved
from muffakir_eval.audit.questions import classify
from muffakir_eval.audit.records import Finding, FindingExample, Sighting
from muffakir_eval.audit.rows import FINDING_COLUMNS, QUESTION_COLUMNS, finding_rows, question_audit
from tests.audit.made import at, reach, retrieval_of, sample


def test_a_question_with_two_golds() -> None:
    retrieval = retrieval_of({0: Retrieved(state="compared", ranks={0: 2}, n_chunks=9)})
    pieces = (Sighting(at=at(3, "c3")), Sighting(at=at(4, "c4")))
    split = reach(0, 1, "split", covered=0.95, sightings=pieces)
    [fate] = classify([sample(0, 2, source_file="b.pdf")], [reach(0), split], retrieval, k=5)
    row = question_audit(fate, k=5).to_flat_dict()
    assert (*row, "audit_id") == QUESTION_COLUMNS
    assert (row["outcome"], row["first_relevant_rank"], row["n_golds"]) == ("split", 2, 2)
    assert row["gold_outcomes"] == ["found", "split"]
    assert row["gold_ranks"] == [2, None]
    assert (row["gold_place"], row["gold_chunk_id"], row["gold_source"]) == ("corpus.jsonl, line 4", "c3", "a.pdf")
    assert row["gold_places"] == ["corpus.jsonl, line 4", "corpus.jsonl, line 5"]
    assert (row["covered"], row["n_retrieved"], row["error"]) == (0.95, 9, None)
    assert row["source_file"] == "b.pdf"


def test_a_question_without_gold_and_one_that_failed() -> None:
    retrieval = retrieval_of({0: Retrieved(state="compared", n_chunks=3), 1: Retrieved(state="failed", error="E")})
    bare, failed = classify([sample(0, 0), sample(1)], [reach(1)], retrieval, k=5)
    row = question_audit(bare, k=5).to_flat_dict()
    assert [name for name in row if row[name] is None] == [
        "source_file",
        "remedy",
        "first_relevant_rank",
        "gold_outcomes",
        "gold_ranks",
        "gold_place",
        "gold_chunk_id",
        "gold_source",
        "gold_places",
        "covered",
        "error",
    ]
    told = question_audit(failed, k=5)
    assert (told.error, told.n_retrieved, told.outcome) == ("E", None, "pipeline_error")
    assert told.to_dict()["places"][0]["ordinal"] == 1


def test_findings_have_a_row_for_each_example() -> None:
    examples = (FindingExample(at=at(2, "c2"), excerpt="نص", detail="خطأ"), FindingExample(at=at(5)))
    findings = [
        Finding(code="a", severity="error", count=2, total=9, message="m", remedy="r", examples=examples),
        Finding(code="b", severity="info", count=1, total=9),
    ]
    rows = list(finding_rows(findings))
    assert [(row["code"], row.get("example"), row.get("chunk_id")) for row in rows] == [
        ("a", 1, "c2"),
        ("a", 2, None),
        ("b", None, None),
    ]
    assert all(row.keys() <= set(FINDING_COLUMNS) for row in rows)
    assert (rows[0]["excerpt"], rows[1]["excerpt"]) == ("نص", None)
