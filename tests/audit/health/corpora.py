"""Chunks for the tests of the health check."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from muffakir_eval.audit.health import HealthReport
from muffakir_eval.audit.records import CorpusChunk

Examine = Callable[..., HealthReport]


def chunked(
    texts: Sequence[str], ids: Sequence[str | None] | None = None, sources: Sequence[str | None] | None = None
) -> list[CorpusChunk]:
    return [
        CorpusChunk(
            ordinal=row,
            text=text,
            chunk_id=ids[row] if ids else f"c{row}",
            source=sources[row] if sources else f"document {row}",
            place=f"item {row}",
        )
        for row, text in enumerate(texts)
    ]
