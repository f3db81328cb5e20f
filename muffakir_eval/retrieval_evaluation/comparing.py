"""Several retrievers on the same judged queries, side by side."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypedDict, Unpack

from muffakir_eval.door import run_sync
from muffakir_eval.errors import ConfigError, PipelineError
from muffakir_eval.metrics.retrieval import Qrels
from muffakir_eval.retrieval_evaluation.differences import UNDECIDED, RetrieverComparison, RetrieverDifference
from muffakir_eval.retrieval_evaluation.evaluate import (
    DEFAULT_METRICS,
    OnError,
    aevaluate_retrieval,
    plan_with_queries,
)
from muffakir_eval.retrieval_evaluation.measures import LOWER_IS_BETTER, whole_number
from muffakir_eval.retrieval_evaluation.report import RetrievalEvalReport
from muffakir_eval.retrieval_evaluation.results import DocId
from muffakir_eval.retrieval_evaluation.retrievers import RecordedRun

__all__ = ["RetrievalOptions", "acompare_retrievers", "compare_retrievers"]


class RetrievalOptions(TypedDict, total=False):
    """Further arguments of :func:`compare_retrievers`, with the meaning that they have in ``evaluate_retrieval``.

    Attributes:
        limit: Results per query.
        distractors: Documents known to look relevant without being so.
        hard_positives: Relevant documents known to be hard to find.
        doc_id: Where the identifier of a result is.
        on_error: What happens where a retriever fails.
        max_concurrency: Queries that are asked at once.
        progress: Show a bar.
    """

    limit: int | None
    distractors: Mapping[str, Collection[str]] | None
    hard_positives: Mapping[str, Collection[str]] | None
    doc_id: str | DocId | None
    on_error: OnError
    max_concurrency: int
    progress: bool


def compare_retrievers(  # noqa: PLR0913 - each has a good default
    retrievers: Mapping[str, Any],
    qrels: Qrels,
    queries: Mapping[str, str] | None = None,
    *,
    k_values: Sequence[int] = (10,),
    metrics: Sequence[str] = DEFAULT_METRICS,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
    **options: Unpack[RetrievalOptions],
) -> RetrieverComparison:
    """Score several retrievers on one set of judged queries, and say which differences are more than chance.

    Each pair is compared on the queries that both were scored on: the paired difference with its bootstrap
    interval, a two-sided p-value (exact for 0/1 metrics, else the paired randomisation test), and the
    same after Holm's adjustment over all pairs and metrics. The more is compared, the more it takes: ask for the
    metrics and cutoffs that decide.

    A retriever that fails on some queries gains nothing by it: these are left out on both sides, and a
    warning says how many they are and what its means are with 0 for them.

    Args:
        retrievers: Name to retriever, at least two; whatever ``evaluate_retrieval`` takes. All are looked at
            before the first is asked, and they are asked one after the other, recorded runs first.
        qrels: As there.
        queries: As there.
        k_values: Cutoffs.
        metrics: As there.
        confidence: Of the intervals, in (0, 1); one minus it is the level of the verdicts.
        n_resamples: Draws of each bootstrap and each randomisation test.
        seed: Of the draws; the same seed gives the same figures.
        **options: As in ``evaluate_retrieval``: ``limit``, ``distractors``, ``hard_positives``, ``doc_id``,
            ``on_error``, ``max_concurrency``, ``progress``.

    Raises:
        ConfigError: Fewer than two retrievers, or what ``evaluate_retrieval`` refuses.
        DatasetError: As there.
        PipelineError: A retriever failed; a note names it, and ``error.report`` holds the
            :class:`RetrieverComparison` of what was finished, without differences.

    >>> qrels = {f"q{n}": {f"d{n}": 1} for n in range(8)}
    >>> runs = {"bm25": {f"q{n}": ["x", f"d{n}"] for n in range(8)}, "dense": {f"q{n}": [f"d{n}"] for n in range(8)}}
    >>> found = compare_retrievers(runs, qrels, metrics=["mrr"])
    >>> found.differences[0].difference, found.differences[0].p_value, found.differences[0].verdict
    (0.5, 0.0078125, 'dense is better')
    """
    return run_sync(
        lambda: acompare_retrievers(
            retrievers,
            qrels,
            queries,
            k_values=k_values,
            metrics=metrics,
            confidence=confidence,
            n_resamples=n_resamples,
            seed=seed,
            **options,
        )
    )


async def acompare_retrievers(  # noqa: PLR0913 - as compare_retrievers
    retrievers: Mapping[str, Any],
    qrels: Qrels,
    queries: Mapping[str, str] | None = None,
    *,
    k_values: Sequence[int] = (10,),
    metrics: Sequence[str] = DEFAULT_METRICS,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
    **options: Unpack[RetrievalOptions],
) -> RetrieverComparison:
    """:func:`compare_retrievers` for those who are inside a loop; same arguments, same result."""
    order = _order_of_asking(retrievers, queries)
    _check_share(confidence)
    n_resamples, seed = whole_number(n_resamples, "n_resamples"), whole_number(seed, "seed", least=0)
    reports: dict[str, RetrievalEvalReport] = {}
    for name in order:
        try:
            reports[str(name)] = await aevaluate_retrieval(
                retrievers[name], qrels, queries, k_values=k_values, metrics=metrics, **options
            )
        except PipelineError as error:
            if isinstance(error.report, RetrievalEvalReport):
                reports[str(name)] = error.report
            error.report = RetrieverComparison(
                reports=reports, differences=(), confidence=confidence, warnings=tuple(_told(reports))
            )
            error.add_note(f"This was the retriever {str(name)!r}; error.report holds what was finished.")
            raise
        except ConfigError as error:
            if error.where == "retriever":
                error.add_note(f"This was the retriever {str(name)!r}.")
            raise
    reports = {str(name): reports[str(name)] for name in retrievers}
    differences, lacking = _differences(reports, confidence, n_resamples, seed)
    return RetrieverComparison(
        reports=reports,
        differences=differences,
        confidence=confidence,
        warnings=(*_told(reports), *_about_failures(reports), *lacking),
    )


def _check_share(confidence: Any) -> None:
    if not isinstance(confidence, (float, int)) or not 0 < confidence < 1:
        raise ConfigError(f"it is {confidence!r}", where="confidence", expected="a share above 0 and below 1")


def _about_failures(reports: Mapping[str, RetrievalEvalReport]) -> Iterator[str]:
    """What a retriever would look like that had found nothing where it failed."""
    for name, report in reports.items():
        if report.failed:
            means = ", ".join(f"{key} {value:.4f}" for key, value in report.failures_as_zero.items())
            yield (
                f"{name} failed on {len(report.failed)} of {len(report.failed) + report.n_queries} queries, which its "
                f"means and differences leave out; with 0 for these: {means}"
            )


def _told(reports: Mapping[str, RetrievalEvalReport]) -> Iterator[str]:
    """The warnings of the reports; what all of them say, once."""
    for warning in dict.fromkeys(warning for report in reports.values() for warning in report.warnings):
        names = [name for name, report in reports.items() if warning in report.warnings]
        yield warning if len(names) == len(reports) else f"{', '.join(names)}: {warning}"


def _check_several(retrievers: Any) -> None:
    remedy = None
    if not isinstance(retrievers, Mapping):
        found = f"it is of type {type(retrievers).__name__}"
    elif len(retrievers) < 2:
        found, remedy = f"there is {'only one' if retrievers else 'none'}", "evaluate_retrieval scores a single one"
    elif len(set(map(str, retrievers))) < len(retrievers):
        found = "two have the same name"
    else:
        return
    raise ConfigError(
        found, where="retrievers", expected="a mapping of names to at least two retrievers", remedy=remedy
    )


def _order_of_asking(retrievers: Any, queries: Mapping[str, str] | None) -> list[Any]:
    """The names of the retrievers, those of recorded runs first: what is wrong there costs no query."""
    _check_several(retrievers)
    live = {}
    for name, retriever in retrievers.items():
        try:
            live[name] = not isinstance(plan_with_queries(retriever, queries), RecordedRun)
        except ConfigError as error:
            error.add_note(f"This was the retriever {str(name)!r}.")
            raise
    return sorted(live, key=live.__getitem__)


def _differences(
    reports: Mapping[str, RetrievalEvalReport], confidence: float, n_resamples: int, seed: int
) -> tuple[tuple[RetrieverDifference, ...], list[str]]:
    import numpy as np

    from muffakir_eval.statistics.paired import compare_paired, holm

    found, lacking = [], []
    for first, second in itertools.combinations(reports, 2):
        one, other = reports[first].per_query, reports[second].per_query
        if not one.keys() & other.keys():
            lacking.append(f"{first} and {second} were scored on no common query")
        for metric in dict.fromkeys([*reports[first].metrics, *reports[second].metrics]):
            pairs = [
                (values[metric], other[query][metric])
                for query, values in one.items()
                if metric in values and metric in other.get(query, {})
            ]
            if pairs:
                a, b = zip(*pairs, strict=True)
                # Each from the same seed: what one comparison gives does not depend on which others are asked for.
                rng = np.random.default_rng(seed)
                paired = compare_paired(a, b, rng=rng, n_resamples=n_resamples, confidence=confidence)
                found.append((metric, first, second, paired))
    adjusted = holm([paired.p_value for *_, paired in found])
    return tuple(
        RetrieverDifference(
            metric=metric,
            first=first,
            second=second,
            difference=paired.difference,
            low=paired.low,
            high=paired.high,
            p_value=paired.p_value,
            p_adjusted=p_adjusted,
            n=paired.n,
            wins=paired.wins,
            ties=paired.ties,
            losses=paired.losses,
            verdict=_verdict(metric, (first, second), paired.difference, significant=p_adjusted < 1 - confidence),
        )
        for (metric, first, second, paired), p_adjusted in zip(found, adjusted, strict=True)
    ), lacking


def _verdict(metric: str, names: tuple[str, str], difference: float, *, significant: bool) -> str:
    if not significant or not difference:
        return UNDECIDED
    higher = names[difference > 0]
    lower = names[difference < 0]
    return f"{lower if metric.rpartition('@')[0] in LOWER_IS_BETTER else higher} is better"
