"""The gold evidence of a sample, as it is matched and counted."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field, replace
from functools import lru_cache

from muffakir_eval.records import Gold, Sample

__all__ = ["Evidence", "distinct_golds", "evidence_at", "evidence_of", "source_name", "sources_agree"]

_ONLY = (Gold(index=0, alternatives=(0,)),)
"""The golds of most samples."""

_Key = frozenset[tuple[str | None, str | None, str | None]]


@lru_cache(maxsize=4096)
def source_name(source: str | None) -> str | None:
    r"""What a document is called wherever it lies: base name, NFC, case-folded.

    Empty text and ``unknown`` name no document.

    >>> source_name("C:\\Laws\\Civil.PDF"), source_name("s3://bucket/civil.pdf"), source_name("Unknown")
    ('civil.pdf', 'civil.pdf', None)
    """
    if not source:
        return None
    base = source.replace("\\", "/").rstrip("/ \t\r\n").rpartition("/")[2]
    name = unicodedata.normalize("NFC", unicodedata.normalize("NFC", base).casefold()).strip()
    return name if name not in {"", "unknown"} else None


def sources_agree(one: str | None, other: str | None) -> bool:
    """Two names of :func:`source_name` may stand for the same document: one is missing, or they are equal."""
    return one is None or other is None or one == other


def distinct_golds(sample: Sample) -> tuple[Gold, ...]:
    """The golds of ``sample``, each once, without those that name nothing to find.

    A gold that is listed twice (the same identifiers, documents and texts) counts once, with its
    highest grade.

    >>> sample = Sample(sample_id="1", question="?", chunk_ids=("a", "b", "a"), grades=(1, 1, 2))
    >>> [(gold.index, gold.grade) for gold in distinct_golds(sample)]
    [(0, 2), (1, 1)]
    """
    if len(sample.contexts) <= 1 and len(sample.chunk_ids) <= 1 and not sample.groups and not sample.grades:
        return _ONLY if any(evidence_at(sample, 0)[::2]) else ()
    kept: dict[_Key, Gold] = {}
    for gold in sample.golds:
        key = _key(sample, gold)
        if not key:
            continue
        earlier = kept.get(key)
        if earlier is None:
            kept[key] = gold
        elif gold.grade > earlier.grade:
            kept[key] = replace(earlier, grade=gold.grade)
    return tuple(kept.values())


def _key(sample: Sample, gold: Gold) -> _Key:
    found = [evidence_at(sample, position) for position in gold.alternatives]
    return frozenset(
        [
            (chunk_id, source if chunk_id else None, text and text.strip())
            for chunk_id, source, text in found
            if chunk_id or text
        ]
    )


def evidence_at(sample: Sample, position: int) -> tuple[str | None, str | None, str | None]:
    """Identifier, document and text at ``position``, ``None`` for each that is missing."""
    chunk_id = sample.chunk_ids[position] if position < len(sample.chunk_ids) else None
    text = sample.contexts[position] if position < len(sample.contexts) else None
    return chunk_id or None, source_name(sample.source_of(position)), text if text and not text.isspace() else None


@dataclass(slots=True)
class Evidence:
    """The evidence to find, laid out for looking up.

    Attributes:
        by_id: Identifier to the golds that it stands for, with the document where one is named.
        by_text: Gold and text.
    """

    by_id: dict[str, list[tuple[int, str | None]]] = field(default_factory=dict)
    by_text: list[tuple[int, str]] = field(default_factory=list)


def evidence_of(sample: Sample, *, ids: bool, texts: bool) -> Evidence:
    """Every alternative of every distinct gold.

    Args:
        sample: The question with its gold evidence.
        ids: Identifiers count.
        texts: Texts count.
    """
    evidence = Evidence()
    if len(sample.contexts) == 1 and not (sample.chunk_ids or sample.groups or sample.grades):  # most samples
        only = sample.contexts[0]
        if texts and only and not only.isspace():
            evidence.by_text.append((0, only))
        return evidence
    for gold in distinct_golds(sample):
        for position in gold.alternatives:
            chunk_id, source, text = evidence_at(sample, position)
            if ids and chunk_id:
                evidence.by_id.setdefault(chunk_id, []).append((gold.index, source))
            if texts and text:
                evidence.by_text.append((gold.index, text))
    return evidence
