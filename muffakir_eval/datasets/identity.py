"""What a sample is called, and what to do when two are called the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from muffakir_eval.datasets.columns.explicit import listed
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.tables import RawTable
from muffakir_eval.errors import DatasetError, DatasetRowError
from muffakir_eval.records import Sample

__all__ = ["joined_id", "refuse_repeated"]

_SHOWN = 5
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
    samples: list[Sample], fields: Mapping[str, tuple[str, ...]], table: RawTable, findings: Findings
) -> list[Sample]:
    """The samples, once it is sure that each has an identifier of its own.

    Where bad rows are set aside, the first sample of each identifier stays and the others are set aside.

    Raises:
        DatasetError: Identifiers repeat; the message proposes columns that tell the rows apart.
    """
    first: dict[str, Sample] = {}
    repeated: dict[str, list[int]] = {}
    kept: list[Sample] = []
    for sample in samples:
        original = first.setdefault(sample.sample_id, sample)
        if original is sample:
            kept.append(sample)
        else:
            repeated.setdefault(sample.sample_id, [original.row]).append(sample.row)
    if not repeated:
        return samples
    base = fields.get("sample_id", ())
    remedy = _remedy(base, samples)
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


def _remedy(base: Sequence[str], samples: Sequence[Sample]) -> str:
    for extra in _telling_apart(samples):
        return f"give each row its own, or pass id_columns={json.dumps([*base, *extra], ensure_ascii=False)}"
    return "give each row its own, or pass id_columns=[…] with columns that together tell the rows apart"


def _telling_apart(samples: Sequence[Sample]) -> Iterator[tuple[str, ...]]:
    """Further columns that, with the identifier, are different in every row."""
    names = list(dict.fromkeys(name for sample in samples for name in sample.metadata))[:_CANDIDATES]
    texts = {name: [json.dumps(sample.metadata.get(name), sort_keys=True) for sample in samples] for name in names}
    names = [name for name in names if not _is_measurement(samples, name)]
    for size in (1, 2):
        for chosen in combinations(names, size):
            keys = zip([sample.sample_id for sample in samples], *(texts[name] for name in chosen), strict=True)
            if len(set(keys)) == len(samples):
                yield chosen


def _is_measurement(samples: Sequence[Sample], name: str) -> bool:
    """A column of fractions tells rows apart only by accident."""
    return any(isinstance(sample.metadata.get(name), float) for sample in samples)
