from __future__ import annotations

import pytest

from muffakir_eval.matching.prepared import PreparedText, PreparedTexts
from muffakir_eval.text.normalize import normalizer_for
from tests.matching.prepared_texts import prepared


def test_what_a_prepared_text_holds() -> None:
    text = prepared("المادة ١٢، المادة 12!")
    assert (text.count, text.size, text.spaceless) == (4, 2, False)
    assert text.distinct == {"الماده", "12"}
    assert text.words == ["الماده", "12", "الماده", "12"]
    assert text.sequence == " الماده 12 الماده 12 "
    assert text.normalized == "الماده 12, الماده 12!"
    assert len(text.neighbours) == 2


def test_a_text_without_spaces() -> None:
    text = prepared("中国人 AI")
    assert (text.count, text.size, text.spaceless) == (3, 3, True)
    assert text.distinct == {"中国", "国人", "ai"}
    assert text.sequence == " 中 国 人 ai "
    assert len(text.neighbours) == 3


def test_nothing_to_compare() -> None:
    text = prepared("؟!")
    assert (text.count, text.size, text.bits, text.distinct, text.normalized) == (0, 0, 0, frozenset(), "?!")


def test_all_tokens_among_others() -> None:
    text = prepared("a b c a")
    assert text.all_in(frozenset("abcx"))
    assert not text.all_in(frozenset("ab"))
    assert text.all_in(frozenset("ab"), but=1)
    assert not text.all_in(frozenset("a"), but=1)
    assert text.all_in(frozenset("a"), but=2)


def test_the_profile_decides_what_a_token_is() -> None:
    texts = PreparedTexts(normalizer=normalizer_for("none"))
    assert texts.get("المادة").distinct == {"المادة"}
    assert texts.get("؟").normalized == normalizer_for("none").normalize("؟")


def test_a_text_is_prepared_once() -> None:
    texts = PreparedTexts()
    assert texts.get("نص") is texts.get("".join(["ن", "ص"]))
    one, other, again = texts.get_all(["نص آخر", "نص", "نص آخر"])
    assert one is again
    assert other is texts.get("نص")
    assert len(texts) == 2


def test_what_is_not_asked_for_is_forgotten() -> None:
    texts = PreparedTexts(capacity=600)
    kept = texts.get("k" * 150)
    for number in range(50):
        texts.get(f"{number:0150d}")
        assert texts.get("k" * 150) is kept
        assert len(texts) <= 6


def test_short_texts_and_pairs_of_characters_count_for_more_than_they_have() -> None:
    """A million identifiers or Chinese passages stay within the memory of Arabic ones of the same capacity."""
    texts = PreparedTexts(capacity=2000)
    for number in range(100):
        texts.get(str(number))
    assert len(texts) <= 18
    chinese = PreparedTexts(capacity=3000)
    for number in range(20):
        chinese.get("".join(chr(0x4E00 + 200 * number + place) for place in range(200)))
    assert len(chinese) <= 6


@pytest.mark.parametrize("together", [1, 10])
def test_ever_new_texts_are_not_kept(monkeypatch: pytest.MonkeyPatch, together: int) -> None:
    monkeypatch.setattr("muffakir_eval.matching.prepared._WARM_UP", 5)
    monkeypatch.setattr("muffakir_eval.matching.prepared._MOST_MARKS", 50)
    texts = PreparedTexts()
    for number in range(0, 200, together):
        texts.get_all([f"text {number + step}" for step in range(together)])
    assert len(texts) == 5
    again = texts.get("text 199")  # met before: it may come back
    assert texts.get("text 199") is again
    forgotten = texts.get("text 7")  # too long ago to be remembered
    assert texts.get("text 7") is not forgotten


@pytest.mark.parametrize(
    "text",
    ["", "…", "القانونُ المدنيّ، المادة ١٤٧: 3.5%", "东京 2024年", "\U0001f600 نص \U00020000\U00020001", "max_value one"],
)
def test_split_at_once_is_the_same_but_for_the_bits(text: str) -> None:
    one, other = prepared(text, least=lambda _: 0.3), PreparedText.split(text, least=lambda _: 0.3)
    for name in ("size", "length", "needed", "tokens", "words", "distinct", "spaceless", "weight"):
        assert getattr(one, name) == getattr(other, name), name
    assert other.bits == 0
    assert other.limit <= 0
