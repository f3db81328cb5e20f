"""A comparison of judges as tables and sentences that people read in a terminal.

Like the report: names and digits are Latin, what comes from the user's data stands last on its line and
steers no terminal, and nothing is cut to the width of the screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from muffakir_eval.writers.judge_agreement_lines import MEASURES, interval_text, number_text, pairs_lines, people_lines
from muffakir_eval.writers.judge_lines import plan_lines
from muffakir_eval.writers.lines import Line, heading, plain, table, wrapped
from muffakir_eval.writers.terms import figure, reason_words

__all__ = ["judge_comparison_text"]

_WIDTH = 100
_SHOWN_DISAGREEMENTS = 2
_SHOWN_SLICES = 8
_LONG = 120

_STATUS = {"complete": "done", "partial": "stopped early", "not_run": "not run"}


def judge_comparison_text(found: Mapping[str, Any]) -> str:
    """The content of ``judges.json`` as plain text."""
    lines = _plan(found) if found["dry_run"] is not None else _lines(found)
    return "\n".join(line.text for line in lines)


def _plan(found: Mapping[str, Any]) -> Iterator[Line]:
    yield Line("Dry run: no judge was asked and nothing was written.")
    yield Line(plain(f"{_n(found['n_answers'], 'answer')} from {found['source']}"))
    for plan in found["dry_run"]:
        lines = plan_lines(plan["plan"]) if plan["plan"] else {"judge": "nothing to do: the ratings are there already"}
        yield from heading(plain(plan["judge"]))
        width = max(map(len, lines))
        for name, text in lines.items():
            yield Line(plain(f"  {name:<{width}}  {text}"))
        for note in plan["notes"]:
            yield from wrapped(f"  note: {note}", _WIDTH)
    for note in found["notes"]:
        yield from wrapped(f"note: {note}", _WIDTH)


def _lines(found: Mapping[str, Any]) -> Iterator[Line]:
    count = _n(len(found["judges"]), "judge")
    yield Line(plain(f"Comparison of {count} on {_n(found['n_answers'], 'answer')} from {found['source']}"))
    for note in found["notes"]:
        yield from wrapped(f"note: {note}", _WIDTH)
    yield Line("")
    yield from _judges(found["judges"])
    for judge in found["judges"]:
        if judge["message"]:
            yield from wrapped(f"{judge['label']}: {_STATUS[judge['status']]}: {judge['message']}", _WIDTH)
        for note in judge["notes"]:
            yield from wrapped(f"{judge['label']}: {note}", _WIDTH)
    for metric in found["metrics"]:
        yield from _metric(metric, found)


def _judges(judges: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    rows = []
    for judge in judges:
        usage, model = judge["usage"] or {}, judge["identity"].get("model") or judge["identity"].get("provider")
        cost = usage.get("cost_usd")
        cost = cost if cost is not None else usage.get("cost_estimate_usd")
        rows.append(
            [
                judge["label"],
                _STATUS[judge["status"]],
                _whole(usage.get("calls")),
                _whole(usage.get("cached")),
                _whole(usage.get("input_tokens")),
                _whole(usage.get("output_tokens")),
                "" if cost is None else f"{cost:.4f}",
                str(model or ""),
            ]
        )
    columns = ["judge", "", "calls", "cached", "tokens in", "out", "USD", "model"]
    yield from table(columns, rows, left={0, 1, 7})


def _metric(metric: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[Line]:
    whole = "" if metric["kind"] == "continuous" else ", whole"
    yield from heading(plain(f"{metric['metric']} ({metric['low']:g} to {metric['high']:g}{whole})"))
    yield from _means(metric["metric"], found)
    yield from _repeats(metric["metric"], found["judges"])
    if metric["people"]:
        yield from people_lines(metric)
    if metric["pairs"]:
        yield from pairs_lines(metric)
    yield from _frontier(metric)
    yield from _slices(metric)
    yield from _disagreements(metric)


def _means(name: str, found: Mapping[str, Any]) -> Iterator[Line]:
    rows, missing = [], {}
    for judge in found["judges"]:
        one = judge["metrics"].get(name)
        if one is None:
            continue
        latency = one["latency_ms"] or {}
        rows.append(
            [
                judge["label"],
                number_text(one["mean"]["value"]),
                interval_text(one["mean"]),
                f"{one['n_scored']}/{one['n_total']}",
                "" if one["coverage"] is None else f"{one['coverage']:.1%}",
                _time(latency.get("p50")),
                _time(latency.get("p95")),
                "" if one["cost_per_1000"] is None else f"{one['cost_per_1000']:.3f}",
            ]
        )
        if one["reasons"]:
            missing[judge["label"]] = ", ".join(f"{reason_words(why)} {n}" for why, n in one["reasons"].items())
    sure = f"{100 * found['confidence']:.4g} % interval"
    columns = ["judge", "mean", sure, "scored", "coverage", "call p50", "p95", "USD/1000"]
    yield from table(columns, rows, left={0})
    if _on_others(name, found):
        yield from wrapped(
            "These means rest on different answers: compare judges by the differences between them below, which rest "
            "on the answers that both have rated.",
            _WIDTH,
        )
    for label, why in missing.items():
        yield from wrapped(f"{label} has no score: {why}", _WIDTH)


def _on_others(name: str, found: Mapping[str, Any]) -> bool:
    """Some answers count in the mean of one judge and not in that of another."""
    pairs = [pair for metric in found["metrics"] if metric["metric"] == name for pair in metric["pairs"]]
    return any((part["in_a"] is None) != (part["in_b"] is None) for pair in pairs for part in pair["left_out"])


def _repeats(name: str, judges: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    several = [(judge["label"], one["repeats"]) for judge in judges if (one := judge["metrics"].get(name))]
    for label, repeats in several:
        if repeats is None:
            continue
        alpha = repeats["alpha"]["value"]
        again = "" if alpha is None else f"; with itself it agrees with alpha {figure(alpha)}"
        yield from wrapped(
            f"{label}, asked again about the same answer, changed its mind on {repeats['n_differ']} of {repeats['n']} "
            f"(standard deviation {figure(repeats['mean_sd'])} on average, {figure(repeats['largest_range'])} at most "
            f"from one verdict to another){again}.",
            _WIDTH,
        )


def _frontier(metric: Mapping[str, Any]) -> Iterator[Line]:
    offers = metric["frontier"]
    if not offers or metric["frontier_reason"] is not None:
        return
    yield from heading(plain(f"{metric['metric']}: quality against cost"))
    rows = []
    for offer in offers:
        cost = offer["cost_per_1000"]
        beaten = f"no: {offer['beaten_by']} agrees at least as well and costs no more"
        worth = {True: "yes", False: beaten, None: "unknown cost"}
        rows.append(
            [
                offer["judge"],
                "" if cost is None else f"{cost:.3f}",
                f"{offer['quality_is']} {figure(offer['quality'])}",
                worth[offer["on_frontier"]],
            ]
        )
    yield from table(["judge", "USD/1000", "agreement with people", "on the frontier"], rows, left={0, 2, 3})
    yield from wrapped(
        "By the figures alone, whatever chance there is in them: see above which can be told apart.", _WIDTH
    )


def _slices(metric: Mapping[str, Any]) -> Iterator[Line]:
    compared = [(one["judge"], one["slices"]) for one in metric["people"]]
    against = " with people" if compared else ""
    compared = compared or [(f"{pair['a']} - {pair['b']}", pair["slices"]) for pair in metric["pairs"]]
    for column in dict.fromkeys(part["column"] for _, parts in compared for part in parts):
        yield from heading(plain(f"{metric['metric']}: agreement{against} by {column}"))
        values = list(
            dict.fromkeys(part["value"] for _, parts in compared for part in parts if part["column"] == column)
        )
        rows = []
        for value in values[:_SHOWN_SLICES]:
            cells = []
            for _, parts in compared:
                part = next((one for one in parts if one["column"] == column and one["value"] == value), None)
                cells.append("" if part is None else _best(part["agreement"]))
            rows.append([*cells, "(none)" if value is None else str(value)[:40]])
        yield from table([*(label for label, _ in compared), column], rows, left={len(compared)})
        if len(values) > _SHOWN_SLICES:
            yield Line(f"{len(values) - _SHOWN_SLICES} more values stand in slices.csv")


def _best(agreement: Mapping[str, Any]) -> str:
    known = next(((name, agreement[name]) for name, _ in MEASURES if agreement[name]["value"] is not None), None)
    if known is None:
        return f"none (n = {agreement['n']})"
    return f"{known[0]} {known[1]['value']:.2f} (n = {agreement['n']})"


def _disagreements(metric: Mapping[str, Any]) -> Iterator[Line]:
    compared = [(one["judge"], "people", one["disagreements"]) for one in metric["people"]]
    compared = compared or [(pair["a"], pair["b"], pair["disagreements"]) for pair in metric["pairs"]]
    for a, b, those in compared:
        if not those:
            continue
        yield from heading(plain(f"{metric['metric']}: read first where {a} and {b} differ"))
        for one in those[:_SHOWN_DISAGREEMENTS]:
            yield Line(plain(f"  {a} {one['value_a']:g}, {b} {one['value_b']:g}  row {one['row']}  {one['sample_id']}"))
            texts = [("question", one["question"]), ("answer", one["answer"])]
            texts += [(f"{a} says", one["reason_a"]), (f"{b} says", one["reason_b"])]
            for name, text in texts:
                if text:
                    yield Line(plain(f"    {name}: {_short(text)}"))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONG else line[:_LONG] + "…"


def _n(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _whole(number: Any) -> str:
    return "" if number is None else f"{number:,}"


def _time(milliseconds: float | None) -> str:
    return "" if milliseconds is None else f"{milliseconds / 1000:.2f} s"
