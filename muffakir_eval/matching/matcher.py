"""The cascade over a ranking: which ranks hold which golds, and by which stage."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from muffakir_eval.config import MatchSettings
from muffakir_eval.matching.golds import Evidence, evidence_of, source_name, sources_agree
from muffakir_eval.matching.prepared import PreparedText, PreparedTexts
from muffakir_eval.matching.stages import TEXT_STAGES, near_floor, too_different
from muffakir_eval.records import ChunkMatch, RetrievedChunk, Sample, Stage

__all__ = ["ChunkMatcher"]

_Found = dict[int, tuple[Stage, float]]
"""Gold to the stage that found it and its score."""

_ORDER: dict[Stage, int] = {"id": 0, **{stage: place for place, (stage, _) in enumerate(TEXT_STAGES, 1)}}


class ChunkMatcher:
    """Compares retrieved chunks with the gold evidence of a sample.

    For each gold the first stage that says yes decides: the identifier, then containment, then the
    token Jaccard. A gold with alternatives is found where any of them is. What a chunk or a gold
    looks like to the stages is made once and kept, up to ``capacity``; the verdicts do not depend on it.

    Args:
        settings: Thresholds, and what is compared.
        capacity: Most characters of chunk and gold text that are kept prepared.

    >>> sample = Sample(sample_id="1", question="؟", contexts=("تلتزم الشركة بدفع الأجر في موعده",))
    >>> chunks = [RetrievedChunk(text="نص آخر"), RetrievedChunk(text="وتلتزم... تلتزم الشركة بدفع الأجرِ في موعده.")]
    >>> [(match.rank, match.relevant, match.stage) for match in ChunkMatcher().match(chunks, sample)]
    [(1, False, None), (2, True, 'containment')]
    """

    def __init__(self, settings: MatchSettings | None = None, *, capacity: int = 4_000_000) -> None:
        self.settings = settings or MatchSettings()
        self._texts = PreparedTexts(capacity)
        self._floor = near_floor(self.settings)

    def comparable(self, chunks: Sequence[RetrievedChunk], sample: Sample) -> bool:
        """Whether any chunk could be compared with any gold at all; an empty result could.

        >>> sample = Sample(sample_id="1", question="؟", chunk_ids=("7",))
        >>> ChunkMatcher().comparable([RetrievedChunk(text="نص بلا معرف")], sample)
        False
        """
        if not chunks:
            return True
        by = self.settings.match_by
        evidence = evidence_of(sample, ids=by != "text", texts=by != "id")
        by_id = bool(evidence.by_id) and any(chunk.chunk_id for chunk in chunks)
        return by_id or (bool(evidence.by_text) and any(chunk.text for chunk in chunks))

    def match(self, chunks: Sequence[RetrievedChunk], sample: Sample) -> tuple[ChunkMatch, ...]:
        """One verdict per chunk, in rank order.

        ``gold_indices`` lists every gold that a chunk holds. ``stage`` and ``score`` are those of the
        first stage of the cascade that said yes to any of them, the highest score where it said yes to
        several. Without a match, ``score`` is the highest token Jaccard if it is at least half of
        ``overlap_threshold``.
        """
        by = self.settings.match_by
        evidence = evidence_of(sample, ids=by != "text", texts=by != "id")
        golds = [(index, self._texts.get(text)) for index, text in evidence.by_text]
        matches = []
        for rank, (chunk, repeat) in enumerate(zip(chunks, _repeats(chunks), strict=True), 1):
            found: _Found = {}
            if evidence.by_id and chunk.chunk_id:
                _find_ids(chunk, evidence, found)
            nearest = self._find_texts(chunk.text, golds, found) if golds and chunk.text else None
            matches.append(_hit(rank, found, repeat) if found else _miss(rank, nearest, repeat))
        return tuple(matches)

    def _find_texts(self, text: str, golds: list[tuple[int, PreparedText]], found: _Found) -> float | None:
        """Add the golds that ``text`` holds to ``found``; the similarity of the nearest of the others."""
        chunk = self._texts.get(text)
        nearest: float | None = None
        for index, gold in golds:
            if too_different(gold, chunk, self._floor) or (index in found and found[index][0] == "id"):
                continue
            stage, score = self._decide(gold, chunk)
            if stage is not None:
                _note(found, index, stage, score or 0.0)
            elif score is not None and score >= self._floor:
                nearest = max(score, nearest or 0.0)
        return nearest

    def _decide(self, gold: PreparedText, chunk: PreparedText) -> tuple[Stage | None, float | None]:
        highest: float | None = None
        for stage, compare in TEXT_STAGES:
            relevant, score = compare(gold, chunk, self.settings)
            if relevant:
                return stage, score
            if score is not None and (highest is None or score > highest):
                highest = score
        return None, highest


def _find_ids(chunk: RetrievedChunk, evidence: Evidence, found: _Found) -> None:
    source = source_name(chunk.source)
    for index, gold_source in evidence.by_id.get(chunk.chunk_id or "", ()):
        if sources_agree(source, gold_source):
            found[index] = ("id", 1.0)


def _note(found: _Found, index: int, stage: Stage, score: float) -> None:
    """Of the alternatives of one gold, the one with the earliest stage and then the highest score counts."""
    earlier = found.get(index)
    if earlier is None or _strength((stage, score)) < _strength(earlier):
        found[index] = (stage, score)


def _strength(verdict: tuple[Stage, float]) -> tuple[int, float]:
    return _ORDER[verdict[0]], -verdict[1]


def _hit(rank: int, found: _Found, repeat: bool) -> ChunkMatch:
    stage, score = min(found.values(), key=_strength)
    return ChunkMatch(
        rank=rank, relevant=True, stage=stage, score=score, gold_indices=tuple(sorted(found)), repeat=repeat
    )


@lru_cache(maxsize=1024)
def _miss(rank: int, score: float | None, repeat: bool) -> ChunkMatch:
    return ChunkMatch(rank=rank, relevant=False, score=score, repeat=repeat)


def _repeats(chunks: Sequence[RetrievedChunk]) -> list[bool]:
    """Per rank, whether its chunk stood at an earlier rank already."""
    ids = [chunk.chunk_id for chunk in chunks if chunk.chunk_id]
    if len({chunk.text for chunk in chunks}) == len(chunks) and len(set(ids)) == len(ids):
        return [False] * len(chunks)
    ranked = _Repeats()
    return [ranked.is_repeat(chunk) for chunk in chunks]


class _Repeats:
    """The chunks of one ranking that stood at an earlier rank already.

    Two chunks with identifiers are the same if these are, and their documents where both name one.
    Where either has none, they are the same if their raw texts are and there is any.
    """

    __slots__ = ("_by_id", "_texts", "_texts_without_id")

    def __init__(self) -> None:
        self._by_id: dict[str, list[str | None]] = {}
        self._texts: set[str] = set()
        self._texts_without_id: set[str] = set()

    def is_repeat(self, chunk: RetrievedChunk) -> bool:
        text, chunk_id = chunk.text, chunk.chunk_id
        if not chunk_id:
            repeat = text in self._texts
            if text:
                self._texts.add(text)
                self._texts_without_id.add(text)
            return repeat
        repeat = text in self._texts_without_id
        source = source_name(chunk.source)
        earlier = self._by_id.setdefault(chunk_id, [])
        repeat = repeat or any(sources_agree(source, other) for other in earlier)
        earlier.append(source)
        if text:
            self._texts.add(text)
        return repeat
