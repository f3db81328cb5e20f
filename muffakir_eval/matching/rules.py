"""The settings of the cascade, and what follows from them."""

from __future__ import annotations

import math
from functools import partial

from muffakir_eval.config import MatchSettings
from muffakir_eval.matching.agreement import Keys, NearWords

__all__ = ["Rules", "neighbour_share", "token_share"]

_TOKENS, _NEIGHBOURS = 0.3, 0.1
"""Shares of the tokens of one text, and of its pairs of neighbours, that must be in the other before the two are
laid on one another."""

_HALF, _UNTOUCHED = 0.45, 0.92
"""Of a text that holds half of another one, a letter of twelve misread: nearly half of the tokens come from the other
text, and of their letters such a share is untouched."""

_ROUNDING = 1e-9


class Rules:
    """How two texts are compared.

    Args:
        settings: Thresholds, and which stages there are.
        keys: What a word may be a form of; words that share a key agree. ``None`` where words are compared as
            they stand.

    Attributes:
        settings: The settings.
        keys: The keys.
        near: Which words of two texts nearly agree; ``None`` where only equal ones do.
        coverage: The coverage that is needed; never below ``overlap_threshold``, so that a stricter one is
            stricter altogether.
        floor: The token Jaccard from which a chunk that does not match is worth reporting, and from which
            words that nearly agree can make it match: half the threshold.
    """

    def __init__(self, settings: MatchSettings, keys: Keys | None = None) -> None:
        self.settings = settings
        self.keys = keys
        self.near = (
            partial(NearWords, similarity=settings.fuzzy_similarity, min_letters=settings.fuzzy_min_letters)
            if settings.fuzzy
            else None
        )
        self.coverage = max(settings.coverage_threshold, settings.overlap_threshold)
        self.floor = settings.overlap_threshold / 2
        # Of two texts with n and m tokens, s of them in both, s / (n + m - s) >= f asks for s >= f (n + m) / (1 + f).
        self._jaccard = 2 * self.floor / (1 + self.floor)
        self._coverage = "coverage" in settings.stages

    def least(self, length: float) -> float:
        """Share of the different tokens of a text that must be in another one.

        Where neither of two texts has it, no stage says yes and the token Jaccard is below the floor.

        Args:
            length: Letters of its tokens, in the mean.
        """
        return min(self._jaccard, token_share(length) if self._coverage else 1.0) - _ROUNDING


def token_share(length: float) -> float:
    """Share of the different tokens of a text of which another one must have as many, to be laid on it.

    A longer word is less often spared by slips; Turkish, Finnish or Tamil ones need less.

    Args:
        length: Letters of its tokens, in the mean.

    >>> round(token_share(4.5), 2), round(token_share(7.5), 2)
    (0.3, 0.24)
    """
    return min(_TOKENS, _HALF * math.pow(_UNTOUCHED, length))


def neighbour_share(length: float) -> float:
    """The same for two tokens in a row: a tenth, and less where words are long."""
    return _NEIGHBOURS * (token_share(length) / _TOKENS) ** 2
