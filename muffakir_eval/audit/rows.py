"""What an audit says about one question, and the rows of its two tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from muffakir_eval.audit.questions import QuestionFate
from muffakir_eval.audit.records import Finding, Outcome, Place
from muffakir_eval.audit.wording import explained

__all__ = ["FINDING_COLUMNS", "QUESTION_COLUMNS", "QuestionAudit", "finding_rows", "question_audit"]

_PLACES = 5

FINDING_COLUMNS = (
    "code",
    "severity",
    "count",
    "total",
    "unit",
    "message",
    "remedy",
    "example",
    "place",
    "chunk_id",
    "source",
    "excerpt",
    "detail",
    "audit_id",
)
"""Columns of ``audit_findings.csv``: one row per example, and one for a finding without any."""

QUESTION_COLUMNS = (
    "sample_id",
    "row",
    "question",
    "source_file",
    "outcome",
    "message",
    "remedy",
    "first_relevant_rank",
    "n_golds",
    "gold_outcomes",
    "gold_ranks",
    "gold_place",
    "gold_chunk_id",
    "gold_source",
    "gold_places",
    "covered",
    "n_retrieved",
    "error",
    "audit_id",
)
"""Columns of ``audit_questions.csv``; lists are JSON in the cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAudit:
    """One question of the audit.

    Attributes:
        position: Its place in the dataset, from 0.
        sample_id: Of the dataset.
        row: Row as the spreadsheet or editor shows it.
        question: The question.
        source_file: The document that its gold comes from.
        outcome: ``found`` where every gold stands within k, else the outcome of its worst gold.
        message: The same in words, about the gold that decides.
        remedy: What to do; empty where there is nothing.
        first_relevant_rank: The first rank that holds any gold.
        gold_outcomes: The outcome of each gold.
        gold_ranks: The first rank that holds each gold, ``None`` where none does.
        places: The chunks that hold the gold that decides, whole or in parts: the first of them should have been
            retrieved.
        covered: Share of that gold's words that lie in these chunks; ``None`` for an identifier.
        n_retrieved: Chunks that came back, ``None`` where nobody was asked or that is not known.
        error: Why the retriever gave nothing.
    """

    position: int
    sample_id: str
    row: int
    question: str
    source_file: str | None
    outcome: Outcome
    message: str
    remedy: str
    first_relevant_rank: int | None
    gold_outcomes: tuple[Outcome, ...]
    gold_ranks: tuple[int | None, ...]
    places: tuple[Place, ...]
    covered: float | None
    n_retrieved: int | None
    error: str | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for ``audit.json``."""
        return asdict(self)

    def to_flat_dict(self) -> dict[str, Any]:
        """The row of ``audit_questions.csv``, without the ``audit_id``."""
        first = self.places[0] if self.places else None
        return {
            "sample_id": self.sample_id,
            "row": self.row,
            "question": self.question,
            "source_file": self.source_file,
            "outcome": self.outcome,
            "message": self.message,
            "remedy": self.remedy or None,
            "first_relevant_rank": self.first_relevant_rank,
            "n_golds": len(self.gold_outcomes),
            "gold_outcomes": list(self.gold_outcomes) if self.gold_outcomes else None,
            "gold_ranks": list(self.gold_ranks) if any(self.gold_ranks) else None,
            "gold_place": first and (first.place or None),
            "gold_chunk_id": first and first.chunk_id,
            "gold_source": first and first.source,
            "gold_places": [place.place for place in self.places] if len(self.places) > 1 else None,
            "covered": self.covered,
            "n_retrieved": self.n_retrieved,
            "error": self.error,
        }


def question_audit(fate: QuestionFate, *, k: int) -> QuestionAudit:
    """What there is to say about one question."""
    deciding, found, sample = fate.deciding, fate.retrieved, fate.sample
    reach = deciding.reach if deciding is not None else None
    message, remedy = explained(fate, k=k)
    known = found is not None and found.state in ("compared", "not_comparable")
    return QuestionAudit(
        position=fate.position,
        sample_id=sample.sample_id,
        row=sample.row,
        question=sample.question,
        source_file=sample.source_file,
        outcome=fate.outcome,
        message=message,
        remedy=remedy,
        first_relevant_rank=fate.first_rank,
        gold_outcomes=tuple(gold.outcome for gold in fate.golds),
        gold_ranks=tuple(gold.rank for gold in fate.golds),
        places=tuple(sighting.at for sighting in reach.sightings[:_PLACES]) if reach is not None else (),
        covered=reach.covered if reach is not None else None,
        n_retrieved=found.n_chunks if found is not None and known else None,
        error=found.error if found is not None else None,
    )


def finding_rows(findings: Iterable[Finding]) -> Iterator[dict[str, Any]]:
    """The rows of ``audit_findings.csv``, without the ``audit_id``."""
    for finding in findings:
        told = {name: getattr(finding, name) for name in FINDING_COLUMNS[:7]}
        if not finding.examples:
            yield told
        for number, example in enumerate(finding.examples, start=1):
            yield {
                **told,
                "example": number,
                "place": example.at.place or None,
                "chunk_id": example.at.chunk_id,
                "source": example.at.source,
                "excerpt": example.excerpt or None,
                "detail": example.detail or None,
            }
