"""The outcome of a gate for a terminal, and as Markdown."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from muffakir_eval.writers.lines import Line, plain, table, wrapped
from muffakir_eval.writers.terms import figure

__all__ = ["gate_markdown", "gate_text", "told_apart"]

_WIDTH = 100
_WORDS = {"passed": "ok", "failed": "FAILED", "not_measured": "NOT MEASURED"}
_OUTCOMES = {
    0: "The gate is passed.",
    1: "The gate is not passed.",
    3: "The gate is not passed: too little was measured.",
}
_COLUMNS = ("", "condition", "value", "interval", "n")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&$])")


def gate_text(result: Mapping[str, Any]) -> str:
    """A table, why conditions do not hold or what they could not show, and the outcome, as plain text."""
    return "\n".join(line.text for line in _lines(result))


def _lines(result: Mapping[str, Any]) -> Iterator[Line]:
    checks = result["checks"]
    yield Line(plain(f"Gate for run {result['run_id']}"))
    yield from table(_COLUMNS, [_row(check) for check in checks], left={0, 1})
    for check in checks:
        if _explained(check):
            yield from wrapped(f"{check['condition']}: {check['message']}", _WIDTH)
    yield Line(_OUTCOMES[result["exit_code"]])


def _explained(check: Mapping[str, Any]) -> bool:
    """A drop that is not significant may still be one that so few questions cannot show: that is said, too."""
    return check["state"] != "passed" or check["limit"] is None


def gate_markdown(result: Mapping[str, Any]) -> str:
    r"""The same as a table in Markdown; whatever comes from the data is shown as it stands.

    >>> checks = [{"condition": "mrr >= 0.8", "state": "passed", "value": 0.9, "compared": 0.9, "limit": 0.8,
    ...            "interval": None, "n_scored": 5, "n_applicable": 5, "message": "mrr is 0.9"}]
    >>> print(gate_markdown({"run_id": "r1", "exit_code": 0, "checks": checks}))
    ### Gate for run r1: passed
    <BLANKLINE>
    | | condition | value | interval | n | |
    | --- | --- | ---: | ---: | ---: | --- |
    | ok | mrr \>= 0.8 | 0.9000 |  | 5/5 |  |
    <BLANKLINE>
    """
    outcome = "passed" if result["exit_code"] == 0 else "not passed"
    lines = [f"### Gate for run {_escaped(result['run_id'])}: {outcome}", ""]
    lines += ["| | condition | value | interval | n | |", "| --- | --- | ---: | ---: | ---: | --- |"]
    for check in result["checks"]:
        word, *cells = _row(check)
        why = check["message"] if _explained(check) else ""
        marked = word if check["state"] == "passed" else f"**{word}**"
        lines.append(f"| {marked} | {' | '.join(map(_escaped, [*cells, why]))} |")
    return "\n".join([*lines, ""])


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(plain(text).split()))


def _row(check: Mapping[str, Any]) -> Sequence[str]:
    n = f"{check['n_scored']}/{check['n_applicable']}" if check["n_applicable"] else ""
    # A loss has no limit to be read beside, and a bare "-0.13" of it would look like a fall.
    shown = _turn if check["limit"] is None else partial(told_apart, limit=check["limit"])
    ends = " to ".join(shown(end) for end in check["interval"] or ())
    value = "" if check["value"] is None else shown(check["value"])
    return [_WORDS[check["state"]], check["condition"], value, ends, n]


def _turn(loss: float) -> str:
    """A loss in words.

    >>> _turn(-0.1282), _turn(0.03), _turn(0.0)
    ('0.1282 better', '0.0300 worse', '0.0000')
    """
    size = figure(abs(loss))
    return size if float(size) == 0 else f"{size} {'worse' if loss > 0 else 'better'}"


def told_apart(value: float, limit: float | None) -> str:
    """A figure with as many digits as it takes to see that it is not the limit.

    >>> told_apart(0.79999, 0.8), told_apart(0.85, 0.8), told_apart(0.8, 0.8)
    ('0.79999', '0.8500', '0.8000')
    """
    if abs(value) > 1 and value == round(value):
        return f"{value:.0f}"
    shown, digits = figure(value), 5
    if limit is None or math.isclose(value, limit, rel_tol=1e-12, abs_tol=1e-12):
        return shown
    while float(shown) == limit:
        shown, digits = f"{value:.{digits}f}", digits + 1
    return shown
