"""How the files of a corpus are read: what readers of question sets must be told, and prose by paragraphs."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from muffakir_eval.datasets import ReadOptions
from muffakir_eval.datasets.reading.files import BOM, SourceFile
from muffakir_eval.errors import DatasetError, DatasetFormatError, DatasetNotFoundError
from muffakir_eval.pipelines.corpus_columns import text_columns

__all__ = ["PROSE", "CorpusOptions", "of_passages", "paragraphs", "prose_file"]

PROSE = (".txt", ".md")
"""Files without rows: a passage is a paragraph."""
_ROWS = 'write it as rows of passages, such as [{"id": "1", "text": "…"}, …]'


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusOptions(ReadOptions):
    """For readers that must tell a table from another by what it holds: here passages, not questions."""

    text_column: str | None = None

    def questions(self, columns: Sequence[str]) -> list[str]:
        """The columns that can be the passage."""
        return text_columns(columns, self.text_column)

    def ignore(self, where: str, **given: object) -> None:
        """Warn of those options that were given and have no effect."""
        for option, value in given.items():
            if value is not None:
                self.ignored(option, value, where)


def of_passages(error: DatasetFormatError) -> DatasetError:
    """``error`` about passages; the readers speak of questions, for which they are made."""
    if error.expected is None or "question" not in error.expected:
        return error
    remedy = error.remedy if error.remedy is None or "question" not in error.remedy else _ROWS
    return DatasetFormatError(error.found, where=error.where, expected="a table of passages", remedy=remedy)


def prose_file(path: Path, encoding: str | None) -> SourceFile:
    """The text file at ``path``.

    Raises:
        DatasetNotFoundError: There is no such file.
        DatasetFormatError: There is no such encoding.
    """
    if not path.is_file():
        raise DatasetNotFoundError("there is no such file", where=str(path), remedy="check the path")
    file = SourceFile(path, "txt", False, encoding)
    try:
        codecs.lookup(file.text_encoding())
    except LookupError:
        raise DatasetFormatError(
            f"there is no encoding {encoding!r}",
            where=file.name,
            remedy='use a name that Python knows, such as "cp1256"',
        ) from None
    return file


def paragraphs(file: SourceFile) -> Iterator[tuple[int, str]]:
    """Line and text of every paragraph of a text file; blank lines stand between them.

    Raises:
        DatasetFormatError: The file cannot be read, or not in its encoding.
    """
    first, held = 0, list[str]()
    with file.reading(), file.open_text() as whole:
        whole.reconfigure(newline=None)  # CR and CR LF end a line too
        for number, raw in enumerate(whole, start=1):
            line = raw.lstrip(BOM) if number == 1 else raw
            if line.strip():
                first = first if held else number
                held.append(line)
            elif held:
                yield first, "".join(held).strip()
                held.clear()
        if held:
            yield first, "".join(held).strip()
