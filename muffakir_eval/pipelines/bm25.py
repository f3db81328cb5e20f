"""The embedded retriever: BM25 over a list of chunks, with this package's Arabic-aware tokens."""

from __future__ import annotations

import hashlib
import logging
import math
import numbers
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from muffakir_eval.errors import ConfigError
from muffakir_eval.matching.documents import chunk_from
from muffakir_eval.pipelines.shapes import listed
from muffakir_eval.records import RetrievedChunk
from muffakir_eval.text.tokens import tokenize

if TYPE_CHECKING:
    import bm25s

__all__ = ["BM25Retriever"]

_METHOD = "lucene"
_DECIMALS = 12
"""Scores that agree so far are ties: what differs beyond comes from the order of the additions."""


class BM25Retriever:
    """Finds chunks by the words that they share with a question.

    Lucene's variant of BM25 (Kamphuis et al., ECIR 2020), computed by ``bm25s``:
    ``idf · tf / (tf + k1 · (1 - b + b · length / mean length))`` summed over the tokens of the question,
    a repeated token counting as often as it occurs, with ``idf = ln(1 + (N - df + 0.5) / (df + 0.5))``.
    Every score is above 0, and a chunk that shares no token with the question is never returned.

    Args:
        chunks: Texts, dicts, documents or :class:`RetrievedChunk`.
        k1: How much repetition of a word in a chunk counts, at least 0.
        b: How much the length of a chunk counts, from 0 to 1.

    Raises:
        ConfigError: There is no chunk, no chunk has a token, or ``k1`` or ``b`` is out of range.
        PipelineOutputError: One of ``chunks`` is no chunk.

    >>> retriever = BM25Retriever(["عاصمة مصر هي القاهرة", "عاصمة لبنان هي بيروت"])
    >>> [chunk.text for chunk in retriever.search("ما عاصمة لبنان؟", k=1)]
    ['عاصمة لبنان هي بيروت']
    >>> retriever.search("القمر")
    []
    """

    def __init__(self, chunks: Iterable[Any], *, k1: float = 1.5, b: float = 0.75) -> None:
        if not _is_number(k1) or not 0 <= k1 < math.inf:
            raise ConfigError(f"k1 is {k1!r}", where="BM25Retriever", expected="a number from 0 up")
        if not _is_number(b) or not 0 <= b <= 1:
            raise ConfigError(f"b is {b!r}", where="BM25Retriever", expected="a number from 0 to 1")
        self._k1, self._b = float(k1), float(b)
        self._chunks = tuple(map(chunk_from, listed(chunks, "BM25Retriever")))
        if not self._chunks:
            raise ConfigError(
                "there are no chunks to search in", where="BM25Retriever", expected="a corpus of at least one chunk"
            )
        self._vocabulary: dict[str, int] = {}
        documents = [self._token_ids(chunk.text) for chunk in self._chunks]
        if not self._vocabulary:
            raise ConfigError(
                f"none of the {len(self._chunks)} chunks has a token",
                where="BM25Retriever",
                expected="chunks with text",
                remedy="check which column of the corpus holds the text",
            )
        self._index = _indexed(documents, self._vocabulary, k1=self._k1, b=self._b)

    def _token_ids(self, text: str) -> array[int]:
        vocabulary = self._vocabulary
        return array("i", [vocabulary.setdefault(token, len(vocabulary)) for token in tokenize(text)])

    def __len__(self) -> int:
        return len(self._chunks)

    def __repr__(self) -> str:
        return f"BM25Retriever({len(self._chunks)} chunks, k1={self._k1}, b={self._b})"

    @property
    def chunks(self) -> tuple[RetrievedChunk, ...]:
        """What is searched, in the order of the corpus."""
        return self._chunks

    @property
    def settings(self) -> dict[str, Any]:
        """What its results depend on; a changed corpus changes the digest."""
        digest = hashlib.sha256()
        for chunk in self._chunks:
            for part in (chunk.chunk_id, chunk.source, chunk.text):
                encoded = b"" if part is None else part.encode("utf-8", "surrogatepass")
                digest.update(f"{'-' if part is None else len(encoded)}:".encode())
                digest.update(encoded)
        return {
            "method": _METHOD,
            "k1": self._k1,
            "b": self._b,
            "chunks": len(self._chunks),
            "corpus": digest.hexdigest(),
        }

    def search(self, query: str, k: int = 5) -> list[RetrievedChunk]:
        """The best chunks for ``query``.

        Args:
            query: The question.
            k: How many at most, at least 1.

        Returns:
            Chunks with their scores, best first; equal scores in the order of the corpus. Fewer than
            ``k`` where fewer share a token with the question.

        Raises:
            ConfigError: ``k`` is no whole number from 1 up, or the query no text.
        """
        if not _is_whole(k) or k < 1:
            raise ConfigError(f"k is {k!r}", where="BM25Retriever.search", expected="a whole number from 1 up")
        if not _is_text(query):
            raise ConfigError(
                f"the query is of type {type(query).__name__}", where="BM25Retriever.search", expected="text"
            )
        known = [self._vocabulary[token] for token in tokenize(query) if token in self._vocabulary]
        if not known:
            return []
        import numpy as np

        scores = np.round(self._index.get_scores_from_ids(known), _DECIMALS)
        found = np.flatnonzero(scores > 0)
        if len(found) > k:
            least = np.partition(scores[found], -k)[-k]
            found = found[scores[found] >= least]
        order = found[np.argsort(-scores[found], kind="stable")][:k]
        return [self._hit(int(position), float(scores[position])) for position in order]

    def _hit(self, position: int, score: float) -> RetrievedChunk:
        chunk = self._chunks[position]
        return RetrievedChunk(
            text=chunk.text, chunk_id=chunk.chunk_id, source=chunk.source, score=score, metadata=chunk.metadata
        )


def _is_whole(value: object) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _indexed(documents: list[array[int]], vocabulary: dict[str, int], *, k1: float, b: float) -> bm25s.BM25:
    """The index over token numbers, which keeps no token lists."""
    with _quiet():
        import bm25s

        index = bm25s.BM25(k1=k1, b=b, method=_METHOD, dtype="float64", backend="numpy")
        index.index((documents, vocabulary), create_empty_token=False, show_progress=False)
    return index


@contextmanager
def _quiet() -> Iterator[None]:
    """The library lets its logger talk at every level when it is imported; put that back afterwards."""
    logger = logging.getLogger("bm25s")
    level, disabled = logger.level, logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.disabled = disabled
