"""What a question comes to, from where its golds are and which ranks hold them."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.audit.asking import Retrieved
from muffakir_eval.audit.questions import ABSENT, SEVEREST_FIRST, GoldFate, QuestionFate, classify
from muffakir_eval.audit.records import GoldReach, Outcome
from muffakir_eval.records import Sample
from tests.audit.made import retrieval_of

WHOLE = {"presence": "whole", "covered": 1.0}
NO_ID: dict[str, Any] = {"presence": "nowhere", "unknown_ids": ("7",)}


def fate_of(reach: dict[str, Any] | None, found: Retrieved | None, *, asked: bool = True) -> QuestionFate:
    sample = Sample(sample_id="1", question="؟", contexts=("نص الدليل الأول",))
    reaches = [] if reach is None else [GoldReach(sample=0, gold=0, **reach)]
    retrieval = retrieval_of({} if found is None else {0: found}) if asked else None
    [fate] = classify([sample], reaches, retrieval, k=5)
    return fate


@pytest.mark.parametrize(
    ("reach", "found", "outcome"),
    [
        (WHOLE, Retrieved(state="compared", ranks={0: 5}), "found"),
        (WHOLE, Retrieved(state="compared", ranks={0: 6}), "below_k"),
        (WHOLE, Retrieved(state="compared"), "not_retrieved"),
        (WHOLE, Retrieved(state="not_comparable"), "not_compared"),
        (WHOLE, Retrieved(state="no_chunks"), "not_compared"),
        (WHOLE, Retrieved(state="failed", error="E"), "pipeline_error"),
        (WHOLE, None, "in_index"),  # the retriever was down before its turn came
        ({"presence": "split", "covered": 1.0}, Retrieved(state="failed", error="E"), "split"),
        ({"presence": "split", "covered": 1.0}, Retrieved(state="compared"), "split"),
        ({"presence": "part", "covered": 0.3}, Retrieved(state="compared"), "not_in_index"),
        ({"presence": "nowhere", "covered": 0.0}, Retrieved(state="compared"), "not_in_index"),
        (NO_ID, Retrieved(state="compared"), "unknown_id"),
        ({**NO_ID, "covered": 0.0}, Retrieved(state="compared"), "not_in_index"),  # its text was looked for, too
        ({**WHOLE, "unknown_ids": ("7",)}, Retrieved(state="compared"), "not_retrieved"),
        ({"presence": "not_compared"}, Retrieved(state="compared"), "not_compared"),
        (None, Retrieved(state="compared"), "not_compared"),
        ({"presence": "nowhere", "covered": 0.0}, Retrieved(state="compared", ranks={0: 1}), "found"),
    ],
)
def test_one_gold(reach: dict[str, Any] | None, found: Retrieved | None, outcome: Outcome) -> None:
    assert fate_of(reach, found).outcome == outcome


def test_without_a_retriever_there_is_only_the_index() -> None:
    assert fate_of(WHOLE, None, asked=False).outcome == "in_index"
    assert fate_of(NO_ID, None, asked=False).outcome == "unknown_id"


def test_a_question_is_as_bad_as_its_worst_gold() -> None:
    sample = Sample(sample_id="1", question="؟", chunk_ids=("a", "b", "c"))
    reaches = [
        GoldReach(sample=0, gold=0, presence="whole"),
        GoldReach(sample=0, gold=1, presence="whole"),
        GoldReach(sample=0, gold=2, presence="nowhere", unknown_ids=("c",)),
    ]
    retrieval = retrieval_of({0: Retrieved(state="compared", ranks={0: 2, 1: 9}, n_chunks=10)})
    [fate] = classify([sample], reaches, retrieval, k=5)
    assert [gold.outcome for gold in fate.golds] == ["found", "below_k", "unknown_id"]
    assert (fate.outcome, fate.first_rank) == ("unknown_id", 2)
    assert fate.deciding == fate.golds[2]
    assert (fate.count("found", "below_k"), fate.count(*ABSENT)) == (2, 1)


def test_a_gold_that_is_listed_twice_counts_once() -> None:
    sample = Sample(sample_id="1", question="؟", chunk_ids=("a", "a"))
    [fate] = classify([sample], [GoldReach(sample=0, gold=0, presence="whole")], None, k=5)
    assert [gold.gold for gold in fate.golds] == [0]


def test_no_gold_at_all() -> None:
    samples = [Sample(sample_id="1", question="؟"), Sample(sample_id="2", question="؟", contexts=(" ",))]
    fates = classify(samples, [], retrieval_of({0: Retrieved(state="compared", n_chunks=3)}), k=5)
    assert [(fate.outcome, fate.golds, fate.deciding, fate.first_rank) for fate in fates] == [
        ("no_gold", (), None, None)
    ] * 2


def test_every_outcome_has_a_place_in_the_order() -> None:
    assert set(SEVEREST_FIRST) == set(Outcome.__args__)  # type: ignore[attr-defined]


@given(st.lists(st.sampled_from([outcome for outcome in SEVEREST_FIRST if outcome != "no_gold"]), min_size=1))
def test_found_means_all_are_found(outcomes: list[Outcome]) -> None:
    worst = min(outcomes, key=SEVEREST_FIRST.index)
    golds = tuple(GoldFate(gold=number, outcome=outcome) for number, outcome in enumerate(outcomes))
    fate = QuestionFate(position=0, sample=Sample(sample_id="1", question="؟"), outcome=worst, golds=golds)
    assert (worst == "found") == (set(outcomes) == {"found"})
    assert fate.deciding is not None
    assert fate.deciding.gold == outcomes.index(worst)
    assert sum(fate.count(outcome) for outcome in SEVEREST_FIRST) == len(outcomes)


def test_what_the_index_lacks_comes_before_what_the_retriever_missed() -> None:
    for absent, missed in itertools.product(ABSENT, ("pipeline_error", "not_retrieved", "below_k")):
        assert SEVEREST_FIRST.index(absent) < SEVEREST_FIRST.index(missed)
