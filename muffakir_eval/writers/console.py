"""The report as a table that people read in a terminal.

Names of metrics, words and digits are Latin, because most terminals shuffle lines that begin in
Arabic; where the run's language is Arabic, its name for each metric stands in the last column, where
it can move nothing else. Everything that comes from the user's data is shown as plain text: no markup
or control sequence in it takes effect.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

__all__ = ["print_report", "print_text", "render_report", "report_text"]

_WIDTH = 100

_REASONS = {
    "no_gold": "no gold evidence",
    "no_gold_answer": "no gold answer",
    "no_answer": "no answer from the pipeline",
    "no_chunks": "no retrieved chunks known",
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


def report_text(summary: Mapping[str, Any], width: int = _WIDTH, encoding: str | None = None) -> str:
    """The report as plain text without colours.

    Args:
        summary: The content of ``summary.json``.
        width: Columns of the terminal or page.
        encoding: Of the stream that the text is meant for. What it cannot hold becomes ``?``, and the
            Arabic names are left out where it has no Arabic.
    """
    from rich.console import Console

    file = io.StringIO()
    console = Console(file=file, width=width, color_system=None, force_jupyter=False, legacy_windows=False)
    console.print(render_report(summary, arabic=_can_hold(encoding, "ع")))
    text = "\n".join(line.rstrip() for line in file.getvalue().splitlines())
    return text if encoding is None else _encodable(text, encoding)


def print_report(summary: Mapping[str, Any], console: Console | None = None) -> None:
    """Print the report, in colours where the output is a terminal.

    Characters that the output cannot hold are printed as ``?`` instead of raising an error.

    Args:
        summary: The content of ``summary.json``.
        console: Where to print; standard output by default.
    """
    from rich.console import Console

    if console is None:
        console = Console(force_jupyter=False, width=None if sys.stdout.isatty() else _WIDTH)
    with console.capture() as captured:
        console.print(render_report(summary, arabic=_can_hold(console.encoding, "ع")))
    _write(console.file, captured.get())


def print_text(text: str) -> None:
    """Print one text and a newline on standard output, whatever its encoding can hold."""
    _write(sys.stdout, f"{_plain(text)}\n")


def render_report(summary: Mapping[str, Any], *, arabic: bool = True) -> RenderableType:
    """The report as something that Rich can print.

    Args:
        summary: The content of ``summary.json``; blocks that are not there are left out.
        arabic: Show the Arabic names where the language of the run is Arabic.
    """
    from rich.console import Group

    return Group(*_blocks(summary, arabic=arabic and str(summary.get("language") or "").startswith("ar")))


def _blocks(summary: Mapping[str, Any], *, arabic: bool) -> Iterator[RenderableType]:
    from rich.text import Text

    yield Text(_plain(f"Evaluation {summary.get('run_id') or ''}".rstrip()), style="bold")
    yield Text(_plain(", ".join(_facts(summary))))
    if summary.get("partial"):
        yield Text("The run stopped early: the figures cover only what was finished.", style="bold yellow")
    yield Text()
    if summary.get("metrics"):
        yield _metrics(summary["metrics"], arabic=arabic)
    yield from _refusals(summary.get("refusals") or {})
    yield from _latencies(summary.get("latency_ms") or {})
    errors = summary.get("errors") or {}
    if errors:
        yield Text("\nQuestions with errors", style="bold red")
        for reason, count in errors.items():
            yield Text(_plain(f"  {_reason(reason)}: {count}"))
    for warning in summary.get("warnings") or ():
        yield Text(_plain(f"\nwarning: {warning}"), style="yellow")


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


def _metrics(metrics: Mapping[str, Mapping[str, Any]], *, arabic: bool) -> Table:
    with_interval = any(block.get("interval") for block in metrics.values())
    with_failures = any(_failures_matter(block) for block in metrics.values())
    columns = ["metric", "mean"]
    columns += ["95 % interval"] * with_interval + ["failures as 0"] * with_failures + ["scored", "why not the rest"]
    columns += ["المقياس"] * arabic
    table = _table(columns, left=("metric", "why not the rest", "المقياس"))
    for name, block in metrics.items():
        row = [name, _value(name, block.get("mean"), block.get("reason"))]
        if with_interval:
            low, high = block.get("interval") or (None, None)
            row.append("" if low is None or high is None else f"{low:.4f} to {high:.4f}")
        if with_failures:
            row.append(_value(name, block.get("mean_failures_as_zero"), None) if _failures_matter(block) else "")
        row.append(f"{block.get('n_scored', 0)}/{block.get('n_total', 0)}")
        row.append(", ".join(f"{_reason(reason)} ({count})" for reason, count in (block.get("reasons") or {}).items()))
        if arabic:
            row.append(_ARABIC.get(name.split("@")[0].removesuffix("_at_k"), ""))
        _add(table, row)
    return table


def _failures_matter(block: Mapping[str, Any]) -> bool:
    with_failures = block.get("mean_failures_as_zero")
    return with_failures is not None and with_failures != block.get("mean")


def _value(name: str, mean: float | None, reason: str | None) -> str:
    if mean is None:
        return f"none: {_reason(reason)}" if reason else "none"
    return f"{mean:.2f} / 5" if name == "llm_judge_rating" else f"{mean:.4f}"


def _refusals(refusals: Mapping[str, Any]) -> Iterator[RenderableType]:
    answers = refusals.get("n_answers")
    if not answers:
        return
    from rich.text import Text

    share = f" ({refusals['rate']:.1%})" if refusals.get("rate") is not None else ""
    yield Text(f"\nRefused {refusals.get('n_refused', 0)} of {answers} answers{share}", style="bold")
    counts: Mapping[str, Mapping[str, int]] = refusals.get("table") or {}
    states = [state for state in _STATES if any(row.get(state) for row in counts.values())]
    table = _table(["question", *(state.replace("_", " ") for state in states)], left=("question",))
    for row in ("answerable", "unanswerable", "unknown"):
        if row in counts:
            _add(table, [row, *(str(counts[row].get(state, 0)) for state in states)])
    if states:
        yield table


def _latencies(latencies: Mapping[str, Mapping[str, Any]]) -> Iterator[RenderableType]:
    measured = {name: block for name, block in latencies.items() if block.get("n")}
    if not measured:
        return
    from rich.text import Text

    yield Text("\nMilliseconds per question", style="bold")
    figures = ("mean", "p50", "p90", "p95", "p99")
    table = _table(["", *figures, "n"], left=("",))
    for name, block in measured.items():
        values = (block.get(figure) for figure in figures)
        _add(table, [name, *("" if value is None else f"{value:,.1f}" for value in values), str(block["n"])])
    yield table


def _table(columns: Sequence[str], left: Sequence[str]) -> Table:
    """A table of plain characters only, so that every terminal and every log can show it."""
    from rich.box import Box
    from rich.table import Table
    from rich.text import Text

    box = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
    table = Table(box=box, show_edge=False, pad_edge=False, header_style="bold")
    for column in columns:
        words = column == "why not the rest"
        table.add_column(
            Text(column), justify="left" if column in left else "right", overflow="fold", no_wrap=not words and column != "metric"
        )
    return table


def _add(table: Table, cells: Sequence[str]) -> None:
    from rich.text import Text

    table.add_row(*(Text(_plain(cell)) for cell in cells))


def _reason(reason: object) -> str:
    return _REASONS.get(str(reason), str(reason).replace("_", " "))


def _plain(text: str) -> str:
    """``text`` without the characters that would steer a terminal."""
    return _CONTROLS.sub("?", text)


def _can_hold(encoding: str | None, text: str) -> bool:
    return encoding is None or _encodable(text, encoding) == text


def _encodable(text: str, encoding: str) -> str:
    return text.encode(encoding, "replace").decode(encoding)


def _write(file: TextIO | Any, text: str) -> None:
    try:
        file.write(text)
    except UnicodeEncodeError as fault:
        file.write(_encodable(text, fault.encoding))
    file.flush()
