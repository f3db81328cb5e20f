"""Several retrievers on the same judged queries, side by side."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypedDict, Unpack

from muffakir_eval.door import run_sync
from muffakir_eval.errors import ConfigError
from muffakir_eval.metrics.retrieval import Qrels
from muffakir_eval.retrieval_evaluation.differences import UNDECIDED, RetrieverComparison, RetrieverDifference
from muffakir_eval.retrieval_evaluation.evaluate import DEFAULT_METRICS, OnError, aevaluate_retrieval
from muffakir_eval.retrieval_evaluation.measures import LOWER_IS_BETTER
from muffakir_eval.retrieval_evaluation.report import RetrievalEvalReport
from muffakir_eval.retrieval_evaluation.results import DocId

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

    Args:
        retrievers: Name to retriever, at least two; whatever ``evaluate_retrieval`` takes. They are asked one
            after the other.
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
        PipelineError: A retriever failed.

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
    _check_several(retrievers)
    if not 0 < confidence < 1:
        raise ConfigError(f"it is {confidence!r}", where="confidence", expected="a share above 0 and below 1")
    reports = {
        str(name): await aevaluate_retrieval(retriever, qrels, queries, k_values=k_values, metrics=metrics, **options)
        for name, retriever in retrievers.items()
    }
    differences, lacking = _differences(reports, confidence, n_resamples, seed)
    return RetrieverComparison(
        reports=reports,
        differences=differences,
        confidence=confidence,
        warnings=(*_told(reports), *lacking),
    )


def _told(reports: Mapping[str, RetrievalEvalReport]) -> Iterator[str]:
    """The warnings of the reports; what all of them say, once."""
    for warning in dict.fromkeys(warning for report in reports.values() for warning in report.warnings):
        names = [name for name, report in reports.items() if warning in report.warnings]
        yield warning if len(names) == len(reports) else f"{', '.join(names)}: {warning}"


def _check_several(retrievers: Any) -> None:
    if isinstance(retrievers, Mapping) and len(retrievers) > 1:
        return
    raise ConfigError(
        "there is only one" if isinstance(retrievers, Mapping) else f"it is of type {type(retrievers).__name__}",
        where="retrievers",
        expected="a mapping of names to at least two retrievers",
        remedy="evaluate_retrieval scores a single one",
    )


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
