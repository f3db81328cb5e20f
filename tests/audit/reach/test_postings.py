"""Numbers of keys, against a dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.audit.reach.postings import Numbers, Postings, counted

_keys = st.lists(st.integers(0, 40) | st.integers(0, 2**62), max_size=40)


@settings(deadline=None)
@given(_keys, _keys)
def test_the_number_of_a_key_is_its_place_among_all(keys: list[int], asked: list[int]) -> None:
    numbers = Numbers(keys)
    known = {key: place for place, key in enumerate(sorted(set(keys)))}
    assert len(numbers) == len(known)
    asked += keys
    assert numbers.of(np.array(asked, dtype=np.int64)).tolist() == [known.get(key, -1) for key in asked]


def test_many_keys() -> None:
    many = np.arange(0, 300_000 * 7, 7)
    numbers = Numbers(many.tolist())
    assert numbers.of(many).tolist() == list(range(len(many)))
    assert set(numbers.of(many[:-1] + 3).tolist()) == {-1}


def test_a_pair_needs_both_keys() -> None:
    numbers = Numbers([1 * 10 + 2, 3 * 10 + 0])
    found = counted(np.array([1, 3, -1, 2]), np.array([2, 0, 2, -1]), 10, numbers)
    assert found.tolist() == [0, 1, -1, -1]


def test_keys_that_come_several_times_count_once() -> None:
    postings = Postings([[0, 0, 1], [], [2]], 3)
    assert postings.shared(np.array([0, 0, 1, 2]), np.array([0, 0, 0, 1]), 2).toarray().tolist() == [
        [2, 0, 0],
        [0, 0, 1],
    ]
