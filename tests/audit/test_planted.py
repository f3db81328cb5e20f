"""Real passages chunked five ways: nothing is wrong with them, and every fault that is planted is found where it is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from muffakir_eval import IndexAudit, audit_index
from tests.audit.planted import CHUNKINGS, DEEP, RETURNED, Index, K, PlantedRetriever, faulty, index_of

CASES = [(chunking, seed) for seed, chunking in enumerate(CHUNKINGS, start=3)]


@pytest.fixture(scope="module", params=CASES, ids=[chunking for chunking, _ in CASES])
def audited(request: pytest.FixtureRequest, data_dir: Path) -> tuple[Index, IndexAudit]:
    """A faulty index with a retriever that has weaknesses, and its audit."""
    chunking, seed = request.param
    index = faulty(index_of(data_dir, chunking), seed)
    retriever = PlantedRetriever(index)
    return index, audit_index(index.chunks, index.samples(), retriever, k=K, top_n=50, progress=False)


@pytest.mark.parametrize("chunking", CHUNKINGS)
def test_a_clean_index_has_no_error_and_all_golds(data_dir: Path, chunking: str) -> None:
    clean = index_of(data_dir, chunking)
    audit = audit_index(clean.chunks, clean.samples(), progress=False)
    assert [finding.code for finding in audit.findings if finding.severity == "error"] == []
    assert audit.outcomes == {"in_index": len(clean.questions)}
    assert len(clean.questions) > 250
    assert (audit.reachable, audit.exit_code()) == (1.0, 0)


def test_the_outcomes_are_the_planted_truth(audited: tuple[Index, IndexAudit]) -> None:
    index, audit = audited
    right = sum(
        planted.outcome == found.outcome for planted, found in zip(index.questions, audit.questions, strict=True)
    )
    assert right >= 0.99 * len(index.questions)
    assert len({question.outcome for question in index.questions}) == 7


def test_every_planted_fault_is_found_at_its_places(audited: tuple[Index, IndexAudit]) -> None:
    index, audit = audited
    assert len(index.planted) > 14
    for code, places in index.planted.items():
        finding = audit.finding(code)
        assert finding is not None, code
        of_golds = finding.unit == "golds"
        named = [str(example.at.ordinal if of_golds else example.at.chunk_id) for example in finding.examples]
        if of_golds:
            assert (finding.count, set(named) <= places) == (len(places), True), code
        elif code.endswith("_duplicate"):  # the first of them is no copy
            assert finding.count >= len(places) - 1, code
            assert len(named) < finding.count or places & set(named), code
        elif finding.unit == "chunks":
            assert finding.count >= len(places), code
            assert len(named) < finding.count or places <= set(named), code
        else:
            assert places & set(named), code
    assert audit.exit_code() == 1


def test_a_split_gold_names_the_pieces(audited: tuple[Index, IndexAudit]) -> None:
    index, audit = audited
    split = audit.finding("gold_split")
    assert split is not None
    for example in split.examples:
        question = index.questions[example.at.ordinal]
        pieces = [f"{question.chunk.chunk_id}/{number}" for number in range(3)]
        assert all(f"(id {piece})" in example.detail for piece in pieces)


def test_the_retriever_is_described(audited: tuple[Index, IndexAudit]) -> None:
    index, audit = audited
    counts = Counter(question.outcome for question in index.questions)
    told = audit.to_dict()
    retriever = told["retriever"]
    assert (retriever["cap"], retriever["most_returned"], retriever["top_n"]) == (RETURNED, RETURNED, 50)
    assert retriever["n_failed"] == counts["pipeline_error"] > 0
    capped = audit.finding("retriever_capped")
    assert capped is not None
    assert f"never returns more than {RETURNED} chunks" in capped.message
    # Of those that one chunk holds, every tenth is dropped; recall is over the questions that did not fail.
    n = len(index.questions) - counts["pipeline_error"]
    assert audit.metrics["recall@5"]["n_scored"] == n
    assert audit.metrics["recall@5"]["mean"] == pytest.approx(counts["found"] / n)
    assert audit.metrics["recall@20"]["mean"] == pytest.approx((counts["found"] + counts["below_k"]) / n)
    assert told["lost"]["parts"]["not_retrieved"] == pytest.approx(counts["not_retrieved"] / n)
    assert told["gain"]["last_rank"] == DEEP
    assert [row["gain"] for row in told["gain"]["rows"] if row["k"] > RETURNED] == [0.0]
    assert told["ranks"]["first"]["rows"][-1]["n"] == n - counts["found"] - counts["below_k"]
    within = counts["found"] + counts["below_k"] + counts["not_retrieved"] + counts["pipeline_error"]
    assert told["index"]["ceiling"][-1]["recall"] == pytest.approx(within / len(index.questions), abs=1e-9)


def test_the_chunk_that_should_have_come_is_named(audited: tuple[Index, IndexAudit]) -> None:
    index, audit = audited
    for planted, found in zip(index.questions, audit.questions, strict=True):
        if found.outcome in ("not_retrieved", "below_k", "found"):
            assert str(planted.chunk.chunk_id) in {place.chunk_id for place in found.places}
        if found.outcome in ("below_k", "found"):
            assert found.first_relevant_rank == planted.rank
