"""What a scan of some chunks leaves: numbers and short ends, no text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from muffakir_eval.audit.health.borders import border
from muffakir_eval.audit.health.columns import Numbers, Texts
from muffakir_eval.audit.health.sketches import SIZE
from muffakir_eval.audit.health.vocabulary import Vocabulary
from muffakir_eval.audit.records import FindingExample, Place

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MAX_EXAMPLES", "HealthPart", "Tally"]

MAX_EXAMPLES = 5


@dataclass(slots=True)
class Tally:
    """How many chunks have a fault.

    Attributes:
        count: Chunks.
        ruined: Of these, how many it touches so much that they are lost to retrieval.
        examples: The first few.
    """

    count: int = 0
    ruined: int = 0
    examples: list[FindingExample] = field(default_factory=list)

    def see(self, example: FindingExample, ruined: bool = False) -> None:
        """Count one chunk."""
        self.count += 1
        self.ruined += ruined
        if len(self.examples) < MAX_EXAMPLES:
            self.examples.append(example)

    def add(self, other: Tally) -> None:
        """Add those of later chunks."""
        self.count += other.count
        self.ruined += other.ruined
        self.examples += other.examples[: MAX_EXAMPLES - len(self.examples)]


@dataclass(slots=True)
class HealthPart:
    """What is known of a stretch of the corpus. One row per chunk, about 600 bytes.

    Attributes:
        ordinal: Place in the corpus.
        source: Code of the document, by :attr:`sources`.
        raw: Hash of the text; 0 where it is empty.
        same: Hash of its normalised words; 0 where it has none.
        characters: Length.
        words: Words, or characters of scripts without spaces.
        first_word: Number of the first word.
        last_word: Number of the last.
        last_length: Characters of the last.
        first_line: Hash of the first of several lines; 0 where there is but one.
        last_line: Hash of the last.
        borders: Flags of :class:`~muffakir_eval.audit.health.borders.Border`, of the chunk and the one before.
        marks: 1 where the text begins with a mark that belongs on a letter.
        sketches: MinHash sketches, one after the other.
        ids: Identifiers.
        places: Where a person finds each chunk.
        heads: How each begins.
        tails: How each ends.
        sources: Document to its code.
        vocabulary: Words inside the chunks.
        tallies: Faults that a chunk shows by itself, and traits of its text.
        totals: Characters of each kind, and other sums.
        edges: Text and source of the first and the last chunk.
    """

    ordinal: Numbers = field(default_factory=lambda: Numbers("q"))
    source: Numbers = field(default_factory=lambda: Numbers("I"))
    raw: Numbers = field(default_factory=lambda: Numbers("Q"))
    same: Numbers = field(default_factory=lambda: Numbers("Q"))
    characters: Numbers = field(default_factory=lambda: Numbers("I"))
    words: Numbers = field(default_factory=lambda: Numbers("I"))
    first_word: Numbers = field(default_factory=lambda: Numbers("Q"))
    last_word: Numbers = field(default_factory=lambda: Numbers("Q"))
    last_length: Numbers = field(default_factory=lambda: Numbers("H"))
    first_line: Numbers = field(default_factory=lambda: Numbers("Q"))
    last_line: Numbers = field(default_factory=lambda: Numbers("Q"))
    borders: Numbers = field(default_factory=lambda: Numbers("H"))
    marks: Numbers = field(default_factory=lambda: Numbers("B"))
    sketches: bytearray = field(default_factory=bytearray)
    ids: Texts = field(default_factory=Texts)
    places: Texts = field(default_factory=Texts)
    heads: Texts = field(default_factory=Texts)
    tails: Texts = field(default_factory=Texts)
    sources: dict[str | None, int] = field(default_factory=dict)
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    tallies: dict[str, Tally] = field(default_factory=dict)
    totals: Counter[str] = field(default_factory=Counter)
    edges: tuple[tuple[str, str | None], tuple[str, str | None]] | None = None

    def __len__(self) -> int:
        return len(self.ordinal)

    def add(self, other: HealthPart) -> None:
        """Add what is known of the chunks that follow; ``other`` is not changed.

        Exact: however a corpus is cut into parts, put together in its order they give the same report.
        """
        if other.edges is None:
            return
        here = len(self)
        codes = [self.sources.setdefault(name, len(self.sources)) for name in other.sources]
        self.source.extend(codes[code] for code in other.source.values)
        for name in _PLAIN_COLUMNS:
            getattr(self, name).add(getattr(other, name))
        self.sketches += other.sketches
        self.vocabulary.add(other.vocabulary)
        for code, tally in other.tallies.items():
            self.tally(code).add(tally)
        self.totals.update(other.totals)
        if self.edges is not None:
            self.borders.values[here] = border_of(self.edges[1], other.edges[0])
        self.edges = (self.edges[0] if self.edges else other.edges[0], other.edges[1])

    def tally(self, code: str) -> Tally:
        """The tally of a fault, made when it is first asked for."""
        return self.tallies.setdefault(code, Tally())

    def place(self, row: int) -> Place:
        """Which chunk stands in a row."""
        return Place(
            ordinal=self.ordinal.values[row],
            chunk_id=self.ids[row],
            source=next(islice(self.sources, self.source.values[row], None)),
            place=self.places[row] or "",
        )

    def named(self, row: int) -> str:
        """A chunk in words: its identifier, else where it is."""
        identifier = self.ids[row]
        place = self.places[row] or f"item {self.ordinal.values[row]}"
        return f"{identifier!r} ({place})" if identifier is not None else place

    def example(self, row: int, detail: str, ending: bool = False) -> FindingExample:
        """A chunk as an example, with its beginning or its end."""
        text = self.tails[row] if ending else self.heads[row]
        return FindingExample(at=self.place(row), excerpt=text or "", detail=detail)

    def sketch_rows(self) -> NDArray[np.uint8]:
        """The sketches, chunks × bytes."""
        import numpy as np

        return np.frombuffer(self.sketches, np.uint8).reshape(-1, SIZE)


_PLAIN_COLUMNS = (
    *("ordinal", "raw", "same", "characters", "words", "first_word", "last_word", "last_length"),
    *("first_line", "last_line", "borders", "marks", "ids", "places", "heads", "tails"),
)


def border_of(before: tuple[str, str | None], after: tuple[str, str | None]) -> int:
    """The border between two chunks, each its text and source; nothing where the sources differ."""
    return border(before[0], after[0]) if before[1] == after[1] else 0
