"""Identifiers: missing, used twice, ambiguous, or damaged on the way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from muffakir_eval.audit.health.part import MAX_EXAMPLES, HealthPart
from muffakir_eval.audit.health.wording import Extent, counted, finding
from muffakir_eval.audit.records import Finding, Severity
from muffakir_eval.matching.golds import source_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["identifier_findings"]

_KEPT_DIGITS = 15
_SCIENTIFIC = re.compile(r"\d[.,]\d+[eE]\+?\d{2,}")
_FEWEST_ROUNDED = 3


def identifier_findings(part: HealthPart) -> Iterator[Finding]:
    """What is wrong with the identifiers.

    Sources are compared as a run does (:func:`~muffakir_eval.matching.golds.source_name`).
    """
    import numpy as np

    n_chunks = len(part)
    present = part.ids.present()
    missing = np.flatnonzero(~present)
    if len(missing):
        severity: Severity = "info" if len(missing) == n_chunks else "warning"
        examples = [part.example(row, "no identifier") for row in missing[:MAX_EXAMPLES].tolist()]
        yield finding("missing_id", Extent(len(missing), n_chunks), examples, severity=severity)
    rows = np.flatnonzero(present)
    if not len(rows):
        return
    keys = np.fromiter((hash(part.ids[row]) for row in rows.tolist()), np.int64, len(rows))
    names = [source_name(source) for source in part.sources]
    codes = {name: code for code, name in enumerate(dict.fromkeys(names))}
    sources = np.array([codes[name] for name in names], np.int64)[part.source.numpy()[rows]]
    distinct, firsts, groups = np.unique(keys, return_index=True, return_inverse=True)
    yield from _twice(part, rows, groups, sources, len(distinct))
    yield from _in_several(part, rows, groups, sources, firsts)
    first_rows = rows[np.sort(firsts)]
    yield from _padded(part, first_rows)
    yield from _cut_digits(part, first_rows)


def _twice(
    part: HealthPart, rows: NDArray[np.int64], groups: NDArray[np.int64], sources: NDArray[np.int64], total: int
) -> Iterator[Finding]:
    """One identifier for several chunks of one document."""
    import numpy as np

    both = groups * (int(sources.max()) + 1) + sources
    _, firsts, inverse = np.unique(both, return_index=True, return_inverse=True)
    again = np.flatnonzero(firsts[inverse] != np.arange(len(rows)))
    if not len(again):
        return
    examples = [
        part.example(int(rows[row]), f"the same identifier as {part.named(int(rows[firsts[inverse[row]]]))}")
        for row in again[:MAX_EXAMPLES].tolist()
    ]
    affected = int(np.count_nonzero(np.isin(both, both[again])))
    count = len(np.unique(groups[again]))
    yield finding("duplicate_id", Extent(count, total, unit="ids"), examples, counted(affected, "chunk"))


def _in_several(
    part: HealthPart,
    rows: NDArray[np.int64],
    groups: NDArray[np.int64],
    sources: NDArray[np.int64],
    firsts: NDArray[np.int64],
) -> Iterator[Finding]:
    """One identifier in several documents."""
    import numpy as np

    other = sources != sources[firsts[groups]]
    ambiguous = np.unique(groups[other])
    if not len(ambiguous):
        return
    examples = []
    shown: set[int] = set()
    for row in np.flatnonzero(other).tolist():
        group = int(groups[row])
        if group not in shown and len(shown) < MAX_EXAMPLES:
            shown.add(group)
            first = part.place(int(rows[firsts[group]]))
            examples.append(part.example(int(rows[row]), f"also in {first.source or 'no source'} ({first.place})"))
        elif len(shown) == MAX_EXAMPLES:
            break
    yield finding("id_in_several_sources", Extent(len(ambiguous), len(firsts), unit="ids"), examples)


def _relaxed(identifier: str) -> str:
    """An identifier without leading zeros of its numbers, letter case and spaces.

    >>> _relaxed("Art-007 B"), _relaxed("0")
    ('art-7b', '0')
    """
    return re.sub(r"(?<![\d.])0+(?=\d)", "", re.sub(r"\s+", "", identifier)).casefold()


def _padded(part: HealthPart, rows: NDArray[np.int64]) -> Iterator[Finding]:
    """Different identifiers that would be the same if written in another form."""
    import numpy as np

    keys = np.fromiter((hash(_relaxed(part.ids[row] or "")) for row in rows.tolist()), np.int64, len(rows))
    _, firsts, groups, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    colliding = np.flatnonzero(firsts[groups] != np.arange(len(rows)))
    if len(colliding):
        examples = [
            part.example(
                int(rows[place]), f"{part.ids[rows[place]]!r} beside {part.ids[rows[firsts[groups[place]]]]!r}"
            )
            for place in colliding[:MAX_EXAMPLES].tolist()
        ]
        yield finding("padded_id", Extent(int(counts[counts > 1].sum()), len(rows), unit="ids"), examples)


def _cut_digits(part: HealthPart, rows: NDArray[np.int64]) -> Iterator[Finding]:
    """Long numbers that end in zeros from the sixteenth digit on, and numbers in scientific notation."""
    n_long, rounded, scientific = 0, [], []
    for row in rows.tolist():
        identifier = part.ids[row] or ""
        if len(identifier) > _KEPT_DIGITS and identifier.isdecimal():
            n_long += 1
            if not identifier[_KEPT_DIGITS:].strip("0"):
                rounded.append(row)
        elif _SCIENTIFIC.fullmatch(identifier):
            scientific.append(row)
    if len(rounded) < max(_FEWEST_ROUNDED, n_long):
        rounded = []
    cut = sorted([*rounded, *scientific])
    if cut:
        examples = [part.example(row, f"identifier {part.ids[row]!r}") for row in cut[:MAX_EXAMPLES]]
        yield finding("id_precision", Extent(len(cut), len(rows), unit="ids"), examples)
