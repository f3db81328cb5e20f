"""``audit_index``: the questions to the retriever, the index past the scanners, and both to one result."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from muffakir_eval.audit.asking import plan_retrieval
from muffakir_eval.audit.corpus import Corpus, open_corpus
from muffakir_eval.audit.job import Job
from muffakir_eval.audit.result import IndexAudit
from muffakir_eval.audit.scanning import Pool
from muffakir_eval.audit.settings import AuditConfig
from muffakir_eval.datasets import EvaluationDataset
from muffakir_eval.datasets.configured import read_questions
from muffakir_eval.door import run_sync
from muffakir_eval.errors import ConfigError, DatasetFormatError, StorageError
from muffakir_eval.pipelines import BM25Retriever
from muffakir_eval.records import RetrievedChunk
from muffakir_eval.tally.groups import group_column

__all__ = ["aaudit_index", "audit_index"]

_BATCH = 1000


def audit_index(
    corpus: Any,
    dataset: Any = None,
    retriever: Any = None,
    *,
    save: bool = False,
    config: Mapping[str, Any] | AuditConfig | None = None,
    **settings: Any,
) -> IndexAudit:
    """Audit an index: is the evidence in it, does the retriever find it, and if not, why; and is the text healthy.

    No answer, no judge and no key are needed. The index is read once, as a stream.

    Args:
        corpus: The chunks of the index: a file (``.jsonl``, ``.csv``, ``.parquet``, ``.xlsx``, …), a BEIR folder,
            chunks in memory, or a vector store that can be listed.
        dataset: Questions with their gold passages or identifiers: whatever ``load_evaluation_dataset`` reads.
            ``None`` audits only the texts of the index.
        retriever: What retrieves: whatever ``MuffakirEvaluation`` accepts as ``rag`` and can retrieve, or
            ``"bm25"`` for the embedded one over this corpus. It is called once per question, for ``top_n`` chunks.
            ``None`` takes the rankings that the dataset carries, if it does.
        save: Write ``audit.json``, ``audit_findings.csv`` and ``audit_questions.csv`` to ``output_dir``.
        config: Settings as a dict, or checked already.
        **settings: Single settings, which win over ``config``: ``k`` (5), ``k_values`` (1, 3, 5, 10, 20, 50, 100 as far
            as ``top_n``), ``top_n`` (100), ``language``, ``match_by``, ``overlap_threshold``, ``matching``,
            ``column_mapping``, ``id_columns``, ``encoding``, ``sheet``, ``max_samples``, ``sample_seed``,
            ``fail_fast_dataset``, ``slice_by``, ``text_column``, ``id_column``, ``corpus_encoding``, ``corpus_sheet``,
            ``workers``, ``pipeline_workers``, ``max_concurrency``, ``max_pipeline_errors``, ``sample_timeout_s``,
            ``pipeline_id``, ``progress``, ``output_dir``, ``seed``, ``confidence_level``, ``csv_bom``.

    Raises:
        ConfigError: A setting is unknown or malformed, the corpus is nothing that can be listed, or the retriever
            nothing that can be asked.
        DatasetError: Corpus or dataset cannot be read. A single bad line of the corpus is a finding, and no error.
        PipelineDownError: Too many questions in a row failed; ``error.report`` is the audit of what was done.
        StorageError: A file cannot be written; where that shows only in the end, ``error.report`` is the audit.

    >>> corpus = [{"chunk_id": "1", "text": "عاصمة المملكة العربية السعودية هي الرياض"},
    ...           {"chunk_id": "2", "text": "عملة دولة الكويت هي الدينار الكويتي"}]
    >>> questions = [{"question": "ما عاصمة السعودية؟", "context": "عاصمة المملكة العربية السعودية هي الرياض"},
    ...              {"question": "ما عملة قطر؟", "context": "عملة دولة قطر هي الريال القطري"}]
    >>> audit = audit_index(corpus, questions, "bm25", k=1, progress=False)
    >>> audit.outcomes, audit.metrics["recall@1"]["mean"]
    ({'found': 1, 'not_in_index': 1}, 0.5)
    """
    return run_sync(lambda: aaudit_index(corpus, dataset, retriever, save=save, config=config, **settings))


async def aaudit_index(
    corpus: Any,
    dataset: Any = None,
    retriever: Any = None,
    *,
    save: bool = False,
    config: Mapping[str, Any] | AuditConfig | None = None,
    pool: Pool | None = None,
    **settings: Any,
) -> IndexAudit:
    """:func:`audit_index` for those who are inside a loop; same arguments, same result.

    ``pool`` scans the index instead of processes of our own: see :mod:`muffakir_eval.audit.scanning`.
    """
    chosen = _settled(config, settings)
    if save:
        _may_write(Path(chosen.output_dir))
    if dataset is None and retriever is not None:
        raise ConfigError("there is a retriever, and no question to ask it", where="dataset", remedy="pass dataset=…")
    samples = None if dataset is None else _questions(dataset, chosen)
    if samples is not None:
        chosen = _sliced(chosen.preferring(samples.match_by), samples)
    index = _open(corpus, chosen)
    asked = _embedded(corpus, retriever, chosen)
    plan = None if samples is None else plan_retrieval(asked, samples, chosen)
    job = Job(config=chosen, corpus=index, samples=samples, plan=plan, recorded=asked is None, pool=pool)
    audit, stopped = await job.run()
    if save:
        _save(audit, chosen.output_dir)
    if stopped is not None:
        stopped.report = audit
        raise stopped
    return audit


def _may_write(folder: Path) -> None:
    """Hear before the index is read that there will be no place for the result; nothing is made yet.

    Raises:
        StorageError: The folder is a file, lies inside one, or may not be written to.
    """
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir():
        raise StorageError("the folder cannot be made: a file has its name", where=str(there), remedy="choose another")
    if not os.access(there, os.W_OK | os.X_OK):
        raise StorageError("the folder may not be written to", where=str(there), remedy="choose another")


def _save(audit: IndexAudit, folder: str) -> None:
    try:
        audit.save(folder)
    except StorageError as error:
        error.report = audit
        raise


def _settled(config: Mapping[str, Any] | AuditConfig | None, settings: Mapping[str, Any]) -> AuditConfig:
    if isinstance(config, AuditConfig):
        # The values as they are: a dump would set every key of those inside one another.
        config = {name: getattr(config, name) for name in config.model_fields_set}
    return AuditConfig.from_mapping({**(config or {}), **settings})


def _sliced(config: AuditConfig, samples: EvaluationDataset) -> AuditConfig:
    """The settings with the columns of ``slice_by`` as the questions have them."""
    if not config.slice_by:
        return config
    columns = [group_column(name, samples, samples.mapping, where="audit, key 'slice_by'") for name in config.slice_by]
    return config.model_copy(update={"slice_by": tuple(dict.fromkeys(columns))})


def _questions(dataset: Any, config: AuditConfig) -> EvaluationDataset:
    samples = read_questions(dataset, config)
    if not samples:
        raise DatasetFormatError("there is no question in it", where=samples.source, remedy="check the file")
    return samples


def _open(corpus: Any, config: AuditConfig) -> Corpus:
    if isinstance(corpus, Corpus):
        return corpus
    return open_corpus(
        corpus,
        text_column=config.text_column,
        id_column=config.id_column,
        encoding=config.corpus_encoding,
        sheet=config.corpus_sheet,
    )


def _embedded(corpus: Any, retriever: Any, config: AuditConfig) -> Any:
    """BM25 over the corpus itself where that is asked for by name; else ``retriever`` as it is."""
    if not isinstance(retriever, str):
        return retriever
    if retriever.strip().lower() != "bm25":
        raise ConfigError(f"unknown retriever {retriever!r}", where="retriever", expected="'bm25', or an object")
    if isinstance(corpus, (Iterator, Corpus)):
        raise ConfigError(
            "the corpus can be read only once, and 'bm25' reads it for itself",
            where="retriever",
            remedy="pass a list or a file as the corpus, or BM25Retriever(chunks) as the retriever",
        )
    chunks = (chunk for batch in _open(corpus, config).batches(_BATCH) for chunk in batch)
    return BM25Retriever(
        [RetrievedChunk(text=chunk.text, chunk_id=chunk.chunk_id, source=chunk.source) for chunk in chunks]
    )
