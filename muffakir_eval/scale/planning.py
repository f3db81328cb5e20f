"""What a distributed run will do, settled before the first part is scored."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.datasets.building import SampleBuilder
from muffakir_eval.datasets.columns.aliases import FIELDS
from muffakir_eval.datasets.columns.mapping import ColumnMap, map_columns
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.tables import RawTable
from muffakir_eval.errors import ConfigError, DatasetFormatError, MetricError
from muffakir_eval.evaluation.grouping import grouping
from muffakir_eval.evaluation.planning import GoldColumns, choose_metrics, cutoff_depth, inert_settings
from muffakir_eval.evaluation.settled import Settled
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.pipelines import as_pipeline
from muffakir_eval.records import PipelineOutput, Sample
from muffakir_eval.refusals import lexicon_with
from muffakir_eval.runner import RunPlan
from muffakir_eval.scale.scoring import Job
from muffakir_eval.scale.settings import ScoreSettings

__all__ = ["facts_of", "refuse_unfit", "settle"]

_HEAD = 200
_NOT_HERE = ("max_samples", "sample_seed", "refusal_judge", "dry_run", "report_formats", "sheet", "jury")


def refuse_unfit(config: EvaluationConfig) -> None:
    """Before anything is read.

    Raises:
        ConfigError: A setting was given that a distributed run has no use for.
        MetricError: A metric needs a judge, or is a function.
    """
    given = [name for name in _NOT_HERE if getattr(config, name) not in (None, False)]
    if given:
        raise ConfigError(
            f"{', '.join(given)}: a distributed run cannot do that",
            where="config",
            remedy="leave it out, or use MuffakirEvaluation",
        )
    ScoreSettings.of(config)


def settle(
    config: EvaluationConfig, columns: Sequence[tuple[str, ...]], repeated: frozenset[str], head: RawTable
) -> tuple[Settled, Job]:
    """Everything that a run is made of but for its questions, and what the workers need of it.

    Args:
        config: The settings.
        columns: Different sets of columns of the rows.
        repeated: Names that several columns bear.
        head: The beginning of the data set.

    Raises:
        DatasetError: There is no question column, or columns contradict each other.
        ConfigError: The settings do not fit the data set.
    """
    names = tuple(dict.fromkeys(chain.from_iterable(columns)))
    if not names:
        raise DatasetFormatError("there are no rows", where=head.source, expected="at least one question")
    settings = ScoreSettings.of(config)
    sets = columns if head.columns is None else ()
    mapping = map_columns(names, settings.mapping_options(), where=head.source, repeated=repeated, sets=sets)
    if mapping.own:
        raise DatasetFormatError(
            "this is a samples.csv, or was made of one",
            where=head.source,
            remedy="evaluate it with MuffakirEvaluation, which reads what such files leave out",
        )
    shown = _shown(mapping)
    samples = [_outline(names, mapping), *_first(head, mapping)]
    pipeline = as_pipeline(None, pipeline_mode=config.pipeline_mode, pipeline_id=config.pipeline_id, samples=samples)
    metrics, left_out = choose_metrics(config, pipeline, GoldColumns.of(shown, []))
    if not metrics and (config.metrics is not None or pipeline.answers is False):
        raise MetricError("no metric can be computed: " + "; ".join(left_out), remedy="name metrics that can")
    plan = RunPlan(
        pipeline=pipeline,
        metrics=metrics,
        matcher=ChunkMatcher(config.match_settings),
        k=config.k,
        depth=cutoff_depth(config, pipeline, metrics),
        lexicon=lexicon_with(config.refusal_phrases or (), config.not_refusal_phrases or ()),
    )
    group_by = grouping(config, samples, shown)
    settled = Settled(
        config=config,
        plan=plan,
        items=[],
        dataset={"source": head.source, "mapping": shown},
        folder=Path(config.output_dir),
        keep=True,
        group_by=group_by,
        warnings=[*mapping.notes, *left_out, *inert_settings(config, judged=False)],
    )
    chosen = settings.metrics
    if chosen is None:
        chosen = tuple(dict.fromkeys(metric.requested_as for metric in metrics))
    job = Job(
        settings=dataclasses.replace(settings, metrics=chosen),
        mapping=mapping,
        group_by=group_by,
        encoding=config.encoding,
        folder=None,
        named="sample_id" in mapping.fields,
        several=False,
    )
    return settled, job


def _shown(mapping: ColumnMap) -> dict[str, str | list[str]]:
    shown: dict[str, str | list[str]] = {}
    for name in FIELDS:
        columns = mapping.fields.get(name, ())
        if columns:
            shown[name] = columns[0] if len(columns) == 1 else list(columns)
    return shown


def _outline(names: Iterable[str], mapping: ColumnMap) -> Sample:
    """A sample that has everything which the columns promise: what a run can measure goes by that."""
    fields = mapping.fields
    retrieves = bool({"retrieved_contexts", "retrieved_chunk_ids"} & fields.keys())
    answers = "predicted_answer" in fields
    output = PipelineOutput(answer="" if answers else None, chunks=() if retrieves else None)
    return Sample(
        sample_id="",
        question="؟",
        source_file="-" if "source_file" in fields else None,
        answerable=True if "answerable" in fields else None,
        metadata=dict.fromkeys((name for name in names if name not in mapping.columns | mapping.dropped), "-"),
        recorded=output if answers or retrieves else None,
    )


def _first(head: RawTable, mapping: ColumnMap) -> list[Sample]:
    """The first samples; what is bad among them is met again, and told, when the parts are read."""
    builder = SampleBuilder(head, mapping, Findings(fail_fast=False))
    return [sample for raw in islice(head.rows, _HEAD) if (sample := builder.build(raw)) is not None]


def facts_of(settled: Settled, told: Mapping[str, Any], header: Mapping[str, Any]) -> dict[str, Any]:
    """What stands in the summary beside the figures.

    Args:
        settled: The run.
        told: ``n_samples``, ``n_bad_rows``, ``fingerprint`` and ``warnings`` of all parts.
        header: ``run_id`` and ``started_at``.
    """
    facts = settled.facts(header, partial=False)
    facts["n_planned"] = told["n_samples"]
    facts["dataset"] |= {name: told[name] for name in ("n_bad_rows", "fingerprint", "n_samples")}
    facts["warnings"] = [*facts["warnings"], *told["warnings"]]
    return facts
