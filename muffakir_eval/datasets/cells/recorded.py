"""The output that a row carries: the system's answer and what was retrieved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from muffakir_eval.datasets.cells.passages import Passage, id_items
from muffakir_eval.datasets.cells.text import CellError, as_list, to_id, to_number, to_text
from muffakir_eval.records import RetrievedChunk

__all__ = ["chunks_from", "retrieved_ids", "score_items"]


def retrieved_ids(values: Sequence[Any]) -> list[str | None]:
    """Retrieved identifiers in rank order; a missing one keeps its rank.

    Raises:
        CellError: The cell does not parse, or an item is no identifier.
    """
    found: list[str | None] = []
    for value in values:
        items = id_items(value)
        if isinstance(items, Mapping):
            raise CellError(
                "the retrieved identifiers are an object, which has no order", expected="a list in rank order"
            )
        for number, item in enumerate(items, start=1):
            if as_list(item) is not None or isinstance(item, Mapping):
                raise CellError(f"item {number} of the retrieved identifiers is no single identifier")
            found.append(to_id(item))
    return found


def score_items(value: Any) -> list[float | None]:
    """The retriever's scores in a cell.

    Raises:
        CellError: A score is no number.
    """
    items = id_items(value)
    if isinstance(items, Mapping):
        raise CellError("the scores are an object, which has no order", expected="a list in rank order")
    return [to_number(item) for item in items]


def chunks_from(
    passages: Sequence[Passage], ids: Sequence[str | None], sources: Sequence[Any], scores: Sequence[float | None]
) -> tuple[RetrievedChunk, ...]:
    """Retrieved chunks from the columns that describe them; a column without an entry says nothing.

    Raises:
        CellError: Two columns name different numbers of chunks.
    """
    count = max(len(passages), len(ids))
    for noun, column in (("passage", passages), ("identifier", ids), ("source", sources), ("score", scores)):
        if column and len(column) != count:
            raise CellError(
                f"{len(column)} retrieved {noun}(s) for {count} chunk(s)",
                expected="equally many in every retrieved_* column",
                remedy="correct the row",
            )
    chunks = []
    for rank in range(count):
        passage = passages[rank] if passages else Passage("")
        chunks.append(
            RetrievedChunk(
                text=passage.text,
                chunk_id=ids[rank] if ids else passage.chunk_id,
                source=to_text(sources[rank]) if sources else passage.source,
                score=scores[rank] if scores else passage.score,
                metadata=passage.metadata,
            )
        )
    return tuple(chunks)
