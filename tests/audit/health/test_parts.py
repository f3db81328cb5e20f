"""The pieces that a part is made of: columns, numbers of words, counts, kinds of characters."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.audit.health.batches import Batch
from muffakir_eval.audit.health.characters import SCRIPTS, Kind, kinds_of
from muffakir_eval.audit.health.columns import Numbers, Texts
from muffakir_eval.audit.health.vocabulary import Vocabulary, word_keys
from muffakir_eval.audit.health.words import WordRow, joined

WORDS = st.text(alphabet="ابجabc\U0001f44d", min_size=1, max_size=5)


@given(st.lists(st.none() | st.text(max_size=5)), st.lists(st.none() | st.text(max_size=5)))
@settings(max_examples=100, deadline=None)
def test_texts_come_back_as_they_were(one: list[str | None], other: list[str | None]) -> None:
    column, further = Texts(), Texts()
    column.extend(one)
    further.extend(other)
    assert [column[row] for row in range(len(column))] == one
    column.add(further)
    assert [column[row] for row in range(len(column))] == [*one, *other]


def test_numbers_are_added_and_read_without_a_copy() -> None:
    column, further = Numbers("Q"), Numbers("Q")
    column.extend([1, 2**64 - 1])
    further.extend(np.array([3], np.uint64))
    column.add(further)
    assert column.numpy().tolist() == [1, 2**64 - 1, 3]
    assert len(column) == 3


@given(st.lists(st.lists(WORDS, max_size=6), min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_equal_words_have_equal_numbers_wherever_they_stand(chunks: list[list[str]]) -> None:
    row = WordRow.of([" ".join(words) for words in chunks], list(map(len, chunks)))
    flat = list(itertools.chain.from_iterable(chunks))
    numbers = row.numbers.tolist()
    assert len(numbers) == len(flat)
    assert row.lengths.tolist() == list(map(len, flat))
    for (word, number), (other, another) in itertools.combinations(zip(flat, numbers, strict=True), 2):
        assert (word == other) == (number == another)
    pairs = row.shingles(2).tolist()
    spans = list(itertools.pairwise(flat))
    for (span, number), (other_span, another) in itertools.combinations(zip(spans, pairs, strict=True), 2):
        assert (span == other_span) == (number == another)
    inner = [word for words in chunks for word in words[1:-1]]
    assert len(row.inner()) == len(inner)


def test_the_number_of_a_word_from_its_halves() -> None:
    row = WordRow.of(["العقد الع قد"], [3])
    whole, first, second = (row.numbers[place : place + 1] for place in range(3))
    assert joined(first, np.array([3], np.uint16), second) == whole


def test_a_vocabulary_sums_up_whatever_the_order() -> None:
    rng = np.random.default_rng(5)
    words = rng.integers(0, 50, 4000, dtype=np.uint64)
    whole = Vocabulary()
    whole.count(words)
    pieces = [Vocabulary() for _ in range(4)]
    for piece, some in zip(pieces, np.split(words, 4), strict=True):
        piece.count(some)
    pieces[0].add(pieces[1])
    pieces[2].add(pieces[3])
    pieces[0].table()
    pieces[0].add(pieces[2])
    keys, counts = pieces[0].table()
    assert np.array_equal(keys, whole.table()[0])
    assert np.array_equal(counts, whole.table()[1])
    place = int(np.searchsorted(keys, word_keys(words[:1]))[0])
    assert counts[place] == np.count_nonzero(words == words[0])


def test_a_vocabulary_is_put_together_before_it_grows_too_large() -> None:
    vocabulary = Vocabulary()
    for first in range(0, 3_000_000, 1_000_000):
        vocabulary.count(np.arange(first, first + 1_000_000, dtype=np.uint64))
    assert len(vocabulary._tables) == 1
    assert int(vocabulary.table()[1].sum()) == 3_000_000


def test_every_character_has_the_kind_that_it_should() -> None:
    expected = {
        "ا": Kind.ARABIC,
        "ة": Kind.TEH_MARBUTA,
        "ي": Kind.ARABIC_KEYS,
        "ی": Kind.PERSIAN_KEYS,
        "گ": Kind.NEIGHBOURS,
        "ظ": Kind.TAH,
        "\ufe8e": Kind.FORMS,
        "\ufe94": Kind.FORMS_TEH_MARBUTA,
        "\ufbfe": Kind.FORMS_PERSIAN_KEYS,
        "\ufef4": Kind.FORMS_ARABIC_KEYS,
        "ﷺ": Kind.LIGATURES,
        "\ufdf2": Kind.LIGATURES,
        "\ufd3e": Kind.LIGATURES,
        "\ufd3f": Kind.LIGATURES,
        "\u064e": Kind.VOWELS,
        "\u0653": Kind.COMBINING,
        "ـ": Kind.TATWEEL,
        "é": Kind.LATIN_ACCENTED,
        "×": Kind.OTHER,
        "مص"[1]: Kind.ARABIC,
        "٥": Kind.ARABIC_DIGITS,
        "۵": Kind.PERSIAN_DIGITS,
        "\u200c": Kind.OTHER,
        "\u200b": Kind.INVISIBLE,
        "\ufeff": Kind.INVISIBLE,
        "\u200f": Kind.BIDI_MARKS,
        "\ue000": Kind.PRIVATE,
        "\ud800": Kind.SURROGATE,
        "\t": Kind.SPACE,
        "\x00": Kind.CONTROL,
        "\x85": Kind.NEWLINE,
        "中": Kind.HAN,
        "カ": Kind.KANA,
        "한": Kind.HANGUL,
        "Ж": Kind.CYRILLIC,
    }
    codes = np.array([ord(char) for char in expected], np.uint32)
    assert [Kind(kind) for kind in kinds_of(codes).tolist()] == list(expected.values())
    assert {kind for kinds in SCRIPTS.values() for kind in kinds}.isdisjoint({Kind.DIGITS, Kind.SPACE})


def test_a_batch_counts_each_text_by_itself() -> None:
    batch = Batch.count(["", "ا ب ت الكتاب", "ةمدقم ثحبلا", "عام 2005 و 5002 و 12345", "س" * 30, "ﷺ"])
    assert batch.letters.tolist() == [0, 9, 10, 5, 30, 0]
    assert batch.singles.tolist() == [0, 3, 0, 2, 0, 0]
    assert batch.articles.tolist() == [0, 1, 0, 0, 0, 0]
    assert batch.articles_last.tolist() == [0, 0, 1, 0, 0, 0]
    assert batch.teh_first.tolist() == [0, 0, 1, 0, 0, 0]
    assert batch.longest.tolist() == [0, 0, 0, 0, 30, 0]
    assert batch.years.tolist() == [0, 0, 0, 1, 0, 0]
    assert batch.years_backwards.tolist() == [0, 0, 0, 1, 0, 0]
    assert batch.of(Kind.DIGITS).tolist() == [0, 0, 0, 13, 0, 0]
