"""A question set as a BEIR folder, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from muffakir_eval.datasets.beir.documents import Documents
from muffakir_eval.datasets.beir.extras import extras_of, judged_by
from muffakir_eval.datasets.beir.files import CORPUS, QRELS, QUERIES, beir_folder
from muffakir_eval.datasets.beir.samples import read_beir_samples
from muffakir_eval.datasets.beir.texts import KEY
from muffakir_eval.datasets.beir.writing import awkward_ids, json_line, judgement_lines, write_files
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.judged import gold_fields
from muffakir_eval.datasets.judged_file import is_same_file
from muffakir_eval.datasets.judgements import Judgements, checked_judgements
from muffakir_eval.datasets.loading import load_evaluation_dataset
from muffakir_eval.datasets.samples_file import write_samples
from muffakir_eval.errors import DatasetError
from muffakir_eval.records import RetrievedChunk, Sample
from muffakir_eval.records.codec import json_value

__all__ = ["beir_to_dataset", "dataset_to_beir", "refuse_overwriting"]


def dataset_to_beir(
    dataset: Any,
    directory: str | PathLike[str],
    *,
    corpus: Iterable[RetrievedChunk] | Mapping[str, str] | None = None,
) -> list[str]:
    """Write a question set as a BEIR folder.

    The questions become ``queries.jsonl``, the golds ``qrels.tsv``, and the passages ``corpus.jsonl``: those of
    ``corpus``, and gold passages that are not among them. A gold without an identifier, or with one that
    ``corpus`` does not have, gets that of the first passage of the corpus that is the same text or holds it
    word for word (normalised as in matching); where there is none it keeps its own, or gets one that is made
    of its text (``text-`` and 16 digits of its SHA-256). Where one identifier stands for passages
    of several documents, the document is put before it.

    What BEIR has no place for (accepted answers, whether a question can be answered, alternatives, recorded
    outputs, …) is kept in ``queries.jsonl`` under the key ``muffakir_eval``, which other tools pass by:
    :func:`beir_to_dataset` and ``load_evaluation_dataset`` take it back.

    Args:
        dataset: Anything that ``load_evaluation_dataset`` takes.
        directory: The folder to write; other files in it stay.
        corpus: The passages that are searched, as :func:`load_corpus` reads them, or ``{id: text}``.

    Returns:
        What a user of the folder should know, one sentence each; empty where BEIR can say it all.

    Raises:
        DatasetError: The question set cannot be read, is one of the files that would be written, or an
            identifier holds a lone surrogate.
        StorageError: The folder cannot be written.
    """
    samples = load_evaluation_dataset(dataset)
    if isinstance(dataset, (str, PathLike)):
        refuse_overwriting(directory, dataset)
    documents = Documents(corpus, samples)
    named = [documents.of(sample) for sample in samples]
    judged: Judgements = {}
    lines = []
    for sample, names in zip(samples, named, strict=True):
        grades = judged_by(sample, names)
        if grades:
            judged[sample.sample_id] = grades
        plain = gold_fields(grades, documents.texts)
        line: dict[str, Any] = {
            "_id": sample.sample_id,
            "text": sample.question,
            "metadata": json_value(sample.metadata),
        }
        extras = extras_of(sample, names, plain)
        lines.append(json_line({**line, KEY: extras} if extras else line))
    judged = checked_judgements(judged)
    write_files(
        Path(directory),
        {CORPUS: documents.lines(), QUERIES: lines, QRELS[0]: judgement_lines(judged)},
    )
    return [*samples.warnings, *documents.notes(), *_left_over(samples), *awkward_ids(judged)]


def refuse_overwriting(directory: str | PathLike[str], source: str | PathLike[str]) -> None:
    """See that a file to be read is none of those that a BEIR folder is written into, and no part of it.

    Raises:
        DatasetError: It is.
    """
    found = beir_folder(Path(source))
    if is_same_file(source if found is None else found[0], directory):
        raise DatasetError("this would be written into itself", where=str(source), remedy="name a new folder")
    for part in (CORPUS, QUERIES, QRELS[0]):
        if is_same_file(source, Path(directory) / part):
            raise DatasetError(
                f"the {part} of the new BEIR folder would overwrite this file",
                where=str(source),
                expected="another folder to write into",
                remedy="name a new folder",
            )


def _left_over(samples: Sequence[Sample]) -> Iterator[str]:
    """What BEIR cannot say."""
    counts = Counter(what for sample in samples for what in _beyond(sample))
    for what, count in counts.items():
        yield f"{count} of {len(samples)} questions have {what}"


_KEPT = f"BEIR has no place for them, and they are kept in {QUERIES} under {KEY!r}"


def _beyond(sample: Sample) -> Iterator[str]:
    if sample.answers:
        yield f"accepted answers: {_KEPT}"
    if sample.recorded is not None:
        yield f"recorded outputs: {_KEPT}"
    if sample.groups:
        yield (
            "golds with alternatives: for other tools each of the alternatives is a relevant document of its own, so "
            f"that recall differs; which belong together is kept in {QUERIES}"
        )
    if not sample.golds:
        yield f"no gold: no line of {QRELS[0]} speaks of them, and other tools leave them out"


def beir_to_dataset(
    directory: str | PathLike[str], path: str | PathLike[str], *, qrels: str | PathLike[str] | None = None
) -> list[str]:
    """Write a BEIR folder as a question set, one JSON object a line, for ``load_evaluation_dataset``.

    What :func:`dataset_to_beir` kept of a question set is there again. Where the judgements were changed
    since, they count.

    Args:
        directory: The BEIR folder; it need not hold a corpus.
        path: The file to write, ``.jsonl``; an older one is replaced in one step.
        qrels: The file of judgements, relative to the folder; ``None`` looks for it as :func:`read_beir` does.

    Returns:
        What could not be carried, one sentence each.

    Raises:
        DatasetError: The folder cannot be read, ``path`` does not end in ``.jsonl``, or is a file of the folder.
        StorageError: The file cannot be written.
    """
    for part in (CORPUS, QUERIES):
        if is_same_file(path, Path(directory) / part):
            raise DatasetError(
                f"this is the {part} of the BEIR folder itself",
                where=str(path),
                expected="the name of another file",
                remedy="choose another name or folder, so that nothing of the folder is lost",
            )
    findings = Findings(fail_fast=True)
    name = None if qrels is None else str(qrels)
    samples = read_beir_samples(Path(directory), name, findings, original=True)
    return [*findings.warnings, *write_samples(path, samples)]
