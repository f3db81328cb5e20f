"""``evaluate_rag``: the lexical metrics over a set of RAG samples."""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from muffakir_eval.datasets.cells.golds import answer_texts
from muffakir_eval.datasets.cells.passages import retrieved_passages
from muffakir_eval.datasets.cells.text import CellError, as_list, to_text
from muffakir_eval.errors import DatasetFormatError, MetricError
from muffakir_eval.metrics import JUDGED_METRICS
from muffakir_eval.metrics.lexical import context_precision, context_recall, exact_match, token_f1
from muffakir_eval.rag_evaluation.report import RagEvalReport
from muffakir_eval.rag_evaluation.samples import FIELDS, RagSample, bad_row, rows_of
from muffakir_eval.refusals.outcomes import is_blank

__all__ = ["RAG_METRICS", "evaluate_rag"]

_MEANT = {
    "answer": "response",
    "contexts": "retrieved_contexts",
    "gold_answer": "reference",
    "ground_truth": "reference",
    "ground_truths": "reference",
}
"""What other tools call the fields: refused where the field itself is missing, so that none is overlooked."""

_TRUTH = ("True", "False")


@dataclass(frozen=True, slots=True)
class _Read:
    """One sample as the metrics need it; ``None`` where the sample does not say."""

    references: tuple[str, ...]
    response: str | None
    contexts: tuple[str, ...] | None


def _of_answer(metric: Callable[[str, str], float]) -> Callable[[_Read], float | str]:
    def compute(sample: _Read) -> float | str:
        if not sample.references:
            return "no_gold_answer"
        response = sample.response
        return "no_answer" if response is None else max(metric(response, each) for each in sample.references)

    return compute


def _of_contexts(metric: Callable[[str, Sequence[str]], float]) -> Callable[[_Read], float | str]:
    def compute(sample: _Read) -> float | str:
        if not sample.references:
            return "no_gold_answer"
        contexts = sample.contexts
        return "no_chunks" if contexts is None else max(metric(each, contexts) for each in sample.references)

    return compute


def _non_empty(sample: _Read) -> float | str:
    if sample.contexts is None:
        return "no_chunks"
    return float(not all(map(is_blank, sample.contexts)))


RAG_METRICS: dict[str, Callable[[_Read], float | str]] = {
    "exact_match": _of_answer(exact_match),
    "token_f1": _of_answer(token_f1),
    "context_recall": _of_contexts(context_recall),
    "context_precision": _of_contexts(context_precision),
    "non_empty_rate": _non_empty,
}
"""Name to the value for one sample, or the reason why it does not apply."""


def evaluate_rag(
    samples: Iterable[RagSample | Mapping[str, Any]],
    *,
    metrics: Sequence[str] = ("exact_match", "token_f1", "context_recall", "context_precision", "non_empty_rate"),
) -> RagEvalReport:
    """Score RAG samples by words in common with the accepted answer: no judge, no network.

    Args:
        samples: Dicts or objects with the fields of a :class:`RagSample` (Ragas' own samples and datasets
            too), a frame with such columns, or what this package has: a dataset with recorded outputs, a
            report. Further fields are left alone. ``reference`` may be a list of accepted answers, of
            which the best counts for each metric. A number is taken as its text; one text in place of a
            list of contexts or of accepted answers is the only one, or the list that it spells
            (``'["a", "b"]'``), as in a cell of a spreadsheet.
        metrics: Any of ``exact_match``, ``token_f1``, ``context_recall``, ``context_precision`` (see the
            functions of these names) and ``non_empty_rate``: the share of samples that retrieved a text.

    Returns:
        Means over the samples that each metric applies to. A metric that compares with the reference
        leaves out a sample without one. A field that is missing, ``None`` or NaN says that it is not
        known, and the metrics that need it leave the sample out; an empty answer and an empty list of
        contexts are measured.

    Raises:
        MetricError: A metric is unknown (also a ``ValueError``).
        DatasetFormatError: There are no samples (also a ``ValueError``).
        DatasetRowError: A sample is malformed; the message names it and the field (also a ``ValueError``).

    >>> samples = [
    ...     {'user_input': 'capital of France?', 'response': 'Paris',
    ...      'reference': 'Paris',
    ...      'retrieved_contexts': ['Paris is the capital of France.']},
    ...     {'user_input': '2 + 2?', 'response': 'five', 'reference': 'four',
    ...      'retrieved_contexts': []},
    ... ]
    >>> report = evaluate_rag(samples)
    >>> report.metrics['exact_match']
    0.5
    >>> report.metrics['non_empty_rate']
    0.5
    """
    chosen = {name: RAG_METRICS[name] for name in _names(metrics)}
    values: dict[str, list[float]] = {name: [] for name in chosen}
    skipped: dict[str, Counter[str]] = {name: Counter() for name in chosen}
    per_sample: list[dict[str, float | None]] = []
    seen: set[frozenset[str]] = set()
    for number, fields in rows_of(samples):
        _check_keys(number, fields, seen)
        sample = _read(number, fields)
        scores: dict[str, float | None] = {}
        for name, compute in chosen.items():
            found = compute(sample)
            scores[name] = None if isinstance(found, str) else found
            if isinstance(found, str):
                skipped[name][found] += 1
            else:
                values[name].append(found)
        per_sample.append(scores)
    if not per_sample:
        raise DatasetFormatError("samples is empty", expected="at least one sample")
    return RagEvalReport(
        metrics={name: math.fsum(found) / len(found) if found else None for name, found in values.items()},
        coverage={name: len(found) for name, found in values.items()},
        n_samples=len(per_sample),
        per_sample=tuple(per_sample),
        skipped={name: dict(counts.most_common()) for name, counts in skipped.items() if counts},
    )


