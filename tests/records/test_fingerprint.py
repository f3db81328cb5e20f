"""What a data set holds, whatever its order and its parts."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.records.fingerprint import ContentSum

keys = st.lists(st.sampled_from("abcd"), max_size=8)


def summed(keys: list[str]) -> ContentSum:
    found = ContentSum()
    for key in keys:
        found.add(key)
    return found


@given(keys, keys)
@settings(max_examples=100, deadline=None)
def test_it_is_the_same_for_the_same_keys_as_often_and_for_no_others(one: list[str], other: list[str]) -> None:
    assert (str(summed(one)) == str(summed(other))) == (sorted(one) == sorted(other))


@given(keys, st.integers(0, 8))
@settings(max_examples=50, deadline=None)
def test_parts_merge(all_keys: list[str], cut: int) -> None:
    whole = summed(all_keys[cut:])
    whole.merge(summed(all_keys[:cut]))
    assert (str(whole), whole.n) == (str(summed(all_keys)), len(all_keys))
