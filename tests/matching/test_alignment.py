"""Where two texts overlap, against definitions that are slow and obvious."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.matching.alignment import Alignment, align

words = st.lists(st.sampled_from("abcdefgh"), max_size=14)
Pair = tuple[int, int]


def near(ours: Sequence[str], theirs: Sequence[str]) -> Callable[[slice, slice], list[Pair]]:
    """Equal but for case."""
    return lambda here, there: [
        (one, other)
        for one in range(here.start, here.stop)
        for other in range(there.start, there.stop)
        if ours[one] != theirs[other] and ours[one].lower() == theirs[other].lower()
    ]


def words_in(text: str) -> list[str]:
    return text.split()


def places_between(one: Pair, other: Pair) -> int:
    """The larger gap, but three for an insertion of up to 24 words with nothing lost on the other side."""
    less, more = sorted((other[0] - one[0] - 1, other[1] - one[1] - 1))
    return min(more, 3) if not less and more <= 24 else more


def pairs_of(found: Alignment) -> list[Pair]:
    return [(block.gold + step, block.chunk + step) for block in found.blocks for step in range(block.places)]


@given(words, words)
@settings(max_examples=300)
def test_what_agrees_agrees_in_order(gold: list[str], chunk: list[str]) -> None:
    found = align(gold, chunk)
    if found is None:
        return
    pairs = pairs_of(found)
    assert all(gold[here] == chunk[there] for here, there in pairs)
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in itertools.pairwise(pairs))
    assert found.agreeing == len(pairs) <= found.places
    assert 0 < found.score < 1


@given(words, words)
@settings(max_examples=300)
def test_swapping_the_texts_swaps_the_result(gold: list[str], chunk: list[str]) -> None:
    forth, back = align(gold, chunk, near), align(chunk, gold, near)
    assert (forth is None) == (back is None)
    if forth and back:
        assert [block.swapped() for block in forth.blocks] == list(back.blocks)
        assert (forth.agreeing, forth.places) == (back.agreeing, back.places)
        assert (forth.gold_words, forth.chunk_words) == (back.chunk_words, back.gold_words)


@given(words, words)
@settings(max_examples=300)
def test_places_are_what_lies_between_and_beyond(gold: list[str], chunk: list[str]) -> None:
    """Counted one by one: each pair, what lies between, and beyond the ends what both texts have left."""
    found = align(gold, chunk)
    if found is None:
        return
    pairs = pairs_of(found)
    gaps = list(itertools.starmap(places_between, itertools.pairwise(pairs)))
    before, after = min(pairs[0]), min(len(gold) - 1 - pairs[-1][0], len(chunk) - 1 - pairs[-1][1])
    assert found.places == len(pairs) + sum(gaps) + before + after
    assert found.gold_words == pairs[-1][0] - pairs[0][0] + 1
    assert found.chunk_words == pairs[-1][1] - pairs[0][1] + 1


@given(st.permutations("abcdefghijklmnop"), st.integers(0, 12), st.integers(0, 12))
@settings(max_examples=200)
def test_no_stretch_has_a_greater_surplus(order: list[str], cut: int, filler: int) -> None:
    """Agreeing places less the others between them: the best of all stretches of the common subsequence."""
    gold, chunk = list("abcdefghijklmnop"), [*order[:cut], *"x" * filler, *"efghij", *order[cut:]]
    found = align(gold, chunk)
    if found is None:
        return
    pairs = pairs_of(found)

    def surplus(stretch: list[Pair]) -> int:
        return len(stretch) - sum(itertools.starmap(places_between, itertools.pairwise(stretch)))

    best = max(surplus(pairs[a:b]) for a in range(len(pairs)) for b in range(a + 1, len(pairs) + 1))
    assert surplus(pairs) == best


def test_a_gold_inside_a_chunk() -> None:
    found = align(list("abcdef"), list("xyzabcdefuvw"))
    assert found is not None
    assert (found.agreeing, found.places, found.gold_words) == (6, 6, 6)
    assert found.score == 6 / 8  # two places are assumed that do not agree


def test_the_end_of_one_on_the_beginning_of_the_other() -> None:
    found = align(list("abcdefgh"), list("xyzabcd"))
    assert found is not None
    assert (found.agreeing, found.places, found.gold_words, found.chunk_words) == (4, 4, 4, 4)


def test_what_both_have_left_beyond_the_ends_counts() -> None:
    """Boilerplate at the beginning, other contents at the end."""
    found = align(list("abcdefgh"), list("abcdqrstuvw"))
    assert found is not None
    assert (found.agreeing, found.places) == (4, 8)


def test_slips_and_lost_words() -> None:
    found = align(list("abcdefgh"), list("xabCdfgghy"), near)
    assert found is not None
    assert [block.kind for block in found.blocks] == ["same", "near", "same", "same", "same"]
    assert found.agreeing == 7
    exact = align(list("abcdefgh"), list("xabCdfgghy"))
    assert exact is not None
    assert exact.agreeing == 6


def test_slips_at_the_ends() -> None:
    found = align(list("Abcdef"), list("xaBcdeFy"), near)
    assert found is not None
    assert (found.agreeing, found.gold_words) == (6, 6)


def test_the_same_letters_with_other_spaces() -> None:
    gold = ["the", "data", "base", "was", "full", "of", "errors", "and", "slow"]
    chunk = ["the", "database", "was", "full", "o", "f", "errors", "and", "slow"]
    found = align(gold, chunk, near)
    assert found is not None
    assert [block.kind for block in found.blocks] == ["same", "joined", "same", "joined", "same"]
    assert (found.agreeing, found.places) == (8, 8)


def test_numbers_with_other_spaces_are_other_numbers() -> None:
    gold = ["a", "b", "1", "23", "c", "d"]
    found = align(gold, ["a", "b", "12", "3", "c", "d"], near)
    assert found is not None
    assert (found.agreeing, found.places) == (4, 6)


def test_a_contradiction_weighs_six_words() -> None:
    """Of a script without spaces, a word is several places."""
    gold, chunk = list("abcdefgh1jklmnop"), list("abcdefgh2jklmnop")
    found, wide = align(gold, chunk), align(gold, chunk, per_word=2.0)
    assert found is not None
    assert wide is not None
    assert (found.at_odds, found.score, wide.score) == (1, 15 / (16 + 2 + 6), 15 / (16 + 2 + 12))
    assert align(gold, chunk, least=0.6, per_word=2.0) is None


def test_a_number_that_sticks_to_its_word() -> None:
    gold = ["قال", "في", "الماده", "147", "من", "القانون"]
    found = align(gold, ["قال", "في", "الماده147", "من", "القانون"], near)
    assert found is not None
    assert [block.kind for block in found.blocks] == ["same", "joined", "same"]
    assert (found.agreeing, found.places, found.at_odds) == (5, 5, 0)


def test_the_best_of_several_places() -> None:
    noise = list("abxycdxyefxyghxy")
    found = align(list("abcdefgh"), [*noise, *"abcdefgh", *noise])
    assert found is not None
    assert found.blocks[0].chunk == len(noise)


def test_a_passage_that_stands_twice_is_found_once() -> None:
    found = align(list("abcdefgh"), [*"abcdefgh", *"xyz" * 10, *"abcdefgh"])
    assert found is not None
    assert (found.agreeing, found.places) == (8, 8)


@pytest.mark.parametrize("one", [[], ["a"], ["a", "b"]])
def test_no_two_neighbours_in_common(one: list[str]) -> None:
    assert align(one, ["b", "a", "c", "b", "b", "a"]) is None


def test_a_pair_that_stands_everywhere_tells_no_place() -> None:
    assert align(["a"] * 100, ["a"] * 90) is None


def test_an_insertion_counts_for_three_places_at_most() -> None:
    """The footer and the header of a page, in the middle of a passage of which nothing is lost."""
    for inserted, places in ((1, 12 + 1), (3, 12 + 3), (10, 12 + 3), (16, 12 + 3)):
        found = align(list("abcdefghijkl"), [*"abcdef", *"x" * inserted, *"ghijkl"])
        assert found is not None
        assert (found.agreeing, found.places, found.gold_words) == (12, places, 12)


def test_more_than_an_insertion_is_other_content() -> None:
    found = align(list("abcdefghijkl"), [*"abcdef", *"x" * 25, *"ghijkl"])
    assert found is not None
    assert (found.agreeing, found.places) == (6, 12)


def test_a_negation_in_a_header_denies_nothing() -> None:
    gold = words_in("everyone has a right to leave any country and to return to it")
    denied = align(gold, [*gold[:4], "not", *gold[4:]])
    interrupted = align(gold, [*gold[:6], *words_in("page 12 no one shall be held in slavery"), *gold[6:]])
    assert denied is not None
    assert interrupted is not None
    assert (denied.at_odds, interrupted.at_odds) == (1, 0)


@pytest.mark.parametrize(
    ("gold", "chunk", "odds"),
    [
        (["not", *"abcdef"], [*"abcdef", *"xyz"], 1),  # the one denies the other
        ([*"abcdef"], [*"uvwxyz", "not", *"abcdef", *"xyz"], 1),  # in the middle of a chunk as well
        ([*"uvwxyz", "not", *"abcdef"], [*"abcdef", *"xyz"], 0),  # a chunk that was cut there, and goes on
        ([*"uvwxyz", "not", *"abcdef", *"xyz"], [*"abcdef"], 1),
    ],
)
def test_a_negation_before_the_overlap(gold: list[str], chunk: list[str], odds: int) -> None:
    for one, other in ((gold, chunk), (chunk, gold)):
        found = align(one, other)
        assert found is not None
        assert found.at_odds == odds


def test_where_a_word_is_lost_the_whole_gap_counts() -> None:
    found = align(list("abcdefghijklm"), [*"abcdef", *"x" * 6, *"hijklm"])
    assert found is not None
    assert (found.agreeing, found.places) == (12, 18)


def test_boilerplate_with_more_votes_does_not_hide_the_place() -> None:
    """The chunk begins another article like this one, after the rest of this one with a slip in every third word."""
    boiler, rest = [*"abcdefghijkl"], [f"w{number}" for number in range(24)]
    slips = [f"W{number}" if number % 3 == 2 else f"w{number}" for number in range(24)]
    found = align(boiler + rest, [*slips, *(f"x{number}" for number in range(60)), *boiler, *"uv" * 10], near)
    assert found is not None
    assert (found.agreeing, found.gold_words) == (24, 24)


def test_a_word_of_the_end_that_stands_elsewhere_too() -> None:
    """Of two subsequences of one length, the one that lies together is meant."""
    gold = "may right to security and social goods that the right and the freedoms set out here be fulfilled"
    chunk = "right and the freedoms set out here be fulfilled nothing in this may be read as giving a right to any"
    found = align(words_in(gold), words_in(chunk))
    assert found is not None
    assert (found.agreeing, found.gold_words, found.blocks[0].chunk) == (9, 9, 0)


def test_a_long_gap_is_other_content() -> None:
    gold = [*"abcdef", *(f"x{number}" for number in range(30)), *"ghijkl"]
    chunk = [*"abcdef", *(f"X{number}" for number in range(30)), *"ghijkl"]
    found = align(gold, chunk, near)
    assert found is not None
    assert (found.agreeing, found.places) == (6, 36 + 6)


def test_a_long_gold_is_aligned_piece_by_piece() -> None:
    gold = [f"w{number}" for number in range(3000)]
    chunk = [word for place, word in enumerate(gold) if place % 7]
    found = align(gold, ["x"] * 500 + chunk + ["y"] * 500)
    assert found is not None
    assert found.agreeing == len(chunk)
    assert found.places == len(gold)  # the first word of the gold is lost, but the chunk goes on before it


HOSTILE = {
    "one word": (["a"] * 50_000, ["a"] * 200_000),
    "two words": (["a", "b"] * 25_000, ["a", "b"] * 100_000),
    "a long chunk": ([f"w{number}" for number in range(300)], [f"w{number % 5000}" for number in range(200_000)]),
    "a long gold": ([f"w{number}" for number in range(50_000)], [f"w{number}" for number in range(100_000)]),
    "noise": ([f"w{n * n % 997}" for n in range(20_000)], [f"w{n * n * n % 997}" for n in range(100_000)]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_takes_the_square_of_a_long_text(name: str) -> None:
    """A square of these lengths would be five thousand million comparisons, and the suite would stand still."""
    compared = 0

    def counting(ours: Sequence[str], theirs: Sequence[str]) -> Callable[[slice, slice], list[Pair]]:
        def found(here: slice, there: slice) -> list[Pair]:
            nonlocal compared
            compared += (here.stop - here.start) * (there.stop - there.start)
            return near(ours, theirs)(here, there)

        return found

    gold, chunk = HOSTILE[name]
    align(gold, chunk, counting)
    assert compared <= 100 * (len(gold) + len(chunk))
