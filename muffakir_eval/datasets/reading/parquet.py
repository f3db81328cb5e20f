"""Parquet files, through pyarrow (extra ``parquet``): read in batches, integers exact beside blanks."""

from __future__ import annotations

from collections.abc import Iterator

from muffakir_eval.datasets.reading.files import SourceFile
from muffakir_eval.datasets.reading.headers import read_header
from muffakir_eval.datasets.tables import RawRow, RawTable, ReadOptions
from muffakir_eval.errors import DatasetFormatError, MissingExtraError

__all__ = ["read_parquet"]

_BATCH = 1024
"""Rows that are turned into objects at a time; what is read ahead of them stays compressed."""


def read_parquet(file: SourceFile, _options: ReadOptions) -> RawTable:
    """A table over the rows, numbered from 1.

    Raises:
        MissingExtraError: pyarrow is not installed.
        DatasetFormatError: The file is damaged.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError(
            "reading Parquet needs pyarrow, which is not installed",
            where=file.name,
            remedy='pip install "muffakir-eval[parquet]", or save the file as .jsonl',
        ) from None

    def damaged(error: Exception) -> DatasetFormatError:
        return DatasetFormatError(f"the file is damaged ({error})", where=file.name, remedy="write it again")

    def rows() -> Iterator[RawRow]:
        number = 0
        try:
            with parquet.ParquetFile(file.path, buffer_size=1 << 20, pre_buffer=False) as opened:
                for batch in opened.iter_batches(batch_size=_BATCH):
                    columns = [column.to_pylist() for column in batch.columns]
                    for cells in zip(*columns, strict=True):
                        number += 1
                        yield number, 0, dict(zip(header.columns, cells, strict=True))
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            raise damaged(error) from None

    try:
        names = parquet.read_schema(file.path).names
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise damaged(error) from None
    header = read_header(names)
    return RawTable(
        source=file.name,
        rows=rows(),
        columns=header.columns,
        repeated=header.repeated,
        unnamed=header.unnamed,
        unit="item",
    )
