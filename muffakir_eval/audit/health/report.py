"""The report: findings, most severe first, and figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from muffakir_eval.audit.health.characters import SCRIPTS
from muffakir_eval.audit.health.faults import CHECKS, TEXT_CHECKS
from muffakir_eval.audit.health.identifiers import identifier_findings
from muffakir_eval.audit.health.measures import statistics
from muffakir_eval.audit.health.part import HealthPart, Tally
from muffakir_eval.audit.health.repeats import boilerplate, repeats
from muffakir_eval.audit.health.shape import shape_findings
from muffakir_eval.audit.health.wording import Extent, finding
from muffakir_eval.audit.records import Finding

__all__ = ["HealthReport", "health_report"]

_SEVERITIES = ("error", "warning", "info")
_SMALL_PART = 0.01
"""Share of the corpus from which a part of it in another manner is worth a word."""
_FEWEST_YEARS = 3
_YEARS_RATIO = 3
_OF_ONE_CHUNK = (
    *("empty_chunk", "tiny_chunk"),
    *dict.fromkeys([*(check.code for check in CHECKS), *(code for code, _, _ in TEXT_CHECKS)]),
)


@dataclass(frozen=True, slots=True)
class HealthReport:
    """What the health check found.

    Attributes:
        findings: Most severe first, then by count.
        statistics: Figures of the corpus, fit for JSON.
    """

    findings: tuple[Finding, ...] = ()
    statistics: Mapping[str, Any] = field(default_factory=dict)

    def finding(self, code: str) -> Finding | None:
        """The finding with this code, ``None`` where there is none."""
        return next((found for found in self.findings if found.code == code), None)


def health_report(part: HealthPart, *, language: str, max_characters: int, near_threshold: float) -> HealthReport:
    """Judge a scanned corpus.

    Args:
        part: All of it.
        language: Of the corpus: ``ar``, ``fa``, ``ur``, ….
        max_characters: Length beyond which a chunk is oversized.
        near_threshold: Estimated Jaccard similarity of near duplicates.
    """
    repeated = repeats(part, near_threshold)
    findings = [
        *_of_one_chunk(part, language),
        *_of_the_corpus(part),
        *shape_findings(part, max_characters),
        *repeated.findings,
        *boilerplate(part),
        *identifier_findings(part),
    ]
    findings.sort(key=lambda found: (_SEVERITIES.index(found.severity), -found.count, found.code))
    figures = statistics(part)
    figures["repeats"] = {
        "redundant_chunks": repeated.redundant,
        "share_redundant": round(repeated.redundant / len(part), 6) if len(part) else None,
        "largest_group": repeated.largest,
        "near_threshold": near_threshold,
    }
    return HealthReport(tuple(findings), figures)


def _of_one_chunk(part: HealthPart, language: str) -> Iterator[Finding]:
    """Faults that a chunk shows by itself."""
    for code in _OF_ONE_CHUNK:
        tally = Tally()
        tally.add(part.tallies.get(code, Tally()))
        if code == "mixed_code_points":
            _add_other_keyboard(tally, part, language)
        if tally.count:
            yield finding(code, Extent(tally.count, len(part), tally.ruined), tally.examples)


def _add_other_keyboard(tally: Tally, part: HealthPart, language: str) -> None:
    """Chunks that no more mix letters, but use only those of the wrong keyboard for their language."""
    arabic, persian = _tally(part, "language:arabic"), _tally(part, "language:persian_or_urdu")
    if language not in {"fa", "ur"}:
        tally.add(_tally(part, "keys:arabic_text_persian_keys"))
    if persian.count > arabic.count or language in {"fa", "ur"}:
        tally.add(_tally(part, "keys:persian_text_arabic_keys"))


def _tally(part: HealthPart, name: str) -> Tally:
    return part.tallies.get(name, Tally())


def _of_the_corpus(part: HealthPart) -> Iterator[Finding]:
    """Parts of the corpus that differ from the rest."""
    yield from _minority("language_mix", part, {name: f"script:{name}" for name in SCRIPTS}, 1)
    digits = {name: f"digits:{name}" for name in ("european", "arabic", "persian")}
    yield from _minority("digits_mixed", part, digits, 1)
    vowels = {"with vowel signs": "vowels:full", "without": "vowels:not_full"}
    fewest = max(1, _SMALL_PART * sum(_tally(part, name).count for name in vowels.values()))
    yield from _minority("diacritics_mixed", part, vowels, fewest)
    backwards, years = part.totals["years_backwards"], part.totals["years"]
    many = backwards >= _FEWEST_YEARS and backwards > _YEARS_RATIO * years
    tally = _tally(part, "years:backwards" if many else "years:surely_backwards")
    if tally.count:
        more = f"{backwards:,} numbers are years only when read backwards, {years:,} as they stand"
        yield finding("reversed_digits", Extent(tally.count, len(part)), tally.examples, more)


def _minority(code: str, part: HealthPart, traits: Mapping[str, str], fewest: float) -> Iterator[Finding]:
    """A finding where chunks have another trait than most."""
    tallies = {name: _tally(part, trait) for name, trait in traits.items()}
    ranked = sorted(tallies.items(), key=lambda pair: -pair[1].count)
    others = [(name, tally) for name, tally in ranked[1:] if tally.count]
    count = sum(tally.count for _, tally in others)
    if count and count >= fewest:
        more = ", ".join(f"{name} {tally.count:,}" for name, tally in [ranked[0], *others])
        yield finding(
            code, Extent(count, len(part)), [example for _, tally in others for example in tally.examples], more
        )
