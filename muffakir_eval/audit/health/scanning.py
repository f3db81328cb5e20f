"""One look at every chunk of a batch."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from muffakir_eval.audit.health.batches import Batch
from muffakir_eval.audit.health.borders import begins_with_mark
from muffakir_eval.audit.health.characters import Kind
from muffakir_eval.audit.health.faults import CHECKS, RUINED_SHARE, TEXT_CHECKS, Fault, excerpt
from muffakir_eval.audit.health.part import HealthPart, border_of
from muffakir_eval.audit.health.sketches import sketches
from muffakir_eval.audit.health.traits import see_traits
from muffakir_eval.audit.health.wording import counted
from muffakir_eval.audit.health.words import WordRow
from muffakir_eval.audit.records import CorpusChunk, FindingExample, Place
from muffakir_eval.text.normalize import Normalizer
from muffakir_eval.text.tokens import lettered, split_runs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["place_of", "scan_into"]

_WINDOW_CHUNKS = 256
_WINDOW_CHARACTERS = 1 << 19
_HEAD, _TAIL = 48, 16
_LONGEST_LINE = 200
_DIGITS = re.compile(r"\d+")
_UNSEEN = (
    *(Kind.SPACE, Kind.NEWLINE, Kind.INVISIBLE, Kind.CONTROL),
    *(Kind.BIDI_MARKS, Kind.BIDI_EMBEDDINGS, Kind.BIDI_ISOLATES),
)


def place_of(chunk: CorpusChunk) -> Place:
    """Which chunk it is, without its text."""
    return Place(ordinal=chunk.ordinal, chunk_id=chunk.chunk_id, source=chunk.source, place=chunk.place)


def windows(chunks: Sequence[CorpusChunk]) -> Iterator[Sequence[CorpusChunk]]:
    """``chunks`` in stretches that fit into a processor's cache."""
    first = characters = 0
    for row, chunk in enumerate(chunks):
        if row > first and (row - first >= _WINDOW_CHUNKS or characters + len(chunk.text) > _WINDOW_CHARACTERS):
            yield chunks[first:row]
            first, characters = row, 0
        characters += len(chunk.text)
    if first < len(chunks):
        yield chunks[first:]


def scan_into(part: HealthPart, chunks: Sequence[CorpusChunk], normalizer: Normalizer, min_words: int) -> None:
    """Fill an empty part with what is known of ``chunks``."""
    if not chunks:
        return
    for window in windows(chunks):
        _scan(part, window, normalizer, min_words)
    before: tuple[str, str | None] | None = None
    for chunk in chunks:
        after = (chunk.text, chunk.source)
        part.borders.values.append(border_of(before, after) if before else 0)
        before = after
    first, last = chunks[0], chunks[-1]
    part.edges = ((first.text, first.source), (last.text, last.source))


def _scan(part: HealthPart, chunks: Sequence[CorpusChunk], normalizer: Normalizer, min_words: int) -> None:
    texts = [chunk.text for chunk in chunks]
    words = [_words(text, normalizer) for text in texts]
    batch = Batch.count(texts)
    _keep(part, chunks, words)
    faults: list[dict[str, Fault]] = [{} for _ in chunks]
    _look(faults, texts, batch)
    unseen = batch.of(*_UNSEEN).tolist()
    for row, chunk in enumerate(chunks):
        if unseen[row] == len(chunk.text):
            part.tally("empty_chunk").see(FindingExample(at=place_of(chunk), detail=_unseen(chunk.text)), ruined=True)
        elif len(words[row]) < min_words and "missing_spaces" not in faults[row]:
            part.tally("tiny_chunk").see(
                FindingExample(
                    at=place_of(chunk), excerpt=excerpt(chunk.text, 0), detail=counted(len(words[row]), "word")
                )
            )
        for code, fault in faults[row].items():
            example = FindingExample(at=place_of(chunk), excerpt=excerpt(chunk.text, fault.at), detail=fault.detail)
            part.tally(code).see(example, fault.share >= RUINED_SHARE)
    see_traits(part, chunks, batch)


