"""The report as a table that people read in a terminal.

Names of metrics, words and digits are Latin, because most terminals shuffle lines that begin in
Arabic; where the run's language is Arabic, its name for each metric stands in the last column, where
it can move nothing else. Lines that are ours use plain characters only, so that every terminal and
every log can show them. Everything that comes from the user's data is shown as plain text: no markup
or control sequence in it takes effect. A table is never cut to the width of the terminal.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from muffakir_eval.writers.judge_lines import judge_text

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_report", "print_text", "report_text"]

_WIDTH = 100

_REASONS = {
    "no_gold": "no gold evidence",
    "no_gold_answer": "no gold answer",
    "no_answer": "no answer from the pipeline",
    "no_chunks": "no retrieved chunks",
    "not_comparable": "gold and chunks have nothing to compare",
    "answer_refused": "answer refused",
    "empty_answer": "empty answer",
    "unanswerable": "unanswerable question",
    "correct_abstention": "rightly refused",
    "pipeline_error": "pipeline error",
    "metric_error": "error in the metric",
    "judge_unparseable": "judge's reply is no JSON",
    "judge_invalid": "judge's reply breaks the schema",
    "judge_cut_off": "judge's reply was cut off",
    "judge_refused": "judge refused",
    "judge_filtered": "judge's provider filtered it",
    "judge_empty": "judge's reply is empty",
    "judge_unavailable": "judge cannot be reached",
    "judge_bad_request": "judge's server refuses the request",
    "timeout": "timeout",
    "rate_limited": "rate limit",
    "over_budget": "over budget",
    "interrupted": "interrupted",
    "no_samples": "no questions",
}

_ARABIC = {
    "recall": "الاستدعاء",
    "precision": "الدقة",
    "hit_rate": "معدل الإصابة",
    "mrr": "متوسط مقلوب الرتبة",
    "map": "متوسط الدقة المتوسطة",
    "ndcg": "جودة الترتيب",
    "faithfulness": "الالتزام بالسياق",
    "answer_correctness": "صحة الإجابة",
    "answer_relevancy": "صلة الإجابة بالسؤال",
    "contextual_precision": "دقة السياق",
    "contextual_recall": "استدعاء السياق",
    "llm_judge_rating": "تقييم الحَكَم",
}

_STATES = ("answered", "partial", "refused", "empty", "no_answer", "error")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_DIRECTIONS = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
"""Invisible signs that turn round what follows them, to the end of the line and beyond our own words."""
_TO_SPACES = str.maketrans("\t\n", "  ")


class _Line(NamedTuple):
    text: str
    style: str = ""


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
    _write(sys.stdout, f"{_plain(text)}\n")


def _lines(summary: Mapping[str, Any], width: int, *, arabic: bool) -> Iterator[_Line]:
    yield _Line(_plain(f"Evaluation {summary.get('run_id') or ''}".rstrip()), "bold")
    yield from _wrapped(", ".join(_facts(summary)), width)
    if summary.get("partial"):
        yield from _wrapped("The run stopped early: the figures cover only what was finished.", width, "bold yellow")
    arabic = arabic and str(summary.get("language") or "").startswith("ar")
    yield from _metrics(summary.get("metrics") or {}, width, arabic=arabic)
    if judging := judge_text(summary):
        yield _Line("")
        yield from _wrapped(judging, width)
    yield from _refusals(summary.get("refusals") or {})
    yield from _latencies(summary.get("latency_ms") or {})
    yield from _errors(summary, width)
    warnings = summary.get("warnings") or ()
    if warnings:
        yield _Line("")
    for warning in warnings:
        yield from _wrapped(f"warning: {warning}", width, "yellow")


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


def _metrics(metrics: Mapping[str, Mapping[str, Any]], width: int, *, arabic: bool) -> Iterator[_Line]:
    if not metrics:
        return
    with_interval = any(block.get("interval") for block in metrics.values())
    with_failures = any(_failures_matter(block) for block in metrics.values())
    columns = ["metric", "mean"]
    columns += ["95 % interval"] * with_interval + ["failures as 0"] * with_failures + ["scored"]
    columns += ["المقياس"] * arabic
    rows, missing = [], dict[str, list[str]]()
    for name, block in metrics.items():
        row = [name, _value(name, block.get("mean"))]
        if with_interval:
            row.append(" to ".join(map(_number, block.get("interval") or ())))
        if with_failures:
            row.append(_value(name, block.get("mean_failures_as_zero")) if _failures_matter(block) else "")
        row.append(f"{block.get('n_scored', 0)}/{block.get('n_total', 0)}")
        if arabic:
            row.append(_ARABIC.get(name.split("@")[0].removesuffix("_at_k"), ""))
        rows.append(row)
        if why := _why_missing(block):
            missing.setdefault(why, []).append(name)
    yield _Line("")
    yield from _table(columns, rows, left={0, len(columns) - 1} if arabic else {0})
    if missing:
        yield from _heading("Not scored")
        for why, names in missing.items():
            yield from _wrapped(f"  {', '.join(names)}: {why}", width)


def _failures_matter(block: Mapping[str, Any]) -> bool:
    with_failures = block.get("mean_failures_as_zero")
    return with_failures is not None and with_failures != block.get("mean")


def _value(name: str, mean: float | None) -> str:
    if mean is None:
        return "none"
    return f"{mean:.2f} / 5" if name == "llm_judge_rating" else _number(mean)


def _number(value: float) -> str:
    """Four decimals, for a user's own metric as many digits as show anything."""
    return f"{value:.4f}" if value == 0 or 5e-5 <= abs(value) < 1e9 else f"{value:.5g}"


