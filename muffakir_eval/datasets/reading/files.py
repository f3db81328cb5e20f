"""Dataset files: found, recognised and opened.

A file is what its suffix says; where its first bytes say plainly otherwise, that is an error and not a
guess. Text is UTF-8, or UTF-16/32 with a byte-order mark, or what ``encoding`` says. There is no silent
fallback: in another encoding Arabic would turn into other letters without a trace.
"""

from __future__ import annotations

import codecs
import difflib
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from muffakir_eval.errors import DatasetFormatError, DatasetNotFoundError

__all__ = ["BOM", "SUFFIXES", "SourceFile", "find_file", "nothing_in"]

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
_TEXT = frozenset({"jsonl", "json", "csv", "tsv"})
_READABLE = ".jsonl, .ndjson, .json, .csv, .tsv (each also .gz), .xlsx, .xls, .parquet, or the folder of an earlier run"
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HTML = (b"<!doctype html", b"<html", b"<table", b"<head", b"<meta")
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
        except UnicodeDecodeError:
            raise self._undecodable() from None
        except UnicodeError as error:  # UTF-16 or UTF-32 without its mark
            raise DatasetFormatError(
                f"the file is not {self.encoding} ({error})",
                where=self.name,
                remedy='say which end comes first, as in encoding="utf-16-le"',
            ) from None
        except (OSError, EOFError, zlib.error) as error:
            raise DatasetFormatError(
                f"the file cannot be read ({error})",
                where=self.name,
                remedy="check that it is whole, and that it may be read",
            ) from None

    def open_text(self, newline: str = "") -> io.TextIOWrapper:
        """The content as text with its line ends as they are; leading byte-order marks may remain.

        Args:
            newline: What ends a line, ``""`` for LF, CR LF and CR.
        """
        return io.TextIOWrapper(self.open_bytes(), encoding=self.text_encoding(), newline=newline)

    def text_encoding(self) -> str:
        """The encoding in which the text is read.

        Raises:
            DatasetFormatError: The one that the user gave does not exist.
        """
        if self.encoding is not None:
            return self.encoding
        head = self.head(4)
        return next((name for mark, name in _BOMS if head.startswith(mark)), "utf-8")

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


def find_file(path: Path, encoding: str | None) -> SourceFile:
    """The file at ``path``, once its suffix is known and its first bytes do not contradict it.

    Raises:
        DatasetNotFoundError: There is no such file.
        DatasetFormatError: The suffix is unknown, the file is empty, its content is plainly of another
            format, or the encoding is unknown.
    """
    if not path.exists():
        raise _not_found(path)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    zipped = suffixes[-1:] == [".gz"]
    suffix = suffixes[-2] if zipped and len(suffixes) > 1 else suffixes[-1] if suffixes else ""
    kind = SUFFIXES.get(suffix)
    if kind is None or (zipped and kind not in _TEXT):
        raise DatasetFormatError(
            f"the suffix {''.join(path.suffixes[-2:] if zipped else path.suffixes[-1:]) or '(none)'} is not known",
            where=str(path),
            expected=_READABLE,
            remedy=_SAVE_AS.get(suffix, "rename the file after what it holds, or save it in one of these formats"),
        )
    if encoding is not None:
        _check_encoding(encoding, path)
    file = SourceFile(path, kind, zipped, encoding)
    _check_content(file)
    return file


_SAVE_AS = {
    ".ods": "save it as .xlsx",
    ".xlsb": "save it as .xlsx",
    ".txt": "rename it to .csv, .tsv or .jsonl, whichever it holds",
    ".zip": "unpack it first",
}


def nothing_in(what: str, where: str) -> DatasetFormatError:
    """The error for a source that is empty."""
    return DatasetFormatError(
        f"{what} is empty", where=where, expected="at least one question", remedy="check whether it is the right one"
    )


