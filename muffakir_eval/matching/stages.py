"""The stages of the cascade that compare texts.

A stage is a function of the gold, the chunk and the rules. It says yes or no, and gives the similarity that
it found. Whatever a stage may accept, :func:`too_different` must let through.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from muffakir_eval.matching.agreement import pair_by_keys, pair_nearly
from muffakir_eval.matching.alignment import Alignment, align
from muffakir_eval.matching.contradictions import CONTRADICTION, at_odds
from muffakir_eval.matching.prepared import PreparedText
from muffakir_eval.matching.rules import Rules, neighbour_share, token_share
from muffakir_eval.records import Stage

__all__ = [
    "SIMILAR_HOLDERS",
    "SIMILAR_STAGES",
    "TEXT_STAGES",
    "Decision",
    "TextStage",
    "aligned",
    "containment",
    "contradictions",
    "coverage",
    "jaccard",
    "long_enough",
    "nearly_shared",
    "shared_tokens",
    "too_different",
]

SIMILAR_STAGES: frozenset[Stage] = frozenset({"jaccard", "coverage"})
"""These say that two texts are similar, and not that one stands in the other."""

SIMILAR_HOLDERS = 3
"""So many different chunks that only resemble one gold are hardly all its evidence: they follow one template."""

_LONG = 12
"""Tokens from which a passage may have been cut out in the middle of a word, as splitters by length do. In
a shorter one the piece of a word could mean something else: "able to vote" in "unable to vote"."""

_CUT_TOKENS = 2
"""At either end of a passage that was cut out, one token is a piece of a word, or half a pair of characters."""

_INSIDE = 0.8
"""Share of the chunk's words that must lie in the overlap for the chunk to be inside the gold."""

_ROUNDING = 1e-9


class Decision(NamedTuple):
    """The word of one stage.

    Attributes:
        relevant: The chunk holds the evidence.
        score: The similarity in [0, 1], ``None`` where the stage compares nothing.
    """

    relevant: bool
    score: float | None


TextStage = Callable[[PreparedText, PreparedText, Rules], Decision]

_NOTHING = Decision(False, None)
_CONTAINED = Decision(True, 1.0)


def containment(gold: PreparedText, chunk: PreparedText, rules: Rules) -> Decision:
    """One text inside the other, punctuation aside; the score is 1.

    It holds whole words of the other; one of twelve tokens and more may begin and end within a word, but
    not within a number.

    A chunk inside the gold needs ``min_gold_share`` of its tokens, or ``min_inside_tokens``
    (:attr:`~muffakir_eval.matching.prepared.PreparedText.weight`). A gold of fewer than ``min_gold_tokens``
    must be equal, one without any token equal to its last sign.
    """
    settings = rules.settings
    if not gold.count or not chunk.count:
        equal = not gold.count and not chunk.count and gold.normalized == chunk.normalized != ""
        return _CONTAINED if equal else _NOTHING
    if gold.count < settings.min_gold_tokens:
        return _CONTAINED if gold.sequence == chunk.sequence else _NOTHING
    if _lies_inside(gold, chunk):
        return _CONTAINED
    enough = chunk.weight >= settings.min_inside_tokens or chunk.count / gold.count >= settings.min_gold_share
    return _CONTAINED if enough and _lies_inside(chunk, gold) else _NOTHING


def _lies_inside(inner: PreparedText, outer: PreparedText) -> bool:
    if not inner.all_in(outer.distinct, _slack(inner, outer)):
        return False
    sequence = inner.sequence
    if inner.count >= _LONG:
        sequence = sequence[not sequence[1].isdecimal() : len(sequence) - (not sequence[-2].isdecimal())]
    return sequence in outer.sequence


def _slack(inner: PreparedText, outer: PreparedText) -> int:
    """How many tokens of ``inner`` may be missing in ``outer`` although the one lies inside the other."""
    return _CUT_TOKENS if inner.count >= _LONG or (inner.spaceless and outer.spaceless) else 0


def jaccard(gold: PreparedText, chunk: PreparedText, rules: Rules) -> Decision:
    """Shared tokens over all tokens, each counted once, at least ``overlap_threshold``.

    The chunk must hold ``min_gold_share`` of the gold's tokens. A gold of fewer than
    ``min_gold_tokens`` is not compared. Where half the threshold is reached by tokens that are the same,
    those that nearly agree count too (:func:`~muffakir_eval.matching.agreement.pair_nearly`), and a contradiction
    (:func:`contradictions`) as six tokens that only one text has; if even then
    the answer is no, the score is that of the tokens that are the same.
    """
    settings = rules.settings
    if gold.count < settings.min_gold_tokens or not chunk.count:
        return _NOTHING
    ours, theirs = len(gold.distinct), len(chunk.distinct)

    def decided(shared: int, contradictions: int = 0) -> Decision:
        score = shared / (ours + theirs - shared + CONTRADICTION * contradictions)
        return Decision(score >= settings.overlap_threshold and shared / ours >= settings.min_gold_share, score)

    shared = shared_tokens(gold, chunk, rules)
    exact = decided(shared)
    if exact.relevant or rules.near is None or (exact.score or 0.0) < rules.floor:
        return exact
    if not decided(min(ours, theirs)).relevant:
        return exact
    odds = contradictions(gold, chunk)
    nearly = decided(shared + len(nearly_shared(gold, chunk, rules)), odds)
    return nearly if nearly.relevant else exact


def contradictions(gold: PreparedText, chunk: PreparedText) -> int:
    """How many of the tokens that only one of two texts has contradict one of the other."""
    return at_odds(_only_in(gold, chunk), _only_in(chunk, gold))


