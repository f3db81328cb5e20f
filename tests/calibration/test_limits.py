"""The limits of a pair say at every threshold what a run says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval import MatchSettings
from muffakir_eval.calibration.limits import Limits, limits_of, lowest_threshold
from tests.calibration.labelled import PAIRS, verdict

WORDS = [
    "العامل",
    "الشركة",
    "الشركه",
    "إجازة",
    "اجازه",
    "سنوية",
    "ثلاثون",
    "ثلاثين",
    "يوما",
    "30",
    "31",
    "لا",
    "بأجر",
    "كامل",
    "العقد",
    "العقود",
    "في",
    "مدة",
]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join)


@settings(max_examples=80, deadline=None)
@given(
    gold=TEXTS,
    chunk=TEXTS,
    overlap=st.integers(10, 100),
    coverage=st.integers(1, 100),
    fuzzy=st.booleans(),
    stages=st.sampled_from(
        [("containment", "jaccard", "coverage"), ("jaccard",), ("coverage",), ("containment", "coverage")]
    ),
)
def test_they_are_those_of_the_matcher(
    gold: str, chunk: str, overlap: int, coverage: int, fuzzy: bool, stages: Any
) -> None:
    chosen = MatchSettings(
        overlap_threshold=overlap / 100, coverage_threshold=coverage / 100, fuzzy=fuzzy, stages=stages
    )
    ((limits,),) = limits_of([(gold, chunk)], chosen, (fuzzy,))
    assert limits.accepts(overlap / 100, coverage / 100) == verdict(chosen, gold, chunk)


@pytest.mark.parametrize("overlap", [0.1, 0.39, 0.42, 0.55, 0.64, 0.9, 1.0])
@pytest.mark.parametrize("coverage", [0.1, 0.5, 0.6, 0.81, 1.0])
@pytest.mark.parametrize("fuzzy", [True, False])
def test_they_are_those_of_the_matcher_on_real_sentences(overlap: float, coverage: float, fuzzy: bool) -> None:
    base = MatchSettings()
    chosen = MatchSettings(overlap_threshold=overlap, coverage_threshold=coverage, fuzzy=fuzzy)
    found = limits_of([(gold, chunk) for gold, chunk, _ in PAIRS], base, (True, False))
    for (gold, chunk, _), limits in zip(PAIRS, found, strict=True):
        assert limits[not fuzzy].accepts(overlap, coverage) == verdict(chosen, gold, chunk)


def test_words_that_agree_by_their_keys_count() -> None:
    """Every word is a form of its first three letters."""
    gold, chunk = "كتاب مدرسة طالب معلم", "كتابان مدرستهم طالبات معلمون"
    pair = [(gold, chunk)]
    assert limits_of(pair, MatchSettings(fuzzy=False), (False,)) == [(Limits(False),)]
    found = limits_of(pair, MatchSettings(fuzzy=False), (False,), keys=lambda word: frozenset([word[:3]]))
    assert found[0][0].overlap == 1.0


def test_an_empty_text_is_never_accepted() -> None:
    pairs = [("", "نص"), (" ", " "), ("نص من كلمات", ""), ("!", "!")]
    found = limits_of(pairs, MatchSettings(), (True,))
    assert found == [(Limits(False),)] * 3 + [(Limits(True),)]


def test_a_stage_that_is_off_accepts_nothing() -> None:
    gold, chunk, _ = PAIRS[2]
    only = limits_of([(gold, chunk)], MatchSettings(stages=("jaccard",)), (True,))[0][0]
    assert (only.overlap > 0.8, only.coverage) == (True, 0.0)
    only = limits_of([(gold, chunk)], MatchSettings(stages=("coverage",)), (True,))[0][0]
    assert (only.overlap, only.coverage > 0.8) == (0.0, True)


def test_settings_below_the_usual_range_are_looked_at_too() -> None:
    assert lowest_threshold(MatchSettings(overlap_threshold=0.02)) == 0.02
    pair = ("واحد اثنان ثلاثة أربعة خمسة", "واحد اثنان " + " ".join(f"ك{n}لمة" for n in range(30)))
    low = MatchSettings(overlap_threshold=0.05, stages=("jaccard",))
    assert limits_of([pair], MatchSettings(stages=("jaccard",)), (True,))[0][0].overlap < 0.1
    assert limits_of([pair], low, (True,))[0][0].accepts(0.05, 1.0) == verdict(low, *pair) is True
