"""The page on refusals: its examples are found as it says, and its figures are those of the labelled answers."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from muffakir_eval import detect_answer_refusal, find_refusal
from muffakir_eval.refusals.phrases import KINDS
from tests.docs.pages import codes, content, table

PAGE = "docs/refusals.md"
ROWS = table(PAGE, "What is a refusal, and what is not")


def test_every_kind_has_an_example_of_it() -> None:
    reason = ""
    named = []
    for first, kinds, example in ROWS:
        reason = codes(first)[0] if codes(first) else reason
        named += codes(kinds)
        refusal = find_refusal(example)
        assert refusal is not None and refusal.kind in codes(kinds), example
        assert refusal.reason == reason
        assert {KINDS[kind] for kind in codes(kinds)} == {reason}
    assert sorted(named) == sorted(KINDS)


@pytest.mark.parametrize(("language", "name"), [("Arabic", "ar_labelled.jsonl"), ("English", "en_labelled.jsonl")])
def test_the_figures_of_answers_nobody_looked_at(data_dir: Path, language: str, name: str) -> None:
    counts: Counter[tuple[str, bool]] = Counter()
    for line in (data_dir / "refusals" / name).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if int(hashlib.sha1(row["text"].encode(), usedforsecurity=False).hexdigest(), 16) % 2:
            counts[row["label"], detect_answer_refusal(row["text"]) is not None] += 1
    shown = {row[0]: row[1:] for row in table(PAGE, "How far to trust it")}[language]
    for cell, label in zip(shown, ("refusal", "answer"), strict=True):
        found, among = map(int, re.findall(r"\d+", cell))
        assert (found, among) == (counts[label, True], counts[label, True] + counts[label, False])


def test_canned_refusals(data_dir: Path) -> None:
    lines = (data_dir / "refusals" / "canned_strings_ar.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [row["text"] for row in map(json.loads, lines) if row["kind"] == "refusal"]
    found = sum(detect_answer_refusal(text) is not None for text in texts)
    assert f"| {found} of {len(texts)} |" in content(PAGE)
