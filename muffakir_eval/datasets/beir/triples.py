"""Corpus, queries and judgements from whatever holds the three."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

from muffakir_eval.datasets.beir.reading import read_beir
from muffakir_eval.datasets.beir.texts import document_text
from muffakir_eval.datasets.cells.text import shown
from muffakir_eval.datasets.dataset import EvaluationDataset
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.judged import gold_fields, matched_by_id
from muffakir_eval.datasets.judgements import Judgements, checked_grade
from muffakir_eval.datasets.reading.memory import is_frame, read_frame
from muffakir_eval.errors import DatasetError
from muffakir_eval.records import Sample
from muffakir_eval.text.identifiers import clean_id

__all__ = ["as_beir_triple", "is_triple", "triple_samples"]

_ITERATORS = ("docs_iter", "queries_iter", "qrels_iter")
_PARTS = ("corpus", "queries", "qrels")
_TEXT = ("text", "body", "contents")
_ACCEPTED = (
    "the path of a BEIR folder, (corpus, queries, qrels), a dict with these keys, or an object with queries_iter and "
    "qrels_iter, as ir_datasets has"
)


def as_beir_triple(source: Any) -> tuple[dict[str, str], dict[str, str], Judgements]:
    """Corpus, queries and judgements as plain dicts.

    Args:
        source: The path of a BEIR folder; three parts ``(corpus, queries, qrels)`` or a dict of them; or a data
            set of ``ir_datasets``: an object with ``queries_iter``, ``qrels_iter`` and, for the corpus,
            ``docs_iter``. A part may be a mapping (``{id: text}``, ``{id: {"title", "text"}}``,
            ``{query: {document: grade}}``), or an iterable of objects, named tuples or dicts with
            ``doc_id``, ``query_id``, ``text``, ``relevance``, or of plain tuples in that order
            (query, document, grade), or a frame with such columns.

    Returns:
        ``(corpus, queries, qrels)`` as :func:`read_beir` gives them; a corpus that is not there is empty.

    Raises:
        DatasetError: It is none of these, an item has no identifier or no text, an identifier stands twice,
            or two judgements contradict each other.

    >>> as_beir_triple(({"d": "نص"}, [("q", "سؤال")], [("q", "d", 1)]))
    ({'d': 'نص'}, {'q': 'سؤال'}, {'q': {'d': 1}})
    """
    if isinstance(source, (str, os.PathLike)):
        return read_beir(source)
    corpus, queries, qrels = _parts(source)
    return _texts(corpus, "doc_id", "corpus"), _texts(queries, "query_id", "queries"), _judgements(qrels)


def is_triple(value: Any) -> bool:
    """``value`` can be nothing else: all three parts are there as mappings, or it is a data set of ``ir_datasets``."""
    if isinstance(value, (tuple, list, Mapping)):
        if isinstance(value, Mapping):
            if set(value) not in ({"queries", "qrels"}, {"corpus", "queries", "qrels"}):
                return False
        elif len(value) != len(_PARTS):
            return False
        _, queries, qrels = _parts(value)
        return (
            isinstance(queries, Mapping)
            and all(isinstance(text, str) for text in queries.values())
            and isinstance(qrels, Mapping)
            and bool(qrels)
            and all(isinstance(judged, Mapping) for judged in qrels.values())
        )
    return not callable(value) and all(callable(getattr(value, name, None)) for name in _ITERATORS[1:])


def triple_samples(source: Any, findings: Findings, limit: int | None) -> EvaluationDataset:
    """The judged queries of a triple as samples, in the order of the queries.

    The texts of golds are taken from a corpus that is in memory; others are not looked at.

    Raises:
        DatasetError: As :func:`as_beir_triple`, or none of the queries is judged.
    """
    corpus, queries, qrels = _parts(source)
    texts = _texts(corpus, "doc_id", "corpus") if isinstance(corpus, Mapping) else {}
    asked, judged = _texts(queries, "query_id", "queries"), _judgements(qrels)
    named = f"the {type(source).__name__}"
    unasked = [query for query in judged if not asked.get(query, "").strip()]
    if unasked:
        findings.warn(
            "query",
            f"{named}: {len(unasked)} of {len(judged)} judged queries (first: {shown(unasked[0])}) have no text, and "
            "are left out",
        )
    found = ((query, text) for query, text in asked.items() if query in judged and text.strip())
    compared = _compared(texts)
    samples = [
        Sample(sample_id=query, row=number, question=text, **gold_fields(judged[query], compared))
        for number, (query, text) in enumerate(islice(found, limit), start=1)
    ]
    if not samples:
        raise DatasetError(
            "none of the queries that have a text is judged",
            where=named,
            expected="the same identifiers in queries and qrels",
        )
    mapping = {"question": ("queries",), "chunk_ids": ("qrels",)}
    dataset = EvaluationDataset(
        samples, source=named, mapping={**mapping, "contexts": ("corpus",)} if texts else mapping
    )
    matched_by_id(dataset)
    return dataset


def _compared(texts: Mapping[str, str]) -> dict[str, str]:
    """Texts by identifiers as they are compared, which must not make one of two."""
    first: dict[str, str] = {}
    for identifier in texts:
        other = first.setdefault(clean_id(identifier) or "", identifier)
        if other != identifier:
            raise DatasetError(
                f"the identifiers {shown(other)} and {shown(identifier)} are the same once they are compared",
                where="corpus",
                expected="each identifier once",
                remedy="give one of the two documents another identifier",
            )
    return {identifier: texts[given] for identifier, given in first.items()}


def _parts(source: Any) -> tuple[Any, Any, Any]:
    if isinstance(source, Mapping) and {"queries", "qrels"} <= source.keys():
        return source.get("corpus", {}), source["queries"], source["qrels"]
    if isinstance(source, (tuple, list)) and len(source) == len(_PARTS):
        return source[0], source[1], source[2]
    documents, queries, qrels = (getattr(source, name, None) for name in _ITERATORS)
    if callable(queries) and callable(qrels):
        return documents() if callable(documents) else {}, queries(), qrels()
    raise DatasetError(f"{type(source).__name__} holds no corpus, queries and qrels", expected=_ACCEPTED)


def _texts(part: Any, id_name: str, where: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    for item in _items(part, where):
        identifier = _identifier(_of(item, (id_name, "_id", "id"), 0))
        text = _text(item)
        if identifier is None or text is None:
            what = "identifier" if identifier is None else "text"
            raise DatasetError(f"{shown(item)} has no {what}", where=where, expected=f"{id_name} and text")
        if identifier in texts:
            raise DatasetError(
                f"the identifier {shown(identifier)} stands twice", where=where, expected="each identifier once"
            )
        texts[identifier] = text
    return texts


def _items(part: Any, where: str) -> Iterable[Any]:
    if isinstance(part, Mapping):
        return part.items()
    if hasattr(part, "columns") and is_frame(part):  # which gives its columns when it is iterated
        return (row for _, _, row in read_frame(part).rows)
    if isinstance(part, Iterable) and not isinstance(part, (str, bytes)):
        return part
    raise DatasetError(f"{where} is of the type {type(part).__name__}", where=where, expected=_ACCEPTED)


def _text(item: Any) -> str | None:
    """The text of a document or a query, with its title before it."""
    if _is_plain(item):
        inner = item[1] if len(item) > 1 else None
        return inner if isinstance(inner, str) or inner is None else _text(inner)
    whole = getattr(item, "default_text", None)  # of ir_datasets: what is searched, or asked
    if callable(whole):
        return str(whole())
    text, title = _of(item, _TEXT, None), _of(item, ("title",), None)
    if isinstance(text, str):
        return document_text(title, text) if isinstance(title, str) else text
    return title if isinstance(title, str) else None


def _is_plain(item: Any) -> bool:
    """A tuple whose entries have no names."""
    return isinstance(item, (tuple, list)) and not hasattr(type(item), "_fields")


def _of(item: Any, names: Iterable[str], position: int | None) -> Any:
    """What an item holds under the first of the names that it has, or at a place."""
    if _is_plain(item):
        return item[position] if position is not None and position < len(item) else None
    get: Callable[[str], Any] = item.get if isinstance(item, Mapping) else lambda name: getattr(item, name, None)
    return next((value for name in names if (value := get(name)) is not None), None)


def _identifier(value: Any) -> str | None:
    """An identifier: a text as it stands, anything else as text."""
    return value if isinstance(value, str) else clean_id(value)


def _judgements(part: Any) -> Judgements:
    found: Judgements = {}
    if isinstance(part, Mapping):
        found = {_identifier(query) or "": {} for query in part}
    for query, document, grade in _triples(part):
        where = f"qrels, query {query!a}"
        if query is None or document is None:
            raise DatasetError("a judgement names no query or no document", where=where)
        number = checked_grade(grade, f"{where}, document {document!a}")
        judged = found.setdefault(query, {})
        if judged.setdefault(document, number) != number:
            raise DatasetError(
                f"document {shown(document)} has the grades {judged[document]} and {number}",
                where=where,
                expected="one grade for each query and document",
            )
    return found


def _triples(part: Any) -> Iterable[tuple[str | None, str | None, Any]]:
    if isinstance(part, Mapping):
        for query, judged in part.items():
            if not isinstance(judged, Mapping):
                raise DatasetError(
                    f"the judgements are of the type {type(judged).__name__}",
                    where=f"qrels, query {query!a}",
                    expected="{document id: grade}",
                )
            for document, grade in judged.items():
                yield _identifier(query), _identifier(document), grade
        return
    for item in _items(part, "qrels"):
        query = _of(item, ("query_id", "query-id", "qid"), 0)
        document = _of(item, ("doc_id", "corpus-id", "corpus_id", "docid"), 1)
        grade = _of(item, ("relevance", "score", "rel", "grade"), 2)
        yield _identifier(query), _identifier(document), grade
