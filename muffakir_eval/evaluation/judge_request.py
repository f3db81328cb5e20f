"""What a comparison of judges was asked for, checked before the first judge is asked."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict

from muffakir_eval.comparison.judges.inputs import Answers, Settings
from muffakir_eval.comparison.judges.rows import TABLES
from muffakir_eval.config import EvaluationConfig, load_config
from muffakir_eval.datasets import EvaluationDataset
from muffakir_eval.datasets.configured import read_questions
from muffakir_eval.datasets.sampling import some_of
from muffakir_eval.datasets.sources import shown_source
from muffakir_eval.errors import ConfigError, DatasetError
from muffakir_eval.evaluation.grouping import grouping
from muffakir_eval.evaluation.judge_answers import answer_keys, answers_of, people_of
from muffakir_eval.evaluation.judge_metrics import human_columns, metrics_of, scales_of, thresholds_of
from muffakir_eval.evaluation.judge_runs import Task, settle_tasks
from muffakir_eval.evaluation.judge_sources import Source, common_settings, folder_name, sources
from muffakir_eval.evaluation.planning import fingerprint, number_items
from muffakir_eval.report import EvaluationReport

__all__ = ["Options", "Request", "checked_request"]


class Options(TypedDict, total=False):
    """The options of :func:`compare_judges`."""

    metrics: Sequence[Any] | str | None
    human_column: str | Mapping[str, str] | None
    human_labels: Mapping[Any, float | None] | None
    human_scale: tuple[float, float] | None
    threshold: float | Mapping[str, float] | None
    slice_by: Sequence[str] | str | None
    cluster_column: str | None
    config: Mapping[str, Any] | str | Path | EvaluationConfig | None
    output_dir: str | Path | None
    n_resamples: int
    n_disagreements: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A comparison that can begin.

    Attributes:
        config: The settings that all judges share.
        tasks: The judges.
        answers: What they look at, with what people said, and no judge yet.
        keys: Of the answers.
        settings: How to compare.
        folder: Where everything goes, ``None`` where nothing is kept.
    """

    config: EvaluationConfig
    tasks: Sequence[Task]
    answers: Answers
    keys: Sequence[str]
    settings: Settings
    folder: Path | None


def checked_request(dataset: Any, judges: Any, options: Options) -> Request:
    """Read the answers and the labels of people, and settle every judge; nobody is asked yet.

    Raises:
        TypeError: An option is unknown.
        ConfigError: A setting does not fit.
        DatasetError: The dataset cannot be read, or a human label is not known.
        StorageError: A folder cannot be read or written.
    """
    unknown = options.keys() - Options.__annotations__.keys()
    if unknown:
        raise TypeError(f"acompare_judges() got an unexpected keyword argument {min(unknown)!r}")
    found, config = sources(judges), _config(options)
    samples = _answers(dataset, found, config)
    columns = grouping(config, samples, samples.mapping)
    keys = answer_keys((sample, sample.recorded) for sample in samples)
    metrics = metrics_of(options.get("metrics"), found, samples)
    config = config.model_copy(update={"metrics": metrics, "max_samples": None, "sample_seed": None})
    output_dir = options.get("output_dir")
    folder = None if output_dir is None else Path(output_dir).expanduser()
    tasks = settle_tasks(found, samples, keys, config, _folders(found, folder, samples.source))
    scales = scales_of(config, tasks, keys)
    # Labels are read before the first judge is asked: a mistake in them must cost nothing.
    named = human_columns(options.get("human_column"), list(scales))
    people, notes = people_of(samples, named, scales, options.get("human_labels"), options.get("human_scale"))
    return Request(
        config=config,
        tasks=tasks,
        answers=Answers(
            answers=answers_of(samples, columns),
            judges=(),
            scales=scales,
            people=people,
            source=shown_source(samples.source),
            fingerprint=fingerprint(number_items(samples)),
            clustered=columns.cluster_column,
            notes=tuple(notes),
        ),
        keys=keys,
        settings=Settings(
            confidence=config.confidence_level,
            n_resamples=options.get("n_resamples", 2_000),
            seed=config.seed,
            thresholds=thresholds_of(options.get("threshold"), scales),
            slice_by=columns.slice_by,
            n_disagreements=options.get("n_disagreements", 20),
        ),
        folder=folder,
    )


def _config(options: Options) -> EvaluationConfig:
    """The common settings, with the columns that were named here laid over them."""
    config = common_settings(load_config(options.get("config")))
    update: dict[str, Any] = {}
    slice_by, cluster = options.get("slice_by"), options.get("cluster_column")
    if slice_by is not None:
        update["slice_by"] = (slice_by,) if isinstance(slice_by, str) else tuple(slice_by)
    if cluster is not None:
        update["cluster_column"] = cluster
    for name, least in (("n_resamples", 100), ("n_disagreements", 0)):
        value = options.get(name, least)
        if type(value) is not int or value < least:
            raise ConfigError(f"{name} is {value!r}", expected=f"a whole number of at least {least}")
    return config.model_copy(update=update)


def _answers(dataset: Any, found: Sequence[Source], config: EvaluationConfig) -> EvaluationDataset:
    """The questions with their recorded outputs."""
    if dataset is None:
        reports = [source.report for source in found]
        first = reports[0]
        if first is None or None in reports:
            raise ConfigError(
                "no dataset was given, and not every judge is a finished run",
                remedy="pass dataset=: a file with recorded outputs, or the folder of an earlier run",
            )
        dataset = first
    if isinstance(dataset, EvaluationReport):  # as load_evaluation_dataset does with the folder of a run
        where = dataset.folder.as_posix() if dataset.folder is not None else f"run {dataset.run_id}"
        kept = [replace(result.sample, recorded=result.output) for result in dataset.samples]
        if not kept:
            raise DatasetError("the run holds no finished question", where=where)
        return EvaluationDataset(some_of(kept, config.max_samples, config.sample_seed), source=where)
    samples = read_questions(dataset, config)
    if not any(sample.recorded is not None for sample in samples):
        raise ConfigError(
            f"none of the {len(samples)} samples carries an output",
            where=samples.source,
            expected="recorded answers: a column predicted_answer or response, or the folder of an earlier run",
            remedy="run the system once with muffakir-eval run, and give the folder of that run",
        )
    return samples


def _folders(found: Sequence[Source], folder: Path | None, source: str) -> dict[str, Path] | None:
    """Label to the folder of its run.

    Raises:
        ConfigError: One would replace the run that the answers are read from.
    """
    if folder is None:
        return None
    taken: set[str] = set()
    folders = {each.spec.label: folder / folder_name(each.spec.label, taken) for each in found}
    reserved = {"judges.json", *(f"{table}.csv" for table in TABLES)}
    for label, place in folders.items():
        if place.name in reserved:
            raise ConfigError(
                f"a judge is called {label!r}, as a file of the comparison",
                where="judges",
                remedy="choose another label",
            )
        if os.path.realpath(place) == os.path.realpath(source):
            raise ConfigError(
                f"the run of {label} would replace the answers that it judges, in {place}",
                where="output_dir",
                remedy="choose another output_dir",
            )
    return folders
