"""From judgements to the gold side of a sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muffakir_eval.datasets.dataset import EvaluationDataset
from muffakir_eval.text.identifiers import clean_id

__all__ = ["gold_fields", "matched_by_id", "relevant_ids"]


def relevant_ids(judged: Mapping[str, float]) -> list[str]:
    """The documents that were judged relevant, as they are compared."""
    return [clean_id(document) or "" for document, grade in judged.items() if grade > 0]


def gold_fields(judged: Mapping[str, float], texts: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The gold fields of the sample for one query.

    The relevant documents come first, then those that were judged and are not relevant: with their grade,
    they are no gold, and not forgotten either.

    Args:
        judged: Grades by document.
        texts: Texts by identifier, where they are known; a text that is not is empty.

    >>> gold_fields({"d1": 0, "d2": 2})
    {'chunk_ids': ('d2', 'd1'), 'grades': (2, 0)}
    """
    ordered = sorted(judged.items(), key=lambda item: item[1] <= 0)
    ids = tuple(clean_id(document) or "" for document, _ in ordered)
    fields: dict[str, Any] = {"chunk_ids": ids}
    if any(grade != 1 for _, grade in ordered):
        fields["grades"] = tuple(grade for _, grade in ordered)
    contexts = tuple((texts or {}).get(identifier, "") for identifier in ids)
    if any(contexts):
        fields["contexts"] = contexts
    return fields


def matched_by_id(dataset: EvaluationDataset) -> None:
    """Have a run compare identifiers, and say so."""
    dataset.match_by = "id"
    dataset.notes.append(
        "retrieved chunks are compared with the judgements by identifier alone; match_by='auto' compares texts too"
    )
