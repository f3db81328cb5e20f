"""What a retriever returned, as identifiers in rank order.

A ranking is a list (or any other iterable in rank order) of results, a mapping of documents to scores,
or an envelope around one: ``{"documents": […]}``, ``{"hits": {"hits": […]}}``, a batch of one such as
``{"ids": [[…]]}``, an object with ``source_nodes``, a ``PipelineOutput``.

A result is an identifier, a pair ``(result, score)``, or a dict or object, whose identifier is the first
that is there of

1. its ``source_id`` (``doc_id``, ``document_id``, ``docid``, ``docno``, ``corpus_id``, ``ref_doc_id``),
2. that of the ``segment`` (``node``, ``document``, ``chunk``) that it holds, by these same rules,
3. the same names and ``source`` in its ``metadata`` (``meta``, ``payload``),
4. its ``id`` (``_id``, ``id_``, ``node_id``, ``chunk_id``), its own ``source``, ``chunk_id`` or ``id`` of
   the metadata,
5. its text.

Only a ``RetrievedChunk`` of this package goes by ``chunk_id``, ``source``, text.
"""

from __future__ import annotations

import numbers
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import Any

from muffakir_eval.errors import MuffakirEvalError, PipelineError, PipelineOutputError
from muffakir_eval.matching.documents import chunk_from
from muffakir_eval.pipelines.shapes import CHUNK_KEYS, ID_KEYS, describe, first_key, get_part, remedy_for
from muffakir_eval.records import PipelineOutput, RetrievedChunk
from muffakir_eval.retrieval_evaluation.identifiers import are_clean, clean_ids
from muffakir_eval.text.identifiers import clean_id

__all__ = ["DocId", "Ranking", "ranked_ids", "result_id"]

DocId = Callable[[Any], Any]
"""Finds the identifier of one result."""

_SOURCE_NAMES = ("source_id", "doc_id", "document_id", "docid", "docno", "corpus_id", "ref_doc_id")
_INNER = ("segment", "node", "document", "chunk")
_METADATA = ("metadata", "meta", "payload")
_OWN_NAMES = ("id", "_id", "id_", "node_id", "chunk_id", "chunkId", "source")
_LAST_NAMES = ("chunk_id", "chunkId", "id")
_RESULT_KEYS = ("ids", *CHUNK_KEYS, "points", *ID_KEYS)
_DEPTH = 4
_EXPECTED = "identifiers, pairs (id, score), dicts or objects with an identifier, in rank order"


class Ranking:
    """A ranking whose results come one by one, until there are enough.

    Args:
        limit: How many results are looked at; ``None`` for no such limit.
        enough: How many different documents are enough; ``None`` for all.
        doc_id: Finds the identifier of one result, where the rules of this module do not fit.
    """

    def __init__(self, limit: int | None, enough: int | None = None, doc_id: DocId | None = None) -> None:
        self.documents: list[str] = []
        self._limit, self._enough, self._find = limit, enough, doc_id or result_id
        self._different: set[str] = set()

    def add(self, result: Any) -> bool:
        """Take the next result; false where no further one is wanted."""
        name = _named(result, len(self.documents) + 1, self._find)
        self.documents.append(name)
        self._different.add(name)
        return len(self.documents) != self._limit and len(self._different) != self._enough


def ranked_ids(
    returned: Any, limit: int | None, doc_id: DocId | None = None, *, enough: int | None = None
) -> list[str]:
    """The documents of a ranking in rank order; one that was retrieved in several pieces stands there several times.

    Args:
        returned: What the retriever returned.
        limit: How many results are looked at; ``None`` for all.
        doc_id: Finds the identifier of one result, where the rules of this module do not fit.
        enough: After how many different documents nothing more is taken from what yields its results one by
            one, and may do so without an end.

    Raises:
        PipelineOutputError: It is no ranking, or a result has no identifier.

    >>> ranked_ids([("d2", 0.9), {"source_id": 7}, "d2"], 10)
    ['d2', '7', 'd2']
    >>> ranked_ids({"d1": 0.2, "d2": 0.9}, 1)
    ['d2']
    """
    results = _results(returned)
    if not isinstance(results, (list, tuple)):
        ranking = Ranking(limit, enough, doc_id)
        for result in results:
            if not ranking.add(result):
                break
        return ranking.documents
    if limit is not None and len(results) > limit:
        results = results[:limit]
    if doc_id is None:
        names = _of_plain(results)
        if names is not None:
            return names
    return [_named(result, rank, doc_id or result_id) for rank, result in enumerate(results, 1)]


