"""The bound on the overlap of two texts never says no where the coverage says yes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.config import MatchSettings
from muffakir_eval.matching.overlap import may_overlap
from muffakir_eval.matching.prepared import PreparedText
from muffakir_eval.matching.rules import Rules
from muffakir_eval.matching.stages import coverage

GOLD = "يستحق العامل إجازة سنوية لا تقل مدتها عن واحد وعشرين يوما بأجر كامل لمن أمضى في الخدمة سنة كاملة"


def may(gold: str, chunk: str, **settings: object) -> bool:
    rules = Rules(MatchSettings.model_validate(settings))
    return may_overlap(PreparedText.split(gold), PreparedText.split(chunk), rules)


@pytest.mark.parametrize(
    "chunk",
    [
        "يستحق العامل إجازة سنوية لا تقل مدتها عن واحد",
        "يستحق العامـل إجازه سنويه لا تقل مدتهـا عن",
        "يستحق العامل إجازةسنوية لاتقل مدتهاعن واحدوعشرين",
    ],
)
def test_yes(chunk: str) -> None:
    assert may(GOLD, chunk)


@pytest.mark.parametrize("chunk", ["سوق المدينة في الخدمة عن القوافل القادمة", "كاملة لمن يدخل السوق في أول النهار"])
def test_no(chunk: str) -> None:
    assert not may(GOLD, chunk)


def test_a_short_gold_of_which_two_words_are_there() -> None:
    assert may("مواعيد العمل في الخدمة", GOLD)
    assert not may("باب في الخدمة", GOLD)


def test_only_equal_words_count_where_nothing_is_fuzzy() -> None:
    chunk = "يستحق العامل أجازات سنوييه لا تقل مددتها عنن واحد"
    assert may(GOLD, chunk)
    assert not may(GOLD, chunk.replace("العامل", "العاملين").replace("يستحق", "يستحقه"), fuzzy=False)


_WORDS = ["كتاب", "كتابه", "المدينة", "المدينات", "لا", "12", "東", "京", "ا", "ب", "ابا", "با", "اب", "موظف", "موظفه"]
_TEXTS = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=60)


@given(
    _TEXTS,
    _TEXTS,
    st.tuples(st.integers(0, 50), st.integers(1, 30)),
    st.sampled_from(
        [{}, {"fuzzy": False}, {"min_gold_share": 0.8}, {"min_inside_tokens": 40}, {"overlap_threshold": 0.1}]
    ),
)
def test_never_wrong_where_it_says_no(
    gold: list[str], other: list[str], taken: tuple[int, int], settings: dict[str, object]
) -> None:
    first, n_words = taken
    rules = Rules(MatchSettings.model_validate(settings))
    ours = PreparedText.split(" ".join(gold))
    for between in (" ", ""):
        chunk = PreparedText.split(f"{between.join(gold[first : first + n_words])} {' '.join(other[:5])}")
        if coverage(ours, chunk, rules).relevant:
            assert may_overlap(ours, chunk, rules)
        if coverage(chunk, ours, rules).relevant:
            assert may_overlap(chunk, ours, rules)
