"""What is noticed in reading has Arabic words: every sentence that the package writes is taken from its source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from muffakir_eval.comparison.judges import people
from muffakir_eval.evaluation import judge_comparison, judge_runs
from muffakir_eval.writers.outline import outline
from muffakir_eval.writers.page.reading_words import JUDGING, READING
from muffakir_eval.writers.page.warning_words import warning_text
from muffakir_eval.writers.words import Words
from tests.writers.test_markdown_file import SUMMARY

ROOT = Path(people.__file__).parents[2]
NOTES = (people, judge_comparison, judge_runs)
"""Where what is said of judges is written: in generators, and in lists with the name of notes."""
CARRIED = {"{}", "{}: {}", "{}: {} of those read; {}", "{}: {}, so no columns are mapped"}
"""Sentences of other places, in front of which only the place is put."""


def _sentence(node: ast.expr, value: str) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else value for part in node.values)
    return None


def _warned() -> Iterator[tuple[str, ast.expr]]:
    for folder in ("datasets", "audit"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                named = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "warn"
                if named and isinstance(node, ast.Call) and len(node.args) == 2:
                    yield path.name, node.args[1]


def _noted() -> Iterator[tuple[str, ast.expr]]:
    for module in NOTES:
        path = Path(str(module.__file__))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Yield) and node.value is not None:
                yield path.name, node.value
            elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("notes.append", "told.append"):
                yield path.name, node.args[0]


_CUT = "s.csv: longer retrieved texts are cut in this file, so {}; pass the run folder instead, which holds them whole"
ELSEWHERE = (
    _CUT.format("only identifiers are compared"),
    _CUT.format("what was retrieved is not known"),
    "a run would stop here: there is no key",
    judge_runs._KEPT,
)
"""Sentences that are put together where the walk does not see it."""
SITES = [(name, node) for name, node in (*_warned(), *_noted()) if (_sentence(node, "{}") or "{}") not in CARRIED]


def test_the_walk_finds_them() -> None:
    assert len(SITES) >= 25


def _tried(node: ast.expr) -> list[str]:
    """A sentence with several values in its gaps, and behind a place, which a row puts in front."""
    tried = [_sentence(node, value) or "" for value in ("7", "A7", "'7'", "7 ratings are")]
    return [*tried, f"q.csv, row 3: {tried[0]}"]


def test_every_pattern_is_that_of_a_sentence() -> None:
    texts = [*ELSEWHERE, *(text for _, node in SITES for text in _tried(node))]
    untried = [
        pattern
        for pattern, _ in (*READING, *JUDGING)
        if not any(re.fullmatch(pattern, text, re.DOTALL) for text in texts)
    ]
    assert untried == []


@pytest.mark.parametrize(("name", "node"), SITES, ids=[f"{name}-{node.lineno}" for name, node in SITES])
def test_every_sentence_has_arabic_words(name: str, node: ast.expr) -> None:
    told = [warning_text(text, arabic=True) for text in _tried(node)]
    assert any(re.search("[\u0621-\u064a]", one) for one in told), _tried(node)[0]


def test_no_value_stays_open() -> None:
    fixed = {"metrics", "english", "c"}
    for pattern, told in (*READING, *JUDGING):
        asked = set(re.findall(r"{(\w+)}", told))
        assert asked - fixed <= set(re.compile(pattern).groupindex), told


@pytest.mark.parametrize("language", ["ar", "en"])
def test_files_and_pages_of_a_run_speak_its_language(language: str) -> None:
    summary = {
        **SUMMARY,
        "language": language,
        "warnings": ["q.json: read as JSON Lines, which it is in spite of its suffix"],
    }
    told = [line for section in outline(summary, Words(language)) for line in section.lines if "JSON Lines" in line]
    assert [line.startswith("قُرئ \u2068q.json\u2069") for line in told] == [language == "ar"]
