"""What a question comes to, in words, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from muffakir_eval.audit.questions import GoldFate, QuestionFate
from muffakir_eval.audit.records import GoldReach, Place, Sighting

__all__ = ["explained", "place_words"]

_SHOWN = 3


class _Case(NamedTuple):
    fate: QuestionFate
    gold: GoldFate
    k: int


Words = tuple[str, str]
"""What was found, and the remedy; the second is empty where there is nothing to do."""


def place_words(at: Place) -> str:
    """Where a chunk is, in words.

    >>> place_words(Place(ordinal=6, chunk_id="c7", place="corpus.jsonl, line 7"))
    'corpus.jsonl, line 7 (id c7)'
    """
    place = at.place or f"chunk {at.ordinal + 1}"
    return f"{place} (id {at.chunk_id})" if at.chunk_id else place


def explained(fate: QuestionFate, *, k: int) -> Words:
    """Message and remedy for one question, from the gold that decides.

    Args:
        fate: The question.
        k: Main cutoff.
    """
    gold = fate.deciding
    if gold is None:
        return "the question names no evidence", ""
    message, remedy = _WORDS[fate.outcome](_Case(fate, gold, k))
    if len(fate.golds) > 1:
        message = f"{fate.count(fate.outcome)} of {len(fate.golds)} golds: {message}"
    return message, remedy


def _found(case: _Case) -> Words:
    return f"found at rank {case.gold.rank}", ""


def _below_k(case: _Case) -> Words:
    return (
        f"retrieved at rank {case.gold.rank}, below k = {case.k}",
        f"rank it higher (a reranker), or raise k to {case.gold.rank}",
    )


def _not_retrieved(case: _Case) -> Words:
    came = 0 if case.fate.retrieved is None else case.fate.retrieved.n_chunks
    what = "nothing came back" if not came else f"not among the {came} chunks that came back"
    remedy = "compare the question with that chunk: other words, another language, a filter, an embedding that fails"
    return f"in the index at {_places(case.gold.reach)}, and {what}", remedy


def _in_index(case: _Case) -> Words:
    return f"in the index at {_places(case.gold.reach)}", ""


def _split(case: _Case) -> Words:
    sightings = _sightings(case.gold.reach)
    spread = f"over {len(sightings)} chunks, " if sightings else ""
    return (
        f"spread {spread}{_places(case.gold.reach)}: no single chunk holds enough of it",
        "cut larger chunks, let neighbours overlap, or cut at the ends of paragraphs",
    )


def _not_in_index(case: _Case) -> Words:
    reach = case.gold.reach
    remedy = "load the document that holds it, or correct the gold"
    if reach is None or reach.presence == "nowhere" or not reach.covered:
        return "no chunk of the index holds it, nor any longer part of it", remedy
    return f"only {100 * reach.covered:.0f} % of its words are in the index, at {_places(reach)}", remedy


def _unknown_id(case: _Case) -> Words:
    reach = case.gold.reach
    ids = reach.unknown_ids if reach is not None else ()
    message = f"no chunk of the index has the identifier {_listed(ids)}"
    if reach is not None and reach.padded_ids:
        return (
            f"{message}; {_listed(reach.padded_ids)} differs from it only in zeros, case or spaces",
            "keep identifiers as text, from the source to the index and to the questions",
        )
    return message, "take the identifiers of the questions from this index, or keep them when it is built anew"


def _not_compared(case: _Case) -> Words:
    reach = case.gold.reach
    if reach is not None and reach.presence == "whole":
        return (
            f"in the index at {_places(reach)}; what came back has nothing that it could be compared by",
            "have the retriever return the texts and identifiers of its chunks",
        )
    return (
        "the gold has nothing that it could be compared by",
        "give the questions gold passages, or identifiers as the index has them, and see match_by",
    )


def _pipeline_error(case: _Case) -> Words:
    error = case.fate.retrieved.error if case.fate.retrieved is not None else None
    return f"in the index at {_places(case.gold.reach)}, and the retriever failed: {error}", "mend the retriever"


_WORDS: dict[str, Callable[[_Case], Words]] = {
    "found": _found,
    "below_k": _below_k,
    "not_retrieved": _not_retrieved,
    "in_index": _in_index,
    "split": _split,
    "not_in_index": _not_in_index,
    "unknown_id": _unknown_id,
    "not_compared": _not_compared,
    "pipeline_error": _pipeline_error,
}


def _sightings(reach: GoldReach | None) -> Sequence[Sighting]:
    return () if reach is None else reach.sightings


def _places(reach: GoldReach | None) -> str:
    sightings = _sightings(reach)
    shown = "; ".join(place_words(sighting.at) for sighting in sightings[:_SHOWN])
    more = max(len(sightings), reach.n_chunks if reach is not None and reach.presence == "whole" else 0) - _SHOWN
    return (f"{shown}; and {more} more" if more > 0 else shown) or "an unknown place"


def _listed(ids: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in ids[:_SHOWN])
    return f"{shown}, …" if len(ids) > _SHOWN else shown
