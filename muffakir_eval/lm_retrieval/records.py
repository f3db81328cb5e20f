"""What is evaluated: a query, the response that is expected, and what was retrieved for it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from muffakir_eval.errors import DatasetError
from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample
from muffakir_eval.refusals.outcomes import is_blank

__all__ = ["RAGData", "as_samples"]

_ALIASES: Mapping[str, tuple[str, ...]] = {
    "query": ("question", "user_input", "input"),
    "expected_response": ("reference", "expected_output", "expected_answer", "gold_answer", "ground_truth", "answer"),
    "retrieved_context": ("retrieved_contexts", "retrieval_context"),
    "generated_response": ("response", "actual_output", "predicted_answer"),
}
"""How the fields are called in other tools, and in our own datasets."""

_FIELD_OF = {spelling: name for name, others in _ALIASES.items() for spelling in (name, *others)}
_OLDER_RAGAS = {**_FIELD_OF, "answer": "generated_response", "contexts": "retrieved_context"}
"""What they stand for in a table with a reference beside ``answer``; in any other, ``contexts`` is gold evidence."""
_REQUIRED = ("query", "expected_response", "retrieved_context")
_LONGEST = 60


@dataclass(frozen=True, kw_only=True)
class RAGData:
    """One question to the retrieval step, and what came of it.

    Attributes:
        query: The question.
        expected_response: The reference answer; empty where there is none.
        retrieved_context: The retrieved nodes in rank order; a text alone is a list of one.
        generated_response: The answer that was given, for metrics that judge it.

    Raises:
        DatasetError: A field is not what it should be; the message names it.

    >>> RAGData(query="?", expected_response="Paris", retrieved_context="Paris is in France.").retrieved_context
    ['Paris is in France.']
    """

    query: str
    expected_response: str
    retrieved_context: str | Sequence[str]
    generated_response: str | None = None

    def __post_init__(self) -> None:
        for name in ("query", "expected_response"):
            value = getattr(self, name)
            if not isinstance(value, str):
                raise _wrong(name, value, "a text" if name == "query" else "a text, empty where there is none")
        if is_blank(self.query):
            raise DatasetError("the query is empty", where=_where("query"), expected="a question")
        if self.generated_response is not None and not isinstance(self.generated_response, str):
            raise _wrong("generated_response", self.generated_response, "a text, or None")
        object.__setattr__(self, "retrieved_context", _nodes(self.retrieved_context))

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> RAGData:
        """From a table with these fields, or with those of other tools; further ones are left alone.

        Raises:
            DatasetError: A field is missing, misspelt, there twice, or not what it should be.

        >>> RAGData.from_mapping({"user_input": "?", "reference": "Paris", "retrieved_contexts": []}).query
        '?'
        """
        found: dict[str, Any] = {}
        spelt: dict[str, str] = {}
        plain = {key: _plain(value) for key, value in values.items()}
        fields = _fields(plain)
        for key, value in plain.items():
            name = fields.get(key)
            if name is None or (value is None and name in found):
                continue
            if found.get(name) is not None and value != found[name]:
                raise DatasetError(
                    f"{spelt[name]!r} and {key!r} both stand for {name}, and differ",
                    where="RAGData",
                    remedy="leave one of them out",
                )
            found[name], spelt[name] = value, key
        _check_names(plain, fields, found)
        return cls(**found)

    def as_sample(self, number: int) -> Sample:
        """The same as one question of a run, numbered from 0."""
        output = PipelineOutput(
            answer=self.generated_response, chunks=tuple(RetrievedChunk(text=text) for text in self.retrieved_context)
        )
        answers = (self.expected_response,)
        return Sample(sample_id=str(number + 1), question=self.query, answers=answers, recorded=output)


def as_samples(items: Iterable[RAGData | Mapping[str, Any] | Sample]) -> list[Sample]:
    """The items of a batch as questions of a run.

    Raises:
        DatasetError: An item cannot be used; the message says which, counted from 1.
    """
    _check_batch(items)
    samples = []
    for number, item in enumerate(items):
        try:
            samples.append(_as_sample(item, number))
        except DatasetError as error:
            where = f"item {number + 1}{f', {error.where}' if error.where else ''}"
            raise DatasetError(error.found, where=where, expected=error.expected, remedy=error.remedy) from None
    return samples


def _as_sample(item: object, number: int) -> Sample:
    if isinstance(item, RAGData):
        return item.as_sample(number)
    if isinstance(item, Mapping):
        return RAGData.from_mapping(item).as_sample(number)
    if not isinstance(item, Sample):
        raise DatasetError(
            f"it is of type {type(item).__name__}",
            expected="a RAGData, a table with its fields, or a sample with a recorded output",
        )
    if item.recorded is None or item.recorded.chunks is None:
        raise DatasetError(
            "the sample carries nothing that was retrieved",
            where=f"sample {item.sample_id!r}",
            remedy="load a dataset with a column of retrieved contexts, or the folder of an earlier run",
        )
    return replace(item, sample_id=str(number + 1))


def _check_batch(items: object) -> None:
    frame = hasattr(items, "iterrows")  # of pandas, which gives the names of its columns when it is gone through
    if frame or isinstance(items, (str, bytes, Mapping)) or not isinstance(items, Iterable):
        raise DatasetError(
            f"a batch is of type {type(items).__name__}",
            expected="a list of RAGData, of tables, or of samples with recorded outputs",
            remedy='pass frame.to_dict("records")' if frame else "pass [item], or evaluate a single one",
        )


def _where(name: str) -> str:
    return f"RAGData, field {name!r}"


def _wrong(name: str, value: object, expected: str) -> DatasetError:
    shown = repr(value)
    shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
    return DatasetError(f"found {shown} of type {type(value).__name__}", where=_where(name), expected=expected)


def _plain(value: Any) -> Any:
    """Arrays of numpy and pandas as lists, and their NaN, which is an empty cell, as nothing."""
    tolist = getattr(value, "tolist", None)
    plain = tolist() if callable(tolist) else value
    return None if isinstance(plain, float) and plain != plain else plain


def _nodes(value: object) -> list[str]:
    value = _plain(value)
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Sequence) or isinstance(value, (bytes, bytearray)):
        raise _wrong("retrieved_context", value, "a text or a list of texts, in rank order")
    for number, node in enumerate(value):
        if not isinstance(node, str):
            raise _wrong(f"retrieved_context[{number}]", node, "the text of a node")
    return list(value)


def _fields(values: Mapping[str, Any]) -> Mapping[str, str]:
    """The field that each spelling stands for in this table."""
    references = (name for name in ("expected_response", *_ALIASES["expected_response"]) if name != "answer")
    beside = any(values.get(name) is not None for name in references)
    return _OLDER_RAGAS if "answer" in values and beside else _FIELD_OF


def _check_names(values: Mapping[str, Any], fields: Mapping[str, str], found: Mapping[str, Any]) -> None:
    lacking = [name for name in _ALIASES if name not in found]
    others = [str(key) for key in values if key not in fields]
    if "retrieved_context" in lacking and "contexts" in others:
        raise DatasetError(
            "the field is missing, and 'contexts' may as well be the gold evidence",
            where=_where("retrieved_context"),
            remedy="call it retrieved_context if it is what was retrieved",
        )
    for name in lacking:
        spellings = (name, *_ALIASES[name])
        near = next(
            (key for key in others if difflib.get_close_matches(key.lower(), spellings, n=1, cutoff=0.85)), None
        )
        if near is not None or name in _REQUIRED:
            raise DatasetError(
                "the field is missing" if near is None else f"the field is missing, and {near!r} is none",
                where=_where(name),
                expected=f"{name}, or one of {', '.join(_ALIASES[name])}",
                remedy=None if near is None else f"did you mean {name!r}?",
            )
