"""The hand-made tables: one per language and dialect, written without looking at the rules."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.refusals import detect_answer_refusal, find_refusal, is_unsure

TABLES = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in Path(__file__).parent.glob("tables/*.toml")}
REFUSALS = [(name, row) for name, table in sorted(TABLES.items()) for row in table["refusal"]]
ANSWERS = [(name, row["text"]) for name, table in sorted(TABLES.items()) for row in table["answer"]]


def test_every_language_and_dialect_has_its_table() -> None:
    spoken = {"acm", "afb", "apc", "arabizi", "ary", "arz"}
    assert TABLES.keys() == {"ar", *spoken, "de", "en", "es", "fa", "fr", "hi", "id", "ja", "tr", "ur", "zh"}
    assert all(len(table["refusal"]) >= 12 and len(table["answer"]) >= 12 for table in TABLES.values())


@pytest.mark.parametrize(("name", "row"), REFUSALS)
def test_refusals_of_the_tables_are_found(name: str, row: dict[str, Any]) -> None:
    refusal = find_refusal(row["text"])
    assert refusal is not None, name
    assert refusal.reason == row["reason"]
    assert refusal.partial is row.get("partial", False)
    assert row["text"][slice(*refusal.span)] == refusal.phrase
    assert detect_answer_refusal(row["text"]) == (None if refusal.partial else row["reason"])
    assert not refusal.partial or is_unsure(row["text"])


@pytest.mark.parametrize(("name", "answer"), ANSWERS)
def test_near_misses_of_the_tables_are_answers(name: str, answer: str) -> None:
    assert find_refusal(answer) is None, name
