"""The passages behind ``--retriever``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from muffakir_eval.cli.judged_sets import folder_of_passages
from muffakir_eval.errors import ConfigError, DatasetNotFoundError

if TYPE_CHECKING:
    from muffakir_eval.records import RetrievedChunk

__all__ = ["Passages"]


class Passages(NamedTuple):
    """The options that begin with --corpus, and --rechunk."""

    file: str | None
    text_column: str | None
    id_column: str | None
    encoding: str | None
    sheet: str | int | None
    words: int | None

    def load(self, dataset: str) -> list[RetrievedChunk]:
        """The passages of the file, or of the BEIR folder that ``dataset`` is.

        Raises:
            ConfigError: There is no file, and ``dataset`` has no passages.
            DatasetError: The passages cannot be read, or there is no such ``dataset``.
        """
        from muffakir_eval.pipelines import load_corpus, rechunk

        file = self.file or folder_of_passages(dataset)
        if file is None:
            _refuse_what_is_not_there(dataset)
            raise ConfigError("--retriever needs passages", remedy="add --corpus FILE")
        chunks = load_corpus(
            file,
            text_column=self.text_column,
            id_column=self.id_column,
            encoding=self.encoding,
            sheet=self.sheet,
        )
        return chunks if self.words is None else rechunk(chunks, words=self.words, overlap=self.words // 6)


def _refuse_what_is_not_there(dataset: str) -> None:
    """A folder whose passages were to be taken."""
    try:
        is_there = Path(dataset).exists()
    except (OSError, ValueError):  # no name that a file can have
        is_there = False
    if not is_there:
        remedy = "check the path" if Path(dataset).suffix else "check the path; a BEIR folder is downloaded beforehand"
        raise DatasetNotFoundError("there is no such file or folder", where=dataset, remedy=remedy)
