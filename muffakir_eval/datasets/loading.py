"""``load_evaluation_dataset``: whatever holds questions in, samples out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from os import PathLike
from pathlib import Path, PurePath
from typing import Any

from muffakir_eval.datasets.assembling import from_samples, from_table, warn_of_mapping
from muffakir_eval.datasets.beir.files import beir_folder
from muffakir_eval.datasets.beir.samples import read_beir_samples
from muffakir_eval.datasets.beir.triples import is_triple, triple_samples
from muffakir_eval.datasets.columns.mapping import MappingOptions
from muffakir_eval.datasets.dataset import EvaluationDataset
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.reading.memory import (
    is_frame,
    is_one_object,
    read_frame,
    read_items,
    read_mapping_object,
    source_of,
)
from muffakir_eval.datasets.reading.run_folder import RECORDS, is_run_file, read_run
from muffakir_eval.datasets.reading.table import read_table
from muffakir_eval.datasets.sampling import some_of
from muffakir_eval.datasets.tables import ReadOptions
from muffakir_eval.errors import ConfigError, DatasetFormatError, DatasetNotFoundError
from muffakir_eval.records import Sample

__all__ = ["load_evaluation_dataset"]

_ACCEPTED = "a path, a frame, or a list or generator of dicts or objects"
_PATHS = "pass the path of a file; questions in memory are passed as a list of dicts"

_ASKED = ("ask", "aask", "get_similar_documents", "invoke", "ainvoke", "query", "retrieve", "search")
"""Methods by which pipelines are asked."""


def load_evaluation_dataset(  # noqa: PLR0913 - the options of one door
    dataset: Any,
    fail_fast: bool = True,
    max_samples: int | None = None,
    *,
    column_mapping: Mapping[str, str | Sequence[str]] | None = None,
    id_columns: str | Sequence[str] | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    sample_seed: int | None = None,
) -> EvaluationDataset:
    """Read a question set.

    Args:
        dataset: A file (``.jsonl``, ``.ndjson``, ``.json``, ``.csv``, ``.tsv``, these also as ``.gz``,
            ``.xlsx``, ``.xls``, ``.parquet``), the folder of an earlier run, a BEIR folder or a file of
            judgements in one, the triple ``(corpus, queries, qrels)`` or a data set of ``ir_datasets``, a
            pandas frame or anything that turns into one, a dict of columns, or a list or generator of
            dicts, dataclasses, pydantic objects or samples.
        fail_fast: Raise on the first bad row. ``False`` collects bad rows in ``problems``, and goes on.
        max_samples: Take only the first so many rows, or with ``sample_seed`` so many samples at random.
        column_mapping: Field to column (or columns); column to field is understood too. It wins over
            the names that are known. A dotted name reaches into objects: ``expected.article``.
        id_columns: Columns that together make ``sample_id``.
        encoding: Encoding of a text file. Without it, UTF-8, or UTF-16 with a byte-order mark.
        sheet: Sheet of a workbook by name or by index from 0. Without it, the only one with questions.
        sample_seed: Draw the samples at random, by this seed; they stay in the order of the file.

    Returns:
        The samples, with what is known about how they were read.

    Gold passages and identifiers may be one or several: ``["a", "b"]`` are two golds that a retriever
    should both find, and ``[["a", "b"], ["c"]]`` means (a or b) and c. How lists are written into a
    cell stands in :mod:`muffakir_eval.datasets.cells.lists`, which names of columns are known in
    :mod:`muffakir_eval.datasets.columns.aliases`, and when ``answer`` and ``contexts`` are the system's
    in :mod:`muffakir_eval.datasets.columns.automatic`.

    Raises:
        DatasetNotFoundError: There is no such file.
        DatasetFormatError: The file cannot be read as a whole, or holds no questions.
        DatasetColumnError: There is no question column, several columns claim one field, or the mapping
            names what is not there.
        DatasetRowError: A row is bad; the message names file, row, column and what to do.
        DatasetError: Identifiers repeat.
        ConfigError: An option is malformed.
        MissingExtraError: Reading ``.xls`` or Parquet needs an extra that is not installed.

    >>> load_evaluation_dataset([{"السؤال": "ما عاصمة عُمان؟", "الإجابة": "مسقط"}])[0].answer
    'مسقط'
    """
    _check(max_samples, sample_seed)
    if column_mapping is not None and not isinstance(column_mapping, Mapping):
        raise ConfigError(
            f"column_mapping is {column_mapping!r}", expected='a dict, such as {"question": "my question column"}'
        )
    findings = Findings(fail_fast=fail_fast)
    columns = (id_columns,) if isinstance(id_columns, str) else tuple(id_columns or ())
    options = ReadOptions(
        findings=findings,
        mapping=MappingOptions(column_mapping=column_mapping, id_columns=columns or None),
        encoding=encoding,
        sheet=sheet,
    )
    limit = max_samples if sample_seed is None else None
    result = _load(dataset, options, limit)
    if sample_seed is not None:
        result[:] = some_of(result, max_samples, sample_seed)
    result.problems += findings.problems
    result.warnings += findings.warnings
    return result


def _check(max_samples: int | None, sample_seed: int | None) -> None:
    if max_samples is not None and (type(max_samples) is not int or max_samples < 1):
        raise ConfigError(
            f"max_samples is {max_samples!r}",
            expected="a whole number of at least 1",
            remedy="leave it out to take all",
        )
    if sample_seed is not None and max_samples is None:
        raise ConfigError("sample_seed is set and max_samples is not", remedy="say with max_samples how many to draw")


def _load(dataset: Any, options: ReadOptions, limit: int | None) -> EvaluationDataset:
    if isinstance(dataset, (str, PurePath)):
        return _from_path(Path(dataset), options, limit)
    if is_triple(dataset):
        _ignore_columns(source_of(dataset), "this is a triple of corpus, queries and qrels", options)
        return triple_samples(dataset, options.findings, limit)
    if not is_frame(dataset):
        _refuse_pipeline(dataset)
    if isinstance(dataset, PathLike):
        return _from_path(Path(dataset), options, limit)
    return _from_memory([dataset] if is_one_object(dataset) else dataset, options, limit)


def _from_memory(dataset: Any, options: ReadOptions, limit: int | None) -> EvaluationDataset:
    _warn_of_file_options(source_of(dataset), options)
    if isinstance(dataset, Mapping):
        return from_table(read_mapping_object(dataset, options), options, limit)
    if is_frame(dataset):
        return from_table(read_frame(dataset), options, limit)
    if isinstance(dataset, Iterable) and not isinstance(dataset, (bytes, bytearray)):
        return _from_items(dataset, options, limit)
    raise DatasetFormatError(
        f"{type(dataset).__name__} is no dataset",
        where="dataset",
        expected=_ACCEPTED,
        remedy="pass one of these",
    )


def _refuse_pipeline(dataset: Any) -> None:
    """What is asked questions holds none."""
    if isinstance(dataset, (list, tuple)) or not (
        callable(dataset) or any(callable(getattr(type(dataset), name, None)) for name in _ASKED)
    ):
        return
    name = getattr(dataset, "__qualname__", type(dataset).__qualname__)
    raise DatasetFormatError(
        f"{name} is no dataset, but something that can be asked or called",
        where="dataset",
        expected=_ACCEPTED,
        remedy="rag and dataset seem to be swapped: evaluate(rag=…, dataset=…)",
    )


def _from_path(path: Path, options: ReadOptions, limit: int | None) -> EvaluationDataset:
    try:
        folder = path if path.is_dir() else path.parent if is_run_file(path) else None
    except OSError as error:
        raise DatasetNotFoundError(f"this is no path ({error.strerror})", where=str(path)[:80], remedy=_PATHS) from None
    judged = None if path.name == RECORDS or (path / RECORDS).exists() else beir_folder(path)
    if judged is not None:
        return _from_beir(*judged, options, limit)
    if folder is not None:
        run = read_run(folder, options.findings)
        dataset = from_samples(iter(run.samples), str(folder), options, limit)
        if run.match_by is not None:
            dataset.match_by = run.match_by
            dataset.notes.append(f"retrieved chunks are compared as in that run, by {run.match_by}")
        return dataset
    return from_table(read_table(path, options), options, limit)


def _from_beir(folder: Path, qrels: str | None, options: ReadOptions, limit: int | None) -> EvaluationDataset:
    _ignore_columns(str(folder), "this is a BEIR folder, whose columns are known", options)
    return read_beir_samples(folder, qrels, options.findings, limit=limit)


def _ignore_columns(source: str, why: str, options: ReadOptions) -> None:
    """Warn of options that have no meaning for what is no table."""
    warn_of_mapping(source, why, options)
    _warn_of_file_options(source, options)


def _warn_of_file_options(source: str, options: ReadOptions) -> None:
    for option in ("sheet", "encoding"):
        if getattr(options, option) is not None:
            options.ignored(option, getattr(options, option), source)


def _from_items(items: Iterable[Any], options: ReadOptions, limit: int | None) -> EvaluationDataset:
    """Samples as they are, anything else row by row."""
    if isinstance(items, EvaluationDataset):
        result = from_samples(iter(items), items.source, options, limit)
        result.mapping, result.unmapped, result.notes = dict(items.mapping), [*items.unmapped], [*items.notes]
        result.problems, result.warnings = [*items.problems], [*items.warnings]
        result.n_rows, result.match_by = items.n_rows, items.match_by
        return result
    source = source_of(items)
    rest = iter(items)
    first = list(islice(rest, 1))
    everything = chain(first, rest)
    if first and isinstance(first[0], Sample):
        return from_samples(everything, source, options, limit)
    return from_table(read_items(everything, source, options), options, limit)
