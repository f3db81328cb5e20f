"""The cascade over a ranking: which ranks hold which golds, and by which stage."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from muffakir_eval.config import MatchSettings
from muffakir_eval.errors import ConfigError
from muffakir_eval.matching.agreement import Keys
from muffakir_eval.matching.explain import Explanation, explain
from muffakir_eval.matching.golds import Evidence, evidence_of, source_name, sources_agree
from muffakir_eval.matching.prepared import PreparedText, PreparedTexts
from muffakir_eval.matching.rules import Rules
from muffakir_eval.matching.stages import TEXT_STAGES, too_different
from muffakir_eval.records import ChunkMatch, RetrievedChunk, Sample, Stage
from muffakir_eval.text.morphology import load_analyser
from muffakir_eval.text.normalize import normalizer_for

__all__ = ["ChunkMatcher", "explain_match"]

_Found = dict[int, tuple[Stage, float]]
"""Gold to the stage that found it and its score."""

_ORDER: dict[Stage, int] = {"id": 0, **{stage: place for place, stage in enumerate(TEXT_STAGES, 1)}}


class ChunkMatcher:
    """Compares retrieved chunks with the gold evidence of a sample.

    For each gold the first stage that says yes decides: the identifier, then containment, then the
    token Jaccard, then the coverage. A gold with alternatives is found where any of them is. What a chunk or a gold
    looks like to the stages is made once and kept, up to ``capacity``; the verdicts do not depend on it.

    Args:
        settings: Thresholds, and what is compared.
        capacity: Most characters of chunk and gold text that are kept prepared.
        keys: What a word may be a form of, in place of the analyser that ``token_level`` names; two words
            that share a key agree. The word comes normalised.

    >>> sample = Sample(sample_id="1", question="؟", contexts=("تلتزم الشركة بدفع الأجر في موعده",))
    >>> chunks = [RetrievedChunk(text="نص آخر"), RetrievedChunk(text="وتلتزم... تلتزم الشركة بدفع الأجرِ في موعده.")]
    >>> [(match.rank, match.relevant, match.stage) for match in ChunkMatcher().match(chunks, sample)]
    [(1, False, None), (2, True, 'containment')]
    """

    def __init__(
        self, settings: MatchSettings | None = None, *, capacity: int = 4_000_000, keys: Keys | None = None
    ) -> None:
        self.settings = settings or MatchSettings()
        if keys is None and self.settings.token_level != "token":  # noqa: S105
            keys = load_analyser(self.settings.token_level, self.settings.morphology_database)
        self._rules = Rules(self.settings, keys)
        self._stages = [(stage, TEXT_STAGES[stage]) for stage in self.settings.stages]
        self._texts = PreparedTexts(capacity, normalizer_for(self.settings.profile), self._rules.least)

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
        several. Without a match, ``score`` is the highest token Jaccard, of words as they stand, if it
        is at least half of ``overlap_threshold``.
        """
        by = self.settings.match_by
        evidence = evidence_of(sample, ids=by != "text", texts=by != "id")
        prepared: list[PreparedText] = []
        golds: list[tuple[int, PreparedText]] = []
        if evidence.by_text:
            prepared = self._texts.get_all([text for _, text in evidence.by_text] + [chunk.text for chunk in chunks])
            golds = [(index, text) for (index, _), text in zip(evidence.by_text, prepared, strict=False)]
            prepared = prepared[len(golds) :]
        repeats = _repeats(chunks)
        matches = list(_misses(len(chunks)))
        by_id = bool(evidence.by_id)
        bits_tell = self._rules.keys is None and not by_id and not repeats
        for place in _not_apart(golds, prepared) if bits_tell else range(len(chunks)):
            chunk, repeat = chunks[place], bool(repeats) and repeats[place]
            found = _find_ids(chunk, evidence) if by_id and chunk.chunk_id else {}
            nearest = self._find_texts(prepared[place], golds, found) if golds and chunk.text else None
            matches[place] = _hit(place + 1, found, repeat) if found else _miss(place + 1, nearest, repeat)
        return tuple(matches)

    def explain(self, gold: str, chunk: str) -> Explanation:
        """Why ``chunk`` holds the gold passage ``gold``, or why it does not, by their texts alone.

        ``print`` shows it in a few lines for a person; its fields hold every score and the words that agree.

        Raises:
            ConfigError: One of them is no text.

        >>> found = ChunkMatcher().explain("يستحق العامل إجازة سنوية", "إجازة مرضية للعامل")
        >>> found.relevant, round(found.jaccard, 2)
        (False, 0.17)
        """
        for name, text in (("gold", gold), ("chunk", chunk)):
            if not isinstance(text, str):
                raise ConfigError(f"{name} is of type {type(text).__name__}", expected="a text")
        return explain(self._texts.get(gold), self._texts.get(chunk), self._rules)

    @property
    def rules(self) -> Rules:
        """How two texts are compared."""
        return self._rules

    def prepare(self, text: str) -> PreparedText:
        """``text`` made ready for :meth:`compare`; it is not kept."""
        return PreparedText.split(text, normalizer_for(self.settings.profile), self._rules.least)

    def compare(self, gold: PreparedText, chunk: PreparedText) -> tuple[Stage | None, float | None]:
        """The verdict of :meth:`match` on one gold text and the text of one chunk: its stage and its score.

        >>> matcher = ChunkMatcher()
        >>> gold = matcher.prepare("يستحق العامل إجازة سنوية")
        >>> matcher.compare(gold, matcher.prepare("مادة ٤٧: يستحق العامل إجازة سنوية بأجر كامل"))
        ('containment', 1.0)
        """
        return (None, None) if too_different(gold, chunk, self._rules) else self._decide(gold, chunk)

    def _find_texts(self, chunk: PreparedText, golds: list[tuple[int, PreparedText]], found: _Found) -> float | None:
        """Add the golds that ``chunk`` holds to ``found``; the similarity of the nearest of the others."""
        nearest: float | None = None
        for index, gold in golds:
            if too_different(gold, chunk, self._rules) or (index in found and found[index][0] == "id"):
                continue
            stage, score = self._decide(gold, chunk)
            if stage is not None:
                _note(found, index, stage, score or 0.0)
            elif score is not None and score >= self._rules.floor:
                nearest = max(score, nearest or 0.0)
        return nearest

    def _decide(self, gold: PreparedText, chunk: PreparedText) -> tuple[Stage | None, float | None]:
        """The first stage that says yes and its score, or the token Jaccard."""
        nearest: float | None = None
        for stage, compare in self._stages:
            relevant, score = compare(gold, chunk, self._rules)
            if relevant:
                return stage, score
            if stage == "jaccard":
                nearest = score
        return None, nearest


