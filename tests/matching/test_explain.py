from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval.config import MatchSettings
from muffakir_eval.errors import ConfigError
from muffakir_eval.matching import ChunkMatcher, explain_match
from muffakir_eval.records import RetrievedChunk, Sample

GOLD = "يستحق العامل إجازة سنوية مدتها ثلاثون يوما بأجر كامل إذا أمضى في الخدمة سنة كاملة"


def test_the_whole_gold_in_the_chunk() -> None:
    found = explain_match(GOLD, f"مقدمة. {GOLD}. خاتمة")
    assert (found.relevant, found.stage, found.score, found.contained) == (True, "containment", 1.0, "gold_in_chunk")
    assert "whole gold passage stands in the chunk" in str(found)


def test_the_whole_chunk_in_the_gold() -> None:
    found = explain_match(GOLD, " ".join(GOLD.split()[:8]))
    assert (found.stage, found.contained) == ("containment", "chunk_in_gold")
    assert "whole chunk stands in the gold passage" in str(found)


def test_other_words_nearly_the_same() -> None:
    found = explain_match(GOLD, GOLD.replace("العامل", "العامال").replace("سنوية", "سنويه"))
    assert (found.stage, found.near_pairs) == ("jaccard", (("العامل", "العامال"),))
    assert found.jaccard == 14 / 16
    assert found.fuzzy_jaccard == 1.0
    assert "العامل ~ العامال" in str(found)


def test_a_rough_gold_in_a_larger_chunk() -> None:
    rough = GOLD.replace("مدتها", "مذتها").replace("إذا أمضى", "إذاأمضى")
    found = explain_match(
        GOLD, "وتسري أحكام الباب السابق على الموظفين في الدولة والهيئات والشركات العامة دون غيرهم " * 4 + rough
    )
    assert found.stage == "coverage"
    assert found.score == found.coverage
    assert found.gold_share == 1.0
    assert [(run.kind, run.gold, run.chunk) for run in found.runs if run.kind != "same"] == [
        ("near", ("مدتها",), ("مذتها",)),
        ("joined", ("اذا", "امضي"), ("اذاامضي",)),
    ]
    assert found.runs[0].gold_start == 0
    assert found.runs[0].chunk_start == 52
    assert "اذا امضي ~ اذاامضي" in str(found)


def test_no_match_says_what_is_missing() -> None:
    found = explain_match(GOLD, "يستحق العامل إجازة سنوية " + "من وقت لآخر كما يراه صاحب العمل مناسبا " * 4)
    assert (found.relevant, found.stage, found.score) == (False, None, None)
    assert str(found).startswith("No match")
    nothing = explain_match(GOLD, "؟!")
    assert nothing.jaccard is None
    assert "no words or numbers" in str(nothing)


def test_a_contradiction_is_named() -> None:
    gold = "لا يجوز لصاحب العمل فصل العامل أثناء إجازته"
    found = explain_match(gold, gold.removeprefix("لا ") + " في الأحوال المبينة في المادة التالية من هذا القانون")
    assert found.contradictions == 1
    assert not found.relevant
    assert "negations that differ" in str(found)


def test_too_little_of_the_gold() -> None:
    long = " ".join(f"{word}{number}" for number in range(6) for word in GOLD.split())
    found = explain_match(long, "كلام آخر لا صلة له " + " ".join(long.split()[:11]))
    assert not found.relevant
    assert found.coverage is not None
    assert not found.enough
    assert "too little of the gold" in str(found)


def test_long_lists_are_cut() -> None:
    gold = " ".join(f"word{letter}{other}" for letter in "abcdefghij" for other in "abcdefgh")
    chunk = " ".join(word if place % 5 else word + "s" for place, word in enumerate(gold.split()))
    shown = str(explain_match(gold, chunk + " and some other words at the end " * 9))
    assert "and 6 more" in shown
    assert len(shown.splitlines()) < 25
    assert "words)" in str(explain_match(gold, gold + " end"))


def test_a_stage_that_is_off_is_explained_and_does_not_decide() -> None:
    rough = GOLD.replace("مدتها", "مذتها") + " خاتمة أخرى" * 12
    found = explain_match(GOLD, rough, MatchSettings(stages=("containment",)))
    assert not found.relevant
    assert found.coverage is not None
    assert "needed are" not in str(found)


@pytest.mark.parametrize("chunk", [GOLD, GOLD[:40], GOLD.replace("مدتها", "مذتها"), "نص آخر", "", "؟"])
def test_it_says_what_the_matcher_says(chunk: str) -> None:
    matcher = ChunkMatcher()
    sample = Sample(sample_id="1", question="؟", contexts=(GOLD,))
    verdict = matcher.match([RetrievedChunk(text=chunk)], sample)[0]
    found = matcher.explain(GOLD, chunk)
    assert (found.relevant, found.stage) == (verdict.relevant, verdict.stage)
    if found.relevant:
        assert found.score == verdict.score


@pytest.mark.parametrize(("gold", "chunk", "found"), [(None, GOLD, "gold is of type NoneType"), (GOLD, 5, "chunk is")])
def test_what_is_no_text_is_refused(gold: Any, chunk: Any, found: str) -> None:
    with pytest.raises(ConfigError, match=found):
        explain_match(gold, chunk)
