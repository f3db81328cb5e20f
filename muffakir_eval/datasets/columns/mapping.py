"""From the columns of a file to the fields of a sample, once per dataset."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from muffakir_eval.datasets.columns.aliases import ANSWER_SINGULAR, INVERTED_NAMES, TIERS, fold_name
from muffakir_eval.datasets.columns.automatic import Assignment, assign, question_columns
from muffakir_eval.datasets.columns.explicit import (
    ExplicitMapping,
    find_column,
    listed,
    missing_column,
    read_mapping,
)
from muffakir_eval.errors import DatasetColumnError
from muffakir_eval.records.rows import OWN_COLUMNS, REFERENCE_COLUMNS

__all__ = ["ColumnMap", "MappingOptions", "map_columns", "question_names"]

_SINGULAR = frozenset(map(fold_name, ANSWER_SINGULAR.split()))
_INVERTED = frozenset(map(fold_name, INVERTED_NAMES.split()))
_QUESTIONS = [name for tier in TIERS["question"] for name in tier.split()]
_OWN_MARKS = frozenset({"transformed_query", "query_transform_strategy", "gold_answer", "retrieved_previews", "run_id"})
_DETAILED_MARKS = frozenset({"run_id", "sample_result"})
"""What the run found, in our own ``samples.jsonl``; everything else in it is a question set."""
_OWN_RECORDED = (
    "retrieved_previews",
    "transformed_query",
    "query_transform_strategy",
    "error",
    "stage_timings_ms",
    "answer_refusal",
)
_PAIRED = ("answers", "contexts", "chunk_ids", "question", "source_file", "retrieved_contexts", "retrieved_chunk_ids")


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingOptions:
    """What the user says about columns."""

    column_mapping: Mapping[str, str | Sequence[str]] | None = None
    id_columns: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMap:
    """Columns by field.

    Attributes:
        fields: Columns by field, in the order in which they are read.
        paired: Fields whose two columns are a name and its plural, which say the same; other fields
            with several columns hold what they have together.
        inverted: Columns of which ``true`` means "cannot be answered".
        composed_id: ``sample_id`` is made of its columns together.
        own: The file is a ``samples.csv`` of ours.
        dropped: Columns that are results of an earlier run and no part of the dataset.
        notes: Decisions that a user may want to know of.
    """

    fields: Mapping[str, tuple[str, ...]]
    paired: frozenset[str] = frozenset()
    inverted: frozenset[str] = frozenset()
    composed_id: bool = False
    own: bool = False
    dropped: frozenset[str] = frozenset()
    notes: tuple[str, ...] = field(default=())

    @property
    def columns(self) -> frozenset[str]:
        """Every column that a field is read from, but for those that only make up the identifier."""
        return frozenset(
            column
            for name, columns in self.fields.items()
            if not (name == "sample_id" and self.composed_id)
            for column in columns
        )


def question_names(columns: Sequence[str], options: MappingOptions) -> list[str]:
    """The columns that can be the question; none where these are not the columns of a question set.

    >>> question_names(["السؤال", "الإجابة"], MappingOptions()), question_names(["Response"], MappingOptions())
    (['السؤال'], [])
    """
    for key, value in (options.column_mapping or {}).items():
        names = [value] if isinstance(value, str) else list(value or ())
        found = None
        if names and fold_name(str(key)) == "question":
            found = find_column(names[0], columns)
        elif names and fold_name(names[0]) == "question":
            found = find_column(str(key), columns)
        if found is not None:
            return [found]
    return question_columns(columns)


def map_columns(
    columns: Sequence[str],
    options: MappingOptions,
    *,
    where: str,
    repeated: frozenset[str] = frozenset(),
    sets: Sequence[Sequence[str]] = (),
) -> ColumnMap:
    """Decide what every column of a file is.

    Args:
        columns: Names as they stand in the file.
        options: What the user says; it wins.
        where: The file, for messages.
        repeated: Names that several columns of the file bear.
        sets: The keys of its rows, where each row has its own.

    Raises:
        DatasetColumnError: There is no question, or several columns claim one field, or the mapping
            names what is not there.
    """
    explicit = (
        read_mapping(options.column_mapping, columns, where=where)
        if options.column_mapping
        else ExplicitMapping({}, frozenset())
    )
    own = frozenset(columns) >= _OWN_MARKS
    fields = dict(explicit.fields)
    if options.id_columns:
        fields["sample_id"] = _id_columns(options.id_columns, columns, where)
    composed = bool(options.id_columns) or len(fields.get("sample_id", ())) > 1
    taken = {column for name, names in fields.items() if not (name == "sample_id" and composed) for column in names}
    assignment = Assignment(where=where, free=[name for name in columns if name not in taken], fields=fields, sets=sets)
    if own:
        _take_own(assignment)
    predicted = fields.get("predicted_answer", ())
    assign(assignment, system_answer_mapped=any(fold_name(name) in _SINGULAR for name in predicted))
    if "question" not in assignment.fields:
        raise _no_question(columns, where)
    mapped = assignment.fields
    _refuse_repeated(mapped, repeated, where)
    answerable = mapped.get("answerable", ())
    return ColumnMap(
        fields=mapped,
        paired=frozenset(name for name in _PAIRED if _is_pair(mapped.get(name, ()))),
        inverted=explicit.inverted | {name for name in answerable if fold_name(name) in _INVERTED},
        composed_id=composed,
        own=own,
        dropped=frozenset({*REFERENCE_COLUMNS, *OWN_COLUMNS, "run_id"}) if own else _results(columns),
        notes=tuple(assignment.notes),
    )


def _results(columns: Sequence[str]) -> frozenset[str]:
    return _DETAILED_MARKS if frozenset(columns) >= _DETAILED_MARKS else frozenset()


def _is_pair(columns: Sequence[str]) -> bool:
    """They are the plural and the singular of one name, in this order."""
    return len(columns) == 2 and fold_name(columns[0]) == f"{fold_name(columns[1])}s"


def _id_columns(names: Sequence[str], columns: Sequence[str], where: str) -> tuple[str, ...]:
    found = []
    for name in names:
        column = find_column(name, columns)
        if column is None:
            raise missing_column(name, columns, where=where, option="id_columns")
        found.append(column)
    return tuple(found)


def _take_own(assignment: Assignment) -> None:
    """The columns that only our own ``samples.csv`` has; everything else goes by its name."""
    for name in _OWN_RECORDED:
        if name in assignment.free:
            assignment.take(name, (name,))


def _refuse_repeated(fields: Mapping[str, tuple[str, ...]], repeated: frozenset[str], where: str) -> None:
    for name, names in fields.items():
        for column in names:
            if column in repeated:
                raise DatasetColumnError(
                    f"several columns are called {column!r}, so which one is {name!r} cannot be told",
                    where=where,
                    remedy="give every column a name of its own",
                )


def _no_question(columns: Sequence[str], where: str) -> DatasetColumnError:
    near = [
        column
        for column in columns
        if difflib.get_close_matches(fold_name(column), map(fold_name, _QUESTIONS), n=1, cutoff=0.8)
    ]
    named = near[0] if near else "<your question column>"
    hint = ""
    if len(columns) == 4 and fold_name(columns[1]) == "q0":
        hint = "this looks like TREC relevance judgements, which hold no question texts; "
    return DatasetColumnError(
        f"no column holds the question; the columns are {listed(columns)}",
        where=where,
        expected="names of columns in the first row, or keys, such as question, query, user_input or السؤال",
        remedy=f'{hint}pass column_mapping={{"question": {named!r}}}; a file without questions, such as one of '
        "passages or of answers alone, is no question set",
    )
