from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from muffakir_eval.config import MatchSettings
from muffakir_eval.matching.prepared import PreparedText
from muffakir_eval.matching.stages import TEXT_STAGES, containment, jaccard, near_floor, too_different

tokens = st.sampled_from(["a", "b", "c", "d", "e", "f", "g", "中", "国", "中国人", "1", "."])
texts = st.lists(tokens, max_size=12).map(" ".join)
cut_texts = st.tuples(
    st.lists(st.sampled_from(["alpha", "beta", "gamma", "中国人民", "15"]), min_size=11, max_size=16).map(" ".join),
    st.integers(0, 8),
    st.integers(0, 8),
).map(lambda made: made[0][made[1] : len(made[0]) - made[2]])


def prepared(text: str, *, settled: bool = False) -> PreparedText:
    made = PreparedText(text)
    if settled:
        made.settle()
    return made


@given(texts | cut_texts, texts | cut_texts, st.booleans(), st.booleans(), st.sampled_from([0.05, 0.275, 0.5, 1.0]))
@example(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa la mu nu",
    "lpha beta gamma delta epsilon zeta eta theta iota kappa la mu n",
    True,
    True,
    1.0,
)
@example(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa la mu nu",
    "lpha beta gamma delta epsilon zeta eta theta iota kappa la mu n",
    False,
    False,
    1.0,
)
@settings(max_examples=400)
def test_the_bound_never_hides_a_match_or_a_near_one(
    one: str, other: str, one_settled: bool, other_settled: bool, floor: float
) -> None:
    gold, chunk = prepared(one, settled=one_settled), prepared(other, settled=other_settled)
    if too_different(gold, chunk, floor):
        chosen = MatchSettings(overlap_threshold=floor, min_gold_share=0.0, min_gold_tokens=1, min_inside_tokens=1)
        for _, stage in TEXT_STAGES:
            relevant, score = stage(prepared(one), prepared(other), chosen)
            assert not relevant
            assert score is None or score < floor


def test_the_bound_does_exclude() -> None:
    gold, chunk = " ".join(f"g{n}" for n in range(50)), " ".join(f"c{n}" for n in range(50))
    assert too_different(prepared(gold), prepared(chunk), 0.275)
    assert too_different(prepared(gold, settled=True), prepared(chunk), 0.275)
    assert too_different(prepared(gold, settled=True), prepared(chunk, settled=True), 0.275)


@given(texts, texts)
@settings(max_examples=200)
def test_jaccard_is_symmetric_and_bounded(one: str, other: str) -> None:
    chosen = MatchSettings(min_gold_tokens=1, min_gold_share=0.0)
    forth, back = jaccard(prepared(one), prepared(other), chosen), jaccard(prepared(other), prepared(one), chosen)
    if forth.score is not None and back.score is not None:
        assert forth == back
        assert 0.0 <= forth.score <= 1.0


@given(texts, texts, st.floats(0.01, 1.0), st.floats(0.01, 1.0))
@settings(max_examples=200)
def test_a_higher_threshold_never_adds_a_match(one: str, other: str, first: float, second: float) -> None:
    low, high = sorted((first, second))
    gold, chunk = prepared(one), prepared(other)
    if jaccard(gold, chunk, MatchSettings(overlap_threshold=high)).relevant:
        assert jaccard(gold, chunk, MatchSettings(overlap_threshold=low)).relevant


@given(texts, texts)
@settings(max_examples=200)
def test_settling_changes_no_decision(one: str, other: str) -> None:
    chosen = MatchSettings()
    for stage in (containment, jaccard):
        loose = stage(prepared(one), prepared(other), chosen)
        assert stage(prepared(one, settled=True), prepared(other, settled=True), chosen) == loose


def test_the_near_floor_is_half_the_threshold() -> None:
    assert near_floor(MatchSettings(overlap_threshold=0.6)) == 0.3
