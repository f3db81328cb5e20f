"""What a run will do, settled and checked before the first question is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from muffakir_eval.config import EvaluationConfig, metric_name
from muffakir_eval.errors import ConfigError, MetricError
from muffakir_eval.evaluation.code_identity import code_identity
from muffakir_eval.metrics import GENERATION_METRICS, Bind, Metric, left_out_defaults, resolve_metrics
from muffakir_eval.metrics.judged import CriteriaMetric
from muffakir_eval.records import Pipeline, Sample
from muffakir_eval.records.codec import content_key
from muffakir_eval.records.fingerprint import ContentSum
from muffakir_eval.redaction import mask_settings
from muffakir_eval.runner import Item

__all__ = [
    "GoldColumns",
    "choose_metrics",
    "cutoff_depth",
    "fingerprint",
    "identity",
    "inert_settings",
    "number_items",
    "refuse_judged_answers",
]

_GOLD_NEEDED = "gold evidence: a column 'context' or 'chunk_id' (or a column_mapping to one)"
_OF_THE_JUDGE = (
    "jury",
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
    "refusal_judge",
)
"""Settings that say something only where a metric is judged."""
_OF_LIVE_JUDGING = ("requests_per_minute", "tokens_per_minute")
_OF_BATCHES = (
    "batch_price_factor",
    "batch_max_requests",
    "batch_max_bytes",
    "batch_tries",
    "batch_poll_s",
    "batch_max_waiting",
    "batch_cancel_on_interrupt",
)
_HOW = {"live": "one question at a time", "batch": "in batches"}


def inert_settings(config: EvaluationConfig, *, judged: bool) -> list[str]:
    """A warning for settings that were given and change nothing."""
    warnings = []
    in_batches = config.judge_mode == "batch"
    idle = [] if judged else _given(config, _OF_THE_JUDGE) + (["judge_mode"] if in_batches else [])
    if idle:
        warnings.append(f"without effect, since no judged metric is measured: {', '.join(idle)}")
    idle = _given(config, _OF_LIVE_JUDGING if in_batches else _OF_BATCHES) if judged else []
    if idle:
        warnings.append(f"without effect, since the judge is asked {_HOW[config.judge_mode]}: {', '.join(idle)}")
    return warnings


def _given(config: EvaluationConfig, names: Iterable[str]) -> list[str]:
    return [name for name in names if name in config.model_fields_set and getattr(config, name) not in (None, False)]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldColumns:
    """What the dataset says about what is right, if only that there is nothing.

    A dataset without such a column was made for something else; one whose cells are empty has
    questions without gold on purpose.

    Attributes:
        evidence: It has gold passages or identifiers.
        answers: It has gold answers.
    """

    evidence: bool
    answers: bool

    @classmethod
    def of(cls, mapping: Mapping[str, Any], samples: Sequence[Sample]) -> GoldColumns:
        """By the columns that were read; samples that were made by hand have none."""
        return cls(
            evidence=not mapping
            or bool({"contexts", "chunk_ids"} & mapping.keys())
            or any(sample.contexts or sample.chunk_ids for sample in samples),
            answers=not mapping or "answers" in mapping or any(sample.answers for sample in samples),
        )


def choose_metrics(
    config: EvaluationConfig, pipeline: Pipeline, gold: GoldColumns, bind: Bind | None = None
) -> tuple[tuple[Metric, ...], list[str]]:
    """The metrics of the run, and notes on the default ones that were left out.

    Raises:
        MetricError: A metric that was asked for is unknown, or pipeline or dataset cannot feed it.
    """
    requested = config.metrics
    if requested is not None:
        metrics = resolve_metrics(
            requested, k=config.k, k_values=config.k_values, bind=bind, profile=config.match_settings.profile
        )
        for metric in metrics:
            _refuse_taken_name(metric)
            missing = _missing(metric, pipeline, gold)
            if missing:
                raise MetricError(
                    f"the metric {metric.requested_as!r} needs {missing}",
                    where="config, key 'metrics'",
                    remedy="supply it, or leave the metric out",
                )
        return metrics, []
    metrics = resolve_metrics(None, k=config.k, k_values=config.k_values, bind=bind)
    kept, left_out = [], dict[str, list[str]]()
    for metric in metrics:
        missing = _missing(metric, pipeline, gold)
        if missing:
            left_out.setdefault(f"needs {missing}", []).append(metric.name)
        else:
            kept.append(metric)
    if bind is None and pipeline.answers is not False:
        left_out["there is no judge: set llm_provider and llm_model"] = list(left_out_defaults())
    return tuple(kept), [f"left out: {', '.join(names)} ({reason})" for reason, names in left_out.items()]


def refuse_judged_answers(config: EvaluationConfig, pipeline: Pipeline) -> None:
    """Before a judge is even looked for.

    Raises:
        MetricError: A metric that judges answers was asked for, and the pipeline only retrieves.
    """
    asked = [metric_name(metric) for metric in config.metrics or () if _judges_answers(metric)]
    if asked and pipeline.answers is False:
        raise MetricError(
            f"{', '.join(asked)}: these metrics judge an answer, and the pipeline only retrieves",
            where="config, key 'metrics'",
            remedy="leave them out, or evaluate the full pipeline",
        )


def _judges_answers(metric: str | Callable[..., Any]) -> bool:
    if isinstance(metric, CriteriaMetric):
        return "answer" in metric.shows
    return isinstance(metric, str) and metric.strip().lower() in GENERATION_METRICS | {"answer_relevancy"}


def _refuse_taken_name(metric: Metric) -> None:
    if metric.name == "run_id":
        raise MetricError(
            "'run_id' is a column of samples.csv",
            where="config, key 'metrics'",
            remedy="rename the function, or set the attribute 'name' on it",
        )


def _missing(metric: Metric, pipeline: Pipeline, gold: GoldColumns) -> str | None:
    if "answer" in metric.needs and pipeline.answers is False:
        return "an answer, and the pipeline only retrieves"
    if "chunks" in metric.needs and pipeline.retrieves is False:
        return "retrieved chunks, and the pipeline or the recorded outputs have none"
    if "gold" in metric.needs and not gold.evidence:
        return _GOLD_NEEDED
    if "gold_answer" in metric.needs and not gold.answers:
        return "gold answers: a column 'answer' (or a column_mapping to one)"
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
    content = ContentSum()
    for item in items:
        content.add(item.key.partition("~")[0])  # equal samples count as often as they occur
    return str(content)


def identity(
    config: EvaluationConfig, pipeline: Pipeline, metrics: Sequence[Metric], items: Sequence[Item]
) -> dict[str, Any]:
    """Everything that must be equal for results to be mixed, but for the version and the judge."""
    return {
        "language": config.language,
        "k": config.k,
        "metrics": {metric.name: _metric_identity(metric) for metric in metrics},
        "matching": config.match_settings.model_dump(),
        "refusals": {
            "refusal_phrases": list(config.refusal_phrases or ()),
            "not_refusal_phrases": list(config.not_refusal_phrases or ()),
            "refusal_judge": config.refusal_judge,
        },
        "pipeline": {"pipeline_id": pipeline.pipeline_id, "settings": mask_settings(pipeline.settings)},
        "dataset": {"fingerprint": fingerprint(items), "n_samples": len(items)},
    }


def _metric_identity(metric: Metric) -> str:
    if metric.family != "custom":
        return metric.definition
    return f"{metric.definition} {code_identity(metric.function)}".strip()
