"""Findings about a retriever, on rankings whose faults are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from muffakir_eval.audit.asking import Retrieved
from muffakir_eval.audit.questions import classify
from muffakir_eval.audit.records import CorpusChunk, Finding
from muffakir_eval.audit.retriever_findings import cap, retriever_findings
from muffakir_eval.audit.watching import Watch
from tests.audit.made import reach, retrieval_of, sample


def came(n_chunks: int = 10, **fields: Any) -> Retrieved:
    return Retrieved(state="compared", n_chunks=n_chunks, **fields)


def index(n_chunks: int = 50, *, ids: Mapping[str, int] | None = None, with_ids: bool = True) -> Watch:
    watch = Watch(ids or {})
    chunks = [CorpusChunk(ordinal=n, text="نص", chunk_id=f"c{n}" if with_ids else None) for n in range(n_chunks)]
    assert len(list(watch.passing(batch for batch in [chunks]))) == 1
    return watch


def found(
    *questions: Retrieved,
    watch: Watch | None = None,
    presence: Any = "whole",
    n_asked: int | None = None,
    **fields: Any,
) -> dict[str, Finding]:
    retrieval = retrieval_of(dict(enumerate(questions[:n_asked])), **fields)
    samples = [sample(n) for n in range(len(questions))]
    fates = classify(samples, [reach(n, 0, presence) for n in range(len(questions))], retrieval, k=5)
    return {finding.code: finding for finding in retriever_findings(retrieval, fates, watch or index())}


def test_nothing_is_wrong() -> None:
    assert found(came(ranks={0: 1}), came()) == {}


def test_failed_questions() -> None:
    findings = found(came(), Retrieved(state="failed", error="E: down"), came(), n_asked=2)
    assert list(findings) == ["retriever_failed"]
    finding = findings["retriever_failed"]
    assert (finding.severity, finding.count, finding.total, finding.unit) == ("error", 1, 2, "questions")
    assert finding.message.endswith("1 of 2 questions; 1 questions were not asked any more")
    assert finding.examples[0].detail == "E: down"


def test_identifiers_that_the_index_does_not_have() -> None:
    ids = {"c1": 0, "x1": 0, "x2": 1}
    findings = found(came(), came(), watch=index(ids=ids), ids=ids)
    assert list(findings) == ["retrieved_outside_index"]
    finding = findings["retrieved_outside_index"]
    assert (finding.severity, finding.count, finding.total) == ("error", 2, 3)
    assert [example.detail for example in finding.examples] == ["identifier 'x1'", "identifier 'x2'"]
    assert finding.examples[1].at.place == "dataset, row 3"


def test_an_index_without_identifiers_lacks_none() -> None:
    assert found(came(), watch=index(ids={"x": 0}, with_ids=False), ids={"x": 0}) == {}


def test_golds_that_the_index_does_not_hold_and_that_came_back() -> None:
    findings = found(came(ranks={0: 3}), presence="part")
    assert list(findings) == ["found_outside_index"]
    assert findings["found_outside_index"].examples[0].detail == "rank 3"


@pytest.mark.parametrize(("empty", "severity"), [(1, "warning"), (2, "error")])
def test_empty_results(empty: int, severity: str) -> None:
    findings = found(*[came(0)] * empty, *[came()] * (2 - empty))
    assert list(findings) == ["retriever_empty"]
    assert (findings["retriever_empty"].severity, findings["retriever_empty"].count) == (severity, empty)


def test_a_cap() -> None:
    findings = found(came(7), came(7), came(5))
    assert list(findings) == ["retriever_capped"]
    assert "never returns more than 7 chunks, though 10 were asked for" in findings["retriever_capped"].message
    assert (findings["retriever_capped"].count, findings["retriever_capped"].total) == (2, 3)


@pytest.mark.parametrize(
    ("lengths", "n_chunks", "recorded", "expected"),
    [
        ([7, 7], 50, False, 7),
        ([7, 7], 7, False, None),  # the index has no more
        ([9, 9], 10, False, None),  # all but one, perhaps an empty chunk
        ([8, 8], 10, False, 8),
        ([7, 7], 50, True, None),  # a recording returns what was recorded
        ([10, 10], 50, False, None),  # as many as were asked for
        ([7, 6, 5, 4], 50, False, None),  # the longest of several lengths is no cap
        ([7], 50, False, None),
        ([0, 0], 50, False, None),
        ([], 50, False, None),
    ],
)
def test_when_it_is_a_cap(lengths: list[int], n_chunks: int, recorded: bool, expected: int | None) -> None:
    retrieval = retrieval_of({n: came(length) for n, length in enumerate(lengths)}, recorded=recorded)
    assert cap(retrieval, n_chunks) == expected


def test_repeats() -> None:
    findings = found(came(n_repeats=2), came(), came(n_repeats=1))
    assert list(findings) == ["retriever_repeats"]
    assert "for 2 of 3 questions" in findings["retriever_repeats"].message
    assert "(3 ranks in all)" in findings["retriever_repeats"].message


def test_all_that_the_index_has_is_no_cap() -> None:
    assert found(came(78), came(78), came(77), watch=index(79), top_n=100) == {}


def test_chunks_of_one_identifier_are_one_to_a_retriever() -> None:
    watch = Watch({})
    chunks = [CorpusChunk(ordinal=n, text="نص", chunk_id=f"c{n % 7}") for n in range(50)]
    assert list(watch.passing(batch for batch in [chunks])) == [chunks]
    assert found(came(7), came(7), watch=watch) == {}


def test_repeats_of_an_identifier_that_several_chunks_share_are_not_called_the_same_chunk() -> None:
    watch = Watch({"c1": 0, "c2": 0})
    chunks = [CorpusChunk(ordinal=n, text=f"نص {n}", chunk_id=name) for n, name in enumerate(["c1", "c2", "c1"])]
    assert list(watch.passing(batch for batch in [chunks])) == [chunks]
    finding = found(came(3, n_repeats=1), came(3), watch=watch, top_n=3, ids={"c1": 0, "c2": 0})["retriever_repeats"]
    assert "same chunk" not in finding.message
    assert "for 1 of 2 questions the same identifier came back more than once (1 ranks in all)" in finding.message
    assert "1 of the identifiers that came back are shared by several chunks" in finding.message
    assert "duplicate_id" in finding.remedy


def test_nothing_to_compare_by() -> None:
    findings = found(Retrieved(state="not_comparable", n_chunks=10), came())
    assert list(findings) == ["retrieved_not_compared"]
    assert findings["retrieved_not_compared"].count == 1
