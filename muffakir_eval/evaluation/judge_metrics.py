"""The metrics of a comparison of judges: which, on which scales, and what was said about each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from muffakir_eval.comparison.judges.scale import Scale, seen_scale
from muffakir_eval.config import EvaluationConfig, metric_name
from muffakir_eval.datasets import EvaluationDataset
from muffakir_eval.errors import ConfigError, MetricError
from muffakir_eval.evaluation.judge_runs import Finished, Task, judged_by
from muffakir_eval.evaluation.judge_sources import Source
from muffakir_eval.metrics import needs_judge
from muffakir_eval.metrics.judged import JUDGED_KINDS, CriteriaMetric
from muffakir_eval.metrics.names import JUDGED_METRICS
from muffakir_eval.refusals.outcomes import is_blank

__all__ = ["human_columns", "metrics_of", "scales_of", "thresholds_of"]

_DEFAULT = ("faithfulness", "answer_correctness", "llm_judge_rating")


def metrics_of(asked: Any, found: Sequence[Source], samples: EvaluationDataset) -> tuple[Any, ...] | None:
    """The judged metrics; ``None`` leaves it to the runs where all of them are finished.

    Raises:
        MetricError: A judge is to be asked for what needs none, or nothing can be judged.
    """
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


def scales_of(config: EvaluationConfig, tasks: Sequence[Task], keys: Sequence[str]) -> dict[str, Scale]:
    """The metrics that are compared, each with its scale.

    Raises:
        ConfigError: A finished run holds none of the answers.
        MetricError: A metric was judged in none of the runs.
    """
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


def human_columns(asked: Any, names: Sequence[str]) -> dict[str, str]:
    """Metric to the column of its human labels.

    Raises:
        ConfigError: What was asked for is no column, or of a metric that is not compared.
    """
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


def thresholds_of(asked: Any, scales: Mapping[str, Scale]) -> dict[str, float]:
    """Metric to its threshold; a single number is meant for the metrics without labels.

    Raises:
        ConfigError: It is off the scale, or of a metric that is not compared.
    """
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
