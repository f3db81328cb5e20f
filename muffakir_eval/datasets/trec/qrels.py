"""TREC qrels: query, iteration, document, grade."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

from muffakir_eval.datasets.cells.text import shown
from muffakir_eval.datasets.judgements import Judgements, checked_judgements, parse_grade, spell_grade
from muffakir_eval.datasets.trec.lines import TrecFile, checked_field, write_lines

__all__ = ["read_qrels", "write_qrels"]

_NAMES = ("query", "iteration", "document", "grade")


def read_qrels(path: str | PathLike[str]) -> Judgements:
    """Read TREC qrels: ``query iteration document grade`` on each line, with white space between.

    Args:
        path: The file; compressed where its name ends in ``.gz``.

    Returns:
        ``{query: {document: grade}}`` in the order of the file; grades are whole numbers where they are
        written so. The same judgement may stand twice.

    Raises:
        DatasetNotFoundError: There is no such file (this is a :class:`FileNotFoundError`).
        DatasetRowError: A line is malformed, or says something else than an earlier one; names file, line
            and what was expected.
        DatasetFormatError: The file cannot be decoded.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_qrels(f"{folder}/a.qrels", {"301": {"doc-1": 2, "doc-2": 0}})
    ...     read_qrels(f"{folder}/a.qrels")
    {'301': {'doc-1': 2, 'doc-2': 0}}
    """
    file = TrecFile(path, _NAMES, _hint)
    found: Judgements = {}
    for line, (query, _, document, spelled) in file:
        try:
            grade = parse_grade(spelled)
        except ValueError:
            raise file.error(
                line, f"the grade is {shown(spelled)}", expected="a number, 0 or less for not relevant"
            ) from None
        judged = found.setdefault(query, {})
        if judged.setdefault(document, grade) != grade:
            first = next(other for other, fields in file if (fields[0], fields[2]) == (query, document))
            raise file.error(
                line,
                f"document {shown(document)} has the grade {grade} for query {shown(query)}, and {judged[document]} "
                f"in line {first}",
                expected="one grade for each query and document",
                remedy="delete the wrong line",
            )
    return found


def _hint(fields: list[str]) -> str | None:
    if len(fields) == 6:
        return "this looks like a run and not like judgements: read it with read_run"
    return "this looks like the judgements of a BEIR folder: read it with read_beir" if len(fields) == 3 else None


def write_qrels(path: str | PathLike[str], qrels: Mapping[str, Mapping[str, float]]) -> None:
    """Write TREC qrels that :func:`read_qrels` reads back the same; an older file is replaced in one step.

    Args:
        path: The file to write.
        qrels: ``{query: {document: grade}}``.

    Raises:
        DatasetError: An identifier has white space in it, is no text, or holds a lone surrogate, a grade is no
            finite number, or a query has no judgement.
        StorageError: The file cannot be written.
    """
    lines = []
    for query, judged in checked_judgements(qrels).items():
        checked_field(query, "the query id", "qrels")
        for document, grade in judged.items():
            checked_field(document, "the document id", f"qrels, query {query!a}")
            lines.append(f"{query} 0 {document} {spell_grade(grade)}\n")
    write_lines(path, lines)
