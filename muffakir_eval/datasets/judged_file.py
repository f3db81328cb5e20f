"""Files of judgements, of rankings, and of the texts that are judged: found and opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from muffakir_eval.datasets.reading.files import SourceFile
from muffakir_eval.datasets.reading.finding import check_content
from muffakir_eval.errors import DatasetFormatError, DatasetNotFoundError

__all__ = ["JudgedFile", "existing_file", "is_file", "is_folder", "is_same_file", "judged_file", "shortened"]


@dataclass(frozen=True, slots=True)
class JudgedFile(SourceFile):
    """A file for which nobody can say an encoding: it is UTF-8, or UTF-16 with its byte-order mark."""

    @contextmanager
    def reading(self) -> Iterator[None]:
        """As of every file; what cannot be decoded is to be saved as UTF-8.

        Raises:
            DatasetFormatError: It cannot be decoded, or the compressed data is damaged.
        """
        with _without_option(), SourceFile.reading(self):
            yield


@contextmanager
def _without_option() -> Iterator[None]:
    """Do not advise an option that is not there."""
    try:
        yield
    except DatasetFormatError as error:
        if "encoding=" not in (error.remedy or ""):
            raise
        raise DatasetFormatError(
            error.found, where=error.where, expected=error.expected, remedy="save it as UTF-8"
        ) from None


def existing_file(path: str | PathLike[str], expected: str) -> Path:
    """``path``, once it is sure that it is a file.

    Raises:
        DatasetNotFoundError: It is none.
    """
    place = Path(path)
    if is_file(place):
        return place
    found = "this is a folder" if is_folder(place) else "there is no such file"
    raise DatasetNotFoundError(found, where=shortened(path), expected=expected, remedy="check the path")


def is_file(path: Path) -> bool:
    """``path`` is a file; what the system does not take for a path is none."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    """``path`` is a folder; what the system does not take for a path is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_same_file(path: str | PathLike[str], other: str | PathLike[str]) -> bool:
    """Both stand for one file that exists, by whatever name."""
    try:
        return Path(path).samefile(other)
    except (OSError, ValueError):
        return False


def shortened(path: str | PathLike[str], length: int = 300) -> str:
    """A path for a message."""
    text = str(path)
    return text if len(text) <= length else f"{text[:length]}…"


def judged_file(path: Path, kind: str) -> JudgedFile:
    """The file at ``path``, which exists; compressed where its name ends in ``.gz``.

    Args:
        path: Where it is.
        kind: What it holds: ``jsonl``, or ``tsv`` for every other text.

    Raises:
        DatasetFormatError: Its first bytes are plainly those of another format.
    """
    file = JudgedFile(path, kind, path.suffix.lower() == ".gz", None)
    with _without_option():
        if path.stat().st_size and file.head(1):
            check_content(file)
    return file
