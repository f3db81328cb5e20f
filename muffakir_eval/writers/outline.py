"""What a report file says about a run, before it is Markdown or a sheet.

Sections of sentences and tables; numbers stay numbers, so that each writer shows them in its own way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from muffakir_eval.writers.page.warning_words import warning_text
from muffakir_eval.writers.words import Words

__all__ = ["Cell", "Section", "outline"]

Cell = str | int | float | None
"""A text, a number, or nothing."""

_STATES = {
    "answered": "answered",
    "partial": "partial_refusal",
    "refused": "refused",
    "empty": "empty",
    "no_answer": "no_answer",
    "error": "error",
}
_PLACES = {"total": "total", "pipeline": "in_pipeline", "evaluation": "in_evaluation"}
_PERCENTILES = ("mean", "p50", "p90", "p95", "p99")
_SLICES_SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the report.

    Attributes:
        title: Its heading.
        lines: Sentences.
        columns: Of the table, which may have none.
        rows: Of the table.
        warning: What it says needs attention.
        decimals: Of its numbers with a fraction.
    """

    title: str
    lines: Sequence[str] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Cell]] = field(default=())
    warning: bool = False
    decimals: int = 4


def outline(
    summary: Mapping[str, Any], words: Words, *, settings: bool = False, most_values: int = _SLICES_SHOWN
) -> list[Section]:
    """The sections of a report; those with nothing to say are left out.

    Args:
        summary: The content of ``summary.json``.
        words: Of the language.
        settings: With a section for the configuration.
        most_values: Of a column by which questions are told apart, so many values are shown.
    """
    sections = [_facts(summary, words), _metrics(summary, words)]
    sections += _slices(summary, words, most_values)
    sections += [_refusals(summary.get("refusals") or {}, words), _latencies(summary.get("latency_ms") or {}, words)]
    sections += [_judge(summary, words), _errors(summary, words)]
    warnings = [warning_text(str(warning), arabic=words.arabic) for warning in summary.get("warnings") or ()]
    sections.append(Section(title=words["warnings"], lines=warnings, warning=True))
    if settings:
        rows = list(_flat(summary.get("config") or {}))
        sections.append(Section(title=words["settings"], columns=(words["setting"], words["value"]), rows=rows))
    return [section for section in sections if section.lines or section.rows]


def _facts(summary: Mapping[str, Any], words: Words) -> Section:
    planned, done = summary.get("n_planned"), summary["n_samples"]
    covered = f"{done} / {planned}" if planned not in (None, done) else done
    rows: list[tuple[str, Cell]] = [
        (words["run"], summary["run_id"]),
        (words["date"], summary.get("finished_at")),
        (words["covered"], covered),
        (words["dataset"], (summary.get("dataset") or {}).get("source")),
        (words["pipeline"], (summary.get("pipeline") or {}).get("pipeline_id")),
        (words["k"], summary["k"]),
        (words["language"], summary.get("language")),
    ]
    lines = [words["partial"]] if summary.get("partial") and "dry_run" not in summary else []
    return Section(
        title=words["title"], lines=lines, rows=[row for row in rows if row[1] is not None], warning=bool(lines)
    )


def _metrics(summary: Mapping[str, Any], words: Words) -> Section:
    blocks: Mapping[str, Mapping[str, Any]] = summary.get("metrics") or {}
    if not blocks:
        return Section(title=words["metrics"], lines=[words["no_metrics"]])
    level = f"{100 * float(summary.get('confidence_level') or 0.95):.4g}"
    columns = [words["metric"], words["mean"], words["interval"].format(level=level), words["scored"]]
    columns += [words["as_zero"], words["why"]]
    rows = [[words.metric(name), *_figures(block, words)] for name, block in blocks.items()]
    return Section(title=words["metrics"], columns=columns, rows=rows)


def _figures(block: Mapping[str, Any], words: Words) -> list[Cell]:
    """Mean, interval, what it covers, mean with failures as 0, and why the rest is missing."""
    mean, with_failures = block.get("mean"), block.get("mean_failures_as_zero")
    reasons: Mapping[str, int] = block.get("reasons") or {}
    why = "; ".join(f"{words.reason(reason)} ({count})" for reason, count in reasons.items())
    if not why and block.get("reason"):
        why = words.reason(block["reason"])
    return [
        mean,
        between(block.get("interval")),
        f"{block.get('n_scored', 0)}/{block.get('n_total', 0)}",
        with_failures if with_failures != mean else None,
        why or None,
    ]


