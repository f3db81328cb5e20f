"""What a retriever is measured against: checked judgements, query by query."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from muffakir_eval.errors import DatasetError
from muffakir_eval.metrics.earnings import falling
from muffakir_eval.retrieval_evaluation.identifiers import clean_ids
from muffakir_eval.text.identifiers import clean_id

__all__ = ["ByQuery", "Judged", "JudgedSet", "SkipReason", "read_judgements"]

SkipReason = str
"""``no_gold``: no document is judged relevant; ``no_query_text``: the query has no text to search for."""


class Target(NamedTuple):
    """Documents that earn something.

    Attributes:
        grades: Document to what it is worth; 0 is nothing, and none is below.
        ideal: The grades above 0, falling.
    """

    grades: Mapping[str, float]
    ideal: Sequence[float]


class Judged(NamedTuple):
    """One query that can be scored.

    Attributes:
        query: Its identifier, as the judgements spell it.
        text: What is searched for; ``None`` where nothing has to be searched.
        relevant: The documents judged relevant.
        hard: The hard positives among them; ``None`` where none is known.
        distractors: The known distractors; ``None`` where none is known.
    """

    query: str
    text: str | None
    relevant: Target
    hard: Target | None = None
    distractors: Target | None = None


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """The judgements of an evaluation.

    Attributes:
        scorable: The queries that can be scored, in the order of the judgements.
        skipped: The other queries, with the reason.
    """

    scorable: Sequence[Judged]
    skipped: Mapping[str, SkipReason]


class ByQuery:
    """A mapping by query, in which ``12``, ``"12"`` and ``12.0`` are the same query."""

    def __init__(self, given: Mapping[Any, Any]) -> None:
        self._given = given
        self._cleaned: dict[str | None, Any] | None = None

    def get(self, query: Any) -> Any:
        """What stands under ``query``; ``None`` where nothing does."""
        if query in self._given:
            return self._given[query]
        if self._cleaned is None:
            self._cleaned = {clean_id(key): value for key, value in self._given.items()}
            self._cleaned.pop(None, None)
        return self._cleaned.get(clean_id(query))


def read_judgements(
    qrels: Mapping[str, Mapping[str, float]],
    queries: Mapping[str, str] | None,
    distractors: Mapping[str, Collection[str]] | None = None,
    hard_positives: Mapping[str, Collection[str]] | None = None,
) -> JudgedSet:
    """Check what an evaluation is given, and put together what belongs to each query.

    Args:
        qrels: Query to document to grade.
        queries: Query to text; ``None`` where nothing has to be searched.
        distractors: Query to the documents that look relevant and are not.
        hard_positives: Query to the relevant documents that are hard to find.

    Raises:
        DatasetError: One of them is malformed, they contradict each other, or no query can be scored.
    """
    _check_mappings(qrels=qrels, queries=queries, distractors=distractors, hard_positives=hard_positives)
    texts = None if queries is None else ByQuery(queries)
    baits, hards = ByQuery(distractors or {}), ByQuery(hard_positives or {})
    plain = not distractors and not hard_positives
    _check_queries(qrels)
    scorable: list[Judged] = []
    skipped: dict[str, SkipReason] = {}
    for query, judgements in qrels.items():
        relevant = _relevant(f"qrels, query {query!r}", judgements)
        text = None if texts is None else _text(query, texts.get(query))
        if relevant is None:
            skipped[query] = "no_gold"
        elif texts is not None and text is None:
            skipped[query] = "no_query_text"
        elif plain:
            scorable.append(Judged(query, text, relevant))
        else:
            scorable.append(
                Judged(
                    query,
                    text,
                    relevant,
                    hard=_hard(query, hards.get(query), relevant.grades),
                    distractors=_distractors(query, baits.get(query), relevant.grades),
                )
            )
    if not scorable:
        raise _nothing_to_score(skipped)
    return JudgedSet(scorable, skipped)


def _check_mappings(**given: Any) -> None:
    for name, value in given.items():
        if not isinstance(value, Mapping) and not (value is None and name != "qrels"):
            expected = {"qrels": "{query_id: {doc_id: grade}}", "queries": "{query_id: text}"}
            raise DatasetError(
                f"it is of type {type(value).__name__}",
                where=name,
                expected=f"a mapping {expected.get(name, '{query_id: [doc_id, …]}')}",
            )


def _check_queries(qrels: Mapping[Any, Any]) -> None:
    """Every query has a name, and one of its own."""
    queries = list(qrels)
    names = clean_ids(queries)
    if names is None:
        query = next(query for query in queries if clean_id(query) is None)
        raise DatasetError(f"{query!r} names no query", where="qrels", expected="an identifier")
    if len(set(names)) < len(names):
        first: dict[str, Any] = {}
        one, other = next(
            (first[name], query)
            for name, query in zip(names, queries, strict=True)
            if first.setdefault(name, query) is not query
        )
        raise DatasetError(
            f"one query is judged twice, as {one!r} and as {other!r}", where="qrels", expected="every query once"
        )


def _relevant(where: str, judgements: Any) -> Target | None:
    """The documents judged relevant; ``None`` where there is none."""
    if not isinstance(judgements, Mapping):
        raise DatasetError(
            f"its judgements are of type {type(judgements).__name__}",
            where=where,
            expected="a mapping {doc_id: grade}",
            remedy="qrels come before queries: were they turned round?"
            if isinstance(judgements, str)
            else "dict.fromkeys(ids, 1) makes one of a list of relevant documents",
        )
    documents, grades = list(judgements), list(judgements.values())
    kinds = set(map(type, grades))
    if not kinds <= _PLAIN_NUMBERS or (float in kinds and not _are_finite(grades)):
        grades = [_number(where, document, grade) for document, grade in judgements.items()]
    names = clean_ids(documents)
    if names is None:
        name = next(document for document in documents if clean_id(document) is None)
        raise DatasetError(f"{name!r} names no document", where=where, expected="an identifier")
    if names is not documents:
        _refuse_contradiction(where, names, grades)
    plain = type(judgements) is dict and names is documents and kinds <= _PLAIN_NUMBERS
    return _target(judgements if plain else dict(zip(names, grades, strict=True)), falling(grades))


def _target(grades: Mapping[str, float], ideal: list[float]) -> Target | None:
    if not ideal or ideal[0] <= 0:
        return None
    if ideal[-1] < 0 or len(ideal) > len(grades):
        grades = {name: grade for name, grade in grades.items() if grade > 0}
        ideal = falling(grades.values())
    elif ideal[-1] == 0:
        del ideal[-ideal.count(0) :]
    return Target(grades, ideal)


_PLAIN_NUMBERS = {int, float}


def _are_finite(grades: Sequence[float]) -> bool:
    try:
        return all(map(math.isfinite, grades))
    except OverflowError:  # a whole number that no fraction can stand beside
        return False


def _number(where: str, document: Any, grade: Any) -> float:
    """A grade of any numeric type as a finite number."""
    try:
        number = float(grade)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(grade, (str, bytes)) or not math.isfinite(number):
        kind = "" if isinstance(grade, float) else f" of type {type(grade).__name__}"
        raise DatasetError(
            f"the grade is {grade!r}{kind}", where=f"{where}, document {document!r}", expected="a finite number"
        )
    return number


def _refuse_contradiction(where: str, names: Sequence[str], grades: Sequence[float]) -> None:
    """One document under two spellings (``12`` and ``"12"``) may be judged twice, but not in two ways."""
    seen: dict[str, float] = {}
    for name, grade in zip(names, grades, strict=True):
        if seen.setdefault(name, grade) != grade:
            raise DatasetError(
                f"document {name!r} is judged twice, as {seen[name]!r} and as {grade!r}",
                where=where,
                expected="one grade",
            )


def _text(query: str, text: Any) -> str | None:
    if text is None or isinstance(text, str):
        return text if text and not text.isspace() else None
    raise DatasetError(
        f"the text is of type {type(text).__name__}", where=f"queries, query {query!r}", expected="a text"
    )


def _hard(query: str, given: Any, relevant: Mapping[str, float]) -> Target | None:
    names = _names("hard_positives", query, given)
    for name in names:
        if relevant.get(name, 0) <= 0:
            raise DatasetError(
                f"document {name!r} is not judged relevant",
                where=f"hard_positives, query {query!r}",
                expected="documents with a grade above 0 in qrels",
            )
    return Target(dict.fromkeys(names, 1.0), [1.0] * len(names)) if names else None


def _distractors(query: str, given: Any, relevant: Mapping[str, float]) -> Target | None:
    names = _names("distractors", query, given)
    for name in names:
        if relevant.get(name, 0) > 0:
            raise DatasetError(
                f"document {name!r} is judged relevant",
                where=f"distractors, query {query!r}",
                expected="documents without a grade above 0 in qrels",
            )
    return Target(dict.fromkeys(names, 1.0), [1.0] * len(names)) if names else None


def _names(argument: str, query: str, given: Any) -> list[str]:
    if given is None:
        return []
    names = clean_ids(list(given)) if isinstance(given, Collection) and not isinstance(given, (str, bytes)) else None
    if names is None:
        raise DatasetError(
            f"it holds {given!r}"[:200], where=f"{argument}, query {query!r}", expected="a list or set of identifiers"
        )
    return list(dict.fromkeys(names))


def _nothing_to_score(skipped: Mapping[str, SkipReason]) -> DatasetError:
    without_text = [query for query, reason in skipped.items() if reason == "no_query_text"]
    if not skipped:
        found = "there are no judgements"
    elif without_text:
        found = (
            f"none of the {len(skipped)} judged queries can be scored: {len(without_text)} have no text in queries "
            f"(such as {without_text[0]!r}), {len(skipped) - len(without_text)} no relevant document"
        )
    else:
        found = f"none of the {len(skipped)} judged queries has a relevant document"
    return DatasetError(
        found,
        where="qrels",
        expected="at least one query with a grade above 0 and a text",
        remedy="check that qrels and queries use the same identifiers" if without_text else None,
    )
