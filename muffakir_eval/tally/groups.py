"""What a sample belongs to: the slices of a report, and the clusters of its intervals."""

from __future__ import annotations

import difflib
import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from muffakir_eval.errors import ConfigError
from muffakir_eval.records import Sample

__all__ = ["GroupBy", "Groups", "group_column", "group_value"]

_FIELDS = ("source_file", "answerable")
"""Fields of a sample that may be grouped by; everything else is looked up in its metadata."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupBy:
    """By what the samples are set apart, and how sure the figures shall be.

    Attributes:
        slice_by: Columns of the dataset; each gives every metric per value.
        cluster_column: Samples with the same value are not independent: intervals draw them together.
        confidence: Of the intervals, in (0, 1).
        seed: Of the draws.
    """

    slice_by: tuple[str, ...] = ()
    cluster_column: str | None = None
    confidence: float = 0.95
    seed: int = 0


def group_value(sample: Sample, column: str) -> str | None:
    """What ``sample`` has in a column that it is grouped by, ``None`` for nothing.

    A number is the same however a file writes it (3, 3.0), and the words of a list stand side by side.

    >>> sample = Sample(sample_id="1", question="؟", metadata={"dialect": "مصرية ", "hop": 2.0}, answerable=False)
    >>> [group_value(sample, column) for column in ("dialect", "answerable", "hop", "topic")]
    ['مصرية', 'false', '2', None]
    """
    value = getattr(sample, column) if column in _FIELDS else sample.metadata.get(column)
    return _text(value) or None


def group_column(name: str, samples: Sequence[Sample], mapping: Mapping[str, Any], *, where: str) -> str:
    """The column that ``name`` means: itself, or the field that was read from it.

    Args:
        name: As the user wrote it.
        samples: The questions.
        mapping: Field to the column of the dataset that it was read from.
        where: What the name was given for.

    Raises:
        ConfigError: No question has anything in it.
    """
    fields = {str(column): field for field, column in mapping.items() if isinstance(column, str)}
    for candidate in (name, fields.get(name, name)):
        if any(group_value(sample, candidate) is not None for sample in samples):
            return candidate
    names = sorted({column for sample in samples for column in sample.metadata} | set(_FIELDS))
    near = difflib.get_close_matches(name, [other for other in names if other != name], n=1)
    raise ConfigError(
        f"no question has anything in the column {name!r}",
        where=where,
        expected=f"a column of the dataset: {', '.join(names[:20])}",
        remedy=f"did you mean {near[0]!r}?" if near else "check the name, or leave the key out",
    )


def _text(value: object) -> str:
    if value is None or value != value:  # NaN is what an empty cell becomes in a frame
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (list, tuple)):
        return ", ".join(filter(None, map(_text, value)))
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return str(value).strip()


class Groups:
    """The values of one column, sample by sample, each value kept once."""

    def __init__(self) -> None:
        self._codes: dict[str | None, int] = {}
        self._members = array("q")

    def add(self, value: str | None) -> None:
        """Note the value of the next sample."""
        self._members.append(self._codes.setdefault(value, len(self._codes)))

    def members(self) -> Iterator[tuple[str | None, list[int]]]:
        """Each value with the places of its samples, the most frequent first."""
        places: list[list[int]] = [[] for _ in self._codes]
        for place, code in enumerate(self._members):
            places[code].append(place)
        named = zip(self._codes, places, strict=True)
        yield from sorted(named, key=lambda pair: (-len(pair[1]), pair[0] is None, pair[0] or ""))

    def labels(self) -> Sequence[int]:
        """The group of each sample as a number; one without a value is a group of its own."""
        nothing = self._codes.get(None)
        return [-1 - place if code == nothing else code for place, code in enumerate(self._members)]
