"""The metrics of a run for each value of a column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from muffakir_eval.writers.lines import Line, heading, table
from muffakir_eval.writers.terms import metric_value

__all__ = ["slice_lines"]

_SHOWN = 12


def slice_lines(summary: Mapping[str, Any]) -> Iterator[Line]:
    """A table for each column that the run is sliced by: mean and how many it covers, the most frequent values first.

    Args:
        summary: The content of ``summary.json``.
    """
    names = list(summary.get("metrics") or {})
    for column, parts in (summary.get("slices") or {}).items():
        yield from heading(f"By {column}")
        shown = [part for part in parts if "metrics" in part][:_SHOWN]
        rows = [
            ["(none)" if part["value"] is None else str(part["value"])[:40], str(part["n_samples"])]
            + [_cell(name, part["metrics"][name], part["n_samples"]) for name in names]
            for part in shown
        ]
        yield from table([column, "n", *names], rows, left={0})
        more = sum(part.get("n_other_values", 1) for part in parts) - len(shown)
        if more:
            yield Line(f"{more} more values stand in summary.json")


def _cell(name: str, block: Mapping[str, Any], n_samples: int) -> str:
    covers = "" if block["n_scored"] == n_samples else f" (n={block['n_scored']})"
    return metric_value(name, block["mean"]) + covers