def _why_missing(block: Mapping[str, Any]) -> str:
    reasons: Mapping[str, int] = block.get("reasons") or {}
    if reasons:
        return ", ".join(f"{_reason(reason)} ({count})" for reason, count in reasons.items())
    return _reason(block["reason"]) if block.get("reason") else ""


def _refusals(refusals: Mapping[str, Any]) -> Iterator[_Line]:
    answers = refusals.get("n_answers")
    if not answers:
        return
    share = "" if refusals.get("rate") is None else f" ({refusals['rate']:.1%})"
    yield from _heading(f"Refused {refusals.get('n_refused', 0)} of {answers} answers{share}")
    counts: Mapping[str, Mapping[str, int]] = refusals.get("table") or {}
    states = [state for state in _STATES if any(row.get(state) for row in counts.values())]
    rows = [
        [name, *(str(counts[name].get(state, 0)) for state in states)]
        for name in ("answerable", "unanswerable", "unknown")
        if name in counts
    ]
    if rows:
        yield from _table(["question", *(state.replace("_", " ") for state in states)], rows, left={0})


def _latencies(latencies: Mapping[str, Mapping[str, Any]]) -> Iterator[_Line]:
    figures = ("mean", "p50", "p90", "p95", "p99")
    rows = []
    for name, block in latencies.items():
        if block.get("n"):
            values = (block.get(figure) for figure in figures)
            rows.append([name, *("" if value is None else f"{value:,.1f}" for value in values), str(block["n"])])
    if rows:
        yield from _heading("Milliseconds per question")
        yield from _table(["", *figures, "n"], rows, left={0})


def _errors(summary: Mapping[str, Any], width: int) -> Iterator[_Line]:
    """How many questions failed for what reason, and the most frequent messages."""
    errors, examples = summary.get("errors") or {}, summary.get("error_examples") or ()
    if not errors:
        return
    yield from _heading("Questions with errors", "bold red")
    for reason, count in errors.items():
        yield _Line(_plain(f"  {_reason(reason)}: {count}"))
    for example in examples:
        yield from _wrapped(f"  {example['n']} x {' '.join(str(example['message']).split())}", width)


def _heading(text: str, style: str = "bold") -> Iterator[_Line]:
    yield _Line("")
    yield _Line(text, style)


def _wrapped(text: str, width: int, style: str = "") -> Iterator[_Line]:
    for line in textwrap.wrap(
        _plain(text), width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    ):
        yield _Line(line, style)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, left: set[int]) -> Iterator[_Line]:
    """Aligned columns, two spaces apart, as wide as they need to be."""
    from rich.cells import cell_len

    grid = [[_plain(cell).translate(_TO_SPACES) for cell in row] for row in (columns, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*grid, strict=True)]
    for number, row in enumerate(grid):
        cells = []
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - cell_len(cell))
            cells.append(cell + space if place in left else space + cell)
        yield _Line("  ".join(cells).rstrip(), "" if number else "bold")
        if not number:
            yield _Line("-" * (sum(widths) + 2 * (len(widths) - 1)))


def _reason(reason: object) -> str:
    return _REASONS.get(str(reason), str(reason).replace("_", " "))


def _plain(text: str) -> str:
    """``text`` without the characters that would steer a terminal."""
    return _CONTROLS.sub("?", _DIRECTIONS.sub("", text))


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
