"""Phrases that the user adds, and contradictions, which are errors that name both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from muffakir_eval.errors import ConfigError
from muffakir_eval.records import Sample
from muffakir_eval.refusals import answerability, find_refusal, lexicon_with


def test_a_text_is_a_refusal_at_the_start_of_an_answer() -> None:
    lexicon = lexicon_with(["راجع شؤون الطلاب", "see the front desk"])
    refusal = find_refusal("عذرًا، راجِع شؤون الطلاب.", lexicon)
    assert refusal is not None
    assert (refusal.reason, refusal.kind, refusal.language) == ("insufficient_information", "cannot_answer", "und")
    assert refusal.phrase == "راجِع شؤون الطلاب"
    assert find_refusal("See the front desk.", lexicon) is not None
    assert find_refusal("First see the front desk.", lexicon) is None
    assert find_refusal("راجع شؤون الطلاب.") is None
    assert find_refusal("لا أعلم.", lexicon) is not None


def test_a_table_says_the_rest() -> None:
    lexicon = lexicon_with(
        [
            {"phrase": "nope.avi", "language": "en", "reason": "policy", "kind": "meme", "at": "whole"},
            {
                "pattern": "{cannot} look into [the] future",
                "example": "I cannot look into the future",
                "language": "en",
            },
            {"pattern": "(нет|не имею) данных", "example": "Нет данных", "language": "ru", "kind": "insufficient"},
        ]
    )
    found = find_refusal("Nope.avi", lexicon)
    assert found is not None
    assert (found.reason, found.kind, found.language) == ("policy", "meme", "en")
    assert find_refusal("Nope.avi is a file.", lexicon) is None
    assert find_refusal("Sorry, I can't look into the future.", lexicon) is not None
    russian = find_refusal("Нет данных.", lexicon)
    assert russian is not None
    assert (russian.reason, russian.kind, russian.language) == ("insufficient_information", "insufficient", "ru")


def test_at_sentence_finds_it_anywhere_in_the_sentence() -> None:
    row = {"phrase": "is above my pay grade", "at": "sentence"}
    assert find_refusal("This question is above my pay grade.", lexicon_with([row])) is not None


def test_words_can_be_taken_out() -> None:
    answer = "No information loss occurred."
    lexicon = lexicon_with([], ["I don't know how to love him", "غير متوفر"])
    assert find_refusal("I don't know how to love him", lexicon) is None
    assert find_refusal("I don't know how to help.", lexicon) is not None
    assert find_refusal("غير متوفر", lexicon) is None
    assert find_refusal("غير مذكور", lexicon) is not None
    assert find_refusal(answer, lexicon) is None


def test_the_gold_is_read_with_the_same_phrases() -> None:
    sample = Sample(sample_id="1", question="؟", answers=("راجع شؤون الطلاب",))
    assert answerability(sample) is True
    assert answerability(sample, lexicon_with(["راجع شؤون الطلاب"])) is False


def test_the_same_phrase_twice_is_one() -> None:
    assert len(lexicon_with(["see the desk", "See the desk!"]).own) == 1


@pytest.mark.parametrize(
    ("phrases", "exempt", "words"),
    [
        (["see the desk", {"phrase": "see the desk", "reason": "policy"}], [], ["policy", "insufficient_information"]),
        (["see the desk", {"phrase": "See the desk.", "at": "whole"}], [], ["'see the desk'", "'See the desk.'"]),
        ([{"phrase": "لا أعلم", "reason": "policy"}], [], ["'لا أعلم'", "insufficient_information"]),
        ([{"phrase": "I can't assist with that"}], [], ["I can't assist with that", "'policy'"]),
        (["لا يوجد"], [], ["'لا يوجد'", "لا يوجد وقت محدد لتقديم الطلب."]),
        ([{"phrase": "cannot", "at": "sentence"}], [], ["'cannot'", "You cannot smoke in the building."]),
        ([{"phrase": "不需要", "at": "sentence"}], [], ["'不需要'", "文件不需要公证。"]),
        (["ask my boss first"], ["ask my boss"], ["'ask my boss first'", "'ask my boss'"]),
        ([{"phrase": "hm no", "kind": "policy", "reason": "unclear_question"}], [], ["'policy'", "'unclear_question'"]),
    ],
)
def test_contradictions_are_errors_that_name_both(
    phrases: Sequence[str | Mapping[str, Any]], exempt: Sequence[str], words: list[str]
) -> None:
    with pytest.raises(ConfigError, match="contradict") as caught:
        lexicon_with(phrases, exempt)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_an_exemption_may_mend_a_broad_phrase() -> None:
    broad = {"phrase": "there is no fixed", "at": "start"}
    with pytest.raises(ConfigError, match="There is no fixed time"):
        lexicon_with([broad])
    lexicon = lexicon_with([broad], ["there is no fixed time"])
    assert find_refusal("There is no fixed answer.", lexicon) is not None
    assert find_refusal("There is no fixed time.", lexicon) is None


@pytest.mark.parametrize(
    ("phrases", "message"),
    [
        ([""], "a phrase of words was expected"),
        (["…"], "a phrase of words was expected"),
        ([5], "a text or a table of texts"),
        ([{"phrase": "see you", "where": "start"}], "a text or a table of texts"),
        ([{"phrase": 7}], "a text or a table of texts"),
        ([{}], "either 'phrase' or 'pattern'"),
        ([{"phrase": "a b", "pattern": "a b"}], "either 'phrase' or 'pattern'"),
        ([{"phrase": "see you", "at": "end"}], "unknown place 'end'"),
        ([{"phrase": "see you", "reason": "mood"}], "unknown reason 'mood'"),
        ([{"pattern": "see (you|me)"}], "needs an 'example'"),
        ([{"pattern": "see (you", "example": "see you"}], "not closed"),
        ([{"pattern": "see (you|me)", "example": "hear me"}], "does not find its example"),
    ],
)
def test_malformed_phrases_are_errors(phrases: list[Any], message: str) -> None:
    with pytest.raises(ConfigError, match=r"refusal phrase|refusal_phrases") as caught:
        lexicon_with(phrases)
    assert message in str(caught.value)


def test_malformed_exemptions_are_errors() -> None:
    with pytest.raises(ConfigError, match="not_refusal_phrases"):
        lexicon_with([], ["؟"])
