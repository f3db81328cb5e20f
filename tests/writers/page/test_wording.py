"""The words of the page: whole in both languages, and the same as elsewhere."""

from __future__ import annotations

import re

import pytest

from muffakir_eval.records import FAILED_REASONS, NOT_APPLICABLE_REASONS
from muffakir_eval.writers.page.wording import LANGUAGES, wording
from muffakir_eval.writers.terms import ARABIC_NAMES, REASONS

PLACES = re.compile(r"\{(\w+)\}")


ARABIC_ALONE = ("finding_remedy", "outcome_remedy")
"""What the audit says in English by itself."""


def test_both_languages_have_the_same_keys() -> None:
    arabic = [key for key in wording("ar").keys() if not key.startswith(ARABIC_ALONE)]  # noqa: SIM118 - a method of ours
    assert arabic == list(wording("en").keys())


def test_both_languages_have_places_for_the_same_values() -> None:
    for key in wording("en").keys():  # noqa: SIM118 - a method of ours
        section, _, name = key.partition(".")
        english, arabic = (wording(language).section(section)[name] for language in ("en", "ar"))
        assert sorted(PLACES.findall(english)) == sorted(PLACES.findall(arabic)), key


def test_arabic_is_arabic() -> None:
    for key in wording("ar").keys():  # noqa: SIM118
        section, _, name = key.partition(".")
        text = PLACES.sub("", wording("ar").section(section)[name])
        assert re.search("[\u0621-\u064a]", text) or not re.search(r"\w", text), key


def test_no_latin_punctuation_among_arabic_words() -> None:
    words = wording("ar")
    for key in words.keys():  # noqa: SIM118 - a method of ours
        section, _, name = key.partition(".")
        text = PLACES.sub("0", words.section(section)[name])
        assert not re.search(r"[\u0621-\u064a][,;?]|[,;?] [\u0621-\u064a]|  | [،؛؟.:]", text), key


def test_names_of_metrics_are_those_of_the_other_reports() -> None:
    names = wording("ar").section("metric")
    assert {name: names[name] for name in ARABIC_NAMES} == ARABIC_NAMES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_and_every_metric_is_explained(language: str) -> None:
    words = wording(language)
    assert words.section("reason_says").keys() == REASONS.keys()
    assert words.section("reason_says").keys() >= FAILED_REASONS | NOT_APPLICABLE_REASONS
    assert words.section("metric_says").keys() == ARABIC_NAMES.keys()


def test_values_stand_apart_and_are_escaped() -> None:
    assert wording("en")("page.of", n=1, total="<b>") == "<bdi>1</bdi> of <bdi>&lt;b&gt;</bdi>"
    assert wording("en").plain("page.of", n=1, total="<b>") == "\u20681\u2069 of \u2068<b>\u2069"


def test_what_is_not_known_stands_as_it_is() -> None:
    words = wording("ar")
    assert words.metric("my<metric>\x00") == "my<metric>␀"
    assert words.reason("my_reason") == "my reason"
    assert words.either("stage", "new") == "new"
    assert words.metric_says("mine") == ""
