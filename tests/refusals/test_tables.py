"""The tables that ship with the package: every row, every language, and none in the way of another."""

from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval.errors import ConfigError
from muffakir_eval.refusals import find_refusal
from muffakir_eval.refusals.phrases import KINDS, Phrase
from muffakir_eval.refusals.tables import SCRIPTS, load_table, read_table, scripts_of

NAMES = [name for names in SCRIPTS.values() for name in names]
ROWS = [(name, phrase) for name in NAMES for phrase in load_table(name).phrases]
NEAR_MISSES = [(name, answer) for name in NAMES for answer in load_table(name).near_misses]


@pytest.mark.parametrize(("name", "phrase"), ROWS, ids=[f"{name}-{phrase.kind}" for name, phrase in ROWS])
def test_every_row_finds_its_example(name: str, phrase: Phrase) -> None:
    refusal = find_refusal(phrase.example)
    assert refusal is not None, name
    assert (refusal.kind, refusal.reason, refusal.language) == (phrase.kind, phrase.reason, phrase.language)
    assert not refusal.partial
    assert phrase.example[slice(*refusal.span)] == refusal.phrase


@pytest.mark.parametrize(("name", "answer"), NEAR_MISSES)
def test_near_misses_are_answers(name: str, answer: str) -> None:
    assert find_refusal(answer) is None, name


def test_every_language_has_every_reason() -> None:
    languages = {"ar", "ar-Latn", "en", "fr", "es", "de", "tr", "fa", "ur", "hi", "id", "zh", "ja"}
    reasons: dict[str, set[str]] = {}
    for _, phrase in ROWS:
        reasons.setdefault(phrase.language, set()).add(phrase.reason)
    assert reasons.keys() == languages
    assert all(found == set(KINDS.values()) for found in reasons.values())


def test_every_language_has_a_dozen_near_misses_of_its_own() -> None:
    counts = {name: len(load_table(name).near_misses) for name in NAMES if name != "en-policy"}
    assert min(counts.values()) >= 12, counts


@pytest.mark.parametrize(
    ("answer", "language"),
    [
        ("لا أعلم.", "ar"),
        ("نمی‌دانم.", "fa"),
        ("مجھے معلوم نہیں۔", "ur"),
        ("مش عارف", "ar"),
        ("مدري", "ar"),
        ("ma3rafsh", "ar-Latn"),
        ("I don't know.", "en"),
        ("Je ne sais pas.", "fr"),
        ("No lo sé.", "es"),
        ("Ich weiß es nicht.", "de"),
        ("Bilmiyorum.", "tr"),
        ("Saya tidak tahu.", "id"),
        ("मुझे नहीं पता।", "hi"),
        ("我不知道。", "zh"),
        ("我不知道", "zh"),
        ("わかりません。", "ja"),
        ("根據提供的資料，無法回答這個問題。", "zh"),
        ("BİLMİYORUM.", "tr"),
        ("bilmiyorum", "tr"),
        ("ICH WEISS ES NICHT", "de"),
        ("नमस्ते। मुझे नहीँ पता।", "hi"),
    ],
)
def test_nobody_has_to_say_which_language_it_is(answer: str, language: str) -> None:
    refusal = find_refusal(answer)
    assert refusal is not None
    assert refusal.language == language
    assert not refusal.partial


def test_scripts_are_told_by_their_letters() -> None:
    assert scripts_of("لا أعلم") == {"arabic"}
    assert scripts_of("ＯＫ") == {"latin"}
    assert scripts_of("कोई जानकारी नहीं, नहीं") == {"devanagari"}
    assert scripts_of("わかる") == scripts_of("不") == {"han"}
    assert scripts_of("42 — Не знаю") == frozenset()
    assert scripts_of("RAG لا أعلم 不") == {"latin", "arabic", "han"}
    assert find_refusal("Не знаю") is None


@pytest.mark.parametrize(("key", "value"), [("kind", "mood"), ("at", "end"), ("needs", "luck")])
def test_a_row_with_an_unknown_value_is_an_error_that_shows_it(key: str, value: str) -> None:
    row = {"kind": "policy", "at": "start", "pattern": "no way", "example": "No way."}
    data: dict[str, Any] = {"language": "en", "phrase": [row]}
    assert len(read_table(data).phrases) == 1
    with pytest.raises(ConfigError, match=f"unknown {key} '{value}'"):
        read_table({**data, "phrase": [{**row, key: value}]})


def test_a_table_may_add_to_the_word_lists_of_another() -> None:
    base = read_table({"language": "xx", "words": {"source": ["text"], "opener": ["sorry"]}})
    row = {"kind": "policy", "at": "start", "pattern": "{source} {nay}", "example": "note nay"}
    table = read_table({"language": "xx", "words": {"source": ["note"], "nay": ["nay"]}, "phrase": [row]}, base.grammar)
    assert table.phrases[0].firsts == {"note", "text"}
    assert [(name, phrase.firsts) for name, phrase in table.cues] == [("source", frozenset({"note"}))]
    plain = read_table({"language": "xx", "phrase": [{**row, "pattern": "{opener} no"}]}, base.grammar)
    assert plain.grammar is base.grammar
