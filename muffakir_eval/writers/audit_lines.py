"""An index audit as a table that people read in a terminal.

As in :mod:`muffakir_eval.writers.console`, lines that are ours use plain characters only, and everything
that comes from the user's data is shown as plain text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from muffakir_eval.writers.lines import Line, heading, plain, table, wrapped
from muffakir_eval.writers.terms import figure, interval_title, reason_words

__all__ = ["OUTCOMES", "audit_text"]

_WIDTH = 100
_EXAMPLES, _QUESTIONS, _SLICES, _EXCERPT = 2, 2, 5, 60

OUTCOMES = {
    "found": "found within k",
    "below_k": "retrieved below k",
    "not_retrieved": "in the index, not retrieved",
    "in_index": "in the index",
    "split": "split over chunks",
    "not_in_index": "not in the index",
    "unknown_id": "unknown identifier",
    "pipeline_error": "retriever failed",
    "not_compared": "nothing to compare by",
    "no_gold": "no gold evidence",
}
"""How a question fares, in words."""

_NOUNS = {"recall": "recall", "hit_rate": "hit rate", "mrr": "MRR", "ndcg": "nDCG", "map": "MAP", "precision": "prec."}


def audit_text(summary: Mapping[str, Any], width: int = _WIDTH, encoding: str | None = None) -> str:
    """The audit as plain text.

    Args:
        summary: The content of ``audit.json``.
        width: Columns after which sentences are wrapped.
        encoding: Of the stream that the text is meant for; what it cannot hold becomes ``?``.
    """
    text = "\n".join(line.text for line in _lines(summary, width))
    return text if encoding is None else text.encode(encoding, "replace").decode(encoding)


def _lines(summary: Mapping[str, Any], width: int) -> Iterator[Line]:
    yield Line(plain(f"Index audit {summary['audit_id']}"), "bold")
    yield from wrapped(", ".join(_facts(summary)), width)
    if summary["partial"]:
        why = summary["retriever"]["stopped"]
        yield from wrapped(f"The audit is not complete: {why}.", width, "bold yellow")
    yield from _outcomes(summary)
    yield from _lost(summary, width)
    yield from _cutoffs(summary, width)
    yield from _ranks(summary)
    yield from _slices(summary)
    yield from _latency(summary)
    yield from _findings(summary, width)
    yield from _questions(summary, width)
    warnings = [*summary["warnings"]]
    if warnings:
        yield Line("")
    for warning in warnings:
        yield from wrapped(f"warning: {warning}", width, "yellow")


def _facts(summary: Mapping[str, Any]) -> Iterator[str]:
    corpus, dataset, retriever = summary["corpus"], summary["dataset"], summary["retriever"]
    yield f"corpus {corpus['name']}: {corpus['n_chunks']} chunks"
    if dataset is None:
        yield "no questions: only the texts were audited"
    else:
        yield f"dataset {dataset['source']}: {dataset['n_questions']} questions with {dataset['n_golds']} golds"
    if retriever is not None:
        how = "recorded rankings" if retriever["recorded"] else f"retriever {retriever['pipeline_id']}"
        yield f"{how}: the first {retriever['top_n']} chunks"
        yield f"k = {summary['k']}"
    elif dataset is not None:
        yield "no retriever was asked"


def _outcomes(summary: Mapping[str, Any]) -> Iterator[Line]:
    questions, golds = (summary["outcomes"][name] for name in ("questions", "golds"))
    if not questions["rows"]:
        return
    by_gold = {row["outcome"]: row["n"] for row in golds["rows"]}
    several = golds["n"] != questions["n"]
    rows = []
    for row in questions["rows"]:
        cells = [OUTCOMES[row["outcome"]], str(row["n"]), _percent(row["share"]), _ends(row["interval"])]
        rows.append([*cells, str(by_gold.pop(row["outcome"], ""))] if several else cells)
    rows += [[OUTCOMES[name], "0", "", "", str(n)] for name, n in by_gold.items() if several]
    yield from heading("Where the evidence is")
    columns = ["", "questions", "share", interval_title(summary)]
    yield from table([*columns, "golds"] if several else columns, rows, left={0})


def _lost(summary: Mapping[str, Any], width: int) -> Iterator[Line]:
    lost = summary["lost"]
    if lost is None:
        return
    parts = dict(lost["parts"])
    reached = parts.pop("found", parts.pop("in_index", 0.0))
    what = f"Recall at k = {summary['k']}" if summary["retriever"] is not None else "The share of golds in one chunk"
    taken = ", ".join(f"{figure(part)} {OUTCOMES[name]}" for name, part in parts.items())
    yield from wrapped(f"{what} is {figure(reached)}; missing: {taken or 'nothing'} (n = {lost['n']}).", width)


def _cutoffs(summary: Mapping[str, Any], width: int) -> Iterator[Line]:
    metrics: Mapping[str, Mapping[str, Any]] = summary["metrics"]
    if not metrics:
        return
    yield from heading("What k buys")
    if all(block["mean"] is None for block in metrics.values()):
        reason = next(iter(metrics.values()))["reason"]
        yield from wrapped(f"Nothing was measured: {reason_words(reason)}.", width)
        return
    gain = {row["k"]: row for row in (summary["gain"] or {"rows": ()})["rows"]}
    ceiling = {row["k"]: row["recall"] for row in summary["index"]["ceiling"] or ()}
    names = list(dict.fromkeys(name.partition("@")[0] for name in metrics))
    columns = ["k", "recall", interval_title(summary), *["ceiling"] * bool(ceiling), "per chunk more"]
    columns += [_NOUNS.get(name, name) for name in names if name != "recall"]
    rows = []
    for k in summary["k_values"]:
        recall = metrics[f"recall@{k}"]
        row = [str(k), _value(recall["mean"]), _ends(recall["interval"])]
        row += [_value(ceiling.get(k))] * bool(ceiling)
        row.append(f"{gain[k]['gain_per_chunk']:+.4f}" if k in gain else "")
        rows.append([*row, *(_value(metrics[f"{name}@{k}"]["mean"]) for name in names if name != "recall")])
    yield from table(columns, rows, left=set())
    yield from wrapped(" ".join(_about_k(summary)), width)


def _about_k(summary: Mapping[str, Any]) -> Iterator[str]:
    some = next(iter(summary["metrics"].values()))
    yield f"n = {some['n_scored']} of {some['n_total']} questions."
    last = (summary["gain"] or {}).get("last_rank")
    retriever = summary["retriever"]
    if last is not None and last < retriever["top_n"]:
        yield f"After rank {last} nothing new comes."
    elif last is not None and not retriever["recorded"]:
        yield f"At rank {last}, the last that was looked at, something new still comes: ask for more."
    if retriever["cap"] is not None:
        yield f"The retriever never returns more than {retriever['cap']} chunks."
    elif retriever["recorded"]:
        yield f"The recorded rankings hold {retriever['most_returned']} chunks at most."


def _ranks(summary: Mapping[str, Any]) -> Iterator[Line]:
    ranks = summary["ranks"]
    if ranks is None or not ranks["first"]["n"]:
        return
    several = ranks["golds"]["n"] != ranks["first"]["n"]
    rows = []
    for first, gold in zip(ranks["first"]["rows"], ranks["golds"]["rows"], strict=True):
        if first["n"] or gold["n"]:
            cells = [_span(first, summary["retriever"]["top_n"]), str(first["n"]), _percent(first["share"])]
            rows.append([*cells, str(gold["n"])] if several else cells)
    yield from heading("At which rank the first gold stands")
    columns = ["rank", "questions", "share"]
    yield from table([*columns, "golds"] if several else columns, rows, left={0})


def _span(row: Mapping[str, Any], top_n: int) -> str:
    if row["from"] is None:
        return f"not in {top_n}"
    return str(row["from"]) if row["from"] == row["to"] else f"{row['from']} to {row['to']}"


def _slices(summary: Mapping[str, Any]) -> Iterator[Line]:
    for column, every in summary["slices"].items():
        rows = [row for row in every if row.get("n_in_trouble")]
        if not rows or len(every) < 2:
            continue
        yield from heading(plain(f"By {column}: where most is missing"))
        yield from table(
            ["", "questions", "missed", "why"],
            [
                [str(row["value"] or "(none)"), str(row["n"]), str(row["n_in_trouble"]), _why(row["outcomes"])]
                for row in rows[:_SLICES]
            ],
            left={0, 3},
        )


def _why(outcomes: Mapping[str, int]) -> str:
    return ", ".join(f"{OUTCOMES[name]} {n}" for name, n in outcomes.items() if name not in ("found", "in_index"))


def _latency(summary: Mapping[str, Any]) -> Iterator[Line]:
    block = (summary["retriever"] or {}).get("latency_ms")
    if block and block["n"]:
        parts = ", ".join(f"{name} {block[name]:.1f}" for name in ("p50", "p95", "p99", "max"))
        yield Line("")
        yield Line(f"Latency of the retriever in milliseconds: {parts} (n = {block['n']})")


def _findings(summary: Mapping[str, Any], width: int) -> Iterator[Line]:
    findings: Sequence[Mapping[str, Any]] = summary["findings"]
    yield from heading("Findings")
    if not findings:
        yield Line("none")
        return
    rows = [
        [found["severity"], found["code"], f"{found['count']}/{found['total']} {found['unit']}"] for found in findings
    ]
    yield from table(["severity", "finding", "count"], rows, left={0, 1, 2})
    for found in findings:
        style = {"error": "red", "warning": "yellow"}.get(found["severity"], "")
        yield from wrapped(f"{found['severity']}: {_sentence(found['message'])}", width, style)
        if found["severity"] != "info":
            yield from wrapped(f"    to do: {found['remedy']}", width)
            for example in found["examples"][:_EXAMPLES]:
                yield from wrapped(f"    {_example(example)}", width)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _example(example: Mapping[str, Any]) -> str:
    at = example["at"]
    place = at["place"] or f"chunk {at['ordinal'] + 1}"
    parts = [place, _short(example["excerpt"]), example["detail"]]
    return ": ".join(part for part in parts if part)


def _questions(summary: Mapping[str, Any], width: int) -> Iterator[Line]:
    shown: dict[str, int] = {}
    lines: list[str] = []
    for row in summary["questions"]:
        shown[row["outcome"]] = shown.get(row["outcome"], 0) + 1
        if shown[row["outcome"]] <= _QUESTIONS and row["outcome"] != "no_gold":
            lines.append(f"{OUTCOMES[row['outcome']]}: row {row['row']}, {_short(row['question'])}: {row['message']}")
    if lines:
        yield from heading("Questions to look at (audit_questions.csv lists all)")
    for line in lines:
        yield from wrapped(line, width)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _EXCERPT else f"{line[:_EXCERPT]}..."


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def _value(value: float | None) -> str:
    return "none" if value is None else figure(value)


def _ends(interval: Sequence[float] | None) -> str:
    return " to ".join(map(figure, interval or ()))
