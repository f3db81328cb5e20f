"""RAG samples as a Ragas ``EvaluationDataset``, for the metrics that need Ragas' own judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from muffakir_eval.datasets.cells.text import as_list, shown
from muffakir_eval.errors import DatasetFormatError, DatasetRowError, MissingExtraError
from muffakir_eval.rag_evaluation.samples import RagSample, bad_row, rows_of
from muffakir_eval.text.identifiers import is_missing

if TYPE_CHECKING:
    from pydantic import ValidationError

__all__ = ["as_ragas_dataset"]

_INSTALL = 'pip install "muffakir-eval[ragas]"'


def as_ragas_dataset(samples: Iterable[RagSample | Mapping[str, Any]]) -> Any:
    """Turn RAG samples into a Ragas ``EvaluationDataset``: every field as it is, nothing left out.

    ::

        from ragas import evaluate
        from ragas.metrics import faithfulness, answer_relevancy

        result = evaluate(as_ragas_dataset(samples), metrics=[faithfulness, answer_relevancy])

    Args:
        samples: As for :func:`evaluate_rag`. A field that Ragas does not know is an error, since Ragas
            would drop it without a word; a missing one, ``None`` and NaN are ``None`` in Ragas.

    Returns:
        A ``ragas.EvaluationDataset`` of ``SingleTurnSample``; :func:`evaluate_rag` takes it too.

    Raises:
        MissingExtraError: Ragas is not installed, or does not import; the message says which and what to
            do (also an ``ImportError``).
        DatasetFormatError: There are no samples (also a ``ValueError``).
        DatasetRowError: Ragas does not take a sample; the message names it (also a ``ValueError``).
    """
    dataset, sample_type = _ragas()
    made = [_sample(sample_type, number, fields) for number, fields in rows_of(samples)]
    if not made:
        raise DatasetFormatError("samples is empty", expected="at least one sample")
    return dataset(samples=made)


def _ragas() -> tuple[Any, Any]:
    try:
        from ragas import EvaluationDataset, SingleTurnSample
    except ModuleNotFoundError as error:
        if error.name != "ragas":
            raise _broken(error) from error
        raise MissingExtraError(
            "Ragas is not installed", where="as_ragas_dataset", expected="the package ragas", remedy=_INSTALL
        ) from error
    except Exception as error:  # Ragas imports half of LangChain, and any of it may fail in its own way
        raise _broken(error) from error
    return EvaluationDataset, SingleTurnSample


def _broken(error: Exception) -> MissingExtraError:
    community = _version("langchain-community")
    of_langchain = "langchain_community" in str(error)
    return MissingExtraError(
        f"Ragas {_version('ragas')} is installed but does not import: {type(error).__name__}: {error}",
        where="as_ragas_dataset",
        expected="versions that belong together"
        + (f" (Ragas needs langchain-community below 0.4, and {community} is installed)" if of_langchain else ""),
        remedy='pip install "langchain-community<0.4"' if of_langchain else f"{_INSTALL} into a new environment",
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"


def _sample(sample_type: Any, number: int, fields: Mapping[str, Any]) -> Any:
    known = sample_type.model_fields
    unknown = [key for key in fields if key not in known]
    if unknown:
        raise bad_row(
            number,
            f"Ragas has no field {', '.join(map(repr, unknown[:10]))} and would drop it",
            expected=f"fields among {', '.join(known)}",
            remedy="take it out, or rename it",
        )
    values = {key: None if not isinstance(value, str) and is_missing(value) else value for key, value in fields.items()}
    _refuse_lists(number, values)
    from pydantic import ValidationError

    try:
        return sample_type(**values)
    except ValidationError as error:
        raise _refused(number, values, error) from error


def _refuse_lists(number: int, values: Mapping[str, Any]) -> None:
    if as_list(values.get("user_input")) is not None:
        raise bad_row(number, "it is a conversation of several turns", field="user_input", expected="one question")
    answers = as_list(values.get("reference"))
    if answers is not None:
        raise bad_row(
            number,
            f"it has {len(answers)} accepted answers, and Ragas takes one",
            field="reference",
            remedy="choose one of them",
        )


def _refused(number: int, values: Mapping[str, Any], error: ValidationError) -> DatasetRowError:
    """The first thing that Ragas has against the sample."""
    first = error.errors()[0]
    field = str(first["loc"][0])
    found = f"Ragas does not take {shown(values.get(field))}: {first['msg']}"
    return bad_row(number, found, field=field, remedy="correct it")
