"""``write_beir``: corpus, queries and judgements in, a folder out."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from muffakir_eval.atomic import move_file, replace_file
from muffakir_eval.datasets.beir.files import CORPUS, QRELS, QUERIES
from muffakir_eval.datasets.beir.qrels import HEADER
from muffakir_eval.datasets.beir.tsv import is_awkward, quote
from muffakir_eval.datasets.judged_file import is_folder, shortened
from muffakir_eval.datasets.judgements import Judgements, checked_judgements, checked_texts, spell_grade
from muffakir_eval.errors import StorageError
from muffakir_eval.records.codec import strict_json

__all__ = ["awkward_ids", "json_line", "judgement_lines", "write_beir", "write_files"]

_SHOWN = 3
_CHUNK = 1000
_LINE_ENDS = str.maketrans({"\u2028": "\\u2028", "\u2029": "\\u2029", "\x85": "\\u0085"})


def write_beir(
    directory: str | PathLike[str],
    corpus: Mapping[str, str],
    queries: Mapping[str, str],
    qrels: Mapping[str, Mapping[str, float]],
) -> None:
    r"""Write a BEIR data set that :func:`read_beir` reads back the same.

    Writes ``corpus.jsonl``, ``queries.jsonl`` and ``qrels.tsv``; the folder is made where it is missing, and
    other files in it stay. Everything is checked before anything is written, and each file is replaced in
    one step.

    In ``qrels.tsv`` an identifier is quoted as in CSV where a plain cell cannot hold it: it has a tab, a quote
    or a line break, is empty, or begins or ends with white space or an invisible mark. That comes with a
    warning, since other tools may read such a cell as something else.

    Args:
        directory: The folder.
        corpus: ``{document id: text}``.
        queries: ``{query id: text}``; a query need not be judged.
        qrels: ``{query id: {document id: grade}}``.

    Raises:
        DatasetError: An identifier or a text is no text or holds a lone surrogate, a grade is no finite number,
            or a query of ``qrels`` has no judgement, which no line could say.
        StorageError: The folder cannot be written.
    """
    checked_texts(corpus, "corpus")
    checked_texts(queries, "queries")
    judged = checked_judgements(qrels)
    for warning in awkward_ids(judged):
        warnings.warn(warning, stacklevel=2)
    write_files(
        Path(directory),
        {
            CORPUS: _text_lines(corpus, title=True),
            QUERIES: _text_lines(queries, title=False),
            QRELS[0]: judgement_lines(judged),
        },
    )


def _text_lines(texts: Mapping[str, str], *, title: bool) -> Iterator[str]:
    for identifier, text in texts.items():
        # Loaders of other tools add title and text, and stumble where there is no title.
        yield json_line({"_id": identifier, "title": "", "text": text} if title else {"_id": identifier, "text": text})


def json_line(values: Mapping[str, Any]) -> str:
    """``values`` as one line of strict JSON, whatever a reader takes for the end of a line."""
    return strict_json(values).translate(_LINE_ENDS) + "\n"


def judgement_lines(judged: Judgements) -> Iterator[str]:
    """The lines of ``qrels.tsv``."""
    yield f"{HEADER}\n"
    for query, grades in judged.items():
        name = quote(query)
        for document, grade in grades.items():
            yield f"{name}\t{quote(document)}\t{spell_grade(grade)}\n"


def awkward_ids(judged: Judgements) -> list[str]:
    """A warning of identifiers that must be quoted, where there are any."""
    found = dict.fromkeys(
        identifier for query, grades in judged.items() for identifier in (query, *grades) if is_awkward(identifier)
    )
    if not found:
        return []
    told = ", ".join(map(ascii, list(found)[:_SHOWN])) + (", …" if len(found) > _SHOWN else "")
    are = "identifier is" if len(found) == 1 else "identifiers are"
    return [f"{len(found)} {are} quoted in {QRELS[0]}, and other tools may read them as something else: {told}"]


def write_files(directory: Path, files: Mapping[str, Iterable[str]]) -> None:
    """Write text files into a folder: first all of them beside it, then each into its place in one step.

    Raises:
        StorageError: The folder cannot be written, and what was there before is untouched; or another program
            keeps one of the files open, and the message says which of them are the new ones already.
    """
    _check_places(directory, files)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=".writing-", suffix=".tmp", dir=directory))
    except (OSError, ValueError) as fault:
        raise StorageError(
            f"the folder cannot be written: {_reason(fault)}",
            where=shortened(directory),
            remedy="check the path and its permissions",
        ) from fault
    try:
        for name, lines in files.items():
            replace_file(staging / name, _encoded(lines))
        _put_in_place(staging, directory, list(files))
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _check_places(directory: Path, names: Iterable[str]) -> None:
    """See that no folder stands where a file is to go."""
    for name in names:
        if is_folder(directory / name):
            raise StorageError(
                "this is a folder",
                where=str(directory / name),
                expected=f"nothing, or the {name} of an earlier data set",
                remedy="rename it, or name another folder",
            )


def _put_in_place(staging: Path, directory: Path, names: Sequence[str]) -> None:
    for position, name in enumerate(names):
        try:
            move_file(staging / name, directory / name)
        except StorageError as fault:
            new = f", and new already: {', '.join(names[:position])}" if position else ""
            raise StorageError(
                f"the file cannot be replaced ({_reason(fault.__cause__)}). Still the old: "
                f"{', '.join(names[position:])}{new}",
                where=str(directory / name),
                remedy="close the program that has it open, and write again",
            ) from fault.__cause__


def _reason(fault: BaseException | None) -> str:
    return getattr(fault, "strerror", None) or str(fault)


def _encoded(lines: Iterable[str]) -> Iterator[bytes]:
    held: list[str] = []
    add: Callable[[str], None] = held.append
    for line in lines:
        add(line)
        if len(held) == _CHUNK:
            yield "".join(held).encode("utf-8")
            held.clear()
    yield "".join(held).encode("utf-8")