def between(interval: Sequence[float] | None) -> str | None:
    """An interval as text; a dash between, which reads the same in both directions of writing."""
    return None if not interval else f"[{interval[0]:.4f}, {interval[1]:.4f}]"


def _slices(summary: Mapping[str, Any], words: Words, most_values: int) -> Iterator[Section]:
    names = list(summary.get("metrics") or {})
    for column, parts in (summary.get("slices") or {}).items():
        shown = [part for part in parts if "metrics" in part][:most_values]
        more = sum(part.get("n_other_values", 1) for part in parts) - len(shown)
        rows: list[list[Cell]] = []
        for part in shown:
            value = words["nothing"] if part["value"] is None else str(part["value"])
            means = [(part["metrics"].get(name) or {}).get("mean") for name in names]
            rows.append([value, part["n_samples"], *means])
        yield Section(
            title=words["slices"].format(column=column),
            lines=[words["other_values"].format(n=more)] if more else [],
            columns=[words["value"], words["n"], *names],
            rows=rows,
        )


def _refusals(refusals: Mapping[str, Any], words: Words) -> Section:
    if not refusals.get("n_answers"):
        return Section(title=words["refusals"])
    counts: Mapping[str, Mapping[str, int]] = refusals.get("table") or {}
    states = [state for state in _STATES if any(row.get(state) for row in counts.values())]
    rows: list[list[Cell]] = [[words[name], *(row.get(state, 0) for state in states)] for name, row in counts.items()]
    rate = "" if refusals.get("rate") is None else f" = {refusals['rate']:.1%}"
    interval = refusals.get("interval")
    sure = "" if not interval else f" [{interval[0]:.1%}, {interval[1]:.1%}]"
    line = f"{words['refusal_rate']}: {refusals.get('n_refused', 0)} / {refusals['n_answers']}{rate}{sure}"
    columns = [words["state"], *(words[_STATES[state]] for state in states)]
    return Section(title=words["refusals"], lines=[line], columns=columns, rows=rows)


def _latencies(latencies: Mapping[str, Mapping[str, Any]], words: Words) -> Section:
    rows: list[list[Cell]] = [
        [words[_PLACES[name]] if name in _PLACES else name, *(block.get(one) for one in _PERCENTILES), block["n"]]
        for name, block in latencies.items()
        if block.get("n")
    ]
    columns = [words["what"], words["mean"], *_PERCENTILES[1:], words["n"]]
    return Section(title=words["latency"], columns=columns, rows=rows, decimals=1)


def _judge(summary: Mapping[str, Any], words: Words) -> Section:
    judge, usage = summary.get("judge"), summary.get("usage")
    if not judge or not usage:
        return Section(title=words["judge"])
    cost = usage.get("cost_usd") if usage.get("cost_usd") is not None else usage.get("cost_estimate_usd")
    rows: list[tuple[str, Cell]] = [
        (words["model"], judge.get("model") or judge.get("provider")),
        (words["calls"], usage.get("calls")),
        (words["cached"], usage.get("cached")),
        (words["tokens_in"], usage.get("input_tokens")),
        (words["tokens_out"], usage.get("output_tokens")),
        (words["cost"], words["cost_unknown"] if cost is None else float(cost)),
    ]
    return Section(title=words["judge"], rows=[row for row in rows if row[1] is not None])


def _errors(summary: Mapping[str, Any], words: Words) -> Section:
    rows: list[list[Cell]] = [[words.reason(reason), count] for reason, count in (summary.get("errors") or {}).items()]
    lines = [
        f"{example['n']} × {' '.join(str(example['message']).split())}"
        for example in summary.get("error_examples") or ()
    ]
    columns = (words["reason"], words["count"]) if rows else ()
    return Section(title=words["errors"], lines=lines, columns=columns, rows=rows, warning=True)


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Cell]]:
    """One row per setting that says something; tables within tables go by dotted names."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        elif value not in (None, [], ()):
            simple = isinstance(value, (str, int, float)) and not isinstance(value, bool)
            yield f"{prefix}{name}", value if simple else _told(value)


def _told(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
