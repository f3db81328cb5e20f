"""Which column of labelled pairs is the gold passage, the chunk and the label."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from muffakir_eval.datasets.columns.aliases import fold_name
from muffakir_eval.datasets.columns.explicit import find_column, listed, missing_column
from muffakir_eval.errors import ConfigError, DatasetColumnError

__all__ = ["FIELDS", "NAMES", "label_columns", "pair_columns"]

FIELDS = ("gold", "chunk", "label")

NAMES: dict[str, tuple[str, ...]] = {
    "gold": (
        """gold  gold_context  gold_passage  gold_text  gold_chunk  gold_evidence  golden_context  reference
           reference_context  reference_text  ground_truth_context  expected_context  evidence
           المرجع  النص_المرجعي  المقطع_المرجعي  السياق_المرجعي  السياق_الذهبي  النص_الذهبي  المقطع_الذهبي  الدليل""",
        "context  contexts  السياق  سياق",
    ),
    "chunk": (
        """retrieved  retrieved_chunk  retrieved_context  retrieved_text  retrieved_passage  retrieved_document
           المقطع_المسترجع  النص_المسترجع  السياق_المسترجع  المسترجع""",
        "chunk  chunk_text  candidate  المقطع  القطعة",
        "passage  text  document  paragraph  النص  الفقرة",
    ),
    "label": (
        "label  relevant  is_relevant  relevance  is_match  الصلة  ذو_صلة  له_صلة  وثيق_الصلة  التصنيف  الوسم",
        "match  matches  human  judgement  judgment  verdict  target  الحكم  مطابق  صلة",
    ),
}
"""Names in tiers: the first tier with a column in the file wins, and two columns of one tier are an error."""

_KEYS = {"context": "gold", "reference": "gold", "retrieved": "chunk", "relevant": "label"}
"""Further names of the fields in a mapping."""

_TIERS = {
    field: [frozenset(fold_name(name) for name in tier.split()) for tier in tiers] for field, tiers in NAMES.items()
}


def label_columns(columns: Sequence[str], mapping: Mapping[str, str] | None) -> list[str]:
    """The columns that can be the label; none where this is no table of labelled pairs.

    >>> label_columns(["المرجع", "المقطع", "الصلة"], None), label_columns(["السؤال"], None)
    (['الصلة'], [])
    """
    for key, column in (mapping or {}).items():
        if _field(key) == "label":
            found = find_column(str(column), columns)
            return [] if found is None else [found]
    return _by_name("label", columns)


def pair_columns(
    columns: Sequence[str],
    mapping: Mapping[str, str] | None,
    *,
    where: str,
    repeated: frozenset[str] = frozenset(),
) -> dict[str, tuple[str, ...]]:
    """The column of each field.

    Args:
        columns: Names as they stand in the file.
        mapping: Field to column, as the user says; it wins.
        where: The file, for messages.
        repeated: Names that several columns of the file bear.

    Raises:
        ConfigError: The mapping names a field that does not exist.
        DatasetColumnError: A field has no column, or several could be meant.

    >>> pair_columns(["context", "retrieved", "Relevant"], None, where="pairs.csv")
    {'gold': ('context',), 'chunk': ('retrieved',), 'label': ('Relevant',)}
    """
    chosen = _mapped(columns, mapping or {}, where)
    for field in FIELDS:
        if field in chosen:
            continue
        free = [column for column in columns if column not in chosen.values()]
        found = _by_name(field, free)
        if len(found) > 1:
            raise DatasetColumnError(
                f"several columns could be the {field}: {listed(found)}",
                where=where,
                remedy=f'say which one with column_mapping={{"{field}": {found[0]!r}}}',
            )
        if not found:
            raise _missing(field, columns, where)
        chosen[field] = found[0]
    for field, column in chosen.items():
        if column in repeated:
            raise DatasetColumnError(
                f"several columns are called {column!r}, so which one is the {field} cannot be told",
                where=where,
                remedy="give every column a name of its own",
            )
    return {field: (chosen[field],) for field in FIELDS}


def _field(key: str) -> str | None:
    folded = fold_name(str(key))
    return next((field for name, field in {**{one: one for one in FIELDS}, **_KEYS}.items() if name == folded), None)


def _mapped(columns: Sequence[str], mapping: Mapping[str, str], where: str) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for key, name in mapping.items():
        field = _field(key)
        if field is None:
            near = difflib.get_close_matches(str(key).lower(), [*FIELDS, *_KEYS], n=1)
            raise ConfigError(
                f"column_mapping names the field {key!r}, which does not exist",
                where=where,
                expected="field -> column, such as {'gold': 'my passages'}",
                remedy=(f"did you mean {near[0]!r}? " if near else "") + f"the fields are {', '.join(FIELDS)}",
            )
        column = find_column(str(name), columns)
        if column is None:
            raise missing_column(str(name), columns, where=where)
        if column in chosen.values() or field in chosen:
            raise DatasetColumnError(
                f"column_mapping gives the {field} or the column {column!r} twice",
                where=where,
                expected="one column for each of gold, chunk and label",
            )
        chosen[field] = column
    return chosen


def _by_name(field: str, columns: Sequence[str]) -> list[str]:
    tiers = ([column for column in columns if fold_name(column) in tier] for tier in _TIERS[field])
    return next((found for found in tiers if found), [])


_EXAMPLES = {
    "gold": "gold, context, reference or المرجع",
    "chunk": "chunk, retrieved or المقطع",
    "label": "label, relevant or الصلة",
}


def _missing(field: str, columns: Sequence[str], where: str) -> DatasetColumnError:
    return DatasetColumnError(
        f"no column holds the {field}; the columns are {listed(columns)}",
        where=where,
        expected=f"a column called {_EXAMPLES[field]}",
        remedy=f'name it with column_mapping={{"{field}": "<its name>"}}',
    )
