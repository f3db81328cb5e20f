"""Whatever holds chunks, as a corpus."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from muffakir_eval.audit.corpus.corpus import Corpus, Entry, Source
from muffakir_eval.audit.corpus.files import FileOptions, files_source, has_known_suffix, path_source
from muffakir_eval.audit.corpus.frames import frame_source
from muffakir_eval.audit.corpus.intake import Intake
from muffakir_eval.audit.corpus.items import item_entries, keyed_entries
from muffakir_eval.audit.corpus.stores import store_source
from muffakir_eval.audit.corpus.tables import TableColumns, table_entries
from muffakir_eval.datasets.cells.text import as_list
from muffakir_eval.datasets.reading.memory import is_frame, is_one_object, read_mapping_object
from muffakir_eval.errors import ConfigError, PipelineOutputError
from muffakir_eval.matching.documents import chunk_from
from muffakir_eval.pipelines.corpus_columns import text_columns
from muffakir_eval.pipelines.corpus_reading import CorpusOptions
from muffakir_eval.pipelines.shapes import describe

__all__ = ["open_corpus"]

_ACCEPTED = (
    "a .jsonl, .json, .csv, .tsv, .xlsx, .xls, .parquet, .txt or .md file, a folder or a list of such files, a BEIR "
    "folder, a data frame, chunks (texts, dicts or documents), {id: text}, a BM25Retriever, a collection of Chroma, "
    '(QdrantClient, "collection"), a vector store of LangChain, an index or docstore of LlamaIndex, or a document '
    "store of Haystack"
)


def open_corpus(
    source: Any,
    *,
    text_column: str | None = None,
    id_column: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
) -> Corpus:
    """Open the chunks of an index, to be read once and batch by batch.

    Files are read as :func:`~muffakir_eval.pipelines.load_corpus` reads them, but for this: an empty text is a
    chunk, an identifier that stands twice is passed on, and a row that cannot be read is set aside and counted.

    Args:
        source: One of

            * the path of a file: ``.jsonl``, ``.json``, ``.csv``, ``.tsv`` (each also ``.gz``), ``.xlsx``,
              ``.xls``, ``.parquet``, or ``.txt`` and ``.md`` with a chunk per paragraph;
            * a BEIR folder, a folder of such files (in the order of their names, without its subfolders), or a
              list of paths (in the order given);
            * a frame of pandas, polars or pyarrow;
            * an iterable of chunks: texts, dicts with ``text`` or ``page_content``, documents of LangChain,
              LlamaIndex or Haystack, ``RetrievedChunk``; or a mapping from identifiers to such;
            * an index that can be listed: a collection of Chroma, ``(QdrantClient, "collection")``, a vector
              store of LangChain over either, over FAISS or in memory, an index or a docstore of LlamaIndex, a
              document store of Haystack, a ``BM25Retriever``.
        text_column: Column or key of the text, where the names leave it open.
        id_column: Column or key of the identifier, likewise.
        encoding: Encoding of text files that are not UTF-8, such as ``"cp1256"``.
        sheet: Sheet of a workbook by name or by index from 0.

    Raises:
        ConfigError: ``source`` is nothing of this kind, or an index that cannot be listed.
        DatasetNotFoundError: There is no such file.
        DatasetFormatError: A file is of an unknown kind. What its content shows is raised in reading.

    >>> corpus = open_corpus({"م-1": "عاصمة مصر القاهرة", "م-2": ""})
    >>> [(chunk.chunk_id, chunk.text) for batch in corpus.batches() for chunk in batch]
    [('م-1', 'عاصمة مصر القاهرة'), ('م-2', '')]
    """
    columns = TableColumns(text=text_column, chunk_id=id_column)
    options = FileOptions(columns=columns, encoding=encoding, sheet=sheet)
    if isinstance(source, str) and not source.strip():  # as a path it would be the working folder
        raise ConfigError("the path of the corpus is empty", where="open_corpus", expected=_ACCEPTED)
    if isinstance(source, (str, os.PathLike)):
        return Corpus(path_source(Path(source), options))
    paths = _paths(source)
    if paths:
        return Corpus(files_source(paths, options))
    found = _in_memory(source, columns)
    if found is None:
        raise ConfigError(f"the corpus is {describe(source)}", where="open_corpus", expected=_ACCEPTED)
    return Corpus(Source(name=found.name, read=_telling(found, encoding=encoding, sheet=sheet), total=found.total))


def _in_memory(source: Any, columns: TableColumns) -> Source | None:
    if source is None or isinstance(source, (bytes, bytearray, memoryview, type)):
        return None
    if is_frame(source):
        return frame_source(source, columns)
    store = store_source(source, columns)
    if store is not None:
        return store
    if isinstance(source, Mapping):
        return _mapping(source, columns)
    if _is_chunk(source):
        raise _single("the corpus is a single chunk")
    return _iterable(source, columns) if isinstance(source, Iterable) and not is_one_object(source) else None


def _is_chunk(source: Any) -> bool:
    """One document, even if it iterates over its fields."""
    if not is_one_object(source) and not any(hasattr(source, name) for name in ("page_content", "get_content")):
        return False
    try:
        chunk_from(source)
    except PipelineOutputError:
        return False
    return True


def _telling(source: Source, **given: object) -> Callable[[Intake], Iterator[Entry]]:
    """Read it, and tell of options that mean nothing outside files."""

    def read(intake: Intake) -> Iterator[Entry]:
        CorpusOptions(findings=intake).ignore(source.name, **given)
        yield from source.read(intake)

    return read


def _paths(source: Any) -> list[Path]:
    """The files in a list of paths; none where it is a list of something else."""
    if not isinstance(source, (list, tuple)) or not all(isinstance(item, (str, os.PathLike)) for item in source):
        return []
    are_paths = all(
        not isinstance(item, str) or (_in_one_line(item) and has_known_suffix(Path(item))) for item in source
    )
    return [Path(item) for item in source] if are_paths else []


def _in_one_line(text: str) -> bool:
    return len(text) < 4096 and text.isprintable()


def _iterable(source: Iterable[Any], columns: TableColumns) -> Source:
    total = len(source) if isinstance(source, Collection) else None
    name = "iterable of chunks" if total is None else f"iterable of {total} chunks"
    return Source(name=name, read=lambda intake: item_entries(source, name, columns, intake), total=total)


def _mapping(source: Mapping[Any, Any], columns: TableColumns) -> Source:
    first = next(iter(source.values()), None)
    if as_list(first) is not None:
        return Source(name="dict", read=lambda intake: _of_columns(source, columns, intake))
    found = text_columns([str(key) for key in source], columns.text)
    if found and isinstance(source.get(found[0]), str):
        raise _single(f"the corpus is a single dict with {found[0]!r}")
    name = f"mapping of {len(source)} chunks"
    read = lambda intake: keyed_entries(source.items(), name, columns, intake)  # noqa: E731
    return Source(name=name, read=read, total=len(source))


def _of_columns(source: Mapping[Any, Any], columns: TableColumns, intake: Intake) -> Iterator[Entry]:
    """``{"text": [...], "id": [...]}``, or a wrapper around a list of dicts."""
    options = CorpusOptions(findings=intake, text_column=columns.text)
    yield from table_entries(read_mapping_object(source, options), "", columns, intake)


def _single(found: str) -> ConfigError:
    return ConfigError(found, where="open_corpus", expected="several chunks", remedy="pass [chunk]")
