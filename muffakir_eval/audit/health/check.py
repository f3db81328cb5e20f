"""The health check of the text of an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from muffakir_eval.audit.health.part import HealthPart
from muffakir_eval.audit.health.report import HealthReport, health_report
from muffakir_eval.audit.health.scanning import scan_into
from muffakir_eval.audit.records import CorpusChunk
from muffakir_eval.errors import ConfigError
from muffakir_eval.text.normalize import normalizer_for

__all__ = ["HealthCheck"]

_PROFILES = {"fa": "persian", "ur": "urdu"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """Looks for faults of the text and the identifiers of an index.

    One stream: scan batches (in this process or in others), add the parts in the order of the corpus, report.
    No text is kept; a million chunks of 1,000 characters take some 700 MiB.

    Attributes:
        language: Of the corpus, ``ar``, ``fa``, ``ur`` or any other. It decides which letters are those of
            another keyboard, and how words are normalised.
        min_words: A chunk with fewer words is tiny.
        max_characters: A longer chunk is oversized whatever the others are.
        near_threshold: Estimated Jaccard similarity of runs of three words from which two chunks are near
            duplicates.

    >>> check = HealthCheck()
    >>> part = check.scan([CorpusChunk(ordinal=0, text="عاصمة مصر هي مدينة القاهرة", chunk_id="1")])
    >>> part.add(check.scan([CorpusChunk(ordinal=1, text="Ø¹Ø§ØµÙ…Ø© Ù…ØµØ± Ù‡ÙŠ Ù…Ø¯ÙŠÙ†Ø©", chunk_id="1")]))
    >>> [(found.code, found.severity, found.count) for found in check.report(part).findings]
    [('duplicate_id', 'error', 1), ('mojibake', 'error', 1), ('language_mix', 'info', 1)]
    """

    language: str = "ar"
    min_words: int = 4
    max_characters: int = 8000
    near_threshold: float = 0.9

    def __post_init__(self) -> None:
        if not 0.5 <= self.near_threshold <= 1.0:
            raise ConfigError(
                f"near_threshold is {self.near_threshold}",
                where="health check",
                expected="a number from 0.5 to 1",
                remedy="0.9 finds versions of one text",
            )
        for name in ("min_words", "max_characters"):
            if getattr(self, name) < 1:
                raise ConfigError(
                    f"{name} is {getattr(self, name)}",
                    where="health check",
                    expected="a whole number from 1 on",
                    remedy=f"leave {name} out for the default",
                )

    def scan(self, batch: Sequence[CorpusChunk]) -> HealthPart:
        """What is known of some chunks that follow one another in the corpus. Pure; never fails on any text."""
        part = HealthPart()
        scan_into(part, batch, normalizer_for(_PROFILES.get(self.language, "arabic")), self.min_words)
        return part

    def report(self, part: HealthPart) -> HealthReport:
        """Judge what was scanned; ``part`` may grow further afterwards."""
        return health_report(
            part,
            language=self.language,
            max_characters=self.max_characters,
            near_threshold=self.near_threshold,
        )
