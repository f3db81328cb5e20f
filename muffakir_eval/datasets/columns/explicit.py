"""The user's ``column_mapping``, read and checked against the columns of the file."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from muffakir_eval.datasets.cells.text import shown
from muffakir_eval.datasets.columns.aliases import FIELD_KEYS, FIELDS, INVERTED_NAMES, fold_name
from muffakir_eval.errors import DatasetColumnError

__all__ = ["ExplicitMapping", "find_column", "listed", "missing_column", "read_mapping"]

_KEYS = {fold_name(key): field for key, field in {**FIELD_KEYS, **{field: field for field in FIELDS}}.items()}
_INVERTED = frozenset(fold_name(name) for name in INVERTED_NAMES.split())
_ONE_COLUMN = frozenset({"question", "grades", "source_file", "answerable", "predicted_answer", "pipeline_latency_ms"})


@dataclass(frozen=True, slots=True)
class ExplicitMapping:
    """What the user said.

    Attributes:
        fields: Columns by field.
        inverted: Columns of which ``true`` means "cannot be answered".
    """

    fields: Mapping[str, tuple[str, ...]]
    inverted: frozenset[str]


def find_column(name: str, columns: Sequence[str]) -> str | None:
    """The column that ``name`` means: the same text, else the only one of the same folded spelling.

    A dotted name whose first part is a column reaches into the objects in it and is returned as it is.

    >>> find_column("ground truth", ["Question", "Ground_Truth"])
    'Ground_Truth'
    >>> find_column("expected.article", ["question", "expected"])
    'expected.article'
    """
    if name in columns:
        return name
    folded = fold_name(name)
    alike = [column for column in columns if fold_name(column) == folded]
    if len(alike) == 1:
        return alike[0]
    if "." in name and any(name.startswith(f"{column}.") for column in columns):
        return name
    return None


def missing_column(
    name: str, columns: Sequence[str], *, where: str, option: str = "column_mapping"
) -> DatasetColumnError:
    """The error for a column that the user named and the file does not have."""
    near = difflib.get_close_matches(name, columns, n=1, cutoff=0.5)
    remedy = f"did you mean {near[0]!r}? " if near else ""
    return DatasetColumnError(
        f"{option} names the column {name!r}, which is not there",
        where=where,
        remedy=f"{remedy}the columns are {listed(columns)}",
    )


def listed(columns: Iterable[str], limit: int = 30) -> str:
    """Column names as a list in a message."""
    names = [shown(column) for column in columns]
    rest = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {rest} more" if rest > 0 else "")


def read_mapping(mapping: Mapping[str, str | Sequence[str]], columns: Sequence[str], *, where: str) -> ExplicitMapping:
    """Read ``field -> column`` (or ``field -> [columns]``), or else the reverse.

    The mapping is read as a whole: as ``field -> column`` where that is possible, and as
    ``column -> field`` only where it is not.

    Raises:
        DatasetColumnError: A column does not exist (with the nearest one that does), a field is
            unknown, or two fields claim one column.
    """
    pairs = [(str(key), _several(str(key), value, where)) for key, value in mapping.items()]
    names_fields = all(fold_name(key) in _KEYS for key, _ in pairs)
    missing = [name for _, names in pairs for name in names if find_column(name, columns) is None]
    if names_fields and not missing:
        return _checked(pairs, columns, where)
    if _is_reverse(pairs, columns):
        return _checked(_turned(pairs), columns, where)
    raise missing_column(missing[0], columns, where=where) if names_fields else _unreadable(pairs, columns, where)


def _several(key: str, value: object, where: str) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, tuple)):
        return [str(name) for name in value]
    raise DatasetColumnError(
        f"column_mapping gives {key!r} the value {shown(value)}",
        where=where,
        expected="the name of a column, or a list of names",
        remedy='leave the entry out; to have a column left alone, pass column_mapping={"metadata": "its name"}',
    )


def _is_reverse(pairs: Sequence[tuple[str, list[str]]], columns: Sequence[str]) -> bool:
    return all(
        len(names) == 1 and fold_name(names[0]) in _KEYS and find_column(key, columns) is not None
        for key, names in pairs
    )


def _turned(pairs: Sequence[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    turned: dict[str, list[str]] = {}
    for column, (field,) in pairs:
        turned.setdefault(field, []).append(column)
    return list(turned.items())


def _checked(pairs: Sequence[tuple[str, list[str]]], columns: Sequence[str], where: str) -> ExplicitMapping:
    fields: dict[str, tuple[str, ...]] = {}
    inverted: set[str] = set()
    claimed: dict[str, str] = {}
    for key, names in pairs:
        field = _KEYS[fold_name(key)]
        found = [column for name in names if (column := find_column(name, columns)) is not None]
        for column in found:
            if column in claimed:
                raise DatasetColumnError(
                    f"column_mapping gives the column {column!r} to {claimed[column]!r} and to {key!r}",
                    where=where,
                    remedy="map it to one of them",
                )
            claimed[column] = key
        if fold_name(key) in _INVERTED:
            inverted.update(found)
        fields[field] = (*fields.get(field, ()), *found)
    for field, columns_of in fields.items():
        if field in _ONE_COLUMN and len(columns_of) > 1:
            raise DatasetColumnError(
                f"column_mapping gives {field!r} the columns {listed(columns_of)}",
                where=where,
                expected=f"one column for {field!r}",
                remedy="choose one of them",
            )
    return ExplicitMapping({field: found for field, found in fields.items() if found}, frozenset(inverted))


def _unreadable(pairs: Sequence[tuple[str, list[str]]], columns: Sequence[str], where: str) -> DatasetColumnError:
    """No reading fits: say what is wrong with the first entry that is no field."""
    turned = [pair for pair in pairs if fold_name(pair[0]) not in _KEYS and _is_reverse([pair], columns)]
    if turned and len(turned) + sum(fold_name(key) in _KEYS for key, _ in pairs) == len(pairs):
        column, (field,) = turned[0]
        return DatasetColumnError(
            f"column_mapping goes both ways: {column!r} is a column and {field!r} a field, and other entries are the "
            "other way round",
            where=where,
            expected='field -> column, such as {"question": "my question column"}',
            remedy=f"write {{{field!r}: {column!r}}}",
        )
    name = next(key for key, _ in pairs if fold_name(key) not in _KEYS)
    if find_column(name, columns) is not None:  # meant as column -> field
        fields = [field for _, names in pairs for field in names if fold_name(field) not in _KEYS]
        name = fields[0] if fields else name
    known = list(dict.fromkeys(FIELD_KEYS))
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return DatasetColumnError(
        f"column_mapping names the field {name!r}, which does not exist",
        where=where,
        expected='field -> column, such as {"question": "my question column"}',
        remedy=(f"did you mean {near[0]!r}? " if near else "") + f"the fields are {', '.join(known)}",
    )
