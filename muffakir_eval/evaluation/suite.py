"""``MuffakirEvaluation``: settings in, reports out."""

from __future__ import annotations

import contextlib
import functools
import os
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from muffakir_eval.config import EvaluationConfig, load_config
from muffakir_eval.datasets.configured import read_questions
from muffakir_eval.datasets.sources import shown_source
from muffakir_eval.door import run_sync
from muffakir_eval.errors import ConfigError, DatasetFormatError, MetricError
from muffakir_eval.evaluation.grouping import grouping
from muffakir_eval.evaluation.judge_making import judging_for, with_jury
from muffakir_eval.evaluation.judging import Judging
from muffakir_eval.evaluation.planning import (
    GoldColumns,
    choose_metrics,
    cutoff_depth,
    inert_settings,
    number_items,
    refuse_judged_answers,
)
from muffakir_eval.evaluation.secrets import known_secrets
from muffakir_eval.evaluation.session import run_settled
from muffakir_eval.evaluation.settled import Settled
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.metrics import ALL_METRICS
from muffakir_eval.pipelines import as_pipeline
from muffakir_eval.records import Pipeline
from muffakir_eval.records.codec import json_value
from muffakir_eval.redaction import redact
from muffakir_eval.refusals import lexicon_with
from muffakir_eval.report import EvaluationReport
from muffakir_eval.runner import RunPlan
from muffakir_eval.storage import RECORDS
from muffakir_eval.writers.progress import note

__all__ = ["MuffakirEvaluation", "prepare"]

_SHOWN_PROBLEMS = 20


class MuffakirEvaluation:
    """Evaluate a RAG system, a retriever, or recorded outputs on a question set.

    Args:
        config: Settings as a dict, as the path of a TOML, YAML or JSON file, or checked already.
        prompt_manager: Accepted for users who come from Muffakir; prompts are set by ``prompt_overrides``.

    Raises:
        ConfigError: A setting is unknown or malformed.

    >>> def rag(question, k):
    ...     return "الرياض", ["عاصمة المملكة العربية السعودية هي الرياض."]
    >>> questions = [{"question": "ما عاصمة السعودية؟", "answer": "الرياض",
    ...               "context": "عاصمة المملكة العربية السعودية هي الرياض."}]
    >>> report = MuffakirEvaluation({"metrics": ["recall", "mrr"], "k": 1, "progress": False}).evaluate(rag, questions)
    >>> report.summary()
    {'recall_at_k': 1.0, 'mrr': 1.0}
    """

    ALL_METRICS: ClassVar[list[str]] = list(ALL_METRICS)

    def __init__(
        self,
        config: Mapping[str, Any] | str | Path | EvaluationConfig | None = None,
        prompt_manager: Any = None,
    ) -> None:
        self.config = load_config(config)
        self.prompt_manager = prompt_manager

    def get_config(self) -> dict[str, Any]:
        """All settings with their defaults, secrets masked."""
        return self.config.public_dict()

    def evaluate(
        self, rag: Any = None, dataset: Any = None, save: bool = False, output_dir: str | Path | None = None
    ) -> EvaluationReport:
        """Run the evaluation; works in a script, in a notebook and inside a running event loop.

        With ``dry_run`` in the configuration everything is read and checked, no question is asked and
        nothing is written; the report covers no sample and says what a run would do.

        Args:
            rag: What is under test (see the user guide for everything that is accepted); ``None`` takes
                the outputs that the dataset carries.
            dataset: A file, the folder of an earlier run, a frame, or the questions themselves.
            save: Keep the run in ``output_dir``.
            output_dir: Replaces the one of the configuration.

        Raises:
            ConfigError: The settings do not fit the pipeline or the dataset.
            DatasetError: The dataset cannot be read.
            PipelineDownError: Too many questions in a row failed; what was done is kept.
            StorageError: The run folder cannot be written, or holds a run that must not be mixed with this one.
        """
        settled = prepare(self.config, rag, dataset, save=save, output_dir=output_dir)
        return run_sync(lambda: run_settled(settled))

    async def aevaluate(
        self, rag: Any = None, dataset: Any = None, save: bool = False, output_dir: str | Path | None = None
    ) -> EvaluationReport:
        """:meth:`evaluate` for use inside a coroutine."""
        return await run_settled(prepare(self.config, rag, dataset, save=save, output_dir=output_dir))

    def __repr__(self) -> str:
        return f"MuffakirEvaluation({self.config!r})"


