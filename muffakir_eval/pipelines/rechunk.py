"""Cut long passages into overlapping windows of words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from muffakir_eval.errors import ConfigError
from muffakir_eval.matching.documents import chunk_from
from muffakir_eval.pipelines.shapes import listed
from muffakir_eval.records import RetrievedChunk

__all__ = ["rechunk"]

_WORD = re.compile(r"\S+")


def rechunk(chunks: Iterable[Any], *, words: int = 120, overlap: int = 20) -> list[RetrievedChunk]:
    """Cut every passage into windows of at most ``words`` words.

    A word is what stands between white space. A window is the passage's own text from the start of its
    first word to the end of its last one, verbatim; the next one starts ``words - overlap`` words later,
    and the last one ends where the passage does. A passage without words gives no window.

    Args:
        chunks: Texts, dicts, documents or :class:`RetrievedChunk`.
        words: Length of a window, at least 1.
        overlap: Words that two neighbours share, at least 0 and below ``words``.

    Returns:
        The windows in order. Their ``chunk_id`` is that of the passage with ``#0``, ``#1``, … behind it
        (none where the passage has none); source and metadata are those of the passage.

    Raises:
        ConfigError: ``words`` or ``overlap`` is out of range.
        PipelineOutputError: One of ``chunks`` is no chunk.

    >>> passage = RetrievedChunk(chunk_id="م1", text="أ ب ج  د هـ")
    >>> [(window.chunk_id, window.text) for window in rechunk([passage], words=3, overlap=1)]
    [('م1#0', 'أ ب ج'), ('م1#1', 'ج  د هـ')]
    """
    if type(words) is not int or words < 1:
        raise ConfigError(f"words is {words!r}", where="rechunk", expected="a whole number from 1 up")
    if type(overlap) is not int or not 0 <= overlap < words:
        raise ConfigError(
            f"overlap is {overlap!r}", where="rechunk", expected=f"a whole number from 0 to {words - 1} (words - 1)"
        )
    return [
        RetrievedChunk(
            text=window,
            chunk_id=None if chunk.chunk_id is None else f"{chunk.chunk_id}#{number}",
            source=chunk.source,
            metadata=chunk.metadata,
        )
        for chunk in map(chunk_from, listed(chunks, "rechunk"))
        for number, window in enumerate(_windows(chunk.text, words, words - overlap))
    ]


def _windows(text: str, length: int, step: int) -> Iterator[str]:
    spans = [match.span() for match in _WORD.finditer(text)]
    for first in range(0, len(spans), step):
        last = min(first + length, len(spans)) - 1
        yield text[spans[first][0] : spans[last][1]]
        if last == len(spans) - 1:
            return
