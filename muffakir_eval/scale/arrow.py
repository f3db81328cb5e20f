"""Scored rows as Arrow tables, for Parquet files and for engines that take them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from muffakir_eval.scale.frames import in_unicode, schema_of

__all__ = ["arrow_schema", "arrow_table"]


def arrow_schema(metrics: Iterable[str]) -> Any:
    """The ``pyarrow.Schema`` of scored rows.

    Args:
        metrics: Their names.
    """
    import pyarrow as pa

    types = {"text": pa.string(), "float": pa.float64(), "int": pa.int64(), "bool": pa.bool_()}
    return pa.schema([(name, types[kind]) for name, kind in schema_of(metrics).items()])


def arrow_table(rows: Sequence[dict[str, Any]], schema: Any) -> Any:
    """Rows of cells as a ``pyarrow.Table``."""
    import pyarrow as pa

    columns = []
    for field in schema:
        cells = [row.get(field.name) for row in rows]
        try:
            columns.append(pa.array(cells, field.type))
        except UnicodeEncodeError:  # a lone surrogate, for which there are no bytes
            columns.append(pa.array([in_unicode(cell) for cell in cells], field.type))
    return pa.Table.from_arrays(columns, schema=schema)
