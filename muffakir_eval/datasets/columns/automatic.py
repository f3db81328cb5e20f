"""Which known name each column goes by, where the user has not said.

Two names mean different things in different files, and what stands beside them decides:

**answer** is the gold answer, unless a reference column (``ground_truth``, ``reference``,
``expected_answer``, ``gold_answer`` and their kin, or the column that a mapping gives as the answer)
stands beside it; then it is the system's.

**contexts** is gold, unless ``answer`` is the system's by that rule. Such a file is in the style of
Ragas (``question``, ``answer``, ``contexts``, ``ground_truth``), where ``contexts`` is what was
*retrieved*. It stays gold where a column says outright that it holds what was retrieved
(``retrieved_contexts`` and its kin). ``context``, in the singular, is always gold.

Both decisions are written into the notes, and the mapping shows their outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from muffakir_eval.datasets.columns.aliases import (
    ANSWER_NAMES,
    ANSWER_SINGULAR,
    LATENCY_NAMES,
    SAMPLE_ID_NAMES,
    TIERS,
    fold_name,
)
from muffakir_eval.datasets.columns.explicit import listed
from muffakir_eval.errors import DatasetColumnError

__all__ = ["Assignment", "assign", "question_columns"]


def _folded(names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(fold_name, names.split())))


_TIERS = {name: tuple(map(_folded, tiers)) for name, tiers in TIERS.items()}
_ANSWER, _SINGULAR = frozenset(_folded(ANSWER_NAMES)), frozenset(_folded(ANSWER_SINGULAR))
_ORDERED = {"sample_id": _folded(SAMPLE_ID_NAMES), "pipeline_latency_ms": _folded(LATENCY_NAMES)}
_WEAK_TIER = {"question": 1, "contexts": 2, "chunk_ids": 2, "source_file": 1}
"""Position of the weak tier, for the fields that have one."""
_DEEPEVAL = frozenset({"actualoutput", "expectedoutput", "retrievalcontext"})
_OUTPUTS = frozenset({"predicted_answer", "retrieved_contexts", "retrieved_chunk_ids"})


@dataclass(slots=True)
class Assignment:
    """Columns by field, as they are being found.

    Attributes:
        where: The file, for messages.
        free: Columns that no field has yet.
        fields: Columns by field.
        sets: The keys of the rows, where each row has its own.
        notes: Decisions that a user may want to know of.
    """

    where: str
    free: list[str]
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sets: Sequence[Sequence[str]] = ()
    notes: list[str] = field(default_factory=list)

    def take(self, name: str, columns: Iterable[str]) -> None:
        """Give ``columns`` to the field ``name``."""
        self.fields[name] = tuple(columns)
        self.free = [column for column in self.free if column not in self.fields[name]]

    def named(self, names: Iterable[str]) -> list[str]:
        """The free columns of these folded names, in the order of the file."""
        wanted = frozenset(names)
        return [column for column in self.free if fold_name(column) in wanted]


def question_columns(columns: Sequence[str]) -> list[str]:
    """The columns that can be the question: of the strong names, or else of the weak ones."""
    strong, weak = _TIERS["question"]
    names = {column: fold_name(column) for column in columns}
    found = [column for column in columns if names[column] in strong]
    if found:
        return found
    if _DEEPEVAL.intersection(names.values()):
        found = [column for column in columns if names[column] == "input"]
    return found or [column for column in columns if names[column] in weak]


def assign(assignment: Assignment, *, system_answer_mapped: bool) -> None:
    """Find a column for every field that has none yet.

    Args:
        assignment: Holds what the user mapped; changed in place.
        system_answer_mapped: The user gave a column named ``answer`` to the system's answer.

    Raises:
        DatasetColumnError: Several columns claim one field.
    """
    if "question" not in assignment.fields:
        found = question_columns(assignment.free)
        if found:
            assignment.take("question", _one("question", found, assignment))
    _take_first_tier("retrieved_contexts", assignment)
    _take_first_tier("retrieved_chunk_ids", assignment)
    ragas_style = _answers(assignment) or system_answer_mapped
    _take_first_tier("predicted_answer", assignment)
    if ragas_style and "retrieved_contexts" not in assignment.fields:
        _ragas_contexts(assignment)
    for name in ("contexts", "chunk_ids", "grades", "answerable", "source_file", "metadata"):
        _take_first_tier(name, assignment)
    _take_ordered("sample_id", assignment)
    if _OUTPUTS & assignment.fields.keys():  # without an output there is nothing that these describe
        _take_first_tier("retrieved_sources", assignment)
        _take_first_tier("retrieved_scores", assignment)
        _take_ordered("pipeline_latency_ms", assignment)


def _take_first_tier(name: str, assignment: Assignment) -> None:
    if name in assignment.fields:
        return
    for position, tier in enumerate(_TIERS[name]):
        found = assignment.named(tier)
        if not found:
            continue
        if position < _WEAK_TIER.get(name, len(_TIERS[name])):
            assignment.take(name, _one(name, found, assignment))
            return
        if name == "chunk_ids" and "contexts" in assignment.fields:
            assignment.notes.append(
                f"{listed(found)} kept as metadata: not known to identify a passage; "
                f'if it does, pass column_mapping={{"chunk_ids": {found[0]!r}}}'
            )
        elif len(found) > 1:
            assignment.notes.append(
                f"{listed(found)} kept as metadata: each could be {name!r}; "
                f'to use one, pass column_mapping={{"{name}": {found[0]!r}}}'
            )
        else:
            assignment.take(name, found)
        return


def _answers(assignment: Assignment) -> bool:
    """Settle the gold and the system's answer; returns whether ``answer`` is the system's."""
    plain = assignment.named(_ANSWER)
    references = assignment.named(_TIERS["answers"][0])
    if "answers" not in assignment.fields:
        if not references:
            if plain:
                assignment.take("answers", _one("answers", plain, assignment))
                if fold_name(plain[0]) in _SINGULAR:
                    assignment.notes.append(
                        f"{plain[0]!r} is read as the gold answer; if it is the system's, "
                        f'pass column_mapping={{"predicted_answer": {plain[0]!r}}}'
                    )
            return False
        several = [column for column in plain if fold_name(column) not in _SINGULAR]
        assignment.take("answers", _one("answers", [*references, *several], assignment))
    reference = assignment.fields["answers"][0]
    plain = [column for column in assignment.named(_SINGULAR) if column in assignment.free]
    if not plain or "predicted_answer" in assignment.fields:
        return False
    also = assignment.named(_TIERS["predicted_answer"][0])
    assignment.take("predicted_answer", _one("predicted_answer", [*plain, *also], assignment))
    assignment.notes.append(
        f"{plain[0]!r} is read as the system's answer, as the reference {reference!r} stands beside it"
    )
    return True


def _ragas_contexts(assignment: Assignment) -> None:
    found = assignment.named({"contexts"})
    if found and "contexts" not in assignment.fields:
        assignment.take("retrieved_contexts", _one("retrieved_contexts", found, assignment))
        assignment.notes.append(
            f"{found[0]!r} is read as what was retrieved, as in Ragas files, since 'answer' is the system's; "
            f'if it is gold, pass column_mapping={{"contexts": {found[0]!r}}}'
        )


def _take_ordered(name: str, assignment: Assignment) -> None:
    if name in assignment.fields:
        return
    for candidate in _ORDERED[name]:
        found = assignment.named({candidate})
        if found:
            assignment.take(name, _one(name, found, assignment))
            return


def _one(name: str, found: Sequence[str], assignment: Assignment) -> Sequence[str]:
    """The columns of ``found`` if they are one name, or a name and its plural; the plural comes first."""
    if len(found) == 1:
        return found
    longest = max(found, key=lambda column: len(fold_name(column)))
    if len(found) == 2:
        other = next(column for column in found if column != longest)
        if fold_name(longest) == f"{fold_name(other)}s":
            return (longest, other)
    if assignment.sets and all(len(set(keys).intersection(found)) < 2 for keys in assignment.sets):
        assignment.notes.append(f"{listed(found)} are all {name!r}: no row has more than one of them")
        return found
    raise DatasetColumnError(
        f"several columns could be {name!r}: {listed(found)}",
        where=assignment.where,
        remedy=f'pass column_mapping={{"{name}": {found[0]!r}}} (or another of them)',
    )
