"""``score_frame``: a frame of samples in, a frame of scores out."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.errors import DatasetFormatError
from muffakir_eval.pipelines.recorded import recorded_output
from muffakir_eval.records import SampleResult
from muffakir_eval.records.rows import OWN_COLUMNS, REFERENCE_COLUMNS
from muffakir_eval.scale.settings import Marker, ScoreSettings

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["in_unicode", "result_rows", "schema_of", "score_frame", "score_schema", "typed_frame"]

_METRIC_COLUMNS = REFERENCE_COLUMNS[10:17]
_KINDS = {
    "latency_ms": "float",
    "pipeline_latency_ms": "float",
    "evaluation_overhead_ms": "float",
    "answer_refusal": "bool",
    "answerable": "bool",
    "answer_refusal_partial": "bool",
    "row": "int",
    "first_relevant_rank": "int",
    **dict.fromkeys(_METRIC_COLUMNS, "float"),
}
_DTYPES = {"float": "float64", "bool": "boolean", "int": "Int64", "text": "str"}


def score_schema(settings: ScoreSettings | EvaluationConfig | Mapping[str, Any] | str | Path | None) -> dict[str, str]:
    """The columns of :func:`score_frame` in their order, each ``text``, ``float``, ``int`` or ``bool``.

    Every metric has three: its value, its state (``measured``, ``not_applicable``, ``failed``) and its reason.

    >>> schema = score_schema({"metrics": ["recall", "recall@10"]})
    >>> [name for name in schema if "recall" in name]
    ['recall_at_k', 'recall@10', 'recall_at_k_state', 'recall_at_k_reason', 'recall@10_state', 'recall@10_reason']
    """
    return schema_of([metric.name for metric in _settings(settings).resolved()])


def schema_of(metrics: Iterable[str]) -> dict[str, str]:
    """The columns by the names of the metrics."""
    metrics = list(metrics)
    further = [name for name in metrics if name not in REFERENCE_COLUMNS]
    schema = {name: _KINDS.get(name, "text") for name in REFERENCE_COLUMNS}
    schema |= dict.fromkeys(further, "float")
    schema |= {name: _KINDS.get(name, "text") for name in OWN_COLUMNS}
    for name in metrics:
        schema |= {f"{name}_state": "text", f"{name}_reason": "text"}
    return schema


def _settings(settings: Any) -> ScoreSettings:
    return settings if isinstance(settings, ScoreSettings) else ScoreSettings.of(settings)


class _Markers(threading.local):
    """The markers of a thread: an engine calls again and again with the same settings."""

    def __init__(self) -> None:
        self._last: tuple[str, Marker] | None = None

    def of(self, settings: ScoreSettings) -> Marker:
        key = repr(settings)
        if self._last is None or self._last[0] != key:
            self._last = key, Marker(settings)
        return self._last[1]


_markers = _Markers()


def score_frame(
    frame: pd.DataFrame, settings: ScoreSettings | EvaluationConfig | Mapping[str, Any] | str | Path | None = None
) -> pd.DataFrame:
    """Score the recorded outputs in a frame: matching, retrieval and lexical metrics, refusals.

    A pure function that any engine can call on its partitions. The numbers are those of
    ``MuffakirEvaluation(settings).evaluate(None, frame)``, which goes through the same functions.

    Args:
        frame: One question a row, with what a system retrieved and answered. Columns are named as
            :func:`~muffakir_eval.load_evaluation_dataset` knows them; lists may be lists, arrays or JSON.
        settings: A configuration, or what :meth:`ScoreSettings.of` made of one.

    Returns:
        One row per row of ``frame``, in its order and with its index: the columns of ``samples.csv``
        (lists as JSON, our own timings empty), then state and reason of every metric. Where bad rows do not
        raise (``fail_fast_dataset=False``), one has only ``row`` and what is wrong, in ``error``, and no state.

    Raises:
        DatasetError: A row is bad, there is no question column, or no column holds an output.
        MetricError: A metric needs a judge, or is a function.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"question": ["ما عاصمة عُمان؟"], "context": ["عاصمة عُمان مسقط."],
    ...                       "retrieved_contexts": [["عاصمة عمان مسقط"]], "response": ["لا أعرف"]})
    >>> scored = score_frame(frame, {"metrics": ["recall", "mrr"], "k": 1})
    >>> scored["recall_at_k"].tolist(), scored["recall_at_k_state"].tolist(), scored["answer_refusal"].tolist()
    ([1.0], ['measured'], [True])
    """
    checked = _settings(settings)
    marker = _markers.of(checked)
    if not len(frame):
        return typed_frame([], marker.names)
    samples = load_evaluation_dataset(
        frame,
        fail_fast=checked.fail_fast,
        column_mapping=checked.column_mapping,
        id_columns=checked.id_columns,
    )
    if not any(sample.recorded is not None for sample in samples) and samples:
        raise DatasetFormatError(
            "no row carries an output",
            where="the DataFrame",
            expected="a column predicted_answer (or response), retrieved_contexts or retrieved_chunk_ids",
            remedy="add one, or name it with column_mapping",
        )
    rows: list[dict[str, Any]] = [{} for _ in range(len(frame))]
    for problem in samples.problems:
        rows[problem.row - 1] = {"row": problem.row, "error": str(problem)}
    results = [marker.result(sample, recorded_output(sample)) for sample in samples]
    for sample, row in zip(samples, result_rows(results), strict=True):
        rows[sample.row - 1] = row
    return typed_frame(rows, marker.names, frame.index)


def result_rows(results: Iterable[SampleResult]) -> Iterable[dict[str, Any]]:
    """The cells of each result, with state and reason of every metric."""
    for result in results:
        row = result.to_flat_dict()
        for name, score in result.scores.items():
            row[f"{name}_state"], row[f"{name}_reason"] = score.state, score.reason
        yield row


def typed_frame(rows: list[dict[str, Any]], metrics: Iterable[str], index: Any = None) -> pd.DataFrame:
    """Rows of cells as a frame whose columns have the same types whatever is in them."""
    import pandas as pd

    columns = {}
    for name, kind in schema_of(metrics).items():
        cells = [row.get(name) for row in rows]
        try:
            columns[name] = pd.array(cells, dtype=_DTYPES[kind])  # type: ignore[call-overload]
        except UnicodeEncodeError:  # a lone surrogate, for which there are no bytes
            columns[name] = pd.array([in_unicode(cell) for cell in cells], dtype="str")
    return pd.DataFrame(columns, index=index)


def in_unicode(cell: str | None) -> str | None:
    """``cell`` with escapes for what UTF-8 cannot hold."""
    return None if cell is None else cell.encode("utf-8", "backslashreplace").decode("utf-8")
