"""The figures of an audit, against values by hand and laws that they must keep."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.audit.asking import Retrieved
from muffakir_eval.audit.figures import gain_along_k, lost_recall, outcome_block, rank_block, scored, slice_block
from muffakir_eval.audit.questions import classify
from muffakir_eval.statistics.intervals import wilson_interval
from muffakir_eval.tally.groups import GroupBy
from tests.audit.made import fates_of, reach, retrieval_of, sample

RANKS: list[list[int | None]] = [[1], [3, 7], [None, 2], [8], [None]]
"""Five questions, seven golds; k is 5, ten chunks came back."""


def rows(block: dict[str, Any]) -> dict[str, int]:
    return {row["outcome"]: row["n"] for row in block["rows"]}


def test_outcomes_with_shares_and_intervals() -> None:
    block = outcome_block(fates_of(RANKS, absent=[4]), GroupBy())
    assert rows(block["questions"]) == {"found": 1, "below_k": 2, "not_retrieved": 1, "not_in_index": 1}
    assert rows(block["golds"]) == {"found": 3, "below_k": 2, "not_retrieved": 1, "not_in_index": 1}
    found = block["questions"]["rows"][0]
    assert found["share"] == 0.2
    assert found["interval"] == list(wilson_interval(1, 5))
    assert (block["questions"]["n"], block["golds"]["n"]) == (5, 7)


def test_questions_without_gold_are_part_of_no_share() -> None:
    block = outcome_block(fates_of([[1], []]), GroupBy())["questions"]
    assert (block["n"], block["n_without_gold"]) == (1, 1)
    assert [(row["outcome"], row["share"]) for row in block["rows"]] == [("found", 1.0), ("no_gold", None)]
    assert outcome_block([], GroupBy())["questions"] == {"n": 0, "n_without_gold": 0, "rows": []}


def test_at_which_ranks() -> None:
    block = rank_block(fates_of(RANKS), top_n=10)
    assert [(row["from"], row["to"]) for row in block["first"]["rows"]] == [
        (1, 1),
        (2, 2),
        (3, 3),
        (4, 5),
        (6, 10),
        (None, None),
    ]
    assert [row["n"] for row in block["first"]["rows"]] == [1, 1, 1, 0, 1, 1]
    assert [row["n"] for row in block["golds"]["rows"]] == [1, 1, 1, 0, 2, 2]
    assert block["golds"]["rows"][-1]["share"] == 2 / 7


@pytest.mark.parametrize(("top_n", "ends"), [(1, [1]), (4, [1, 2, 3, 4]), (30, [1, 2, 3, 5, 10, 20, 30])])
def test_the_last_row_ends_where_the_asking_did(top_n: int, ends: list[int]) -> None:
    block = rank_block(fates_of([[1]], top_n=top_n), top_n=top_n)
    assert [row["to"] for row in block["first"]["rows"][:-1]] == ends


def test_what_a_larger_k_buys() -> None:
    gain = gain_along_k(fates_of(RANKS), [1, 5, 10], top_n=10)
    assert gain is not None
    # recall@1 = 1/5; @5 = (1 + 1/2 + 1/2)/5; @10 = (1 + 1 + 1/2 + 1)/5
    assert [row["recall"] for row in gain["rows"]] == pytest.approx([0.2, 0.4, 0.7])
    assert [row["gain"] for row in gain["rows"]] == pytest.approx([0.2, 0.2, 0.3])
    assert [row["gain_per_chunk"] for row in gain["rows"]] == pytest.approx([0.2, 0.05, 0.06])
    assert (gain["last_rank"], gain["n"], len(gain["curve"])) == (8, 5, 10)


def test_a_cutoff_beyond_the_ranking_buys_nothing() -> None:
    long = gain_along_k(fates_of([[2]], top_n=10**6), [1, 3], top_n=10**6)
    assert long is not None
    assert long["curve"] == [0.0, 1.0, 1.0]
    gain = gain_along_k(fates_of([[2]], top_n=3), [1, 3, 5], top_n=3)
    assert gain is not None
    assert [row["recall"] for row in gain["rows"]] == [0.0, 1.0, 1.0]
    assert gain["rows"][-1]["gain_per_chunk"] == 0.0


def test_where_recall_is_lost() -> None:
    lost = lost_recall(fates_of(RANKS, absent=[4]), asked=True)
    assert lost is not None
    assert lost["n"] == 5
    assert lost["parts"] == pytest.approx({"found": 0.4, "below_k": 0.3, "not_retrieved": 0.1, "not_in_index": 0.2})


def test_nothing_measured_gives_no_figure() -> None:
    failed = retrieval_of({0: Retrieved(state="failed", error="E")})
    fates = classify([sample(0)], [reach(0)], failed, k=5)
    assert scored(fates) == []
    assert lost_recall(fates, asked=True) is None
    assert gain_along_k(fates, [1], top_n=10) is None
    assert rank_block(fates, top_n=10)["first"]["rows"][0] == {"from": 1, "to": 1, "n": 0, "share": None}


def test_without_a_retriever_the_index_alone_is_split_up() -> None:
    samples = [sample(0), sample(1, 2), sample(2)]
    reaches = [reach(0), reach(1, 0), reach(1, 1, "split", covered=1.0), reach(2, 0, "not_compared")]
    lost = lost_recall(classify(samples, reaches, None, k=5), asked=False)
    assert lost == {"n": 2, "parts": {"in_index": 0.75, "split": 0.25}}


def test_slices_begin_with_the_most_trouble() -> None:
    samples = [sample(number, source_file="a.pdf" if number < 2 else "b.pdf") for number in range(5)]
    samples.append(sample(5, 0, source_file="c.pdf"))
    reaches = [reach(number, 0, "whole" if number < 3 else "nowhere", covered=0.0) for number in range(5)]
    [(column, block)] = slice_block(classify(samples, reaches, None, k=5), ["source_file"]).items()
    assert column == "source_file"
    assert block == [
        {"value": "b.pdf", "n": 3, "n_in_trouble": 2, "outcomes": {"not_in_index": 2, "in_index": 1}},
        {"value": "a.pdf", "n": 2, "n_in_trouble": 0, "outcomes": {"in_index": 2}},
    ]


def test_many_slices_are_counted() -> None:
    samples = [sample(number, metadata={"topic": f"موضوع {number}"}) for number in range(103)]
    block = slice_block(classify(samples, [], None, k=5), ["topic"])["topic"]
    assert (len(block), block[-1]) == (101, {"n_other_values": 3})


golds = st.lists(st.one_of(st.none(), st.integers(1, 10)), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(st.lists(golds, min_size=1, max_size=8), st.data())
def test_the_parts_add_up_and_found_is_recall(ranks: list[list[int | None]], data: st.DataObject) -> None:
    absent = data.draw(st.sets(st.integers(0, len(ranks) - 1)))
    k = data.draw(st.integers(1, 10))
    fates = fates_of(
        [[None] * len(each) if n in absent else each for n, each in enumerate(ranks)], k=k, absent=[*absent]
    )
    lost = lost_recall(fates, asked=True)
    gain = gain_along_k(fates, [k], top_n=10)
    assert lost is not None
    assert gain is not None
    assert math.isclose(math.fsum(lost["parts"].values()), 1.0)
    assert math.isclose(lost["parts"].get("found", 0.0), gain["curve"][k - 1])
    assert gain["curve"] == sorted(gain["curve"])
    for block in outcome_block(fates, GroupBy()).values():
        assert math.isclose(math.fsum(row["share"] for row in block["rows"]), 1.0)
    for block in rank_block(fates, top_n=10).values():
        assert sum(row["n"] for row in block["rows"]) == block["n"]
