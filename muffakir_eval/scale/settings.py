"""What scoring a part of a data set needs to know: small, frozen, and safe to send to another machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from muffakir_eval.config import EvaluationConfig, MatchSettings, load_config, metric_name
from muffakir_eval.datasets.columns.mapping import MappingOptions
from muffakir_eval.errors import MetricError
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.metrics import Metric, needs_judge, resolve_metrics
from muffakir_eval.metrics.scoring import TrialMaker, score_at_once
from muffakir_eval.records import PipelineOutput, Sample, SampleResult
from muffakir_eval.refusals import lexicon_with

__all__ = ["Marker", "ScoreSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSettings:
    """How samples are scored, without any secret.

    Attributes:
        metrics: Names; ``None`` takes the default ones that need no judge.
        k: Main cutoff.
        k_values: Further cutoffs.
        matching: How chunks are compared with the gold.
        refusal_phrases: Further words with which an answer declines.
        not_refusal_phrases: Words that are no refusal.
        column_mapping: Field to column.
        id_columns: Columns that together make ``sample_id``.
        fail_fast: Raise on the first bad row.

    >>> settings = ScoreSettings.of({"metrics": ["recall", "mrr"], "k": 3})
    >>> [metric.name for metric in settings.resolved()]
    ['recall_at_k', 'mrr']
    """

    metrics: tuple[str, ...] | None = None
    k: int = 5
    k_values: tuple[int, ...] | None = None
    matching: MatchSettings = field(default_factory=MatchSettings)
    refusal_phrases: tuple[str | dict[str, str], ...] = ()
    not_refusal_phrases: tuple[str, ...] = ()
    column_mapping: dict[str, str | list[str]] | None = None
    id_columns: tuple[str, ...] | None = None
    fail_fast: bool = True

    @classmethod
    def of(cls, config: EvaluationConfig | Mapping[str, Any] | str | Path | None) -> ScoreSettings:
        """The part of ``config`` that scoring needs.

        Raises:
            ConfigError: A setting is unknown or malformed.
            MetricError: A metric is unknown, needs a judge, or is a function.
        """
        checked = load_config(config)
        settings = cls(
            metrics=None if checked.metrics is None else tuple(_plain(metric) for metric in checked.metrics),
            k=checked.k,
            k_values=checked.k_values,
            matching=checked.match_settings,
            refusal_phrases=checked.refusal_phrases or (),
            not_refusal_phrases=checked.not_refusal_phrases or (),
            column_mapping=checked.column_mapping,
            id_columns=checked.id_columns,
            fail_fast=checked.fail_fast_dataset,
        )
        settings.resolved()
        return settings

    def resolved(self) -> tuple[Metric, ...]:
        """The metrics, in the order of the report."""
        return resolve_metrics(self.metrics, k=self.k, k_values=self.k_values, profile=self.matching.profile)

    def mapping_options(self) -> MappingOptions:
        """What the user says about columns."""
        return MappingOptions(column_mapping=self.column_mapping, id_columns=self.id_columns)


def _plain(metric: Any) -> str:
    """A name that says all about its metric.

    Raises:
        MetricError: It needs a judge, or is a function of the user's.
    """
    if needs_judge(metric):
        raise MetricError(
            f"{metric_name(metric)!r} is judged by a language model, and here nobody is asked",
            where="config, key 'metrics'",
            expected="retrieval and lexical metrics",
            remedy="leave it out here, and judge a sample of the answers with MuffakirEvaluation (judge_mode='batch' "
            "is cheaper)",
        )
    if not isinstance(metric, str):
        raise MetricError(
            f"{metric_name(metric)!r} is a function",
            where="config, key 'metrics'",
            expected="names of metrics: a function may not be the same on every machine",
            remedy="leave it out here, and compute it on the frame that comes back",
        )
    return metric


class Marker:
    """Scores samples one after the other; keeps what the matcher has prepared.

    Args:
        settings: How.
    """

    def __init__(self, settings: ScoreSettings) -> None:
        self.metrics = settings.resolved()
        self.names = tuple(metric.name for metric in self.metrics)
        self._maker = TrialMaker(
            matcher=ChunkMatcher(settings.matching),
            k=settings.k,
            depth=max([settings.k, *(metric.k for metric in self.metrics if metric.k is not None)]),
            lexicon=lexicon_with(settings.refusal_phrases, settings.not_refusal_phrases),
        )

    def result(self, sample: Sample, output: PipelineOutput) -> SampleResult:
        """Everything about one sample, without timings of ours and without a key."""
        trial = self._maker.trial(sample, output)
        return SampleResult(
            key="",
            sample=sample,
            output=output,
            matches=trial.matches,
            scores={metric.name: score_at_once(metric, trial) for metric in self.metrics},
            refusal=trial.refusal,
            answerable=trial.answerable,
            pipeline_latency_ms=output.pipeline_latency_ms,
        )
