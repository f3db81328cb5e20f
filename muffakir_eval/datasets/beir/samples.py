"""A BEIR folder as samples: its queries are the questions, its judgements the gold."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from muffakir_eval.datasets.beir.extras import with_extras
from muffakir_eval.datasets.beir.files import BeirFolder, find_folder
from muffakir_eval.datasets.beir.qrels import read_qrels_file
from muffakir_eval.datasets.beir.texts import KEY, TextRow, document_text, read_texts, repeated_id
from muffakir_eval.datasets.cells.text import CellError, shown
from muffakir_eval.datasets.dataset import EvaluationDataset
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.judged import gold_fields, matched_by_id, relevant_ids
from muffakir_eval.datasets.judgements import Judgements
from muffakir_eval.errors import DatasetFormatError, DatasetRowError
from muffakir_eval.records import Sample
from muffakir_eval.text.identifiers import clean_id

__all__ = ["read_beir_samples"]


class _Query(NamedTuple):
    """A query that is asked, and what was judged about it."""

    row: TextRow
    judged: Mapping[str, float]


def read_beir_samples(
    folder: Path, qrels: str | None, findings: Findings, *, limit: int | None = None, original: bool = False
) -> EvaluationDataset:
    """The samples of a BEIR folder, in the order of ``queries.jsonl``.

    Where the judgements are those of one split (``qrels/test.tsv``), only queries that are judged in it are
    samples; beside ``qrels.tsv`` all of them are. A query without any relevant document has no gold. Of the
    corpus, which need not be there, only the texts of relevant documents are kept.

    Args:
        folder: The folder.
        qrels: The file of judgements, relative to it; ``None`` looks for it.
        findings: Where bad lines and warnings go.
        limit: Most samples.
        original: Make samples that were written by the converter what they were, with identifiers only
            where they had some, and keep the texts of all judged documents.

    Raises:
        DatasetNotFoundError: A file is missing.
        DatasetRowError: A line is malformed, or an identifier stands twice; names file and line.
        DatasetFormatError: There is no query to ask.
    """
    files = find_folder(folder, qrels, findings, corpus=False)
    judged = read_qrels_file(files.qrels)
    queries = list(islice(_queries(files, judged, findings), limit))
    if not queries and not findings.problems:
        raise _nothing_asked(files, judged)
    if not judged and not original:
        findings.warn("qrels", f"{files.qrels.name}: there is no judgement, so that no question has gold")
    _count_unasked(files, judged, queries, findings, partial=limit is not None)
    texts = _corpus_texts(files, queries, findings, every=original)
    samples = [
        sample for query in queries if (sample := _sample(files, query, texts, findings, original=original)) is not None
    ]
    mapping = {"question": ("text",), "chunk_ids": ("corpus-id",), "grades": ("score",), "sample_id": ("_id",)}
    if files.corpus is not None:
        mapping["contexts"] = ("text of the corpus",)
    dataset = EvaluationDataset(
        samples, source=str(folder), mapping=mapping, n_rows=len(samples) + len(findings.problems)
    )
    dataset.unmapped = list(dict.fromkeys(name for sample in samples for name in sample.metadata))
    dataset.notes += [*files.notes] or [f"the judgements are those of {files.qrels_name}"]
    matched_by_id(dataset)
    return dataset


def _nothing_asked(files: BeirFolder, judged: Judgements) -> DatasetFormatError:
    if judged:
        found = f"none of the queries in {files.queries.path.name} is judged in {files.qrels_name}"
    else:
        found = f"there is no judgement in {files.qrels_name}"
    return DatasetFormatError(
        found,
        where=str(files.folder),
        expected="at least one query with a judgement",
        remedy="compare the identifiers in the two files",
    )


def _queries(files: BeirFolder, judged: Judgements, findings: Findings) -> Iterator[_Query]:
    """The queries that become samples."""
    cleaned = {clean_id(query): query for query in judged}
    seen: set[str] = set()
    for row in read_texts(files.queries, findings):
        if row.identifier in seen:
            findings.reject(repeated_id(files.queries, row))
            continue
        seen.add(row.identifier)
        grades = judged.get(row.identifier)
        if grades is None:
            grades = judged.get(cleaned.get(clean_id(row.identifier), ""), {})
        if not grades and files.is_split:
            continue
        if not row.text.strip():
            findings.reject(_bad(files, row, CellError("the text is missing", expected="a question")))
            continue
        yield _Query(row, grades)


def _sample(
    files: BeirFolder, query: _Query, texts: Mapping[str, str], findings: Findings, *, original: bool
) -> Sample | None:
    row, judged = query
    sample = Sample(
        sample_id=row.identifier,
        row=row.line,
        question=row.text,
        metadata=row.metadata(),
        **gold_fields(judged, texts),
    )
    extras = row.values.get(KEY)
    if extras is None:
        return sample
    try:
        return with_extras(sample, extras, judged, texts, original=original)
    except CellError as error:
        findings.reject(_bad(files, row, error))
        return None


def _corpus_texts(files: BeirFolder, queries: Collection[_Query], findings: Findings, *, every: bool) -> dict[str, str]:
    """The texts of relevant, or of all judged documents, by their identifiers as they are compared."""
    if files.corpus is None:
        return {}
    wanted = {name for query in queries for name in relevant_ids(query.judged)}
    others = {clean_id(name) or "" for query in queries for name in query.judged} if every else set()
    texts: dict[str, str] = {}
    quiet = Findings(fail_fast=True)
    for row in read_texts(files.corpus, quiet, titled=True):
        identifier = clean_id(row.identifier)
        if identifier in wanted or identifier in others:
            if identifier in texts:
                raise repeated_id(files.corpus, row)
            texts[identifier] = document_text(row.title, row.text)
    missing = [name for name in wanted if name not in texts]
    if missing:
        findings.warn(
            "document",
            f"{files.qrels.name}: {len(missing)} of {len(wanted)} relevant documents are not in the corpus (first: "
            f"{shown(min(missing))}), and cannot be found there",
        )
    return texts


def _count_unasked(
    files: BeirFolder, judged: Judgements, queries: Collection[_Query], findings: Findings, *, partial: bool
) -> None:
    """Say how many judged queries have no text."""
    asked = {clean_id(query.row.identifier) for query in queries}
    unasked = [] if partial else [query for query in judged if clean_id(query) not in asked]
    if unasked:
        findings.warn(
            "query",
            f"{files.qrels.name}: {len(unasked)} of {len(judged)} judged queries (first: {shown(unasked[0])}) are not "
            f"in {files.queries.path.name}, and are left out",
        )


def _bad(files: BeirFolder, row: TextRow, error: CellError) -> DatasetRowError:
    return DatasetRowError(
        error.found,
        row=row.line,
        where=files.queries.name,
        expected=error.expected,
        remedy=error.remedy or "correct the line",
        place=f"line {row.line}",
    )
