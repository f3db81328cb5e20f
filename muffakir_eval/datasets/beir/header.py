"""Which column of a qrels file is which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from muffakir_eval.datasets.beir.tsv import Cell
from muffakir_eval.datasets.columns.aliases import fold_name
from muffakir_eval.datasets.judgements import parse_grade

__all__ = ["Columns", "find_header", "is_number"]

_QUERY = frozenset(
    map(fold_name, ("query-id", "qid", "query", "question", "question_id", "topic", "topic_id", "topic_num"))
)
_DOCUMENT = frozenset(
    map(
        fold_name,
        (
            "corpus-id",
            "doc-id",
            "document-id",
            "docno",
            "doc",
            "document",
            "pid",
            "passage",
            "passage-id",
            "did",
            "chunk",
            "chunk-id",
        ),
    )
)
_GRADE = frozenset(map(fold_name, ("score", "relevance", "rel", "label", "grade", "judgement", "judgment", "qrel")))


class Columns(NamedTuple):
    """Positions of the columns; ``grade`` is ``None`` where every judgement means relevant."""

    query: int
    document: int
    grade: int | None


def find_header(cells: Sequence[Cell]) -> Columns | None:
    """The columns that the first record names; ``None`` where it is a judgement already.

    >>> find_header([Cell("query-id"), Cell("corpus-id"), Cell("score")])
    Columns(query=0, document=1, grade=2)
    >>> find_header([Cell("q1"), Cell("d1"), Cell("1")]) is None
    True
    """
    names = [fold_name(cell.text) for cell in cells]
    query, document, grade = (_position(names, known) for known in (_QUERY, _DOCUMENT, _GRADE))
    if query is None or document is None or (len(cells) == 3 and grade is None and is_number(cells[2].text)):
        return None
    if grade is None and len(cells) > 2:
        grade = next(at for at in range(len(cells)) if at not in {query, document})
    return Columns(query, document, grade)


def _position(names: Sequence[str], known: frozenset[str]) -> int | None:
    return next((at for at, name in enumerate(names) if name in known), None)


def is_number(text: str) -> bool:
    """It can be a grade."""
    try:
        parse_grade(text)
    except ValueError:
        return False
    return True
