"""RAG samples in whatever they come: dicts, objects, frames, the samples of this package."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn, TypedDict

from muffakir_eval.datasets.cells.text import shown
from muffakir_eval.datasets.reading.memory import is_frame, read_frame
from muffakir_eval.errors import DatasetFormatError, DatasetRowError
from muffakir_eval.records import PipelineOutput, Sample, SampleResult

__all__ = ["FIELDS", "RagSample", "Rows", "bad_row", "rows_of"]

FIELDS = (
    "user_input",
    "response",
    "retrieved_contexts",
    "reference",
    "reference_contexts",
    "retrieved_context_ids",
    "reference_context_ids",
    "multi_responses",
    "rubrics",
    "persona_name",
    "query_style",
    "query_length",
)
"""The fields of Ragas' ``SingleTurnSample``."""

Rows = Iterator[tuple[int, Mapping[str, Any]]]
"""Number of each sample, from 1, and its fields."""

_ACCEPTED = "a dict, an object with the fields of a RagSample, a Sample, or a SampleResult"


class RagSample(TypedDict, total=False):
    """One question with what a RAG system did about it; the fields are those of Ragas' ``SingleTurnSample``.

    Attributes:
        user_input: The question.
        response: The answer that the system gave; ``""`` is an empty answer.
        retrieved_contexts: Texts of the retrieved passages; ``[]`` where nothing was found.
        reference: The accepted answer.
        reference_contexts: The passages that hold it.
    """

    user_input: str
    response: str
    retrieved_contexts: list[str]
    reference: str
    reference_contexts: list[str]


def rows_of(samples: Any) -> Rows:
    """The samples, whatever holds them, one after the other.

    Raises:
        DatasetFormatError: ``samples`` holds no samples.
        DatasetRowError: One of them is no sample.
    """
    if isinstance(samples, (str, os.PathLike)):
        _refuse(samples, "read the file first: load_evaluation_dataset(path)")
    if isinstance(samples, Mapping):
        _refuse(samples, "put a single sample into a list: [sample]")
    held = getattr(samples, "samples", None)  # of a Ragas dataset, of a report
    if isinstance(held, Iterable) and not isinstance(held, str):
        samples = held
    if is_frame(samples):
        return ((number, row) for number, _, row in read_frame(samples).rows)
    if not isinstance(samples, Iterable):
        _refuse(samples, "pass a list")
    return ((number, _fields(item, number)) for number, item in enumerate(samples, start=1))


def _refuse(samples: object, remedy: str) -> NoReturn:
    raise DatasetFormatError(
        f"samples is {shown(samples)} of type {type(samples).__name__}", expected="a list of samples", remedy=remedy
    )


def bad_row(
    number: int, found: str, *, field: str | None = None, expected: str | None = None, remedy: str | None = None
) -> DatasetRowError:
    """An error that names the sample."""
    place = f"item {number}"
    return DatasetRowError(
        found, row=number, column=field, where="samples", expected=expected, remedy=remedy, place=place
    )


def _fields(item: object, number: int) -> Mapping[str, Any]:
    if isinstance(item, Mapping):
        return item
    if isinstance(item, Sample):
        return _of_sample(item, item.recorded or PipelineOutput())
    if isinstance(item, SampleResult):
        return _of_sample(item.sample, item.output)
    found = _parts(item)
    if not found:
        raise bad_row(number, f"the sample is {shown(item)} of type {type(item).__name__}", expected=_ACCEPTED)
    return found


def _of_sample(sample: Sample, output: PipelineOutput) -> dict[str, Any]:
    """Several accepted answers stay several; what is not known is left out."""
    found = {
        "user_input": sample.question,
        "response": output.answer,
        "retrieved_contexts": None if output.chunks is None else [chunk.text for chunk in output.chunks],
        "reference": sample.answer if len(sample.answers) < 2 else list(sample.answers),
        "reference_contexts": list(sample.contexts) or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def _parts(item: Any) -> dict[str, Any]:
    """The named parts of a pydantic object, a dataclass, a named tuple, or an object with such attributes."""
    kind = type(item)
    if hasattr(kind, "model_fields"):
        return {str(name): value for name, value in item if value is not None}
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        return {field.name: getattr(item, field.name) for field in dataclasses.fields(item)}
    if hasattr(kind, "_asdict"):
        return dict(item._asdict())
    return {name: getattr(item, name) for name in FIELDS if hasattr(item, name)}
