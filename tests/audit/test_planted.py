"""Real passages chunked five ways: nothing is wrong with them, and every fault that is planted is found where it is."""

from __future__ import annotations

import unicodedata
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from muffakir_eval import IndexAudit, audit_index
from muffakir_eval.audit.health.wording import WORDING
from tests.audit.planted import CHUNKINGS, DEEP, RETURNED, Index, K, PlantedRetriever, faulty, index_of
from tests.audit.spoils import BRINGS

REPEATS = {"exact_duplicate", "same_after_normalisation", "near_duplicate"}
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


@pytest.mark.parametrize("chunking", CHUNKINGS)
def test_what_a_chunking_cuts_by_itself_is_told(data_dir: Path, chunking: str) -> None:
    chunks = index_of(data_dir, chunking).chunks
    audit = audit_index(chunks, progress=False)
    words, sentences = audit.finding("cut_word"), audit.finding("cut_sentence")
    borders = [place for place, (one, other) in enumerate(pairwise(chunks)) if one.source == other.source]
    if chunking != "300 characters":  # between words
        assert words is None
    else:
        inside = [place for place in borders if _is_letter(chunks[place].text[-1], chunks[place + 1].text[0])]
        cut = {place + beside for place in inside for beside in (0, 1)}
        assert words is not None
        assert len(cut) == words.count > 300
        assert cut.issuperset(example.at.ordinal for example in words.examples)
    if chunking == "whole":
        assert sentences is None
    else:
        assert sentences is not None
        assert 0.6 * len(borders) < sentences.count <= len(borders)
        assert sentences.severity == "warning"
        assert not any(chunks[example.at.ordinal].text.endswith((".", "؟")) for example in sentences.examples)


def _is_letter(*chars: str) -> bool:
    return all(char.isalpha() or unicodedata.category(char) == "Mn" for char in chars)


def test_the_outcomes_are_the_planted_truth(audited: tuple[Index, IndexAudit]) -> None:
    index, audit = audited
    right = sum(
        planted.outcome == found.outcome for planted, found in zip(index.questions, audit.questions, strict=True)
    )
    assert right >= 0.99 * len(index.questions)
    assert len({question.outcome for question in index.questions}) == 7


def test_every_fault_that_an_audit_knows_is_planted(audited: tuple[Index, IndexAudit]) -> None:
    index, _ = audited
    assert index.planted.keys() >= WORDING.keys()
    assert all(index.planted.values())


def test_every_planted_fault_is_found_at_its_places(audited: tuple[Index, IndexAudit], data_dir: Path) -> None:
    index, audit = audited
    beside = audit_index([chunk for chunk in index.chunks if chunk.source not in index.spoilt], progress=False)
    before = audit_index(index_of(data_dir, index.chunking).chunks, progress=False)
    for code, places in index.planted.items():
        finding = audit.finding(code)
        assert finding is not None, code
        named = [example.at.ordinal for example in finding.examples]
        if finding.unit == "ids":
            assert finding.count == (2 if code == "padded_id" else 1), code
            assert places.issuperset(named), code
            continue
        # Real texts have some of these faults by themselves: at least so many of them are left, at most so many were.
        least, most = found.count if (found := beside.finding(code)) else 0, _count(before, code)
        brought = sum(len(index.planted[other]) for other, others in BRINGS.items() if code in others)
        planted = len(places) - (code in REPEATS)  # the first of them repeats nothing
        assert planted + least <= finding.count <= planted + most + brought, code
        assert len(named) < finding.count or len(places.intersection(named)) >= planted, code
        if not most + brought:
            assert places.issuperset(named), code
    assert audit.exit_code() == 1


def _count(audit: IndexAudit, code: str) -> int:
    """How many chunks may have a fault."""
    found = audit.finding(code)
    if code == "diacritics_mixed":  # so few are no finding
        return int(audit.to_dict()["health"]["diacritics"]["chunks_fully_vowelled"])
    if code in REPEATS:  # faults make other copies of those that there are
        return sum(found.count for found in map(audit.finding, REPEATS) if found)
    return found.count if found else 0


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