def prepare(
    config: EvaluationConfig,
    rag: Any,
    dataset: Any,
    *,
    save: bool,
    output_dir: str | Path | None = None,
    llm_provider: Any = None,
) -> Settled:
    """Read the dataset, look at the pipeline, and settle everything else; asks no question yet."""
    if dataset is None:
        raise ConfigError("no dataset was given", remedy="pass dataset=: a file, a frame, or a list of questions")
    samples = read_questions(dataset, config)
    if not samples:
        raise DatasetFormatError("there is no question in it", where=samples.source, remedy="check the file")
    config = config.preferring(samples.match_by)
    group_by = grouping(config, samples, samples.mapping)
    pipeline = as_pipeline(rag, pipeline_mode=config.pipeline_mode, pipeline_id=config.pipeline_id, samples=samples)
    refuse_judged_answers(config, pipeline)
    config = with_jury(config, rag, llm_provider)
    secrets = known_secrets(config, rag)
    judging = judging_for(config, rag, pipeline, secrets, llm_provider)
    gold = GoldColumns.of(samples.mapping, samples)
    metrics, left_out = choose_metrics(config, pipeline, gold, None if judging is None else judging.bind)
    asks_refusals = config.refusal_judge and pipeline.answers is not False
    if not asks_refusals and not any("judge" in metric.needs for metric in metrics):
        judging = None
    if not metrics and (config.metrics is not None or pipeline.answers is False):
        raise MetricError(
            "no metric can be computed: " + "; ".join(left_out),
            remedy="add gold evidence to the dataset, or name metrics that this pipeline can feed",
        )
    folder = _folder(config, output_dir, save=save)
    _refuse_own_input(dataset, folder)
    plan = RunPlan(
        pipeline=pipeline,
        metrics=metrics,
        matcher=ChunkMatcher(config.match_settings),
        k=config.k,
        depth=cutoff_depth(config, pipeline, metrics),
        workers=_workers(config, pipeline),
        judge_must_answer=config.fail_on_judge_error,
        ask_refusal=judging.refusal_opinion if judging is not None and asks_refusals else None,
        lexicon=lexicon_with(config.refusal_phrases or (), config.not_refusal_phrases or ()),
        scored_at_once=_scored_at_once(config, judging),
        asking=contextlib.nullcontext if judging is None else judging.asking,
        sample_timeout_s=config.sample_timeout_s,
        max_errors_in_a_row=None if rag is None else config.max_pipeline_errors,  # a recording is never down
        timed=rag is not None,
        redact=functools.partial(redact, secrets=secrets),
    )
    warnings = [*samples.warnings, *_bad_rows(samples.problems), *left_out]
    warnings += inert_settings(config, judged=judging is not None)
    warnings += [] if judging is None else judging.warnings()
    warnings += [] if save else _unsaved(config, output_dir)
    for line in (samples.describe(), *warnings):
        note(line, enabled=config.progress)
    return Settled(
        config=config,
        plan=plan,
        judging=judging,
        items=number_items(samples),
        dataset={
            "source": shown_source(samples.source),
            "mapping": json_value(samples.mapping),
            "n_bad_rows": len(samples.problems),
        },
        folder=folder,
        keep=save,
        group_by=group_by,
        warnings=warnings,
    )


def _unsaved(config: EvaluationConfig, output_dir: str | Path | None) -> Iterator[str]:
    """What was said about files, though none are written."""
    if output_dir is not None:
        yield f"nothing is kept in {output_dir}: output_dir was given without save=True"
    if config.report_formats:
        yield "without effect, since nothing is saved: report_formats"


def _bad_rows(problems: Sequence[Exception]) -> list[str]:
    """One line per row that was set aside, up to a readable number of them."""
    lines = [f"left out, bad row: {problem}" for problem in problems[:_SHOWN_PROBLEMS]]
    more = len(problems) - len(lines)
    return [*lines, f"left out, {more} more bad rows: `muffakir-eval validate` lists them"] if more else lines


def _scored_at_once(config: EvaluationConfig, judging: Judging | None) -> int:
    if judging is None:
        return 0
    return config.batch_max_waiting if config.judge_mode == "batch" else 2 * config.max_concurrency


def _workers(config: EvaluationConfig, pipeline: Pipeline) -> int:
    if config.pipeline_workers is not None:
        return config.pipeline_workers
    return config.max_concurrency if pipeline.execution == "async" else 1


def _folder(config: EvaluationConfig, output_dir: str | Path | None, *, save: bool) -> Path:
    if save:
        return _expanded(config.output_dir if output_dir is None else output_dir)
    return _cache(config) / "runs" / uuid.uuid4().hex


def _refuse_own_input(dataset: Any, folder: Path) -> None:
    """A run must not replace the run that it reads."""
    if not isinstance(dataset, (str, os.PathLike)):
        return
    source, target = Path(os.path.realpath(dataset)), Path(os.path.realpath(folder))
    if target in {source, source.parent} and (target / RECORDS).exists():
        raise ConfigError(
            f"the run would replace its own input in {folder}",
            where="output_dir",
            remedy="choose another output_dir",
        )


def _expanded(folder: str | Path) -> Path:
    return Path(os.path.expanduser(folder))  # noqa: PTH111 - Path.expanduser raises where there is no home


def _cache(config: EvaluationConfig) -> Path:
    """The cache folder that was asked for; else the user's own, or the system's where there is none."""
    if config.cache_dir not in (None, "auto"):
        return _expanded(str(config.cache_dir))
    from platformdirs import user_cache_path

    cache = user_cache_path("muffakir-eval", appauthor=False)
    nearest = next((folder for folder in (cache, *cache.parents) if folder.exists()), cache)
    return cache if os.access(nearest, os.W_OK | os.X_OK) else Path(tempfile.gettempdir()) / "muffakir-eval"
