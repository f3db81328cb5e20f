"""What a run has to do."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.metrics import Metric
from muffakir_eval.records import Pipeline, Sample
from muffakir_eval.redaction import redact
from muffakir_eval.refusals import Lexicon
from muffakir_eval.runner.opinion import AskOpinion

__all__ = ["Item", "RunPlan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question of a run.

    Attributes:
        key: Identifies it by content.
        position: Its place in the dataset, from 0.
        sample: The question.
    """

    key: str
    position: int
    sample: Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """What to do with every question.

    Attributes:
        pipeline: What is under test.
        metrics: In the order of the report.
        matcher: Compares chunks with the gold evidence.
        k: Main cutoff.
        depth: Largest cutoff; a pipeline that allows it is called with this one.
        workers: Questions at once in the pipeline.
        scored_at_once: Questions that wait for their scores while the pipeline goes on; 0 where every
            score is computed here and now.
        sample_timeout_s: Wall-clock seconds for one call of the pipeline, and for one of a user's metric; the
            judge keeps to it by itself, since its waiting for a free place does not count.
        max_errors_in_a_row: So many failing questions in a row stop the run; ``None`` never does.
        timed: Use our own clock where the pipeline tells no latency; what was recorded is not timed.
        judge_must_answer: A judged score that failed stops the run.
        lexicon: The phrases of refusals; ``None`` takes those of the package.
        ask_refusal: A judge's word on whether an answer refuses, where the phrases are unsure; ``None`` leaves it
            to the phrases.
        redact: Takes the secrets out of an error text.
        asking: Entered while the pipeline is asked: a judge that gathers its requests waits for those to come.
    """

    pipeline: Pipeline
    metrics: tuple[Metric, ...]
    matcher: ChunkMatcher
    k: int
    depth: int
    workers: int = 1
    scored_at_once: int = 0
    sample_timeout_s: float | None = None
    max_errors_in_a_row: int | None = 20
    timed: bool = True
    judge_must_answer: bool = False
    lexicon: Lexicon | None = None
    ask_refusal: AskOpinion | None = None
    redact: Callable[[str], str] = redact
    asking: Callable[[], AbstractContextManager[Any]] = nullcontext
