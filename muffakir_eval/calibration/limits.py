"""Up to which thresholds the matcher says yes to a pair: computed once, good for all thresholds.

A stage compares a score with a threshold, and what the score is does not depend on the threshold. So one pair
of texts is told by three things: whether containment decides it, the highest ``overlap_threshold`` at which the
token Jaccard says yes, and the highest coverage at which the overlap does. The matcher says yes where::

    contained  or  overlap_threshold <= overlap  or  max(overlap_threshold, coverage_threshold) <= coverage
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from muffakir_eval.config import MatchSettings
from muffakir_eval.matching.agreement import Keys
from muffakir_eval.matching.contradictions import CONTRADICTION
from muffakir_eval.matching.prepared import PreparedText, PreparedTexts
from muffakir_eval.matching.rules import Rules
from muffakir_eval.matching.stages import (
    TEXT_STAGES,
    aligned,
    contradictions,
    long_enough,
    nearly_shared,
    shared_tokens,
    too_different,
)
from muffakir_eval.text.morphology import load_analyser
from muffakir_eval.text.normalize import normalizer_for

__all__ = ["Limits", "limits_of", "lowest_threshold"]

_LOWEST = 0.1
_CAPACITY = 16_000_000
_AT_ONCE = 256


class Limits(NamedTuple):
    """What thresholds can do about one pair.

    Attributes:
        contained: Containment says yes, whatever the thresholds.
        overlap: The highest ``overlap_threshold`` at which the token Jaccard says yes; 0 where none does.
        coverage: The highest coverage that can be asked for; 0 where the texts do not overlap, or not enough.

    Limits below the lowest threshold are not told apart, and those of a contained pair are 0.
    """

    contained: bool
    overlap: float = 0.0
    coverage: float = 0.0

    def accepts(self, overlap_threshold: float, coverage_threshold: float) -> bool:
        """The verdict of the matcher at these thresholds, of which the first is at least the lowest one.

        >>> Limits(False, 0.5, 0.8).accepts(0.5, 0.9), Limits(False, 0.5, 0.8).accepts(0.6, 0.9)
        (True, False)
        """
        needed = max(overlap_threshold, coverage_threshold)
        return self.contained or overlap_threshold <= self.overlap or needed <= self.coverage


def lowest_threshold(settings: MatchSettings) -> float:
    """The lowest threshold that is looked at: below 0.1, texts with little in common match, unless settings ask for it.

    >>> lowest_threshold(MatchSettings()), lowest_threshold(MatchSettings(overlap_threshold=0.05))
    (0.1, 0.05)
    """
    return min(_LOWEST, settings.overlap_threshold)


_NEVER = Limits(False)
_ALWAYS = Limits(True)


def limits_of(
    pairs: Sequence[tuple[str, str]], settings: MatchSettings, fuzzy: Sequence[bool], *, keys: Keys | None = None
) -> list[tuple[Limits, ...]]:
    """The limits of every pair of a gold and a chunk, one for each of the ways of ``fuzzy``.

    Args:
        pairs: Gold and chunk.
        settings: Everything but the two thresholds and ``fuzzy``.
        fuzzy: With words that nearly agree, without, or both.
        keys: As for :class:`~muffakir_eval.matching.ChunkMatcher`.

    >>> gold = "يستحق العامل إجازة سنوية مدتها ثلاثون يوما بأجر كامل"
    >>> for limits in limits_of([(gold, gold.replace("مدتها", "مذتها"))], MatchSettings(), (True, False))[0]:
    ...     print(round(limits.overlap, 2), round(limits.coverage, 2))
    1.0 0.82
    0.8 0.73
    """
    if keys is None and settings.token_level != "token":  # noqa: S105
        keys = load_analyser(settings.token_level, settings.morphology_database)
    least = lowest_threshold(settings)
    lowest = settings.model_copy(update={"overlap_threshold": least, "coverage_threshold": least})
    rules = [Rules(lowest.model_copy(update={"fuzzy": way}), keys) for way in fuzzy]
    texts = PreparedTexts(_CAPACITY, normalizer_for(settings.profile), rules[0].least)
    found: list[tuple[Limits, ...]] = []
    for start in range(0, len(pairs), _AT_ONCE):
        batch = pairs[start : start + _AT_ONCE]
        prepared = texts.get_all([text for pair in batch for text in pair])
        found += [_limits(gold, chunk, rules) for gold, chunk in zip(prepared[::2], prepared[1::2], strict=True)]
    return found


def _limits(gold: PreparedText, chunk: PreparedText, ways: Sequence[Rules]) -> tuple[Limits, ...]:
    rules = ways[0]
    if _is_blank(gold) or _is_blank(chunk) or too_different(gold, chunk, rules):
        return (_NEVER,) * len(ways)
    if "containment" in rules.settings.stages and TEXT_STAGES["containment"](gold, chunk, rules).relevant:
        return (_ALWAYS,) * len(ways)
    return tuple(Limits(False, _overlap(gold, chunk, way), _coverage(gold, chunk, way)) for way in ways)


def _is_blank(text: PreparedText) -> bool:
    """The matcher compares neither an empty chunk nor a gold of white space."""
    return not text.text or text.text.isspace()


def _overlap(gold: PreparedText, chunk: PreparedText, rules: Rules) -> float:
    """The highest threshold at which :func:`~muffakir_eval.matching.stages.jaccard` says yes."""
    settings = rules.settings
    if "jaccard" not in settings.stages or gold.count < settings.min_gold_tokens or not chunk.count:
        return 0.0
    ours, theirs = len(gold.distinct), len(chunk.distinct)

    def score(shared: int, odds: int = 0) -> float:
        return shared / (ours + theirs - shared + CONTRADICTION * odds)

    shared = shared_tokens(gold, chunk, rules)
    exact = score(shared)
    limit = exact if shared / ours >= settings.min_gold_share else 0.0
    if rules.near is None or exact < rules.floor:
        return limit
    # Words that nearly agree are asked only where half the threshold is reached without them.
    nearly = shared + len(nearly_shared(gold, chunk, rules))
    if nearly / ours < settings.min_gold_share:
        return limit
    odds = contradictions(gold, chunk)
    return max(limit, min(score(nearly, odds), 2 * exact))


def _coverage(gold: PreparedText, chunk: PreparedText, rules: Rules) -> float:
    """The highest threshold at which :func:`~muffakir_eval.matching.stages.coverage` says yes."""
    if "coverage" not in rules.settings.stages:
        return 0.0
    alignment = aligned(gold, chunk, rules)
    if alignment is None or not long_enough(alignment, gold, chunk, rules):
        return 0.0
    return alignment.score
