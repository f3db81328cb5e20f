"""Files found by their path, and recognised by suffix and first bytes."""

from __future__ import annotations

import codecs
import difflib
import gzip
import re
import unicodedata
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from muffakir_eval.datasets.reading.files import BOM, BOMS, SUFFIXES, SourceFile, nothing_in
from muffakir_eval.errors import DatasetFormatError, DatasetNotFoundError

__all__ = ["find_file"]

_TEXT = frozenset({"jsonl", "json", "csv", "tsv"})
_READABLE = (
    ".jsonl, .ndjson, .json, .csv, .tsv (each also .gz), .xlsx, .xls, .parquet, the folder of an earlier run, or a "
    "BEIR folder"
)
_HTML = (b"<!doctype html", b"<html", b"<table", b"<head", b"<meta")
_OBJECT = re.compile(rb"(?:\[\s*)?\{\s*[\"}]")
_ALIKE = 0.8


def find_file(path: Path, encoding: str | None) -> SourceFile:
    """The file at ``path``, once its suffix is known and its first bytes do not contradict it.

    Raises:
        DatasetNotFoundError: There is no such file.
        DatasetFormatError: The suffix is unknown, the file is empty, its content is plainly of another
            format, or the encoding is unknown.
    """
    if not path.exists():
        raise _not_found(path)
    if not path.is_file():
        raise DatasetFormatError(
            "this is a folder" if path.is_dir() else "this is a pipe or a device",
            where=str(path),
            expected="a file",
            remedy="pass the path of a file",
        )
    suffixes = [suffix.lower() for suffix in path.suffixes]
    zipped = suffixes[-1:] == [".gz"]
    suffix = suffixes[-2] if zipped and len(suffixes) > 1 else suffixes[-1] if suffixes else ""
    kind = SUFFIXES.get(suffix)
    if kind is None or (zipped and kind not in _TEXT):
        raise DatasetFormatError(
            f"the suffix {''.join(path.suffixes[-2:] if zipped else path.suffixes[-1:]) or '(none)'} is not known",
            where=str(path),
            expected=_READABLE,
            remedy=_SAVE_AS.get(suffix) or (_TREC if _is_trec(path, zipped=zipped) else _RENAME),
        )
    if encoding is not None:
        _check_encoding(encoding, path)
    file = SourceFile(path, kind, zipped, encoding)
    check_content(file)
    return file


_SAVE_AS = {
    ".ods": "save it as .xlsx",
    ".xlsb": "save it as .xlsx",
    ".txt": "rename it to .csv, .tsv or .jsonl, whichever it holds",
    ".zip": "unpack it first",
}


_RENAME = "rename the file after what it holds, or save it in one of these formats"
_TREC = (
    "judgements and runs of TREC are read by load_trec(qrels, run, queries); on the command line the judgements are "
    "DATASET, with --run-file or --queries"
)
_TREC_LINE = re.compile(rb"\S+\s+\S+\s+\S+\s+(?:-?\d+|\d+\s+\S+\s+\S+)\s*")


def _is_trec(path: Path, *, zipped: bool) -> bool:
    """The first line looks like one of judgements or of a run."""
    try:
        with gzip.open(path) if zipped else path.open("rb") as lines:
            return _TREC_LINE.fullmatch(lines.readline(1000)) is not None
    except (OSError, EOFError, zlib.error):
        return False


def _not_found(path: Path) -> DatasetNotFoundError:
    text = str(path)
    if "://" in text or text.startswith(("hf:/", "http:/", "https:/", "s3:/")):
        return DatasetNotFoundError("this is an address, not a file", where=text, remedy="download it first")
    parent = path.parent
    if not parent.is_dir():
        return DatasetNotFoundError(
            f"there is no folder {str(parent.absolute())!r}", where=text, remedy="check the path"
        )
    found = _nearest(path.name, [entry.name for entry in parent.iterdir()])
    remedy = f"did you mean {found!r}?" if found else "check the path"
    return DatasetNotFoundError(f"there is no such file in {parent.resolve()}", where=text, remedy=remedy)


def _nearest(name: str, names: Iterable[str]) -> str | None:
    """The name that was probably meant; the suffix, which many files share, is no likeness by itself."""
    stem, suffix = _folded_parts(name)
    found = []
    for other in sorted(names, reverse=True):
        other_stem, other_suffix = _folded_parts(other)
        alike = difflib.SequenceMatcher(None, stem, other_stem).ratio()
        if alike >= _ALIKE or (not suffix and other_stem.startswith(stem)):
            found.append((alike, difflib.SequenceMatcher(None, suffix, other_suffix).ratio(), other))
    return max(found)[2] if found else None


def _folded_parts(name: str) -> tuple[str, str]:
    stem, _, suffix = unicodedata.normalize("NFC", name).casefold().partition(".")
    return stem, suffix


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


def check_content(file: SourceFile) -> None:
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
    if found is None and file.format in _NAMES:
        raise _other_format(
            file, *(_text_kind(head) or (f"no {_NAMES[file.format]}", "save it again from the program that made it"))
        )
    if file.format in _TEXT and file.encoding is None:
        _check_text(file, head)


def _check_text(file: SourceFile, head: bytes) -> None:
    """Refuse text that is plainly of another text format, or none."""
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if file.format in {"csv", "tsv"} and _OBJECT.match(start):
        raise _other_format(file, "JSON", "rename it to .jsonl, or to .json if it is one list")
    wide = _wide_encoding(head)
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


def _text_kind(head: bytes) -> tuple[str, str] | None:
    """What a text is, and what to do with it; ``None`` for what is no text."""
    try:
        text = codecs.getincrementaldecoder(next((name for mark, name in BOMS if head.startswith(mark)), "utf-8"))()
        start = text.decode(head).lstrip(BOM + " \t\r\n")
    except UnicodeDecodeError:
        return None
    if any(char < " " and char not in "\t\r\n" for char in start):
        return None
    if _OBJECT.match(start.encode()):
        return "text that looks like JSON", "rename it to .json, or to .jsonl if it has an object per line"
    first = start.partition("\n")[0]
    if not any(separator in first for separator in ",;\t"):
        return "plain text", "rename it after what it holds"
    suffix = ".tsv" if "\t" in first and "," not in first else ".csv"
    return f"plain text, as in {suffix} files", f"rename it to {suffix}"


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
    if head.startswith(b"\x1f\x8b"):
        return "gz", "gzip-compressed twice", "unpack it once"
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