def _of_plain(results: Sequence[Any]) -> list[str] | None:
    """The documents of a list of nothing but identifiers, or of pairs with a score; ``None`` for any other."""
    if isinstance(results, list) and are_clean(results):
        return results
    kinds = set(map(type, results))
    if kinds == {tuple} and set(map(len, results)) == {2}:
        results, scores = map(list, zip(*results, strict=True))
        if not set(map(type, scores)) <= {float, int}:
            return None
        kinds = set(map(type, results))
    return clean_ids(results if isinstance(results, list) else list(results)) if kinds <= {str} else None


def _results(returned: Any) -> Iterable[Any]:
    if isinstance(returned, (list, tuple)):
        return returned
    if isinstance(returned, PipelineOutput):
        return _of_output(returned)
    if isinstance(returned, Mapping):
        return _of_mapping(returned)
    if isinstance(returned, (str, bytes, AbstractSet)) or getattr(returned, "ndim", 1) != 1:
        raise _no_ranking(returned)
    if _is_scored_series(returned):
        raise PipelineOutputError(
            "the retriever returned a Series of numbers under labels",
            expected=f"a list of {_EXPECTED}",
            remedy="return series.to_dict(), if the labels are the documents and the numbers their scores",
        )
    # An object may be gone through, as pydantic models can, and yet have its results in an attribute.
    parts = {key: part for key in _RESULT_KEYS if isinstance(part := getattr(returned, key, None), (list, tuple))}
    return returned if isinstance(returned, Iterable) and not parts else _of_parts(parts, returned)


def _is_scored_series(returned: Any) -> bool:
    """A pandas Series that holds scores; one of identifiers has no fractions, or is not labelled with texts."""
    kinds = [getattr(getattr(part, "dtype", None), "kind", "") for part in (returned, getattr(returned, "index", None))]
    return kinds[0] == "f" and kinds[1] in ("O", "U", "S", "T")


def _of_output(output: PipelineOutput) -> Iterable[Any]:
    if output.error is not None:
        raise PipelineError(output.error)
    if output.chunks is None:
        raise PipelineOutputError("the pipeline does not tell what it retrieved", expected="chunks")
    return output.chunks


def _of_mapping(returned: Mapping[Any, Any]) -> Iterable[Any]:
    """The keys by falling score, ties in their order; or what an envelope holds."""
    scores = list(returned.values())
    if not _are_numbers(scores):
        scores = list(map(_score, scores))
        if any(score is None for score in scores):
            return _of_parts(returned, returned)
        wrong = next((document for document, score in zip(returned, scores, strict=True) if score != score), None)
        if wrong is not None:
            raise PipelineOutputError(f"the score of {wrong!r} is NaN", expected="numbers, which have an order")
    if sorted(scores, reverse=True) == scores:  # as most systems write them
        return list(returned)
    by_document = dict(zip(returned, scores, strict=True))
    return sorted(returned, key=by_document.__getitem__, reverse=True)


def _are_numbers(scores: list[Any]) -> bool:
    """All are numbers that have an order, as one look at their sum tells; in doubt they are not."""
    try:
        total = sum(scores)
    except Exception:  # noqa: BLE001 - whatever arrays of different shapes raise
        return False
    return (type(total) is float and total == total) or (type(total) is int and bool not in map(type, scores))


def _score(value: Any) -> Any:
    """A number, out of an array without dimensions too; ``None`` for anything else."""
    if _is_scalar(value):
        value = value.item()
    return None if isinstance(value, bool) or not isinstance(value, (numbers.Real, Decimal)) else value


