"""What a comparison of judges was asked for, checked before the first judge is asked."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict

from muffakir_eval.comparison.judges.inputs import Answers, Settings
from muffakir_eval.comparison.judges.rows import TABLES
from muffakir_eval.comparison.judges.scale import Scale, seen_scale
from muffakir_eval.config import EvaluationConfig, load_config, metric_name
from muffakir_eval.datasets import EvaluationDataset
from muffakir_eval.datasets.configured import read_questions
from muffakir_eval.datasets.sources import shown_source
from muffakir_eval.errors import ConfigError, DatasetError, MetricError
from muffakir_eval.evaluation.grouping import grouping
from muffakir_eval.evaluation.judge_answers import answer_keys, answers_of, people_of
from muffakir_eval.evaluation.judge_runs import Finished, Task, judged_by, settle_tasks
from muffakir_eval.evaluation.judge_sources import Source, common_settings, folder_name, sources
from muffakir_eval.evaluation.planning import fingerprint, number_items
from muffakir_eval.metrics import needs_judge
from muffakir_eval.metrics.judged import JUDGED_KINDS, CriteriaMetric
from muffakir_eval.metrics.names import JUDGED_METRICS
from muffakir_eval.records import Sample
from muffakir_eval.refusals.outcomes import is_blank
from muffakir_eval.report import EvaluationReport

__all__ = ["Options", "Request", "checked_request"]

_DEFAULT = ("faithfulness", "answer_correctness", "llm_judge_rating")


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
    metrics = _metrics(options.get("metrics"), found, samples)
    config = config.model_copy(update={"metrics": metrics, "max_samples": None, "sample_seed": None})
    output_dir = options.get("output_dir")
    folder = None if output_dir is None else Path(output_dir).expanduser()
    tasks = settle_tasks(found, samples, keys, config, _folders(found, folder, samples.source))
    scales = _scales(config, tasks, keys)
    # Labels are read before the first judge is asked: a mistake in them must cost nothing.
    named = _human_columns(options.get("human_column"), list(scales))
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
            thresholds=_thresholds(options.get("threshold"), scales),
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
        return EvaluationDataset(_first(kept, config), source=where)
    samples = read_questions(dataset, config)
    if not any(sample.recorded is not None for sample in samples):
        raise ConfigError(
            f"none of the {len(samples)} samples carries an output",
            where=samples.source,
            expected="recorded answers: a column predicted_answer or response, or the folder of an earlier run",
            remedy="run the system once with muffakir-eval run, and give the folder of that run",
        )
    return samples


def _first(samples: Sequence[Sample], config: EvaluationConfig) -> Sequence[Sample]:
    """No more than ``max_samples``: the first ones, or with ``sample_seed`` any."""
    if config.max_samples is None or config.max_samples >= len(samples):
        return samples
    if config.sample_seed is None:
        return samples[: config.max_samples]
    places = random.Random(config.sample_seed).sample(range(len(samples)), config.max_samples)  # noqa: S311 - no secret
    return [samples[place] for place in sorted(places)]


def _metrics(asked: Any, found: Sequence[Source], samples: EvaluationDataset) -> tuple[Any, ...] | None:
    """The judged metrics; ``None`` leaves it to the runs where all of them are finished."""
    if isinstance(asked, str):
        asked = [name for name in asked.split(",") if name.strip()]
    requests = tuple(asked if isinstance(asked, Sequence) else () if asked is None else (asked,))
    requests = tuple(request.strip().lower() if isinstance(request, str) else request for request in requests)
    running = any(source.report is None for source in found)
    strange = [metric_name(request) for request in requests if not needs_judge(request)]
    if strange and running:
        raise MetricError(
            f"{', '.join(strange)}: no judge is asked for this",
            where="metrics",
            expected=f"some of {', '.join(sorted(JUDGED_METRICS))}, or judge_metric(…)",
        )
    return requests or (_possible(samples) if running else None)


def _possible(samples: EvaluationDataset) -> tuple[str, ...]:
    """The usual metrics, as far as the dataset allows."""
    outputs = [sample.recorded for sample in samples if sample.recorded is not None]
    chunks = any(not is_blank(chunk.text) for output in outputs for chunk in output.chunks or ())
    gold = any(not is_blank(answer) for sample in samples for answer in sample.answers)
    possible = tuple(name for name in _DEFAULT if (chunks if name == "faithfulness" else gold))
    if not possible:
        raise MetricError(
            "no judged metric can be computed",
            where=samples.source,
            expected="gold answers, or the passages that were retrieved",
            remedy="name a metric that needs neither: judge_metric(…), or answer_relevancy",
        )
    return possible


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


def _scales(config: EvaluationConfig, tasks: Sequence[Task], keys: Sequence[str]) -> dict[str, Scale]:
    """The metrics that are compared, each with its scale."""
    requests = {metric_name(request): request for request in config.metrics or ()}
    ratings = {task.label: judged_by(task.label, task.report, keys) for task in tasks if isinstance(task, Finished)}
    seen: dict[str, list[float]] = {}
    judged: dict[str, None] = {}
    for one in ratings.values():
        if not one.ratings:
            raise ConfigError(
                f"the run of {one.label} holds none of the answers that are compared",
                expected="a run over the same questions, gold and recorded outputs",
            )
        for name, column in one.ratings.items():
            values = [rating.value for rating in column if rating is not None and rating.value is not None]
            seen.setdefault(name, []).extend(values)
            if any(rating is not None and (rating.calls or rating.cached or rating.decided) for rating in column):
                judged[name] = None
    names = list(requests) or [name for name in judged if name in JUDGED_KINDS] + [
        name for name in judged if name not in JUDGED_KINDS
    ]
    if not names:
        raise MetricError("nothing was judged in these runs", remedy="name the metrics that are to be compared")
    for name in names:
        if name not in seen and len(ratings) == len(tasks):
            known = ", ".join(sorted(seen))
            raise MetricError(f"none of the runs measured {name!r}", expected=f"one of {known}")
    return {name: _scale(requests.get(name, name), seen.get(name, ()), config) for name in names}


def _scale(request: Any, values: Sequence[float], config: EvaluationConfig) -> Scale:
    if isinstance(request, CriteriaMetric):
        return Scale(low=request.scale[0], high=request.scale[1], whole=request.whole)
    kind = JUDGED_KINDS.get(str(request))
    if kind is None:
        return seen_scale(values or [0.0])
    claims = request == "faithfulness" and (
        config.faithfulness_mode == "claims" or any(value not in (0.0, 1.0) for value in values)
    )
    return Scale(low=kind.low, high=kind.high, whole=kind.whole and not claims)


def _human_columns(asked: Any, names: Sequence[str]) -> dict[str, str]:
    if asked is None:
        return {}
    if isinstance(asked, str):
        return dict.fromkeys(names, asked)
    if not isinstance(asked, Mapping) or not all(isinstance(part, str) for pair in asked.items() for part in pair):
        raise ConfigError(
            f"human_column is {asked!r}",
            expected="the name of one column, or metric to column: {'faithfulness': 'grounded'}",
            remedy="of several people's columns make one first, of their medians or of what they agreed on",
        )
    asked = {name.strip().lower() if name not in names else name: column for name, column in asked.items()}
    strange = [name for name in asked if name not in names]
    if strange:
        raise ConfigError(
            f"human_column names {strange[0]!r}, which is not compared", expected=f"some of {', '.join(names)}"
        )
    return {name: asked[name] for name in names if name in asked}


def _thresholds(asked: Any, scales: Mapping[str, Scale]) -> dict[str, float]:
    """Metric to its threshold; a single number is meant for the metrics without labels."""
    if asked is None:
        return {}
    if not isinstance(asked, Mapping):
        without = [name for name, scale in scales.items() if scale.labels is None]
        if not without:
            raise ConfigError(
                f"threshold is {asked!r}, and every metric has labels of its own",
                remedy=f"say for which one it is meant: threshold={{{next(iter(scales))!r}: {asked!r}}}",
            )
        asked = dict.fromkeys(without, asked)
    for name, value in asked.items():
        if name not in scales:
            raise ConfigError(
                f"threshold names {name!r}, which is not compared", expected=f"some of {', '.join(scales)}"
            )
        ends = scales[name].low, scales[name].high
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not ends[0] < value <= ends[1]:  # from the lowest value on, everything would be good
            raise ConfigError(
                f"the threshold of {name} is {value!r}",
                expected=f"a value above {ends[0]:g}, at most {ends[1]:g}",
            )
    return {name: float(value) for name, value in asked.items()}
