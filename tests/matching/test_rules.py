from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.config import MatchSettings
from muffakir_eval.matching.rules import Rules, neighbour_share, token_share

lengths = st.floats(0, 100)


@pytest.mark.parametrize(
    ("length", "tokens", "neighbours"),
    [
        (2.0, 0.3, 0.1),  # pairs of Chinese
        (4.7, 0.3, 0.1),  # English
        (7.0, 0.25, 0.07),  # Turkish
        (9.0, 0.21, 0.05),  # Tamil
    ],
)
def test_long_words_are_less_often_spared(length: float, tokens: float, neighbours: float) -> None:
    assert token_share(length) == pytest.approx(tokens, abs=0.006)
    assert neighbour_share(length) == pytest.approx(neighbours, abs=0.006)


@given(lengths, lengths)
def test_shares_fall_with_the_length(one: float, other: float) -> None:
    if one <= other:
        assert 0.3 >= token_share(one) >= token_share(other) > 0
        assert 0.1 >= neighbour_share(one) >= neighbour_share(other) > 0


@given(lengths, st.floats(0.05, 1.0))
def test_what_is_asked_of_a_text_is_what_the_most_lenient_stage_asks(length: float, threshold: float) -> None:
    every = Rules(MatchSettings(overlap_threshold=threshold)).least(length)
    alone = Rules(MatchSettings(overlap_threshold=threshold, stages=("containment", "jaccard"))).least(length)
    assert every == pytest.approx(min(alone, token_share(length)), abs=1e-8)
    assert alone == pytest.approx(
        threshold / (1 + threshold / 2), abs=1e-8
    )  # half of it, over one and half of it, twice
