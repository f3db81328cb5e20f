"""Relevance of plain documents, with the signatures that Muffakir's users know."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import Any

from muffakir_eval.config import MatchSettings
from muffakir_eval.errors import ConfigError
from muffakir_eval.matching.documents import chunk_from
from muffakir_eval.matching.matcher import ChunkMatcher
from muffakir_eval.records import Sample
from muffakir_eval.text.identifiers import clean_id, is_missing

__all__ = ["build_relevance_list", "is_relevant_document"]


@lru_cache(maxsize=8)
def _matcher(overlap_threshold: float) -> ChunkMatcher:
    return ChunkMatcher(MatchSettings(overlap_threshold=overlap_threshold), capacity=1_000_000)


def _checked_threshold(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not 0 < float(value) <= 1:
        raise ConfigError(f"overlap_threshold is {value!r}", expected="a number above 0, and at most 1")
    return float(value)


def _checked_length(k: Any) -> int | None:
    if k is None:
        return None
    if isinstance(k, bool) or not isinstance(k, numbers.Integral) or int(k) < 0:
        raise ConfigError(f"k is {k!r}", expected="a whole number, at least 0, or None")
    return int(k)


def _checked_gold(text: Any) -> str:
    """The gold passage; empty where a data frame or file has none."""
    if is_missing(text):
        return ""
    if not isinstance(text, str):
        raise ConfigError(f"gold_context is of type {type(text).__name__}", expected="a text, or None")
    return text


def is_relevant_document(
    retrieved: Any, gold_context: str | None, gold_chunk_id: Any = None, overlap_threshold: float = 0.55
) -> bool:
    """Whether a retrieved document holds the gold evidence.

    Args:
        retrieved: Anything that :func:`~muffakir_eval.matching.documents.chunk_from` takes: an object with
            ``page_content`` and ``metadata`` (its first of ``chunk_id``, ``chunkId``, ``id`` is the
            identifier), a dict, a text.
        gold_context: The gold passage; empty, ``None`` or NaN where only the identifier counts.
        gold_chunk_id: Its identifier, text or number.
        overlap_threshold: Token Jaccard from which two texts hold the same evidence, in (0, 1].

    Raises:
        PipelineOutputError: ``retrieved`` is no document.
        ConfigError: ``overlap_threshold`` is out of range, or ``gold_context`` no text.

    >>> is_relevant_document({"page_content": "مُدّة الإجازة ثلاثون يوماً"}, "مدة الاجازة ثلاثون يوما")
    True
    >>> is_relevant_document({"page_content": "نص آخر", "metadata": {"chunk_id": 7}}, "مدة الاجازة", gold_chunk_id="7")
    True
    """
    return build_relevance_list([retrieved], gold_context, gold_chunk_id, None, overlap_threshold) == [1]


def build_relevance_list(
    retrieved_docs: Iterable[Any],
    gold_context: str | None,
    gold_chunk_id: Any = None,
    k: int | None = None,
    overlap_threshold: float = 0.55,
) -> list[int]:
    """1 for each document that holds the gold evidence, 0 for the others, in rank order.

    Args:
        retrieved_docs: Documents as :func:`is_relevant_document` takes them.
        gold_context: The gold passage.
        gold_chunk_id: Its identifier.
        k: Length of the list: longer rankings are cut, shorter ones filled up with 0. ``None``: one
            entry per document.
        overlap_threshold: Token Jaccard from which two texts hold the same evidence, in (0, 1].

    Raises:
        PipelineOutputError: An element is no document.
        ConfigError: ``overlap_threshold`` or ``k`` is out of range, or ``gold_context`` no text.

    >>> build_relevance_list(["نص آخر", "مدة الإجازة ثلاثون يوما"], "مدة الاجازة ثلاثون يوما", k=3)
    [0, 1, 0]
    """
    length, gold = _checked_length(k), _checked_gold(gold_context)
    matcher = _matcher(_checked_threshold(overlap_threshold))
    gold_id = clean_id(gold_chunk_id)
    sample = Sample(
        sample_id="",
        question="",
        contexts=(gold,) if gold else (),
        chunk_ids=(gold_id,) if gold_id else (),
    )
    chunks = [chunk_from(document) for document in islice(retrieved_docs, length)]
    relevance = [int(match.relevant) for match in matcher.match(chunks, sample)]
    return relevance + [0] * ((length or 0) - len(relevance))
