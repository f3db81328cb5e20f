"""The report as a table that people read in a terminal.

Names of metrics, words and digits are Latin, because most terminals shuffle lines that begin in
Arabic; where the run's language is Arabic, its name for each metric stands in the last column, where
it can move nothing else. Lines that are ours use plain characters only, so that every terminal and
every log can show them. Everything that comes from the user's data is shown as plain text: no markup
or control sequence in it takes effect. A table is never cut to the width of the terminal.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from muffakir_eval.writers.judge_lines import judge_text
from muffakir_eval.writers.lines import Line, heading, plain, table, wrapped
from muffakir_eval.writers.slice_lines import slice_lines
from muffakir_eval.writers.terms import ARABIC_NAMES, figure, interval_title, metric_value, reason_words

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_report", "print_text", "report_text"]

_WIDTH = 100

_STATES = ("answered", "partial", "refused", "empty", "no_answer", "error")


def report_text(summary: Mapping[str, Any], width: int = _WIDTH, encoding: str | None = None) -> str:
    """The report as plain text without colours.

    Args:
        summary: The content of ``summary.json``; blocks that are not there are left out.
        width: Columns after which sentences are wrapped.
        encoding: Of the stream that the text is meant for. What it cannot hold becomes ``?``, and the
            Arabic names are left out where it has no Arabic.

    >>> print(report_text({"n_samples": 2, "k": 5, "metrics": {"mrr": {"mean": 0.75, "n_scored": 2, "n_total": 2}}}))
    Evaluation
    2 questions, k = 5
    <BLANKLINE>
    metric    mean  scored
    ----------------------
    mrr     0.7500     2/2
    """
    text = "\n".join(line.text for line in _lines(summary, width, arabic=_can_hold(encoding, "ع")))
    return text if encoding is None else _encodable(text, encoding)


def print_report(summary: Mapping[str, Any], console: Console | None = None) -> None:
    """Print the report, in colours where the output is a terminal.

    Characters that the output cannot hold are printed as ``?`` instead of raising an error.

    Args:
        summary: The content of ``summary.json``; blocks that are not there are left out.
        console: Where to print; standard output by default.
    """
    from rich.console import Console
    from rich.text import Text

    if console is None:
        console = Console(force_jupyter=False)
    width = console.width if console.is_terminal else _WIDTH
    with console.capture() as captured:
        for line in _lines(summary, width, arabic=_can_hold(console.encoding, "ع")):
            console.print(Text(line.text, style=line.style), soft_wrap=True)
    _write(console.file, captured.get())


def print_text(text: str) -> None:
    """Print one text and a newline on standard output, whatever its encoding can hold."""
    _write(sys.stdout, f"{plain(text)}\n")


def _lines(summary: Mapping[str, Any], width: int, *, arabic: bool) -> Iterator[Line]:
    yield Line(plain(f"Evaluation {summary.get('run_id') or ''}".rstrip()), "bold")
    yield from wrapped(", ".join(_facts(summary)), width)
    if summary.get("partial"):
        yield from wrapped("The run stopped early: the figures cover only what was finished.", width, "bold yellow")
    arabic = arabic and str(summary.get("language") or "").startswith("ar")
    yield from _metrics(summary, width, arabic=arabic)
    yield from slice_lines(summary)
    if judging := judge_text(summary):
        yield Line("")
        yield from wrapped(judging, width)
    yield from _refusals(summary.get("refusals") or {})
    yield from _latencies(summary.get("latency_ms") or {})
    yield from _errors(summary, width)
    warnings = summary.get("warnings") or ()
    if warnings:
        yield Line("")
    for warning in warnings:
        yield from wrapped(f"warning: {warning}", width, "yellow")


def _facts(summary: Mapping[str, Any]) -> Iterator[str]:
    done, planned = summary.get("n_samples", 0), summary.get("n_planned")
    yield f"{done} of {planned} questions" if planned not in (None, done) else f"{done} questions"
    if "k" in summary:
        yield f"k = {summary['k']}"
    if summary.get("language"):
        yield f"language {summary['language']}"
    for block, key in (("dataset", "source"), ("pipeline", "pipeline_id")):
        value = (summary.get(block) or {}).get(key)
        if value:
            yield f"{block} {value}"


def _metrics(summary: Mapping[str, Any], width: int, *, arabic: bool) -> Iterator[Line]:
    metrics: Mapping[str, Mapping[str, Any]] = summary.get("metrics") or {}
    if not metrics:
        return
    with_interval = any(block.get("interval") for block in metrics.values())
    with_failures = any(_failures_matter(block) for block in metrics.values())
    columns = ["metric", "mean"]
    columns += [interval_title(summary)] * with_interval + ["failures as 0"] * with_failures + ["scored"]
    columns += ["المقياس"] * arabic
    rows, missing = [], dict[str, list[str]]()
    for name, block in metrics.items():
        row = [name, metric_value(name, block.get("mean"))]
        if with_interval:
            row.append(" to ".join(map(figure, block.get("interval") or ())))
        if with_failures:
            row.append(metric_value(name, block.get("mean_failures_as_zero")) if _failures_matter(block) else "")
        row.append(f"{block.get('n_scored', 0)}/{block.get('n_total', 0)}")
        if arabic:
            row.append(ARABIC_NAMES.get(name.split("@")[0].removesuffix("_at_k"), ""))
        rows.append(row)
        if why := _why_missing(block):
            missing.setdefault(why, []).append(name)
    yield Line("")
    yield from table(columns, rows, left={0, len(columns) - 1} if arabic else {0})
    if missing:
        yield from heading("Not scored")
        for why, names in missing.items():
            yield from wrapped(f"  {', '.join(names)}: {why}", width)


def _failures_matter(block: Mapping[str, Any]) -> bool:
    with_failures = block.get("mean_failures_as_zero")
    return with_failures is not None and with_failures != block.get("mean")


def _why_missing(block: Mapping[str, Any]) -> str:
    reasons: Mapping[str, int] = block.get("reasons") or {}
    if reasons:
        return ", ".join(f"{reason_words(reason)} ({count})" for reason, count in reasons.items())
    return reason_words(block["reason"]) if block.get("reason") else ""


def _refusals(refusals: Mapping[str, Any]) -> Iterator[Line]:
    answers = refusals.get("n_answers")
    if not answers:
        return
    share = "" if refusals.get("rate") is None else f" ({refusals['rate']:.1%}{_between(refusals.get('interval'))})"
    yield from heading(f"Refused {refusals.get('n_refused', 0)} of {answers} answers{share}")
    counts: Mapping[str, Mapping[str, int]] = refusals.get("table") or {}
    yield from _counts("question", ("answerable", "unanswerable", "unknown"), counts)
    evidence: Mapping[str, Mapping[str, int]] = refusals.get("by_evidence") or {}
    if refusals.get("n_refused") and any(sum(evidence.get(row, {}).values()) for row in ("retrieved", "not_retrieved")):
        yield Line("")
        yield from _counts("evidence", ("retrieved", "not_retrieved", "unknown"), evidence)


def _counts(title: str, names: Sequence[str], counts: Mapping[str, Mapping[str, int]]) -> Iterator[Line]:
    states = [state for state in _STATES if any(row.get(state) for row in counts.values())]
    rows = [
        [name.replace("_", " "), *(str(counts[name].get(state, 0)) for state in states)]
        for name in names
        if name in counts
    ]
    if rows:
        yield from table([title, *(state.replace("_", " ") for state in states)], rows, left={0})


def _between(interval: Sequence[float] | None) -> str:
    return "" if not interval else f", {interval[0]:.1%} to {interval[1]:.1%}"


def _latencies(latencies: Mapping[str, Mapping[str, Any]]) -> Iterator[Line]:
    figures = ("mean", "p50", "p90", "p95", "p99")
    rows = []
    for name, block in latencies.items():
        if block.get("n"):
            values = (block.get(figure) for figure in figures)
            rows.append([name, *("" if value is None else f"{value:,.1f}" for value in values), str(block["n"])])
    if rows:
        yield from heading("Milliseconds per question")
        yield from table(["", *figures, "n"], rows, left={0})


def _errors(summary: Mapping[str, Any], width: int) -> Iterator[Line]:
    """How many questions failed for what reason, and the most frequent messages."""
    errors, examples = summary.get("errors") or {}, summary.get("error_examples") or ()
    if not errors:
        return
    yield from heading("Questions with errors", "bold red")
    for reason, count in errors.items():
        yield Line(plain(f"  {reason_words(reason)}: {count}"))
    for example in examples:
        yield from wrapped(f"  {example['n']} x {' '.join(str(example['message']).split())}", width)


def _can_hold(encoding: str | None, text: str) -> bool:
    return encoding is None or _encodable(text, encoding) == text


def _encodable(text: str, encoding: str) -> str:
    return text.encode(encoding, "replace").decode(encoding)


def _write(file: TextIO | Any, text: str) -> None:
    try:
        file.write(text)
    except UnicodeEncodeError as fault:
        # A code page calls itself "charmap" in the exception.
        file.write(_encodable(text, getattr(file, "encoding", None) or fault.encoding))
    file.flush()
