from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz

from muffakir_eval.matching.agreement import NearWords, nearly_agree, pair_by_keys, pair_nearly, words_near
from muffakir_eval.matching.number_tables import ARABIC, IDEOGRAPHS, OTHERS
from muffakir_eval.matching.number_words import amount, number_value
from muffakir_eval.text.normalize import normalize_text

words = st.text("abcdeabce", min_size=1, max_size=7)


def agree(one: str, other: str) -> bool:
    return nearly_agree(normalize_text(one), normalize_text(other), 0.8, 4)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("المحكمة", "المحكمه"),  # equal once normalised
        ("المحكمة", "المحكلة"),
        ("مدتها", "مذتها"),  # one of five letters: exactly 0.8
        ("government", "govemment"),
        ("color", "colour"),
        ("السبعون", "السبعين"),  # the same number
        ("الشهادات", "الشهاداات"),
        ("평등하게", "평동하게"),
        ("법정에서", "법정에셔"),
    ],
)
def test_slips_and_spelling_variants_agree(one: str, other: str) -> None:
    assert agree(one, other)
    assert agree(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("من", "مز"),  # short words differ by a letter all the time
        ("كتب", "كتبا"),
        ("فعل", "فصل"),
        ("word", "ward"),
        ("2024", "2025"),
        ("article12", "article13"),
        ("الرابعة", "السابعة"),
        ("والرابع", "والسابع"),
        ("سبعون", "تسعون"),
        ("seventh", "seventy"),
        ("million", "billion"),
        ("هفتاد", "هشتاد"),
        ("legal", "illegal"),
        ("relevant", "irrelevant"),
        ("central", "noncentral"),
        ("مركزية", "لامركزية"),
        ("المركزية", "اللامركزية"),
        ("میخواهم", "نمیخواهم"),
        ("درست", "نادرست"),
        ("законный", "незаконный"),
        ("możliwość", "niemożliwość"),
        ("가능하다", "불가능하다"),
        ("남자", "여자"),
        ("있다", "없다"),
        ("اب̀̀̀̀", "اج̀̀̀̀"),  # marks are no letters
    ],
)
def test_other_words_do_not(one: str, other: str) -> None:
    assert not agree(one, other)
    assert not agree(other, one)


def test_a_korean_syllable_is_two_or_three_letters() -> None:
    assert nearly_agree("자유", "자우", 0.75, 4)  # four letters, one of which differs
    assert not nearly_agree("자유", "자우", 0.75, 5)


def test_the_cut_off_and_the_length_can_be_chosen() -> None:
    assert not nearly_agree("مدتها", "مذتها", 0.85, 4)
    assert not nearly_agree("مدتها", "مذتها", 0.8, 6)
    assert nearly_agree("كتب", "كتبا", 0.8, 3)


@given(words, words)
@settings(max_examples=200)
def test_agreement_is_rapidfuzz_ratio(one: str, other: str) -> None:
    long = len(one) >= 4 and len(other) >= 4
    negated = any(
        longer == before + shorter
        for longer, shorter in ((one, other), (other, one))
        for before in ("a",)
        if longer != shorter
    )
    assert nearly_agree(one, other, 0.8, 4) == (long and not negated and fuzz.ratio(one, other) >= 80 - 1e-6)


def slow_pairs(ours: set[str], theirs: set[str]) -> list[tuple[str, str]]:
    """The most similar pair first, until none is left."""
    made: list[tuple[str, str]] = []
    while True:
        near = [(one, other) for one in ours for other in theirs if nearly_agree(one, other, 0.8, 4)]
        if not near:
            return made
        pair = min(near, key=lambda pair: (-fuzz.ratio(*pair), sorted(pair)))
        made.append(pair)
        ours, theirs = ours - {pair[0]}, theirs - {pair[1]}


@given(st.sets(words, max_size=6), st.sets(words, max_size=6))
@settings(max_examples=200)
def test_pairs_are_one_to_one_and_the_most_similar_first(ours: set[str], theirs: set[str]) -> None:
    ours, theirs = ours - theirs, theirs - ours
    found = pair_nearly(ours, theirs, 0.8, 4)
    assert sorted(found) == sorted(slow_pairs(ours, theirs))
    assert sorted(pair_nearly(theirs, ours, 0.8, 4)) == sorted((other, one) for one, other in found)


def test_two_long_lists_are_not_compared() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    ours = {f"{one}{other}alphabet" for one in letters for other in letters}
    theirs = {f"{one}{other}alphabat" for one in letters for other in letters[:20]}
    assert len(ours) * len(theirs) > 250_000
    assert pair_nearly(ours, theirs, 0.95, 4) == []
    assert pair_nearly({"aaalphabet"}, theirs, 0.8, 4) == [("aaalphabet", "aaalphabat")]


KEYS = {"والكتاب": {"كتاب"}, "بالكتاب": {"كتاب"}, "كتاب": {"كتاب", "كتب"}, "كتبوا": {"كتب"}}


def keys(word: str) -> frozenset[str]:
    return frozenset(KEYS.get(word, {word}))


