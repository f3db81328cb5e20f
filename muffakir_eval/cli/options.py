"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["ColumnMapping", "Dataset", "Encoding", "IdColumns", "Sheet", "listed", "mapping", "numbers", "sheet_key"]

Dataset = Annotated[
    str,
    typer.Argument(
        help="Question set: .jsonl, .json, .csv, .tsv, .xlsx, .xls, .parquet, or the folder of an earlier run.",
        metavar="DATASET",
    ),
]
ColumnMapping = Annotated[
    list[str] | None,
    typer.Option(
        "--map", help="FIELD=COLUMN, e.g. --map question=السؤال; may be given several times.", metavar="FIELD=COLUMN"
    ),
]
Encoding = Annotated[str | None, typer.Option(help="Encoding of a text file that is not UTF-8, e.g. cp1256.")]
Sheet = Annotated[str | None, typer.Option(help="Sheet of a workbook, by name or by number from 1.")]
IdColumns = Annotated[str | None, typer.Option(help="Columns that together identify a row, e.g. file,number.")]


def listed(text: str | None) -> list[str] | None:
    """The parts of a comma-separated option."""
    return [part.strip() for part in text.split(",") if part.strip()] if text is not None else None


def numbers(text: str | None, option: str) -> list[int] | None:
    """The whole numbers of a comma-separated option."""
    try:
        return None if text is None else [int(part) for part in listed(text) or []]
    except ValueError:
        raise typer.BadParameter(f"expected whole numbers, such as 1,3,10, found {text!r}", param_hint=option) from None


def mapping(pairs: list[str] | None) -> dict[str, str] | None:
    """The pairs of ``--map``."""
    if not pairs:
        return None
    mapping = {}
    for pair in pairs:
        field, equals, column = pair.partition("=")
        if not equals or not field or not column:
            raise typer.BadParameter(f"expected FIELD=COLUMN, found {pair!r}", param_hint="--map")
        mapping[field.strip()] = column.strip()
    return mapping


def sheet_key(text: str | None) -> str | int | None:
    """A number counts sheets from 1, as people do; the loader counts from 0."""
    return int(text) - 1 if text is not None and text.isascii() and text.isdigit() and text != "0" else text
