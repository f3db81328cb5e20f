"""What is noted of the index while its chunks pass by: it is read once."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import closing
from threading import Event

from muffakir_eval.audit.records import CorpusChunk
from muffakir_eval.matching.golds import source_name

__all__ = ["StoppedError", "Watch"]

_REMEMBERED = 10_000
"""So many identifiers are kept to find those that come again: no ranking is longer, and an index may be."""


class StoppedError(Exception):
    """The reading was called off."""


class Watch:
    """Lets chunks pass, and notes which retrieved identifiers and which documents are among them.

    Attributes:
        n_chunks: Chunks that have passed.
        n_ids: How many of them have an identifier.
        sources: The documents that they come from, as :func:`~muffakir_eval.matching.golds.source_name` calls them.
        outside: The identifiers that no chunk has had so far, with what they were given with.
        names: Those of the texts that are an identifier of the index.
        shared: Those of the identifiers looked for that several chunks have.

    Args:
        ids: Identifiers to look for, and anything about them.
        texts: Texts that may be identifiers.
    """

    def __init__(self, ids: Mapping[str, int], texts: Collection[str] = ()) -> None:
        self.n_chunks = 0
        self.n_ids = 0
        self.sources: set[str] = set()
        self.outside = dict(ids)
        self.names: set[str] = set()
        self.shared: set[str] = set()
        self._ids = frozenset(ids)
        self._seen: set[str] = set()
        self._n_again = 0
        self._texts = frozenset(texts)
        self._called_off = Event()

    @property
    def n_distinct(self) -> int:
        """Chunks that a retriever can tell apart: those of one identifier, of the first ten thousand, count once."""
        return self.n_chunks - self._n_again

    def call_off(self) -> None:
        """End the reading at the next batch; may be called from another thread."""
        self._called_off.set()

    def passing(self, batches: Generator[list[CorpusChunk], None, None]) -> Iterator[list[CorpusChunk]]:
        """The same batches; whatever happens, what they are read from is closed in the end.

        Raises:
            StoppedError: The reading was called off.

        >>> watch = Watch({"7": 0, "8": 0})
        >>> batch = [CorpusChunk(ordinal=0, text="نص", chunk_id="7", source="a/civil.pdf")]
        >>> next(watch.passing(one for one in [batch]))[0].text
        'نص'
        >>> watch.outside, watch.sources, watch.n_ids
        ({'8': 0}, {'civil.pdf'}, 1)
        """
        with closing(batches):
            for batch in batches:
                if self._called_off.is_set():
                    raise StoppedError
                self._note(batch)
                yield batch

    def _note(self, batch: list[CorpusChunk]) -> None:
        for chunk in batch:
            if chunk.chunk_id:
                self._note_id(chunk.chunk_id)
            name = source_name(chunk.source)
            if name is not None:
                self.sources.add(name)
        self.n_chunks += len(batch)

    def _note_id(self, name: str) -> None:
        self.n_ids += 1
        if name in self._ids and self.outside.pop(name, None) is None:
            self.shared.add(name)
        if name in self._texts:
            self.names.add(name)
        if name in self._seen:
            self._n_again += 1
        elif len(self._seen) < _REMEMBERED:
            self._seen.add(name)
