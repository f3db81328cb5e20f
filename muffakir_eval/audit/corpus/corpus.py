"""A corpus that is read once, batch by batch."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from muffakir_eval.audit.corpus.intake import Intake
from muffakir_eval.audit.records import CorpusChunk
from muffakir_eval.errors import ConfigError, DatasetFormatError, DatasetRowError, MuffakirEvalError
from muffakir_eval.pipelines.corpus_reading import of_passages
from muffakir_eval.pipelines.corpus_rows import Passage

__all__ = ["Corpus", "Entry", "Source"]

Entry = tuple[Passage, str]
"""A chunk, and where a person finds it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Something that holds chunks.

    Attributes:
        name: What it is called.
        read: Goes through its chunks; what cannot be read goes into the intake.
        total: How many chunks there are, where that is known beforehand.
    """

    name: str
    read: Callable[[Intake], Iterator[Entry]]
    total: int | None = None


class Corpus:
    """The chunks of an index; :func:`open_corpus` makes it.

    It is read once, and holds one batch at a time. Nothing is refused that an audit should tell of: a chunk
    without text has the text ``""``, and an identifier that stands twice is passed on. A row that cannot be
    read is set aside and counted.

    Attributes:
        name: What it is called: the name of a file, ``chroma collection laws``, ``iterable of 3 chunks``.
        total: How many chunks there are, ``None`` where only reading tells. Rows that cannot be read count here.

    >>> from muffakir_eval.audit.corpus import open_corpus
    >>> corpus = open_corpus(["عاصمة مصر القاهرة", {"id": 7, "text": "عاصمة لبنان بيروت"}, 3])
    >>> [(chunk.ordinal, chunk.chunk_id, chunk.place) for batch in corpus.batches() for chunk in batch]
    [(0, None, 'item 1'), (1, '7', 'item 2')]
    >>> corpus.name, corpus.total, corpus.n_problems
    ('iterable of 3 chunks', 3, 1)
    """

    def __init__(self, source: Source) -> None:
        self.name = source.name
        self.total = source.total
        self._source = source
        self._intake = Intake()
        self._is_begun = False
        self._n_read = 0
        self._fingerprint: str | None = None

    def batches(self, size: int = 1000) -> Iterator[list[CorpusChunk]]:
        """The chunks in their order, in lists of ``size``; the last one may be shorter.

        Args:
            size: Chunks per batch, at least 1.

        Raises:
            ConfigError: ``size`` is out of range, or the corpus has been read already.
            DatasetFormatError: While reading: a file cannot be read as a whole, or there is no chunk at all.
            DatasetColumnError: While reading: nothing tells which column is the text.
        """
        if type(size) is not int or size < 1:
            raise ConfigError(f"size is {size!r}", where="batches", expected="a whole number from 1 up")
        if self._is_begun:
            raise ConfigError(
                "the corpus has been read already", where=self.name, remedy="open it again with open_corpus"
            )
        self._is_begun = True
        return self._batches(size)

    def _batches(self, size: int) -> Iterator[list[CorpusChunk]]:
        digest = hashlib.blake2b(digest_size=16)
        try:
            with closing(self._chunks(digest.update)) as chunks:
                while batch := list(islice(chunks, size)):
                    yield batch
        except DatasetFormatError as error:
            raise of_passages(error) from None
        except MuffakirEvalError:
            raise
        except Exception as error:  # of whatever the chunks come from
            error.add_note(f"It came up while {self.name} was read, after {self._n_read:,} chunks.")
            raise
        if not self._n_read:
            raise self._nothing()
        self._fingerprint = digest.hexdigest()

    def _chunks(self, update: Callable[[bytes], None]) -> Generator[CorpusChunk, None, None]:
        entries = self._source.read(self._intake)
        for ordinal, ((text, chunk_id, source, metadata), place) in enumerate(entries):
            told = "-" if chunk_id is None else f"{len(chunk_id)}:{chunk_id}"
            update(f"{told}{len(text)}:{text}".encode("utf-8", "surrogatepass"))
            self._n_read = ordinal + 1
            yield CorpusChunk(
                ordinal=ordinal, text=text, chunk_id=chunk_id, source=source, place=place, metadata=metadata
            )

    def _nothing(self) -> DatasetFormatError:
        first = f"; the first: {self.problems[0]}" if self.problems else ""
        found = f"none of its {self.n_problems} rows can be read{first}" if first else "there is nothing in it"
        return DatasetFormatError(found.removesuffix("."), where=self.name, expected="at least one chunk")

    @property
    def problems(self) -> tuple[DatasetRowError, ...]:
        """The first hundred rows that could not be read: each names file, row and, where one is to blame, column."""
        return tuple(self._intake.problems)

    @property
    def n_problems(self) -> int:
        """How many rows could not be read."""
        return self._intake.n_problems

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was noticed in reading; of one kind the first five, and how many more."""
        return tuple(self._intake.warnings)

    @property
    def fingerprint(self) -> str | None:
        """A hash over identifiers and texts in their order; ``None`` until all has been read."""
        return self._fingerprint
