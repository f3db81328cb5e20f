"""Many identifiers at once are what they are one by one."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.retrieval_evaluation.identifiers import clean_ids
from muffakir_eval.text.identifiers import clean_id

edges = st.sampled_from(
    ["\t", "\n", "\r", "\x0b", "\x0c", "\x1c", "\x1f", "\x85", "\xa0", "\u200f", "\ufeff", " ", "\u2028"]
)
texts = st.text(max_size=4) | st.builds(
    lambda left, text, right: left + text + right, edges, st.text(max_size=3), edges
)
numbers = st.sampled_from(["12.0", "007", "-0.0", "1.10", ".0", "0"])


@given(st.lists(texts | numbers | st.integers() | st.floats() | st.none() | st.booleans(), max_size=5))
@settings(max_examples=400)
def test_as_one_by_one(values: list[Any]) -> None:
    alone = [clean_id(value) for value in values]
    assert clean_ids(values) == (None if None in alone else alone)


def test_every_character_that_is_cut_off_alone() -> None:
    for char in map(chr, range(0x3001)):
        assert clean_ids(["a", f"b{char}"]) == ["a", clean_id(f"b{char}")], hex(ord(char))


def test_the_same_list_where_nothing_changes() -> None:
    given_ids = ["a", "قانون", "x.5", "د1"]
    assert clean_ids(given_ids) is given_ids
