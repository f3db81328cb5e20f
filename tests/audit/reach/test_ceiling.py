"""The ceiling against every choice of chunks."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.audit.reach import Ceiling, ceiling_at
from muffakir_eval.audit.records import GoldReach, Place, Presence, Sighting


def gold(number: int, *chunks: int, sample: int = 0, n_chunks: int | None = None) -> GoldReach:
    return GoldReach(
        sample=sample,
        gold=number,
        presence="whole" if chunks else "nowhere",
        sightings=tuple(Sighting(at=Place(ordinal=chunk), stage="id") for chunk in chunks),
        n_chunks=len(chunks) if n_chunks is None else n_chunks,
    )


@given(st.lists(st.sets(st.integers(0, 5), max_size=3), min_size=1, max_size=6), st.integers(1, 4))
def test_the_best_choice_of_chunks(holders: list[set[int]], k: int) -> None:
    golds = [gold(number, *sorted(chunks)) for number, chunks in enumerate(holders)]
    best = max(sum(not chunks.isdisjoint(chosen) for chunks in holders) for chosen in combinations(range(6), k))
    assert ceiling_at(golds, [k]) == [Ceiling(k=k, recall=best / len(golds), n=1, exact=True)]


def test_the_mean_over_questions() -> None:
    golds = [gold(0, 1), gold(1, 2), gold(0, 7, sample=1), gold(0, sample=2), gold(1, 3, sample=2)]
    assert ceiling_at(golds, [1, 2]) == [
        Ceiling(k=1, recall=(0.5 + 1 + 0.5) / 3, n=3, exact=True),
        Ceiling(k=2, recall=(1 + 1 + 0.5) / 3, n=3, exact=True),
    ]


@pytest.mark.parametrize("presence", ["split", "part", "nowhere"])
def test_what_no_chunk_holds_is_out_of_reach(presence: Presence) -> None:
    assert ceiling_at([GoldReach(sample=0, gold=0, presence=presence)], [100])[0].recall == 0.0


def test_questions_that_cannot_be_compared_are_left_out() -> None:
    golds = [gold(0, 1), GoldReach(sample=0, gold=1, presence="not_compared"), gold(0, 1, sample=1)]
    assert ceiling_at(golds, [1]) == [Ceiling(k=1, recall=1.0, n=1, exact=True)]
    assert ceiling_at([], [3]) == [Ceiling(k=3, recall=None, n=0, exact=True)]


def test_more_chunks_than_are_listed_give_an_upper_bound() -> None:
    golds = [gold(0, 1), gold(1, 2), gold(2, 3, n_chunks=50)]
    assert ceiling_at(golds, [1, 3]) == [
        Ceiling(k=1, recall=2 / 3, n=1, exact=False),
        Ceiling(k=3, recall=1.0, n=1, exact=True),
    ]


def test_too_many_sets_give_an_upper_bound() -> None:
    pairs = list(combinations(range(40), 2))
    holders = [[place for place, pair in enumerate(pairs) if number in pair] for number in range(40)]
    [found] = ceiling_at([gold(number, *chunks) for number, chunks in enumerate(holders)], [5])
    assert (found.recall, found.exact) == (10 / 40, False)
