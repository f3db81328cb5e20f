"""Why a chunk does, or does not, hold the gold evidence: for a person to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from muffakir_eval.config import MatchSettings
from muffakir_eval.matching.alignment import Alignment
from muffakir_eval.matching.contradictions import CONTRADICTION
from muffakir_eval.matching.prepared import PreparedText
from muffakir_eval.matching.rules import Rules
from muffakir_eval.matching.stages import (
    TEXT_STAGES,
    aligned,
    contradictions,
    long_enough,
    nearly_shared,
    shared_tokens,
)
from muffakir_eval.records import Stage

__all__ = ["AlignedRun", "Explanation", "explain"]

_SHOWN_RUNS, _SHOWN_WORDS, _SHOWN_PAIRS = 12, 12, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedRun:
    """Words of the gold that agree with words of the chunk, in the same order.

    Attributes:
        kind: ``same`` words, ``near`` ones, or the same letters with other spaces (``joined``).
        gold_start: Place of the first of them among the words of the gold, from 0.
        chunk_start: The same in the chunk.
        gold: The words of the gold, normalised.
        chunk: The words of the chunk, normalised.
    """

    kind: Literal["same", "near", "joined"]
    gold_start: int
    chunk_start: int
    gold: tuple[str, ...]
    chunk: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What every stage says of one gold and one chunk.

    Attributes:
        relevant: The chunk holds the evidence.
        stage: The stage that decided, ``None`` where none said yes.
        score: Its score.
        contained: ``gold_in_chunk``, ``chunk_in_gold`` or ``None``.
        jaccard: Token Jaccard of the words as they stand; ``None`` where a text has none.
        fuzzy_jaccard: The same with the words that nearly agree, and contradictions weighed.
        coverage: Share of the places of the overlap that agree; ``None`` where the texts do not overlap.
        gold_share: Share of the gold that lies in the overlap.
        enough: The overlap takes in enough of the gold, or nearly all of a chunk that says enough by itself.
        gold_tokens: How many tokens the gold has.
        chunk_tokens: How many tokens the chunk has.
        shared_tokens: How many different tokens both have.
        words_at_odds: Numbers that differ and negations that only one of the texts has.
        near_pairs: Words of the gold and words of the chunk that nearly agree with them.
        runs: What agrees in the overlap, in order.
        places: Places of the overlap.
        contradictions: Numbers that differ and negations that one text lacks, in the overlap.
        settings: The settings.
    """

    relevant: bool
    stage: Stage | None
    score: float | None
    contained: Literal["gold_in_chunk", "chunk_in_gold"] | None
    jaccard: float | None
    fuzzy_jaccard: float | None
    coverage: float | None
    gold_share: float | None
    enough: bool
    gold_tokens: int
    chunk_tokens: int
    shared_tokens: int
    words_at_odds: int
    near_pairs: tuple[tuple[str, str], ...]
    runs: tuple[AlignedRun, ...]
    places: int
    contradictions: int
    settings: MatchSettings

    def __str__(self) -> str:
        """A few lines that say what was found, and what was missing."""
        return "\n".join([_verdict(self), *_words(self), *_overlap(self)])


def explain(gold: PreparedText, chunk: PreparedText, rules: Rules) -> Explanation:
    """Every stage's word on one gold and one chunk, whether or not it was asked."""
    settings = rules.settings
    decided: tuple[Stage | None, float | None] = (None, None)
    for stage in settings.stages:
        relevant, score = TEXT_STAGES[stage](gold, chunk, rules)
        if relevant:
            decided = (stage, score)
            break
    shared, pairs = shared_tokens(gold, chunk, rules), nearly_shared(gold, chunk, rules)
    every = len(gold.distinct) + len(chunk.distinct) - shared
    odds = contradictions(gold, chunk)
    alignment = aligned(gold, chunk, rules)
    return Explanation(
        relevant=decided[0] is not None,
        stage=decided[0],
        score=decided[1],
        contained=_contained(gold, chunk, rules),
        jaccard=shared / every if gold.count and chunk.count else None,
        fuzzy_jaccard=(shared + len(pairs)) / (every - len(pairs) + CONTRADICTION * odds)
        if gold.count and chunk.count
        else None,
        coverage=None if alignment is None else alignment.score,
        gold_share=None if alignment is None else alignment.gold_words / len(gold.words),
        enough=alignment is not None and long_enough(alignment, gold, chunk, rules),
        gold_tokens=gold.count,
        chunk_tokens=chunk.count,
        shared_tokens=shared,
        words_at_odds=odds,
        near_pairs=tuple(pairs),
        runs=() if alignment is None else _runs(alignment, gold, chunk),
        places=0 if alignment is None else alignment.places,
        contradictions=0 if alignment is None else alignment.at_odds,
        settings=settings,
    )