def explain_match(gold: str, chunk: str, settings: MatchSettings | None = None) -> Explanation:
    """Why ``chunk`` holds the gold passage ``gold``, or why it does not.

    Args:
        gold: The gold passage.
        chunk: The text of the retrieved chunk.
        settings: As for :class:`ChunkMatcher`.

    Raises:
        ConfigError: One of them is no text.

    >>> gold = "يستحق العامل إجازة سنوية مدتها ثلاثون يوما بأجر كامل"
    >>> rough = gold.replace("مدتها", "مذتها")
    >>> found = explain_match(gold, f"مقدمة: {rough}، ثم خاتمة عن أمر آخر بعيد الصلة عن الذي سبق")
    >>> found.stage, found.near_pairs
    ('coverage', (('مدتها', 'مذتها'),))
    >>> print(found)
    Match (coverage 0.82): where the two texts overlap, they say the same in the same order, but for single words.
    Words: the gold has 9, the chunk 20.
    Shared words: 8 different ones, 40 % of all; needed are 55 %.
    Nearly the same: مدتها ~ مذتها (47 % with them)
    Overlap: 100 % of the gold; 9 of its 9 places agree (coverage 0.82, needed is 0.60).
      gold word 1, chunk word 2: يستحق العامل اجازه سنويه
      gold word 5, chunk word 6: مدتها ~ مذتها
      gold word 6, chunk word 7: ثلاثون يوما باجر كامل
    """
    return ChunkMatcher(settings).explain(gold, chunk)


def _find_ids(chunk: RetrievedChunk, evidence: Evidence) -> _Found:
    source = source_name(chunk.source)
    golds = evidence.by_id.get(chunk.chunk_id or "", ())
    return {index: ("id", 1.0) for index, gold_source in golds if sources_agree(source, gold_source)}


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


def _not_apart(golds: list[tuple[int, PreparedText]], texts: list[PreparedText]) -> list[int]:
    """The places of the texts whose bits do not show that they are too different from every gold."""
    if len(golds) == 1:
        return _near_one(golds[0][1], texts)
    return sorted({place for _, gold in golds for place in _near_one(gold, texts)})


def _near_one(gold: PreparedText, texts: list[PreparedText]) -> list[int]:
    bits, limit = gold.bits, gold.limit
    return [
        place
        for place, text in enumerate(texts)
        if (common := (bits & text.bits).bit_count()) >= limit or common >= text.limit
    ]


@lru_cache(maxsize=16)
def _misses(count: int) -> tuple[ChunkMatch, ...]:
    return tuple([_miss(rank, None, False) for rank in range(1, count + 1)])


@lru_cache(maxsize=1024)
def _miss(rank: int, score: float | None, repeat: bool) -> ChunkMatch:
    return ChunkMatch(rank=rank, relevant=False, score=score, repeat=repeat)


def _repeats(chunks: Sequence[RetrievedChunk]) -> list[bool]:
    """Per rank, whether its chunk stood at an earlier rank already; empty where none did."""
    ids = [chunk.chunk_id for chunk in chunks if chunk.chunk_id]
    if len(set(ids)) == len(ids) and len({chunk.text for chunk in chunks}) == len(chunks):
        return []
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
