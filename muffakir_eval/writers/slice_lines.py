"""The metrics of a run for each value of a column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from muffakir_eval.writers.lines import Line, heading, plain, table
from muffakir_eval.writers.terms import metric_value

__all__ = ["slice_lines"]

_SHOWN = 12


def slice_lines(summary: Mapping[str, Any]) -> Iterator[Line]:
    """A table for each column that the run is sliced by: mean and how many it covers, the most frequent values first.

    The values stand last, since Arabic at the beginning of a line would shuffle the figures behind it.

    Args:
        summary: The content of ``summary.json``.
    """
    names = list(summary.get("metrics") or {})
    for column, parts in (summary.get("slices") or {}).items():
        yield from heading(plain(f"By {column}"))
        shown = [part for part in parts if "metrics" in part][:_SHOWN]
        rows = [
            [str(part["n_samples"])]
            + [_cell(name, part["metrics"].get(name), part["n_samples"]) for name in names]
            + ["(none)" if part["value"] is None else str(part["value"])[:40]]
            for part in shown
        ]
        yield from table(["n", *names, column], rows, left={len(names) + 1})
        more = sum(part.get("n_other_values", 1) for part in parts) - len(shown)
        if more:
            yield Line(f"{more} more values stand in summary.json")


def _cell(name: str, block: Mapping[str, Any] | None, n_samples: int) -> str:
    if block is None:
        return ""
    covers = "" if block["n_scored"] == n_samples else f" (n={block['n_scored']})"
    return metric_value(name, block["mean"]) + covers
