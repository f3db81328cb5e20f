"""``load_trec``: judgements and a run in, samples with recorded rankings out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, TypeGuard

from muffakir_eval.datasets.beir.files import beir_folder, find_folder, has_header
from muffakir_eval.datasets.beir.qrels import read_qrels_file
from muffakir_eval.datasets.cells.text import shown
from muffakir_eval.datasets.dataset import EvaluationDataset
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.judged import gold_fields, matched_by_id
from muffakir_eval.datasets.judged_file import is_file, judged_file
from muffakir_eval.datasets.judgements import Judgements, checked_judgements, checked_texts
from muffakir_eval.datasets.trec.qrels import read_qrels
from muffakir_eval.datasets.trec.runs import Run, checked_run, ranked_run
from muffakir_eval.datasets.trec.topics import read_topics
from muffakir_eval.errors import DatasetFormatError
from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample
from muffakir_eval.text.identifiers import clean_id

__all__ = ["load_trec"]


def load_trec(
    qrels: str | PathLike[str] | Mapping[str, Mapping[str, float]],
    run: str | PathLike[str] | Mapping[str, Any] | None = None,
    queries: str | PathLike[str] | Mapping[str, str] | None = None,
) -> EvaluationDataset:
    """Make a data set of TREC judgements, and of the rankings of a run.

    Each judged query is a sample: its relevant documents are the gold, those judged not relevant are kept
    with their grade, and a query without any relevant document has no gold. The rankings of ``run`` are
    recorded outputs, so that they are measured without a retriever. A judged query that the run says nothing
    about has an empty result, which scores 0; ``trec_eval`` leaves it out unless it is told not to (``-c``).

    Args:
        qrels: A file of TREC qrels, ``{query: {document: grade}}``, or a BEIR folder or a file of its
            judgements.
        run: A TREC run, or ``{query: documents}`` as :func:`write_run` takes it.
        queries: The texts: a ``.jsonl`` file of ``{"_id", "text"}``, a file of ``identifier<TAB>text``, or
            ``{query: text}``; without it those of the BEIR folder. Where a text is missing, the question is
            the identifier of the query if there is a run, and the query is left out if there is none.

    Returns:
        The samples in the order of the judgements. A run compares them by identifier.

    Raises:
        DatasetNotFoundError: There is no such file.
        DatasetRowError: A line is malformed; names file, line and what was expected.
        DatasetFormatError: There is no judgement, or none of a query whose text is known.

    >>> dataset = load_trec({"q1": {"d1": 1, "d2": 0}}, run={"q1": ["d2", "d1"]}, queries={"q1": "ما المدة؟"})
    >>> [gold.index for gold in dataset[0].golds], [chunk.chunk_id for chunk in dataset[0].recorded.chunks]
    ([0], ['d2', 'd1'])
    """
    findings = Findings(fail_fast=True)
    judged, asked_in_folder = _judged(qrels, findings)
    source = _named(qrels, "the judgements")
    if not judged:
        raise DatasetFormatError("there is no judgement", where=source, expected="at least one")
    rankings = None if run is None else _rankings(run, findings)
    given = asked_in_folder if queries is None else queries
    texts = None if given is None else _texts(given, findings)
    asked = _asked(judged, texts, findings, source, recorded=rankings is not None)
    if rankings is not None:
        _compare(judged, rankings, findings, _named(run, "the run"))
    samples = [
        Sample(
            sample_id=query,
            row=number,
            question=question,
            **gold_fields(judged[query]),
            recorded=None if rankings is None else _output(rankings.get(query, ())),
        )
        for number, (query, question) in enumerate(asked.items(), start=1)
    ]
    mapping = {"question": ("text",), "chunk_ids": ("document",), "grades": ("grade",), "sample_id": ("query",)}
    if rankings is not None:
        mapping["retrieved_chunk_ids"] = ("document of the run",)
    dataset = EvaluationDataset(samples, source=source, mapping=mapping)
    dataset.warnings += findings.warnings
    dataset.notes += findings.notes
    matched_by_id(dataset)
    if rankings is not None:
        depth = max(map(len, rankings.values()), default=0)
        dataset.notes.append(f"the run holds up to {depth} documents for a query")
    return dataset


def _judged(qrels: Any, findings: Findings) -> tuple[Judgements, Path | None]:
    """The judgements, and the file of queries beside them."""
    if not _is_path(qrels):
        return checked_judgements(qrels), None
    path = Path(qrels)
    folder = beir_folder(path)
    if folder is not None:
        files = find_folder(*folder, findings, corpus=False)
        findings.notes += files.notes
        return read_qrels_file(files.qrels), files.queries.path
    if is_file(path) and has_header(path):
        return read_qrels_file(judged_file(path, "tsv")), None
    return read_qrels(path), None


def _is_path(value: object) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(value, (str, os.PathLike))


def _named(value: Any, otherwise: str) -> str:
    return os.fspath(value) if _is_path(value) else otherwise


def _rankings(run: Any, findings: Findings) -> Run:
    if not _is_path(run):
        return checked_run(run)
    rankings, told = ranked_run(run)
    for warning in told:
        findings.warn(warning, warning)
    return rankings


def _texts(queries: Any, findings: Findings) -> dict[str, str]:
    if _is_path(queries):
        found = read_topics(queries, findings)
    else:
        checked_texts(queries, "queries")
        found = dict(queries)
    return {query: text for query, text in found.items() if text.strip()}


def _asked(
    judged: Judgements, texts: Mapping[str, str] | None, findings: Findings, source: str, *, recorded: bool
) -> dict[str, str]:
    """The question of each query that becomes a sample."""
    if texts is None:
        findings.warn(
            "text", f"{source}: no texts of queries were given, so each question is the identifier of its query"
        )
        return {query: query for query in judged}
    found = {query: _text_of(query, texts) for query in judged}
    missing = [query for query, text in found.items() if text is None]
    if missing:
        done = "their questions are their identifiers" if recorded else "they are left out"
        findings.warn(
            "text",
            f"{source}: of {len(missing)} of {len(judged)} judged queries (first: {shown(missing[0])}) the text is "
            f"missing or blank; {done}",
        )
    asked = {query: query if text is None else text for query, text in found.items() if recorded or text is not None}
    if not asked:
        raise DatasetFormatError(
            "none of the judged queries has a text",
            where=source,
            expected="the same identifiers as in the file of queries",
            remedy=f"compare the identifiers: {shown(next(iter(judged)))} is judged"
            + (f", {shown(next(iter(texts)))} has a text" if texts else ""),
        )
    return asked


def _text_of(query: str, texts: Mapping[str, str]) -> str | None:
    return texts.get(query, texts.get(clean_id(query) or ""))


def _compare(judged: Judgements, rankings: Run, findings: Findings, where: str) -> None:
    """Say which queries stand in one of the two only."""
    empty = [query for query in judged if not rankings.get(query)]
    if empty:
        findings.warn(
            "run",
            f"{where}: {len(empty)} of {len(judged)} judged queries (first: {shown(empty[0])}) have no document; they "
            "count as an empty result, while trec_eval leaves them out unless it is called with -c",
        )
    unjudged = [query for query in rankings if query not in judged]
    if unjudged:
        findings.warn(
            "qrels",
            f"{where}: {len(unjudged)} of {len(rankings)} queries (first: {shown(unjudged[0])}) are not judged, and "
            "are left out",
        )


def _output(ranking: Iterable[tuple[str, float]]) -> PipelineOutput:
    return PipelineOutput(
        chunks=tuple(RetrievedChunk(chunk_id=clean_id(document), score=score) for document, score in ranking)
    )