def _only_in(text: PreparedText, other: PreparedText) -> list[str]:
    """Its tokens that the other text lacks, each once, in order: a set has no order that is always the same."""
    only = text.distinct - other.distinct
    return [token for token in dict.fromkeys(text.tokens) if token in only]


def shared_tokens(gold: PreparedText, chunk: PreparedText, rules: Rules) -> int:
    """How many different tokens are in both texts, with those that agree by their keys."""
    same = len(gold.distinct & chunk.distinct)
    return same + len(_keyed(gold, chunk, rules))


def _keyed(gold: PreparedText, chunk: PreparedText, rules: Rules) -> list[tuple[str, str]]:
    if rules.keys is None:
        return []
    return pair_by_keys(gold.distinct - chunk.distinct, chunk.distinct - gold.distinct, rules.keys)


def nearly_shared(gold: PreparedText, chunk: PreparedText, rules: Rules) -> list[tuple[str, str]]:
    """Tokens of the gold with tokens of the chunk that nearly agree with them, beyond those that are in both."""
    if rules.near is None:
        return []
    ours, theirs = gold.distinct - chunk.distinct, chunk.distinct - gold.distinct
    keyed = _keyed(gold, chunk, rules)
    ours, theirs = ours.difference([one for one, _ in keyed]), theirs.difference([other for _, other in keyed])
    return pair_nearly(ours, theirs, rules.settings.fuzzy_similarity, rules.settings.fuzzy_min_letters)


def coverage(gold: PreparedText, chunk: PreparedText, rules: Rules) -> Decision:
    """The texts overlap, and at least ``coverage_threshold`` of the places of the overlap agree.

    The threshold is never below ``overlap_threshold``.

    The overlap takes in ``min_gold_share`` of the gold's words, or nearly all of a chunk of
    ``min_inside_tokens`` and more. Words that are scattered over a chunk, or blocks of boilerplate between
    different contents, make no overlap (:func:`~muffakir_eval.matching.alignment.align`). Three tenths of the
    different tokens of one text, and a tenth of its pairs of neighbours, must be in the other as they stand; fewer
    where words are long (:func:`~muffakir_eval.matching.rules.token_share`). Below the threshold there is no score.
    """
    alignment = aligned(gold, chunk, rules, least=rules.coverage)
    return Decision(long_enough(alignment, gold, chunk, rules), alignment.score) if alignment else _NOTHING


def aligned(gold: PreparedText, chunk: PreparedText, rules: Rules, *, least: float = 0.0) -> Alignment | None:
    """The two texts laid on one another, ``None`` where too little of them is the same or the score below ``least``."""
    if gold.count < rules.settings.min_gold_tokens or not chunk.count:
        return None
    needed = min(token_share(gold.length) * gold.size, token_share(chunk.length) * chunk.size)
    if shared_tokens(gold, chunk, rules) < needed:
        return None
    if rules.keys is None and not _enough_neighbours(gold, chunk):
        return None
    ours, theirs = gold.words, chunk.words
    if rules.keys is not None:
        same = {other: one for one, other in _keyed(gold, chunk, rules)}
        theirs = [same.get(word, word) for word in theirs]
    return align(ours, theirs, rules.near, least, _per_word(gold, chunk))


def _per_word(gold: PreparedText, chunk: PreparedText) -> float:
    """How many places of the overlap a word takes: two for Chinese, four for Thai, as in the shorter text."""
    if not (gold.spaceless or chunk.spaceless):
        return 1.0
    fewest = min(len(gold.words), len(chunk.words))
    return max(len(text.words) / text.weight for text in (gold, chunk) if len(text.words) == fewest)


def long_enough(alignment: Alignment, gold: PreparedText, chunk: PreparedText, rules: Rules) -> bool:
    """Enough of the gold lies in the overlap, or nearly all of a chunk that says enough by itself."""
    settings = rules.settings
    if alignment.gold_words / len(gold.words) >= settings.min_gold_share:
        return True
    inside = alignment.chunk_words >= _INSIDE * len(chunk.words)
    return inside and alignment.agreeing * chunk.weight / len(chunk.words) >= settings.min_inside_tokens


TEXT_STAGES: dict[Stage, TextStage] = {"containment": containment, "jaccard": jaccard, "coverage": coverage}
"""In the order in which they are asked; the first that says yes decides."""


def _enough_neighbours(gold: PreparedText, chunk: PreparedText) -> bool:
    ours, theirs = gold.neighbours, chunk.neighbours
    needed = min(neighbour_share(gold.length) * len(ours), neighbour_share(chunk.length) * len(theirs))
    return len(ours & theirs) >= max(1.0, needed)


def too_different(gold: PreparedText, chunk: PreparedText, rules: Rules) -> bool:
    """No stage can say yes, and the token Jaccard is below the floor.

    Never wrong where it says so. Mostly it costs one operation on two numbers: of the tokens of a text, at
    most so many are in another one as bits of their signatures are, and those that are hidden behind such a
    bit. Where words agree by their keys, at most so many do as have a key that the other text has.
    """
    needed = min(gold.needed, chunk.needed)
    if not needed:
        return False
    if rules.keys is not None:
        theirs, keys = chunk.keys_by(rules.keys), rules.keys
        return sum(word in theirs or not theirs.isdisjoint(keys(word)) for word in gold.distinct) < needed
    common = (gold.bits & chunk.bits).bit_count()
    if common < gold.limit and common < chunk.limit:
        return True
    return len(gold.distinct & chunk.distinct) < needed
