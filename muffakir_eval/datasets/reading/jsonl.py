"""JSON Lines: one object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

from muffakir_eval.datasets.cells.strict_json import JsonReader
from muffakir_eval.datasets.cells.text import shown
from muffakir_eval.datasets.reading.files import BOM, SourceFile
from muffakir_eval.datasets.tables import RawRow, RawTable, ReadOptions
from muffakir_eval.errors import DatasetFormatError, DatasetRowError

__all__ = ["read_jsonl"]

_TRUTH = ("true", "false")


def read_jsonl(file: SourceFile, options: ReadOptions) -> RawTable:
    """A table over the lines; blank lines are skipped and keep their number.

    A line that is no object is a bad row. ``NaN`` and infinities read as missing, with a warning.
    """
    return RawTable(source=file.name, rows=_rows(file, options), unit="line", truth=_TRUTH)


def _rows(file: SourceFile, options: ReadOptions) -> Iterator[RawRow]:
    reader = JsonReader()
    decode, constants = reader.decode, reader.constants
    with file.reading():
        for number, line in _lines(file, options):
            if line.isspace():
                continue
            try:
                value = decode(line)
            except ValueError as error:
                constants.clear()
                value = _second_try(reader, line, number, file, options, error)
            if constants:
                options.findings.warn(
                    "number that is none",
                    f"{file.name}, line {number}: {', '.join(constants)} is no JSON and reads as missing",
                )
                constants.clear()
            if type(value) is dict:
                yield number, number, value
            elif value is not _BAD:
                options.findings.reject(_not_an_object(value, number, file))


def _lines(file: SourceFile, options: ReadOptions) -> Iterator[tuple[int, str]]:
    """The lines and their numbers. Where rows are streamed, single lines that cannot be decoded are set aside."""
    number = 0
    try:
        with file.open_text(newline="\n") as lines:
            for number, line in enumerate(lines, start=1):
                yield number, line
            return
    except UnicodeDecodeError:
        if not options.streamed or file.text_encoding() != "utf-8" or _is_in_another_encoding(file):
            raise
    with file.open_text(newline="\n", errors="surrogateescape") as lines:
        for again, line in enumerate(islice(lines, number, None), start=number + 1):
            try:
                line.encode()
            except UnicodeEncodeError as error:
                options.findings.reject(_undecodable(line, error.start, again, file))
            else:
                yield again, line


_LOOKED_AT = 1000


def _is_in_another_encoding(file: SourceFile) -> bool:
    """Most of the first lines that are not plain ASCII are no UTF-8."""
    good = bad = 0
    with file.open_bytes() as lines:
        for line in islice(lines, _LOOKED_AT):
            if not line.isascii():
                try:
                    line.decode()
                    good += 1
                except UnicodeDecodeError:
                    bad += 1
    return bad > good


def _undecodable(line: str, at: int, number: int, file: SourceFile) -> DatasetRowError:
    return DatasetRowError(
        f"the line is not UTF-8: byte 0x{ord(line[at]) - 0xDC00:02X}, after {line[max(0, at - 20) : at]!r}, cannot be "
        "decoded",
        row=number,
        where=file.name,
        expected="text in UTF-8",
        remedy="write the line again",
        place=f"line {number}",
    )


_BAD = object()
"""The line was set aside."""


def _second_try(
    reader: JsonReader, line: str, number: int, file: SourceFile, options: ReadOptions, error: ValueError
) -> object:
    """A line after its byte-order marks; files that were joined have some in the middle."""
    bare = line.lstrip(BOM)
    if bare != line:
        if not bare.strip():
            return _BAD
        try:
            return reader.decode(bare)
        except ValueError as again:
            error = again
    if number == 1 and bare.lstrip().startswith("["):
        raise DatasetFormatError(
            "the file is called .jsonl, but it holds one JSON list",
            where=file.name,
            remedy="rename it to .json, or write one object per line",
        )
    options.findings.reject(
        DatasetRowError(
            f"the line is not valid JSON: {_told(error)}",
            row=number,
            where=file.name,
            expected="one JSON object per line",
            remedy="correct the line, or, if an object goes over several lines, rename the file to .json",
            place=f"line {number}",
        )
    )
    return _BAD


def _told(error: ValueError) -> str:
    """The mistake and its column; the line is known."""
    return f"{error.msg} (column {error.colno})" if isinstance(error, json.JSONDecodeError) else str(error)


def _not_an_object(value: object, number: int, file: SourceFile) -> DatasetRowError:
    return DatasetRowError(
        f"the line holds no object but {shown(value)}",
        row=number,
        where=file.name,
        expected='one JSON object per line, such as {"question": "…", "answer": "…"}',
        remedy="correct the line, or rename the file to .json if it is one list",
        place=f"line {number}",
    )
