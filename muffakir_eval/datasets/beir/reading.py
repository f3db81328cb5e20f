"""``read_beir``: a folder in, corpus, queries and judgements out."""

from __future__ import annotations

import warnings
from os import PathLike
from pathlib import Path

from muffakir_eval.datasets.beir.files import find_folder
from muffakir_eval.datasets.beir.qrels import read_qrels_file
from muffakir_eval.datasets.beir.texts import document_text, read_texts, repeated_id
from muffakir_eval.datasets.cells.text import shown
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.judgements import Judgements
from muffakir_eval.datasets.reading.files import SourceFile

__all__ = ["read_beir"]


def read_beir(
    directory: str | PathLike[str], *, qrels: str | PathLike[str] | None = None
) -> tuple[dict[str, str], dict[str, str], Judgements]:
    """Read a BEIR data set.

    ``corpus.jsonl`` holds ``{"_id", "title", "text"}`` a line, ``queries.jsonl`` ``{"_id", "text"}``, and the
    file of judgements ``query-id``, ``corpus-id`` and ``score`` with tabs between them, with or without a
    header; each of them may be compressed and end in ``.gz``.

    The text of a document is its title and its text with a blank between them; without a title it is the
    text as it stands. Identifiers are text from start to end: a number in a JSON file is taken as it is
    spelled, and ``007`` is not ``7``.

    Judgements of a query or of a document that is not there are kept, and counted in a warning.

    Args:
        directory: The folder.
        qrels: The file of judgements, relative to the folder. ``None`` tries ``qrels.tsv``,
            ``qrels/test.tsv``, ``qrels/dev.tsv`` and ``qrels/train.tsv`` in this order; a warning says which
            one was taken where there are several.

    Returns:
        ``(corpus, queries, qrels)``: ``{id: text}``, ``{id: text}`` and ``{query id: {document id: grade}}``.

    Raises:
        DatasetNotFoundError: A file is missing (this is a :class:`FileNotFoundError`).
        DatasetRowError: A line is malformed, or an identifier stands twice; names file, line and what was
            expected.
        DatasetFormatError: A file cannot be read as a whole.

    >>> import tempfile
    >>> from muffakir_eval.datasets.beir.writing import write_beir
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_beir(folder, {"d1": "عاصمة مصر القاهرة"}, {"q1": "ما عاصمة مصر؟"}, {"q1": {"d1": 1}})
    ...     corpus, queries, qrels = read_beir(folder)
    >>> qrels
    {'q1': {'d1': 1.0}}
    """
    findings = Findings(fail_fast=True)
    files = find_folder(Path(directory), qrels, findings)
    assert files.corpus is not None  # noqa: S101 - it was required
    corpus = _texts(files.corpus, findings, titled=True)
    queries = _texts(files.queries, findings, titled=False)
    judged = read_qrels_file(files.qrels, queries, corpus)
    for note in files.notes:
        findings.warn("choice", f"{files.folder}: {note}")
    _count_unknown(judged, queries, corpus, files.qrels.name, findings)
    for warning in findings.warnings:
        warnings.warn(warning, stacklevel=2)
    return corpus, queries, judged


def _texts(file: SourceFile, findings: Findings, *, titled: bool) -> dict[str, str]:
    texts: dict[str, str] = {}
    for row in read_texts(file, findings, titled=titled):
        if row.identifier in texts:
            raise repeated_id(file, row)
        texts[row.identifier] = document_text(row.title, row.text)
    return texts


def _count_unknown(
    judged: Judgements, queries: dict[str, str], corpus: dict[str, str], where: str, findings: Findings
) -> None:
    """Say how many judgements speak of what is not there."""
    unasked = [query for query in judged if query not in queries]
    if unasked:
        findings.warn(
            "query",
            f"{where}: {len(unasked)} of {len(judged)} judged queries are not among the queries (first: "
            f"{shown(unasked[0])}), and cannot be asked",
        )
    documents = dict.fromkeys(document for grades in judged.values() for document in grades)
    absent = [document for document in documents if document not in corpus]
    if absent:
        findings.warn(
            "document",
            f"{where}: {len(absent)} of {len(documents)} judged documents are not in the corpus (first: "
            f"{shown(absent[0])}), and cannot be found",
        )
