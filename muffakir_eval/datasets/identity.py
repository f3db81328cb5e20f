"""What a sample is called, and what to do when two are called the same."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from muffakir_eval.datasets.columns.explicit import listed
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.tables import RawTable
from muffakir_eval.errors import DatasetError, DatasetRowError
from muffakir_eval.records import Sample

__all__ = ["joined_id", "refuse_repeated"]

_SHOWN = 5
_FRACTION = re.compile(r"[-+]?\d*\.\d+(?:[eE][-+]?\d+)?%?")
_TIME = re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}[-/]\d{1,2}[-/]\d{4}|\d{1,2}:\d{2}")
_LONG = 60
_NATURAL_NAMES = """
    method lang language locale dialect file filename source document doc model system variant version split subset
    category type config run name setting اللغة لغة الملف المصدر النوع التصنيف الفئة الطريقة النموذج
"""
_NATURAL = frozenset(_NATURAL_NAMES.split())
_CANDIDATES = 20
"""So many further columns are tried in a search for some that make the rows unique."""


def joined_id(parts: Sequence[str | None]) -> str:
    r"""Several identifiers as one; different parts never give the same.

    >>> joined_id(["q1", "raw"]), joined_id(["a|b", None])
    ('q1|raw', 'a\\|b|')
    """
    if len(parts) == 1:
        return parts[0] or ""
    return "|".join((part or "").replace("\\", "\\\\").replace("|", "\\|") for part in parts)


def refuse_repeated(
    samples: list[Sample],
    table: RawTable,
    findings: Findings,
    fields: Mapping[str, tuple[str, ...]],
    columns: Collection[str] = (),
) -> list[Sample]:
    """The samples, once it is sure that each has an identifier of its own.

    Args:
        samples: All of them.
        table: Where they come from.
        findings: Where repeated ones go.
        fields: Columns by field; empty where there are no columns that could be named.
        columns: Those that went into the metadata.

    Where bad rows are set aside, the first sample of each identifier stays and the others are set aside.

    Raises:
        DatasetError: Identifiers repeat; the message proposes columns that tell the rows apart.
    """
    if len({sample.sample_id for sample in samples}) == len(samples):
        return samples
    first: dict[str, Sample] = {}
    repeated: dict[str, list[int]] = {}
    kept: list[Sample] = []
    for sample in samples:
        original = first.setdefault(sample.sample_id, sample)
        if original is sample:
            kept.append(sample)
        else:
            repeated.setdefault(sample.sample_id, [original.row]).append(sample.row)
    base = fields.get("sample_id", ())
    remedy = _remedy(base, fields.get("source_file", ()), columns, samples)
    if findings.fail_fast:
        told = [f"{name!r} ({table.unit}s {', '.join(map(str, rows))})" for name, rows in repeated.items()]
        rest = f" and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
        raise DatasetError(
            f"{len(told)} identifier{'s are' if len(told) > 1 else ' is'} used more than once: "
            f"{', '.join(told[:_SHOWN])}{rest}",
            where=f"{table.source}, column {listed(base)}" if base else table.source,
            remedy=remedy,
        )
    for name, rows in repeated.items():
        for row in rows[1:]:
            findings.reject(
                DatasetRowError(
                    f"the identifier {name!r} is used before, in {table.unit} {rows[0]}",
                    row=row,
                    column=base[0] if base else None,
                    where=table.source,
                    remedy=remedy,
                    place=table.place(row),
                )
            )
    return kept


def _remedy(base: Sequence[str], source: Sequence[str], columns: Collection[str], samples: Sequence[Sample]) -> str:
    if not base:
        return "give each a sample_id of its own"
    for extra in _telling_apart(source, columns, samples):
        return f"give each row its own, or pass id_columns={json.dumps([*base, *extra], ensure_ascii=False)}"
    return "give each row its own, or pass id_columns=[…] with columns that together tell the rows apart"


def _telling_apart(
    source: Sequence[str], columns: Collection[str], samples: Sequence[Sample]
) -> Iterator[tuple[str, ...]]:
    """Further columns that, with the identifier, are different in every row; the most natural ones first."""
    values: dict[str, list[Any]] = {name: [sample.source_file for sample in samples] for name in source}
    values |= {name: [sample.metadata.get(name) for sample in samples] for name in columns}
    ranks = {name: rank for name, found in values.items() if (rank := _strangeness(name, found)) is not None}
    names = sorted(ranks, key=lambda name: ranks[name])[:_CANDIDATES]
    texts = {name: [json.dumps(value, sort_keys=True) for value in values[name]] for name in names}
    for size in (1, 2):
        for chosen in combinations(names, size):
            keys = zip([sample.sample_id for sample in samples], *(texts[name] for name in chosen), strict=True)
            if len(set(keys)) == len(samples):
                yield chosen


def _strangeness(name: str, values: Sequence[Any]) -> int | None:
    """How odd it would be to call rows by a column: 0 for a natural one, ``None`` where it is out of the question.

    Measurements, times and long texts tell rows apart only by accident.
    """
    filled = [str(value) for value in values if value is not None]
    if not filled or any(isinstance(value, (float, list, dict)) for value in values):
        return None
    if all(map(_FRACTION.fullmatch, filled)):
        return None
    if all(map(_TIME.match, filled)) or any(len(text) > _LONG for text in filled):
        return 2
    return 0 if _NATURAL.intersection(re.split(r"[\W_]+", name.casefold())) else 1
