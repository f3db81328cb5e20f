"""How the text was cut into chunks: too long, inside a word, inside a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from muffakir_eval.audit.health.borders import Border
from muffakir_eval.audit.health.cuts import cut_words
from muffakir_eval.audit.health.part import MAX_EXAMPLES, HealthPart
from muffakir_eval.audit.health.wording import Extent, counted, finding, percent
from muffakir_eval.audit.records import Finding, FindingExample, Severity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["shape_findings"]

_FAR_ABOVE = 10
_NEVER_TOO_LONG = 2000
_SURE_SIGNS = 0.1
_MOST = 0.5
_FEW = 0.02


def shape_findings(part: HealthPart, max_characters: int) -> Iterator[Finding]:
    """What is wrong with the cuts.

    Args:
        part: The corpus.
        max_characters: Length beyond which a chunk is oversized whatever the others are.
    """
    yield from _oversized(part, max_characters)
    yield from _cut_words(part)
    yield from _cut_sentences(part)


def _oversized(part: HealthPart, max_characters: int) -> Iterator[Finding]:
    """Beyond the limit, or ten times as long as half of the chunks are, and more than 2,000 characters."""
    import numpy as np

    lengths = part.characters.numpy()
    if not len(lengths):
        return
    median = int(np.median(lengths))
    far = max(_FAR_ABOVE * median, _NEVER_TOO_LONG)
    rows = np.flatnonzero(lengths > min(max_characters, far))
    if len(rows):
        beyond = int(np.count_nonzero(lengths > max_characters))
        longest = rows[np.argsort(-lengths[rows].astype(np.int64), kind="stable")][:MAX_EXAMPLES].tolist()
        examples = [part.example(row, f"{lengths[row]:,} characters") for row in longest]
        more = f"half of the chunks have up to {median:,} characters, {beyond:,} more than {max_characters:,}"
        severity: Severity = "warning" if beyond else "info"
        yield finding("oversized_chunk", Extent(len(rows), len(part)), examples, more, severity=severity)


def _cut_words(part: HealthPart) -> Iterator[Finding]:
    import numpy as np

    cuts = cut_words(part)
    rows = np.flatnonzero(cuts.begins | cuts.ends)
    if not len(rows):
        return
    examples = [_cut_example(part, row, cuts.begins, cuts.ends) for row in rows[:MAX_EXAMPLES].tolist()]
    more = f"{counted(cuts.certain + cuts.inferred, 'cut')} known, {counted(cuts.judged, 'border')} could be judged"
    yield finding("cut_word", Extent(len(rows), len(part)), examples, more)


def _cut_example(part: HealthPart, row: int, begins: NDArray[np.bool_], ends: NDArray[np.bool_]) -> FindingExample:
    details = []
    if begins[row]:
        before = f" (before it: …{part.tails[row - 1]}|)" if row and part.borders.values[row] else ""
        details.append("begins inside a word" + before)
    if ends[row]:
        details.append(f"ends inside a word: …{part.tails[row]}|{(part.heads[row + 1] or '')[:20]}…")
    return part.example(row, "; ".join(details), ending=not begins[row])


def _cut_sentences(part: HealthPart) -> Iterator[Finding]:
    """Chunks that end inside a sentence.

    Where a tenth of the ends without a full stop are surely inside a sentence (the last word is a preposition,
    the next chunk goes on in small letters), a splitter is at work that does not look at sentences, and all of
    them count; else those that are sure.
    """
    import numpy as np

    flags = part.borders.numpy()
    prose = int(np.count_nonzero(flags & Border.PROSE))
    open_ends = np.flatnonzero(flags & Border.OPEN_END)
    sure = np.flatnonzero(flags & Border.MID_SENTENCE)
    rows = open_ends if len(sure) >= max(2, _SURE_SIGNS * len(open_ends)) else sure
    if not len(rows) or len(rows) < _FEW * prose:
        return
    examples = [
        part.example(row - 1, f"the next begins: {part.heads[row]}", ending=True)
        for row in rows[:MAX_EXAMPLES].tolist()
    ]
    more = f"{percent(len(rows), prose)} of the {prose:,} borders between two pieces of running text"
    severity: Severity = "warning" if len(rows) > _MOST * prose else "info"
    yield finding("cut_sentence", Extent(len(rows), len(part)), examples, more, severity=severity)
