"""Where the parts of a BEIR folder lie."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from muffakir_eval.datasets.beir.header import find_header
from muffakir_eval.datasets.beir.tsv import TsvError, read_records
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.judged_file import is_file, is_folder, judged_file, shortened
from muffakir_eval.datasets.reading.files import BOM, SourceFile
from muffakir_eval.errors import DatasetError, DatasetNotFoundError

__all__ = [
    "CORPUS",
    "QRELS",
    "QUERIES",
    "BeirFolder",
    "beir_folder",
    "corpus_file",
    "find_folder",
    "has_corpus",
    "has_header",
]

CORPUS = "corpus.jsonl"
QUERIES = "queries.jsonl"
QRELS = ("qrels.tsv", "qrels/test.tsv", "qrels/dev.tsv", "qrels/train.tsv")
"""Where the judgements are looked for, in this order; each also with ``.gz``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BeirFolder:
    """The files of a BEIR data set.

    Attributes:
        folder: The folder.
        corpus: Its documents; ``None`` where there are none and nobody insisted.
        queries: The queries.
        qrels: The judgements.
        qrels_name: Their path within the folder.
        notes: What was chosen among several.
    """

    folder: Path
    corpus: SourceFile | None
    queries: SourceFile
    qrels: SourceFile
    qrels_name: str
    notes: tuple[str, ...]

    @property
    def is_split(self) -> bool:
        """The judgements are those of one split, and the queries those of all."""
        return "/" in self.qrels_name


def beir_folder(path: Path) -> tuple[Path, str | None] | None:
    """The BEIR folder that ``path`` is, or in which it is a file of judgements, and the path of that file.

    Returns:
        ``None`` where ``path`` is something else.
    """
    if is_folder(path):
        with_queries = _present(path, QUERIES) is not None
        judged = is_folder(path / "qrels") or _present(path, QRELS[0]) is not None
        return (path, None) if with_queries or (judged and _present(path, CORPUS) is not None) else None
    if not path.name.lower().endswith((".tsv", ".tsv.gz")) or not is_file(path):
        return None
    inner = path.parent.name == "qrels"
    folder = path.parent.parent if inner else path.parent
    if _present(folder, QUERIES) is None or not (inner or has_header(path)):
        return None
    return folder, path.relative_to(folder).as_posix()


def has_header(path: Path) -> bool:
    """The file at ``path`` begins as files of judgements do."""
    try:
        file = judged_file(path, "tsv")
        with file.reading(), file.open_text() as lines:
            first = next(read_records(line.lstrip(BOM) for line in lines), None)
    except (DatasetError, TsvError):
        return False
    return first is not None and find_header(first.cells) is not None


def find_folder(
    folder: Path, qrels: str | PathLike[str] | None, findings: Findings, *, corpus: bool = True
) -> BeirFolder:
    """The files of the data set in ``folder``.

    Args:
        folder: Where it lies.
        qrels: The file of judgements, relative to it; ``None`` tries :data:`QRELS`.
        findings: Where a warning goes that a file is there twice.
        corpus: The documents must be there.

    Raises:
        DatasetNotFoundError: One of them is missing; the message names what was looked for.
    """
    if not is_folder(folder):
        found = "this is no folder" if is_file(folder) else "there is no such folder"
        raise DatasetNotFoundError(
            found, where=shortened(folder), expected=f"a folder with {CORPUS}, {QUERIES} and {QRELS[0]}", remedy=_CHECK
        )
    documents = _required(folder, CORPUS, findings) if corpus else _one(folder, CORPUS, findings)
    queries = _required(folder, QUERIES, findings)
    name, notes = (str(qrels), ()) if qrels is not None else _default_qrels(folder)
    judged = _one(folder, name, findings)
    if judged is None:
        raise _missing(folder, [name])
    return BeirFolder(
        folder=folder, corpus=documents, queries=queries, qrels=judged, qrels_name=Path(name).as_posix(), notes=notes
    )


_CHECK = "check the path"


def corpus_file(folder: Path, findings: Findings) -> SourceFile | None:
    """The documents in ``folder``, where there are any."""
    return _one(folder, CORPUS, findings)


def has_corpus(folder: Path) -> bool:
    """There are documents in ``folder``."""
    return _present(folder, CORPUS) is not None


def _default_qrels(folder: Path) -> tuple[str, tuple[str, ...]]:
    found = [name for name in QRELS if _present(folder, name) is not None]
    if not found:
        raise _missing(folder, QRELS)
    name, *others = found
    if not others:
        return name, ()
    note = f"the judgements are those of {name}; {' and '.join(others)} {'is' if len(others) == 1 else 'are'} there too"
    return name, (note,)


def _missing(folder: Path, names: Iterable[str]) -> DatasetNotFoundError:
    inner = folder / "qrels"
    there = [*folder.glob("*.tsv*"), *(inner.glob("*.tsv*") if is_folder(inner) else ())]
    listed = sorted(path.relative_to(folder).as_posix() for path in there)
    return DatasetNotFoundError(
        f"there is no file of judgements: looked for {', '.join(names)}, each also with .gz",
        where=str(folder),
        remedy=f"name one of those that are there with qrels: {', '.join(listed[:8])}" if listed else _CHECK,
    )


def _required(folder: Path, name: str, findings: Findings) -> SourceFile:
    found = _one(folder, name, findings)
    if found is None:
        raise DatasetNotFoundError(f"there is neither {name} nor {name}.gz", where=str(folder), remedy=_CHECK)
    return found


def _one(folder: Path, name: str, findings: Findings) -> SourceFile | None:
    path = _present(folder, name)
    if path is not None and path.suffix != ".gz" and is_file(_zipped(path)):
        findings.warn("file that is there twice", f"{path}: {_zipped(path).name} is there too and is not read")
    return None if path is None else judged_file(path, "jsonl" if ".jsonl" in name else "tsv")


def _present(folder: Path, name: str) -> Path | None:
    path = folder / name
    return next((file for file in (path, _zipped(path)) if is_file(file)), None)


def _zipped(path: Path) -> Path:
    return path.with_name(f"{path.name}.gz")
