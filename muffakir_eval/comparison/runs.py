"""Run against run, on the questions that they have in common."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from muffakir_eval.comparison.metric_names import listed
from muffakir_eval.comparison.runs_comparable import settings_that_differ
from muffakir_eval.comparison.runs_drafts import Draft, draft_of, notes_of, slices_of
from muffakir_eval.comparison.runs_findings import MetricComparison
from muffakir_eval.comparison.runs_opening import asked, facts_of, known_metrics, opened, refuse_unknown_column
from muffakir_eval.comparison.runs_reading import RunScores
from muffakir_eval.comparison.runs_result import PairComparison, RunComparison, RunFacts
from muffakir_eval.comparison.runs_settings import Settings
from muffakir_eval.comparison.runs_verdicts import adjusted, is_quality, settled
from muffakir_eval.errors import ConfigError
from muffakir_eval.report import EvaluationReport

__all__ = ["compare_runs"]

Run = EvaluationReport | str | Path


def compare_runs(  # noqa: PLR0913 - one parameter per setting
    a: Run,
    b: Run,
    *more: Run,
    names: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    slice_by: Sequence[str] | None = None,
    cluster_column: str | None = None,
    detect: float | Mapping[str, float] = 0.02,
    margin: float | Mapping[str, float] | None = None,
    lower_is_better: Sequence[str] = (),
    min_coverage: float = 0.9,
    common_only: bool = False,
    confidence: float = 0.95,
    n_moved: int = 20,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> RunComparison:
    """Is B better than A? Each metric on the questions that both runs were scored on, question by question.

    Questions are paired by what they ask and by their gold, wherever they stand in their datasets. Of
    each metric: the difference of the means with its interval, a p-value of the paired test (McNemar's
    exact test for 0/1, else the randomisation test), adjusted by Holm over the metrics and over the
    pairs of runs (refusals and latency are a family of their own), wins, ties and losses, and the
    questions that moved most. There is a verdict only where the adjusted p-value and the coverage allow
    it, and where it does not depend on questions that failed: a system that fails on the hard questions
    is not better for it.

    Metrics that the runs did not measure in the same way (another definition, cutoff, matching, or
    judge) are not compared; they are named with what differs.

    Args:
        a: A report, or the folder of a run.
        b: Another one; differences are B minus A.
        more: Further ones; then every pair is compared.
        names: What the runs are called, by default by their folders.
        metrics: Only these, by the names of the runs or as they are asked for; by default all.
        slice_by: Columns of the dataset by whose values each metric is compared, too; by default those that
            the runs were sliced by.
        cluster_column: Questions with the same value in it are not independent; by default that of the runs.
        detect: Size of a difference for ``questions_needed``: a share of the metric's range, or sizes by metric.
        margin: "B is not worse than A by more than this" is tested as well; given like ``detect``.
        lower_is_better: Metrics of your own of which lower values are better.
        min_coverage: No verdict where a smaller share of the questions that a metric applies to was scored
            in both runs.
        common_only: Give verdicts although the datasets differ; they then hold for the common questions.
        confidence: Of the intervals; chance alone is taken for a difference at most in ``1 - confidence`` of all
            comparisons.
        n_moved: Questions kept for each metric, those that moved most.
        n_resamples: Draws of the bootstrap and of the randomisation test.
        seed: Of the draws.

    Returns:
        The comparison; printing it gives a table.

    Raises:
        StorageError: A folder holds no run, or a damaged one.
        MetricError: A metric was measured by none of the runs.
        ConfigError: A setting is out of range or not of its kind, or a column unknown.
    """
    settings = Settings(
        metrics=None if metrics is None else listed(metrics),
        detect=detect,
        margin=margin,
        lower_is_better=listed(lower_is_better),
        min_coverage=min_coverage,
        confidence=confidence,
        common_only=common_only,
        n_moved=n_moved,
        n_resamples=n_resamples,
        seed=seed,
    )
    found = [opened(run) for run in (a, b, *more)]
    sliced_by = tuple(dict.fromkeys(asked(found, "slice_by") if slice_by is None else listed(slice_by)))
    cluster = _one_column(asked(found, "cluster_column")) if cluster_column is None else cluster_column
    columns = tuple(dict.fromkeys([*sliced_by, *([] if cluster is None else [cluster])]))
    scores = [run.scores(columns) for run in found]
    for column in columns:
        refuse_unknown_column(column, scores)
    settings = replace(
        settings,
        metrics=None if settings.metrics is None else known_metrics(settings.metrics, scores),
        lower_is_better=known_metrics(settings.lower_is_better, scores),
        detect=_by_key(settings.detect, scores),
        margin=None if settings.margin is None else _by_key(settings.margin, scores),
    )
    facts = facts_of(found, scores, names)
    drafts = [
        draft_of(scores[first], scores[second], (facts[first], facts[second]), settings, cluster)
        for first, second in itertools.combinations(range(len(scores)), 2)
    ]
    figures = [one for draft in drafts for one in draft.figures]
    after = iter(adjusted(figures))
    pairs = []
    for draft, both in zip(drafts, itertools.combinations(facts, 2), strict=True):
        metrics_of = [settled(one, next(after), settings, same_questions=draft.same_questions) for one in draft.figures]
        pairs.append(_pair(draft, both, metrics_of, settings, cluster, sliced_by))
    return RunComparison(
        runs=tuple(facts),
        pairs=tuple(pairs),
        confidence=confidence,
        min_coverage=min_coverage,
        n_tests=sum(one.paired is not None and is_quality(one.metric) for one in figures),
    )


def _by_key(sizes: float | Mapping[str, float], scores: Sequence[RunScores]) -> float | Mapping[str, float]:
    """Sizes by what the runs call the metrics."""
    if not isinstance(sizes, Mapping):
        return sizes
    return dict(zip(known_metrics(list(sizes), scores), sizes.values(), strict=True))


def _one_column(columns: Sequence[str]) -> str | None:
    if len(columns) > 1:
        raise ConfigError(
            f"the runs take questions together by different columns: {', '.join(columns)}",
            remedy="name one as cluster_column",
        )
    return columns[0] if columns else None


def _pair(
    draft: Draft,
    facts: tuple[RunFacts, RunFacts],
    metrics: Sequence[MetricComparison],
    settings: Settings,
    cluster: str | None,
    sliced_by: Sequence[str],
) -> PairComparison:
    two = draft.two
    return PairComparison(
        a=facts[0].label,
        b=facts[1].label,
        n_common=len(two.pairs.a),
        only_in_a=two.pairs.only_in_a,
        only_in_b=two.pairs.only_in_b,
        same_questions=draft.same_questions,
        settings=tuple(settings_that_differ(two.a, two.b)),
        cluster_column=cluster,
        metrics=tuple(metrics),
        not_compared=draft.left_out,
        slices=tuple(part for column in sliced_by for part in slices_of(draft, column, settings)),
        notes=tuple(notes_of(draft, facts, settings)),
    )
