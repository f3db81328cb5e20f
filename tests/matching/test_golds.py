from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval.matching.golds import distinct_golds, evidence_of, source_name, sources_agree
from muffakir_eval.records import Sample


def indices(**fields: Any) -> list[tuple[int, float]]:
    return [(gold.index, gold.grade) for gold in distinct_golds(Sample(sample_id="1", question="?", **fields))]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("a.pdf", "a.pdf"),
        ("/data/docs/A.PDF", "a.pdf"),
        ("C:\\docs\\a.pdf", "a.pdf"),
        ("docs/folder/", "folder"),
        (" a.pdf ", "a.pdf"),
        ("cafe\u0301.pdf", "café.pdf"),
        ("قانون العمل.pdf", "قانون العمل.pdf"),
        ("A_B.pdf", "a_b.pdf"),
        ("A B.pdf", "a b.pdf"),
        ("", None),
        ("  ", None),
        ("/", None),
        ("unknown", None),
        ("UNKNOWN", None),
        (None, None),
    ],
)
def test_source_names(source: str | None, name: str | None) -> None:
    assert source_name(source) == name


def test_sources_agree_where_one_is_missing() -> None:
    assert sources_agree(None, "a")
    assert sources_agree("a", None)
    assert sources_agree("a", "a")
    assert not sources_agree("a", "b")


def test_a_gold_that_is_listed_twice_is_one() -> None:
    assert indices(chunk_ids=("a", "a", "b")) == [(0, 1.0), (2, 1.0)]
    assert indices(contexts=("نص", " نص ", "آخر")) == [(0, 1.0), (2, 1.0)]
    assert indices(chunk_ids=("a", "a"), grades=(1.0, 3.0)) == [(0, 3.0)]
    assert indices(chunk_ids=("a", "a"), grades=(3.0, 1.0)) == [(0, 3.0)]
    assert indices(chunk_ids=("a", "b", "b", "a"), groups=((0, 1), (2, 3))) == [(0, 1.0)]


def test_golds_that_differ_in_anything_are_two() -> None:
    assert len(indices(chunk_ids=("a", "a"), gold_sources=("x", "y"))) == 2
    assert len(indices(chunk_ids=("a", "a"), contexts=("x", "y"))) == 2
    assert len(indices(chunk_ids=("a", "b"), contexts=("x", "x"))) == 2


def test_a_gold_that_names_nothing_is_none() -> None:
    assert indices(contexts=("", " "), chunk_ids=("", "")) == []
    assert indices(contexts=(" ",)) == []
    assert indices(chunk_ids=("a", "")) == [(0, 1.0)]
    assert indices() == []


def test_evidence_is_laid_out_by_what_counts() -> None:
    sample = Sample(sample_id="1", question="?", chunk_ids=("a", "b"), contexts=("x", ""), source_file="d/F.pdf")
    both = evidence_of(sample, ids=True, texts=True)
    assert both.by_id == {"a": [(0, "f.pdf")], "b": [(1, "f.pdf")]}
    assert both.by_text == [(0, "x")]
    assert evidence_of(sample, ids=False, texts=True).by_id == {}
    assert evidence_of(sample, ids=True, texts=False).by_text == []


def test_lists_of_unequal_length_pair_as_far_as_they_go() -> None:
    sample = Sample(sample_id="1", question="?", chunk_ids=("a",), contexts=("x", "y"))
    assert evidence_of(sample, ids=True, texts=True).by_text == [(0, "x"), (1, "y")]
