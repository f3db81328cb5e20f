from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import pytest

from muffakir_eval.errors import ConfigError, PipelineOutputError
from muffakir_eval.matching import build_relevance_list, is_relevant_document

GOLD = "تلتزم الشركة بدفع الأجر في موعده المحدد"


@dataclass
class Document:
    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)


@pytest.mark.parametrize("key", ["chunk_id", "chunkId", "id"])
@pytest.mark.parametrize("gold_id", [7, "7", 7.0])
def test_identifier_under_any_known_key(key: str, gold_id: object) -> None:
    assert is_relevant_document(Document("نص آخر", {key: 7}), GOLD, gold_id)


def test_text_where_identifiers_differ_or_are_missing() -> None:
    assert is_relevant_document(Document(GOLD, {"chunk_id": 8}), GOLD, 7)
    assert is_relevant_document(Document(f"مقدمة {GOLD}"), GOLD)
    assert not is_relevant_document(Document("نص آخر"), GOLD)


def test_p26_no_gold_identifier_matches_no_chunk_0() -> None:
    assert not is_relevant_document(Document("نص آخر", {"chunk_id": 0}), GOLD, None)
    assert is_relevant_document(Document("نص آخر", {"chunk_id": 0}), GOLD, 0)


def test_no_gold_at_all() -> None:
    assert not is_relevant_document(Document(GOLD), "")
    assert not is_relevant_document(Document(GOLD), None)


def test_threshold() -> None:
    near = " ".join([*GOLD.split()[:-1], "آخر"])  # 6 of 8 tokens
    assert is_relevant_document(Document(near), GOLD)
    assert not is_relevant_document(Document(near), GOLD, overlap_threshold=0.8)


def test_relevance_list_has_one_entry_per_document() -> None:
    documents = [Document("نص آخر"), Document(GOLD), Document(GOLD)]
    assert build_relevance_list(documents, GOLD) == [0, 1, 1]


@pytest.mark.parametrize(("k", "expected"), [(0, []), (1, [0]), (2, [0, 1]), (4, [0, 1, 0, 0])])
def test_relevance_list_of_length_k(k: int, expected: list[int]) -> None:
    assert build_relevance_list([Document("نص آخر"), Document(GOLD)], GOLD, k=k) == expected


def test_plain_texts_and_dicts_are_documents_too() -> None:
    assert build_relevance_list([GOLD, {"text": "نص", "chunk_id": 7}], GOLD, gold_chunk_id="7") == [1, 1]


@pytest.mark.parametrize("missing", [math.nan, "", " ", None, pd.NA, pd.NaT])
def test_a_gold_that_a_table_lacks_is_no_gold(missing: Any) -> None:
    assert build_relevance_list([GOLD, {"text": "nan"}], missing) == [0, 0]
    assert is_relevant_document({"text": "نص", "chunk_id": 7}, missing, 7)


@pytest.mark.parametrize("gold", [5, [GOLD], b"text"])
def test_a_gold_that_is_no_text_is_refused(gold: Any) -> None:
    with pytest.raises(ConfigError, match="gold_context is of type"):
        is_relevant_document(Document(GOLD), gold)


@pytest.mark.parametrize("threshold", [0.0, -1.0, 1.5, float("nan"), "0.5", None, True, [0.5]])
def test_a_threshold_out_of_range_is_refused(threshold: Any) -> None:
    with pytest.raises(ConfigError, match="overlap_threshold"):
        is_relevant_document(Document(GOLD), GOLD, overlap_threshold=threshold)


@pytest.mark.parametrize("k", [-1, 2.5, "3", True])
def test_a_k_that_is_no_length_is_refused(k: Any) -> None:
    with pytest.raises(ConfigError, match=f"k is {k!r}"):
        build_relevance_list([], GOLD, k=k)


def test_what_is_no_document_is_refused() -> None:
    with pytest.raises(PipelineOutputError, match="NoneType"):
        is_relevant_document(None, GOLD)


def test_the_documents_may_come_from_an_iterator() -> None:
    documents = [Document("نص آخر"), Document(GOLD), Document(GOLD)]
    assert build_relevance_list(iter(documents), GOLD) == [0, 1, 1]
    rest = iter(documents)
    assert build_relevance_list(rest, GOLD, k=2) == [0, 1]
    assert list(rest) == documents[2:]
