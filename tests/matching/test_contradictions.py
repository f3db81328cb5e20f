from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.matching.contradictions import at_odds

words = st.lists(st.sampled_from(["لا", "ليس", "not", "12", "13", "الرابعه", "كتاب", "house"]), max_size=5)


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
        (["لا"], ["ليس"], 2),  # one on either side
        (["كتاب"], ["قلم"], 0),
        ([], [], 0),
    ],
)
def test_numbers_and_negations(ours: list[str], theirs: list[str], odds: int) -> None:
    assert at_odds(ours, theirs) == odds


@given(words, words)
def test_it_is_the_same_either_way(ours: list[str], theirs: list[str]) -> None:
    assert at_odds(ours, theirs) == at_odds(theirs, ours) >= 0
