"""TREC runs: query, Q0, document, rank, score, tag."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

from muffakir_eval.datasets.cells.text import shown
from muffakir_eval.datasets.judgements import checked_score, checked_text
from muffakir_eval.datasets.trec.lines import TrecFile, checked_field, write_lines
from muffakir_eval.errors import DatasetError

__all__ = ["Run", "checked_run", "ranked_run", "read_run", "write_run"]

_NAMES = ("query", "Q0", "document", "rank", "score", "tag")

Run = dict[str, list[tuple[str, float]]]
"""Rankings: ``{query: [(document, score), …]}``, best first."""


class _Hit(NamedTuple):
    rank: int
    score: float
    document: str


def read_run(path: str | PathLike[str]) -> Run:
    """Read a TREC run: ``query Q0 document rank score tag`` on each line, with white space between.

    The rank decides the order, and neither the score nor the order of the lines. (``trec_eval`` passes the
    rank by and sorts by score, so that the two differ where scores are tied or contradict the ranks; a
    warning says where they contradict them.) Where documents share a rank, the higher score goes first, and
    then the earlier line.

    Args:
        path: The file; compressed where its name ends in ``.gz``.

    Returns:
        ``{query: [(document, score), …]}``, best first. A document that stands twice keeps both ranks.

    Raises:
        DatasetNotFoundError: There is no such file (this is a :class:`FileNotFoundError`).
        DatasetRowError: A line is malformed; names file, line and what was expected.
        DatasetFormatError: The file cannot be decoded.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_run(f"{folder}/a.run", {"q1": ["doc-2", "doc-1"]})
    ...     read_run(f"{folder}/a.run")
    {'q1': [('doc-2', 2.0), ('doc-1', 1.0)]}
    """
    run, told = ranked_run(path)
    for warning in told:
        warnings.warn(warning, stacklevel=2)
    return run


def ranked_run(path: str | PathLike[str]) -> tuple[Run, list[str]]:
    """:func:`read_run`, with its warnings."""
    file = TrecFile(path, _NAMES, _hint)
    hits: dict[str, list[_Hit]] = {}
    for line, (query, _, document, rank, score, _) in file:
        try:
            hit = _Hit(int(rank), float(score), document)
        except ValueError:
            hit = _Hit(0, math.nan, document)
        if math.isnan(hit.score) or "_" in rank + score:
            raise file.error(
                line,
                f"rank and score are {shown(rank)} and {shown(score)}",
                expected="a whole number and a number, as in: query Q0 document rank score tag",
            )
        hits.setdefault(query, []).append(hit)
    return _ordered(hits, file.name)


def _hint(fields: list[str]) -> str | None:
    if len(fields) > len(_NAMES) and fields[1].upper() == "Q0":
        return "take the white space out of the tag, or separate the fields with tabs alone"
    return "this looks like judgements and not like a run: read it with read_qrels" if len(fields) == 4 else None


def _ordered(hits: Mapping[str, list[_Hit]], where: str) -> tuple[Run, list[str]]:
    run: Run = {}
    shared, contradicted, repeated = [], [], []
    for query, found in hits.items():
        found.sort(key=lambda hit: (hit.rank, -hit.score))
        if len({hit.rank for hit in found}) < len(found):
            shared.append(query)
        if any(found[at].score < found[at + 1].score for at in range(len(found) - 1)):
            contradicted.append(query)
        if len({hit.document for hit in found}) < len(found):
            repeated.append(query)
        run[query] = [(hit.document, hit.score) for hit in found]
    told = [
        _told(where, shared, len(run), "several documents share a rank; the higher score goes first"),
        _told(
            where,
            contradicted,
            len(run),
            "a document has a higher score than one of a better rank; the ranks count here, and the scores for "
            "trec_eval, so that its figures differ",
        ),
        _told(where, repeated, len(run), "a document stands more than once; it counts at its best rank only"),
    ]
    return run, [line for line in told if line is not None]


def _told(where: str, queries: Sequence[str], total: int, what: str) -> str | None:
    return f"{where}: in {len(queries)} of {total} queries (first: {shown(queries[0])}) {what}" if queries else None


def write_run(
    path: str | PathLike[str],
    run: Mapping[str, Mapping[str, float] | Iterable[str | tuple[str, float]]],
    *,
    tag: str = "muffakir_eval",
) -> None:
    """Write a TREC run that :func:`read_run` reads back the same; an older file is replaced in one step.

    Args:
        path: The file to write.
        run: For each query its documents, best first: identifiers, ``(document, score)`` pairs, or
            ``{document: score}``, whose order counts too. Without scores the documents get falling ones,
            so that ``trec_eval`` sees the same order.
        tag: Name of the run.

    Raises:
        DatasetError: An identifier has white space in it, is no text, or holds a lone surrogate, or a score is no
            number; an infinite one is written as ``inf``.
        StorageError: The file cannot be written.
    """
    checked_field(tag, "the tag", "run")
    lines = []
    for query, documents in checked_run(run).items():
        checked_field(query, "the query id", "run")
        for rank, (document, score) in enumerate(documents, start=1):
            checked_field(document, "the document id", f"run, query {query!a}")
            lines.append(f"{query} Q0 {document} {rank} {score!r} {tag}\n")
    write_lines(path, lines)


def checked_run(run: Any) -> Run:
    """``run`` as rankings with scores, once it is sure that it is one.

    Raises:
        DatasetError: It is not.
    """
    if not isinstance(run, Mapping):
        raise DatasetError(f"run is of the type {type(run).__name__}", where="run", expected="{query: documents}")
    checked: Run = {}
    for query, documents in run.items():
        where = f"run, query {query!a}"
        checked[checked_text(query, "the query id", "run")] = [
            (
                checked_text(document, "the document id", where),
                checked_score(score, f"{where}, document {document!a}"),
            )
            for document, score in _scored(documents, where)
        ]
    return checked


def _scored(documents: Any, where: str) -> list[tuple[Any, Any]]:
    if isinstance(documents, Mapping):
        return list(documents.items())
    if isinstance(documents, (str, bytes, set, frozenset)) or not isinstance(documents, Iterable):
        raise DatasetError(
            f"the documents are {shown(documents)}", where=where, expected="a list of identifiers, best first"
        )
    listed = list(documents)
    if all(isinstance(item, (tuple, list)) and len(item) == 2 for item in listed):
        return [(document, score) for document, score in listed]
    return [(document, len(listed) - at) for at, document in enumerate(listed)]