def _contained(
    gold: PreparedText, chunk: PreparedText, rules: Rules
) -> Literal["gold_in_chunk", "chunk_in_gold"] | None:
    if not TEXT_STAGES["containment"](gold, chunk, rules).relevant:
        return None
    return "gold_in_chunk" if gold.count <= chunk.count else "chunk_in_gold"


def _runs(alignment: Alignment, gold: PreparedText, chunk: PreparedText) -> tuple[AlignedRun, ...]:
    return tuple(
        AlignedRun(
            kind=block.kind,
            gold_start=block.gold,
            chunk_start=block.chunk,
            gold=tuple(gold.words[block.gold : block.gold + block.gold_words]),
            chunk=tuple(chunk.words[block.chunk : block.chunk + block.chunk_words]),
        )
        for block in alignment.blocks
    )


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"


def _verdict(found: Explanation) -> str:
    if found.stage == "containment":
        if found.contained == "chunk_in_gold":
            return "Match (containment): the whole chunk stands in the gold passage, word for word."
        return "Match (containment): the whole gold passage stands in the chunk, word for word."
    if found.stage == "jaccard":
        return f"Match (jaccard {found.score:.2f}): the two texts use nearly the same words."
    if found.stage == "coverage":
        return (
            f"Match (coverage {found.score:.2f}): where the two texts overlap, they say the same in the same order, "
            "but for single words."
        )
    return "No match: the chunk does not hold the gold passage."


def _words(found: Explanation) -> list[str]:
    if found.jaccard is None or found.fuzzy_jaccard is None:
        return ["One of the texts has no words or numbers to compare."]
    lines = [f"Words: the gold has {found.gold_tokens}, the chunk {found.chunk_tokens}."]
    if "jaccard" in found.settings.stages:
        lines.append(
            f"Shared words: {found.shared_tokens} different ones, {_percent(found.jaccard)} of all; needed are "
            f"{_percent(found.settings.overlap_threshold)}."
        )
    if found.near_pairs:
        shown = "; ".join(f"{ours} ~ {theirs}" for ours, theirs in found.near_pairs[:_SHOWN_PAIRS])
        more = len(found.near_pairs) - _SHOWN_PAIRS
        lines.append(
            f"Nearly the same: {shown}" + (f"; and {more} more" if more > 0 else "") + f" ({_with_them(found)})"
        )
    return lines


def _with_them(found: Explanation) -> str:
    share = _percent(found.fuzzy_jaccard or 0.0)
    if found.words_at_odds:
        return f"{share} with them, numbers or negations of one text only counted against it: {found.words_at_odds}"
    return f"{share} with them"


def _overlap(found: Explanation) -> list[str]:
    if found.coverage is None or found.gold_share is None:
        return ["Overlap: no part of the one text follows the other."]
    needed = max(found.settings.coverage_threshold, found.settings.overlap_threshold)
    agreeing = sum(min(len(run.gold), len(run.chunk)) for run in found.runs)
    lines = [
        f"Overlap: {_percent(found.gold_share)} of the gold; {agreeing} of its {found.places} places agree (coverage "
        f"{found.coverage:.2f}, needed is {needed:.2f})"
        + ("." if found.enough else "; too little of the gold lies in it.")
    ]
    if found.contradictions:
        lines.append(f"Numbers or negations that differ in it: {found.contradictions}; each weighs heavily.")
    for run in found.runs[:_SHOWN_RUNS]:
        ours, theirs = _shown(run.gold), _shown(run.chunk)
        where = f"  gold word {run.gold_start + 1}, chunk word {run.chunk_start + 1}: "
        lines.append(where + (ours if run.kind == "same" else f"{ours} ~ {theirs}"))
    if len(found.runs) > _SHOWN_RUNS:
        lines.append(f"  and {len(found.runs) - _SHOWN_RUNS} more")
    return lines


def _shown(words: tuple[str, ...]) -> str:
    if len(words) <= _SHOWN_WORDS:
        return " ".join(words)
    half = _SHOWN_WORDS // 2
    return f"{' '.join(words[:half])} … {' '.join(words[-half:])} ({len(words)} words)"