def _of_parts(parts: Mapping[str, Any], returned: Any) -> Iterable[Any]:
    found = parts.get(first_key(parts, _RESULT_KEYS) or "")
    if isinstance(found, Mapping) and found:
        return _of_mapping(found)
    if isinstance(found, (str, bytes, Mapping, AbstractSet)) or not isinstance(found, Iterable):
        raise _no_ranking(returned)
    if isinstance(found, (list, tuple)) and len(found) == 1 and isinstance(found[0], list):
        return found[0]  # the answer to a batch of one query
    return found


def _no_ranking(returned: Any) -> PipelineOutputError:
    what = f"a {type(returned).__name__}" if isinstance(returned, AbstractSet) else describe(returned)
    return PipelineOutputError(
        f"the retriever returned {what}",
        expected=f"a list of {_EXPECTED}; an empty one where nothing was found",
        remedy="return its one column or row of identifiers as a list"
        if getattr(returned, "ndim", 1) == 2
        else remedy_for(returned),
    )


def _named(result: Any, rank: int, find: DocId) -> str:
    try:
        name = clean_id(find(result))
    except MuffakirEvalError as error:
        raise PipelineOutputError(
            error.found, where=f"result at rank {rank}", expected=_EXPECTED, remedy=error.remedy
        ) from None
    if name is None:
        raise PipelineOutputError(
            f"it is {describe(result)} and has no identifier", where=f"result at rank {rank}", expected=_EXPECTED
        )
    return name


def result_id(result: Any) -> Any:
    """The identifier of one result by the rules of this module; ``None`` where it has none.

    >>> result_id({"id": "chunk-3", "metadata": {"source": "civil.pdf"}})
    'civil.pdf'
    """
    if isinstance(result, bool):
        return None
    if isinstance(result, (str, numbers.Number, uuid.UUID)):
        return result
    if isinstance(result, RetrievedChunk):
        return result.chunk_id or result.source or result.text
    if hasattr(type(result), "_asdict"):  # a named tuple
        result = result._asdict()
    if isinstance(result, (tuple, list)):
        return _of_pair(result)
    if result is None or isinstance(result, (bytes, AbstractSet, type)):
        return None
    if _is_scalar(result):
        return result.item()
    found = _by_name(result, _DEPTH)
    return chunk_from(result).text if found is None else found


def _of_pair(pair: tuple[Any, ...] | list[Any]) -> Any:
    if len(pair) != 2 or not (pair[1] is None or _score(pair[1]) is not None) or _is_turned_round(*pair):
        remedy = "zip identifiers and scores, if the retriever returns two lists" if len(pair) > 1 else None
        if len(pair) == 2 and _score(pair[0]) is not None:
            remedy = "turn the pairs round: (id, score)"
        raise PipelineOutputError(
            f"a result is a {type(pair).__name__} of {len(pair)}, and no (id, score)", remedy=remedy
        )
    return result_id(pair[0])


def _is_turned_round(first: Any, second: Any) -> bool:
    """A fraction before a whole number is the score before the identifier."""
    return isinstance(first, float) and not first.is_integer() and isinstance(second, numbers.Integral)


def _is_scalar(value: Any) -> bool:
    """A number as numpy and its like have it, an array without dimensions included."""
    return getattr(value, "ndim", None) == 0


def _by_name(result: Any, depth: int) -> str | None:
    """The identifier under a known name, ``None`` where there is none."""
    found = _first(result, _SOURCE_NAMES)
    if found is not None:
        return found
    for name in _INNER if depth else ():
        inner = get_part(result, name)
        if inner is not None and not isinstance(inner, (str, bytes, numbers.Number)) and not callable(inner):
            found = _by_name(inner, depth - 1)
            if found is not None:
                return found
    metadata = [part for name in _METADATA if isinstance(part := get_part(result, name), Mapping)]
    places = (
        *((part, (*_SOURCE_NAMES, "source")) for part in metadata),
        (result, _OWN_NAMES),
        *((part, _LAST_NAMES) for part in metadata),
    )
    return next((found for part, names in places if (found := _first(part, names)) is not None), None)


def _first(holder: Any, names: tuple[str, ...]) -> str | None:
    for name in names:
        value = get_part(holder, name)
        if value is None or callable(value) or isinstance(value, (bool, Mapping, list, tuple)):
            continue
        found = clean_id(value)
        if found is not None:
            return found
    return None
