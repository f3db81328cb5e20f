"""The documents and queries of a BEIR folder, streamed from their files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from muffakir_eval.datasets.cells.text import CellError, as_list, metadata_value, shown, to_id, to_text
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.reading.files import SourceFile
from muffakir_eval.datasets.reading.jsonl import read_jsonl
from muffakir_eval.datasets.tables import ReadOptions
from muffakir_eval.errors import DatasetRowError
from muffakir_eval.text.identifiers import clean_id

__all__ = ["KEY", "TextRow", "document_text", "read_texts", "repeated_id"]

KEY = "muffakir_eval"
"""Under it a line may carry what BEIR has no place for."""

_READ = frozenset({"_id", "id", "text", "metadata", KEY})
_TRUTH = ("true", "false")


class TextRow(NamedTuple):
    """One line.

    Attributes:
        line: Where it stands.
        identifier: Its ``_id``, a number as it is spelled.
        title: Its title; empty where it has none.
        text: Its text.
        values: All that the line holds.
    """

    line: int
    identifier: str
    title: str
    text: str
    values: Mapping[str, Any]

    def metadata(self) -> dict[str, Any]:
        """What else the line holds, the entries of its ``metadata`` first."""
        inner = self.values.get("metadata")
        kept = {str(key): metadata_value(item) for key, item in inner.items()} if isinstance(inner, Mapping) else {}
        for name, value in self.values.items():
            if name not in _READ and not (name == "title" and not value):
                kept.setdefault(name, metadata_value(value))
        return kept


def document_text(title: str, text: str) -> str:
    """A document as it is searched: title, blank, text; without a title the text as it stands.

    >>> document_text("العنوان", "النص"), document_text("", " نص ")
    ('العنوان النص', ' نص ')
    """
    return f"{title} {text}".strip() if title.strip() else text


def read_texts(file: SourceFile, findings: Findings, *, titled: bool = False, blank: bool = False) -> Iterator[TextRow]:
    """The lines of ``corpus.jsonl`` or ``queries.jsonl``, blank ones left out.

    A bad line is rejected: it is no object, it has no ``_id`` (``id`` will do) or no ``text``, or one of them
    is no text.

    Args:
        file: The file.
        findings: Where bad lines go.
        titled: These are documents: they have titles, and one with a title needs no text.
        blank: A line without ``text`` is a row too, one whose text is empty.

    Raises:
        DatasetRowError: A line is bad, and the first one ends it all; names file and line.
        DatasetFormatError: The file cannot be read as a whole.
    """
    for row, _, values in read_jsonl(file, ReadOptions(findings=findings, streamed=blank)).rows:
        try:
            yield _row(row, values, titled=titled, blank=blank)
        except CellError as error:
            findings.reject(_bad(file, row, error))


def _row(line: int, values: Mapping[str, Any], *, titled: bool, blank: bool) -> TextRow:
    title = _text(values, "title") if titled else None
    text = _text(values, "text")
    if text is None and title is None and not blank:
        raise CellError("the text is missing", expected='"text", which may be empty', remedy="fill it in")
    return TextRow(line, _identifier(values), title or "", text or "", values)


def _identifier(values: Mapping[str, Any]) -> str:
    value = values.get("_id", values.get("id"))
    if isinstance(value, str):
        return value
    identifier = None if as_list(value) is not None or isinstance(value, Mapping) else to_id(value)
    if identifier is None:
        found = "the identifier is missing" if value is None else f"the identifier is {shown(value)}"
        raise CellError(found, expected='"_id", a text or a number', remedy="give the line an _id of its own")
    return identifier


def _text(values: Mapping[str, Any], name: str) -> str | None:
    value = values.get(name)
    if isinstance(value, str):
        return value
    try:
        return to_text(value, _TRUTH)
    except CellError as error:
        raise CellError(f"the {name} is no text: {error.found}", expected="one text", remedy=error.remedy) from None


def repeated_id(file: SourceFile, row: TextRow) -> DatasetRowError:
    """The error for an identifier that stood on an earlier line, which is looked up again."""
    compared = clean_id(row.identifier)
    earlier = {
        other.identifier: other.line
        for other in read_texts(file, Findings(fail_fast=False), titled=True)
        if other.line < row.line and compared == clean_id(other.identifier)
    }
    first = earlier.get(row.identifier) or min(earlier.values())
    return _bad(
        file,
        row.line,
        CellError(
            f"the identifier {shown(row.identifier)} stands in line {first} already",
            expected="each identifier once",
            remedy="delete one of the two lines, or give it an identifier of its own",
        ),
    )


def _bad(file: SourceFile, line: int, error: CellError) -> DatasetRowError:
    return DatasetRowError(
        error.found,
        row=line,
        where=file.name,
        expected=error.expected,
        remedy=error.remedy or "correct the line",
        place=f"line {line}",
    )
