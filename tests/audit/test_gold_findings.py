"""Findings about golds: each kind where it is, with its figures, and none where nothing is wrong."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest

from muffakir_eval.audit.gold_findings import gold_findings
from muffakir_eval.audit.questions import classify
from muffakir_eval.audit.records import Finding, GoldReach, Sighting
from muffakir_eval.records import Sample
from tests.audit.made import at, reach, sample


def found(
    reaches: Sequence[GoldReach], samples: Sequence[Sample] | None = None, sources: Collection[str] = ()
) -> dict[str, Finding]:
    """By code; two questions with a gold each unless others are given."""
    every = [sample(0), sample(1)] if samples is None else samples
    return {finding.code: finding for finding in gold_findings(classify(every, reaches, None, k=5), sources=sources)}


def test_nothing_is_wrong() -> None:
    assert found([reach(0), reach(1, covered=0.95)]) == {}
    assert list(gold_findings([], sources=())) == []


@pytest.mark.parametrize(
    ("one", "code", "severity", "detail"),
    [
        (reach(1, 0, "nowhere", covered=0.0), "gold_not_in_index", "error", "0 % of its words"),
        (
            reach(1, 0, "part", covered=0.25, sightings=(Sighting(at=at(7, "c7")),)),
            "gold_not_in_index",
            "error",
            "25 % of its words: corpus.jsonl, line 8 (id c7)",
        ),
        (reach(1, 0, "nowhere", unknown_ids=("x9",)), "unknown_gold_id", "error", "x9"),
        (reach(1, unknown_ids=("x9",), covered=1.0), "stale_gold_id", "warning", "x9"),
        (
            reach(1, 0, "nowhere", unknown_ids=("007",), padded_ids=("7",)),
            "padded_gold_id",
            "error",
            "007: the index has 7",
        ),
        (reach(1, elsewhere=True), "gold_elsewhere", "warning", "corpus.jsonl, line 2"),
        (
            reach(1, 0, "split", covered=1.0, sightings=(Sighting(at=at(3)), Sighting(at=at(4)))),
            "gold_split",
            "warning",
            "corpus.jsonl, line 4; corpus.jsonl, line 5",
        ),
        (reach(1, covered=0.6), "gold_cut", "info", "60 % of its words: corpus.jsonl, line 2"),
        (reach(1, n_chunks=3), "several_chunks_hold_gold", "info", "3 chunks: corpus.jsonl, line 2"),
        (
            reach(1, n_chunks=3, sightings=tuple(Sighting(at=at(n), stage="jaccard", score=0.8) for n in range(3))),
            "similar_chunks_hold_gold",
            "warning",
            "3 chunks: corpus.jsonl, line 1; corpus.jsonl, line 2; corpus.jsonl, line 3",
        ),
        (
            reach(1, n_chunks=3, sightings=tuple(Sighting(at=at(n), stage="containment") for n in range(3))),
            "several_chunks_hold_gold",
            "info",
            "3 chunks: corpus.jsonl, line 1; corpus.jsonl, line 2; corpus.jsonl, line 3",
        ),
        (reach(1, 0, "not_compared"), "gold_not_compared", "warning", ""),
    ],
)
def test_each_kind(one: GoldReach, code: str, severity: str, detail: str) -> None:
    findings = found([reach(0), one])
    assert list(findings) == [code]
    finding = findings[code]
    assert (finding.severity, finding.count, finding.total, finding.unit) == (severity, 1, 2, "golds")
    assert finding.message.startswith("1 of 2 golds ")
    assert finding.remedy
    [example] = finding.examples
    assert example.at.place == "dataset, row 3"
    assert example.excerpt == "d1-0"
    assert example.detail == detail


def test_an_excerpt_is_the_beginning_of_the_gold() -> None:
    long = Sample(sample_id="1", question="؟", contexts=("كلمة  " * 100,))
    [example] = found([GoldReach(sample=0, gold=0, presence="nowhere", covered=0.0)], [long])[
        "gold_not_in_index"
    ].examples
    assert example.excerpt.startswith("كلمة كلمة")
    assert len(example.excerpt) <= 160
    assert example.at.place == "dataset, question 1"


def test_questions_without_gold_are_told_of() -> None:
    findings = found([reach(0)], [sample(0), sample(1, 0)])
    assert list(findings) == ["question_without_gold"]
    assert findings["question_without_gold"].message.startswith("1 of 2 questions name no evidence")


def test_a_dataset_without_gold_says_what_can_still_be_audited() -> None:
    [finding] = found([], [sample(0, 0), sample(1, 0)]).values()
    assert (finding.code, finding.severity, finding.count) == ("dataset_without_gold", "warning", 2)
    assert "Audited are the texts of the index, and of a retriever its latency" in finding.message


def test_documents_that_are_missing_as_a_whole() -> None:
    samples = [sample(n, source_file="b.pdf" if n else "docs/A.pdf") for n in range(3)]
    gone = [reach(0), reach(1, 0, "nowhere", covered=0.0), reach(2, 0, "nowhere", covered=0.0)]
    finding = found(gone, samples, sources={"a.pdf"})["source_not_in_index"]
    assert (finding.severity, finding.count, finding.total, finding.unit) == ("error", 1, 2, "sources")
    assert (finding.examples[0].excerpt, finding.examples[0].detail) == ("b.pdf", "2 golds")
    # Where the index names no documents, or has the golds under another name, nothing is missing.
    assert "source_not_in_index" not in found(gone, samples)
    assert "source_not_in_index" not in found([reach(n) for n in range(3)], samples, sources={"a.pdf"})
