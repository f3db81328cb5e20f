"""The evaluation of one retriever on judged queries."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from muffakir_eval.door import run_sync
from muffakir_eval.errors import ConfigError, PipelineDownError
from muffakir_eval.metrics.retrieval import Qrels
from muffakir_eval.pipelines.shapes import get_part
from muffakir_eval.retrieval_evaluation.asking import Asking, ask_all, look_up_all
from muffakir_eval.retrieval_evaluation.collecting import collecting_later
from muffakir_eval.retrieval_evaluation.judgements import JudgedSet, read_judgements
from muffakir_eval.retrieval_evaluation.measures import DISTRACTOR_SHARE, HARD_RECALL, plan_measures, whole_number
from muffakir_eval.retrieval_evaluation.report import RetrievalEvalReport
from muffakir_eval.retrieval_evaluation.results import DocId
from muffakir_eval.retrieval_evaluation.retrievers import LiveRetriever, RecordedRun, plan_retriever
from muffakir_eval.retrieval_evaluation.scoring import Scoring
from muffakir_eval.writers.progress import progress_bar

__all__ = [
    "DEFAULT_K_VALUES",
    "DEFAULT_METRICS",
    "OnError",
    "aevaluate_retrieval",
    "evaluate_retrieval",
    "plan_with_queries",
]

DEFAULT_K_VALUES = (1, 5, 10, 100)
DEFAULT_METRICS = ("ndcg", "recall", "precision", "mrr", "map")

OnError = Literal["raise", "record"]
"""What happens to the evaluation where the retriever fails on a query."""


def evaluate_retrieval(  # noqa: PLR0913 - the reference's arguments, and what has to be known beyond them
    retriever: Any,
    qrels: Qrels,
    queries: Mapping[str, str] | None = None,
    *,
    k_values: Sequence[int] = DEFAULT_K_VALUES,
    metrics: Sequence[str] = DEFAULT_METRICS,
    limit: int | None = None,
    distractors: Mapping[str, Collection[str]] | None = None,
    hard_positives: Mapping[str, Collection[str]] | None = None,
    doc_id: str | DocId | None = None,
    on_error: OnError = "raise",
    max_concurrency: int = 1,
    progress: bool = False,
) -> RetrievalEvalReport:
    """Score a retriever against a BEIR-shaped evaluation set.

    Every judged query is asked, the results are brought to document identifiers (each once, at its best
    rank), and each metric is computed at each cutoff. Variants as in trec_eval: nDCG with linear gain,
    discount log2(rank + 1) and the ideal over all judged documents; average precision and recall divided by
    all relevant documents; precision always divided by k. An empty result is measured: 0. The order of
    the results decides, never the spelling of the identifiers.

    Works in a script, in Jupyter and inside a running loop; a coroutine awaits
    :func:`aevaluate_retrieval`.

    Args:
        retriever: What answers a query: a function of a query (and of ``limit``, ``k`` or ``top_k``, if it
            has such a parameter), an object with ``search``, ``retrieve`` or ``invoke`` (taken in this
            order; see :mod:`muffakir_eval.retrieval_evaluation.retrievers`), each plain (run in a worker
            thread) or ``async``; or a recorded run, ``{query_id: ranking}``, where a ranking may be a mapping
            of documents to scores (sorted by falling score, ties in their order). What a result may be, and where
            its identifier is found, stands in :mod:`muffakir_eval.retrieval_evaluation.results`;
            ``12``, ``"12"`` and ``12.0`` are the same identifier, ``"007"`` is not ``"7"``.
        qrels: Judgements, ``{query_id: {doc_id: grade}}``; above 0 is relevant. Queries without a relevant
            document are skipped and counted.
        queries: Texts, ``{query_id: text}``. A judged query without a text is skipped and counted. ``None``
            asks a recorded run for every judged query.
        k_values: Cutoffs, at least 1.
        metrics: Any of ``ndcg``, ``recall``, ``precision``, ``mrr``, ``map``, ``hit_rate``, in any case; one with a
            cutoff of its own (``nDCG@20``) is computed at that alone.
        limit: Results per query that are asked for, and the most that count, before duplicates collapse.
            ``None`` asks for the largest cutoff and counts all that comes, as of a recorded run. Raise it
            where documents are retrieved in several pieces, which shorten the ranking as they collapse;
            below the largest cutoff it is allowed, and the report says what that means.
        distractors: ``{query_id: [doc_id, …]}`` of documents known to look relevant without being so:
            ``distractor_share@k`` is measured, the share of the first k ranks that they hold.
        hard_positives: ``{query_id: [doc_id, …]}`` of relevant documents known to be hard to find:
            ``hard_recall@k`` is measured, recall over these alone. Neither applies to a query without such.
        doc_id: Where the identifier of a result is: a name (``"chunk_id"``, ``"metadata.page"``) or a
            function of the result. ``None``: by the usual rules.
        on_error: ``"raise"`` stops at the first query on which the retriever fails, and names it; ``"record"``
            counts it, goes on, and leaves it out of the means.
        max_concurrency: Queries that are asked at once; above 1 the retriever must be made for that.
        progress: Show a bar on standard error, where that is a terminal.

    Raises:
        ConfigError: A ``ValueError``: an unknown metric (:class:`MetricError`), a cutoff below 1, or a
            retriever that cannot be asked.
        DatasetError: A ``ValueError``: malformed judgements, or no query that can be scored.
        PipelineError: The retriever failed; ``error.report`` holds what was finished before.

    >>> qrels = {'q1': {'d1': 1.0}, 'q2': {'d2': 1.0}}
    >>> queries = {'q1': 'alpha', 'q2': 'beta'}
    >>> def retriever(query, *, limit=10):
    ...     return {'alpha': ['d1', 'd2'], 'beta': ['d1', 'd2']}[query][:limit]
    >>> report = evaluate_retrieval(retriever, qrels, queries, k_values=(1, 2))
    >>> report.metrics['recall@2'], report.n_queries
    (1.0, 2)
    """
    return run_sync(
        lambda: aevaluate_retrieval(
            retriever,
            qrels,
            queries,
            k_values=k_values,
            metrics=metrics,
            limit=limit,
            distractors=distractors,
            hard_positives=hard_positives,
            doc_id=doc_id,
            on_error=on_error,
            max_concurrency=max_concurrency,
            progress=progress,
        )
    )


async def aevaluate_retrieval(  # noqa: PLR0913 - as evaluate_retrieval
    retriever: Any,
    qrels: Qrels,
    queries: Mapping[str, str] | None = None,
    *,
    k_values: Sequence[int] = DEFAULT_K_VALUES,
    metrics: Sequence[str] = DEFAULT_METRICS,
    limit: int | None = None,
    distractors: Mapping[str, Collection[str]] | None = None,
    hard_positives: Mapping[str, Collection[str]] | None = None,
    doc_id: str | DocId | None = None,
    on_error: OnError = "raise",
    max_concurrency: int = 1,
    progress: bool = False,
) -> RetrievalEvalReport:
    """:func:`evaluate_retrieval` for those who are inside a loop; same arguments, same report."""
    further = [DISTRACTOR_SHARE] * (distractors is not None) + [HARD_RECALL] * (hard_positives is not None)
    measures = plan_measures(metrics, k_values, further)
    planned = plan_with_queries(retriever, queries)
    with collecting_later():
        judged = read_judgements(qrels, queries, distractors, hard_positives)
    if limit is not None:
        limit = whole_number(limit, "limit")
    deepest = max(measure.k for measure in measures)
    scoring = Scoring(judged, measures)
    with progress_bar(len(judged.scorable), enabled=progress and not isinstance(planned, RecordedRun)) as on_done:
        asking = Asking(
            limit=limit,
            deepest=deepest,
            doc_id=_finder(doc_id),
            record_failures=_records(on_error),
            at_once=whole_number(max_concurrency, "max_concurrency"),
            on_done=on_done,
        )
        warnings = _about_limit(limit, deepest)
        if isinstance(planned, RecordedRun):
            with collecting_later():
                missing = look_up_all(planned, scoring, asking)
            warnings += _about_absent(missing, judged)
        else:
            await ask_all(planned, scoring, asking)
    report = scoring.report(warnings)
    if not report.n_queries:
        error = PipelineDownError(
            f"{planned.name} failed on all {len(report.failed)} queries; the first error was: "
            f"{next(iter(report.failed.values())).removesuffix('.')}",
            remedy="mend the retriever",
        )
        error.report = report
        raise error
    return report


def plan_with_queries(retriever: Any, queries: Mapping[str, str] | None) -> LiveRetriever | RecordedRun:
    """:func:`plan_retriever`, once it is sure that there is something to ask.

    Raises:
        ConfigError: It cannot be asked, or there are no queries to ask.
    """
    planned = plan_retriever(retriever)
    if queries is None and not isinstance(planned, RecordedRun):
        raise ConfigError(
            "there are no queries to ask the retriever", where="queries", expected="a mapping {query_id: text}"
        )
    return planned


def _records(on_error: str) -> bool:
    if on_error not in ("raise", "record"):
        raise ConfigError(f"it is {on_error!r}", where="on_error", expected="'raise' or 'record'")
    return on_error == "record"


def _finder(doc_id: Any) -> DocId | None:
    if doc_id is None or callable(doc_id):
        found: DocId | None = doc_id
        return found
    if not isinstance(doc_id, str) or not all(doc_id.split(".")):
        raise ConfigError(
            f"it is {doc_id!r}", where="doc_id", expected="a name such as 'chunk_id' or 'metadata.page', or a function"
        )
    names = doc_id.split(".")

    def find(result: Any) -> Any:
        if type(result) in (tuple, list) and len(result) == 2:  # with its score
            result = result[0]
        for name in names:
            result = get_part(result, name)
        return result

    return find


def _about_limit(limit: int | None, deepest: int) -> list[str]:
    if limit is None or limit >= deepest:
        return []
    return [f"limit={limit} is below the largest cutoff: what is reported at k={deepest} covers {limit} results"]


def _about_absent(missing: int, judged: JudgedSet) -> list[str]:
    if missing == len(judged.scorable):
        raise ConfigError(
            f"it has a ranking for none of the {missing} judged queries",
            where="retriever",
            expected="{query_id: ranking} with the identifiers of qrels",
        )
    if not missing:
        return []
    return [f"the recorded run has no ranking for {missing} judged queries: they count as having found nothing"]
