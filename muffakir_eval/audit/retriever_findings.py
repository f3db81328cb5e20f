"""What is wrong with what the retriever returns."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from muffakir_eval.audit.asking import Retrieval, Retrieved
from muffakir_eval.audit.gold_findings import EXAMPLES, question_place
from muffakir_eval.audit.questions import QuestionFate
from muffakir_eval.audit.records import Finding, FindingExample
from muffakir_eval.audit.watching import Watch

__all__ = ["cap", "retriever_findings"]

_EXCERPT = 160
_AT_THE_CAP = 0.5
"""Share of the questions with the longest ranking from which that length is a cap and no chance."""
_ALL_THERE_IS = 0.9
"""Share of the index from which a ranking is all of it: an empty chunk, or one without a word of the question, is none
that a retriever holds back."""


def cap(retrieval: Retrieval, n_chunks: int) -> int | None:
    """So many chunks and never more, though more were asked for and the index has clearly more; else ``None``.

    Args:
        retrieval: What came back.
        n_chunks: Chunks of the index that can be told apart.
    """
    lengths = [found.n_chunks for found in retrieval.known()]
    most = max(lengths, default=0)
    if not most or retrieval.recorded or most >= min(retrieval.top_n, _ALL_THERE_IS * n_chunks):
        return None
    at_most = lengths.count(most)
    return most if at_most >= 2 and at_most >= _AT_THE_CAP * len(lengths) else None


def retriever_findings(retrieval: Retrieval, fates: Sequence[QuestionFate], watch: Watch) -> Iterator[Finding]:
    """The findings about a retriever, worst first.

    Args:
        retrieval: What came back.
        fates: The questions.
        watch: What was noted of the index.
    """
    yield from _failed(retrieval, fates)
    yield from _names(retrieval, fates, watch)
    yield from _outside(retrieval, fates, watch)
    yield from _empty(retrieval, fates)
    yield from _capped(retrieval, watch.n_distinct)
    yield from _repeats(retrieval, fates, watch.shared)
    yield from _not_compared(retrieval, fates)


def _failed(retrieval: Retrieval, fates: Sequence[QuestionFate]) -> Iterator[Finding]:
    failed = [fate for fate in fates if fate.retrieved is not None and fate.retrieved.state == "failed"]
    not_asked = len(fates) - len(retrieval.questions)
    if not failed:
        return
    rest = f"; {not_asked} questions were not asked any more" if not_asked else ""
    yield Finding(
        code="retriever_failed",
        severity="error",
        count=len(failed),
        total=len(retrieval.questions),
        unit="questions",
        message=f"the retriever failed on {len(failed)} of {len(retrieval.questions)} questions{rest}",
        remedy="mend it: the first errors stand in the examples",
        examples=tuple(_example(fate, str(fate.retrieved and fate.retrieved.error)) for fate in failed[:EXAMPLES]),
    )


def _names(retrieval: Retrieval, fates: Sequence[QuestionFate], watch: Watch) -> Iterator[Finding]:
    """Identifiers that came back as if they were texts."""
    named = {text: place for text, place in retrieval.short_texts.items() if text in watch.names}
    if not named:
        return
    yield Finding(
        code="identifiers_as_texts",
        severity="error",
        count=len(named),
        total=len(retrieval.short_texts),
        unit="texts",
        message=f"{len(named)} of {len(retrieval.short_texts)} texts of one word that came back are identifiers of "
        "this index: a plain list is read as texts, and they match nothing",
        remedy='return [{"chunk_id": …}, …], with the texts if it has them',
        examples=tuple(
            _example(fates[place], f"identifier {name!r}") for name, place in list(named.items())[:EXAMPLES]
        ),
    )


def _outside(retrieval: Retrieval, fates: Sequence[QuestionFate], watch: Watch) -> Iterator[Finding]:
    by_id: Mapping[str, int] = watch.outside if watch.n_ids else {}
    if by_id:
        yield Finding(
            code="retrieved_outside_index",
            severity="error",
            count=len(by_id),
            total=len(retrieval.ids),
            unit="ids",
            message=f"{len(by_id)} of the {len(retrieval.ids)} chunks that came back have identifiers that no chunk of "
            "this index has: the retriever searches another index, or an older build of it",
            remedy="audit the index that the retriever searches, or build its index anew",
            examples=tuple(
                _example(fates[place], f"identifier {name!r}") for name, place in list(by_id.items())[:EXAMPLES]
            ),
        )
    strangers = [
        (fate, gold)
        for fate in fates
        for gold in fate.golds
        if gold.rank is not None and gold.reach is not None and gold.reach.presence in ("part", "nowhere", "split")
    ]
    if strangers:
        yield Finding(
            code="found_outside_index",
            severity="warning",
            count=len(strangers),
            total=sum(len(fate.golds) for fate in fates),
            unit="golds",
            message=f"{len(strangers)} golds were retrieved, though no chunk of this index holds them: the retriever "
            "returns other texts than the index has",
            remedy="audit the index that the retriever searches; one that joins or enlarges chunks is no fault",
            examples=tuple(_example(fate, f"rank {gold.rank}") for fate, gold in strangers[:EXAMPLES]),
        )


def _empty(retrieval: Retrieval, fates: Sequence[QuestionFate]) -> Iterator[Finding]:
    n = len(retrieval.known())
    empty = [fate for fate in fates if _is_empty(fate.retrieved)]
    if not empty:
        return
    yield Finding(
        code="retriever_empty",
        severity="error" if len(empty) == n else "warning",
        count=len(empty),
        total=n,
        unit="questions",
        message=f"for {len(empty)} of {n} questions nothing came back",
        remedy="check that the retriever has an index and that no filter or threshold throws everything away",
        examples=tuple(_example(fate) for fate in empty[:EXAMPLES]),
    )


def _is_empty(found: Retrieved | None) -> bool:
    return found is not None and found.state in ("compared", "not_comparable") and not found.n_chunks


def _capped(retrieval: Retrieval, n_chunks: int) -> Iterator[Finding]:
    most = cap(retrieval, n_chunks)
    if most is None:
        return
    lengths = [found.n_chunks for found in retrieval.known()]
    yield Finding(
        code="retriever_capped",
        severity="warning",
        count=lengths.count(most),
        total=len(lengths),
        unit="questions",
        message=f"the retriever never returns more than {most} chunks, though {retrieval.top_n} were asked for: a "
        f"larger k than {most} changes nothing",
        remedy="raise its own limit (top_k, n_results, a score threshold), if a larger k is wanted",
    )


def _repeats(retrieval: Retrieval, fates: Sequence[QuestionFate], shared: Collection[str]) -> Iterator[Finding]:
    hit = [(fate, fate.retrieved) for fate in fates if fate.retrieved is not None and fate.retrieved.n_repeats]
    if not hit:
        return
    known = len(retrieval.known())
    repeats = sum(found.n_repeats for _, found in hit)
    message = (
        f"for {len(hit)} of {known} questions the same chunk came back more than once ({repeats} ranks in all): a "
        "repeat takes a place and earns nothing"
    )
    remedy = "drop repeats before the results are cut to k; look for chunks that were indexed twice"
    if shared:
        message = (
            f"for {len(hit)} of {known} questions the same identifier came back more than once ({repeats} ranks in "
            f"all), and {len(shared)} of the identifiers that came back are shared by several chunks of this index: "
            "chunks that share an identifier count as one, and all but the first earn nothing"
        )
        remedy = (
            "give each chunk an identifier of its own (the finding duplicate_id or id_in_several_sources shows them), "
            "and audit again"
        )
    yield Finding(
        code="retriever_repeats",
        severity="warning",
        count=len(hit),
        total=known,
        unit="questions",
        message=message,
        remedy=remedy,
        examples=tuple(_example(fate, f"{found.n_repeats} repeats") for fate, found in hit[:EXAMPLES]),
    )


def _not_compared(retrieval: Retrieval, fates: Sequence[QuestionFate]) -> Iterator[Finding]:
    hit = [fate for fate in fates if fate.retrieved is not None and fate.retrieved.state == "not_comparable"]
    if not hit:
        return
    yield Finding(
        code="retrieved_not_compared",
        severity="warning",
        count=len(hit),
        total=len(retrieval.questions),
        unit="questions",
        message=f"for {len(hit)} questions nothing could be compared: the golds have only identifiers and the returned "
        "chunks only texts, or the other way round",
        remedy="have the retriever return texts and identifiers, as the index has them",
        examples=tuple(_example(fate) for fate in hit[:EXAMPLES]),
    )


def _example(fate: QuestionFate, detail: str = "") -> FindingExample:
    question = " ".join(fate.sample.question[: 2 * _EXCERPT].split())[:_EXCERPT]
    return FindingExample(at=question_place(fate), excerpt=question, detail=detail)
