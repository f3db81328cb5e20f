"""Texts that are in the corpus more than once, and lines that many chunks share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from muffakir_eval.audit.health.part import MAX_EXAMPLES, HealthPart
from muffakir_eval.audit.health.sketches import MIN_SHINGLES, SHINGLE, jaccard, near_groups
from muffakir_eval.audit.health.wording import Extent, counted, finding, percent
from muffakir_eval.audit.records import Finding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Repeats", "boilerplate", "repeats"]

_MANY = 5
_MANY_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Repeats:
    """The findings on repeated texts, and how many chunks are redundant.

    Attributes:
        findings: One for each way of being the same.
        redundant: Chunks that repeat an earlier one in any way.
        largest: Chunks of the largest group.
    """

    findings: list[Finding]
    redundant: int
    largest: int


def repeats(part: HealthPart, threshold: float) -> Repeats:
    """Find repeated texts; each redundant chunk counts once, in the strictest way in which it repeats another.

    Args:
        part: The corpus.
        threshold: Estimated Jaccard similarity from which two chunks are near duplicates.
    """
    import numpy as np

    rows = np.arange(len(part))
    raw = _first_of(part.raw.numpy(), rows)
    same = _first_of(part.same.numpy(), rows)
    near = _near(part, same, threshold)
    copies, respelled = raw != rows, (raw == rows) & (same != rows)
    alike = (same == rows) & (near != rows)
    found = [
        _group_finding(part, "exact_duplicate", raw, copies),
        _group_finding(part, "same_after_normalisation", same, respelled),
        _group_finding(part, "near_duplicate", near, alike),
    ]
    everything = near[same[raw]]
    largest = int(np.bincount(everything).max()) if len(rows) else 0
    redundant = int(np.count_nonzero(everything != rows))
    return Repeats([one for one in found if one], redundant, largest)


def _first_of(keys: NDArray[np.uint64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each row the first with its key; a key of 0 is that of no other."""
    import numpy as np

    _, firsts, groups = np.unique(keys, return_index=True, return_inverse=True)
    result: NDArray[np.int64] = np.where(keys == 0, rows, firsts[groups])
    return result


def _near(part: HealthPart, same: NDArray[np.int64], threshold: float) -> NDArray[np.int64]:
    """For each row the first that is near to it."""
    import numpy as np

    long = part.words.numpy() >= MIN_SHINGLES + SHINGLE - 1
    taking = np.flatnonzero((same == np.arange(len(part))) & long)
    return near_groups(part.sketch_rows(), taking, threshold)


def _group_finding(part: HealthPart, code: str, firsts: NDArray[np.int64], which: NDArray[np.bool_]) -> Finding | None:
    import numpy as np

    redundant = np.flatnonzero(which)
    if not len(redundant):
        return None
    leaders, sizes = np.unique(firsts[redundant], return_counts=True)
    sketched = part.sketch_rows()
    examples = []
    for row in redundant[:MAX_EXAMPLES].tolist():
        first = int(firsts[row])
        like = f"{jaccard(sketched[row], sketched[first]):.2f} alike: " if code == "near_duplicate" else "same as "
        examples.append(part.example(row, like + part.named(first)))
    top = int(sizes.argmax())
    largest = f"the largest group {int(sizes[top]) + 1:,} chunks from {part.named(int(leaders[top]))}"
    more = f"{counted(len(leaders), 'text')}, {largest}"
    return finding(code, Extent(len(redundant), len(part)), examples, more)


def boilerplate(part: HealthPart) -> Iterator[Finding]:
    """First or last lines, page numbers apart, that a hundredth of the chunks share, and at least five."""
    import numpy as np

    shared = np.zeros(len(part), bool)
    examples = []
    n_lines = 0
    for column, where in ((part.first_line, "first"), (part.last_line, "last")):
        keys = column.numpy()
        lines, firsts, groups, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        many = (counts >= max(_MANY, _MANY_SHARE * len(part))) & (lines != 0)
        shared |= many[groups]
        n_lines += int(np.count_nonzero(many))
        for line in sorted(np.flatnonzero(many).tolist(), key=lambda line: (-counts[line], firsts[line])):
            row, share = int(firsts[line]), percent(int(counts[line]), len(part))
            detail = f"the {where} line of {int(counts[line]):,} chunks ({share})"
            examples.append((-int(counts[line]), part.example(row, detail, ending=where == "last")))
    if examples:
        examples.sort(key=lambda pair: pair[0])
        yield finding(
            "boilerplate_line",
            Extent(int(np.count_nonzero(shared)), len(part)),
            [example for _, example in examples],
            counted(n_lines, "such line"),
        )
