"""What stands around the charts, as rows for the templates: headline, what is missing, tables, settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from muffakir_eval.writers.page.numbers import between, cost_text, count_text, value_text
from muffakir_eval.writers.page.parts import Table
from muffakir_eval.writers.page.plain_text import brief, shown
from muffakir_eval.writers.page.wording import Wording

__all__ = ["Headline", "flat", "headlines", "judge_facts", "main_metrics", "missing", "slices"]

_HEADLINES = 6
_SLICES_SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """One metric of the run.

    Attributes:
        name: In the files.
        label: For people.
        says: What it tells, empty for the user's own.
        value: In figures, ``None`` where nothing was measured.
        interval: In brackets, empty without one.
        n_scored: Questions with a value.
        n_total: Questions.
        why: Why there is no value at all.
        as_zero: The mean with failures as 0, where it differs.
        definition: The formula, in English.
    """

    name: str
    label: str
    says: str
    value: str | None
    interval: str
    n_scored: int
    n_total: int
    why: str
    as_zero: str | None
    definition: str


def main_metrics(metrics: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The metrics of the headline: those at the main cutoff first, those with a value before those without."""
    ranked = sorted(metrics, key=lambda name: ("@" in name, metrics[name].get("mean") is None))
    return ranked[:_HEADLINES]


def headlines(summary: Mapping[str, Any], words: Wording) -> list[Headline]:
    """Every metric, in the order of the summary."""
    return [_headline(name, block, words) for name, block in (summary.get("metrics") or {}).items()]


def _headline(name: str, block: Mapping[str, Any], words: Wording) -> Headline:
    mean, as_zero = block.get("mean"), block.get("mean_failures_as_zero")
    return Headline(
        name=shown(name),
        label=words.metric(name),
        says=words.metric_says(name),
        value=value_text(name, mean),
        interval=between(block.get("interval")),
        n_scored=block.get("n_scored", 0),
        n_total=block.get("n_total", 0),
        why=words.reason(block["reason"]) if block.get("reason") else "",
        as_zero=value_text(name, as_zero) if as_zero is not None and as_zero != mean else None,
        definition=shown(block.get("definition") or ""),
    )


def missing(summary: Mapping[str, Any], words: Wording) -> list[tuple[str, str, list[str]]]:
    """Why questions have no value: the reason, how many, and for which metrics; the most frequent first."""
    found: dict[tuple[str, int], list[str]] = {}
    for name, block in (summary.get("metrics") or {}).items():
        reasons = block.get("reasons") or ({block["reason"]: 0} if block.get("reason") else {})
        for reason, count in reasons.items():
            found.setdefault((str(reason), int(count)), []).append(words.metric(name))
    ranked = sorted(found.items(), key=lambda item: -item[0][1])
    return [(words.reason(reason), count_text(count), names) for (reason, count), names in ranked]


def slices(summary: Mapping[str, Any], words: Wording) -> Iterator[Table]:
    """The metrics for each value of a column."""
    names = main_metrics(summary.get("metrics") or {})
    for column, parts in (summary.get("slices") or {}).items():
        shown_parts = [part for part in parts if "metrics" in part][:_SLICES_SHOWN]
        more = sum(part.get("n_other_values", 1) for part in parts) - len(shown_parts)
        yield Table(
            title=words.plain("slices.by", column=column),
            columns=[words.plain("slices.value"), words.plain("charts.count"), *map(words.metric, names)],
            rows=[
                [
                    words.plain("page.nothing") if part["value"] is None else brief(part["value"]),
                    count_text(part["n_samples"]),
                    *(_slice_cell(name, part["metrics"].get(name), part["n_samples"]) for name in names),
                ]
                for part in shown_parts
            ],
            note=words.plain("slices.more", n=more) if more else "",
        )


def _slice_cell(name: str, block: Mapping[str, Any] | None, n_samples: int) -> str:
    if block is None or block.get("mean") is None:
        return "–"
    covers = "" if block["n_scored"] == n_samples else f" (n={block['n_scored']})"
    return f"{value_text(name, block['mean'])} {between(block.get('interval'))}".rstrip() + covers


def judge_facts(summary: Mapping[str, Any], words: Wording) -> list[tuple[str, str]]:
    """Who judged, and what it took; empty where nobody did."""
    judge, usage = summary.get("judge"), summary.get("usage")
    if not judge:
        return []
    usage = usage or {}
    cost, estimate = usage.get("cost_usd"), usage.get("cost_estimate_usd")
    cost_key = "cost" if cost is not None or estimate is None else "cost_estimate"
    cost_told = cost_text(cost if cost is not None else estimate) or words.plain("judge.cost_unknown")
    rows = [
        ("model", judge.get("model")),
        ("provider", judge.get("provider")),
        ("calls", count_text(usage.get("calls"))),
        ("failed", count_text(usage.get("failed_calls") or None)),
        ("cached", count_text(usage.get("cached") or None)),
        ("tokens_in", count_text(usage.get("input_tokens"))),
        ("tokens_out", count_text(usage.get("output_tokens"))),
        (cost_key, cost_told if usage.get("calls") else None),
    ]
    return [(words.plain(f"judge.{key}"), shown(value)) for key, value in rows if value]


def flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """One row per setting that says something; tables within tables go by dotted names."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}.")
        elif value not in (None, [], (), ""):
            if isinstance(value, (list, tuple)):
                yield shown(f"{prefix}{name}"), shown(", ".join(map(str, value)))
            else:
                yield shown(f"{prefix}{name}"), shown(str(value).lower() if isinstance(value, bool) else value)
