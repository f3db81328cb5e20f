"""What a run will do, settled and checked before the first question is asked."""

from __future__ import annotations

import hashlib
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.errors import ConfigError, MetricError
from muffakir_eval.metrics import GENERATION_METRICS, Metric, left_out_defaults, resolve_metrics
from muffakir_eval.records import Pipeline, Sample
from muffakir_eval.records.codec import content_key, json_value
from muffakir_eval.runner import Item

__all__ = ["choose_metrics", "cutoff_depth", "fingerprint", "identity", "inert_settings", "number_items"]

_GOLD_NEEDED = "gold evidence: a column 'context' or 'chunk_id' (or a column_mapping to one)"
_INERT = (
    "slice_by",
    "cluster_column",
    "llm_provider",
    "llm_model",
    "base_url",
    "llm_base_url",
    "llm_parameters",
    "judge_llm_parameters",
    "prompt_overrides",
    "budget_usd",
    "requests_per_minute",
    "tokens_per_minute",
)
"""Settings that belong to judged metrics and statistics, which this version does not have."""


def inert_settings(config: EvaluationConfig) -> list[str]:
    """A warning for settings that were given and change nothing in this version."""
    given = [name for name in _INERT if name in config.model_fields_set and getattr(config, name) is not None]
    if not given:
        return []
    return [f"without effect in this version, which has no judged metrics and no slices: {', '.join(given)}"]


def choose_metrics(
    config: EvaluationConfig, pipeline: Pipeline, *, has_gold_columns: bool
) -> tuple[tuple[Metric, ...], list[str]]:
    """The metrics of the run, and notes on the default ones that were left out.

    Raises:
        MetricError: A metric that was asked for is unknown, or pipeline or dataset cannot feed it.
    """
    requested = config.metrics
    if requested is not None:
        _refuse_generation(requested, pipeline)
        metrics = resolve_metrics(requested, k=config.k, k_values=config.k_values)
        for metric in metrics:
            missing = _missing(metric, pipeline, has_gold_columns=has_gold_columns)
            if missing:
                raise MetricError(
                    f"the metric {metric.requested_as!r} needs {missing}",
                    where="config, key 'metrics'",
                    remedy="supply it, or leave the metric out",
                )
        return metrics, []
    metrics = resolve_metrics(None, k=config.k, k_values=config.k_values)
    kept, left_out = [], dict[str, list[str]]()
    for metric in metrics:
        missing = _missing(metric, pipeline, has_gold_columns=has_gold_columns)
        if missing:
            left_out.setdefault(f"needs {missing}", []).append(metric.name)
        else:
            kept.append(metric)
    unavailable = left_out_defaults()
    if unavailable:
        left_out["no judge in this version"] = list(unavailable)
    return tuple(kept), [f"left out: {', '.join(names)} ({reason})" for reason, names in left_out.items()]


def _refuse_generation(requested: Iterable[str | Callable[..., Any]], pipeline: Pipeline) -> None:
    asked = [name for name in requested if isinstance(name, str) and name.strip().lower() in GENERATION_METRICS]
    if asked and pipeline.answers is False:
        raise MetricError(
            f"{', '.join(asked)}: these metrics judge an answer, and the pipeline only retrieves",
            where="config, key 'metrics'",
            remedy="leave them out, or evaluate the full pipeline",
        )


def _missing(metric: Metric, pipeline: Pipeline, *, has_gold_columns: bool) -> str | None:
    if "answer" in metric.needs and pipeline.answers is False:
        return "an answer, and the pipeline only retrieves"
    if "chunks" in metric.needs and pipeline.retrieves is False:
        return "retrieved chunks, and the pipeline or the recorded outputs have none"
    if "gold" in metric.needs and not has_gold_columns:
        return _GOLD_NEEDED
    return None


def cutoff_depth(config: EvaluationConfig, pipeline: Pipeline, metrics: Sequence[Metric]) -> int:
    """The largest cutoff of the run.

    Raises:
        ConfigError: It is above ``k``, and the pipeline answers from the chunks that it retrieves.
    """
    depth = max([config.k, *(metric.k for metric in metrics if metric.k is not None)])
    if depth > config.k and not pipeline.any_k:
        raise ConfigError(
            f"the cutoff {depth} is above k={config.k}, and this pipeline must be asked with k: "
            "more chunks would change its answers",
            where="config, key 'k_values'",
            remedy="raise k, or evaluate a retrieval-only pipeline or recorded outputs",
        )
    return depth


def number_items(samples: Sequence[Sample]) -> list[Item]:
    """Samples with their place and their key; equal ones are told apart by their occurrence."""
    seen: Counter[str] = Counter()
    items = []
    for position, sample in enumerate(samples):
        key = content_key(sample)
        seen[key] += 1
        items.append(Item(key=key if seen[key] == 1 else f"{key}~{seen[key]}", position=position, sample=sample))
    return items


def fingerprint(items: Iterable[Item]) -> str:
    """A hash of the content of a dataset, whatever the order of its rows."""
    digest = hashlib.sha256()
    for key in sorted(item.key for item in items):
        digest.update(key.encode("ascii"))
    return digest.hexdigest()[:24]


def identity(
    config: EvaluationConfig, pipeline: Pipeline, metrics: Sequence[Metric], items: Sequence[Item], version: str
) -> dict[str, Any]:
    """Everything that must be equal for results to be mixed."""
    return {
        "version": version,
        "language": config.language,
        "k": config.k,
        "metrics": {metric.name: _metric_identity(metric) for metric in metrics},
        "matching": config.match_settings.model_dump(),
        "pipeline": {"pipeline_id": pipeline.pipeline_id, "settings": json_value(pipeline.settings)},
        "dataset": {"fingerprint": fingerprint(items), "n_samples": len(items)},
    }


def _metric_identity(metric: Metric) -> str:
    if metric.family != "custom":
        return metric.definition
    return f"{metric.definition} {_source_hash(metric.function)}".strip()


def _source_hash(function: Any) -> str:
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        source = getattr(function, "__qualname__", type(function).__qualname__)
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def has_gold_columns(mapping: Mapping[str, Any], samples: Sequence[Sample]) -> bool:
    """Whether the dataset says anything about gold evidence, if only that there is none.

    A dataset without such a column was made for something else; one whose cells are empty has
    questions without gold on purpose.
    """
    if any(sample.contexts or sample.chunk_ids for sample in samples):
        return True
    return not mapping or bool({"contexts", "chunk_ids"} & mapping.keys())
