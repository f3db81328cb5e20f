"""A dataset from the rows of a table, or from samples that there are already."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import chain, islice
from typing import Any

from muffakir_eval.datasets.building import SampleBuilder
from muffakir_eval.datasets.cells.golds import check_sample
from muffakir_eval.datasets.cells.text import CellError
from muffakir_eval.datasets.columns.aliases import FIELDS
from muffakir_eval.datasets.columns.mapping import ColumnMap, map_columns
from muffakir_eval.datasets.dataset import EvaluationDataset
from muffakir_eval.datasets.identity import refuse_repeated
from muffakir_eval.datasets.recording import warn_of_incomparable
from muffakir_eval.datasets.tables import RawRow, RawTable, ReadOptions
from muffakir_eval.errors import DatasetFormatError, DatasetRowError
from muffakir_eval.records import Sample

__all__ = ["from_samples", "from_table", "warn_of_mapping"]


def warn_of_mapping(source: str, why: str, options: ReadOptions) -> None:
    """Warn of a mapping of columns where there are none."""
    if options.mapping.column_mapping or options.mapping.id_columns:
        options.findings.warn("option", f"{source}: {why}, so no columns are mapped")


def from_samples(samples: Iterator[Any], source: str, options: ReadOptions, limit: int | None) -> EvaluationDataset:
    """Samples as they are, each checked.

    Args:
        samples: What the user takes for samples.
        source: What they are called in messages.
        options: How to read; receives what is found.
        limit: Take no more than so many.

    Raises:
        DatasetFormatError: There are none.
        DatasetRowError: One is bad, and the options say to stop at it.
        DatasetError: Identifiers repeat.
    """
    findings = options.findings
    warn_of_mapping(source, "these are samples already", options)
    kept: list[Sample] = []
    for number, sample in enumerate(islice(samples, limit), start=1):
        try:
            kept.append(check_sample(sample))
        except CellError as error:
            findings.reject(
                DatasetRowError(
                    error.found,
                    row=number,
                    where=source,
                    expected=error.expected,
                    remedy=error.remedy or "correct the sample",
                    place=f"item {number}",
                )
            )
    n_rows = len(kept) + len(findings.problems)
    if not n_rows:
        raise _empty(source)
    table = RawTable(source=source, rows=iter(()))
    return EvaluationDataset(refuse_repeated(kept, table, findings, {}), source=source, n_rows=n_rows)


def from_table(table: RawTable, options: ReadOptions, limit: int | None) -> EvaluationDataset:
    """The samples of a table, which is closed afterwards.

    Args:
        table: Its rows are read once.
        options: How to read; receives what is found.
        limit: Take no more than so many rows.

    Raises:
        DatasetFormatError: There are no rows.
        DatasetColumnError: The columns cannot be understood.
        DatasetRowError: A row is bad, and the options say to stop at it.
        DatasetError: Identifiers repeat.
    """
    with closing(table):
        return _read(table, options, limit)


def _read(table: RawTable, options: ReadOptions, limit: int | None) -> EvaluationDataset:
    findings = options.findings
    rows: Iterator[RawRow] = islice(table.rows, limit)
    columns = table.columns
    sets: tuple[tuple[str, ...], ...] = ()
    if columns is None:
        held = list(rows)
        sets = tuple(dict.fromkeys(tuple(values) for _, _, values in held))
        rows, columns = _released(held), tuple(dict.fromkeys(chain.from_iterable(sets)))
    if not columns:
        if findings.problems:
            return EvaluationDataset(source=table.source, n_rows=len(findings.problems))
        raise _empty(table.source)
    mapping = map_columns(columns, options.mapping, where=table.source, repeated=table.repeated, sets=sets)
    if table.on_mapped is not None:
        table.on_mapped(mapping.columns)
    builder = SampleBuilder(table, mapping, findings)
    samples = [sample for raw in rows if (sample := builder.build(raw)) is not None]
    n_rows = len(samples) + len(findings.problems)
    if not n_rows:
        raise _empty(table.source)
    builder.reader.check_nested(partial=limit is not None)
    found = builder.reader.metadata_columns
    samples = refuse_repeated(samples, table, findings, mapping.fields, [name for name in columns if name in found])
    result = EvaluationDataset(samples, source=table.source, mapping=_shown(mapping), n_rows=n_rows)
    warn_of_incomparable(samples, table.source, findings)
    result.unmapped = [column for column in columns if column in found]
    result.notes = [*findings.notes, *mapping.notes]
    return result


def _released(rows: list[RawRow]) -> Iterator[RawRow]:
    """The rows, let go of one by one, so that they are not in memory twice."""
    rows.reverse()
    take = rows.pop
    while rows:
        yield take()


def _shown(mapping: ColumnMap) -> dict[str, tuple[str, ...]]:
    """The mapping as the user sees it and may pass it, in the order of the fields."""
    return {field: mapping.fields[field] for field in FIELDS if field in mapping.fields}


def _empty(source: str) -> DatasetFormatError:
    return DatasetFormatError(
        "there are no rows", where=source, expected="at least one question", remedy="check the file"
    )
