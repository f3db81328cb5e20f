"""Was the evidence there when the model refused, and did it answer without?"""

from __future__ import annotations

from muffakir_eval.records import SampleResult
from muffakir_eval.refusals import refusal_cell

__all__ = ["EVIDENCE_ROWS", "EvidenceTable", "evidence_row"]

EVIDENCE_ROWS = ("retrieved", "not_retrieved", "unknown")
_STATES = ("answered", "partial", "refused", "empty")


def evidence_row(result: SampleResult, k: int) -> str:
    """Whether the first ``k`` chunks hold gold evidence.

    ``unknown`` where there is no gold, the chunks are not known, or the two cannot be compared.
    """
    unknown = not result.sample.golds or result.output.chunks is None
    if unknown or any(score.reason == "not_comparable" for score in result.scores.values()):
        return "unknown"
    return "retrieved" if any(match.relevant for match in result.matches[:k]) else "not_retrieved"


class EvidenceTable:
    """Answers by whether the evidence was retrieved and whether they refuse.

    Refused although it was retrieved: the model is too cautious. Refused where it was not: a gap of the
    corpus or of the retriever. Answered where it was not: the model speaks without evidence.

    Args:
        k: How many chunks are looked at.
    """

    def __init__(self, k: int) -> None:
        self._k = k
        self._counts = {row: dict.fromkeys(_STATES, 0) for row in EVIDENCE_ROWS}

    def add(self, result: SampleResult) -> None:
        """Count one sample; one without an answer does not count."""
        _, state = refusal_cell(result)
        if state in _STATES:
            self._counts[evidence_row(result, self._k)][state] += 1

    def merge(self, other: EvidenceTable) -> None:
        """Count everything that ``other`` has counted."""
        for row, states in other._counts.items():
            for state, count in states.items():
                self._counts[row][state] += count

    def counts(self) -> dict[str, dict[str, int]]:
        """Counts by ``retrieved``, ``not_retrieved`` and ``unknown``, and in each by state of the answer."""
        return {row: dict(states) for row, states in self._counts.items()}