def test_words_that_share_a_key_are_paired_once() -> None:
    assert pair_by_keys({"كتاب"}, {"والكتاب"}, keys) == [("كتاب", "والكتاب")]
    assert pair_by_keys({"كتاب"}, {"والكتاب", "بالكتاب"}, keys) == [("كتاب", "بالكتاب")]
    assert pair_by_keys({"والكتاب"}, {"كتبوا"}, keys) == []
    forth = pair_by_keys({"كتاب", "كتبوا"}, {"والكتاب", "بالكتاب"}, keys)
    back = pair_by_keys({"والكتاب", "بالكتاب"}, {"كتاب", "كتبوا"}, keys)
    assert forth == [(one, other) for other, one in back]


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("السابعة", 7),
        ("والسابع", 7),
        ("للمئة", 100),
        ("بمائتي", None),
        ("ثلاثون", 30),
        ("كتاب", None),
        ("seventeenth", 17),
        ("پانزدهم", 15),
        ("ساتواں", 7),
        ("و", None),
        ("", None),
        ("بألف", 1000),
        ("وألف", 1000),
        ("مليونًا", 1_000_000),
        ("مليونين", 2_000_000),
        ("کسی", None),  # Persian has no particles in front
        ("سی", 30),
        ("sesenta", 60),
        ("setenta", 70),
        ("dezoito", 18),
        ("settanta", 70),
        ("quatorzième", 14),
        ("siebenundzwanzig", 27),
        ("neunundzwanzigsten", 29),
        ("zeventien", 17),
        ("восемнадцати", 18),
        ("altmışıncı", 60),
        ("اٹھارہ", 18),
        ("五", 5),
        ("萬", 10_000),
        ("xviii", 18),
        ("iv", 4),
        ("i", None),
        ("iiii", None),
        ("mix", None),
    ],
)
def test_number_words(word: str, value: int | None) -> None:
    assert number_value(word) == value


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("sesenta", "setenta"),
        ("seiscientos", "setecientos"),
        ("sessenta", "setenta"),
        ("quatorzième", "quatrième"),
        ("siebenundzwanzig", "neunundzwanzig"),
        ("zeventien", "zeventig"),
        ("семнадцать", "восемнадцать"),
        ("семьдесят", "восемьдесят"),
        ("altıncı", "altmışıncı"),
        ("xviii", "xxviii"),
    ],
)
def test_numbers_that_look_alike_are_two_numbers(one: str, other: str) -> None:
    assert not nearly_agree(normalize_text(one), normalize_text(other), 0.8, 4)


def test_no_word_stands_for_two_numbers() -> None:
    values: dict[str, set[int]] = {}
    for table in (ARABIC, *OTHERS, {value: " ".join(signs) for value, signs in IDEOGRAPHS.items()}):
        for value, words in table.items():
            for word in words.split():
                values.setdefault(normalize_text(word), set()).add(value)
    assert {word: found for word, found in values.items() if len(found) > 1} == {}


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ([], 0),
        ([20, 5], 25),
        ([5, 20], 25),  # as Arabic and German say it
        ([3, 100, 5], 305),
        ([25, 100], 2500),
        ([1000, 900, 5], 1905),
        ([2, 1_000_000, 5, 1000, 3], 2_005_003),
        ([5, 100, 1000], 500_000),
        ([100, 1000], 100_000),
    ],
)
def test_amounts(said: list[int], value: int) -> None:
    assert amount([(Decimal(number), False) for number in said]) == value


@pytest.mark.parametrize(
    ("signs", "value"),
    [([10, 5], 15), ([2, 10, 5], 25), ([3, 1000, 5, 100, 10_000, 8], 35_000_008), ([10_000], 10_000)],
)
def test_amounts_in_ideographs(signs: list[int], value: int) -> None:
    assert amount([(Decimal(number), True) for number in signs]) == value


def test_words_near_any_of_another_text() -> None:
    assert words_near(["المدنى", "عقد", "العقود"], ["المدني", "المدنيه", "عقدا"], 0.8, 4) == {"المدنى"}
    assert words_near([], ["المدني"], 0.8, 4) == frozenset()


def test_too_many_words_may_all_be_near() -> None:
    many = [f"كلمة{'ابتث'[n % 4]}{'جحخد'[n // 4 % 4]}{chr(0x627 + n // 16)}" for n in range(600)]
    assert words_near(many, many, 0.8, 4) == set(many)


@given(
    st.lists(words, max_size=8),
    st.lists(words, max_size=8),
    st.sampled_from([(0.8, 4), (0.6, 1), (0.3, 2), (1.0, 3)]),
    st.tuples(st.integers(0, 3), st.integers(0, 3)),
)
def test_the_places_at_which_words_nearly_agree(
    ours: list[str], theirs: list[str], chosen: tuple[float, int], starts: tuple[int, int]
) -> None:
    here = slice(min(starts[0], len(ours)), len(ours))
    there = slice(min(starts[1], len(theirs)), len(theirs))
    assert NearWords(ours, theirs, *chosen)(here, there) == [
        (one, other)
        for one in range(here.start, here.stop)
        for other in range(there.start, there.stop)
        if nearly_agree(ours[one], theirs[other], *chosen)
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [("المدينة", "المدينات"), ("경기장", "경기잔"), ("aaaab", "aaaac"), ("ααααβ", "ααααα"), ("kitab", "kitabs")],
)
def test_no_pair_is_lost_to_letters_that_share_a_bit(one: str, other: str) -> None:
    assert NearWords(["x", one], [other], 0.8, 4)(slice(0, 2), slice(0, 1)) == [(1, 0)] * nearly_agree(
        one, other, 0.8, 4
    )
