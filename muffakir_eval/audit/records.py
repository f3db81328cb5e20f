"""The nouns of an audit: chunks of the index, where a gold lies, what is wrong with the text, how a question fares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from muffakir_eval.records import Stage

__all__ = [
    "CorpusChunk",
    "Finding",
    "FindingExample",
    "GoldReach",
    "Outcome",
    "Place",
    "Presence",
    "Severity",
    "Sighting",
]

Presence = Literal["whole", "split", "part", "nowhere", "not_compared"]
"""Where a gold is in the index: in one chunk; spread over neighbours that together hold it; only partly;
not at all; or it is an identifier or a text that this audit does not look for."""

Severity = Literal["error", "warning", "info"]

Outcome = Literal[
    "found",
    "below_k",
    "not_retrieved",
    "in_index",
    "split",
    "not_in_index",
    "unknown_id",
    "not_compared",
    "no_gold",
    "pipeline_error",
]
"""How a question fares.

``found``: at a rank within k. ``below_k``: retrieved at a later rank. ``not_retrieved``: in the index, but not
among the first N. ``in_index``: in the index, and no retriever was asked. ``split``: only over several chunks.
``not_in_index``: neither whole nor split. ``unknown_id``: the gold is an identifier that no chunk has.
``not_compared``: gold and index, or gold and ranking, have nothing to compare: one side has identifiers only,
and the other texts only. ``no_gold``: the question names no evidence. ``pipeline_error``: the retriever failed on it.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusChunk:
    """One chunk of the index, as it is read.

    Attributes:
        ordinal: Place in the corpus, from 0; neighbours follow one another.
        text: The raw text; empty where there is none.
        chunk_id: Its identifier as text, ``None`` where it has none.
        source: The document that it comes from.
        place: Where a person finds it: ``corpus.jsonl, line 7``, ``item 7``.
        metadata: Whatever else came with it.
    """

    ordinal: int
    text: str
    chunk_id: str | None = None
    source: str | None = None
    place: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Which chunk it is, without its text.

    Attributes:
        ordinal: Place in the corpus, from 0.
        chunk_id: Its identifier, ``None`` where it has none.
        source: The document that it comes from.
        place: Where a person finds it.
    """

    ordinal: int
    chunk_id: str | None = None
    source: str | None = None
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A chunk that holds a gold, or a part of it.

    Attributes:
        at: The chunk.
        stage: Stage of the cascade that said yes; ``None`` where the chunk holds only a part.
        score: Its score; for a part the share of the gold's words that lie in the chunk.
        span: Where the chunk holds only a part of the gold's words, accepted or not: the first of them in the gold,
            and the word after the last.
    """

    at: Place
    stage: Stage | None = None
    score: float = 1.0
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldReach:
    """Where one gold of one question lies in the index.

    Attributes:
        sample: Place of the question in the dataset, from 0.
        gold: Index of the gold within the question (:class:`~muffakir_eval.records.Gold`).
        presence: Where it is. With alternatives, the best of them.
        unknown_ids: Identifiers of this gold that no chunk has.
        padded_ids: Identifiers in the index that would be the gold's if leading zeros, letter case or spaces
            were dropped.
        elsewhere: Identifiers are known, yet the chunks that have them do not hold the gold's text.
        sightings: The chunks: those that hold it whole, else the neighbours that do together, else the parts;
            the first few in the order of the corpus.
        n_chunks: How many chunks hold it whole.
        covered: Share of the gold's words that lie in one chunk, the largest of all that hold it; where it is split or
            there in part, in all the chunks of ``sightings`` together. ``None`` where no text was looked for.
    """

    sample: int
    gold: int
    presence: Presence
    unknown_ids: tuple[str, ...] = ()
    padded_ids: tuple[str, ...] = ()
    elsewhere: bool = False
    sightings: tuple[Sighting, ...] = ()
    n_chunks: int = 0
    covered: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingExample:
    """One chunk that a finding is about.

    Attributes:
        at: The chunk.
        excerpt: A few words of its raw text around the fault, at most 160 characters.
        detail: What is wrong in it: the other chunk of a pair, the text as it should read, a count.
    """

    at: Place
    excerpt: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One kind of fault of the index.

    Attributes:
        code: Stable name: ``empty_chunk``, ``duplicate_id``, ``mojibake``, …
        severity: ``error`` breaks retrieval or ids, ``warning`` costs quality, ``info`` is worth knowing.
        count: Chunks (or identifiers, or golds: see ``unit``) with it.
        total: Of how many.
        unit: What is counted: ``chunks``, ``ids``, ``golds``, ``lines``, ``questions``, ``sources``, ``texts``.
        message: What was found, in one line for people, with the figures.
        remedy: What to do, in one line.
        examples: The first few.
    """

    code: str
    severity: Severity
    count: int
    total: int
    unit: str = "chunks"
    message: str = ""
    remedy: str = ""
    examples: tuple[FindingExample, ...] = ()
