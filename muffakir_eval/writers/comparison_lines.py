"""A comparison of runs as a table and sentences that people read in a terminal.

Like the report: names and digits are Latin, what comes from the user's data stands last on its line and
steers no terminal, and nothing is cut to the width of the screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from muffakir_eval.writers.lines import Line, heading, plain, table, wrapped
from muffakir_eval.writers.terms import figure, reason_words

__all__ = ["REASONS", "VERDICTS", "comparison_text"]

_WIDTH = 100
_MOVED_SHOWN = 5
_QUESTION_SHOWN = 80
_SLICES_SHOWN = 12

VERDICTS = {
    "better": "{b} is better",
    "worse": "{b} is worse",
    "higher": "{b} is higher",
    "lower": "{b} is lower",
    "not_distinguishable": "not distinguishable",
    "identical": "no question differs",
    "no_verdict": "no verdict",
}
"""What is said of B, by verdict."""
REASONS = {
    "nothing_in_common": "no question was scored in both runs",
    "too_few": "only one question was scored in both runs",
    "other_questions": "the datasets differ (--common-only, or common_only=True, gives verdicts on what they share)",
    "low_coverage": "too few of the questions were scored in both runs",
    "failures_decide": "it depends on the questions that failed: counted as the worst score, they change the result",
}
"""Why nothing is said, by reason."""


def comparison_text(comparison: Mapping[str, Any]) -> str:
    """The content of ``comparison.json`` as plain text."""
    return "\n".join(line.text for line in _lines(comparison))


def _lines(comparison: Mapping[str, Any]) -> Iterator[Line]:
    runs = comparison["runs"]
    yield Line(f"Comparison of {len(runs)} runs")
    rows = [
        [run["label"], f"{run['n_questions']}/{run['n_planned']}", run["run_id"], run["pipeline_id"] or "", run["name"]]
        for run in runs
    ]
    yield from table(["", "questions", "run", "pipeline", "name"], rows, left={0, 2, 3, 4})
    for pair in comparison["pairs"]:
        if len(comparison["pairs"]) > 1:
            yield from heading(f"{pair['b']} against {pair['a']}")
        yield from _pair(pair, comparison)


def _pair(pair: Mapping[str, Any], comparison: Mapping[str, Any]) -> Iterator[Line]:
    a, b = pair["a"], pair["b"]
    groups = max((one["n_clusters"] or 0 for one in pair["metrics"]), default=0)
    together = f", taken together by {pair['cluster_column']} ({groups} groups)" if pair["cluster_column"] else ""
    yield Line("")
    yield Line(plain(f"{pair['n_common']} questions in common{together}"))
    for note in pair["notes"]:
        yield from wrapped(f"note: {note}", _WIDTH)
    for setting in pair["settings"]:
        yield from wrapped(f"differs: {setting}", _WIDTH)
    metrics = pair["metrics"]
    if metrics:
        yield Line("")
        yield from _table(metrics, a, b, comparison)
        yield from _explained(metrics, comparison)
        yield from _failures(metrics, a, b)
        yield from _sizes(metrics)
        yield from _margins(metrics, a, b)
    if pair["not_compared"]:
        yield from heading("Not compared")
        for one in pair["not_compared"]:
            yield from wrapped(f"  {one['metric']}: {one['detail']}", _WIDTH)
    yield from _left_out(metrics, a, b)
    yield from _slices(pair["slices"], b)
    yield from _moved(metrics, a, b)


def _table(metrics: Sequence[Mapping[str, Any]], a: str, b: str, comparison: Mapping[str, Any]) -> Iterator[Line]:
    columns = ["metric", a, b, f"{b} - {a}", f"{100 * comparison['confidence']:.4g} % interval"]
    columns += ["p (Holm)", f"{b} better/same/{a} better", "n", "verdict"]
    rows = []
    for one in metrics:
        score = f"{one['wins']}/{one['ties']}/{one['losses']}" if one["n"] else ""
        rows.append(
            [
                one["metric"],
                _number(one["mean_a"]),
                _number(one["mean_b"]),
                _signed(one["difference"]),
                " to ".join(map(_signed, one["interval"] or ())),
                _chance(one["p_adjusted"]),
                score,
                f"{one['n']}/{one['n_applicable']}",
                VERDICTS[one["verdict"]].format(b=b),
            ]
        )
    yield from table(columns, rows, left={0, len(columns) - 1})


def _explained(metrics: Sequence[Mapping[str, Any]], comparison: Mapping[str, Any]) -> Iterator[Line]:
    """What the verdicts mean, and why there is none."""
    lower = [one["metric"] for one in metrics if one["direction"] == "lower"]
    if lower:
        yield from wrapped(f"Lower is better: {', '.join(lower)}.", _WIDTH)
    either = [one["metric"] for one in metrics if one["direction"] == "neutral"]
    if either:
        yield from wrapped(
            f"Neither is better by itself: {', '.join(either)} (refusing is right where there is no answer).", _WIDTH
        )
    if any(one["metric"] == "pipeline_latency_ms" and one["verdict"] in ("better", "worse") for one in metrics):
        yield from wrapped(
            "Latency: the test knows the questions and not the machine; warm-up or load during one of the runs looks "
            "the same as a faster system. Repeat the runs by turns before you believe it.",
            _WIDTH,
        )
    yield from _intervals_without_verdict(metrics, comparison)
    missing: dict[str, list[str]] = {}
    for one in metrics:
        if one["reason"]:
            missing.setdefault(one["reason"], []).append(one["metric"])
    for reason, names in missing.items():
        least = f" (at least {comparison['min_coverage']:.0%})" if reason == "low_coverage" else ""
        yield from wrapped(f"No verdict on {', '.join(names)}: {REASONS[reason]}{least}.", _WIDTH)


def _intervals_without_verdict(metrics: Sequence[Mapping[str, Any]], comparison: Mapping[str, Any]) -> Iterator[Line]:
    """Why an interval that leaves out 0 is not enough."""
    among_many, alone = list[str](), list[str]()
    for one in metrics:
        low, high = one["interval"] or (0.0, 0.0)
        if one["verdict"] == "not_distinguishable" and (low > 0 or high < 0):
            by_itself = one["p_value"] < 1 - comparison["confidence"]
            (among_many if by_itself else alone).append(one["metric"])
    if among_many:
        yield from wrapped(
            f"The interval of {', '.join(among_many)} leaves out 0, and there is no verdict all the same: among so "
            "many comparisons one such interval comes by chance too often, which the p-value counts in.",
            _WIDTH,
        )
    if alone:
        yield from wrapped(
            f"The interval of {', '.join(alone)} leaves out 0, and there is no verdict all the same: so few questions "
            "differ that the test, which is exact where the interval is not, finds chance enough to explain them.",
            _WIDTH,
        )


def _failures(metrics: Sequence[Mapping[str, Any]], a: str, b: str) -> Iterator[Line]:
    counted = [one for one in metrics if one["with_failures"]]
    if not counted:
        return
    yield from heading("With every failure counted as the worst score")
    rows = []
    for one in counted:
        found = one["with_failures"]
        rows.append(
            [
                one["metric"],
                figure(found["mean_a"]),
                figure(found["mean_b"]),
                _signed(found["difference"]),
                " to ".join(map(_signed, found["interval"] or ())),
                _chance(found["p_adjusted"]),
                f"{found['n_failed_a']}/{found['n_failed_b']}",
                str(found["n"]),
            ]
        )
    yield from table(["metric", a, b, f"{b} - {a}", "interval", "p (Holm)", f"failed {a}/{b}", "n"], rows, left={0})


def _sizes(metrics: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    """How many questions would be needed."""
    open_ones = [one for one in metrics if one["verdict"] == "not_distinguishable" and one["smallest_difference"]]
    if not open_ones:
        return
    yield from heading("Not distinguishable at this size: how many questions it would take")
    rows = [
        [
            one["metric"],
            str(one["n"]),
            figure(one["smallest_difference"]),
            _number(one["detect"]),
            "" if one["questions_needed"] is None else f"{one['questions_needed']:,}",
        ]
        for one in open_ones
    ]
    yield from table(["metric", "questions", "would show", "to see", "needs"], rows, left={0})
    yield from wrapped(
        "This does not say that the runs are equally good: a difference smaller than the one in the third column "
        "would mostly go unseen.",
        _WIDTH,
    )


def _margins(metrics: Sequence[Mapping[str, Any]], a: str, b: str) -> Iterator[Line]:
    tested = [one for one in metrics if one["non_inferiority"]]
    if not tested:
        return
    yield from heading(f"Is {b} worse than {a} by no more than a margin?")
    words = {True: "not worse by more", False: "not shown", None: "no verdict"}
    rows = [
        [
            one["metric"],
            figure(one["non_inferiority"]["margin"]),
            _chance(one["non_inferiority"]["p_adjusted"]),
            words[one["non_inferiority"]["holds"]],
        ]
        for one in tested
    ]
    yield from table(["metric", "margin", "p (Holm)", "verdict"], rows, left={0, 3})
    if any(one["non_inferiority"]["holds"] is False for one in tested):
        yield from wrapped(
            f"Not shown does not say that {b} is worse: more questions, or a wider margin, may show that it is not.",
            _WIDTH,
        )


def _left_out(metrics: Sequence[Mapping[str, Any]], a: str, b: str) -> Iterator[Line]:
    """Common questions without a pair of scores, metrics of the same reasons together."""
    reasons: dict[str, list[str]] = {}
    for one in metrics:
        if one["left_out"]:
            reasons.setdefault(", ".join(_why(part, a, b) for part in one["left_out"]), []).append(one["metric"])
    if reasons:
        yield from heading("Common questions without a score in both")
        for why, names in reasons.items():
            yield from wrapped(f"  {', '.join(names)}: {why}", _WIDTH)


def _why(part: Mapping[str, Any], a: str, b: str) -> str:
    in_a, in_b = (None if part[key] is None else reason_words(part[key]) for key in ("in_a", "in_b"))
    if in_a == in_b:
        return f"{in_a} ({part['n']})"
    told = [f"{label}: {reason}" for label, reason in ((a, in_a), (b, in_b)) if reason is not None]
    return f"{' and '.join(told)} ({part['n']})"


def _slices(slices: Sequence[Mapping[str, Any]], b: str) -> Iterator[Line]:
    for column in dict.fromkeys(part["column"] for part in slices):
        parts = [part for part in slices if part["column"] == column]
        names = list(dict.fromkeys(part["metric"] for part in parts))
        values = list(dict.fromkeys(part["value"] for part in parts))
        yield from heading(plain(f"Difference by {column} (* where {b} is better or worse)"))
        rows = []
        for value in values[:_SLICES_SHOWN]:
            cells = {part["metric"]: part for part in parts if part["value"] == value}
            row = [str(max(part["n"] for part in cells.values()))]
            row += [_slice_cell(cells.get(name)) for name in names]
            rows.append([*row, "(none)" if value is None else str(value)[:40]])
        yield from table(["n", *names, column], rows, left={len(names) + 1})
        if len(values) > _SLICES_SHOWN:
            yield Line(f"{len(values) - _SLICES_SHOWN} more values stand in comparison.json")


def _slice_cell(part: Mapping[str, Any] | None) -> str:
    if part is None:
        return ""
    return _signed(part["difference"]) + (
        " *" if part["verdict"] not in ("not_distinguishable", "identical", "no_verdict") else ""
    )


def _moved(metrics: Sequence[Mapping[str, Any]], a: str, b: str) -> Iterator[Line]:
    """The questions that moved most, of each metric that has some."""
    for one in metrics:
        if not one["moved"] or one["metric"].endswith("_ms"):
            continue
        yield from heading(f"Moved most: {one['metric']}")
        rows = [
            [
                moved["sample_id"],
                str(moved["row"]),
                figure(moved["value_a"]),
                figure(moved["value_b"]),
                _short(moved["question"]),
            ]
            for moved in one["moved"][:_MOVED_SHOWN]
        ]
        yield from table(["sample", "row", a, b, "question"], rows, left={0, 4})


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUESTION_SHOWN else line[:_QUESTION_SHOWN] + "…"


def _number(value: float | None) -> str:
    return "" if value is None else figure(value)


def _signed(value: float | None) -> str:
    return "" if value is None else f"{'+' if value > 0 else ''}{figure(value)}"


def _chance(p_value: float | None) -> str:
    if p_value is None:
        return ""
    return "< 0.0001" if p_value < 0.0001 else f"{p_value:.4f}"