def _not_found(path: Path) -> DatasetNotFoundError:
    text = str(path)
    if "://" in text or text.startswith(("hf:/", "http:/", "https:/", "s3:/")):
        return DatasetNotFoundError("this is an address, not a file", where=text, remedy="download it first")
    parent = path.parent
    if not parent.is_dir():
        return DatasetNotFoundError(f"there is no folder {str(parent)!r}", where=text, remedy="check the path")
    names = sorted(entry.name for entry in parent.iterdir())
    near = difflib.get_close_matches(path.name, names, n=1, cutoff=0.6)
    folded = [name for name in names if name.casefold().startswith(path.name.casefold())]
    found = near or folded[:1]
    remedy = f"did you mean {found[0]!r}?" if found else f"check the path; the folder searched is {parent.resolve()}"
    return DatasetNotFoundError("there is no such file", where=text, remedy=remedy)


def _check_encoding(encoding: str, path: Path) -> None:
    try:
        with suppress(UnicodeError):
            b" ".decode(encoding)
    except LookupError:
        from encodings.aliases import aliases

        near = difflib.get_close_matches(encoding.lower(), {*aliases, *aliases.values()}, n=1)
        raise DatasetFormatError(
            f"there is no encoding {encoding!r}",
            where=str(path),
            remedy=f"did you mean {near[0]!r}?" if near else 'use a name that Python knows, such as "cp1256"',
        ) from None


def _check_content(file: SourceFile) -> None:
    """Refuse a file whose first bytes are plainly those of another format."""
    with file.reading(), file.path.open("rb") as raw:
        gzipped = raw.read(2) == b"\x1f\x8b"
    if gzipped != file.zipped and file.path.stat().st_size:
        raise _other_format(file, "gzip-compressed" if gzipped else "not gzip-compressed", _gz_name(file, gzipped))
    head = file.head()
    if not head:
        raise nothing_in("the file", file.name)
    found = _signature(head)
    if found is not None and found[0] != file.format:
        raise _other_format(file, *found[1:])
    if found is None and file.format in {"xlsx", "xls", "parquet"}:
        raise _other_format(file, f"no {_NAMES[file.format]}", "save it again from the program that made it")
    wide = _wide_encoding(head) if file.format in _TEXT and file.encoding is None else None
    if wide is not None and file.text_encoding() == "utf-8":
        raise DatasetFormatError(
            "NUL bytes stand between the letters: this is UTF-16 without a byte-order mark, or no text",
            where=file.name,
            expected="text",
            remedy=f'if it is text, pass encoding="{wide}"',
        )


def _wide_encoding(head: bytes) -> str | None:
    """UTF-16, where every other byte is that of the Latin or the Arabic block.

    A NUL elsewhere may be part of a text.
    """
    for half, encoding in ((head[1::2], "utf-16-le"), (head[::2], "utf-16-be")):
        if 0 in half and sum(byte in {0x00, 0x06} for byte in half) > 0.9 * len(half):
            return encoding
    return None


_NAMES = {"xlsx": "Excel workbook (.xlsx)", "xls": "Excel workbook (.xls)", "parquet": "Parquet file"}


def _gz_name(file: SourceFile, gzipped: bool) -> str:
    name = file.path.name
    return f"rename it to {name + '.gz' if gzipped else name.removesuffix(file.path.suffix)}"


def _signature(head: bytes) -> tuple[str, str, str] | None:
    """Format, what it is, and what to do, for content that says what it is."""
    if head.startswith(b"PK\x03\x04"):
        return "xlsx", "a zip archive, as Excel workbooks (.xlsx) are", "rename it to .xlsx, or unpack it"
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return (
            "xls",
            "an old Excel workbook (.xls), or one with a password",
            "rename it to .xls, or take the password off and save it again",
        )
    if head.startswith(b"PAR1"):
        return "parquet", "a Parquet file", "rename it to .parquet"
    if head.startswith(b"%PDF"):
        return "pdf", "a PDF", "pass the table that it was made from"
    start = head.removeprefix(codecs.BOM_UTF8).lstrip().lower()
    if start.startswith(_HTML):
        return "html", "an HTML page", "open it in a spreadsheet and save it as .xlsx or .csv"
    if start.startswith(b"<?xml"):
        return "xml", "XML", "open it in a spreadsheet and save it as .xlsx or .csv"
    return None


def _other_format(file: SourceFile, found: str, remedy: str) -> DatasetFormatError:
    suffix = "".join(file.path.suffixes[-2:]) if file.zipped else file.path.suffix
    return DatasetFormatError(f"the file is called {suffix}, but it is {found}", where=file.name, remedy=remedy)
