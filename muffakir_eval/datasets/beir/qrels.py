"""The judgements of a BEIR folder: query, document and grade, one judgement a line."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from muffakir_eval.datasets.beir.header import Columns, find_header, is_number
from muffakir_eval.datasets.beir.tsv import Cell, Record, TsvError, read_records
from muffakir_eval.datasets.cells.text import shown
from muffakir_eval.datasets.judgements import Judgements, parse_grade
from muffakir_eval.datasets.reading.files import BOM, SourceFile
from muffakir_eval.errors import DatasetRowError
from muffakir_eval.text.identifiers import clean_id

__all__ = ["HEADER", "read_qrels_file"]

HEADER = "query-id\tcorpus-id\tscore"
_EXPECTED = "query-id, corpus-id and score with tabs between them, or query-id and corpus-id alone"

_TABS = "save the file with tabs between the columns, not commas or blanks"


class _Judged(NamedTuple):
    line: int
    query: str
    document: str
    grade: float


def read_qrels_file(
    file: SourceFile, queries: Container[str] | None = None, documents: Container[str] | None = None
) -> Judgements:
    """The judgements in a file, in its order.

    The first line may be a header; its names tell the columns, and further ones are passed by. Without one
    there are two or three columns. A column of grades that is missing means that all are 1. The same
    judgement may stand twice.

    Args:
        file: The file.
        queries: Identifiers of the queries. An identifier that is none of them, and is once ``12.0`` is read
            as ``12`` and the white space at its ends is gone, is that one; a quoted one is what it says.
        documents: Identifiers of the documents, likewise.

    Raises:
        DatasetRowError: A line is malformed, or says something else than an earlier one; names file and line.
    """
    found: Judgements = {}
    for line, query, document, grade in _judgements(file, queries, documents):
        judged = found.setdefault(query, {})
        if judged.setdefault(document, grade) != grade:
            first = next(
                other.line
                for other in _judgements(file, queries, documents)
                if (other.query, other.document) == (query, document)
            )
            raise _error(
                file,
                line,
                f"document {shown(document)} has the grade {grade} for query {shown(query)}, and {judged[document]} in "
                f"line {first}",
                expected="one grade for each query and document",
                remedy="delete the wrong line",
            )
    return found


def _judgements(
    file: SourceFile, queries: Container[str] | None, documents: Container[str] | None
) -> Iterator[_Judged]:
    with file.reading(), file.open_text() as lines:
        records = _records(file, lines)
        first = next(records, None)
        if first is None:
            return
        columns = find_header(first.cells)
        if columns is None:
            columns = _plain_columns(first, file)
            records = chain([first], records)
        width = max(position for position in columns if position is not None) + 1
        exact = len(first.cells)
        for line, cells in records:
            if len(cells) < width or len(cells) > exact:
                told = shown("\t".join(cell.text for cell in cells))
                raise _error(
                    file,
                    line,
                    f"{len(cells)} column{'s' if len(cells) > 1 else ''} found in {told}",
                    expected=_EXPECTED,
                )
            yield _Judged(
                line,
                _identifier(file, line, cells[columns.query], "query", queries),
                _identifier(file, line, cells[columns.document], "corpus", documents),
                1.0 if columns.grade is None else _grade(file, line, cells[columns.grade]),
            )


def _records(file: SourceFile, lines: Iterator[str]) -> Iterator[Record]:
    try:
        yield from read_records(line.lstrip(BOM) if number == 0 else line for number, line in enumerate(lines))
    except TsvError as error:
        raise _error(
            file, error.line, str(error), expected='a quote within a quoted cell to be written twice, as ""'
        ) from None


def _plain_columns(first: Record, file: SourceFile) -> Columns:
    """The columns of a file without a header."""
    line, cells = first
    words = cells[0].text.split() if len(cells) == 1 else [cell.text for cell in cells]
    if len(words) == 4 and not is_number(words[2]) and is_number(words[3]):
        raise _error(
            file,
            line,
            "4 columns found, as in the qrels files of TREC",
            expected=_EXPECTED,
            remedy="read it with read_qrels or load_trec; on the command line pass --run-file or --queries with it",
        )
    if len(cells) not in {2, 3} or (len(cells) == 3 and not is_number(cells[2].text)):
        raise _error(
            file,
            line,
            f"the first line, {_shown(cells)}, is neither a judgement nor a header",
            expected=_EXPECTED,
            remedy=f"correct it, or begin the file with the header {shown(HEADER)}" if len(cells) > 1 else _TABS,
        )
    return Columns(0, 1, 2 if len(cells) == 3 else None)


def _shown(cells: Sequence[Cell]) -> str:
    return shown("\t".join(cell.text for cell in cells))


def _identifier(file: SourceFile, line: int, cell: Cell, kind: str, known: Container[str] | None) -> str:
    if cell.quoted:
        return cell.text
    cleaned = clean_id(cell.text)
    if cleaned is None:
        raise _error(file, line, f"the {kind}-id is empty", expected=_EXPECTED)
    if known is None or cell.text in known or cleaned not in known:
        return cell.text
    return cleaned


def _grade(file: SourceFile, line: int, cell: Cell) -> float:
    try:
        grade = parse_grade(cell.text.strip())
    except ValueError:
        raise _error(file, line, f"the score is {shown(cell.text)}", expected="a number, 0 for not relevant") from None
    return grade if float(grade) != grade else float(grade)


def _error(
    file: SourceFile, line: int, found: str, *, expected: str, remedy: str = "correct the line"
) -> DatasetRowError:
    return DatasetRowError(found, row=line, where=file.name, expected=expected, remedy=remedy, place=f"line {line}")
