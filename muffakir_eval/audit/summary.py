"""The content of ``audit.json``."""

from __future__ import annotations

import hashlib
import platform
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from muffakir_eval.audit.asking import Retrieval
from muffakir_eval.audit.corpus import Corpus
from muffakir_eval.audit.figures import ORDER, gain_along_k, lost_recall, outcome_block, rank_block, slice_block
from muffakir_eval.audit.questions import QuestionFate
from muffakir_eval.audit.reach import ceiling_at
from muffakir_eval.audit.records import Finding, GoldReach, Presence
from muffakir_eval.audit.retriever_findings import cap
from muffakir_eval.audit.rows import QuestionAudit
from muffakir_eval.audit.settings import AuditConfig
from muffakir_eval.audit.watching import Watch
from muffakir_eval.datasets import EvaluationDataset
from muffakir_eval.datasets.sources import shown_source
from muffakir_eval.records.codec import content_key, json_value
from muffakir_eval.redaction import mask_settings
from muffakir_eval.tally.groups import GroupBy
from muffakir_eval.tally.intervals import share_interval

__all__ = [
    "SCHEMA_VERSION",
    "corpus_block",
    "dataset_block",
    "fate_blocks",
    "finding_block",
    "header",
    "reach_block",
    "retriever_block",
    "shown_questions",
]

SCHEMA_VERSION = 1
_PRESENCES: tuple[Presence, ...] = ("whole", "split", "part", "nowhere", "not_compared")
_SHOWN = 20
"""Questions per outcome that stand in ``audit.json``; all of them are in ``audit_questions.csv``."""


def header(config: AuditConfig, *, partial: bool) -> dict[str, Any]:
    """What says which audit this is, and how it was made."""
    now = datetime.now(UTC)
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "index_audit",
        "audit_id": f"{now:%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}",
        "finished_at": now.isoformat(timespec="seconds"),
        "partial": partial,
        "language": config.language,
        "k": config.k,
        "k_values": list(config.cutoffs),
        "confidence_level": config.confidence_level,
        "matching": json_value(config.match_settings.model_dump()),
        "config": json_value(config.public_dict()),
        "versions": {"muffakir-eval": _version(), "python": platform.python_version()},
    }


def _version() -> str:
    """The installed version; ``unknown`` where the package lies on the path without being installed."""
    try:
        return version("muffakir-eval")
    except PackageNotFoundError:
        return "unknown"


def corpus_block(corpus: Corpus, watch: Watch) -> dict[str, Any]:
    """What was read of the index."""
    return {
        "name": corpus.name,
        "n_chunks": watch.n_chunks,
        "n_unreadable": corpus.n_problems,
        "n_with_id": watch.n_ids,
        "n_sources": len(watch.sources),
        "fingerprint": corpus.fingerprint,
    }


def dataset_block(samples: EvaluationDataset, fates: Sequence[QuestionFate]) -> dict[str, Any]:
    """What was read of the questions."""
    digest = hashlib.sha256()
    for key in sorted(map(content_key, samples)):
        digest.update(key.encode("ascii"))
    return {
        "source": shown_source(samples.source),
        "mapping": json_value(samples.mapping),
        "n_questions": len(samples),
        "n_with_gold": sum(bool(fate.golds) for fate in fates),
        "n_golds": sum(len(fate.golds) for fate in fates),
        "n_bad_rows": len(samples.problems),
        "fingerprint": digest.hexdigest()[:24],
    }


def reach_block(fates: Sequence[QuestionFate], reaches: Sequence[GoldReach], config: AuditConfig) -> dict[str, Any]:
    """Where the golds are, whoever retrieves: counts by presence, the share that some chunk holds, and the ceiling."""
    golds = [gold.reach for fate in fates for gold in fate.golds]
    counts = Counter("not_compared" if reach is None else reach.presence for reach in golds)
    n = len(golds) - counts["not_compared"]
    by = GroupBy(confidence=config.confidence_level, seed=config.seed)
    return {
        "n_golds": len(golds),
        "presence": {name: counts[name] for name in _PRESENCES},
        "reachable": {
            "n": counts["whole"],
            "of": n,
            "share": counts["whole"] / n if n else None,
            "interval": share_interval(counts["whole"], n, by),
        },
        "ceiling": [asdict(found) for found in ceiling_at(reaches, config.cutoffs)] if n else None,
    }


def retriever_block(retrieval: Retrieval, n_questions: int, n_chunks: int) -> dict[str, Any]:
    """What was asked, and what came back."""
    known = retrieval.known()
    figures = retrieval.figures
    return {
        "pipeline_id": retrieval.pipeline.pipeline_id,
        "settings": mask_settings(retrieval.pipeline.settings),
        "recorded": retrieval.recorded,
        "top_n": retrieval.top_n,
        "n_questions": n_questions,
        "n_asked": len(retrieval.questions),
        "n_failed": sum(found.state == "failed" for found in retrieval.questions.values()),
        "n_empty": sum(not found.n_chunks for found in known),
        "n_with_repeats": sum(bool(found.n_repeats) for found in known),
        "most_returned": retrieval.most_returned,
        "mean_returned": sum(found.n_chunks for found in known) / len(known) if known else None,
        "cap": cap(retrieval, n_chunks),
        "latency_ms": dict(figures.latencies()["pipeline"]),
        "error_examples": figures.error_examples(),
        "stopped": None if retrieval.stopped is None else retrieval.stopped.found,
    }


def fate_blocks(fates: Sequence[QuestionFate], retrieval: Retrieval | None, config: AuditConfig) -> dict[str, Any]:
    """The blocks over questions and golds; those that need a retriever are ``None`` without one."""
    by = GroupBy(confidence=config.confidence_level, seed=config.seed)
    asked = retrieval is not None
    return {
        "outcomes": outcome_block(fates, by),
        "lost": lost_recall(fates, asked=asked),
        "metrics": {} if retrieval is None else retrieval.figures.metric_block(),
        "ranks": None if retrieval is None else rank_block(fates, top_n=retrieval.top_n),
        "gain": None if retrieval is None else gain_along_k(fates, config.cutoffs, top_n=retrieval.top_n),
        "slices": slice_block(fates, _columns(fates, config)),
    }


def _columns(fates: Sequence[QuestionFate], config: AuditConfig) -> Sequence[str]:
    """What the questions are told apart by: the documents that they come from, unless the user says otherwise."""
    if config.slice_by is not None:
        return config.slice_by
    return ("source_file",) if any(fate.sample.source_file for fate in fates) else ()


def shown_questions(questions: Sequence[QuestionAudit]) -> list[dict[str, Any]]:
    """The first of each outcome that a person will want to look at, in the order of the outcomes."""
    shown: dict[str, list[dict[str, Any]]] = {outcome: [] for outcome in ORDER[1:] if outcome != "in_index"}
    for question in questions:
        rows = shown.get(question.outcome)
        if rows is not None and len(rows) < _SHOWN:
            rows.append(json_value(question.to_dict()))
    return [row for rows in shown.values() for row in rows]


def finding_block(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Every finding as plain values, with all its fields."""
    return [json_value(asdict(finding)) for finding in findings]
