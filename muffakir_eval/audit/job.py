"""One audit from what is settled to its result."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

from muffakir_eval.audit.asking import Retrieval, retrieve
from muffakir_eval.audit.corpus import Corpus
from muffakir_eval.audit.gold_findings import gold_findings
from muffakir_eval.audit.health import HealthCheck, HealthReport
from muffakir_eval.audit.questions import QuestionFate, classify
from muffakir_eval.audit.reach import GoldSearch
from muffakir_eval.audit.records import CorpusChunk, Finding, FindingExample, GoldReach, Place
from muffakir_eval.audit.result import SEVERITIES, IndexAudit
from muffakir_eval.audit.retriever_findings import retriever_findings
from muffakir_eval.audit.rows import question_audit
from muffakir_eval.audit.scanning import Pool, scan_corpus
from muffakir_eval.audit.settings import AuditConfig
from muffakir_eval.audit.summary import (
    corpus_block,
    dataset_block,
    fate_blocks,
    finding_block,
    header,
    reach_block,
    retriever_block,
    shown_questions,
)
from muffakir_eval.audit.watching import Watch
from muffakir_eval.datasets import EvaluationDataset
from muffakir_eval.errors import PipelineDownError
from muffakir_eval.matching.golds import distinct_golds
from muffakir_eval.records import Sample
from muffakir_eval.records.codec import json_value
from muffakir_eval.runner import RunPlan
from muffakir_eval.threads import CallThread
from muffakir_eval.writers.progress import Progress, note, progress_bar

__all__ = ["Job"]

_BATCH = 1000
_EXAMPLES = 5
_TOLD_EVERY = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """An audit that is settled and has not begun.

    Attributes:
        config: The settings.
        corpus: The index.
        samples: The questions, ``None`` where only the texts are audited.
        plan: How the retriever is asked, ``None`` where there is none.
        recorded: The rankings are those that the dataset carries.
        pool: What scans the index instead of processes of our own.
    """

    config: AuditConfig
    corpus: Corpus
    samples: EvaluationDataset | None
    plan: RunPlan | None
    recorded: bool
    pool: Pool | None = None

    async def run(self) -> tuple[IndexAudit, PipelineDownError | None]:
        """Ask, read, compare; the audit, and why the retriever was not asked to the end."""
        samples: Sequence[Sample] = self.samples or ()
        batches = self.corpus.batches(_BATCH)
        thread = CallThread()
        try:
            # Of an index that cannot be read the user hears before any question is asked.
            first = await thread.run(lambda: next(batches, []))
            retrieval = None
            if self.plan is not None:
                retrieval = await retrieve(self.plan, samples, self.config, recorded=self.recorded)
            watch = Watch({}) if retrieval is None else Watch(retrieval.ids, retrieval.short_texts)
            try:
                reaches, health = await thread.run(lambda: self._scan(watch.passing(_rejoined(first, batches))))
            except BaseException:
                watch.call_off()  # the thread ends by itself
                raise
        finally:
            thread.close()
        audit = self._result(reaches, health, retrieval, watch)
        return audit, None if retrieval is None else retrieval.stopped

    def _scan(self, batches: Iterator[list[CorpusChunk]]) -> tuple[list[GoldReach], HealthReport]:
        """Where the golds are, and how healthy the texts; the index passes once."""
        samples: Sequence[Sample] = self.samples or ()
        search = GoldSearch(samples, self.config.match_settings) if any(map(distinct_golds, samples)) else None
        check = HealthCheck(language=self.config.language)
        expected = math.ceil((self.corpus.total or 0) / _BATCH)
        with progress_bar(expected, enabled=self.config.progress and expected > 1) as advance:
            *sightings, part = scan_corpus(
                [*([] if search is None else [search]), check],
                batches,
                workers=self.config.workers,
                pool=self.pool,
                progress=lambda done: self._tell(advance, done),
            )
        return [] if search is None else search.reaches(sightings[0]), check.report(part)

    def _tell(self, advance: Progress, done: int) -> None:
        """One batch more; where nobody knows how many there are, a line now and then."""
        if self.corpus.total:
            advance(failed=False)
        elif done % _TOLD_EVERY == 0:
            note(f"{done:,} chunks of {self.corpus.name} are read", enabled=self.config.progress)

    def _result(
        self, reaches: Sequence[GoldReach], health: HealthReport, retrieval: Retrieval | None, watch: Watch
    ) -> IndexAudit:
        config, samples = self.config, self.samples
        fates = classify(samples or [], reaches, retrieval, k=config.k)
        questions = [question_audit(fate, k=config.k) for fate in fates]
        findings = sorted(self._findings(fates, health, retrieval, watch), key=_badness)
        summary = {
            **header(config, partial=retrieval is not None and retrieval.stopped is not None),
            "corpus": corpus_block(self.corpus, watch),
            "dataset": None if samples is None else dataset_block(samples, fates),
            "retriever": None if retrieval is None else retriever_block(retrieval, len(fates), watch.n_distinct),
            "index": reach_block(fates, reaches, config),
            **fate_blocks(fates, retrieval, config),
            "findings": finding_block(findings),
            "health": json_value(health.statistics),
            "questions": shown_questions(questions),
            "warnings": [*(() if samples is None else _about(samples)), *self.corpus.warnings],
        }
        return IndexAudit(summary, findings, questions, csv_bom=config.csv_bom)

    def _findings(
        self, fates: Sequence[QuestionFate], health: HealthReport, retrieval: Retrieval | None, watch: Watch
    ) -> Iterator[Finding]:
        yield from unreadable(self.corpus, watch.n_chunks)
        yield from gold_findings(fates, sources=watch.sources)
        if retrieval is not None:
            yield from retriever_findings(retrieval, fates, watch)
        yield from health.findings


def _about(samples: EvaluationDataset) -> Iterator[str]:
    """What was noticed in reading the questions."""
    yield from samples.warnings
    for problem in samples.problems[:_EXAMPLES]:
        yield f"left out, bad row: {problem}"
    if len(samples.problems) > _EXAMPLES:
        yield f"left out, {len(samples.problems) - _EXAMPLES} more bad rows: `muffakir-eval validate` lists them"


def _rejoined(
    first: list[CorpusChunk], batches: Iterator[list[CorpusChunk]]
) -> Generator[list[CorpusChunk], None, None]:
    yield first
    yield from batches


def _badness(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)


def unreadable(corpus: Corpus, n_chunks: int) -> Iterator[Finding]:
    """Rows of the corpus that could not be read."""
    if not corpus.n_problems:
        return
    total = corpus.n_problems + n_chunks
    yield Finding(
        code="unreadable_line",
        severity="error",
        count=corpus.n_problems,
        total=total,
        unit="lines",
        message=f"{corpus.n_problems} of {total} rows of the corpus cannot be read, and were passed over",
        remedy="correct them, or find out why the program that wrote the file did so",
        examples=tuple(
            FindingExample(
                at=Place(ordinal=problem.row, place=problem.where or f"row {problem.row}"), detail=problem.found
            )
            for problem in corpus.problems[:_EXAMPLES]
        ),
    )
