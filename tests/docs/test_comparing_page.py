"""The page on comparisons and gates knows every verdict, reason, figure and exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

from muffakir_eval.cli.gate import gate
from muffakir_eval.comparison.gate_figures import figure_of
from muffakir_eval.comparison.runs_findings import Verdict
from muffakir_eval.comparison.runs_folder import read_summary
from muffakir_eval.writers.comparison_lines import REASONS, VERDICTS
from tests.docs.pages import ROOT, codes, content, table

PAGE = "docs/comparing.md"


def test_every_verdict_and_its_words() -> None:
    rows = table(PAGE, "What each verdict means", "verdict")
    assert tuple(code for row in rows for code in codes(row[0])) == get_args(Verdict)
    words = [word for row in rows for word in row[1].split(", ")]
    assert words == [VERDICTS[name].format(b="B") for name in get_args(Verdict)]


def test_every_reason() -> None:
    assert [codes(row[0])[0] for row in table(PAGE, "What each verdict means", "reason")] == list(REASONS)


def test_the_exit_codes_are_those_of_the_command() -> None:
    told = [row[0] for row in table(PAGE, "A gate", "exit code")]
    assert told == ["0", "1", "2", "3"]
    assert all(f"{code} " in str(gate.__doc__) for code in told)


def test_every_figure_that_is_named_exists(tmp_path: Path) -> None:
    summary = read_summary(ROOT / "eval_results" / "example")
    assert json.dumps(summary)
    text = content(PAGE)
    named = codes(text[text.index("Beside the metrics there are") :].split("\n\n")[0])
    assert len(named) == 14
    for name in named:
        figure_of(summary, f"latency_ms{name}" if name.startswith(".") else name)
