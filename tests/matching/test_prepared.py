from __future__ import annotations

import pytest

from muffakir_eval.matching.prepared import PreparedText, PreparedTexts


def test_what_a_prepared_text_holds() -> None:
    text = PreparedText("المادة ١٢، المادة 12!")
    assert (text.count, text.spaceless) == (4, False)
    assert text.distinct == {"الماده", "12"}
    assert text.sequence == " الماده 12 الماده 12 "
    assert text.normalized == "الماده 12, الماده 12!"


def test_a_text_without_spaces() -> None:
    text = PreparedText("中国人 AI")
    assert (text.count, text.spaceless) == (3, True)
    assert text.distinct == {"中国", "国人", "ai"}
    assert text.sequence == " 中 国 人 ai "


def test_nothing_to_compare() -> None:
    text = PreparedText("؟!")
    assert (text.count, text.distinct, text.normalized) == (0, frozenset(), "?!")


@pytest.mark.parametrize("settled", [False, True])
def test_shared_tokens(settled: bool) -> None:
    text = PreparedText("a b c a")
    if settled:
        text.settle()
        text.settle()
        assert text.size == 3
    assert text.shared_with(frozenset("abx")) == 2
    assert text.all_in(frozenset("abcx"))
    assert not text.all_in(frozenset("ab"))
    assert text.all_in(frozenset("ab"), but=1)
    assert not text.all_in(frozenset("a"), but=1)
    assert text.all_in(frozenset("a"), but=2)
    assert text.distinct == {"a", "b", "c"}


def test_a_text_is_prepared_once() -> None:
    texts = PreparedTexts()
    assert texts.get("نص") is texts.get("".join(["ن", "ص"]))
    assert len(texts) == 1


def test_what_is_not_asked_for_is_forgotten() -> None:
    texts = PreparedTexts(capacity=400)
    kept = texts.get("k" * 100)
    for number in range(50):
        texts.get(f"{number:0100d}")
        assert texts.get("k" * 100) is kept
        assert len(texts) <= 6


def test_short_texts_and_pairs_of_characters_count_for_more_than_they_have() -> None:
    """A million identifiers or Chinese passages stay within the memory of Arabic ones of the same capacity."""
    texts = PreparedTexts(capacity=1000)
    for number in range(100):
        texts.get(str(number))
    assert len(texts) <= 17
    chinese = PreparedTexts(capacity=3000)
    for number in range(20):
        chinese.get("".join(chr(0x4E00 + 200 * number + place) for place in range(200)))
    assert len(chinese) <= 6


def test_ever_new_texts_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muffakir_eval.matching.prepared._WARM_UP", 5)
    monkeypatch.setattr("muffakir_eval.matching.prepared._MOST_MARKS", 50)
    texts = PreparedTexts()
    for number in range(200):
        texts.get(f"text {number}")
    assert len(texts) == 5
    again = texts.get("text 199")  # met before: it may come back
    assert again.signature is not None
    assert texts.get("text 199") is again
    assert texts.get("text 7").signature is None  # too long ago to be remembered