def _unseen(text: str) -> str:
    return f"{len(text)} characters, none of which can be seen" if text else "no text"


def _words(text: str, normalizer: Normalizer) -> list[str]:
    runs, spaceless = split_runs(text, normalizer)
    return lettered(runs) if spaceless else runs


def _look(faults: list[dict[str, Fault]], texts: Sequence[str], batch: Batch) -> None:
    """Read the chunks that passed a gate."""
    import numpy as np

    letters = batch.letters.tolist()
    for check in CHECKS:
        for row in np.flatnonzero(check.gate(batch)).tolist():
            fault = check.look(texts[row], letters[row])
            if fault is not None:
                faults[row][check.code] = fault
    for code, gate, look in TEXT_CHECKS:
        for row, text in enumerate(texts):
            if gate(text) and code not in faults[row]:
                fault = look(text, letters[row])
                if fault is not None:
                    faults[row][code] = fault


def _keep(part: HealthPart, chunks: Sequence[CorpusChunk], words: Sequence[list[str]]) -> None:
    """Fill the columns."""
    joined = [" ".join(found) for found in words]
    counts = [len(found) for found in words]
    row = WordRow.of(joined, counts)
    part.ordinal.extend([chunk.ordinal for chunk in chunks])
    part.source.extend([part.sources.setdefault(chunk.source, len(part.sources)) for chunk in chunks])
    part.raw.extend([_hash(chunk.text) for chunk in chunks])
    part.same.extend(list(map(_hash, joined)))
    part.characters.extend([len(chunk.text) for chunk in chunks])
    part.words.extend(counts)
    part.marks.extend([begins_with_mark(chunk.text) for chunk in chunks])
    part.ids.extend([chunk.chunk_id for chunk in chunks])
    part.places.extend([chunk.place for chunk in chunks])
    part.heads.extend([chunk.text[:_HEAD] for chunk in chunks])
    part.tails.extend([chunk.text[-_TAIL:] for chunk in chunks])
    part.totals["spaces_at_ends"] += sum(text != text.strip() for text in (chunk.text for chunk in chunks) if text)
    lines = [_lines(chunk.text) for chunk in chunks]
    part.first_line.extend([first for first, _ in lines])
    part.last_line.extend([last for _, last in lines])
    part.sketches += sketches(row).tobytes()
    part.vocabulary.count(row.inner())
    _keep_ends(part, row)


def _keep_ends(part: HealthPart, row: WordRow) -> None:
    import numpy as np

    filled = row.offsets[:-1] < row.offsets[1:]

    def spread(numbers: NDArray[np.uint64], dtype: type[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
        column = np.zeros(len(filled), dtype)
        column[filled] = numbers
        return column

    firsts, lasts = row.offsets[:-1][filled], row.offsets[1:][filled] - 1
    part.first_word.extend(spread(row.numbers[firsts], np.uint64))
    part.last_word.extend(spread(row.numbers[lasts], np.uint64))
    part.last_length.extend(spread(np.minimum(row.lengths[lasts], 0xFFFF), np.uint16))


def _hash(text: str) -> int:
    """64 bits of ``text``; 0 for none."""
    if not text:
        return 0
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") or 1


def _lines(text: str) -> tuple[int, int]:
    """Hashes of the first and last of several lines, page numbers apart; 0 where it can be no header."""
    if "\n" not in text:
        return 0, 0
    text = text.strip()
    head, _, rest = text.partition("\n")
    return (_line(head), _line(rest.rpartition("\n")[2])) if rest else (0, 0)


def _line(line: str) -> int:
    if len(line) > _LONGEST_LINE:
        return 0
    words = _DIGITS.sub("0", line).split()
    return _hash(" ".join(words)) if any(map(str.isalpha, "".join(words))) else 0