def _names(metrics: Sequence[Any]) -> list[str]:
    given: object = metrics
    asked: tuple[object, ...]
    if isinstance(given, str):
        asked = tuple(part for part in map(str.strip, given.split(",")) if part)
    elif given is None or isinstance(given, Iterable):
        asked = tuple(given or ())
    else:
        asked = (given,)
    if not asked:
        raise MetricError("no metric is named", where="metrics", expected=f"any of {', '.join(RAG_METRICS)}")
    names = []
    for each in asked:
        name = each.strip().lower() if isinstance(each, str) else ""
        if name not in RAG_METRICS:
            raise _unknown(each, name)
        names.append(name)
    return names


def _unknown(asked: object, name: str) -> MetricError:
    near = difflib.get_close_matches(name, RAG_METRICS, n=1, cutoff=0.6)
    remedy = f"did you mean {near[0]!r}?" if near else "check the spelling"
    if name in JUDGED_METRICS:
        remedy = "it needs a judge: run it with MuffakirEvaluation, or with Ragas by as_ragas_dataset"
    return MetricError(
        f"unknown metric {asked!r}", where="metrics", expected=f"any of {', '.join(RAG_METRICS)}", remedy=remedy
    )


def _check_keys(number: int, fields: Mapping[str, Any], seen: set[frozenset[str]]) -> None:
    """A misspelt field must not pass for one that is missing; each set of keys is looked at once."""
    keys = frozenset(map(str, fields))
    if keys in seen:
        return
    seen.add(keys)
    missing = [name for name in FIELDS[:4] if name not in keys]
    for key in sorted(keys.difference(FIELDS)):
        near = difflib.get_close_matches(key.lower(), missing, n=1, cutoff=0.85)
        meant = _MEANT.get(key) or (near[0] if near else None)
        if meant in missing:
            raise bad_row(
                number,
                f"there is no {meant!r}, and a field {key!r}",
                remedy=f"rename it to {meant!r}, or take it out if it is something else",
            )
    if not keys.intersection(FIELDS):
        raise bad_row(
            number,
            f"no field of it is known: {', '.join(map(repr, sorted(keys)[:10])) or 'it is empty'}",
            expected=f"some of {', '.join(FIELDS[:5])}",
            remedy="rename the fields, or read them with load_evaluation_dataset, which knows many other names, and "
            "pass what it returns",
        )


def _read(number: int, fields: Mapping[str, Any]) -> _Read:
    field = "reference"
    try:
        found = answer_texts([fields.get(field)], _TRUTH, plural=False)
        references = tuple(text for text in found if not is_blank(text))
        field = "response"
        response = _text(fields.get(field))
        field = "retrieved_contexts"
        return _Read(references, response, _contexts(fields.get(field)))
    except CellError as error:
        raise bad_row(number, error.found, field=field, expected=error.expected, remedy=error.remedy) from error


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else to_text(value)


def _contexts(value: Any) -> tuple[str, ...] | None:
    if type(value) is list and all(type(item) is str for item in value):
        return tuple(value)
    unknown = is_blank(value) if isinstance(value, str) else as_list(value) is None and _is_unknown(value)
    return None if unknown else tuple(passage.text for passage in retrieved_passages([value]))


def _is_unknown(value: Any) -> bool:
    return not isinstance(value, Mapping) and to_text(value) is None
