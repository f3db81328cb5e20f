"""Words of a gold as bits, and pieces put together."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.audit.reach.pieces import Measure, Piece, held_words, in_order, joined, linked, span_of
from muffakir_eval.audit.records import Place
from muffakir_eval.matching.alignment import align
from muffakir_eval.matching.prepared import PreparedText

LETTERS = "ابتثجحخدذرزسشصضطظعغفقكلمنهوي"
GOLD = " ".join(f"كلمة{letter}" for letter in LETTERS)


def measure(text: str = GOLD) -> Measure:
    return Measure.of(PreparedText.split(text), least_share=0.4, coverage=0.6)


def piece(ordinal: int, first: int, end: int, source: str | None = None, but: tuple[int, ...] = ()) -> Piece:
    gold = measure()
    triples = [place for place in range(first, end - 2) if not {place, place + 1, place + 2} & set(but)]
    run = gold.run(triples)
    assert run is not None
    return Piece(at=Place(ordinal=ordinal, source=source), run=run, gold=gold)


class TestRun:
    def test_longest(self) -> None:
        run = measure().run([0, 1, 20, 21, 22])
        assert run is not None
        assert span_of(run.held) == (20, 25)

    def test_garbled_words_between(self) -> None:
        run = measure().run([0, 1, 7, 8])
        assert run is not None
        assert (span_of(run.held), run.held.bit_count(), run.same.bit_count()) == ((0, 11), 11, 8)

    def test_too_short(self) -> None:
        assert measure().run([3]) is None
        assert measure().run([]) is None

    def test_a_garbled_number_is_noted(self) -> None:
        gold = measure("يدفع العامل غرامة قدرها 500 جنيه عن كل يوم من التأخير")
        run = gold.run([0, 1, 5, 6, 7])
        assert run is not None
        assert (span_of(run.held), run.odds) == ((0, 10), 1)

    def test_characters_of_scripts_without_spaces(self) -> None:
        gold = measure("劳动者连续工作一年以上的享受带薪年休假")
        assert (gold.per_word, gold.least) == (2.0, 8)
        assert gold.run([0, 1, 2]) is None
        assert gold.run([0, 1, 2, 3, 4, 5]) is not None

    @pytest.mark.parametrize(("n_words", "least"), [(10, 4), (18, 6), (28, 8), (200, 20)])
    def test_what_is_worth_telling(self, n_words: int, least: float) -> None:
        assert measure(" ".join(f"كلمة{n}" for n in range(n_words))).least_part == least


class TestInOrder:
    @pytest.mark.parametrize(
        ("found", "places"),
        [
            ([], []),
            ([[3], [4], [5]], [3, 4, 5]),
            ([[4, 10], [11], [12]], [10, 11, 12]),  # a phrase that the gold has twice, before its second place
            ([[4], [5, 12], [6]], [4, 5, 6]),
            ([[9], [2], [3], [4]], [2, 3, 4]),
            ([[1, 7], [1, 7], [8]], [1, 7, 8]),
            ([[5], [5], [5]], [5]),
            ([[1], [2, 9], [3, 10], [4, 11]], [1, 2, 3, 4]),
        ],
    )
    def test_chosen(self, found: list[list[int]], places: list[int]) -> None:
        assert in_order(found) == places

    @given(st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=3, unique=True).map(sorted), max_size=6))
    def test_as_many_as_there_can_be(self, found: list[list[int]]) -> None:
        chosen = in_order(found)
        ways = product(*([None, *places] for places in found))
        taken = ([place for place in way if place is not None] for way in ways)
        most = max(len(places) for places in taken if all(a < b for a, b in pairwise(places)))
        assert len(chosen) == most
        assert all(a < b for a, b in pairwise(chosen))

    def test_the_same_over_and_over(self) -> None:
        assert in_order([list(range(0, 200, 2))] * 60) == list(range(0, 200, 2))


class TestLinked:
    def test_next_chunk_next_words(self) -> None:
        assert linked(piece(1, 0, 9), piece(2, 9, 18))
        assert linked(piece(1, 0, 9), piece(2, 6, 18))

    def test_not(self) -> None:
        one = piece(1, 3, 12, "a.pdf")
        for other in (piece(3, 12, 20), piece(2, 12, 20, "b.pdf"), piece(2, 0, 20), piece(2, 4, 10), piece(2, 16, 24)):
            assert not linked(one, other)


class TestJoined:
    def test_all(self) -> None:
        chain = [piece(1, 0, 10), piece(2, 10, 20), piece(3, 20, 28)]
        assert joined(chain) == (tuple(chain), 1.0)

    def test_what_adds_nothing_is_left_out(self) -> None:
        chain = [piece(1, 0, 5), piece(2, 0, 14), piece(3, 14, 28), piece(4, 20, 28)]
        assert joined(chain) == (tuple(chain[1:3]), 1.0)

    def test_a_torn_word(self) -> None:
        found = joined([piece(1, 0, 13), piece(2, 14, 28)])
        assert found is not None
        assert found[1] == 1.0

    def test_too_little(self) -> None:
        assert joined([piece(1, 0, 12), piece(2, 12, 22)]) is None
        assert joined([]) is None

    def test_too_few_words_to_be_a_piece_may_be_missing_at_the_ends(self) -> None:
        found = joined([piece(1, 2, 13), piece(2, 13, 25)])
        assert found is not None
        assert found[1] == 23 / 28

    def test_windows_that_overlap_say_the_same_words(self) -> None:
        chain = [piece(place, first, first + 9) for place, first in enumerate(range(0, 20, 3))]
        found = joined(chain)
        assert found is not None
        assert found[1] == 27 / 28

    def test_one_chunk_alone(self) -> None:
        assert joined([piece(1, 0, 28), piece(2, 20, 28)]) is None


class TestHeldWords:
    @pytest.mark.parametrize(
        ("chunk", "held"),
        [
            ("أ ب ج د هـ و", (0, 6)),
            ("مقدمة أ ب ج س هـ و خاتمة", (0, 6)),
            ("مقدمة س ب ج د هـ و خاتمة", (0, 6)),
            ("أ ب ج د", (0, 4)),
            ("ج د هـ و كلام آخر بعده", (2, 6)),
        ],
    )
    def test_held(self, chunk: str, held: tuple[int, int]) -> None:
        ours, theirs = (PreparedText.split(text).words for text in ("أ ب ج د هـ و", chunk))
        alignment = align(ours, theirs)
        assert alignment is not None
        bits = held_words(alignment, len(ours), len(theirs))
        assert span_of(bits) == held
        assert bits.bit_count() == held[1] - held[0]

    def test_what_only_the_gold_has_is_missing(self) -> None:
        ours = PreparedText.split("أ ب ج د هـ و ز ح").words
        theirs = [*ours[:3], *ours[5:]]
        alignment = align(ours, theirs)
        assert alignment is not None
        assert held_words(alignment, len(ours), len(theirs)) == 0b11100111


def test_no_words_have_no_span() -> None:
    assert span_of(0) == (0, 0)
