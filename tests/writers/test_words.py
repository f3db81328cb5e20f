"""The words of the files: both languages say the same things."""

from __future__ import annotations

import string

import pytest

from muffakir_eval.records.scores import FAILED_REASONS, NOT_APPLICABLE_REASONS
from muffakir_eval.writers import words as module
from muffakir_eval.writers.words import Words, words_of


def test_both_languages_have_the_same_words_with_the_same_gaps() -> None:
    assert module._ARABIC.keys() == module._ENGLISH.keys()
    for name, arabic in module._ARABIC.items():
        gaps = [{part[1] for part in string.Formatter().parse(text)} for text in (arabic, module._ENGLISH[name])]
        assert gaps[0] == gaps[1], name


@pytest.mark.parametrize("reason", sorted(FAILED_REASONS | NOT_APPLICABLE_REASONS | {"no_samples"}))
def test_every_reason_has_words_in_both_languages(reason: str) -> None:
    assert not Words("ar").reason(reason).isascii()
    assert "_" not in Words("en").reason(reason)


def test_an_unknown_reason_stays_as_it_is() -> None:
    assert Words("ar").reason("my_reason") == Words("en").reason("my_reason") == "my reason"


def test_the_language_is_that_of_the_run_unless_another_is_named() -> None:
    assert words_of({"language": "ar-EG"})["mean"] == "المتوسط"
    assert words_of({"language": "ar"}, "en")["mean"] == words_of({})["mean"] == "Mean"


def test_a_metric_of_the_users_own_keeps_its_name() -> None:
    assert Words("ar").metric("mine") == "mine"
