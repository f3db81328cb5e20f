"""Files of chunks: one, several, or all in a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from muffakir_eval.audit.corpus.corpus import Entry, Source
from muffakir_eval.audit.corpus.intake import Intake
from muffakir_eval.audit.corpus.tables import TableColumns, table_entries
from muffakir_eval.datasets import read_table
from muffakir_eval.datasets.beir.files import corpus_file, has_corpus
from muffakir_eval.datasets.beir.texts import read_texts
from muffakir_eval.datasets.reading.files import SUFFIXES, SourceFile
from muffakir_eval.datasets.reading.finding import find_file
from muffakir_eval.errors import DatasetFormatError
from muffakir_eval.pipelines.beir_corpus import beir_passage
from muffakir_eval.pipelines.corpus_reading import PROSE, CorpusOptions, of_passages, paragraphs, prose_file
from muffakir_eval.pipelines.corpus_rows import Passage

__all__ = ["FileOptions", "files_source", "has_known_suffix", "path_source"]

_ABOUT = frozenset({"readme", "license", "licence", "changelog", "notice", "copying"})
"""Files that speak of the corpus and are no part of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOptions:
    """What the user says about the files."""

    columns: TableColumns
    encoding: str | None = None
    sheet: str | int | None = None


def path_source(path: Path, options: FileOptions) -> Source:
    """A file, a BEIR folder, or a folder of files.

    Raises:
        DatasetNotFoundError: There is no such file.
        DatasetFormatError: It is no file of a known kind, or the folder holds none.
    """
    if path.is_dir() and not has_corpus(path):
        paths, notes = _listed(path)
        source = files_source(paths, options)
        return Source(name=path.name or str(path), read=_noting(source.read, notes), total=source.total)
    return files_source([path], options)


def files_source(paths: Sequence[Path], options: FileOptions) -> Source:
    """Files and BEIR folders, one after the other.

    Raises:
        DatasetNotFoundError: One of them is not there.
        DatasetFormatError: One of them is of an unknown kind.
    """
    names = _labels(paths)
    parts = [_part(path, label, options) for path, label in zip(paths, names, strict=True)]
    totals = [part.total for part in parts]

    def read(intake: Intake) -> Iterator[Entry]:
        for part in parts:
            yield from part.read(intake)

    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    total = sum(known for known in totals if known is not None) if None not in totals else None
    return Source(name=names[0] if len(names) == 1 else f"{len(names)} files ({shown})", read=read, total=total)


def has_known_suffix(path: Path) -> bool:
    """The name is that of a file that can be read here.

    >>> has_known_suffix(Path("c.jsonl.gz")), has_known_suffix(Path("المادة 5. يستحق"))
    (True, False)
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".gz"]:
        return suffixes[-2:-1] != [] and suffixes[-2] in SUFFIXES
    return bool(suffixes) and (suffixes[-1] in SUFFIXES or suffixes[-1] in PROSE)


def _listed(folder: Path) -> tuple[list[Path], list[str]]:
    """The files of a folder in the order of their names, and what is left out."""
    entries = sorted(path for path in folder.iterdir() if not path.name.startswith((".", "~$")))
    files = [path for path in entries if path.is_file()]
    chosen = [path for path in files if has_known_suffix(path) and path.stem.lower() not in _ABOUT]
    if not chosen:
        raise DatasetFormatError(
            "the folder holds no file that can be read",
            where=str(folder),
            expected=".jsonl, .json, .csv, .tsv, .xlsx, .xls, .parquet, .txt or .md, or a corpus.jsonl as in BEIR",
            remedy="pass the files themselves" if entries else "check the path",
        )
    left_out = [path.name for path in entries if path not in chosen]
    told = f"{folder}: {len(left_out)} of {len(entries)} entries are not read: {', '.join(left_out[:5])}"
    return chosen, [told + (", …" if len(left_out) > 5 else "")] if left_out else []


def _noting(read: Callable[[Intake], Iterator[Entry]], notes: Sequence[str]) -> Callable[[Intake], Iterator[Entry]]:
    def reading(intake: Intake) -> Iterator[Entry]:
        for note in notes:
            intake.warn("file that is not read", note)
        yield from read(intake)

    return reading


def _labels(paths: Sequence[Path]) -> list[str]:
    """The names of the files; the paths, where two files have the same name."""
    names = [path.name or str(path) for path in paths]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]


def _part(path: Path, label: str, options: FileOptions) -> Source:
    if path.is_dir() and has_corpus(path):
        return Source(name=label, read=lambda intake: _documents(path, label, options, intake))
    if path.suffix.lower() in PROSE:
        prose = prose_file(path, options.encoding)
        return Source(name=label, read=lambda intake: _prose(prose, label, options, intake))
    try:
        file = find_file(path, options.encoding)
    except DatasetFormatError as error:
        raise of_passages(error) from None
    total = _parquet_rows(file) if file.format == "parquet" else None
    return Source(name=label, read=lambda intake: _rows(path, label, options, intake), total=total)


def _options(options: FileOptions, intake: Intake) -> CorpusOptions:
    return CorpusOptions(
        findings=intake,
        encoding=options.encoding,
        sheet=options.sheet,
        text_column=options.columns.text,
        streamed=True,
    )


def _documents(folder: Path, label: str, options: FileOptions, intake: Intake) -> Iterator[Entry]:
    """The documents of a BEIR folder."""
    given = options.columns
    _options(options, intake).ignore(
        str(folder), text_column=given.text, id_column=given.chunk_id, encoding=options.encoding, sheet=options.sheet
    )
    file = corpus_file(folder, intake)
    assert file is not None  # noqa: S101 - it was there when the corpus was opened
    place = f"{label}/{file.path.name}, line "
    for row in read_texts(file, intake, titled=True, blank=True):
        yield beir_passage(row), f"{place}{row.line}"


def _prose(file: SourceFile, label: str, options: FileOptions, intake: Intake) -> Iterator[Entry]:
    """The paragraphs of a text file."""
    given = options.columns
    _options(options, intake).ignore(file.name, text_column=given.text, id_column=given.chunk_id, sheet=options.sheet)
    for line, text in paragraphs(file):
        yield Passage(text, None, file.path.name, {}), f"{label}, line {line}"


def _rows(path: Path, label: str, options: FileOptions, intake: Intake) -> Iterator[Entry]:
    with closing(read_table(path, _options(options, intake))) as table:
        inner = table.source.removeprefix(str(path))  # the sheet of a workbook
        yield from table_entries(table, label + inner, options.columns, intake)


def _parquet_rows(file: SourceFile) -> int | None:
    """How many rows there are; what cannot be told, reading will tell."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        return None
    try:
        return int(parquet.read_metadata(file.path).num_rows)
    except (ArrowException, OSError, ValueError):
        return None
