"""A file of rows, whatever its format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from muffakir_eval.datasets.reading.delimited import read_delimited
from muffakir_eval.datasets.reading.files import SourceFile
from muffakir_eval.datasets.reading.finding import find_file
from muffakir_eval.datasets.reading.json_document import read_json
from muffakir_eval.datasets.reading.jsonl import read_jsonl
from muffakir_eval.datasets.reading.parquet import read_parquet
from muffakir_eval.datasets.reading.xls import read_xls
from muffakir_eval.datasets.reading.xlsx import read_xlsx
from muffakir_eval.datasets.tables import RawTable, ReadOptions

__all__ = ["read_table"]

_READERS: Mapping[str, Callable[[SourceFile, ReadOptions], RawTable]] = {
    "jsonl": read_jsonl,
    "json": read_json,
    "csv": read_delimited,
    "tsv": read_delimited,
    "xlsx": read_xlsx,
    "xls": read_xls,
    "parquet": read_parquet,
}


def read_table(path: Path, options: ReadOptions) -> RawTable:
    """The rows of a file, in the format that its suffix says; nothing is decided about its columns.

    Args:
        path: The file.
        options: How to read it; an option that means nothing for the format is a warning.

    Raises:
        DatasetNotFoundError: There is no such file.
        DatasetFormatError: The file cannot be read as a whole.
        MissingExtraError: Reading it needs an extra that is not installed.
    """
    file = find_file(path, options.encoding)
    is_book = file.format in {"xlsx", "xls"}
    if options.sheet is not None and not is_book:
        options.ignored("sheet", options.sheet, file.name)
    if options.encoding is not None and (is_book or file.format == "parquet"):
        options.ignored("encoding", options.encoding, file.name)
    return _READERS[file.format](file, options)
