"""Every query to the retriever, and what came back to the scoring."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterable, Iterator
from dataclasses import dataclass
from typing import Any

from muffakir_eval.errors import PipelineError
from muffakir_eval.redaction import redact
from muffakir_eval.retrieval_evaluation.judgements import Judged
from muffakir_eval.retrieval_evaluation.results import DocId, Ranking, ranked_ids
from muffakir_eval.retrieval_evaluation.retrievers import LiveRetriever, RecordedRun
from muffakir_eval.retrieval_evaluation.scoring import Scoring
from muffakir_eval.runner.faults import describe, ends_the_run
from muffakir_eval.threads import CallThread
from muffakir_eval.writers.progress import Progress

__all__ = ["Asking", "ask_all", "look_up_all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How queries are asked.

    Attributes:
        limit: The most results per query that count; ``None`` for all that come.
        deepest: The largest cutoff: what a retriever is asked for where ``limit`` does not say.
        doc_id: Finds the identifier of a result, where the usual rules do not fit.
        record_failures: A query on which the retriever fails is counted and the others go on.
        at_once: Queries that are asked at the same time.
        on_done: Told about every query.
    """

    limit: int | None
    deepest: int
    doc_id: DocId | None
    record_failures: bool
    at_once: int
    on_done: Progress


def look_up_all(run: RecordedRun, scoring: Scoring, asking: Asking) -> int:
    """Score every ranking of a recorded run; the number of queries that it does not have.

    A query that it does not have found nothing, which is measured.
    """
    missing = 0
    for judged in scoring.judged.scorable:
        try:
            ranking = run.ranking(judged.query)
            missing += ranking is None
            ranked = [] if ranking is None else _read(ranking, asking)
        except Exception as error:  # noqa: BLE001 - whatever the user's objects raise
            _note_failure(run.name, judged, error, scoring, asking)
        else:
            scoring.add(judged, ranked)
    return missing


async def ask_all(retriever: LiveRetriever, scoring: Scoring, asking: Asking) -> None:
    """Ask every query, so many at once, and score what comes back.

    Raises:
        PipelineError: The retriever failed on a query, and failures are not to be recorded.
    """
    waiting = iter(scoring.judged.scorable)
    count = min(asking.at_once, len(scoring.judged.scorable))
    workers = [asyncio.create_task(_work(retriever, waiting, scoring, asking)) for _ in range(count)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


async def _work(retriever: LiveRetriever, waiting: Iterator[Judged], scoring: Scoring, asking: Asking) -> None:
    thread = CallThread()
    try:
        for judged in waiting:
            try:
                ranked = await _ask(retriever, judged, asking, thread)
            except BaseException as error:
                if ends_the_run(error):
                    raise
                _note_failure(retriever.name, judged, error, scoring, asking)
            else:
                scoring.add(judged, ranked)
                asking.on_done(failed=False)
            await asyncio.sleep(0)  # let an interruption in between queries that never wait
    finally:
        thread.close()


async def _ask(retriever: LiveRetriever, judged: Judged, asking: Asking, thread: CallThread) -> list[str]:
    limit = asking.deepest if asking.limit is None else asking.limit

    def call() -> Any:
        returned = retriever(judged, limit)
        # What yields its results one by one may block while it does.
        return returned if inspect.isawaitable(returned) or hasattr(returned, "__aiter__") else _read(returned, asking)

    found = await thread.run(call) if retriever.in_thread else call()
    if inspect.isawaitable(found):
        found = await found
    elif isinstance(found, list):
        return found
    return await _read_stream(found, asking) if hasattr(found, "__aiter__") else _read(found, asking)


def _read(returned: Any, asking: Asking) -> list[str]:
    return ranked_ids(returned, asking.limit, asking.doc_id, enough=asking.deepest)


async def _read_stream(results: AsyncIterable[Any], asking: Asking) -> list[str]:
    ranking = Ranking(asking.limit, asking.deepest, asking.doc_id)
    stream = aiter(results)
    try:
        async for result in stream:
            if not ranking.add(result):
                break
    finally:
        if hasattr(stream, "aclose"):
            await stream.aclose()
    return ranking.documents


_REMEDY = "mend it, or pass on_error='record' to have failed queries counted and left out of the means"


def _note_failure(name: str, judged: Judged, error: BaseException, scoring: Scoring, asking: Asking) -> None:
    message = describe(error, redact)
    scoring.fail(judged, message)
    asking.on_done(failed=True)
    if not asking.record_failures:
        fault = PipelineError(
            f"{name} failed: {message.removesuffix('.')}",
            where=f"query {judged.query!r}",
            remedy=_REMEDY if getattr(error, "remedy", None) is None else None,  # that one stands in its message
        )
        fault.report = scoring.report(["stopped early: the figures cover only the queries that were finished"])
        raise fault from error
