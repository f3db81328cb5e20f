"""Whether two texts may overlap enough, told without laying them on one another."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Collection

from muffakir_eval.matching.agreement import may_slip, words_near
from muffakir_eval.matching.alignment import ASSUMED, INSERTION
from muffakir_eval.matching.prepared import PreparedText
from muffakir_eval.matching.rules import Rules
from muffakir_eval.matching.shifts import LARGEST_GAP

__all__ = ["may_overlap"]

_ROUNDING = 1e-9


def may_overlap(gold: PreparedText, chunk: PreparedText, rules: Rules) -> bool:
    """Whether the stage ``coverage`` may say yes. Never wrong where it says no; words are compared as they stand.

    Of the shorter text, those words may agree that the other one has, as they are or nearly, or that its letters
    hold across its spaces. A chunk that says too little by itself must spread them over ``min_gold_share`` of
    the gold, and each gap between them costs its places.
    """
    bound, settings = _Bound(gold, chunk, rules), rules.settings
    shorter, longer = bound.shorter, bound.longer
    theirs = set(longer.words) if longer.spaceless else longer.distinct
    able = theirs.intersection(shorter.words)
    if bound.reached(able):
        return True
    if rules.near is None:
        return False
    letters, rest = longer.letters, set(shorter.words) - able
    joined = {word for word in rest if word in letters}
    able, rest = able | joined, rest - joined
    if not bound.reached(able | {word for word in rest if may_slip(word, settings.fuzzy_min_letters)}, spread=True):
        return False
    near = words_near(rest, theirs, settings.fuzzy_similarity, settings.fuzzy_min_letters)
    return bound.reached(able | near, spread=True)


class _Bound:
    """What is enough for two texts."""

    def __init__(self, gold: PreparedText, chunk: PreparedText, rules: Rules) -> None:
        swapped = len(chunk.words) < len(gold.words)
        self.shorter, self.longer = (chunk, gold) if swapped else (gold, chunk)
        self._coverage = rules.coverage
        self._least = 0.0
        if chunk.weight < rules.settings.min_inside_tokens:
            self._least = rules.settings.min_gold_share * len(gold.words) - _ROUNDING
        self._may_spread = swapped
        self._spread: dict[str, int] = {}

    def reached(self, able: Collection[str], *, spread: bool = False) -> bool:
        """Whether it is enough if these words of the shorter text agree and no others.

        Args:
            able: The words.
            spread: Whether the letters of a word may lie in several words of the longer text.
        """
        words = [word for word in self.shorter.words if word in able]
        if not self._enough(len(words), 0):
            return False
        missing = math.ceil(self._least - len(words))
        if self._enough(len(words), missing):
            return True
        return spread and self._may_spread and self._enough(len(words), missing - sum(map(self._further, words)))

    def _enough(self, agreeing: int, missing: int) -> bool:
        whole, rest = divmod(max(missing, 0), LARGEST_GAP)
        places = agreeing + INSERTION * whole + min(rest, INSERTION) + ASSUMED
        return agreeing >= self._coverage * places - _ROUNDING

    def _further(self, word: str) -> int:
        """How many more words than one the letters of a word are in the longer text, at most."""
        found = self._spread.get(word)
        if found is None:
            found, letters, ends = 0, self.longer.letters, self.longer.ends
            at = letters.find(word)
            while at >= 0:
                found = max(found, bisect_right(ends, at + len(word) - 1) - bisect_right(ends, at))
                at = letters.find(word, at + 1)
            self._spread[word] = found
        return found
