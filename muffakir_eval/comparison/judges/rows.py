"""A comparison of judges as flat tables: rows of plain values from the content of ``judges.json``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

__all__ = ["TABLES", "columns_of", "rows_of"]

_FIGURES = ("raw", "kappa", "gwet", "concordance", "spearman", "kendall", "auc", "bias", "mae")
_PARTS = ("", "_low", "_high", "_reason")
_AGREEMENT = ("n", "mean_a", "mean_b", *(f"{name}{part}" for name in _FIGURES for part in _PARTS))
_COUNTS = ("higher", "same", "lower")


def _judges(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for judge in found["judges"]:
        usage, identity = judge["usage"] or {}, judge["identity"] or {}
        for name, one in judge["metrics"].items() or [(None, None)]:
            row = {
                "judge": judge["label"],
                "model": identity.get("model"),
                "status": judge["status"],
                "run_id": judge["run_id"],
                "cost_usd": usage.get("cost_usd"),
                "input_tokens": usage.get("input_tokens"),
                "output_tokens": usage.get("output_tokens"),
            }
            yield row if one is None else row | {"metric": name} | _of_metric(one)


def _of_metric(one: Mapping[str, Any]) -> dict[str, Any]:
    repeats, latency, slope = one["repeats"] or {}, one["latency_ms"] or {}, one["length"]["per_doubling"]
    plain = ("n_total", "n_scored", "n_decided", "n_failed", "n_not_applicable", "n_waiting", "coverage", "reasons")
    return {
        **_figure("mean", one["mean"], reason=False),
        **{name: one[name] for name in (*plain, "calls", "cached", "cost_per_1000")},
        **{f"latency_ms_{name}": latency.get(name) for name in ("mean", "p50", "p95", "max")},
        "repeats_mean_sd": repeats.get("mean_sd"),
        "repeats_n_differ": repeats.get("n_differ"),
        "repeats_alpha": (repeats.get("alpha") or {}).get("value"),
        **_figure("score_per_doubling", slope, reason=False),
    }


def _figure(name: str, figure: Mapping[str, Any], *, reason: bool = True) -> dict[str, Any]:
    row = {name: figure["value"], f"{name}_low": figure["low"], f"{name}_high": figure["high"]}
    return {**row, f"{name}_reason": figure["reason"]} if reason else row


def _agreement(agreement: Mapping[str, Any]) -> dict[str, Any]:
    row = {name: agreement[name] for name in ("n", "mean_a", "mean_b")}
    for name in _FIGURES:
        row |= _figure(name, agreement[name])
    return row


def _counts(agreement: Mapping[str, Any]) -> dict[str, Any]:
    return {name: agreement[name] for name in (*_COUNTS, "weights", "threshold")}


def _pairs(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for metric in found["metrics"]:
        for pair in metric["pairs"]:
            row = {"metric": metric["metric"], "a": pair["a"], "b": pair["b"], "left_out": pair["left_out"]}
            yield row | _agreement(pair["agreement"]) | _counts(pair["agreement"])


def _people(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for metric in found["metrics"]:
        for one in metric["people"]:
            corrected = one["corrected"]
            yield {
                "metric": metric["metric"],
                "judge": one["judge"],
                "human_column": metric["human_column"],
                "n_human": one["n_human"],
                "left_out": one["left_out"],
                **_agreement(one["agreement"]),
                **_counts(one["agreement"]),
                **_figure("accuracy", one["accuracy"]),
                "length_controlled": one["length"]["controlled"],
                **_figure("score_per_doubling", one["length"]["per_doubling"]),
                **_figure("corrected_mean", corrected["mean"]),
                "n_labelled": corrected["n_labelled"],
                "n_unlabelled": corrected["n_unlabelled"],
            }


def _slices(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for metric in found["metrics"]:
        compared = [(one["judge"], "people", one["slices"]) for one in metric["people"]]
        compared += [(pair["a"], pair["b"], pair["slices"]) for pair in metric["pairs"]]
        for a, b, parts in compared:
            for part in parts:
                row = {"metric": metric["metric"], "a": a, "b": b}
                yield row | {"column": part["column"], "value": part["value"]} | _agreement(part["agreement"])


def _disagreements(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for metric in found["metrics"]:
        compared = [(one["judge"], "people", one["disagreements"]) for one in metric["people"]]
        compared += [(pair["a"], pair["b"], pair["disagreements"]) for pair in metric["pairs"]]
        for a, b, those in compared:
            for one in those:
                yield {"metric": metric["metric"], "a": a, "b": b, **one}


def _confusion(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for metric in found["metrics"]:
        compared = [(one["judge"], "people", one["agreement"]) for one in metric["people"]]
        compared += [(pair["a"], pair["b"], pair["agreement"]) for pair in metric["pairs"]]
        for a, b, agreement in compared:
            for label_a, counts in zip(agreement["labels"] or (), agreement["table"] or (), strict=True):
                for label_b, n in zip(agreement["labels"], counts, strict=True):
                    row = {"metric": metric["metric"], "a": a, "b": b, "threshold": agreement["threshold"]}
                    yield {**row, "label_a": label_a, "label_b": label_b, "n": n}


def _rivals(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for metric in found["metrics"]:
        for one in metric["rivals"]:
            row = {name: one[name] for name in ("a", "b", "measure", "value_a", "value_b")}
            difference = one["difference"]
            yield {"metric": metric["metric"], **row, "n": difference["n"], **_figure("difference", difference)}


def _frontier(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for metric in found["metrics"]:
        for offer in metric["frontier"]:
            yield {"metric": metric["metric"], **offer}


_INTERVAL = ("", "_low", "_high")
_TABLES: dict[str, tuple[Callable[[Mapping[str, Any]], Iterator[dict[str, Any]]], Sequence[str]]] = {
    "judges": (
        _judges,
        (
            *("judge", "model", "metric", "status", *(f"mean{part}" for part in _INTERVAL), "n_total", "n_scored"),
            *("n_decided", "n_failed", "n_not_applicable", "n_waiting", "coverage", "reasons", "calls", "cached"),
            *("input_tokens", "output_tokens", "cost_usd", "cost_per_1000", "latency_ms_mean", "latency_ms_p50"),
            *("latency_ms_p95", "latency_ms_max", "repeats_mean_sd", "repeats_n_differ", "repeats_alpha"),
            *(*(f"score_per_doubling{part}" for part in _INTERVAL), "run_id"),
        ),
    ),
    "pairs": (_pairs, ("metric", "a", "b", *_AGREEMENT, *_COUNTS, "weights", "threshold", "left_out")),
    "people": (
        _people,
        (
            *("metric", "judge", "human_column", "n_human", *_AGREEMENT, *(f"accuracy{part}" for part in _PARTS)),
            *(*_COUNTS, "weights", "threshold", "length_controlled"),
            *(f"score_per_doubling{part}" for part in _PARTS),
            *(*(f"corrected_mean{part}" for part in _PARTS), "n_labelled", "n_unlabelled", "left_out"),
        ),
    ),
    "slices": (_slices, ("metric", "a", "b", "column", "value", *_AGREEMENT)),
    "disagreements": (
        _disagreements,
        (
            *("metric", "a", "b", "sample_id", "row", "question", "answer", "value_a", "value_b", "difference"),
            *("reason_a", "reason_b", "others"),
        ),
    ),
    "confusion": (_confusion, ("metric", "a", "b", "label_a", "label_b", "n", "threshold")),
    "rivals": (
        _rivals,
        ("metric", "a", "b", "measure", "n", "value_a", "value_b", *(f"difference{part}" for part in _PARTS)),
    ),
    "frontier": (
        _frontier,
        ("metric", "judge", "quality", "quality_is", "n", "cost_per_1000", "on_frontier", "beaten_by"),
    ),
}

TABLES = tuple(_TABLES)
"""Names of the tables."""


def columns_of(table: str) -> list[str]:
    """The columns of a table, in their order."""
    return list(_TABLES[table][1])


def rows_of(table: str, found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of a table.

    Args:
        table: One of :data:`TABLES`.
        found: The content of ``judges.json``.
    """
    return _TABLES[table][0](found)
