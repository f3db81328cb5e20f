"""The texts of queries: BEIR's ``queries.jsonl``, or identifier and text with a tab between them."""

from __future__ import annotations

from os import PathLike

from muffakir_eval.datasets.beir.texts import read_texts, repeated_id
from muffakir_eval.datasets.cells.text import shown
from muffakir_eval.datasets.columns.aliases import fold_name
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.judged_file import existing_file, judged_file
from muffakir_eval.datasets.reading.files import BOM, SUFFIXES, SourceFile
from muffakir_eval.errors import DatasetFormatError, DatasetRowError
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
    place = existing_file(path, f"a file with {_EXPECTED} on each line, or .jsonl")
    suffixes = [suffix.lower() for suffix in place.suffixes if suffix.lower() != ".gz"]
    if SUFFIXES.get("".join(suffixes[-1:])) in {"json", "xlsx", "xls", "parquet"}:
        raise DatasetFormatError(
            f"the suffix is {suffixes[-1]}",
            where=str(place),
            expected=f".jsonl, or a text file with {_EXPECTED} on each line",
            remedy="save it so (in a spreadsheet: identifier and question in two columns, as tab-delimited text)",
        )
    if suffixes[-1:] in ([".jsonl"], [".ndjson"]):
        return _from_json_lines(judged_file(place, "jsonl"), findings)
    return _from_tabs(judged_file(place, "tsv"))


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
            if "\t" in text.rstrip():
                raise _bad(file, number, f"there are more than two columns in {shown(bare.strip())}")
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
