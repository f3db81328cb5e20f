"""Identifiers that are missing, used twice, ambiguous or damaged."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.audit.health.corpora import Examine

OfIds = Callable[..., dict[str, tuple[int, int]]]

ID_CODES = {"missing_id", "duplicate_id", "id_in_several_sources", "padded_id", "id_precision"}


@pytest.fixture
def of_ids(clean: tuple[str, ...], examine: Examine) -> OfIds:
    """Codes, counts and totals of what is wrong with the identifiers of some clean texts."""

    def counts(ids: Sequence[str | None], sources: Sequence[str | None] | None = None) -> dict[str, tuple[int, int]]:
        report = examine(clean[: len(ids)], ids, sources or [None] * len(ids))
        return {found.code: (found.count, found.total) for found in report.findings if found.code in ID_CODES}

    return counts


def test_good_identifiers_have_no_finding(of_ids: OfIds) -> None:
    assert of_ids(["a", "b", "c", "12", "13", "1.5", "1.05", "10", "100"]) == {}


def test_missing_identifiers_are_counted(of_ids: OfIds, clean: tuple[str, ...], examine: Examine) -> None:
    assert of_ids(["a", None, "c", None]) == {"missing_id": (2, 4)}
    found = examine(clean[:3], ["a", None, "b"]).finding("missing_id")
    assert found is not None
    assert (found.severity, found.unit, found.examples[0].at.ordinal) == ("warning", "chunks", 1)
    found = examine(clean[:3], [None] * 3).finding("missing_id")
    assert found is not None
    assert (found.severity, found.count) == ("info", 3)


def test_one_identifier_for_two_chunks_is_an_error(clean: tuple[str, ...], examine: Examine) -> None:
    report = examine(clean[:5], ["a", "b", "a", "c", "a"], [None] * 5)
    found = report.finding("duplicate_id")
    assert found is not None
    assert (found.severity, found.count, found.total, found.unit) == ("error", 1, 3, "ids")
    assert found.message.endswith("3 chunks")
    assert [example.at.ordinal for example in found.examples] == [2, 4]
    assert found.examples[0].detail == "the same identifier as 'a' (item 0)"


def test_one_identifier_in_two_documents_is_a_warning(of_ids: OfIds, clean: tuple[str, ...], examine: Examine) -> None:
    ids, sources = ["1", "2", "1", "3"], ["a.pdf", "a.pdf", "b.pdf", "b.pdf"]
    assert of_ids(ids, sources) == {"id_in_several_sources": (1, 3)}
    found = examine(clean[:4], ids, sources).finding("id_in_several_sources")
    assert found is not None
    assert found.severity == "warning"
    assert found.examples[0].at.source == "b.pdf"
    assert found.examples[0].detail == "also in a.pdf (item 0)"


def test_a_document_is_the_same_by_whatever_path(of_ids: OfIds) -> None:
    assert of_ids(["1", "1"], ["/data/Law.PDF", "law.pdf"]) == {"duplicate_id": (1, 1)}


def test_examples_are_of_different_identifiers(clean: tuple[str, ...], examine: Examine) -> None:
    ids = [str(number) for number in range(7)] * 3
    sources = [f"{row // 7}.pdf" for row in range(21)]
    found = examine(clean[:21], ids, sources).finding("id_in_several_sources")
    assert found is not None
    assert found.count == 7
    assert [example.at.chunk_id for example in found.examples] == ["0", "1", "2", "3", "4"]


def test_identifiers_that_differ_in_form_only(of_ids: OfIds, clean: tuple[str, ...], examine: Examine) -> None:
    assert of_ids(["7", "007", "8", "Art-1", "art-01", "a b", "ab"]) == {"padded_id": (6, 7)}
    found = examine(clean[:2], ["7", "007"]).finding("padded_id")
    assert found is not None
    assert found.examples[0].detail == "'007' beside '7'"


def test_long_numbers_that_end_in_zeros_lost_their_digits(of_ids: OfIds) -> None:
    rounded = ["12345678901234500", "98765432109876500", "55555555555555500", "7"]
    assert of_ids(rounded) == {"id_precision": (3, 4)}
    assert of_ids([*rounded, "12345678901234567"]) == {}
    assert of_ids(["1.23457E+16", "2.5e+17", "1e5"]) == {"id_precision": (2, 3)}
