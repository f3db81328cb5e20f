"""The stages of the cascade that compare texts, and a bound that spares most comparisons.

A stage is a function of the gold, the chunk and the settings. It says yes or no, and gives the
similarity that it found. Further stages are further entries of :data:`TEXT_STAGES`; whatever a new
stage may accept, :func:`too_different` must let through.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from muffakir_eval.config import MatchSettings
from muffakir_eval.matching.prepared import PreparedText
from muffakir_eval.records import Stage

__all__ = ["TEXT_STAGES", "Decision", "TextStage", "containment", "jaccard", "near_floor", "too_different"]

_LONG = 12
"""Tokens from which a passage may have been cut out in the middle of a word, as splitters by length do. In
a shorter one the piece of a word could mean something else: "able to vote" in "unable to vote"."""

_CUT_TOKENS = 2
"""At either end of a passage that was cut out, one token is a piece of a word, or half a pair of characters."""

_ROUNDING = 1e-9


class Decision(NamedTuple):
    """The word of one stage.

    Attributes:
        relevant: The chunk holds the evidence.
        score: The similarity in [0, 1], ``None`` where the stage compares nothing.
    """

    relevant: bool
    score: float | None


TextStage = Callable[[PreparedText, PreparedText, MatchSettings], Decision]

_NOTHING = Decision(False, None)
_CONTAINED = Decision(True, 1.0)


def containment(gold: PreparedText, chunk: PreparedText, settings: MatchSettings) -> Decision:
    """One text inside the other, punctuation aside; the score is 1.

    It holds whole words of the other; one of twelve tokens and more may begin and end within a word, but
    not within a number.

    A chunk inside the gold needs ``min_gold_share`` of its tokens, or ``min_inside_tokens``. A gold of
    fewer than ``min_gold_tokens`` must be equal, one without any token equal to its last sign.
    """
    if not gold.count or not chunk.count:
        equal = not gold.count and not chunk.count and gold.normalized == chunk.normalized != ""
        return _CONTAINED if equal else _NOTHING
    if gold.count < settings.min_gold_tokens:
        return _CONTAINED if gold.sequence == chunk.sequence else _NOTHING
    if _lies_inside(gold, chunk):
        return _CONTAINED
    enough = chunk.count >= settings.min_inside_tokens or chunk.count / gold.count >= settings.min_gold_share
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


def jaccard(gold: PreparedText, chunk: PreparedText, settings: MatchSettings) -> Decision:
    """Shared tokens over all tokens, each counted once, at least ``overlap_threshold``.

    The chunk must hold ``min_gold_share`` of the gold's tokens. A gold of fewer than
    ``min_gold_tokens`` is not compared.
    """
    if gold.count < settings.min_gold_tokens or not chunk.count:
        return _NOTHING
    shared = len(gold.distinct & chunk.distinct)
    score = shared / (len(gold.distinct) + len(chunk.distinct) - shared)
    enough = shared / len(gold.distinct) >= settings.min_gold_share
    return Decision(score >= settings.overlap_threshold and enough, score)


TEXT_STAGES: tuple[tuple[Stage, TextStage], ...] = (("containment", containment), ("jaccard", jaccard))
"""In the order in which they are asked; the first that says yes decides."""


def near_floor(settings: MatchSettings) -> float:
    """The similarity from which a chunk that does not match is worth reporting: half the threshold."""
    return settings.overlap_threshold / 2


def too_different(gold: PreparedText, chunk: PreparedText, floor: float) -> bool:
    """No stage can say yes, and the token Jaccard is below ``floor``.

    Never wrong where it says so. For two texts that have been met before it costs one comparison of
    two numbers: with n bits of the signatures different, at least n tokens are in one text only, so
    that with s tokens in both together the Jaccard is at most (s - n) / (s + n); and where one text
    holds all tokens of the other, n is at most the difference of their sizes.
    """
    if gold.signature is None or chunk.signature is None:
        return _shares_too_little(gold, chunk, floor - _ROUNDING)
    apart = (gold.signature ^ chunk.signature).bit_count()
    both = gold.size + chunk.size
    if both - apart >= (floor - _ROUNDING) * (both + apart):
        return False
    return apart > abs(gold.size - chunk.size) + 2 * max(_slack(gold, chunk), _slack(chunk, gold))


def _shares_too_little(gold: PreparedText, chunk: PreparedText, floor: float) -> bool:
    """The same bounds from the number of shared tokens, without the set of a text that is met once."""
    if not gold.count or not chunk.count:
        return False
    shared, ours = chunk.shared_with(gold.distinct), len(gold.distinct)
    if shared >= min(floor * ours, ours - _slack(gold, chunk)):
        return False
    return not chunk.all_in(gold.distinct, _slack(chunk, gold))
