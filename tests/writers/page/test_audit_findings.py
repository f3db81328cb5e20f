"""Findings and questions of an audit in the words of the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

import muffakir_eval.audit
from muffakir_eval.audit.health.wording import WORDING
from muffakir_eval.audit.records import Outcome
from muffakir_eval.writers.page import audit_page
from muffakir_eval.writers.page.wording import LANGUAGES, wording
from tests.writers.page.runs import HOSTILE, Parsed

AUDIT = {"corpus": {"name": "index", "n_chunks": 3}, "k": 5, "language": "ar"}
AT = {"ordinal": 6, "chunk_id": "c7", "source": "law.pdf", "place": "corpus.jsonl, line 7"}


def page(language: str = "ar", **blocks: Any) -> Parsed:
    return Parsed(b"".join(audit_page({**AUDIT, **blocks}, language=language)).decode("utf-8"))


def finding(code: str = "empty_chunk", **fields: Any) -> dict[str, Any]:
    return {
        "code": code,
        "severity": "error",
        "count": 1200,
        "total": 10_000,
        "unit": "chunks",
        "message": "1,200 of 10,000 chunks hold nothing that can be seen",
        "remedy": "drop them before indexing",
        "examples": [],
        **fields,
    }


def question(outcome: str, **fields: Any) -> dict[str, Any]:
    return {
        "sample_id": "q1",
        "question": "كم مدة الإجازة؟",
        "outcome": outcome,
        "message": "in English",
        "remedy": "do it",
        "gold_outcomes": [outcome],
        "gold_ranks": [None],
        "places": [AT],
        "covered": None,
        "n_retrieved": None,
        **fields,
    }


def codes() -> Iterator[str]:
    """Every code in the sources of the audit."""
    yield from WORDING
    for file in Path(muffakir_eval.audit.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "code" and isinstance(node.value, ast.Constant):
                yield str(node.value.value)


def test_every_finding_has_a_title_in_both_languages_and_a_remedy_in_arabic() -> None:
    known = set(codes())
    assert len(known) > 50
    for language in LANGUAGES:
        assert set(wording(language).section("finding")) == known
    assert set(wording("ar").section("finding_remedy")) == known


def test_every_outcome_to_look_at_is_explained() -> None:
    looked_at = set(get_args(Outcome)) - {"found", "in_index"}
    for language in LANGUAGES:
        assert set(wording(language).section("outcome_says")) == looked_at
    assert set(wording("ar").section("outcome_remedy")) == looked_at


def test_titles_are_no_sentences_and_remedies_are() -> None:
    for language in LANGUAGES:
        assert not any(text.endswith((".", "،")) for text in wording(language).section("finding").values())
    for section in ("finding_remedy", "outcome_remedy", "outcome_says"):
        assert all(text.endswith((".", "؟")) for text in wording("ar").section(section).values())


def test_a_finding_on_an_arabic_page() -> None:
    found = page(findings=[finding(examples=[{"at": AT, "excerpt": "", "detail": "5 × U+FFFD"}])])
    assert "مقاطع فارغة empty_chunk يعطّل الاسترجاع 1,200 من 10,000 احذفها قبل الفهرسة" in found.text
    assert (
        "أمثلة: مقاطع فارغة بالإنجليزية: 1,200 of 10,000 chunks hold nothing that can be seen. Drop them" in found.text
    )
    assert "corpus.jsonl ، السطر 7 (c7)" in found.text
    english = [attributes for tag, attributes in found.elements if attributes.get("lang") == "en"]
    assert len(english) == 2, "the message and the detail"


def test_a_finding_on_an_english_page() -> None:
    found = page("en", findings=[finding(examples=[{"at": AT, "excerpt": "x", "detail": ""}])])
    assert "Empty chunks empty_chunk breaks retrieval 1,200 of 10,000 drop them before indexing" in found.text
    assert "corpus.jsonl , line 7 (c7)" in found.text and "In English" not in found.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_code_that_is_not_known_says_what_the_audit_says(language: str) -> None:
    found = page(language, findings=[finding("brand_new", severity="odd")])
    assert "hold nothing that can be seen brand_new odd" in found.text
    assert "drop them before indexing" in found.text


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (question("below_k", gold_outcomes=["below_k", "found", "below_k"], gold_ranks=[9, 1, 7]), "2 من 3"),
        (question("below_k", gold_ranks=[9]), "الرتبة 9"),
        (question("not_retrieved", n_retrieved=20), "عدد ما استُرجع له 20 ، وليس فيه الدليل"),
        (question("split", covered=0.875), "في الفهرس 87.5% من كلماته"),
        (question("unknown_id", gold_outcomes=["unknown_id", "found"], gold_ranks=[None, 1]), "in English"),
        (question("pipeline_error", covered=0.5), "in English"),
    ],
)
def test_what_a_question_came_to(row: Mapping[str, Any], told: str) -> None:
    found = page(questions=[row])
    assert told in found.text
    assert wording("ar").section("outcome_remedy")[row["outcome"]] in found.text
    assert ("in English" in found.text) == (told == "in English")
    assert "in English" in page("en", questions=[row]).text


def test_the_first_questions_say_how_many_there_are() -> None:
    rows = [{"outcome": "split", "n": 1500, "share": 0.5, "interval": None}]
    found = page("en", questions=[question("split")], outcomes={"questions": {"rows": rows}})
    assert "split over chunks (1,500)" in found.text
    assert "\u20681\u2069 of \u20681,500\u2069 are shown here" in found.text
    assert "are shown here" not in page("en", questions=[question("split")]).text


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("item 7", "العنصر 7"),
        ("dataset, row 5", "مجموعة الأسئلة ، الصف 5"),
        ("dataset, question 2", "مجموعة الأسئلة ، السؤال 2"),
        ("a, b.jsonl, line 3", "a, b.jsonl ، السطر 3"),
        ("somewhere else", "somewhere else"),
        ("", "law.pdf"),
    ],
)
def test_places_are_named_in_arabic(place: str, told: str) -> None:
    assert told in page(questions=[question("split", places=[{**AT, "place": place, "chunk_id": None}])]).text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_text(text: str) -> None:
    example = {"at": {**AT, "place": text, "chunk_id": text}, "excerpt": text, "detail": text}
    given = finding(text, severity=text, message=text, remedy=text, examples=[example])
    rows = [question("split", question=text, sample_id=text), question(text, message=text, remedy=text)]
    for language in LANGUAGES:
        found = page(language, findings=[given], questions=rows, warnings=[text], corpus={"name": text, "n_chunks": 0})
        assert found.open == []
        assert not found.all("script") and not found.all("img")
        names = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
        assert len(names) == len(set(names))
