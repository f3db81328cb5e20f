from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.matching.contradictions import at_odds

SAMPLE = ["لا", "ليس", "not", "12", "13", "05", "1.50", "الرابعه", "خمسه", "million", "二", "十", "ii", "i", "t", "な"]
words = st.lists(st.sampled_from(SAMPLE), max_size=5)


@pytest.mark.parametrize(
    ("ours", "theirs", "odds"),
    [
        (["100"], ["1000"], 1),
        (["100", "كتاب"], ["1000", "200"], 1),
        (["12", "5"], ["13", "6"], 2),
        (["الرابعه"], ["السابعه"], 1),
        (["الرابعه"], ["4"], 0),  # the same number
        (["1", "234"], ["1234"], 0),
        (["12"], [], 0),  # lost, and nothing stands in its place
        (["12"], ["اب"], 0),
        (["c17"], ["c18"], 1),
        (["c17"], ["d18"], 0),  # another code altogether
        (["c17"], ["c17a"], 0),
        (["12a", "covid19"], ["13a", "covid20"], 2),
        (["2024"], ["202a"], 0),  # a slip
        (["لا"], [], 1),
        (["ولا"], ["يجوز"], 1),
        (["لا"], ["لب"], 0),  # a slip
        (["not"], ["nott"], 0),
        (["不"], [], 1),
        (["نہیں"], [], 1),
        (["не"], [], 1),
        (["नहीं"], [], 1),
        (["não"], ["nao"], 0),
        (["لا"], ["ليس"], 0),  # one on either side: both deny
        (["لا", "غير"], ["ليس"], 1),
        (["كتاب"], ["قلم"], 0),
        ([], [], 0),
        # one number in two spellings
        (["مليونا"], ["مليون"], 0),
        (["الفا"], ["بالف"], 0),
        (["05", "3"], ["5", "03"], 0),
        (["3.50"], ["3.5"], 0),
        (["3.0"], ["3"], 0),
        (["0.5"], ["5"], 1),
        (["10"], ["100"], 1),
        (["0"], ["00"], 0),
        (["1.2.3"], ["1.2.30"], 1),
        (["1", "05"], ["1.05"], 0),
        (["30"], ["ثلاثين", "5"], 0),  # the other text goes on
        (["30", "7"], ["ثلاثين", "5"], 1),
        # said in words
        (["خمسه", "وعشرون"], ["25"], 0),
        (["خمسه", "وعشرون"], ["26"], 1),
        (["twenty", "five"], ["25"], 0),
        (["ثلاثمايه", "وخمسه", "وعشرون"], ["325"], 0),
        (["الف", "وتسعمايه", "وخمسه"], ["1905"], 0),
        (["5", "الاف"], ["5000"], 0),
        (["1.2", "million"], ["1200000"], 0),
        (["5", "20"], ["25"], 1),
        (["二", "百", "五", "十"], ["250"], 0),
        (["三", "千", "万"], ["30000000"], 0),
        (["二", "〇", "二", "四"], ["2024"], 0),
        (["三"], ["四"], 1),
        (["sesenta"], ["setenta"], 1),
        (["семнадцатого"], ["восемнадцатого"], 1),
        (["five"] * 20, ["100"], 1),
        # Roman numbers
        (["iv"], ["vi"], 1),
        (["ii"], ["2"], 0),
        (["i"], ["ii"], 1),
        (["ii"], ["i"], 1),
        (["i"], ["9"], 0),  # the word
        (["9"], ["i"], 0),
        # negations of several pieces
        (["t"], [], 1),
        (["do", "not"], ["don", "t"], 0),
        (["don", "t"], ["dont"], 0),
        (["cannot"], ["can", "not"], 0),
        (["ไ", "ม", "่"], [], 1),
        (["な", "い"], ["る"], 1),
        (["ไ", "ม", "่"], ["ไ", "ม", "่", "น"], 0),
        (["먹지", "않는다"], ["먹는다"], 1),
        (["않는다"], ["않는더"], 0),  # a slip
    ],
)
def test_numbers_and_negations(ours: list[str], theirs: list[str], odds: int) -> None:
    assert at_odds(ours, theirs) == odds


@given(words, words)
def test_it_is_the_same_either_way(ours: list[str], theirs: list[str]) -> None:
    assert at_odds(ours, theirs) == at_odds(theirs, ours) >= 0


def test_a_number_of_any_length() -> None:
    assert at_odds(["9" * 6000], ["9" * 6001]) == 1
    assert at_odds(["million"], ["9" * 6001]) == 1
