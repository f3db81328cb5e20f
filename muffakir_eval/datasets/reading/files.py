"""Dataset files, opened.

A file is what its suffix says; where its first bytes say plainly otherwise, that is an error and not a
guess. Text is UTF-8, or UTF-16/32 with a byte-order mark, or what ``encoding`` says. There is no silent
fallback: in another encoding Arabic would turn into other letters without a trace.
"""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from muffakir_eval.errors import DatasetFormatError

__all__ = ["BOM", "BOMS", "SUFFIXES", "SourceFile", "nothing_in"]

SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".xls": "xls",
    ".parquet": "parquet",
}
"""Format by suffix; the text formats may carry a further ``.gz``."""

BOM = "\ufeff"
BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HEAD = 4096


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that exists and whose suffix is known."""

    path: Path
    format: str
    zipped: bool
    encoding: str | None

    @property
    def name(self) -> str:
        """The path as messages name it."""
        return str(self.path)

    def open_bytes(self) -> BinaryIO:
        """The content, decompressed."""
        if self.zipped:
            return gzip.open(self.path, "rb")  # type: ignore[return-value]
        return self.path.open("rb")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Turn what can go wrong in reading into errors that name the file.

        Raises:
            DatasetFormatError: The bytes are not in the encoding, or the compressed data is damaged.
        """
        try:
            yield
        except UnicodeError as error:
            reason = str(getattr(error, "reason", error))
            if "BOM" not in reason:
                raise self._undecodable() from None
            raise DatasetFormatError(  # UTF-16 or UTF-32 without its mark
                f"the file is not {self.encoding} ({reason})",
                where=self.name,
                remedy='say which end comes first, as in encoding="utf-16-le"',
            ) from None
        except (OSError, EOFError, zlib.error) as error:
            raise DatasetFormatError(
                f"the file cannot be read ({error})",
                where=self.name,
                remedy="check that it is whole, and that it may be read",
            ) from None

    def open_text(self, newline: str = "", errors: str = "strict") -> io.TextIOWrapper:
        """The content as text with its line ends as they are; leading byte-order marks may remain.

        Args:
            newline: What ends a line, ``""`` for LF, CR LF and CR.
            errors: What becomes of bytes that cannot be decoded.
        """
        return io.TextIOWrapper(self.open_bytes(), encoding=self.text_encoding(), errors=errors, newline=newline)

    def text_encoding(self) -> str:
        """The encoding in which the text is read.

        Raises:
            DatasetFormatError: The one that the user gave does not exist.
        """
        if self.encoding is not None:
            return self.encoding
        head = self.head(4)
        return next((name for mark, name in BOMS if head.startswith(mark)), "utf-8")

    def head(self, size: int = _HEAD) -> bytes:
        """The first bytes of the content."""
        with self.reading(), self.open_bytes() as file:
            return file.read(size)

    def _undecodable(self) -> DatasetFormatError:
        encoding = self.text_encoding()
        offset, byte, line = self._first_bad_byte(encoding)
        if self.encoding is None:
            remedy = (
                'if Excel on an Arabic Windows saved it, pass encoding="cp1256"; '
                "otherwise pass its encoding, or save it as UTF-8"
            )
        else:
            remedy = "pass the encoding in which it was saved, or none if it is UTF-8"
        return DatasetFormatError(
            f"the file is not {encoding.upper()}: byte 0x{byte:02X} at offset {offset} (line {line}) cannot be decoded",
            where=self.name,
            expected=f"text in {encoding.upper()}",
            remedy=remedy,
        )

    def _first_bad_byte(self, encoding: str) -> tuple[int, int, int]:
        """Offset, value and line of the byte that cannot be decoded."""
        decoder = codecs.getincrementaldecoder(encoding)()
        read, lines = 0, 1
        with self.open_bytes() as file:
            while True:
                chunk = file.read(1 << 16)
                try:
                    decoder.decode(chunk, final=not chunk)
                except UnicodeDecodeError as error:
                    offset = read + len(chunk) - len(error.object) + error.start
                    bad = error.object[error.start]
                    return offset, bad, lines + chunk.count(b"\n", 0, max(0, offset - read))
                if not chunk:
                    return read, 0, lines
                read += len(chunk)
                lines += chunk.count(b"\n")


def nothing_in(what: str, where: str) -> DatasetFormatError:
    """The error for a source that is empty."""
    return DatasetFormatError(
        f"{what} is empty", where=where, expected="at least one question", remedy="check whether it is the right one"
    )
