"""CSV files that Excel shows in Arabic, that no formula hides in, and that read back exactly.

- UTF-8, with a byte order mark unless ``bom`` is off: without one, Excel reads Arabic as Latin-1.
- Text is always quoted and passes :func:`~muffakir_eval.text.cells.neutralise_cell`; line breaks
  inside it survive. It is never cut, even where Excel shows only the first 32,767 characters.
- Numbers and ``True``/``False`` stand bare and exact; lists and mappings are JSON text in the cell.
- ``None`` is an empty cell; an empty text is the empty quotes ``""``.
- Lines end with CR LF, as RFC 4180 has it.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from muffakir_eval.atomic import replace_file
from muffakir_eval.records.codec import json_value
from muffakir_eval.text.cells import neutralise_cell

__all__ = ["csv_chunks", "write_samples_csv"]

_BOM = b"\xef\xbb\xbf"


def csv_chunks(
    rows: Iterable[Mapping[str, Any]],
    columns: Sequence[str],
    *,
    bom: bool = True,
) -> Iterator[bytes]:
    r"""The content of a CSV file, one line at a time, so that no more than one row is in memory.

    Args:
        rows: Cells by column name; a missing one is an empty cell.
        columns: Names of the columns in their order.
        bom: Start with a byte order mark.

    Raises:
        ValueError: A number is NaN or infinite, or a row has a column that is not in ``columns``;
            the message names row and column.

    >>> list(csv_chunks([{"answer": "=1+1", "mrr": 0.5}], ["answer", "mrr"], bom=False))
    [b'"answer","mrr"\r\n', b'"\'=1+1",0.5\r\n']
    """
    known = frozenset(columns)
    header = ",".join(map(_text, columns)).encode("utf-8") + b"\r\n"
    yield _BOM + header if bom else header
    for number, row in enumerate(rows, start=2):
        if not row.keys() <= known:
            unknown = ", ".join(sorted(map(repr, row.keys() - known)))
            raise ValueError(f"row {number} has columns that the file does not: {unknown}")
        cells = []
        for column in columns:
            try:
                cells.append(_cell(row.get(column)))
            except ValueError as fault:
                raise ValueError(f"row {number}, column {column!r}: {fault}") from fault
        yield ",".join(cells).encode("utf-8") + b"\r\n"


def write_samples_csv(
    path: str | Path,
    rows: Iterable[Mapping[str, Any]],
    columns: Sequence[str],
    *,
    bom: bool = True,
) -> None:
    """Write ``rows`` to ``path`` as CSV, replacing the file in one step.

    Args:
        path: The file; its folder must exist.
        rows: Cells by column name; taken one at a time.
        columns: Names of the columns in their order.
        bom: Start with a byte order mark.

    Raises:
        ValueError: As :func:`csv_chunks`; the old file is untouched.
        StorageError: The file cannot be written or replaced.
    """
    replace_file(path, csv_chunks(rows, columns, bom=bom))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is no value; what was not measured is None")
        return float.__repr__(value)  # numpy's own repr names its type
    return _other(value)


def _other(value: Any) -> str:
    if isinstance(value, (datetime.date, datetime.time)):
        return _text(value.isoformat())
    if getattr(value, "ndim", None) == 0:  # numpy scalars
        return _cell(value.item())
    plain = value if isinstance(value, (list, tuple, dict)) else _plain(value)
    if isinstance(plain, str):
        return _text(plain)
    return _text(json.dumps(plain, ensure_ascii=False, allow_nan=False, default=_plain))


def _plain(value: Any) -> Any:
    """What JSON has no form for; NaN inside stays one, so that it is refused."""
    if isinstance(value, Mapping):
        return dict(value)
    tolist = getattr(value, "tolist", None)
    return tolist() if callable(tolist) else json_value(value)


def _text(text: str) -> str:
    return '"' + neutralise_cell(text).replace('"', '""') + '"'
