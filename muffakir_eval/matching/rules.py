"""The settings of the cascade, and what follows from them."""

from __future__ import annotations

from functools import partial

from muffakir_eval.config import MatchSettings
from muffakir_eval.matching.agreement import Keys, nearly_agree

__all__ = ["COVERAGE_TOKENS", "Rules"]

COVERAGE_TOKENS = 0.3
"""Share of the tokens of one text that must be in the other before the two are laid on one another."""

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
        near: Whether two different words nearly agree; ``None`` where only equal ones do.
        coverage: The coverage that is needed; never below ``overlap_threshold``, so that a stricter one is
            stricter altogether.
        floor: The token Jaccard from which a chunk that does not match is worth reporting, and from which
            words that nearly agree can make it match: half the threshold.
        least: Share of the different tokens of one text that must be in the other; where neither text has it,
            no stage says yes and the token Jaccard is below the floor. 0 where that is not known.
    """

    def __init__(self, settings: MatchSettings, keys: Keys | None = None) -> None:
        self.settings = settings
        self.keys = keys
        self.near = (
            partial(nearly_agree, similarity=settings.fuzzy_similarity, min_letters=settings.fuzzy_min_letters)
            if settings.fuzzy
            else None
        )
        self.coverage = max(settings.coverage_threshold, settings.overlap_threshold)
        self.floor = settings.overlap_threshold / 2
        # Of two texts with n and m tokens, s of them in both, s / (n + m - s) >= f asks for s >= f (n + m) / (1 + f).
        shares = [2 * self.floor / (1 + self.floor)]
        if "coverage" in settings.stages:
            shares.append(COVERAGE_TOKENS)
        self.least = min(shares) - _ROUNDING if keys is None else 0.0
