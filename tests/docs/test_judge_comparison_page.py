"""The page on comparing judges knows every figure, reason, file and option, and no other."""

from __future__ import annotations

import re
from dataclasses import fields

from muffakir_eval.cli.judges import judges
from muffakir_eval.comparison.judges.agreement import Agreement
from muffakir_eval.comparison.judges.rows import TABLES
from muffakir_eval.config import EvaluationConfig
from muffakir_eval.evaluation.judge_request import Options
from muffakir_eval.writers.judge_agreement_lines import FIGURE_REASONS
from tests.docs.pages import codes as listed
from tests.docs.pages import content

GUIDE = content("docs/judge_comparison.md")


def codes(text: str) -> set[str]:
    return set(listed(text))


def test_every_figure_is_explained() -> None:
    figures = {field.name for field in fields(Agreement) if field.type == "Figure"} | {"table", "alpha"}
    rows = [line.split(" | ")[0] for line in GUIDE.splitlines() if line.startswith("| `")]
    named = {code for row in rows for code in codes(row)}
    assert figures <= named


def test_every_table_is_listed() -> None:
    assert {f"{table}.csv" for table in TABLES} | {"judges.json"} <= codes(GUIDE)


def test_reasons_that_are_named_exist() -> None:
    part = GUIDE.split("Undefined is `null` with a reason:")[1].split(". If one")[0]
    assert codes(part) <= FIGURE_REASONS.keys()


def test_options_and_settings_that_are_named_exist() -> None:
    options = {f"--{name.replace('_', '-')}" for name in judges.__annotations__}
    assert set(re.findall(r"`(--[a-z-]+)`", GUIDE)) <= options
    known = Options.__annotations__.keys() | EvaluationConfig.model_fields.keys()
    assert {code for code in codes(GUIDE) if re.fullmatch(r"(human|slice|cluster|output|n)_[a-z_]+", code)} <= known
    assert {"human_column", "human_labels", "human_scale", "threshold", "slice_by", "cluster_column"} <= set(
        re.findall(r"\w+", GUIDE)
    )
