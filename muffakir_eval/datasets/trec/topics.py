"""The texts of queries: BEIR's ``queries.jsonl``, or identifier and text with a tab between them."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from muffakir_eval.datasets.beir.files import source_file
from muffakir_eval.datasets.beir.texts import read_texts, repeated_id
from muffakir_eval.datasets.cells.text import shown
from muffakir_eval.datasets.columns.aliases import fold_name
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.reading.files import BOM, SourceFile
from muffakir_eval.errors import DatasetFormatError, DatasetNotFoundError, DatasetRowError
from muffakir_eval.text.identifiers import clean_id

__all__ = ["read_topics"]

_HEADERS = frozenset(map(fold_name, ("id", "_id", "qid", "query-id", "topic", "topic-id", "question-id", "number")))
_EXPECTED = "the identifier of a query, a tab, and its text"


def read_topics(path: str | PathLike[str], findings: Findings) -> dict[str, str]:
    """The texts of queries by identifier.

    Args:
        path: ``.jsonl`` with ``{"_id", "text"}`` a line, or anything else with ``identifier<TAB>text`` a
            line and perhaps a header; also compressed, as ``.gz``.
        findings: Where warnings go.

    Raises:
        DatasetNotFoundError: There is no such file.
        DatasetRowError: A line is malformed, or an identifier stands twice.
        DatasetFormatError: The file cannot be read as a whole.
    """
    place = Path(path)
    if not place.is_file():
        raise DatasetNotFoundError(
            "there is no such file", where=str(path), expected=_EXPECTED, remedy="check the path"
        )
    if any(suffix.lower() in {".jsonl", ".ndjson"} for suffix in place.suffixes[-2:]):
        return _from_json_lines(source_file(place, "jsonl"), findings)
    return _from_tabs(SourceFile(place, "topics", place.suffix.lower() == ".gz", None))


def _from_json_lines(file: SourceFile, findings: Findings) -> dict[str, str]:
    texts: dict[str, str] = {}
    for row in read_texts(file, findings):
        if row.identifier in texts:
            raise repeated_id(file, row)
        texts[row.identifier] = row.text
    return texts


def _from_tabs(file: SourceFile) -> dict[str, str]:
    texts: dict[str, str] = {}
    lines_of: dict[str, int] = {}
    with file.reading(), file.open_text() as lines:
        for number, line in enumerate(lines, start=1):
            bare = line.lstrip(BOM) if number == 1 else line
            if bare.isspace() or not bare:
                continue
            if number == 1 and bare.lstrip().startswith("<"):
                raise DatasetFormatError(
                    "the file holds tags", where=file.name, expected=f"on each line {_EXPECTED}", remedy="save it so"
                )
            name, tab, text = bare.rstrip("\r\n").partition("\t")
            identifier = clean_id(name)
            if not tab or identifier is None:
                raise _bad(file, number, f"there is no {'identifier' if tab else 'tab'} in {shown(bare.strip())}")
            if number == 1 and fold_name(identifier) in _HEADERS:
                continue
            if identifier in texts:
                raise _bad(file, number, f"{shown(identifier)} stands in line {lines_of[identifier]} already")
            texts[identifier], lines_of[identifier] = text, number
    return texts


def _bad(file: SourceFile, line: int, found: str) -> DatasetRowError:
    return DatasetRowError(
        found, row=line, where=file.name, expected=_EXPECTED, remedy="correct the line", place=f"line {line}"
    )
