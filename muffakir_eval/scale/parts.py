"""The parts of a data set: whole files, or pieces of files that can be read by themselves."""

from __future__ import annotations

import glob
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.reading.files import SourceFile
from muffakir_eval.datasets.reading.finding import find_file
from muffakir_eval.datasets.reading.headers import read_header
from muffakir_eval.datasets.reading.jsonl import read_jsonl
from muffakir_eval.datasets.reading.parquet import read_parquet
from muffakir_eval.datasets.tables import RawRow, RawTable, ReadOptions
from muffakir_eval.errors import ConfigError, DatasetFormatError, DatasetNotFoundError

__all__ = ["Glance", "Part", "batches", "check_blocksize", "find_files", "look", "read_part"]

_FORMATS = ("jsonl", "parquet")
_SUFFIXES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".parquet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of a file that one worker reads.

    Attributes:
        path: The file.
        start: First byte of a piece of a JSONL file, or first row group of a Parquet file.
        stop: The end, ``None`` for that of the file.
        before: Lines or rows of the file before this piece.
    """

    path: str
    start: int = 0
    stop: int | None = None
    before: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """What a first look at a file has found.

    Attributes:
        parts: Its pieces.
        columns: Different sets of columns of its rows, in the order in which they come.
        repeated: Names that several columns bear.
    """

    parts: tuple[Part, ...]
    columns: tuple[tuple[str, ...], ...]
    repeated: frozenset[str] = field(default=frozenset())


def find_files(dataset: str | Path | Iterable[str | Path]) -> list[str]:
    """The files of a pattern, a folder, or a list, those of a pattern or a folder in the order of their names.

    Raises:
        DatasetNotFoundError: There is none.
        DatasetFormatError: One is neither JSONL nor Parquet.
    """
    if isinstance(dataset, (str, Path)):
        path = Path(dataset)
        if path.is_dir():
            found = sorted(str(entry) for entry in path.iterdir() if entry.name.endswith(_SUFFIXES))
        elif path.exists() or not glob.has_magic(str(dataset)):
            found = [str(path)]
        else:
            found = sorted(glob.glob(str(dataset), recursive=True))  # noqa: PTH207 - Path.glob knows no absolute pattern
        where = str(dataset)
    else:
        found, where = [str(path) for path in dataset], "the list of files"
    if not found:
        raise DatasetNotFoundError(
            "there is no file", where=where, expected=", ".join(_SUFFIXES), remedy="check the path or the pattern"
        )
    for name in found:
        file = find_file(Path(name), None)
        if file.format not in _FORMATS:
            raise DatasetFormatError(
                f"{Path(name).suffix} cannot be read in pieces",
                where=name,
                expected=", ".join(_SUFFIXES),
                remedy="save it as .jsonl or .parquet",
            )
    return found


def look(path: str, encoding: str | None, blocksize: int | None) -> Glance:
    """Cut a file into parts of about ``blocksize`` rows, and note its columns.

    Raises:
        DatasetError: The file cannot be read as a whole.
    """
    file = find_file(Path(path), encoding)
    return _look_at_parquet(path, blocksize) if file.format == "parquet" else _look_at_lines(file, blocksize)


def _look_at_parquet(path: str, blocksize: int | None) -> Glance:
    table = read_parquet(find_file(Path(path), None), ReadOptions(findings=Findings(fail_fast=True)))
    from pyarrow import parquet

    columns = (table.columns or (),)
    if blocksize is None:
        return Glance(parts=(Part(path=path),), columns=columns, repeated=table.repeated)
    meta = parquet.read_metadata(path)
    parts, start, before, rows = [], 0, 0, 0
    for group in range(meta.num_row_groups):
        rows += meta.row_group(group).num_rows
        if rows >= blocksize or group == meta.num_row_groups - 1:
            parts.append(Part(path=path, start=start, stop=group + 1, before=before))
            start, before, rows = group + 1, before + rows, 0
    return Glance(parts=tuple(parts), columns=columns, repeated=table.repeated)


def _look_at_lines(file: SourceFile, blocksize: int | None) -> Glance:
    """One pass over the lines. Only UTF-8 that is not compressed can be entered in the middle."""
    path = str(file.path)
    whole = blocksize is None or file.zipped or file.text_encoding() != "utf-8"
    sets: dict[tuple[str, ...], None] = {}
    starts = [(0, 0)]
    with file.reading(), file.open_bytes() as raw:
        offset = 0
        lines: Iterable[bytes] = raw if file.text_encoding() == "utf-8" else _in_utf8(file)
        for number, line in enumerate(lines):
            if not whole and number and number % (blocksize or 1) == 0:
                starts.append((offset, number))
            offset += len(line)
            columns = _columns(line)
            if columns is not None:
                sets[columns] = None
    stops = [start for start, _ in starts[1:]]
    parts = [
        Part(path=path, start=start, stop=stop, before=before)
        for (start, before), stop in zip(starts, [*stops, None], strict=True)
    ]
    return Glance(parts=tuple(parts), columns=tuple(sets))


def _in_utf8(file: SourceFile) -> Iterator[bytes]:
    with file.open_text(newline="\n") as lines:
        for line in lines:
            yield line.encode("utf-8", "surrogatepass")


def _columns(line: bytes) -> tuple[str, ...] | None:
    """The keys of a line; what is no object is met again, and told, when the part is read."""
    try:
        value = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    return tuple(value) if type(value) is dict else None


@dataclass(frozen=True, slots=True)
class _Piece(SourceFile):
    """Some lines of a file, with as many empty ones before them as there are in the file."""

    part: Part | None = None

    def open_bytes(self) -> BinaryIO:
        part = self.part
        if part is None or (not part.start and part.stop is None):
            return SourceFile.open_bytes(self)
        with self.path.open("rb") as raw:
            raw.seek(part.start)
            content = raw.read() if part.stop is None else raw.read(part.stop - part.start)
        return io.BytesIO(b"\n" * part.before + content)


def read_part(part: Part, options: ReadOptions) -> RawTable:
    """The rows of one part, numbered as in the file."""
    file = find_file(Path(part.path), options.encoding)
    if file.format == "parquet":
        return _read_groups(file, part, options)
    return read_jsonl(_Piece(file.path, file.format, file.zipped, file.encoding, part), options)


def _read_groups(file: SourceFile, part: Part, options: ReadOptions) -> RawTable:
    table = read_parquet(file, options)
    if part.stop is None:
        return table
    from pyarrow import parquet

    groups = range(part.start, part.stop)

    def rows() -> Iterator[RawRow]:
        number = part.before
        with parquet.ParquetFile(file.path) as opened:
            header = read_header(opened.schema_arrow.names)
            for batch in opened.iter_batches(batch_size=1024, row_groups=list(groups)):
                columns = [column.to_pylist() for column in batch.columns]
                for cells in zip(*columns, strict=True):
                    number += 1
                    yield number, 0, dict(zip(header.columns, cells, strict=True))

    table.rows = rows()
    return table


def batches(rows: Iterator[Any], size: int) -> Iterator[Sequence[Any]]:
    """Lists of up to ``size``."""
    while batch := list(islice(rows, size)):
        yield batch


def check_blocksize(blocksize: int | None) -> int | None:
    """``blocksize`` once it is a number of rows.

    Raises:
        ConfigError: It is not.
    """
    if blocksize is not None and (type(blocksize) is not int or blocksize < 1):
        raise ConfigError(
            f"blocksize is {blocksize!r}",
            where="blocksize",
            expected="a whole number of rows, at least 1",
            remedy="leave it out to have one part per file",
        )
    return blocksize
